"""Expected precision and average precision of a session's scan paths: esP and esAP of the expected-session family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessionkit.scoring.measures.base import NO_BASE
from sessionkit.scoring.measures.expected_gain import ExpectedMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.scan_paths.expectation import PathValue


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedPrecision(ExpectedMeasure):
    """esP: the expected share of relevant documents in a scan path.

    Range [0, 1]; higher is better. A path without documents has precision 0. Parameters and paths are those of esDCG.
    Null where the session's key has no judgments at all.

    One list <0, 1>, pdown=0.5: half of the paths have precision 0, half 1/2:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("ss"), "query_position": [1, 1], "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [0, 2]},
    ... )
    >>> sk.score(study, "esP(pdown=0.5,pref=0.5)").get_column("value").item()
    0.25
    """

    name = "esP"
    bounds = "rising"
    example = "esP(pdown=0.7,pref=0.9)@10"
    formula = "E[relevant documents of the path / documents of the path]"
    meaning = "expected share of relevant documents on a random reading path"
    over = "length"

    @property
    def highest(self) -> float | None:
        """Every document relevant."""
        return 1.0


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedAveragePrecision(ExpectedMeasure):
    """esAP: the expected average precision of a scan path.

    Of a path, the precisions at its relevant documents are added up and divided by the number R of relevant documents of
    the recall base. Range [0, 1] with ``duplicates=first``; otherwise a relevant document that is shown again counts
    again, so that there is no bound. Higher is better. Parameters and paths are those of esDCG. Null where nothing is
    relevant (0 with ``undefined=zero``).

    One list <0, 1>, R=2, pdown=0.5: half of the paths find nothing, half one document with precision 1/2:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("ss"), "query_position": [1, 1], "rank": [1, 2], "doc_id": list("ab")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [0, 2, 1]},
    ... )
    >>> sk.score(study, "esAP(pdown=0.5,pref=0.5)").get_column("value").item()
    0.125
    """

    name = "esAP"
    example = "esAP(pdown=0.7,pref=0.9)@10"
    formula = "E[sum over relevant documents of the path of relevant so far / documents so far] / R"
    meaning = "expected average precision of a random reading path"
    undefined_where = NO_BASE
    higher_grade_can_lower = True
    over = "base"

    @property
    def highest(self) -> float | None:
        """1 where a document counts once in a path."""
        return 1.0 if self.duplicates == "first" else None

    def worth(self) -> PathValue:
        """The sum of precisions at relevant documents."""
        from sessionkit.scoring.scan_paths.expectation import PathValue

        return PathValue("binary", self.min_grade, None, over=self.over)


esP = ExpectedPrecision()  # noqa: N816 - the field's spelling
esAP = ExpectedAveragePrecision()  # noqa: N816
FAMILY = (esP, esAP)
