"""A private log with one row per event, as ``format = "events"`` reads it: which column is what, what events are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, listed, share_text
from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import CLOCK, JOINED
from sessionkit.readers.column_names import LIKELY, likeness, words
from sessionkit.readers.events.lists import ACTIONS, SELDOM
from sessionkit.readers.formats.events import COLUMNS, EMPTY_LIST
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.list_rows import ListOptions, json_records, list_rows, table_records
from sessionkit.readers.propose.contents import (
    LISTED,
    EventName,
    SampleColumn,
    action_of,
    columns_of,
    event_column,
    find_event_names,
    share,
    unit_in,
)
from sessionkit.readers.propose.judgments import JudgmentProposal, judgments_of
from sessionkit.readers.propose.kinds import (
    LONG,
    LogFileKind,
    called,
    condition_columns,
    is_numbered_for_each,
    part_of,
    question_of_condition,
)
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted, spelled
from sessionkit.readers.propose.questionnaires import section_of_answers
from sessionkit.readers.propose.record_lists import MOSTLY, may_be_json, names_document, shapes_in, with_joined_session
from sessionkit.readers.propose.sample import ROWS, Sample, sample_of_rows
from sessionkit.readers.propose.sheets import files_in
from sessionkit.readers.propose.table_sections import asked_of_grades, paths_from, pause_lines, sections_of, zone_line
from sessionkit.readers.questionnaires import SECTION
from sessionkit.study.checks import RECORD, RULE, VALUE
from sessionkit.study.schema import table

CLOSE = 0.1
"""Shares of the judgments' keys that are so near to each other leave it open what these belong to."""
NUMBERS = ("rank", "results_count", "dwell_seconds")
HALF = 0.5
"""The share of events that have a time at the least, where a column is their time."""
CLIENT_ID = r"^\d{5,}\.\d{9,}$"
"""The id of a browser in Google Analytics, which looks like a decimal number."""
NESTED = r"(?s)^\s*[\[{].*[\]}]\s*$"
"""A list or an object of JSON."""
OF_ANALYTICS = "ga_session_id"
"""The parameter of Google Analytics that numbers sessions."""
SHOWN = 8
"""Names of events that a question lists."""
SMALL = r"^\s*\d{1,8}(\.\d*)?\s*$"
"""Numbers that are too small for dates."""
CLOCKS = {
    "t",
    "ms",
    "msec",
    "millis",
    "milliseconds",
    "s",
    "sec",
    "secs",
    "seconds",
    "elapsed",
    "offset",
    "relative",
    "since",
    "at",
    "when",
}
"""Words in names of times since a session began."""
MILLISECONDS = 10_000
"""Whole numbers since a session began that come up to it are taken for milliseconds where nothing says their unit."""


def sections_of_events(parts: Sequence[LogFileKind], folder: Path) -> list[TomlSection]:
    """Return a study.toml of format events, in sections.

    Raises
    ------
    DataError
        Its files are written in different ways, or have no session and no user.
    """
    logs = [part for part in parts if part.kind == "events"]
    first = logs[0]
    written = _written(first)
    for other in logs[1:]:
        if other.sample.columns != first.sample.columns or other.sample.options != first.sample.options:
            raise DataError(
                f"{first.name} and {other.name} both look like events but have different columns; propose one at a time"
            )
    judged = judgments_of(next((part for part in parts if part.kind == "judgments"), None), {})
    columns = _columns(first, judged)
    clock = _clock(first, columns)
    paths = [path for one in logs for path in _paths(one.sample, folder)]
    top = [Line("format", "events"), Line("path", paths[0] if len(paths) == 1 else paths), *written]
    top += [*asked_of_grades(judged.grades, judged.name), *clock.top]
    if "session_id" not in columns:
        top.append(Line("session_gap", "30m", (_question_of_sessions(columns),)))
    events = find_event_names(columns["event"], columns)
    sections = [TomlSection((), tuple(top)), *_named(first, columns, clock, judged), _actions(events)]
    answers = [part for part in parts if part.kind == SECTION]
    left = [part.name for part in parts if part.kind not in ("events", "judgments", SECTION)]
    if left:
        asked = f"not used, because only its events describe a log of events: {listed([quoted(name) for name in left])}"
        sections.append(TomlSection((), (Line(questions=(asked,)),)))
    if judged.match is not None:
        sections += sections_of(judged.match, folder)
    taken = set(table("sessions").names)
    return [*sections, *(section_of_answers(part, parts, folder, taken) for part in answers)]


