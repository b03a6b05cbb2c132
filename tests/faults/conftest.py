"""One server of children for all tests of faults, and what its commands do when nothing goes wrong."""

import pickle
from functools import cache

import pytest

from tests.support.children import Task, serving
from tests.support.operations import BY_NAME, Course, copy_of, files_in, make_start


@pytest.fixture(scope="session")
def server():
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def start(server, tmp_path_factory):
    return make_start(tmp_path_factory.mktemp("faults") / "start", server)


@pytest.fixture(scope="session")
def course(server, start, tmp_path_factory):
    """Return the course of an operation by its name."""

    @cache
    def course(name: str) -> Course:
        place = tmp_path_factory.mktemp("course")
        folder, record = copy_of(start, place / "done"), place / "moments"
        (ended,) = server.run(Task(BY_NAME[name].arguments, str(folder), record=str(record)))
        assert ended.status == 0, ended
        moments = pickle.loads(record.read_bytes())  # noqa: S301 - written by our own child
        return Course(BY_NAME[name], start, files_in(start), files_in(folder), moments, ended)

    return course
