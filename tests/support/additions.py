"""One more measure, format, chart, section of the report and command, put into a copy of the package: how many places that takes.

A place is a file that is new or grows, or a line of a registry. `added` makes the edits in a copy and counts them, `answers`
runs the copy in a process of its own and says what the five do. Lines that name one thing of a kind, its sibling, must name
the new one as well; those are looked for, so that what no longer has to be said is no longer counted.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.guides import changes_of

GUIDE = Path(__file__).parents[2] / "sessionkit" / "guides" / "adding.md"
GUIDED = {change.path: change.new for change in changes_of(GUIDE.read_text(encoding="utf-8"))}
"""Files of the guide that says how to add what is added here."""
MEASURE = '''

@dataclass(frozen=True, repr=False, kw_only=True)
class SquaredReciprocalRank(ReciprocalRank):
    """RRsq: the square of one over the rank of the first relevant result."""

    name = "RRsq"

    def terms(self, lists: Lists) -> pl.DataFrame:
        """The square of the reciprocal rank."""
        return super().terms(lists).with_columns(pl.col("term") ** 2)


RRsq = SquaredReciprocalRank()
FAMILY = (*FAMILY, RRsq)
'''
FORMAT = '''"""Format ``pairs``: a session and a document, with a tilde between them; every session is one list."""

from __future__ import annotations

import polars as pl

from sessionkit.study.checks import RECORD
from sessionkit.readers.format import Glimpse
from sessionkit.readers.records import Log, Taken, raw_of

TRIED = "a log that was made up"


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with two words and a tilde between them."""
    return glimpse.head.split("\\n")[0].count(" ~ ") == 1


def take(log: Log) -> Taken:
    """Take the files apart."""
    raws = []
    for file in log.files:
        pairs = [line.split(" ~ ") for line in file.path.read_text(encoding="utf-8").splitlines()]
        frame = pl.DataFrame(pairs, ["session_id", "doc_id"], orient="row").with_row_index(RECORD, offset=1)
        rank = pl.int_range(1, pl.len() + 1).over("session_id")
        rows = frame.with_columns(pl.col(RECORD).cast(pl.Int64), query_position=pl.lit(1), rank=rank)
        raws.append(raw_of(file, "results", rows))
    return Taken({"results": raws})
'''
FORMAT_ENTRY = """    "pairs": Format("pairs of a session and a document", reader("pairs", pairs.take), fits=pairs.fits, tried=pairs.TRIED),
"""
CHART = GUIDED["sessionkit/charts/kinds/bars.py"]
CHART_ENTRY = """    "bars": ChartKind("the number of queries by system", "one_session", ("Queries",)),
"""
FIGURE = '''

def bars(study: Study, choices: Choices) -> Figure:
    """The number of queries by system."""
    from sessionkit import score

    return Figure("bars", "Bars", charts.bars(score(study, "Queries")), "A bar for every system.")
