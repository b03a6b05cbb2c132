"""A small study with hostile names in it, and the command line called in this process."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from sessionkit.cli import main

STUDY_TOML = """
title = "Toy"
synthetic = true
max_grade = 2
[sessions]
path = "sessions.csv"
[results]
path = "results.tsv"
quote = false
empty_list = "no results"
[judgments]
path = "qrels"
"""
SESSIONS = "session_id,user_id,system_id,topic_id,team\ns1,u1,A,t,[red]x\ns2,u2,B,t,=1+1\n"
# s1: a list <0,1,0>, an empty one, a list <2,0,1>; s2: one list <2>; recall base 2, 2, 1, 1
RESULTS = """\
session_id	query_position	rank	doc_id
s1	1	1	x
s1	1	2	b
s1	1	3	y
s1	2	no results	-
s1	3	1	a
s1	3	2	z
s1	3	3	\x1b[31mc
s2	1	1	d
"""
QRELS = "t 0 a 2\nt 0 d 2\nt 0 b 1\nt 0 \x1b[31mc 1\nt 0 x 0\n"


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of stdout."""
        return self.out.splitlines()


@pytest.fixture
def call(capsys):
    """Call the command line with some arguments."""

    def call(*arguments) -> Outcome:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Outcome(status, *capsys.readouterr())

    return call


@pytest.fixture
def refused(call):
    """Call the command line, which must end with this status and one line that names these things."""

    def refused(status, *arguments, names=()) -> str:
        outcome = call(*arguments)
        errors = [line for line in outcome.err.splitlines() if not line.startswith("note: ")]
        assert outcome.status == status, outcome
        assert len(errors) == 1, outcome.err
        assert errors[0].startswith("error: ")
        assert "Traceback" not in outcome.err
        for name in names:
            assert name in errors[0]
        return errors[0]

    return refused


def written(folder) -> Path:
    """Write the files of the toy study; return its study.toml."""
    folder.mkdir()
    for name, text in (
        ("sessions.csv", SESSIONS),
        ("results.tsv", RESULTS),
        ("qrels", QRELS),
        ("study.toml", STUDY_TOML),
    ):
        (folder / name).write_text(text)
    return folder / "study.toml"


@pytest.fixture
def log(tmp_path) -> Path:
    """The files of the toy study; its study.toml."""
    return written(tmp_path / "log")


@pytest.fixture(scope="session")
def toy(tmp_path_factory) -> Path:
    """The toy study, ingested once in a process."""
    folder = tmp_path_factory.mktemp("toy")
    assert main(["ingest", str(written(folder / "log")), "--out", str(folder / "toy")]) == 0
    return folder / "toy"


@pytest.fixture
def study(log, toy) -> Path:
    """A copy of the ingested toy study, beside its log."""
    return shutil.copytree(toy, log.parent.parent / "toy")
