"""Figures on request: one as it was asked for, or one for every session, user or topic with the same axes and an index."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, get_args

import altair as alt
import polars as pl

from sessionkit.arguments import (
    CurveNormalization,
    EffortUnit,
    FigureFormat,
    FigureStyle,
    FigureUnit,
    path_of,
    require_choice,
)
from sessionkit.charts import colors_of
from sessionkit.charts.annotations import share_axes
from sessionkit.charts.canvas import Limits
from sessionkit.charts.encodings import retitled
from sessionkit.charts.files import fit, measured, rendered_chart, size_of, spec_of
from sessionkit.charts.print_layout import TOLERANCE, PrintLayout, print_layout
from sessionkit.charts.registry import CHARTS
from sessionkit.display.labels import label, natural_sort, printable
from sessionkit.display.numbers import capital, compact, counted
from sessionkit.display.templates import rendered
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError
from sessionkit.reports.choices import LONG, choices_of, labeled
from sessionkit.reports.figures.figure import Figure, figure, require_chart
from sessionkit.reports.figures.one_session import card_limits, pair_limits
from sessionkit.reports.figures.session_wall import wall_limits
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.needs import measure_of
from sessionkit.scoring.score import EVERY, columns_of, score
from sessionkit.statistics.bands import EVERYONE, grouped_sessions
from sessionkit.study import Study
from sessionkit.study.batches import count, expect
from sessionkit.study.counts import session_columns
from sessionkit.study.files import built_beside, sole_writer
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted, with_sessions
from sessionkit.study.study import guarded_read

LIMITS = {"session-card": card_limits, "session-pair": pair_limits, "session-wall": wall_limits}
"""What the scales of charts have to hold that are laid out in pixels."""


@dataclass(frozen=True)
class StudyPart:
    """The sessions of one user or topic.

    Parameters
    ----------
    unit
        ``"user"`` or ``"topic"``.
    value
        Its id in the log.
    sessions
        The ids of its sessions.
    """

    unit: FigureUnit
    value: str
    sessions: pl.Series


def single_figure(
    study: Study,
    kind: str,
    measure: str | Measure | Sequence[str | Measure] | None = None,
    *,
    where: Where = None,
    vary: Mapping[str, object] | None = None,
    by: str = "system_id",
    session: str | None = None,
    sessions: Sequence[str] = (),
    with_: Sequence[str] = (),
    against: str | None = None,
    difference: float | str | None = None,
    average: str | None = None,
    normalize: CurveNormalization | None = None,
    gain: float | None = None,
    along: EffortUnit | None = None,
    long: int | None = None,
    sort: str | None = None,
    part: StudyPart | None = None,
    limits: Limits | None = None,
    size: PrintLayout | None = None,
) -> Figure:
    """Make one figure of this measure.

    Parameters
    ----------
    study
        The study.
    kind
        One of `sessionkit.charts.KINDS`.
    measure
        What is drawn, as it is; by default what the chart's entry in `sessionkit.charts.registry` names; several where that names several.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    vary
        Of sweep-map the parameters and their values, see `sessionkit.sweep`; by default b and bq from 1.5 to 10.
    by
        Column of sessions or users to group by; ``"all"`` draws all sessions as one group, where a chart compares no groups.
    session
        The session of waterfall and session-timeline; by default the one with the most queries.
    sessions
        The two sessions of session-pair, of one topic; by default the pair that differs most among those judged alike.
    with_
        Columns or measures that correlation-forest correlates with; of rating-scatter one, the rating.
    against
        The group that rprecision-histogram and difference-curve subtract, by its name in the log or its label; by default the
        first.
    difference
        The smallest true difference worth finding, for which power-curve plans; see `sessionkit.power`.
    average
        How last-vs-nonlast averages, see `sessionkit.breakdown`; by default ``"sessions"``. ``"queries"`` is the figure of
        ECIR 2008, of sDCG unless a measure is asked for.
    normalize
        How session-curve and topic-curves normalize, see `sessionkit.curve`.
    gain
        The gain of effort-gain, see `sessionkit.effort`.
    along
        What of effort-gain was spent: ``"results"`` (the default), ``"queries"`` or ``"minutes"``.
    long
        Queries from which on a session of topic-curves is long.
    sort
        The order of the sessions of session-wall: ``"user"``, ``"score"``, ``"judged"``, ``"queries"`` or a column.
    part
        The user or topic whose sessions are drawn; groups have the colors that they have in figures of all sessions.
    limits
        What the scales of a chart laid out in pixels have to hold, see `common_limits`.
    size
        What the figure is saved for: session-wall puts as many sessions on a sheet as have room.

    Raises
    ------
    UsageError
        There is no such kind, the chart has no such option, no session is left, or the chart cannot draw
        this measure.
    """
    measures = tuple(measure_of(study, one) for one in list_measures(measure or ()))
    require_chart(kind)
    grouped = columns_of(by, session_columns(study))
    if len(grouped) > 1:
        raise UsageError(f"a chart groups by one column, or by all for one group, not by {by}")
    if not grouped:  # charts group by a column: one in which all are alike, to those of sessionkit without a value
        alike = None if isinstance(require_chart(kind).figure, str) else EVERYONE
        study = study.with_tables(sessions=study.sessions.with_columns(pl.lit(alike, pl.String).alias(EVERY)))
    further: dict[str, object] = {
        "vary": vary or None,
        "with": with_ or None,
        "session": session,
        "sessions": sessions or None,
    }
    further |= {
        "against": against,
        "difference": difference,
        "average": average,
        "normalize": normalize,
        "gain": gain,
        "along": along,
        "long": long,
        "sort": sort,
    }
    require_drawn(kind, measures)
    _require_options(kind, [name for name, value in further.items() if value is not None])
    grouping = ["system_id", by]
    colors = colors_of(grouped_sessions(labeled(study, grouping), by).get_column("group").to_list())
    study = _drawn_study(study, where, grouping)
    if part is not None:
        study = with_sessions(study, part.sessions)
    against = None if against is None else study.settings.labels.get(against, against)
    choices = choices_of(study, by=by, long=LONG if long is None else long)
    exact = measures[0] if len(measures) == 1 else None
    choices = replace(choices, exact=exact, colors=colors, measures=measures, vary=vary or {})
    choices = replace(
        choices, session=session, sessions=tuple(sessions), with_=tuple(with_), against=against, difference=difference
    )
    choices = replace(choices, average=average or choices.average, normalize=normalize, gain=gain, along=along)
    choices = replace(choices, sort=sort, limits=limits, size=size or PrintLayout())
    made = figure(study, kind, choices)
    if study.restriction is not None:
        condition = f"where {study.restriction}"
        made = _limited(made, condition, condition)
    if part is None or CHARTS[kind].each == ("topic",):  # a figure of one topic names it already
        return made
    of_part = f"{part.unit} {label(part.value)}"
    return _limited(made, of_part, f"of {of_part}")


def _drawn_study(study: Study, where: Where, grouping: list[str]) -> Study:
    """The sessions that a figure draws, with labels: one study for the figures of a folder, which keeps what they have in common."""

    def restrict_and_label() -> Study:
        return labeled(restricted(study, where), grouping)

    # a condition as an expression has no equality; a name that is no text is refused by what reads it
    if (where is None or isinstance(where, str)) and all(isinstance(name, str) for name in grouping):
        return study.memo.once(("drawn study", where, *grouping), restrict_and_label)
    return restrict_and_label()


def common_limits(
    study: Study, kind: str, measure: str | Measure | Sequence[str | Measure] | None = None, *, where: Where = None
) -> Limits | None:
    """Return what the scales of figures of parts of a study have to hold, for a kind that is laid out in pixels.

    It is None for other kinds, and where the study or the measure does not allow such a figure: that one says why.
    """
    if kind not in LIMITS:
        return None
    study = restricted(study, where)
    measures = [measure_of(study, one) for one in list_measures(measure or ())]
    choices = replace(choices_of(study), exact=measures[0] if len(measures) == 1 else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the figures warn of the same
        try:
            return LIMITS[kind](study, choices)
        except (DataError, MeasureError, UsageError):
            return None


def _limited(made: Figure, shown: str, sessions: str) -> Figure:
    """The figure with a line below its title that says which sessions it is limited to, and a sentence in its caption."""
    chart, *further = [_under(sheet, shown) for sheet in (made.chart, *made.further_sheets)]
    caption = f"{made.caption} Sessions {sessions}."
    return replace(made, chart=chart, further_sheets=tuple(further), caption=caption)


def require_drawn(kind: str, measures: Sequence[str | Measure]) -> None:
    """Refuse several measures of a kind that draws one."""
    if len(measures) > 1 and len(require_chart(kind).measures) < 2:
        several = [name for name, chart in CHARTS.items() if len(chart.measures) > 1]
        raise UsageError(
            f"{kind} draws one measure, not {len(measures)}; charts that draw several: {', '.join(several)}"
        )


def _require_options(kind: str, options: Sequence[str]) -> None:
    """Refuse options that this kind of chart has no use for."""
    for option in options:
        if option not in require_chart(kind).options:
            having = [name for name, chart in CHARTS.items() if option in chart.options]
            raise UsageError(f"{kind} has no --{option}; charts that have: {', '.join(having)}")


def _under(chart: Any, shown: str) -> Any:  # noqa: ANN401  # charts have no common class
    """The chart, if there is one, with what it is limited to below its title."""
    if chart is None:
        return None
    chart = chart.copy()
    below = chart.title.subtitle
    lines = [] if below is alt.Undefined else [below] if isinstance(below, str) else list(below)
    chart.title.subtitle = [printable(shown), *lines] if lines else printable(shown)
    return chart


AXES = {
    "session-card": "with the same scales of grades, gain, ranks and slots in all figures; only the time axis is each session's own",
    "session-pair": "with the same scales of grades, gain and ranks in all figures",
    "session-timeline": "each with its own time axis, which leaves the long gaps of its session out",
    "session-wall": "with the same horizontal axis in all figures; raw gain has the scale of its topic in each figure",
}
"""What figures have in common that are laid out in pixels; all others have the same axes."""
FORMATS: tuple[FigureFormat, ...] = get_args(FigureFormat)
COLUMNS: dict[FigureUnit, str] = {"session": "session_id", "user": "user_id", "topic": "topic_id"}
"""The column of the log that has the ids of what figures are about."""
ABOUT = {"system_id": "{}", "topic_id": "topic {}", "user_id": "user {}"}
"""How the index names what a session belongs to."""
MOST_FILES = 2000
"""Files that one call draws: more take minutes, and nobody looks through them."""
INDEX = "index.html"
THUMBNAILS = "thumbnails"
IMAGES = ("svg", "png")
"""Formats that a page shows as they are."""
LONGEST_STEM = 60
"""Characters that an id keeps in the name of its file."""
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|index)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, and that of the index."""
LISTED = re.compile(r'data-file="([^"]*)"')
"""How the index names each file beside it."""
GENERATOR = "sessionkit chart --each"
SCHEMA = {"value": pl.String, "file": pl.String, "reason": pl.String}