def with_event_fields(sample: Sample, workspace: Path) -> Sample:
    """Return a log of events with columns for what is inside its objects and lists, such as the parameters of Google Analytics."""
    columns = columns_of(sample)
    nested = [one for one in columns.values() if one.values.dtype.is_nested() or one.share_matching(NESTED) > MOSTLY]
    if not nested or not (sample.kind == "parquet" or may_be_json(sample.path)):
        return sample
    file = replace(open_log(str(sample.path), Path(), workspace, as_is=True), name=sample.name)
    if sample.kind == "parquet":
        numbers = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(RECORD)
        records = list(table_records(sample.frame.select(numbers, pl.all())))
    else:
        records = list(islice(json_records(file), ROWS))
    documents = {
        f"{'.'.join(shape.path)}.{name}"
        for shape in shapes_in(records).values()
        for name in shape.fields
        if shape.holds_documents and not shape.around and names_document(shape, name)
    }
    frame = list_rows(file, records, ListOptions((), "events", columns=frozenset(documents)), at_once=True)[0].collect()
    frame = frame.filter(pl.col(RULE).is_null()).drop(RULE, VALUE, RECORD)
    frame = frame.with_columns(pl.col(name).replace(EMPTY_LIST, None) for name in documents if name in frame.columns)
    inside = sample_of_rows(sample.path, file, sample.options, frame, whole=sample.whole)
    known_as = {name: name.rpartition(".")[2] for name in frame.columns if "." in name}
    lists = [name for name in documents if likeness(known_as.get(name, ""), "doc_id") < LIKELY]
    whole_lists = {name.rpartition(".")[0]: "elements" for name in lists}
    inside = replace(inside, known_as={**known_as, **dict.fromkeys(lists, "results"), **whole_lists})
    if event_column(columns) is None and event_column(columns_of(inside)) is None:  # Elasticsearch: "_source.event"
        return sample
    user = called(columns_of(inside), "user_id")
    session = next((name for name in frame.columns if name.rpartition(".")[2] == OF_ANALYTICS), "")
    # Google Analytics: sessions of different users may have one number
    return with_joined_session(inside, "session_id", (user, session)) if user and session else inside


def join_event_files(samples: Sequence[Sample], folders: Sequence[Path]) -> list[Sample]:
    """Return the samples, files of events of one log as one: one that nobody searched in lacks columns, or names of events.

    These are files with the same columns for the names of events and for sessions, written alike.
    """
    first = next((one for one in samples if one.frame.height and part_of(one).kind == "events"), None)
    if first is None:
        return list(samples)
    columns = columns_of(first)
    keys = {event_column(columns), called(columns, "session_id") or called(columns, "user_id")}
    group = [
        one for one in samples if keys <= set(one.columns) and (one.kind, one.options) == (first.kind, first.options)
    ]
    if len(group) < 2:
        return list(samples)
    filled = [one for one in group if one.frame.height]
    names = list(dict.fromkeys(name for one in group for name in one.columns))
    types = {name: {one.frame.schema[name] for one in filled if name in one.columns} for name in names}
    frames = [
        one.frame.with_columns(one.texts[name] for name in one.columns if len(types[name]) > 1).head(ROWS)
        for one in filled
    ]
    paths = tuple(one.path for one in group)
    folder = next(
        (one for one in folders if {path.resolve() for path in files_in(one)} == {path.resolve() for path in paths}),
        None,
    )
    merged = replace(
        first,
        name=f"{group[0].name} and {len(group) - 1} more" if folder is None else folder.name,
        frame=pl.concat(frames, how="diagonal").head(ROWS),
        texts=pl.concat([one.texts for one in filled], how="diagonal").head(ROWS),
        whole=all(one.whole for one in group) and sum(one.frame.height for one in filled) <= ROWS,
        files=paths,
        folder=folder,
        known_as={name: heading for one in group for name, heading in one.known_as.items()},
    )
    place = next(at for at, one in enumerate(samples) if one is group[0])
    rest = [one for one in samples if not any(one is member for member in group)]
    return [*rest[:place], merged, *rest[place:]]


