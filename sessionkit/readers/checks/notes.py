"""What was unusual in a source: sentences kept with the study, and warned of where they may change a score."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import polars as pl

from sessionkit.contract import table
from sessionkit.contract.key_rules import any_twice
from sessionkit.display.words import counted
from sessionkit.errors import DataWarning, warn
from sessionkit.readers.checks.counts import NONE, AnomalyCounts
from sessionkit.study import Settings
from sessionkit.study.resultless_queries import MissingLists

FINER = ("subtopic_id", "passage_id", "judge_id")
JUDGMENT = ["judgment_key", "doc_id"]
AT_THE_TOP = "at the top of a study.toml"
"""Where settings go; a log that was read without a study.toml has none, so that a message which names one says it."""

DOUBTFUL = 0.1
"""The share of sessions without queries, or of repeated documents, above which `init` asks whether their columns are the right ones."""
RUN_ON = "if positions continue from session to session, number queries from 1 in each"
"""What is said where sessions begin far above 1."""


@dataclass
class Notes:
    """Sentences in the order in which they were noticed."""

    told: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    places: dict[str, str | None] = field(default_factory=dict)

    def tell(self, sentence: str) -> None:
        """Keep a sentence."""
        self.told.append(sentence)

    def warn(self, sentence: str, *, place: str | None = "") -> None:
        """Keep a sentence and warn of it when reading ends; `place` as DataWarning has it."""
        self.told.append(sentence)
        self.warned.append(sentence)
        self.places[sentence] = place

    def take(self, others: Notes) -> None:
        """Keep the sentences of others, and warn of those they would warn of."""
        self.told += others.told
        self.warned += others.warned
        self.places |= others.places

    def give_warnings(self) -> None:
        """Issue what is to be warned of, each sentence as one :class:`~sessionkit.errors.DataWarning`."""
        for sentence in self.warned:
            warn(DataWarning(sentence, place=self.places.get(sentence, "")))


def notice_parts(counts: AnomalyCounts, settings: Settings, notes: Notes, *, frames: bool) -> None:
    """Note what had to be decided while the tables of a log were put together, which came as `frames` or as files."""
    if counts.missing:
        _notice_missing(counts, settings, notes, frames=frames)
    if counts.far[0]:
        many, first = counts.far
        notes.warn(
            f"sessions: {counted(many, 'session')} with every query position out of range (first: session {first!r}); the records are "
            f"rejected, the {'session stays' if many == 1 else 'sessions stay'} without queries; {RUN_ON}",
            place="queries.query_position",
        )
    if counts.rankless[0]:
        many, first = counts.rankless
        notes.tell(
            f"results: {counted(many, 'row')} with an empty rank but a doc_id (first: {first!r}) "
            f'{"is taken as an empty list" if many == 1 else "are taken as empty lists"}, as empty_list = "" says'
        )
    if counts.worded:
        notes.tell(
            f"results: {counted(counts.worded, 'row')} with a rank, a document and, in another column, the text of "
            "empty_list; kept as results"
        )
    if counts.bare:
        notes.tell(
            f"queries: {counted(counts.bare, 'query')} rejected and kept as not logged, so that later positions stay as they are"
        )
    for name, noun in (("queries", "query"), ("sessions", "session")):
        for column in table(name).names:
            several, first = counts.differing.get((name, column), NONE)
            if several:
                notes.warn(
                    f"{column}: different values within {counted(several, noun)} (first: session {first!r}); the "
                    "first value is kept",
                    place=f"{name}.{column}",
                )
    for (rule, column), (several, first) in counts.disordered.items():
        notes.warn(
            f"sessions: {column} set aside in {counted(several, 'session')} (first: session {first!r}), as its values and those it "
            f"is held against come from different tables: {rule} does not hold"
        )
    if counts.silent:
        notes.tell(
            f"queries: {counted(counts.silent, 'query')} without result rows, assumed to have returned nothing "
            "unless results_status says otherwise"
        )
    if counts.lost:
        notes.warn(
            f"queries: {counted(counts.lost, 'query')} with every result row or click rejected, assumed not logged",
            place=None,
        )


def _notice_missing(counts: AnomalyCounts, settings: Settings, notes: Notes, *, frames: bool) -> None:
    """Note positions that no record has; warn where nobody said what became of their lists."""
    sessions, first = counts.gapped
    status = settings.missing_positions
    said = (
        f"queries: {counted(counts.missing, 'position')} missing in {counted(sessions, 'session')} (first: session {first!r}); "
        f"their lists are taken as {'empty' if status == 'empty' else 'not logged'}"
    )
    if counts.doubtful:
        said += f"; rejected records may belong to {counts.doubtful:,} of them"
        said += ", assumed not logged" if status == "empty" else ""
    if status is None and 2 * counts.late > max(2, sessions):
        said += f"; {counts.late:,} of the sessions begin above 1: {RUN_ON}"
    if status is None:
        said += "; if they returned nothing, "
        said += (
            'say missing_positions="empty", as from_tables takes it'
            if frames
            else 'set missing_positions = "empty" in study.toml (--missing-positions)'
        )
        notes.warn(said, place="queries.query_position")
    else:
        notes.tell(said)


def notice(counts: AnomalyCounts, judgments: pl.DataFrame, settings: Settings, notes: Notes) -> None:
    """Note what is unusual in the tables that have come of it."""
    facts = counts.facts
    if facts.not_logged and not facts.results:
        notes.warn(
            f"queries: none of the {counted(facts.queries, 'query')} has a result, so that no measure of results says anything; where "
            "results stand as lists inside records, see: sessionkit help own-logs, under Lists inside records",
            place="queries",
        )
    missing_lists = MissingLists.of(facts)
    if missing_lists.are_frequent:
        notes.warn(missing_lists.warning, place=None)
    usual = {
        "empty": "empty lists; they count and gain 0",
        "not_logged": "lists that were not logged; measures of relevance leave them out",
    }
    for status, meaning in (
        *(() if missing_lists.are_frequent else usual.items()),
        ("partly_observed", "lists observed in part; measures that look deeper are flagged"),
    ):
        if count := getattr(facts, status):
            notes.tell(f"{count:,} of {facts.queries:,} queries with {meaning}")
    if facts.repeats_in_lists:
        notes.warn(
            f"results: {counted(facts.repeats_in_lists, 'row')} with a document shown earlier in the list; it keeps "
            "its rank and gains once",
            place="results.doc_id" if DOUBTFUL * facts.results < facts.repeats_in_lists else None,
        )
    of_shown, _ = counts.unusual.get("gaps", NONE)  # which are told of with the first of them
    if in_part := facts.lists_with_gaps - of_shown:
        notes.tell(f"results: {counted(in_part, 'list')} observed in part with gaps in the ranks")
    if counts.lonely:
        notes.warn(
            f"sessions: {counted(counts.lonely, 'session')} without any query",
            place="sessions" if DOUBTFUL * facts.sessions < counts.lonely else None,
        )
    if counts.hollow:
        notes.warn(
            f"queries: {counted(counts.hollow, 'query')} marked as shown, but without a row in results; they count "
            "and gain 0"
        )
    _notice_judgments(judgments, settings, notes)
    without, first = counts.unjudged
    if without:
        notes.warn(
            f"judgments: none for the judgment_key of {counted(without, 'session')} (first: {first!r}); "
            "scores that need them are undefined there",
            place="judgments.judgment_key" if 2 * without > facts.sessions else None,
        )
    if facts.results and not judgments.is_empty() and not counts.met and without + counts.lonely < facts.sessions:
        key, doc = judgments.select(JUDGMENT).row(0)
        many = judgments.n_unique(JUDGMENT)
        notes.warn(
            f"judgments: none of the {counted(many, 'judged document')} was shown for its key (first: {key!r}, {doc!r}); check how "
            "document ids are written",
            place="judgments.doc_id",
        )


def _notice_judgments(judgments: pl.DataFrame, settings: Settings, notes: Notes) -> None:
    """Note repeated judgments, and grades above the scale or below 0."""
    if judgments.is_empty():
        notes.tell("there are no judgments; measures of relevance are undefined")
        return
    finer = [name for name in FINER if name in judgments.columns]
    hashes = judgments.select(JUDGMENT + finer).hash_rows()
    if any_twice(hashes.to_numpy()):
        repeated = judgments.lazy().group_by(JUDGMENT + finer).len().filter(pl.col("len") > 1).collect()
    else:
        repeated = judgments.clear()
    if repeated.height:
        key, doc = repeated.sort(JUDGMENT).select(JUDGMENT).row(0)
        notes.warn(
            f"judgments: {counted(repeated.height, 'document')} judged more than once for one key (first: {key!r}, "
            f"{doc!r}); merged by merge = {settings.merge!r} when scored, "
            f"which can be set {AT_THE_TOP}",
            place=None,
        )
    top = inf if settings.max_grade is None else settings.max_grade
    above = judgments.filter(pl.col("grade") > top)
    if above.height:
        (highest,) = above.select(pl.col("grade").max()).row(0)
        notes.warn(
            f"judgments: {counted(above.height, 'grade')} above max_grade = {top:g}, the highest {highest:g}; measures "
            f"that need the top of the scale refuse a merged grade above it: correct max_grade {AT_THE_TOP}, or the grades"
        )
    negative = judgments.filter(pl.col("grade") < 0)
    if negative.height and settings.unjudged_grades is None:
        (lowest,) = negative.select(pl.col("grade").min()).row(0)
        notes.tell(
            f"judgments: {counted(negative.height, 'grade')} below 0, assumed judged with gain 0; set "
            f"unjudged_grades = [{lowest:g}] {AT_THE_TOP} if they mean unjudged, or unjudged_grades = [] if they are judged"
        )