'''
SECTION = GUIDED["sessionkit/reports/sections/welcome.py"]
COMMAND = GUIDED["sessionkit/cli/count.py"]
CHILD = """
import contextlib, io, json, pathlib, sys
import sessionkit as sk
from sessionkit.cli import main

def run(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        return main([*map(str, words)]), out.getvalue()

folder = pathlib.Path(sys.argv[1])
assert pathlib.Path(sk.__file__).is_relative_to(folder), sk.__file__
pairs, saved, page = folder / "pairs.txt", folder / "study", folder / "page.html"
pairs.write_text("s ~ a\\ns ~ b\\nt ~ c\\n")
study = sk.from_tables(
    results={"session_id": ["s", "s", "t"], "query_position": [1] * 3, "rank": [1, 2, 1], "doc_id": ["a", "b", "c"]},
    sessions={"session_id": ["s", "t"], "topic_id": ["k", "k"], "system_id": ["A", "B"]},
    judgments={"judgment_key": ["k", "k"], "doc_id": ["b", "c"], "grade": [1, 2]},
)
study.save(saved)
print(json.dumps({
    "measure": {
        "values": sk.score(study, ["RR", "RRsq"], per="query")["value"].to_list(),
        "name": str(sk.RRsq),
        "public": "RRsq" in sk.__all__,
    },
    "format": {"rows": sk.read(pairs).results.collect().select("session_id", "rank", "doc_id").rows()},
    "chart": {
        "status": run("chart", "bars", saved, "--output", folder / "bars.json")[0],
        "drawn": (folder / "bars.json").exists(),
        "listed": "bars" in sk.charts.KINDS and "bars" in run("chart", "--help")[1],
        "public": "bars" in sk.charts.__all__,
    },
    "section": {"status": run("report", saved, "--output", page)[0], "written": "Hello, " in page.read_text()},
    "command": dict(zip(("status", "printed"), run("count", saved))),
}))
"""


@dataclass(frozen=True)
class Place:
    """A file that grows, or a line that names a sibling: where it is, and its number."""

    file: str
    line: int


def copied(package: Path, folder: Path) -> Path:
    """Return a copy of the package in a folder, with what it reads beside itself."""
    shutil.copytree(package, folder / package.name)  # with what is compiled: nothing else takes as long
    (folder / "schemas").symlink_to(package.parent / "schemas")
    return folder / package.name


def added(package: Path) -> dict[str, set[Place]]:
    """Add one of each kind to a copy of the package; return the places of each."""
    sections, formats, app = (_defining(package, f"{name}: ") for name in ("SECTIONS", "OWN_FORMATS", "PANELS"))
    charts = _defining(package, "OWN_CHARTS = ")
    measures = _defining(package, "class ReciprocalRank")
    elsewhere = _defining(package, "NOT_OURS = ")  # names that other tools have for our measures
    return {
        "measure": _named(package, "Success", "RRsq", but=(measures, elsewhere)) | _grown(measures, MEASURE),
        "format": _new(formats.parent / "pairs.py", FORMAT)
        | _after(formats, r"^    events,\n", "    pairs,\n")
        | _after(formats, r"^OWN_FORMATS: .*\{\n", FORMAT_ENTRY),
        "chart": _new(charts.parent / "kinds" / "bars.py", CHART)
        | _grown(_defining(package, "def waterfall(study"), FIGURE)
        | _after(charts, r"^OWN_CHARTS = \{\n", CHART_ENTRY)
        | _named(package, "sweep-map", "bars", but=(charts,)),
        "section": _new(sections.parent / "welcome.py", SECTION) | _named(sections, "ratings", "welcome"),
        "command": _new(app.parent / "count.py", COMMAND) | _named(app, "demo", "count"),
    }


def answers(folder: Path) -> dict[str, object]:
    """Return what the five do, asked in a process that imports the package of a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    words = [sys.executable, "-W", "ignore", "-c", CHILD, str(folder)]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def _defining(package: Path, words: str) -> Path:
    """Return the only file in which a line begins with some words."""
    (found,) = (path for path in sorted(package.rglob("*.py")) if f"\n{words}" in path.read_text(encoding="utf-8"))
    return found


def _new(path: Path, text: str) -> set[Place]:
    """Write a file."""
    path.write_text(text, encoding="utf-8")
    return {Place(path.name, 0)}


def _grown(path: Path, text: str) -> set[Place]:
    """Write at the end of a file."""
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    return {Place(path.name, 0)}


def _after(path: Path, pattern: str, text: str) -> set[Place]:
    """Write behind the first line of a file that a pattern fits; nothing where none does."""
    before = path.read_text(encoding="utf-8")
    found = re.search(pattern, before, re.MULTILINE)
    if found is None:
        return set()
    path.write_text(before[: found.end()] + text + before[found.end() :], encoding="utf-8")
    return {Place(path.name, before.count("\n", 0, found.end()))}


def _named(where: Path, sibling: str, new: str, but: Sequence[Path] = ()) -> set[Place]:
    """Name the new one in every line that names its sibling, but for those that define or use it."""
    places = set()
    for path in [where] if where.is_file() else sorted(where.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path in but or sibling not in text:
            continue
        lines = text.splitlines(keepends=True)
        for number in sorted(_lines_naming(text, sibling), reverse=True):
            lines[number - 1] = _with(lines[number - 1], sibling, new)
            places.add(Place(path.relative_to(where.parent).as_posix(), number))
        path.write_text("".join(lines), encoding="utf-8")
    return places


def _lines_naming(text: str, sibling: str) -> set[int]:
    """Return the numbers of the lines in which a sibling stands in a list, an import or as a key."""
    found = set()
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        word = token.string.strip("\"'") if token.type in (tokenize.NAME, tokenize.STRING) else ""
        listed = (
            token.type == tokenize.STRING and before.type in (tokenize.NL, tokenize.OP) and f", {sibling}, " in word
        )
        named = (
            word == sibling
            and before.string not in ("def", "class", ".", "[", "(")
            and after.string not in ("(", "=", ".")
        )
        if (named and after.string != "]") or (listed and '"""' not in token.string):
            found.add(token.start[0])
    return found


def _with(line: str, sibling: str, new: str) -> str:
    """Return a line with the new one beside its sibling, or as a second line where it has one of its own.

    What is imported has a file of its own.
    """
    imported = re.fullmatch(rf"(from \S+\.)\w+ import .*\b{sibling}\b.*\n", line)
    if imported:
        return f"{line}{imported[1]}{new} import {new}\n"
    alone = re.fullmatch(rf"\s*[\"']?{sibling}[\"']?\s*(:.*)?,\s*", line)
    if alone:
        return line + re.sub(rf"\b{sibling}\b", new, line)
    return re.sub(rf"([\"']?)\b{sibling}\b\1", rf"\g<0>, \g<1>{new}\g<1>", line, count=1)
