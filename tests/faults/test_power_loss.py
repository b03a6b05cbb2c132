"""A power loss at any call: of all that the disk may then hold, the old or the new is whole.

With ``-s`` each test prints its figures.
"""

import pickle

import pytest

from tests.support.children import Task
from tests.support.operations import OPERATIONS, at, copy_of

SHORT = {"ingest deep": 2, "ingest over": 2, "replace a partition": 2, "mapping": 2, "score": 4}
"""States by chance after each call, beside the extremes, by default."""
LONG = 60
PROOF = pytest.mark.proof
TRIES = [pytest.param(name, many, id=f"{name}-short") for name, many in SHORT.items()] + [
    pytest.param(one.name, LONG, marks=PROOF, id=f"{one.name}-long") for one in OPERATIONS
]


@pytest.mark.parametrize(("name", "many"), TRIES)
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