def _paths(sample: Sample, folder: Path) -> list[str]:
    """Return where the events are, as a study.toml in this folder says it."""
    paths = paths_from(folder, sample)
    return [paths] if isinstance(paths, str) else paths


def _question_of_sessions(columns: Mapping[str, SampleColumn]) -> str:
    """Return the question about sessions that no column names."""
    topic = columns.get("topic_id")
    together = (
        f" If {quoted(columns['user_id'].name)} and {quoted(topic.name)} together are a session, say session_id = "
        f"{spelled([columns['user_id'].name, topic.name])} under [columns] instead"
        if topic is not None
        else ""
    )
    return f"no column names sessions: a pause ends the session of a user. Is 30 minutes right?{together}"


@dataclass(frozen=True)
class EventClock:
    """What says when events happened.

    Parameters
    ----------
    top
        Lines at the top of study.toml: the form and zone of times, units, sessions that pause.
    columns
        Lines under [columns].
    feeding
        The columns that these lines name.
    """

    top: tuple[Line, ...] = ()
    columns: tuple[Line, ...] = ()
    feeding: tuple[SampleColumn, ...] = ()


def _clock(part: LogFileKind, columns: Mapping[str, SampleColumn]) -> EventClock:
    """Return what says when events happened: times, seconds since the session began, or numbers; else the order of the file."""
    units = _units_of_dwell(columns)
    left = [one for one in part.columns.values() if one not in columns.values() and len(one.given)]
    sessions = columns.get("session_id", columns.get("user_id"))
    if "time" in columns:
        return _clock_of_times(columns["time"], sessions, units, is_named="session_id" in columns)
    numeric = [one for one in left if one.given.cast(pl.Float64, strict=False).null_count() < 0.05 * len(one.given)]
    orders = [
        one for one in numeric if likeness(one.heading, "event_order") >= LIKELY or _numbers_events(one, sessions)
    ]
    if orders:
        asked = f"{quoted(orders[0].name)} is taken for the order of events within a session, since no column has times. Is it?"
        return EventClock(_unit_lines(units), (Line("event_order", orders[0].name, (asked,)),), (orders[0],))
    clocks = [one for one in left if one in numeric or _has_clocks(one)]
    since = max(clocks, key=_likeness_to_time, default=None)
    if since is not None and _likeness_to_time(since) > 0:
        return _clock_of_seconds(since, sessions, units)
    asked = "no column has times of events: they are read in the order of the file. Is that the order in which they happened?"
    return EventClock(_unit_lines(units), (Line(questions=(asked,)),))


def _numbers_events(one: SampleColumn, sessions: SampleColumn | None) -> bool:
    """Return whether a column numbers the events of each session, from 0 or 1."""
    if sessions is None or one.integers.null_count():
        return False
    numbers = (
        pl.DataFrame({"s": sessions.texts, "n": one.integers})
        .group_by("s")
        .agg(low=pl.col("n").min(), high=pl.col("n").max(), distinct=pl.col("n").n_unique(), rows=pl.len())
    )
    is_dense = pl.col("low").is_in([0, 1]) & (pl.col("high") - pl.col("low") + 1 == pl.col("rows"))
    return bool(numbers.select((is_dense & (pl.col("distinct") == pl.col("rows"))).all()).item())


