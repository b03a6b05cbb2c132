"""What the figures of a report have in common: measure, topic, system, colors, labels, further parts, and what is redacted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, get_args

import polars as pl

from sessionkit.arguments import CurveNormalization, EffortUnit, FurtherPart, RedactedKind, names_in
from sessionkit.charts import colors_of
from sessionkit.charts.canvas import Limits
from sessionkit.charts.encodings import LEGENDS, MOST_COLORED
from sessionkit.charts.print_layout import PrintLayout
from sessionkit.charts.theme import CONTEXT
from sessionkit.display.labels import in_natural_order, label
from sessionkit.display.numbers import P_IS_BOUND, counted, level_text, listed, p_text, two_digits
from sessionkit.errors import DataWarning, UsageError, suggestion
from sessionkit.readers.raw import OF_SHEET, READ_BY
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.measures.cumulated_gain import nsDCG, sDCG
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.statistics.bands import grouped_sessions
from sessionkit.statistics.comparison import Comparison
from sessionkit.study import Study
from sessionkit.study.counts import logged_lists
from sessionkit.study.identifiers import VALUES, Column, PrivacyOptions, Repeats, extras_of, find_repeats

if TYPE_CHECKING:
    from sessionkit.statistics.correlate import Correlations
    from sessionkit.statistics.mixed_model import MixedModel

TOP = 10
"""Ranks of each query in the concatenated lists, unless the measure says otherwise."""
LONG = 4
"""Queries from which on a session is long."""


@dataclass(frozen=True)
class Choices:
    """What the figures of one report have in common; made by `choices_of`.

    ``measure`` is what figures of gain show, ``ratio`` what those of normalized gain do; ``source`` and ``ratio_source``
    the measures asked for that these come from, None where none of that family was. ``asked`` tells whether any was.
    ``exact``, if given, is what the figure shows in place of both. Figures that are drawn apart have ``measures``, all that
    were asked for, what a sweep is to ``vary``, the ``session`` or ``sessions`` that are shown, what is correlated ``with_``, the system
    that is subtracted, ``against``, the ``difference`` that power is planned for and the ``gain`` that sessions come to ``along`` what
    they spend; ``average`` is how parts of sessions are averaged, ``normalize`` how curves are
    normalized, ``sort`` the order of the sessions of a wall, ``limits`` what the scales of a figure laid out in pixels have to hold,
    ``size`` what a figure is laid out for that has several sheets, ``labels`` what columns are called.
    """

    measure: GainMeasure
    source: GainMeasure | None
    ratio_source: GainMeasure | None
    asked: bool
    colors: Mapping[str, str]
    topic: str | None
    topic_told: str
    system: str
    long: int
    by: str
    synthetic: bool
    redaction: Redaction
    exact: Measure | None = None
    vary: Mapping[str, object] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    session: str | None = None
    sessions: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    against: str | None = None
    difference: float | str | None = None
    average: str = "sessions"
    normalize: CurveNormalization | None = None
    gain: float | None = None
    along: EffortUnit | None = None
    sort: str | None = None
    limits: Limits | None = None
    size: PrintLayout = field(default_factory=PrintLayout)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def tested(self) -> Measure:
        """The measure of queries by which parts of sessions are drawn, averaged and tested."""
        return parse_measure("nDCG") @ (self.measure.cutoff or TOP)

    @property
    def ratio(self) -> GainMeasure:
        """What figures of normalized gain show; refused where its measure cannot be normalized."""
        ratio = normalized(self.ratio_source or sDCG)
        return ratio @ (ratio.cutoff or TOP)

    def told(self, measure: Measure, *, ratio: bool = False) -> str:
        """A sentence for the caption where a figure shows another measure than was asked for, else nothing."""
        source = self.ratio_source if ratio else self.source
        if self.exact is not None or not self.asked or str(measure) == str(source):
            return ""
        if source is None:
            return f" No measure asked for can be drawn here; {measure} is shown instead."
        return f" {measure} is shown with the parameters of {source}."

    @property
    def curve_colors(self) -> Mapping[str, str] | None:
        """The colors of curves; None where groups are many and none is context yet: the chart then chooses whom it shows."""
        return self.colors if len(self.colors) <= MOST_COLORED or CONTEXT in self.colors.values() else None

    @property
    def legend(self) -> str:
        """What the groups are called."""
        return self.labels.get(self.by) or LEGENDS.get(self.by, self.by)


def choices_of(
    study: Study,
    measures: list[Measure] | None = None,
    *,
    long: int = LONG,
    by: str = "system_id",
    redaction: Redaction | None = None,
) -> Choices:
    """Settle what the figures show.

    Parameters
    ----------
    study
        The study.
    measures
        Figures of gain show the first sDCG among them, those of normalized gain the first nsDCG, also inside an
        aggregator; each the parameters of the other where it is missing, else the defaults.
    long
        Queries from which on a session counts as long in the third figure.
    by
        Column to group sessions by.
    redaction
        What to leave out.

    Raises
    ------
    UsageError
        There is no such column.
    """
    groups = grouped_sessions(study, by)
    topic, told = _busiest_topic(study)
    present = groups
    if topic is not None:
        of_topic = study.sessions.filter(pl.col("topic_id") == topic).select("session_id").collect()
        present = groups.join(of_topic, on="session_id", how="semi")
    family = _family(measures or [])
    source = next((measure for measure in family if not measure.normalized), None) or next(iter(family), None)
    ratio_source = next((measure for measure in family if measure.normalized), None) or source
    plain = unnormalized(source or sDCG)
    return Choices(
        measure=plain @ (plain.cutoff or TOP),
        source=source,
        ratio_source=ratio_source,
        asked=bool(measures),
        colors=colors_of(groups.get_column("group").to_list()),
        topic=topic,
        topic_told=told,
        system=next(iter(in_natural_order(present.get_column("group"))), "None"),
        long=long,
        by=by,
        synthetic=study.settings.synthetic,
        redaction=redaction or Redaction(),
        labels=study.settings.labels,
    )


def normalized(measure: GainMeasure) -> GainMeasure:
    """Return nsDCG with the parameters of a measure, divided by whole sessions, as curves are."""
    if measure.normalized:
        return measure(normalize="session")
    return nsDCG(**measure.parameters())


def unnormalized(measure: GainMeasure) -> GainMeasure:
    """Return sDCG with the parameters of a measure."""
    known = sDCG.parameters()
    return sDCG(**{name: value for name, value in measure.parameters().items() if name in known})


def _family(measures: list[Measure]) -> list[GainMeasure]:
    """The measures of the sDCG family, also those inside aggregators."""
    gained = [parse_measure(measure).inner.gain_measure for measure in measures]
    return [measure for measure in gained if measure is not None and "query_discount" in measure.parameters()]


def _busiest_topic(study: Study) -> tuple[str | None, str]:
    """The topic with the most sessions that logged a list, and what captions call it.

    Of equals the one with the most logged lists, and of these the first by name.
    """
    topics = logged_lists(study, ["topic_id"]).drop_nulls("topic_id").filter(pl.col("many") > 0)
    counts = topics.group_by("topic_id").agg(sessions=pl.len(), queries=pl.col("many").sum())
    order = counts.sort("sessions", "queries", "topic_id", descending=[True, True, False])
    if order.is_empty():
        return None, "all topics together, since the log names none"
    name, sessions = order.row(0)[:2]
    if len(order) == 1:
        return str(name), f"topic {name}"
    equal = order.item(1, "sessions") == sessions
    return str(
        name
    ), f"topic {name}, the one with the most {'queries among those with the most ' if equal else ''}sessions"


KINDS: tuple[RedactedKind, ...] = get_args(RedactedKind)
QUOTED = re.compile(r"(?<!\w)(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")")
"""What is quoted: an apostrophe behind a letter, as in users' or Holm's, begins no quotation."""

HINT = re.compile(r"(?:[;,] [\w ,]+: sessionkit [\w -]+| \(sessionkit [\w -]+\))(?=\.?$)")
"""A hint for an author, such as ``; see: sessionkit check`` at the end of a note: a reader of the page has no command line."""


@dataclass(frozen=True)
class Redaction:
    """What is left out.

    Parameters
    ----------
    kinds
        Any of ``"users"`` (ids of users, sessions and judges become ``user 1``, ``session 1``, ``judge 1``, in the order of
        the ids),
        ``"queries"`` (their texts are not there; judgment keys that are no topics become ``key 1``) and ``"documents"``
        (they become ``document 1`` in the order in which the session explorer comes upon them; their titles are not there, nor are
        snippets, which go with queries too). With any of them, what notes
        quote from the log becomes dots, and the files that the log was read from become ``source 1``.
        Systems and topics stay, unless one of them repeats a redacted id or text: then all become ``topic 1``.
    sources
        The numbered names of the files, by the names that notes may call them; the longest names first.
    repeats
        The columns of sessions that are numbered as their values repeat redacted ids or texts.
    """

    kinds: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict)
    repeats: Mapping[str, Repeats] = field(default_factory=dict)

    @classmethod
    def of(cls, kinds: str | Iterable[str]) -> Redaction:
        """Return the redaction of these kinds.

        Raises
        ------
        UsageError
            There is no such kind.
        """
        names = names_in("redact", kinds)
        for name in names:
            if name not in KINDS:
                known = ", ".join(KINDS)
                raise UsageError(f"redact can leave out {known}, not {name!r}{suggestion(name, KINDS)}")
        return cls(frozenset(names))

    def for_study(self, study: Study) -> Redaction:
        """Return the same, which also knows the source files of a study, and its topics and systems that repeat what is redacted."""
        if not self.kinds:
            return self
        return replace(
            self, sources=names_of_files(study), repeats=find_redacted(study.unrestricted or study, self.kinds)
        )

    def without_repeats(self, study: Study) -> Study:
        """Return the study with numbers for topics or systems that repeat what is redacted, and with a note on it."""
        if not self.repeats:
            return study
        whole, sessions, notes = study.unrestricted or study, study.sessions, []
        for column, counts in self.repeats.items():
            word = column.removesuffix("_id")
            names = whole.sessions.select(pl.col(column).drop_nulls().unique().sort()).collect()[column]
            # leading zeros keep the order of the names, and so which system is subtracted
            numbers = pl.Series(range(1, len(names) + 1)).cast(pl.String).str.zfill(len(str(len(names))))
            sessions = sessions.with_columns(pl.col(column).replace(names, f"{word} " + numbers))
            repeat = "repeats" if counts.certain == 1 else "repeat"
            values = listed([VALUES.get(name, f"values of {name}") for name in counts.columns])
            notes.append(f"{counted(counts.certain, word)} {repeat} {values}, so all {word}s are numbered")
        unrestricted = None if study.unrestricted is None else self.without_repeats(study.unrestricted)
        numbered = study.with_tables(sessions=sessions)
        return replace(numbered, notes=(*study.notes, *notes), unrestricted=unrestricted)

    def frame(self, frame: pl.DataFrame, study: Study) -> pl.DataFrame:
        """Return a frame with the ids in it replaced."""
        if "users" in self.kinds:
            for table, column, word in ((study.sessions, "session_id", "session"), (study.users, "user_id", "user")):
                ids = table.select(column)
                frame = _numbered(frame, column, ids, word)
                # judgments can be given by session or by user
                frame = _numbered(frame, "judgment_key", ids.rename({column: "judgment_key"}), word)
            if "judge_id" in frame.columns:
                judges = study.judgments.select("judge_id").drop_nulls()
                frame = _numbered(frame, "judge_id", judges, "judge")
                frame = _numbered(frame, "other", judges.rename({"judge_id": "other"}), "judge")
        if ("queries" in self.kinds or "topic_id" in self.repeats) and "judgment_key" in frame.columns:
            topics = study.sessions.select(judgment_key="topic_id").drop_nulls()
            keys = frame.lazy().select("judgment_key").join(topics, on="judgment_key", how="anti")
            frame = _numbered(frame, "judgment_key", keys, "key")
        return frame

    def note(self, text: str) -> str:
        """Return a note without the command it ends with; where anything is redacted, also without what it quotes and names."""
        text = HINT.sub("", text)
        if not self.kinds:
            return text
        if text.startswith(READ_BY):
            return f"{READ_BY}'…'"
        unquoted = QUOTED.sub("'…'", text)
        return self._files.sub(lambda match: self.sources[match[0]], unquoted) if self.sources else unquoted

    @cached_property
    def _files(self) -> re.Pattern[str]:
        """The names of files where they are words."""
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, self.sources))})(?:(?<=/)|(?!\w))")

    def warning(self, warning: DataWarning) -> str:
        """Return what a warning says, without the names in it."""
        return self.note(warning.nameless) if self.kinds else str(warning)


def find_redacted(study: Study, kinds: frozenset[str]) -> dict[str, Repeats]:
    """Return what topics and systems certainly repeat of redacted ids and texts, by the rules of `sessionkit.pseudonymize`."""
    replaced = {"queries"} & kinds | ({"users", "sessions", "judges"} if "users" in kinds else set())
    if not replaced:
        return {}
    # names and addresses beside users are redacted with the users alone
    kept: list[Column] = [("users", column) for column in extras_of(study)["users"] if "users" not in kinds]
    repeats = find_repeats(study, PrivacyOptions(frozenset(replaced), keep=frozenset(kept)))
    columns = ("topic_id", "system_id")
    return {column: counts for (_, column), counts in repeats.items() if column in columns and counts.certain}


def numbers_of_sources(study: Study) -> dict[str, str]:
    """Return ``source 1`` and so on by the paths of a study's sources."""
    return {path: f"source {number}" for number, path in enumerate(dict.fromkeys(one.path for one in study.sources), 1)}