@dataclass
class Entry:
    """One session, user or topic of the index.

    ``about`` is the system, topic and user of a session, and the number of sessions of a user or topic. ``caption`` is empty where it
    cannot be drawn; ``notes`` has the reason then, and else what a reader of the figure should know.
    """

    value: str
    stem: str
    sessions: pl.Series
    about: str
    spec: dict[str, Any] | None = None
    caption: str = ""
    notes: str = ""
    score: str = ""

    def file(self, ending: str) -> str:
        """The name of its file in this format."""
        return f"{self.stem}.{ending}"

    def thumbnail(self, ending: str) -> str:
        """The name of its small picture: the file itself where a page can show it."""
        return self.file(ending) if ending in IMAGES else f"{THUMBNAILS}/{self.stem}.svg"


@guarded_read
def each(
    study: Study,
    kind: str,
    each: FigureUnit,
    output: str | os.PathLike[str],
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    where: Where = None,
    by: str = "system_id",
    format: FigureFormat = "svg",
    title: str | None = None,
    width: str | float | None = None,
    height: str | float | None = None,
    font: str | None = None,
    font_size: float | None = None,
    style: FigureStyle = "screen",
    **options: Any,  # noqa: ANN401 - as the kind has them
) -> pl.DataFrame:
    """Draw a figure of every session, user or topic into a folder, with the same axes in all and an index of them.

    The time axis of a session is its own, since it leaves the session's long gaps out, and raw gain in walls has the scale of its
    topic in each file. The index, ``index.html``, shows every figure small, with its caption, and names what could not be drawn and why.

    Parameters
    ----------
    study
        The study.
    kind
        A kind of chart that shows one session, user or topic, see `sessionkit.charts.KINDS`.
    each
        What each file is about: ``"session"``, ``"user"`` or ``"topic"``, as the kind allows.
    output
        A folder that does not exist or is empty, or one that this function wrote before and in which nothing else lies: that one
        is replaced. It is written whole or not at all.
    measures
        What is drawn; by default what `kind` draws.
    where
        Which sessions take part, see `sessionkit.score`.
    by
        Column of sessions or users to group by.
    format
        Of the files: ``"svg"``, ``"png"``, ``"pdf"``, ``"html"`` or ``"json"``.
    title
        Above every figure; ``""`` for none.
    width, height, font, font_size, style
        See `sessionkit.charts.save`. The plot has the same size in all files, the largest with which all keep the width.
    options
        Those of the kind, such as ``normalize``, ``gain``, ``long``.

    Returns
    -------
    polars.DataFrame
        A row for each value in natural order: ``value``, ``file`` (its name in the folder, null if it was not drawn) and ``reason``
        (why not). A row whose value is null stands for sessions that have no user, or topic.

    Raises
    ------
    UsageError
        The kind does not show one session, user or topic; the folder has other files in it; there are more than 2,000 files to
        draw; or none can be drawn.

    Examples
    --------
    >>> import sessionkit as sk, tempfile
    >>> study = sk.read("examples/clinic/study.toml")
    >>> folder = tempfile.mkdtemp()
    >>> sk.charts.each(study, "session-curve", "topic", folder, "nsDCG@10", format="json").rows()[0]
    ('A', 'A.json', None)
    """
    require_each(kind, each, options)
    require_choice("format", format, FORMATS)
    layout = print_layout(width=width, height=height, font=font, font_size=font_size, style=style)
    drawn_measures = tuple(list_measures(measures or ()))
    require_drawn(kind, drawn_measures)
    folder = path_of("output", output)
    require_replaceable(folder)
    entries, without = _entries(study, each, where)
    expect("figures", len(entries))
    limits = common_limits(study, kind, measures, where=where)
    make = partial(single_figure, study, kind, measures, where=where, by=by, limits=limits, size=layout, **options)
    sheets: list[Entry] = []
    for entry in entries:
        sheets += _draw(entry, each, title, layout, make)
        count("figures")
    entries = _with_own_stems(sheets)
    drawn = [entry for entry in entries if entry.spec is not None]
    if not drawn:
        reason = Counter(entry.notes for entry in entries).most_common(1)[0][0]
        raise UsageError(f"{kind} cannot be drawn for any {each}: {reason}")
    shown = restricted(study, where)
    _add_scores(drawn, shown, drawn_measures or CHARTS[kind].measures, each)
    page = rendered(
        "reports/each.html",
        kind=kind,
        unit=each,
        shows=capital(CHARTS[kind].shows),
        measures=", ".join(map(str, drawn_measures or CHARTS[kind].measures)),
        condition=None if shown.restriction is None else str(shown.restriction),
        synthetic=study.settings.synthetic,
        drawn=drawn,
        n_drawn=len({entry.value for entry in drawn}),
        axes=AXES.get(kind, "with the same axes in all figures"),
        left_out=[entry for entry in entries if entry.spec is None],
        without=_without(without, each),
        format=format,
        generator=GENERATOR,
    )
    with sole_writer(folder), built_beside(folder, require_replaceable) as draft:
        _write_files(draft, drawn, layout, format)
        (draft / INDEX).write_text(page, encoding="utf-8")
    rows: list[tuple[str | None, str | None, str | None]] = [
        (entry.value, entry.file(format), None) if entry.spec else (entry.value, None, entry.notes) for entry in entries
    ]
    if without:
        rows.append((None, None, _without(without, each)))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _without(number: int, unit: FigureUnit) -> str:
    """How many sessions are in no file since the log does not say whose they are; empty for none."""
    verb = "has" if number == 1 else "have"
    return f"{counted(number, 'session')} {verb} no {COLUMNS[unit]}" if number else ""


