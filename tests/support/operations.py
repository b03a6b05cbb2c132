"""What writes: every command that puts something in a place, what it starts from, and what it may leave there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.children import Ended, Server, Task
from tests.support.disk import Moment

SETTINGS = """
title = "Toy"
synthetic = true
max_grade = 2
[sessions]
path = "sessions.csv"
[results]
path = "results.tsv"
[judgments]
path = "qrels"
"""
Files = dict[str, bytes]
FOREIGN = (
    "tmp/sessionkit-notes/notes.txt",
    "tmp/notes.txt",
    "notes.partial",
    ".study.mine.partial/notes.txt",
    "study.lock",
)
"""Files of others with names like those of leftovers."""


@dataclass(frozen=True)
class Operation:
    """A command, the paths that it puts something new in, the last one last.

    It may fill a folder file by file (`growing`), and refuse to be done twice (`once`).
    """

    name: str
    arguments: Sequence[str]
    targets: Sequence[str]
    growing: str = "-"
    once: bool = False

    @property
    def target(self) -> str:
        """The path that is replaced last."""
        return self.targets[-1]


SAVED = "import sessionkit as sk; sk.open_study('other').save('study')"
SCORE = ("score", "study", "nsDCG@10", "mean(nDCG@10)")
SHARE = ("pseudonymize", "study", "--seed", "1")
INGEST = ("ingest", "changed/study.toml", "--out")
OPERATIONS = [
    Operation("ingest", (*INGEST, "fresh"), ["fresh"]),
    Operation("ingest deep", (*INGEST, "new/folders/fresh"), ["new/folders/fresh"], "new"),
    Operation("ingest over", (*INGEST, "study"), ["study"]),
    Operation("ingest partitions", (*INGEST, "days", "--partition-by", "system_id"), ["days"]),
    Operation("add a partition", ("ingest", "c/study.toml", "--out", "days", "--partition", "system_id=C"), ["days"]),
    Operation(
        "replace a partition", ("ingest", "b/study.toml", "--out", "days", "--partition", "system_id=B"), ["days"]
    ),
    Operation("save", ("python", SAVED), ["study"]),
    Operation("pseudonymize", (*SHARE, "--out", "copy"), ["copy"]),
    Operation("mapping", (*SHARE, "--out", "shared", "--mapping", "mapping.csv"), ["shared", "mapping.csv"], once=True),
    Operation("score", (*SCORE, "--output", "scores.tsv"), ["scores.tsv"]),
    Operation(
        "cache",
        ("score", "days", "nsDCG@10", "--cache", "cache", "--output", "scores.tsv"),
        ["scores.tsv"],
        "cache",
    ),
    Operation("export", ("export", "run", "study", "--output", "study.run"), ["study.run"]),
    Operation("chart", ("chart", "gain-vectors", "study", "--output", "chart.html"), ["chart.html"]),
    Operation("image", ("chart", "gain-vectors", "study", "--output", "chart.svg"), ["chart.svg"]),
    Operation("report", ("report", "study", "nsDCG@10", "--output", "page.html"), ["page.html"]),
    Operation(
        "init",
        ("init", "log/sessions.csv", "log/results.tsv", "--output", "proposed.toml", "--force"),
        ["proposed.toml"],
    ),
]
BY_NAME = {operation.name: operation for operation in OPERATIONS}


def write_log(folder: Path, systems: str, sessions: int, first: int = 0, results: int = 8) -> None:
    """Write a log of some sessions of each system, numbered from `first`."""
    folder.mkdir()
    named = [(f"{system}{number:03}", system) for system in systems for number in range(first, first + sessions)]
    lines = [f"{session},u{session[1:]},{system},t{int(session[1:]) % 3}" for session, system in named]
    (folder / "sessions.csv").write_text("\n".join(["session_id,user_id,system_id,topic_id", *lines, ""]))
    rows = [
        f"{session}\t{query}\t{rank}\td{(int(session[1:]) * 7 + query * 5 + rank * 3) % 40}"
        for session, _ in named
        for query in (1, 2)
        for rank in range(1, results + 1)
    ]
    (folder / "results.tsv").write_text("\n".join(["session_id\tquery_position\trank\tdoc_id", *rows, ""]))
    qrels = [f"t{topic} 0 d{document} {(document + topic) % 3}" for topic in range(3) for document in range(40)]
    (folder / "qrels").write_text("\n".join([*qrels, ""]))
    (folder / "study.toml").write_text(SETTINGS)


def make_start(folder: Path, server: Server, results: int = 8) -> Path:
    """Make what all operations start from; return the folder."""
    (folder / "tmp").mkdir(parents=True)
    write_log(folder / "log", "AB", 5, results=results)
    write_log(folder / "changed", "AB", 6, results=results)
    write_log(folder / "b", "B", 4, first=20, results=results)
    write_log(folder / "c", "C", 4, results=results)
    for arguments in (
        ("ingest", "log/study.toml", "--out", "study"),
        ("ingest", "changed/study.toml", "--out", "other"),
        ("ingest", "log/study.toml", "--out", "days", "--partition-by", "system_id"),
        ("ingest", "b/study.toml", "--out", "copy"),
    ):
        (made,) = server.run(Task(arguments, str(folder)))
        assert made.status == 0, made
    for name in ("scores.tsv", "chart.html", "page.html"):
        (folder / name).write_text("old\n")
    for name in FOREIGN:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine\n")
    return folder


def copy_of(start: Path, place: Path) -> Path:
    """Return a copy of what operations start from."""
    return shutil.copytree(start, place, symlinks=True)


def files_in(folder: Path) -> Files:
    """Return the content of all files of a folder by path, and its directories, whose paths end in a slash, without."""
    return {
        f"{path.relative_to(folder).as_posix()}{'/' if path.is_dir() else ''}": b""
        if path.is_dir()
        else path.read_bytes()
        for path in folder.rglob("*")
    }


def at(files: Files, place: str) -> Files:
    """Return what is at a place, or beneath it."""
    return {path: content for path, content in files.items() if path == place or path.startswith(f"{place}/")}


def leftovers(files: Files, operation: Operation) -> Files:
    """Return what a killed command may have left: all of it is removed by the next."""
    places = "|".join(re.sub(r"([^/]+)$", r"\\.\1", re.escape(target)) for target in operation.targets)
    ours = re.compile(
        rf"({places})\.([0-9a-f]{{14}}\.(partial|replaced)|lock)(/.*)?"
        rf"|tmp/sessionkit-[0-9a-f]{{14}}\.temporary/.*|{operation.growing}/\..*\.[0-9a-f]{{14}}\.partial"
    )
    return {path: content for path, content in files.items() if ours.fullmatch(path)}


@dataclass(frozen=True)
class Course:
    """An operation as it goes when nothing happens: what there is before and after, and each change of files."""

    operation: Operation
    start: Path
    before: Files
    after: Files
    moments: Sequence[Moment]
    ended: Ended

    def copy(self, place: Path) -> Path:
        """Return a copy of what there is before."""
        return copy_of(self.start, place)

    def faults(self, found: Files) -> Iterator[str]:
        """Say what is neither the old nor the new, and what was others' and has changed."""
        targets = self.operation.targets
        for target in targets:
            if at(found, target) not in (at(self.before, target), at(self.after, target)):
                yield f"{target} is neither the old nor the new"
        ours = {*leftovers(found, self.operation), *(path for target in targets for path in at(found, target))}
        grown = at(found, self.operation.growing)
        if any(self.after.get(path) != content for path, content in grown.items() if path not in ours):
            yield f"{self.operation.growing} holds what is not whole"
        was = {path for target in targets for path in at(self.before, target)}
        others = {path: content for path, content in found.items() if path not in ours and path not in grown}
        if others != {path: content for path, content in self.before.items() if path not in was}:
            yield f"files of others changed: {sorted({*others} ^ ({*self.before} - was))}"