def names_of_files(study: Study) -> dict[str, str]:
    """Return what stands in place of each name by which a note can call the study or one of its files, the longest first.

    A note may leave out the sheet or the folders. Sources that are tables in memory have names of sessionkit's own.
    """
    numbers = numbers_of_sources(study)
    names: dict[str, str] = {}
    for path in [source.path for source in study.sources if source.sha256 is not None]:
        file = path.partition(OF_SHEET)[0]
        parts = PurePath(file).parts
        shorter = (str(PurePath(*parts[first:])) for first in range(len(parts)))
        folders = (f"{PurePath(*parts[:last])}/" for last in range(1, len(parts)))
        for name in (path, *shorter):
            names.setdefault(name, numbers[path])
        for name in folders:
            names.setdefault(name, "a folder ")
    for place in (str(study.path or ""), study.address or ""):
        names |= {place: "the study"} if place else {}
    return dict(sorted(names.items(), key=lambda entry: -len(entry[0])))


def _numbered(frame: pl.DataFrame, column: str, ids: pl.LazyFrame, word: str) -> pl.DataFrame:
    """Replace the ids of a column by their number among all ids, sorted."""
    if column not in frame.columns:
        return frame
    known = ids.unique().sort(column).with_row_index("_number", offset=1).collect()
    names = known.select(column, _name=pl.concat_str(pl.lit(f"{word} "), "_number"))
    joined = frame.join(names, on=column, how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("_name", column).alias(column)).drop("_name")