def require_each(kind: str, each: str, options: Iterable[str] = ()) -> None:
    """Refuse a kind whose figures are not about one session, user or topic.

    Raises
    ------
    UsageError
        The message names the kinds that are, and what this one can be about.
    """
    units = require_chart(kind).each
    if not units:
        having = [f"{name} ({', '.join(CHARTS[name].each)})" for name in CHARTS.own if CHARTS[name].each]
        raise UsageError(f"{kind} has no --each; charts that have: {', '.join(having)}")
    if each not in units:
        raise UsageError(f"{kind} can be drawn for each {' or '.join(units)}, not for each {each!r:.40}")
    if "session" in options or "sessions" in options:
        name = "session" if "session" in options else "sessions"
        raise UsageError(f"--{name} and --each contradict each other; choose sessions by --where")


def require_replaceable(folder: Path) -> None:
    """Raise UsageError where something stands at `folder` that `each` did not write, all of it.

    An index names each file beside it, so that a folder in which anything else lies is left alone.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; --each writes a folder: name one that does not exist")
    files = {path.name for path in folder.iterdir()}
    small = folder / THUMBNAILS
    if small.is_dir() and not small.is_symlink():
        files = files - {THUMBNAILS} | {f"{THUMBNAILS}/{path.name}" for path in small.iterdir()}
    if not files:
        return
    index = folder / INDEX
    text = index.read_text(encoding="utf-8", errors="replace") if INDEX in files and not index.is_symlink() else ""
    listed = {INDEX, *map(unescape, LISTED.findall(text))} if GENERATOR in text else set()
    foreign = sorted(files - listed)
    if foreign:
        more = f" and {len(foreign) - 1:,} more" if len(foreign) > 1 else ""
        raise UsageError(
            f"{folder} has files that --each did not write ({label(foreign[0])}{more}); it was left alone. Name another folder"
        )


def _entries(study: Study, unit: FigureUnit, where: Where) -> tuple[list[Entry], int]:
    """What there is to draw, in natural order, and the number of sessions that belong to none of it."""
    column = COLUMNS[unit]
    if column not in study.columns("sessions"):
        raise UsageError(f"the log has no {column}, so there is no {unit} to draw a figure of")
    stems = file_stems(study.sessions.select(column).collect().get_column(column).drop_nulls().unique(), unit)
    sessions = labeled(restricted(study, where), ["system_id"]).sessions
    names = [name for name in ABOUT if name in study.columns("sessions")] if unit == "session" else []
    parts = [pl.format(ABOUT[name], name) for name in names]
    about = pl.concat_str(*parts, separator=", ", ignore_nulls=True) if parts else pl.lit("")
    frame = sessions.select(value=column, session="session_id", about=about).collect()
    groups = frame.drop_nulls("value").group_by("value").agg(pl.col("session").sort(), pl.col("about").first())
    if groups.is_empty():
        raise UsageError(f"no session has a {column}, so there is no {unit} to draw a figure of")
    if len(groups) > MOST_FILES:
        raise UsageError(
            f"there are {len(groups):,} {unit}s, and --each draws at most {MOST_FILES:,} files; choose some by --where"
        )
    entries = [
        Entry(
            value,
            stems[value],
            pl.Series(ids, dtype=pl.String),
            text if unit == "session" else counted(len(ids), "session"),
        )
        for value, ids, text in natural_sort(groups, "value").rows()
    ]
    return entries, frame.get_column("value").null_count()


def file_stems(values: Iterable[str], unit: str) -> dict[str, str]:
    """Return a name of a file for each id: itself where it is safe on every system, else what is safe of it and a digest.

    Names differ on file systems that ignore case, too.

    >>> file_stems(["s1", "P03", "../x y", "con"], "session")
    {'s1': 's1', 'P03': 'P03', '../x y': 'x-y-46c740c677b0', 'con': 'con-1143da2bc54c'}
    """
    ids = list(values)
    plain = {value: _safe_part(value) for value in ids}
    alike = Counter(part.lower() for part in plain.values())
    stems: dict[str, str] = {}
    for value in sorted(ids):
        part = plain[value]
        if part == value and alike[part.lower()] == 1 and not RESERVED.fullmatch(value):
            stems[value] = value
    taken = {stem.lower() for stem in stems.values()}
    for value in ids:
        if value not in stems:
            digest = hashlib.sha256(value.encode(errors="surrogatepass")).hexdigest()
            stem = f"{plain[value].replace('.', '-') or unit}-{digest[:12]}"
            stems[value] = stem if stem.lower() not in taken else f"{unit}-{digest}"
            taken.add(stems[value].lower())
    return {value: stems[value] for value in ids}


def _safe_part(value: str) -> str:
    """What of an id can stand in the name of a file: letters, digits and ``-_.``, no dot or hyphen at its ends."""
    plain = unicodedata.normalize("NFKD", value[: 4 * LONGEST_STEM]).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).strip("-.")[:LONGEST_STEM].strip("-.")


def _draw(
    entry: Entry, unit: FigureUnit, title: str | None, layout: PrintLayout, make: Callable[..., Figure]
) -> list[Entry]:
    """Make the figure of an entry, or note why it cannot be drawn; return an entry for each of its sheets.

    Warnings about its sessions are notes too.
    """
    about: dict[str, Any] = {"session": entry.value}
    if unit != "session":
        about = {"part": StudyPart(unit, entry.value, entry.sessions)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            figure = make(**about)
        except (DataError, MeasureError, UsageError) as error:
            entry.notes = str(error)
            return [entry]
    notes = [capital(f"{warning.message}.") for warning in caught if issubclass(warning.category, DataWarning)]
    entry.caption, entry.notes = f"{figure.title}. {figure.caption}", " ".join(dict.fromkeys(notes))
    charts: list[Any] = [figure.chart, *figure.further_sheets]
    sheets = []
    for number, chart in enumerate(charts, 1):
        drawn = chart if title is None else retitled(chart, title)
        place = f", sheet {number} of {len(charts)}" if len(charts) > 1 else ""
        stem = entry.stem if number == 1 else f"{entry.stem}-sheet{number}"
        spec = spec_of(fit(drawn, layout), check=False)
        sheets.append(replace(entry, stem=stem, spec=spec, about=f"{entry.about}{place}"))
    return sheets


def _with_own_stems(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with no two names alike: a further sheet gives way to an id that is called as it is."""
    stems = Counter(entry.stem.lower() for entry in entries)
    return [
        replace(
            entry, stem=f"{entry.stem}-{hashlib.sha256(entry.value.encode(errors='surrogatepass')).hexdigest()[:12]}"
        )
        if stems[entry.stem.lower()] > 1
        else entry
        for entry in entries
    ]


