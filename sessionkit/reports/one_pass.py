"""What the sections of a report ask of a study that one pass over it can answer: it is read once for all of them.

A section asks as ever; what is planned here is at hand then (see `sessionkit.scoring.reduction.in_one_pass`). What is not
planned, or can only be asked once something else is known, is read for alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from sessionkit.analysis.breakdown.breakdown import breakdown_task
from sessionkit.analysis.curve import curve_task
from sessionkit.analysis.describe import ListsReduction
from sessionkit.analysis.sweep.sweep import sweep_task
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.live.counts import counts_task
from sessionkit.reports.live.measures import Varied
from sessionkit.reports.material import VARIED, Material
from sessionkit.reports.sections.behaviour import GAIN, known
from sessionkit.reports.session_rows import pick_tasks
from sessionkit.scoring.batch_cache import cache_batches
from sessionkit.scoring.reduction import Reduction, columns_of_tasks, in_one_pass
from sessionkit.scoring.score import score_task
from sessionkit.study.storage import LOG


@contextmanager
def read_once(of: Material) -> Iterator[None]:
    """Read a study once for what the sections of its report will ask, as long as this lasts."""
    if of.large:
        with (
            in_one_pass(of.study, _made(_of_all(of)), of.memory),
            in_one_pass(of.shown, _made(_of_shown(of)), of.memory),
        ):
            yield
    else:
        tasks = _made([*_of_all(of), *_of_shown(of)])
        with cache_batches(of.study, columns_of_tasks(tasks)), in_one_pass(of.study, tasks, of.memory):
            yield


def _made(tasks: Iterable[Callable[[], Reduction]]) -> list[Reduction]:
    """Tasks, each as often as it is asked for; what the study does not allow is left to its section."""
    made: list[Reduction] = []
    for task in tasks:
        try:
            made.append(task())
        except (DataError, MeasureError, UsageError):
            continue
    return made


def _of_all(of: Material) -> Iterator[Callable[[], Reduction]]:
    """What is asked of all sessions."""
    study, choices = of.study, of.choices
    yield lambda: score_task(study, of.measures, "session")  # first: means need no other look at the results then
    yield lambda: score_task(study, of.measures, of.per)
    if not of.large:
        yield lambda: score_task(study, [of.varied], "session")
    yield lambda: score_task(study, of.measures[0], f"{of.compared_by},topic_id")
    yield ListsReduction
    yield lambda: counts_task(study, Varied.of(choices), choices.by)
    if of.large:
        yield lambda: sweep_task(study, of.varied, VARIED, of.compared_by)
        yield from (partial(_picking, of, number) for number in range(len(LOG)))


def _picking(of: Material, number: int) -> Reduction:
    """What picks the rows of one table of the log that are looked at session by session."""
    return pick_tasks(of.study, of.looked_at["session_id"])[number]


def _of_shown(of: Material) -> Iterator[Callable[[], Reduction]]:
    """What is asked of the sessions that are looked at one by one."""
    study, choices = of.shown, of.choices
    yield lambda: breakdown_task(study, choices.tested, group=choices.by)
    yield lambda: curve_task(study, choices.ratio, choices.by)
    yield lambda: curve_task(study, choices.measure, choices.by, topic=choices.topic)
    yield lambda: curve_task(study, choices.measure, choices.by, topic=choices.topic, min_queries=choices.min_queries)
    yield lambda: score_task(study, [choices.tested], "query")
    yield lambda: score_task(study, known(of), choices.by)
    yield lambda: score_task(study, GAIN, "query")