IDS = ("session_id", "user_id", "topic_id", "judgment_key")
"""Columns by which tables are joined; their values keep their names, and topics have labels where they are shown."""


def labeled(study: Study, columns: Sequence[str]) -> Study:
    """Return the study with labels in place of the names that these columns of sessions and users hold.

    The sessions that a condition left out are labeled alike: a user's previous session may be among them.

    Parameters
    ----------
    study
        The study, with its labels in its settings.
    columns
        Columns that make groups; ids are left as they are.
    """
    labels = study.settings.labels
    tables = {}
    for name in ("sessions", "users"):
        named = [column for column in columns if column in study.columns(name) and column not in IDS]
        if labels and named:
            tables[name] = study.table(name).with_columns(pl.col(named).cast(pl.String).replace(labels))
    if not tables:
        return study
    unrestricted = None if study.unrestricted is None else labeled(study.unrestricted, columns)
    return replace(study.with_tables(**tables), unrestricted=unrestricted)


NAMED = 6
"""Groups whose counts a caption gives."""


def filled(found: Comparison | MixedModel) -> str:
    """Return what a filled point of the differences means, as the last sentences of a caption; nothing where none is tested."""
    if not found.family.number:
        return ""
    intervals = ""
    if found.family.has_unadjusted_intervals:
        intervals = "; the intervals are unadjusted"
    elif found.family.number > 1 and found.correction != "none":
        intervals = ", for which the intervals are made too"
    withheld = "" if found.no_verdict.is_empty() else " A difference without a verdict has an empty point."
    return f" A filled point has p at or below {found.alpha:g}{found.family.told}{intervals}.{withheld}"