def _add_scores(entries: Sequence[Entry], study: Study, measures: Sequence[str | Measure], unit: FigureUnit) -> None:
    """Note the value of the measure that is drawn, of each session, or its mean over the sessions of each user or topic."""
    if len(measures) != 1:
        return
    name, column = str(measures[0]), COLUMNS[unit]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the entries say what is undefined
        try:
            frame = score(study, measures, per="session") if unit == "session" else score(study, measures, by=column)
        except (DataError, MeasureError, UsageError):  # a measure of lists has a curve and no value
            return
    rows = {row[column]: row for row in frame.iter_rows(named=True)}
    for entry in entries:
        row = rows[entry.value]
        undefined = f", {row['undefined']} undefined" if row.get("undefined") else ""
        if row["value"] is None:
            entry.score = f"{name} undefined"
        elif unit == "session":
            entry.score = f"{name} {compact(row['value'])}"
        else:
            entry.score = f"mean {name} {compact(row['value'])} (n = {row['n']}{undefined})"


def _write_files(draft: Path, entries: Sequence[Entry], layout: PrintLayout, ending: FigureFormat) -> None:
    """Write a file for each entry and, where a page cannot show that small, a thumbnail.

    The size of the plot is solved once, for the longest specification: solving draws a figure seven times. Where another
    figure gets too large with it, that one is solved as well and all are written anew, with the smaller plot.
    """
    specs = share_axes([entry.spec for entry in entries if entry.spec is not None])
    longest = max(specs, key=lambda spec: len(str(spec)))
    layout = layout.with_plot_of(longest, measured)
    expect("files", len(entries))
    largest = _write_all(draft, entries, specs, layout, ending)
    if largest is not None and layout.plot is not None:
        smaller = layout.with_plot_of(largest, measured).plot or layout.plot
        plot = min(layout.plot[0], smaller[0]), min(layout.plot[1], smaller[1])
        _write_all(draft, entries, specs, replace(layout, plot=plot), ending)


def _write_all(
    draft: Path,
    entries: Sequence[Entry],
    specs: Sequence[dict[str, Any]],
    layout: PrintLayout,
    ending: FigureFormat,
) -> dict[str, Any] | None:
    """Write all files; return the specification that exceeds the size asked for most, None where none does."""
    excesses: list[tuple[float, int]] = []
    for number, (entry, spec) in enumerate(zip(entries, specs, strict=True)):
        thumbnail = b""
        if layout.in_points or ending not in IMAGES:
            thumbnail = rendered_chart(spec, layout, ".svg")
        content = thumbnail if thumbnail and ending == "svg" else rendered_chart(spec, layout, f".{ending}")
        (draft / entry.file(ending)).write_bytes(content)
        if ending not in IMAGES:
            (draft / THUMBNAILS).mkdir(exist_ok=True)
            (draft / entry.thumbnail(ending)).write_bytes(thumbnail)
        if layout.in_points:
            sides = zip(size_of(thumbnail), (layout.width, layout.height), strict=True)
            excesses.append((max(side / most for side, most in sides if most), number))
        count("files")
    excess, number = max(excesses, default=(0.0, 0))
    return specs[number] if excess > 1 + TOLERANCE else None
