"""A file of a figure for every session, user or topic.

One figure as it is asked for.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

import altair as alt
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import each
from sessionkit.charts.annotations import _scales
from sessionkit.charts.registry import CHARTS, ChartKind
from sessionkit.errors import UsageError
from sessionkit.reports.figures import one_session
from sessionkit.reports.single_figures import file_stems, single_figure
from sessionkit.robustness.bounds import bounds
from sessionkit.scoring.measures.grammar import parse_measure
from tests.reports.read_page import has_parts
from tests.support.clinic import CLINIC, read_clinic

KINDS = [(kind, unit) for kind in CHARTS.own for unit in CHARTS[kind].each]


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


class Cards(NamedTuple):
    """A folder with the card of every session of two users, and how often their bounds were computed."""

    folder: Path
    times_bounded: int


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    folder, calls = tmp_path_factory.mktemp("cards") / "all", []

    def counted_bounds(*arguments, **options):
        calls.append(arguments)
        return bounds(*arguments, **options)

    study = sk.read(CLINIC)  # no other test has asked for its bounds
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_session, "bounds", counted_bounds)
        each(study, "session-card", "session", folder, "sDCG@10", format="json", where=TWO_USERS)
    return Cards(folder, len(calls))


TWO_USERS = "user_id in ('u01', 'u05')"


def specs(folder):
    """The specifications in a folder."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


@pytest.mark.few(8)
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "unit"), KINDS)
def test_axes_of_all_files_are_equal_and_hold_all_data(clinic, tmp_path, kind, unit):
    few = {"session": "user_id = 'u05'", "user": "user_id in ('u01', 'u05', 'u30')", "topic": "topic_id < 'C'"}[unit]
    table = each(clinic, kind, unit, tmp_path / "all", format="json", where=few)
    assert table["file"].null_count() < len(table)
    files = specs(tmp_path / "all")
    drawn = [_scales(spec) for spec in files]
    for place in {place for scales in drawn for place in scales}:
        scales = [scales[place] for scales in drawn if place in scales]
        ends = {tuple(definition["scale"]["domain"]) for scale in scales for definition in scale.definitions}
        assert len(ends) == 1, place
        ((low, high),) = ends
        assert all(low <= value <= high for scale in scales for value in scale.values), place


def rows_of(spec):
    """The rows of all data of a specification."""
    return [row for rows in spec["datasets"].values() for row in rows]


