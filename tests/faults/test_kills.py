"""Killed at calls that change files, and at any moment: the old or the new is whole, and the next run leaves nothing over.

With ``-s`` each test prints its figures.
"""

import os
import random
import shutil

import pytest

from tests.support.children import Task
from tests.support.operations import OPERATIONS, at, files_in, leftovers

SHORT = {"ingest over": 4, "replace a partition": 3, "mapping": 3, "score": 3}
"""Kills of each operation by default."""
LONG = {"image": 5, "report": 5, "chart": 6}
"""Kills of each operation in the long form, where they are not `MOST`: drawing takes its time."""
MOST, BY_TIME = 12, 4
PROOF = pytest.mark.proof
TRIES = [pytest.param(name, many, 0, id=f"{name}-short") for name, many in SHORT.items()] + [
    pytest.param(one.name, LONG.get(one.name, MOST), BY_TIME, marks=PROOF, id=f"{one.name}-long") for one in OPERATIONS
]


def calls_to_kill_at(course, many):
    """Numbers of calls: those around the exchange or the last rename, and others evenly among the rest."""
    events = [moment.event for moment in course.moments]
    turn = max(number for number, event in enumerate(events, start=1) if event in ("exchange", "os.rename"))
    near, last = [turn, turn + 1, turn + 2], len(events) - 1
    spread = [round(1 + step * (last - 1) / max(1, many - 4)) for step in range(max(1, many - 3))]
    return sorted({*near[: max(1, many - 1)], *spread} & set(range(1, last + 1)))


def age(folder, left):
    """Make what was left so old that it belongs to nobody."""
    for path in left:
        os.utime(folder / path, (0, 0))


@pytest.mark.parametrize(("name", "many", "by_time"), TRIES)
def test_a_killed_command_leaves_the_old_or_the_new(course, server, tmp_path, *, name, many, by_time):
    course = course(name)
    chance = random.Random(name)  # noqa: S311 - any of them will do
    kills = [{"kill_at": number} for number in calls_to_kill_at(course, many)]
    kills += [{"kill_after": chance.uniform(0, course.ended.seconds)} for _ in range(by_time)]
    faults, killed, new, littered = [], 0, 0, 0
    for kill in kills:
        folder = course.copy(tmp_path / "killed")
        (ended,) = server.run(Task(course.operation.arguments, str(folder), **kill))
        found = files_in(folder)
        left = leftovers(found, course.operation)
        killed += ended.status < 0
        littered += bool(left)
        finished = all(at(found, target) == at(course.after, target) for target in course.operation.targets)
        new += finished
        faults += [f"{kill}: {fault}" for fault in course.faults(found)]
        age(folder, left)
        (again,) = server.run(Task(course.operation.arguments, str(folder)))
        if finished and course.operation.once:
            assert "already exists" in again.err
        elif again.status != 0:
            faults.append(f"{kill}: the next run ends with {again.status}: {again.err.strip().splitlines()[-1:]}")
        elif files_in(folder) != course.after:
            faults.append(f"{kill}: {sorted({*files_in(folder)} ^ {*course.after})} differ after the next run")
        shutil.rmtree(folder)
    print(f"\n{name}: {len(kills)} tried, {killed} killed, {littered} left files, {new} new, {len(faults)} failed")
    assert faults == []
    assert killed >= len(kills) - by_time


@pytest.mark.parametrize(
    "past", [pytest.param(1, marks=PROOF), 2, pytest.param(3, marks=PROOF), pytest.param(4, marks=PROOF)]
)
def test_where_directories_cannot_be_swapped_the_old_is_put_back(course, server, tmp_path, past):
    course = course("ingest over")
    turn = next(number for number, moment in enumerate(course.moments, start=1) if moment.event == "exchange")
    folder = course.copy(tmp_path / "killed")
    (ended,) = server.run(Task(course.operation.arguments, str(folder), kill_at=turn + past, swap=False))
    assert ended.status < 0
    aside = list(folder.glob(".study.*.replaced"))
    assert bool(aside) == (past in (2, 3, 4))
    whole = [at(course.before, "study"), at(course.after, "study")]
    if past == 2:
        assert not (folder / "study").exists(), "this is between the two renames"
        assert {f"study/{path}": content for path, content in files_in(aside[0]).items()} == {
            path: content for path, content in whole[0].items() if path != "study/"
        }
    else:
        assert at(files_in(folder), "study") in whole
    age(folder, leftovers(files_in(folder), course.operation))
    (again,) = server.run(Task(course.operation.arguments, str(folder), swap=False))
    assert again.status == 0, again
    assert files_in(folder) == course.after
