"""What is asked of a study while a report is made: a verb with its arguments, and the reductions by which it reads the study.

A section declares its questions, and answers them with the same values; the page reads the study once for all of them, see
`sessionkit.scoring.reduction.in_one_pass`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sessionkit.analysis.breakdown.breakdown import breakdown, breakdown_task
from sessionkit.analysis.breakdown.significance_tests import breakdown_tests, breakdown_tests_task
from sessionkit.analysis.compare.compare import compare, compare_task
from sessionkit.analysis.curve import curve, curve_task
from sessionkit.analysis.describe import ListsReduction, describe
from sessionkit.analysis.reformulations import reformulations, reformulations_task
from sessionkit.analysis.sweep.sweep import sweep, sweep_task
from sessionkit.reports.live.counts import counts_of, counts_task
from sessionkit.reports.session_rows import pick, pick_tasks
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import score, score_task
from sessionkit.study import Study

T = TypeVar("T")
TASKS: dict[Callable[..., Any], Callable[..., Reduction | Sequence[Reduction]]] = {
    breakdown: breakdown_task,
    breakdown_tests: breakdown_tests_task,
    compare: compare_task,
    counts_of: counts_task,
    curve: curve_task,
    describe: lambda _study: ListsReduction(),
    pick: pick_tasks,
    reformulations: reformulations_task,
    score: score_task,
    sweep: sweep_task,
}
"""The verbs that can be asked, and of each what it will read, told from the same arguments."""


@dataclass(frozen=True, eq=False)
class StudyQuestion(Generic[T]):
    """A question to a study; made by `ask`.

    Parameters
    ----------
    verb
        One of `TASKS`.
    study
        Of which study.
    given, named
        Its arguments, by place and by name.
    """

    verb: Callable[..., T]
    study: Study
    given: tuple[Any, ...]
    named: Mapping[str, object]

    def answer(self, **options: object) -> T:
        """The answer; `options` are arguments on which it does not depend what is read."""
        return self.verb(self.study, *self.given, **self.named, **options)

    def reductions(self) -> list[Reduction]:
        """What the verb reads the study for; raises what the verb would raise of these arguments."""
        found = TASKS[self.verb](self.study, *self.given, **self.named)
        return [*found] if isinstance(found, Sequence) else [found]


def ask(verb: Callable[..., T], study: Study, *given: object, **named: object) -> StudyQuestion[T]:
    """Put a question to a study, which is answered later."""
    return StudyQuestion(verb, study, given, named)