SIZE = 11.0
"""Font size on a screen, in which heights and widths of panels are laid out."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["session-card", "session-pair"])
def test_lists_of_all_files_have_one_scale(clinic, tmp_path, cards, kind):
    folder = cards.folder
    if kind == "session-pair":
        folder = tmp_path / "all"
        each(clinic, kind, "topic", folder, "sDCG@10", format="json", where=TWO_USERS)
    files = [rows_of(spec) for spec in specs(folder)]
    assert len(files) > 2
    drawn = [{row["added"]: row["y"] - row["y2"] for row in rows if row.get("kind") == "bar"} for rows in files]
    bars = [(added, height) for bars in drawn for added, height in bars.items() if added]
    assert len([1 for heights in drawn if any(heights)]) > 2
    explained = sk.explain(clinic, "sDCG@10")
    shown = clinic.sessions.filter(pl.col("user_id").is_in(["u01", "u05"])).collect()["session_id"]
    most = explained.filter(pl.col("session_id").is_in(shown.implode()))["contribution"].max()
    for added, height in bars:
        assert height == pytest.approx(1.8 * SIZE * added / most, abs=0.011)
    chips = [[row for row in rows if row.get("kind") in ("grade", "open") and row["rank"]] for rows in files]
    widths = {round(row["x2"] - row["x"], 1) for rows in chips for row in rows}
    assert max(widths) - min(widths) < 0.11  # places are rounded


def test_gain_of_all_cards_has_one_scale_that_holds_it(cards):
    files = [[row for row in rows_of(spec) if "ideal_value" in row] for spec in specs(cards.folder)]
    last = max(row["slot"] for rows in files for row in rows)
    highest = max(row[name] or 0 for rows in files for row in rows for name in ("value", "ideal_value"))
    assert len({max(row["slot"] for row in rows) for rows in files}) > 1
    assert len({max(row["ideal_value"] for row in rows) for rows in files}) > 1
    for rows in files:
        zero = next(row for row in rows if row["slot"] == 0)
        for row in rows:
            # the panel is 6.5 font sizes high; beside it, 3.2 and 4.5 are for numbers and words
            assert row["x"] == pytest.approx(3.2 * SIZE + (640 - 7.7 * SIZE) * row["slot"] / last, abs=0.011)
            assert zero["gain"] - row["ideal"] == pytest.approx(6.5 * SIZE * row["ideal_value"] / highest, abs=0.011)
            if row["value"] is not None:
                assert zero["gain"] - row["gain"] == pytest.approx(6.5 * SIZE * row["value"] / highest, abs=0.011)
    page = (cards.folder / "index.html").read_text("utf-8")
    scales = "grades, gain, ranks and slots"
    assert has_parts(page, "8 of 8 sessions", "same scales", scales, "only the time axis")


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["topic", "user"])
def test_walls_have_one_horizontal_scale(clinic, tmp_path, unit):
    each(clinic, "session-wall", unit, tmp_path / "all", format="json", where=TWO_USERS)
    files = specs(tmp_path / "all")
    slots = clinic.queries.group_by("session_id").agg(slots=10 * pl.len()).collect()  # of every query the top ten
    slot_widths, shares = set(), []
    for spec in files:
        lines = pl.DataFrame([row for row in rows_of(spec) if "py" in row and "group" in row])
        rows = lines.select("session_id", "px").explode("px")
        (panel,) = {round(row["right"] - row["left"], 2) for row in rows_of(spec) if "lower_edge" in row}
        # a line goes from slot 0 to the last slot; where it runs level only its ends are points
        spans = (
            rows.group_by("session_id").agg(span=pl.col("px").max() - pl.col("px").min()).join(slots, on="session_id")
        )
        slot_widths |= {round(span / slots, 1) for span, slots in spans.select("span", "slots").iter_rows()}
        shares.append(spans["span"].max() / panel)
    assert len(files) > 1
    assert len(slot_widths) == 1
    assert max(shares) == pytest.approx(1, abs=0.001)
    assert min(shares) < 0.99


@pytest.mark.slow
def test_every_session_has_its_file_its_score_and_its_caption(make, tmp_path):
    study = make(sessions=3, users=("P1", None))
    table = each(study, "waterfall", "session", tmp_path / "all", "sDCG@2")
    assert table["file"].to_list() == [f"{value}.svg" for value in table["value"]]
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == sorted([*table["file"], "index.html"])
    page = (tmp_path / "all" / "index.html").read_text("utf-8")
    assert has_parts(page, f"{len(table)} of {len(table)} sessions", "same axes")
    scores = sk.score(study, "sDCG@2", per="session")
    for value, score in scores.select("session_id", "value").rows():
        assert re.search(rf"<bdi>{value}</bdi>.*?sDCG@2 {score:.3g}", page, re.DOTALL)
    assert page.count("sDCG@2 of session") == len(table)


@pytest.mark.slow
def test_the_score_of_a_user_is_its_mean(clinic, tmp_path):
    each(clinic, "session-survival", "topic", tmp_path / "none", format="json")
    assert "mean" not in (tmp_path / "none" / "index.html").read_text("utf-8")
    each(clinic, "session-curve", "topic", tmp_path / "all", "nsDCG@10", format="json", where="topic_id < 'C'")
    page = (tmp_path / "all" / "index.html").read_text("utf-8")
    means = sk.score(clinic, "nsDCG@10", by="topic_id").filter(pl.col("topic_id") < "C")
    for row in means.iter_rows(named=True):
        assert f"mean nsDCG@10 {row['value']:.3g} (n = {row['n']}" in page


def test_what_cannot_be_drawn_is_named(make, tmp_path):
    study = make(users=(None, "P1"))
    table = each(study, "session-survival", "user", tmp_path / "all", format="json")
    assert table.rows()[-1] == (None, None, "2 sessions have no user_id")
    assert "2 sessions have no user_id" in (tmp_path / "all" / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_a_folder_of_its_own_is_replaced_and_any_other_left_alone(make, tmp_path):
    study, folder = make(), tmp_path / "all"
    each(study, "waterfall", "session", folder, format="pdf", width="84mm")
    assert {path.name for path in folder.iterdir()} >= {"index.html", "thumbnails"}
    each(study, "waterfall", "session", folder)
    assert not (folder / "thumbnails").exists()
    (folder / "mine.txt").write_text("mine")
    before = sorted(folder.iterdir())
    with pytest.raises(UsageError, match=r"did not write \(mine.txt\)"):
        each(study, "waterfall", "session", folder)
    assert sorted(folder.iterdir()) == before
    (tmp_path / "index.html").write_text("<p>mine")
    with pytest.raises(UsageError, match="did not write"):
        each(study, "waterfall", "session", tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("ids", "stems"),
    [
        (["s1", "S10"], ["s1", "S10"]),
        (["a", "A"], ["a-ca978112ca1b", "A-559aead08264"]),
        (["con", "index", "COM1.x"], ["con-", "index-", "COM1-x-"]),
        (["../../etc/passwd", "<script>", "\u202e", ""], ["etc-passwd-", "script-", "session-", "session-"]),
        (["x" * 1_000_000], ["x" * 60 + "-"]),
        (["é"], ["e-"]),
    ],
)
def test_names_of_files_are_safe(ids, stems):
    made = file_stems(ids, "session")
    assert [*made] == ids
    assert all(name.startswith(stem) for name, stem in zip(made.values(), stems, strict=True))
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}", name) for name in made.values())
    assert len({name.lower() for name in made.values()}) == len(ids)


def test_a_name_that_another_id_would_get_stays_its_own():
    digest = file_stems(["a b"], "session")["a b"]
    made = file_stems(["a b", digest], "session")
    assert made[digest] == digest
    assert len({*made.values()}) == 2


@pytest.mark.slow
def test_hostile_ids_are_text_in_the_index(hostile, tmp_path):
    each(hostile, "waterfall", "session", tmp_path / "all")
    page = (tmp_path / "all" / "index.html").read_text("utf-8")
    assert "<script" not in page
    assert all(path.parent == tmp_path / "all" for path in (tmp_path / "all").rglob("*"))


@pytest.mark.parametrize(
    ("asked", "options", "words"),
    [
        ("waterfall user", {}, "waterfall .*each session, .*'user'"),
        ("sweep-map user", {}, "sweep-map .*--each; .*last-vs-nonlast"),
        ("waterfall session", {"session": "s1"}, "--session and --each contradict"),
        ("waterfall session", {"format": "gif"}, "must be one of svg"),
        ("session-timeline session", {}, "session-timeline cannot be "),
        ("session-curve user", {}, "no user_id|a user_id"),
    ],
)
def test_what_cannot_be_is_refused(make, tmp_path, asked, options, words):
    with pytest.raises(UsageError, match=words):
        each(make(users=(None,)), *asked.split(), tmp_path / "all", **options)
    assert not (tmp_path / "all").exists()


def test_too_many_files_are_refused(make, tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.reports.single_figures.MOST_FILES", 1)
    with pytest.raises(UsageError, match=r"2 sessions, .*draws at most 1 "):
        each(make(sessions=2), "waterfall", "session", tmp_path / "all")


def test_an_interrupt_leaves_nothing(make, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sessionkit.reports.single_figures.rendered_chart", interrupted)
    with pytest.raises(KeyboardInterrupt):
        each(make(), "waterfall", "session", tmp_path / "all")
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_every_sheet_of_a_wall_is_a_file(make, tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.charts.kinds.session_wall.MOST", 2)
    study = make(systems=("S1",), users=("u1",), topics=("t", "u"), sessions=4)
    table = each(study, "session-wall", "user", tmp_path / "all", format="json")
    assert table["value"].to_list() == ["u1", "u1"]
    assert table["file"].to_list() == ["u1.json", "u1-sheet2.json"]
    page = (tmp_path / "all" / "index.html").read_text("utf-8")
    assert "1 of 1 users are drawn" in page
    assert "4 sessions, sheet 2 of 2" in page


def test_cards_compute_the_bounds_of_the_study_once(cards):
    assert len(list(cards.folder.glob("*.json"))) > 2
    assert cards.times_bounded == 1


HOW = {
    "none": ("Sessions that have stopped keep their gain.", "Mean cumulated gain"),
    "each": ("Each session is divided by its own ideal at that slot", "Mean normalized cumulated gain"),
    "averages": ("The mean gain is divided by the mean ideal at that slot", "Mean normalized cumulated gain"),
    "query": ("Each query is divided by its own ideal at that rank", "Mean normalized cumulated gain"),
}
"""What captions and axes of session curves say by how they are normalized."""


def axis(chart):
    """The lines of the title of the vertical axis."""
    return next(
        layer["encoding"]["y"]["axis"]["title"]
        for layer in chart.to_dict()["layer"]
        if "axis" in layer["encoding"].get("y", {})
    )


@pytest.mark.parametrize(
    ("kind", "measure", "words"),
    [
        ("last-vs-nonlast", "sDCG(gain=exp2)@5", "Mean cumulated gain per query"),
        ("last-vs-nonlast", "DCG@1", "Mean cumulated gain per query"),
        ("session-curve", "sDCG@2", "Mean cumulated gain"),
        ("session-curve", "nsDCG(ideal=once)@2", "Mean normalized cumulated gain"),
        ("topic-curves", "nsDCG@2", "Mean normalized cumulated gain"),
        ("single-sessions", "nsDCG@2", "Normalized cumulated gain"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_the_measure_asked_for_is_drawn_and_named(make, kind, measure, words):
    made = single_figure(make(), kind, parse_measure(measure))
    assert axis(made.chart) == [words, measure]
    assert f"{measure} " in made.caption


@pytest.mark.parametrize(
    ("kind", "measure"),
    [
        ("session-curve", "mean(nDCG@5)"),
        ("session-curve", "DCG@5"),
        ("topic-curves", "DCG@5"),
        ("single-sessions", "mean(nDCG@5)"),
        ("last-vs-nonlast", "mean(nDCG@5)"),
        ("last-vs-nonlast", "nsDCG@5"),
    ],
)
def test_what_a_chart_cannot_draw_is_refused_by_name(make, kind, measure):
    with pytest.raises(UsageError) as refused:
        single_figure(make(), kind, parse_measure(measure))
    assert measure in str(refused.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_how_curves_are_normalized_is_drawn_and_said(make):
    study = make()
    for way, (words, title) in HOW.items():
        measure = parse_measure("nsDCG(normalize=query)@10") if way == "query" else None
        made = single_figure(study, "session-curve", measure, normalize=None if way == "query" else way)
        assert words in made.caption
        assert axis(made.chart)[0] == title
        assert ("sessions still searching" in made.caption) == (way != "averages")  # as curves with bands say
    with pytest.raises(UsageError, match=r"single-sessions .*--normalize; .*session-curve"):
        single_figure(study, "single-sessions", normalize="averages")


@pytest.mark.filterwarnings("ignore:.*undefined for")
def test_all_sessions_are_drawn_as_one_group(make):
    study = make()
    made = single_figure(study, "session-curve", by="all")
    every = [row for rows in made.chart.to_dict()["datasets"].values() for row in rows]
    drawn = {row["slot"]: row["value"] for row in every if {"slot", "value"} <= row.keys()}
    whole = sk.curve(study, "nsDCG@10", by=None)
    assert drawn == pytest.approx(dict(whole.select("slot", "value").rows()))
    assert made.caption.endswith(f"Sessions: all sessions {study.facts.sessions}.")
    drawer = ChartKind(
        "means", lambda study, measures, by: alt.Chart(sk.score(study, measures, by=by)).mark_bar(), ("mean(AP)",)
    )
    sk.register(drawer, "means-of-all")
    (rows,) = single_figure(study, "means-of-all", by="all").chart.to_dict()["datasets"].values()
    assert rows[0]["all"] == "all sessions"
    for kind, says in (
        ("differences", "by=all: no session has a value in this column; choose from system_id"),
        ("rprecision-histogram", "by all there is none; group --by another column"),
        ("judgment-loss", "by=all: the sessions have no group; a comparison needs at least two"),
    ):
        with pytest.raises(UsageError, match=says):
            single_figure(study, kind, by="all")
    with pytest.raises(UsageError, match="by system_id,topic_id"):
        single_figure(study, "slopes", by="system_id,topic_id")


@pytest.mark.slow
def test_options_limit_the_sessions_and_are_named(make):
    study = make(topics=("t", "t", "u", "u"))  # s0 S1 t, s1 S2 t, s2 S1 u, s3 S2 u, of 1, 2, 3, 4 queries
    made = single_figure(study, "session-curve", where="topic_id = 'u' and system_id = 'S2' and queries >= 4")
    assert "Sessions: S2 1." in made.caption
    said = "where topic_id = 'u' and system_id = 'S2' and queries >= 4 (1 of 4 sessions)"
    assert made.caption.endswith(f"Sessions {said}.")
    assert made.chart.to_dict()["title"]["subtitle"] == said
    as_expression = single_figure(study, "session-curve", where=(pl.col("topic_id") == "u") & (pl.col("queries") >= 4))
    assert "Sessions: S2 1." in as_expression.caption
    within = single_figure(study, "last-vs-nonlast", where="topic_id = 't'")
    assert has_parts(within.caption, "same sessions", "or more: S1 0 (1 left out), S2 1.")
    pooled = single_figure(study, "last-vs-nonlast", where="topic_id = 't'", average="queries")
    assert has_parts(pooled.caption, "S1 last: 1 in 1, S2 last: 1", "S2 non-last: 1 in 1; ")
    assert "Sessions: S1 1, S2 2." in single_figure(study, "session-curve", where="queries >= 2").caption
    only = single_figure(study, "topic-curves", where="system_id = 'S2' and topic_id = 't'", long=2).caption
    assert has_parts(only, "all sessions (S2 1);", "at least 2 queries")


@pytest.mark.slow
def test_a_limited_figure_keeps_the_colors(make):
    chart = single_figure(make(), "session-curve", where="system_id = 'S2'").chart.to_dict()
    color = next(layer["encoding"]["color"] for layer in chart["layer"] if "color" in layer["encoding"])
    assert color["scale"] == {"domain": ["S2"], "range": ["#D55E00"]}


def test_a_condition_that_leaves_nothing_is_refused(make):
    with pytest.raises(UsageError, match="no session is left"):
        single_figure(make(), "session-curve", where="queries > 99")