def _likeness_to_time(one: SampleColumn) -> float:
    """Return how much the name of a column is that of a time, or of seconds since a session began."""
    part_of_name = 0.2 if set(words(one.heading)) & CLOCKS else 0.0
    return max(likeness(one.heading, "time"), likeness(one.heading, "elapsed_seconds"), part_of_name)


def _has_clocks(one: SampleColumn) -> bool:
    """Return whether a column has durations such as 1:02:03."""
    return one.spelling(table("queries").by_name["elapsed_seconds"]).unit == CLOCK


def _clock_of_times(
    time: SampleColumn, sessions: SampleColumn | None, units: dict[str, str], *, is_named: bool
) -> EventClock:
    """Return the lines about a column of times."""
    declared = table("queries").by_name["issued_at"]
    spelling = time.spelling(declared)
    top = []
    if spelling.times is not None:
        doubts = tuple(spelling.doubts.values())
        if spelling.rival is not None:
            doubts = (
                f"dates such as {quoted(time.given[0])} could be {spelling.times} or {spelling.rival}. Which is it?",
            )
        top.append(Line("times", spelling.times, doubts))
    if time.lacks_zone(declared):
        top.append(zone_line(f"{quoted(time.name)} ({quoted(time.given[0])})"))
    steps = _steps(time.times, sessions)
    asked: tuple[str, ...] = ()
    if steps.down > SELDOM * steps.up and steps.ties:
        asked = (
            f"the newest events stand first, and {counted(steps.ties, 'event')} have the time of the line before: these are "
            "read from the last line up. Is that the order in which they happened?",
        )
    if is_named and sessions is not None:
        top += pause_lines(time.times, sessions.texts)
    return EventClock((*top, *_unit_lines(units)), (Line("time", time.name, asked),), (time,))


def _clock_of_seconds(since: SampleColumn, sessions: SampleColumn | None, units: dict[str, str]) -> EventClock:
    """Return the lines about a column of times since a session began; a comment where it begins anew within sessions."""
    if _has_clocks(since):
        unit, seen = CLOCK, f"{quoted(since.given[0])}, ..."
        steps = Steps()
    else:
        numbers = since.texts.cast(pl.Float64, strict=False)
        low, high = (float(bound or 0) for bound in (numbers.min(), numbers.max()))  # type: ignore[arg-type]
        is_fine = bool((numbers.drop_nulls() % 1 == 0).all()) and high >= MILLISECONDS
        unit = unit_in(since.name) or ("milliseconds" if is_fine else "seconds")
        seen = f"{low:,g} to {high:,g}"
        steps = _steps((numbers * 1000).cast(pl.Int64, strict=False).cast(pl.Datetime("ms")), sessions)
    restarts = 0 < steps.down < steps.up
    asked = f"{quoted(since.name)} is taken for {unit} since the session began ({seen}), not for dates. Is it?"
    if restarts:
        asked = (
            f"{quoted(since.name)} ({seen}) is no date and falls {steps.down:,} times within a session. If it begins anew at each page, "
            "leave this line out: events are then read in the order of the file. If the rows are only out of order and it counts "
            f"{unit} since the session began, remove the '#', and that of units"
        )
    all_units = {"elapsed_seconds": unit, **units} if unit != "seconds" else units
    top = _unit_lines(units if restarts else all_units)
    if restarts and all_units != units:
        top = (Line("units", all_units, idle=True),)
    return EventClock(top, (Line("elapsed_seconds", since.name, (asked,), idle=restarts),), (since,))


def _units_of_dwell(columns: Mapping[str, SampleColumn]) -> dict[str, str]:
    """Return the unit that the name of the column of dwell times says, where it is not seconds."""
    dwell = columns.get("dwell_seconds")
    unit = None if dwell is None else unit_in(dwell.name)
    return {"dwell_seconds": unit} if unit is not None else {}


