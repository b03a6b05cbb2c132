"""Colors in a report: a system has one in every figure, and nothing else has it."""

import re

import polars as pl
import pytest

from sessionkit.charts import colors_of, spec_of
from sessionkit.charts.theme import ACCENT, CONTEXT, FAINT, INK, PALE, kind_colors
from sessionkit.reports import page
from tests.reports.one_section import by_name, figures_in
from tests.support.clinic import read_clinic

HEX = re.compile("#[0-9A-Fa-f]{6}")


def color_scales(value):
    """Every list of names with the list of their colors in a specification."""
    if isinstance(value, dict):
        shades = value.get("range")
        if "domain" in value and isinstance(shades, list) and all(HEX.fullmatch(str(shade)) for shade in shades):
            yield value["domain"], shades
        for inner in value.values():
            yield from color_scales(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from color_scales(inner)


def colors_beside(value, systems):
    """Every color in a specification but those that a scale gives to systems."""
    if isinstance(value, dict):
        if not {*systems}.isdisjoint(map(str, value.get("domain") or [])):
            return
        for name, inner in value.items():
            if name != "config":
                yield from colors_beside(inner, systems)
    elif isinstance(value, list):
        for inner in value:
            yield from colors_beside(inner, systems)
    elif isinstance(value, str) and HEX.fullmatch(value):
        yield value


def test_no_group_has_a_color_of_something_else():
    groups = colors_of(map(str, range(24))).values()
    assert len({*groups}) == 24
    assert {*groups}.isdisjoint({ACCENT, PALE, CONTEXT, INK, FAINT, *kind_colors(5), *kind_colors(6)})


def test_groups_that_come_first_have_the_first_colors():
    assert colors_of(["a", "b", "c"], first=["c"]) == dict(zip("cab", colors_of("123").values(), strict=True))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("n_systems", [2, 8])
def test_a_system_has_one_color_in_every_figure_which_nothing_else_has(n_systems):
    study = read_clinic()
    if n_systems > 2:  # more than have a color each in curves
        number = pl.col("user_id").rank("dense").cast(pl.Int64) % n_systems + 1
        study = study.with_tables(sessions=study.sessions.with_columns(system_id="E" + number.cast(pl.String)))
    systems = study.sessions.select(pl.col("system_id").unique()).collect()["system_id"].to_list()
    made = by_name(page.sections_of(study)).values()
    figures = [figure for section in made for figure in figures_in(section) if figure.chart is not None]
    assert len(figures) > 15
    shades = {}
    specs = [(figure.kind, spec_of(figure.chart, check=False)) for figure in figures]
    for _, spec in specs:
        for names, colors in color_scales(spec):
            for name, color in zip(names, colors, strict=False):
                if name in systems and color != CONTEXT:
                    shades.setdefault(name, set()).add(color)
    assert {*shades} == {*systems}
    assert {name: len(colors) for name, colors in shades.items()} == dict.fromkeys(systems, 1)
    of_systems = {color.upper() for colors in shades.values() for color in colors}
    for kind, spec in specs:
        if kind != "single-sessions":  # which has the color of its system in every mark
            reused = of_systems & {color.upper() for color in colors_beside(spec, systems)}
            assert not reused, (kind, reused)