def sides(found: Comparison) -> str:
    """Return which group has the higher values right of 0 in a figure of differences, as a sentence of its caption."""
    pairs = found.table.select("a", "b").unique().rows()
    higher = label(pairs[0][1]) if len(pairs) == 1 else "the group named first"
    return f"Right of 0, {higher} has the higher values."


def first_of(items: Sequence[str], most: int) -> str:
    """Return some items in a row, the rest counted.

    >>> first_of(["a 1", "b 2", "c 3"], 2)
    'a 1, b 2 and 1 more'
    """
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def correlation_text(row: Mapping[str, Any], found: Correlations) -> str:
    """Return one of Spearman's correlations, a row of the table, in a sentence."""
    measure, rating, value = row["measure"], row["covariate"], row["value"]
    if value is None:
        return f"{measure} has no correlation with {rating}: {row['note'] or 'it does not vary'}."
    beside = []
    if row["low"] is not None and row["high"] is not None:
        ends = f"{two_digits(row['low'])} to {two_digits(row['high'])}"
        beside.append(f"{level_text(1 - found.confidence)} interval {ends}")
    if row["p"] is not None:
        beside.append(p_text(row["p"], is_bound=bool(row[P_IS_BOUND])))
    units = "" if found.units == "sessions" else f" of {counted(row['units'], found.units.removesuffix('s'))}"
    beside.append(f"{row['n']:,} sessions{units}")
    told = f"{measure} and {rating} have a rank correlation (Spearman's) of {two_digits(value)}"
    return f"{told} ({'; '.join(beside)})."