def _unit_lines(units: dict[str, str]) -> tuple[Line, ...]:
    """Return the line of units, if there are any."""
    return (Line("units", units),) if units else ()


@dataclass(frozen=True)
class Steps:
    """How times run from one line to the next of a session: how often up, down and not at all."""

    up: int = 0
    down: int = 0
    ties: int = 0


def _steps(times: pl.Series, sessions: SampleColumn | None) -> Steps:
    """Return how times run within sessions, in the order of the file."""
    session = pl.repeat("", len(times), eager=True) if sessions is None else sessions.texts
    frame = pl.DataFrame({"s": session, "t": times}).drop_nulls()
    step = pl.col("t").diff().over("s").dt.total_microseconds()
    counts = frame.select(up=(step > 0).sum(), down=(step < 0).sum(), ties=(step == 0).sum())
    up, down, ties = counts.row(0)
    return Steps(up, down, ties)


def _written(part: LogFileKind) -> list[Line]:
    """Return how the files are written."""
    options: dict[str, Any] = dict(part.sample.options)
    if options.get("separator") == "whitespace" or {"header", "skip", "sheet"} & set(options):
        raise DataError(
            f"{part.name} looks like a log of events; these are text with one header line at the top and a separator such as a comma "
            "or a tab"
        )
    lines = [Line(key, options[key]) for key in ("encoding", "separator", "quote") if key in options]
    return [
        Line(line.key, line.value, (part.sample.doubts[line.key],)) if line.key in part.sample.doubts else line
        for line in lines
    ]


def _columns(part: LogFileKind, judged: JudgmentProposal) -> dict[str, SampleColumn]:
    """Return the columns of the log by what they are, times since a session began apart; a document by the ids of the judgments."""
    event = event_column(part.columns)
    assert event is not None  # noqa: S101 - that is what makes it events
    found = {"event": part.columns[event]}
    docs = judged.doc
    left = [one for one in part.columns.values() if one.name != event and len(one.given)]
    if docs is not None:
        pairs = sorted(((share(one.given, docs.given), one.name) for one in left), reverse=True)
        if pairs and pairs[0][0] >= 0.2:
            found["doc_id"] = part.columns[pairs[0][1]]
    pairs_of = sorted(
        ((likeness(one.heading, ours), -place, one, ours) for place, ours in enumerate(COLUMNS) for one in left),
        key=lambda pair: (-pair[0], -pair[1]),
    )
    for like, _, one, ours in pairs_of:
        if (
            like
            and ours not in ("elapsed_seconds", "event_order")
            and ours not in found
            and one not in found.values()
            and _can_be(one, ours)
        ):
            found[ours] = one
    if "time" not in found and (time := _time_by_values(part, found)) is not None:
        found["time"] = time
    if "doc_id" not in found and (doc := _document_by_events(part, found)) is not None:
        found["doc_id"] = doc
    if "results" not in found and "doc_id" in found and found["doc_id"].share_matching(LISTED) > 0:
        found["results"] = found["doc_id"]
    session, user = found.get("session_id"), found.get("user_id")
    if session is not None and user is not None and is_numbered_for_each(part.columns, session.name, user.name):
        found["session_id"] = _together([user, session])
    if session is None and not {"user_id", "time"} <= set(found):
        if user is None or "topic_id" not in found:
            raise DataError(
                f"{part.name} looks like a log of events, but no column of it names sessions, and none names users with times; found "
                f"{', '.join(part.columns)[:300]}"
            )
        found["session_id"] = _together([user, found["topic_id"]])
    return found


def _time_by_values(part: LogFileKind, columns: Mapping[str, SampleColumn]) -> SampleColumn | None:
    """Return the first column that is nothing else and has dates with times of day in every row that has a value."""
    left = (one for one in part.columns.values() if one not in columns.values() and len(one.given))
    return next((one for one in left if one.share_matching(r"\d[T ]\d\d?:\d\d") == 1 and _can_be(one, "time")), None)


