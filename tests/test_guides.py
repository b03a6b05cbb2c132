"""Guides: every path they name exists, the way of a score is the one that a score takes, and every example works."""

import ast
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import sessionkit as sk
from sessionkit.cli import main
from tests.support.additions import copied
from tests.support.guides import changes_of

PACKAGE = Path(sk.__file__).parent
ROOT = PACKAGE.parent
CONTRIBUTING, CODE_MAP, ADDING = (
    (PACKAGE / "guides" / f"{topic}.md").read_text(encoding="utf-8") for topic in ("contributing", "code-map", "adding")
)
DRAWING = re.search(r"```text\n(.*?)```", CONTRIBUTING, re.DOTALL)[1]
RUN = """
import contextlib, io, json, pathlib, sys
import sessionkit as sk
from sessionkit.cli import main

def run(*words):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = main([*map(str, words)])
        out.flush()
    return [status, out.buffer.getvalue().decode()]

folder = pathlib.Path(sys.argv[1])
assert pathlib.Path(sk.__file__).is_relative_to(folder), sk.__file__
study = sk.from_tables(
    results={"session_id": ["s", "s", "t"], "query_position": [1] * 3, "rank": [1, 2, 1], "doc_id": ["a", "b", "c"]},
    sessions={"session_id": ["s", "t"], "topic_id": ["k", "k"], "system_id": ["A", "B"]},
    judgments={"judgment_key": ["k", "k"], "doc_id": ["b", "c"], "grade": [1, 2]},
).save(folder / "study")
page, drawn = folder / "page.html", folder / "bars.json"
found = sk.single_queries(study)
print(json.dumps({
    "measure": sk.score(study, "RRcube", per="query")["value"].to_list(),
    "described": "1 / r^3" in run("measures", "RRcube")[1],
    "command": run("count", study.path),
    "section": [run("report", study.path, "--output", page)[0], "Hello, 2\xa0sessions" in page.read_text(encoding="utf-8")],
    "chart": [
        run("chart", "bars", study.path, "sDCG", "--by", "topic_id", "--output", drawn)[1].splitlines()[0],
        [row["group"] for rows in json.loads(drawn.read_text())["datasets"].values() for row in rows],
        "bars" in sk.charts.__all__,
    ],
    "width": sk.charts.bars(sk.score(study, "Queries"), width=200).to_dict()["width"],
    "finding": [found.table.rows(), found.text, "A & 1 & 1" in found.to_latex(), "| A | 1 | 1 |" in found.to_markdown()],
}))
"""


def test_every_path_exists():
    named = set(re.findall(r"`((?:[a-z_]+/)+[\w.*]*)`", CONTRIBUTING + CODE_MAP + ADDING)) | {
        change.path for change in changes_of(ADDING) if change.old
    }
    assert len(named) > 40
    lost = [path for path in named if not any([*PACKAGE.glob(path.rstrip("/")), *ROOT.glob(path.rstrip("/"))])]
    assert lost == []


def test_every_room_is_described():
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)` \|", CONTRIBUTING, re.MULTILINE)) == rooms


@pytest.mark.parametrize("room", sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")))
def test_every_room_says_what_comes_in_and_where_to_begin(room):
    said = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")))
    assert re.search(r"^In comes? .*; out go(es)? ", said, re.MULTILINE)
    (first,) = re.findall(r"Open `(\S+)` first\.", said)
    assert (PACKAGE / room / first).is_file()
    row = re.search(rf"^\| `{room}` \|.*\| `(\S+)` \|$", CONTRIBUTING, re.MULTILINE)
    assert row[1] == f"{room}/{first}"


@pytest.mark.parametrize("front", [*PACKAGE.rglob("__init__.py")], ids=lambda path: path.parent.name)
def test_a_list_of_files_names_every_file_and_no_other(front):
    said = ast.get_docstring(ast.parse(front.read_text(encoding="utf-8"))) or ""
    listed = re.findall(r"^ *((?:\w+(?:\.\w+|/)(?:, )?)+) +\S", said, re.MULTILINE)
    if listed:
        there = [*front.parent.glob("[a-z]*.py"), *(path.parent for path in front.parent.glob("[a-z]*/*.py"))]
        assert {path.name for path in there if not re.search(rf"(?<!\w){path.name}(?!\w)", said)} == set()
        assert [name for one in listed for name in one.split(", ") if not (front.parent / name).exists()] == []


def test_the_way_of_a_score_is_the_one_that_a_score_takes(tmp_path, capsys):
    judgments = {"judgment_key": ["k"] * 3, "doc_id": ["a", "b", "a"], "grade": [1, 2, 0], "judge_id": ["x", "x", "y"]}
    sk.from_tables(
        results={"session_id": ["s", "t"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]},
        sessions={"session_id": ["s", "t"], "topic_id": ["k", "k"], "system_id": ["A", "B"]},
        judgments=judgments, merge="max",
    ).save(tmp_path / "study")  # fmt: skip
    seen = set()

    def watch(frame, event, _):
        if event == "call":
            seen.add(frame.f_code.co_filename)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        assert main(["score", str(tmp_path / "study"), "nsDCG@10"]) == 0
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    capsys.readouterr()
    named = re.findall(r"[\w/]+\.py", DRAWING)
    assert len(named) > 15
    assert [path for path in named if not any(file.endswith(f"/{path}") for file in seen)] == []


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the examples do, in a copy of the package."""
    folder = tmp_path_factory.mktemp("changed")
    copied(PACKAGE, folder)
    for change in changes_of(ADDING):
        change.apply(folder)
    words = [sys.executable, "-W", "ignore", "-c", RUN, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "answer"),
    [
        ("measure", [0.125, 1.0]),
        ("described", True),
        ("command", [0, "2 sessions\n"]),
        ("section", [0, True]),
        ("chart", ["Mean of sDCG over the sessions of each group.", ["k"], True]),
        ("width", 200),
        (
            "finding",
            [
                [["A", 1, 1], ["B", 1, 1]],
                "A: 1 of 1 sessions have one query.\nB: 1 of 1 sessions have one query.",
                True,
                True,
            ],
        ),
    ],
)
def test_every_example_works(answers, example, answer):
    assert answers[example] == answer
