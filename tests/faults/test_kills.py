"""Killed at calls that change files, and at any moment: the old or the new is whole, and the next run leaves nothing over.

With ``-s`` each test prints its figures.

A power loss at any call: of all that the disk may then hold, the old or the new is whole.

With ``-s`` each test prints its figures.
"""

import os
import pickle
import random
import shutil

import pytest

from tests.support.children import Task
from tests.support.operations import OPERATIONS, at, copy_of, files_in, leftovers

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


@pytest.mark.slow
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


POWER_LOSS_SHORT = {"ingest deep": 2, "ingest over": 2, "replace a partition": 2, "mapping": 2, "score": 4}
"""States by chance after each call, beside the extremes, by default."""
POWER_LOSS_LONG = 60


POWER_LOSS_TRIES = [pytest.param(name, many, id=f"{name}-short") for name, many in POWER_LOSS_SHORT.items()] + [
    pytest.param(one.name, POWER_LOSS_LONG, marks=PROOF, id=f"{one.name}-long") for one in OPERATIONS
]


@pytest.mark.parametrize(("name", "many"), POWER_LOSS_TRIES)
def test_what_is_on_the_disk_is_the_old_or_the_new(course, name, many):
    course = course(name)
    tried, new, faults = 0, 0, []
    allowed = {
        target: (files_of(course.before, target), files_of(course.after, target)) for target in course.operation.targets
    }
    for number, moment in enumerate(course.moments):
        for found in moment.after_loss(many, number):
            tried += 1
            there = {target: files_of(found, target) for target in allowed}
            new += all(there[target] == allowed[target][1] for target in allowed)
            faults += [
                f"before call {number}, {moment.event}: {target} is neither the old nor the new"
                for target in allowed
                if there[target] not in allowed[target]
            ]
    print(f"\n{name}: {len(course.moments)} losses, {tried} states of the disk, {new} new, {len(faults)} failed")
    assert faults == []
    finished = course.moments[-1]
    assert all(
        files_of(found, target) == allowed[target][1] for found in finished.after_loss(many, 0) for target in allowed
    ), "what a command says is written is on the disk"


def files_of(files, place):
    """Return the files at a place, without directories."""
    return {path: content for path, content in at(files, place).items() if not path.endswith("/")}


def test_what_was_not_forced_to_the_disk_is_found_missing(server, start, tmp_path):
    """The model finds what it is there to find: a command that forces nothing, and one that forces no names."""
    for forced, whole in (("True", True), ("False", False), ("not stat.S_ISDIR(os.fstat(held).st_mode)", False)):
        folder, record = copy_of(start, tmp_path / f"copy {len(forced)}"), tmp_path / "moments"
        text = f"""
import os, stat
real = os.fsync
os.fsync = lambda held: real(held) if {forced} else None
from sessionkit.study.files import write_whole
from pathlib import Path
write_whole(Path("scores.tsv"), b"new")
"""
        (ended,) = server.run(Task(("python", text), str(folder), record=str(record)))
        assert ended.status == 0, ended
        moments = pickle.loads(record.read_bytes())  # noqa: S301 - written by our own child
        found = {state.get("scores.tsv") for moment in moments for state in moment.after_loss(8, 0)}
        last = {state.get("scores.tsv") for state in moments[-1].after_loss(8, 0)}
        assert (found <= {b"old\n", b"new"} and last == {b"new"}) == whole