def _document_by_events(part: LogFileKind, columns: Mapping[str, SampleColumn]) -> SampleColumn | None:
    """Return the column that is nothing else, stands beside some events and not beside queries, and has the most values."""
    event = columns["event"]
    queries = pl.Series([action_of(text or "") == "query" for text in event.texts])
    if not queries.any() and "query_text" in columns:
        queries = columns["query_text"].texts.is_not_null()
    left = [
        one for one in part.columns.values() if one not in columns.values() and len(one.given) and _may_be_an_id(one)
    ]
    apart = []
    for one in left:
        filled = one.texts.is_not_null()
        beside = event.texts.filter(filled).drop_nulls().unique()
        shares = [float(filled.filter(event.texts == name).mean() or 0) for name in beside]  # type: ignore[arg-type]
        if not (filled & queries).any() and max(shares, default=0) >= 0.9:
            apart.append(one)
    return max(apart, key=lambda one: one.distinct, default=None)


def _together(columns: Sequence[SampleColumn]) -> SampleColumn:
    """Return some columns as one of their texts together."""
    texts = pl.select(pl.concat_str([one.texts for one in columns], separator=JOINED)).to_series()
    return SampleColumn("session_id", 0, texts, texts, made_of=tuple(one.name for one in columns))


def _can_be(one: SampleColumn, ours: str) -> bool:
    """Return whether what is in a column can be this."""
    if ours == "time":
        if one.filled < HALF:  # such as the time of day at which a session began
            return False
        is_small = one.given.str.contains(SMALL)
        fits = not one.misfits(table("queries").by_name["issued_at"]).len()
        return fits and int(is_small.sum()) <= 0.05 * len(one.given)
    if ours in NUMBERS:
        numbers = one.given.cast(pl.Float64, strict=False)
        return numbers.null_count() * 2 < len(one.given)
    return ours in ("query_text", "results") or _may_be_an_id(one)


def _may_be_an_id(one: SampleColumn) -> bool:
    """Return whether values of a column may be ids, however few of the events have one: no fractions and no times."""
    if one.share_matching(CLIENT_ID) == 1:
        return True
    return one.share_matching(r"^\s*[-+]?\d*[.,]\d+\s*$") < 0.5 and one.share_matching(r"^\d{4}-\d\d-\d\d") < 0.5


def _named(
    part: LogFileKind, columns: dict[str, SampleColumn], clock: EventClock, judged: JudgmentProposal
) -> list[TomlSection]:
    """Return which column is what."""
    extra = [one for one in part.columns.values() if one not in (*columns.values(), *clock.feeding)]
    lines = []
    for ours in COLUMNS:
        if ours in columns and ours != "time":
            one = columns[ours]
            others = () if ours == "doc_id" and judged.doc else extra
            value = list(one.made_of) if one.made_of else one.name
            lines.append(Line(ours, value, _doubts(ours, one, others)))
    lines += [*_with_doubts(clock, columns, extra), *_key(columns, judged)]
    whole = columns.get("session_id", columns.get("user_id"))  # sessions are cut from the events of a user
    if "system_id" not in columns and whole is not None:
        conditions = condition_columns(extra, whole.texts)
        if conditions:
            lines.append(Line("system_id", conditions[0].name, (question_of_condition(conditions),), idle=True))
    if extra:
        shown = ", ".join(quoted(one.name) for one in extra[:12])
        lines.append(Line(remarks=(f"extras, kept as they are: {shown}",)))
    return [TomlSection(("columns",), tuple(lines))]


def _with_doubts(clock: EventClock, columns: Mapping[str, SampleColumn], extra: Sequence[SampleColumn]) -> list[Line]:
    """Return the lines about when events happened, with what is not sure of a column of times."""
    if "time" not in columns:
        return list(clock.columns)
    doubts = _doubts("time", columns["time"], extra)
    return [replace(line, questions=(*doubts, *line.questions)) for line in clock.columns]