NAMES: tuple[FurtherPart, ...] = get_args(FurtherPart)
"""What a report can have beside what it always has."""


@dataclass(frozen=True)
class Also:
    """Parts that were asked for.

    Parameters
    ----------
    parts
        Some of `NAMES`, in their order.
    difference
        The smallest true difference worth finding, which ``power`` plans for.
    """

    parts: tuple[str, ...] = ()
    difference: float | str | None = None

    @classmethod
    def of(cls, also: str | Iterable[str], difference: float | str | None = None) -> Also:
        """Check what was asked for.

        Raises
        ------
        UsageError
            There is no such part, power lacks its difference or a difference power, or it is no number.

        >>> Also.of("power, mixed", "10%").parts
        ('mixed', 'power')
        """
        asked = names_in("also", also)
        for name in asked:
            if name not in NAMES:
                raise UsageError(f"also can be {', '.join(NAMES)}, not {name!r}{suggestion(name, NAMES)}")
        parts = tuple(name for name in NAMES if name in asked)
        if "power" in parts and difference is None:
            msg = (
                "also=power needs the smallest true difference worth finding: declare one in the measure's units or as a share of "
                "the first group's mean, such as difference=10% (--difference 10%); do not take the one that the study found"
            )
            raise UsageError(msg)
        if difference is not None and "power" not in parts:
            raise UsageError(
                f"difference={difference} is what power is planned for; ask for it with also=power (--also power)"
            )
        if difference is not None:
            from sessionkit.statistics.power import said  # what was not asked for is not loaded

            said(difference)
        return cls(parts, difference)
