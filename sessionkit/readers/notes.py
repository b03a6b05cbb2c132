"""What was unusual in a source: sentences kept with the study, and warned of where they may change a score."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import polars as pl

from sessionkit.errors import DataWarning
from sessionkit.study import Study

FINER = ("subtopic_id", "passage_id", "judge_id")
LIST = ["session_id", "query_position"]
JUDGMENT = ["judgment_key", "doc_id"]


@dataclass
class Notes:
    """Sentences in the order in which they were noticed."""

    told: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)

    def tell(self, sentence: str) -> None:
        """Keep a sentence."""
        self.told.append(sentence)

    def warn(self, sentence: str) -> None:
        """Keep a sentence and warn of it when reading ends."""
        self.told.append(sentence)
        self.warned.append(sentence)

    def give_warnings(self) -> None:
        """Issue what is to be warned of, each sentence as one :class:`~sessionkit.errors.DataWarning`."""
        for sentence in self.warned:
            warnings.warn(sentence, DataWarning, stacklevel=2)


def notice(study: Study, notes: Notes) -> None:
    """Note what is unusual in a study that has just been read."""
    facts = study.facts
    for status, meaning in (
        ("empty", "empty lists; they count, with nothing gained"),
        ("not_logged", "lists that were not logged; they are outside every measure"),
        ("partly_observed", "lists observed in part; measures that look deeper are flagged"),
    ):
        if count := getattr(facts, status):
            notes.tell(f"{count:,} of {facts.queries:,} queries with {meaning}")
    if facts.repeats_in_lists:
        notes.warn(
            f"results: {counted(facts.repeats_in_lists, 'row')} with a document shown earlier in the list; it keeps "
            "its slot and gains once"
        )
    _notice_lists(study, notes)
    _notice_judgments(study, notes)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 row``, ``2,000 rows``.

    >>> counted(2000, "row")
    '2,000 rows'
    """
    return (
        f"{number:,} {noun}"
        if number == 1
        else f"{number:,} {noun.removesuffix('y')}ies"
        if noun.endswith("y")
        else f"{number:,} {noun}s"
    )


def _notice_lists(study: Study, notes: Notes) -> None:
    """Note lists with gaps in their ranks, sessions without queries, lists said to be shown that have no rows."""
    if gaps := study.facts.lists_with_gaps:
        notes.tell(f"results: {counted(gaps, 'list')} with gaps in the ranks: slots whose content is unknown")
    bare = study_count(study.sessions.join(study.queries, on="session_id", how="anti"))
    if bare:
        notes.warn(f"sessions: {counted(bare, 'session')} without any query")
    hollow = study_count(
        study.queries.filter(pl.col("results_status") == "shown").join(study.results, on=LIST, how="anti")
    )
    if hollow:
        notes.warn(
            f"queries: {counted(hollow, 'query')} said to be shown, without any row in results; they count, "
            "with nothing gained"
        )


def _notice_judgments(study: Study, notes: Notes) -> None:
    """Note repeated and negative judgments, and sessions that none belongs to."""
    if not study.facts.judgments:
        notes.tell("there are no judgments; measures of relevance are undefined")
        return
    finer = [name for name in FINER if name in study.columns("judgments")]
    repeated = study.judgments.group_by(JUDGMENT + finer).len().filter(pl.col("len") > 1)
    again = study_count(repeated)
    if again:
        key, doc = repeated.sort(JUDGMENT).head(1).collect().select(JUDGMENT).row(0)
        notes.warn(
            f"judgments: {counted(again, 'document')} judged more than once for one key (first: {key!r}, {doc!r}); "
            f"merged by merge = {study.settings.merge!r} when scored"
        )
    negative = study.judgments.filter(pl.col("grade") < 0, ~pl.col("grade").is_in(study.settings.unjudged_grades))
    if below := study_count(negative):
        notes.tell(
            f"judgments: {counted(below, 'grade')} below 0, taken as judged and without gain; unjudged_grades "
            "says otherwise"
        )
    keys = study.queries.join(study.sessions.select("session_id", "judgment_key"), on="session_id", suffix="_session")
    own = [pl.col("judgment_key")] if "judgment_key" in study.columns("queries") else []
    inherited = pl.col("judgment_key_session") if own else pl.col("judgment_key")
    keys = keys.select("session_id", key=pl.coalesce(*own, inherited))
    judged = study.judgments.select(key="judgment_key").unique()
    without = (
        keys.join(judged, on="key", how="anti").select("session_id").unique().sort("session_id").collect()["session_id"]
    )
    if without.len():
        notes.warn(
            f"judgments: none for the judgment_key of {counted(without.len(), 'session')} (first: {without[0]!r}); "
            "scores that need them are undefined there"
        )


def study_count(frame: pl.LazyFrame) -> int:
    """Return the number of rows of a lazy frame."""
    return int(frame.select(pl.len()).collect().item())