def _key(columns: dict[str, SampleColumn], judged: JudgmentProposal) -> list[Line]:
    """Return the line that says what judgments belong to, where that is not the topic."""
    keys = judged.key
    if keys is None:
        return []
    shares: dict[str, float] = {
        ours: share(keys.given, columns[ours].given)
        for ours in ("topic_id", "session_id", "query_id", "query_text")
        if ours in columns
    }
    best = max(shares, key=lambda ours: shares[ours], default="")
    if "judgment_key" in columns:
        return []
    rivals = [quoted(columns[ours].name) for ours in shares if ours != best and shares[ours] >= shares[best] - CLOSE]
    if best == "topic_id" and shares[best] and not rivals:
        return []
    if not shares.get(best):
        asked = (
            f"no key of {judged.name} was found in the log ({quoted(keys.given[0])}). What do the judgments belong to?"
        )
        return [Line(questions=(asked,))]
    return [
        Line(
            "judgment_key",
            columns[best].name,
            tuple(f"{listed(rivals)} could be it as well. Which is it?" for _ in rivals[:1]),
            remarks=(f"{share_text(shares[best], 0)} of the judgments' keys are among its values",),
        )
    ]


def _doubts(ours: str, one: SampleColumn, others: Sequence[SampleColumn]) -> tuple[str, ...]:
    """Return what is not sure of a column: its name is not usual, others have as usual a name, or it is made of several."""
    if one.made_of:
        named = " and ".join(map(quoted, one.made_of))
        return (f"{named} together are taken for a session, such as {quoted(one.given[0])}. Are they?",)
    if ours == "dwell_seconds" and unit_in(one.name) is None:
        middle = one.given.cast(pl.Float64, strict=False).median()
        if isinstance(middle, float) and middle > LONG:
            return (
                f"half of {quoted(one.name)} are over {middle:,.0f}. Is that seconds? If not, say their unit in units",
            )
    if likeness(one.heading, ours) >= LIKELY:
        rivals = [
            quoted(other.name) for other in others if likeness(other.heading, ours) >= LIKELY and _can_be(other, ours)
        ]
        if not rivals or one.name == ours:
            return ()
        return (f"{quoted(one.name)} is taken for {ours}; {listed(rivals[:3])} could be it as well. Which is it?",)
    return (f"{quoted(one.name)} is taken for {ours}, such as {quoted(one.given[0])}. Is it?",)


def _actions(events: Sequence[EventName]) -> TomlSection:
    """Return what events are called, the questions about those that were guessed, and about those that say nothing."""
    lines = []
    for action in ACTIONS:
        names = [one for one in events if one.action == action]
        if names:
            guessed = [f"{one.description} is taken for {action}" for one in names if one.is_guessed]
            doubts = (f"{listed(guessed)}. Is it right?",) if guessed else ()
            lines.append(Line(action, names[0].name if len(names) == 1 else [one.name for one in names], doubts))
    if not any(one.action == "query" for one in events):
        asked = "no event is known to be a query. Which is it? Then remove the '#'"
        lines.append(Line("query", events[0].name, (asked,), idle=True))
    if unread := [one for one in events if one.has_unread_lists]:
        shown = listed([one.description for one in unread])
        asked = (
            f"the lists of {shown} are not read: queries have none, and these events have no text of a query. Can they have it, or "
            "the queries their lists?"
        )
        lines.append(Line(questions=(asked,)))
    unknown = [one for one in events if not one.action]
    if unknown:
        more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        shown = ", ".join(one.description for one in unknown[:SHOWN])
        asked = f"events that are not used so far: {shown}{more}. Is one of them a query, impression, click or leave?"
        lines.append(Line(questions=(asked,)))
    return TomlSection(("events",), tuple(lines))
