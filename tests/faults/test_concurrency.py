"""Several writers of one study, and readers while it is replaced: all that ended well is there, and nothing is a mix.

With ``-s`` each test prints its figures.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter

import pytest

from sessionkit.study.files import sole_writer
from tests.support.children import PROJECT, Task
from tests.support.operations import copy_of, write_log

PROOF = pytest.mark.proof
READING = """
import sessionkit as sk, sys, time
from sessionkit.errors import SessionkitError
until = time.monotonic() + {seconds}
while time.monotonic() < until:
    try:
        study = sk.open_study("study")
        values = sk.score(study, ["nsDCG@10", "sDCG@10"], by=None)
        with study.reading():
            found = [study.sessions.collect().height, study.results.collect().height, *values.row(0)]
    except SessionkitError as error:
        found = ["refused", type(error).__name__, str(error)]
    except BaseException as error:
        found = ["untold", type(error).__name__, str(error).splitlines()[0]]
    print(repr(found))
"""
REPLACING = """
import sessionkit as sk, time
old, new = sk.open_study("old"), sk.open_study("other")
until = time.monotonic() + {seconds}
many = 0
while time.monotonic() < until:
    (new, old)[many % 2].save("study")
    time.sleep(0.1)  # else nothing stays long enough to be read
    many += 1
print(many)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("writers", "rounds"), [(3, 1), pytest.param(6, 8, marks=PROOF)])
def test_partitions_of_all_writers_that_ended_well_are_there(start, server, tmp_path, writers, rounds):
    tried, ended_well, faults = 0, 0, []
    for _ in range(rounds):
        folder = copy_of(start, tmp_path / "days")
        systems = "CDEFGH"[:writers]
        for number, system in enumerate(systems):
            write_log(folder / f"log{system}", system, 4, first=100 * number)
        tasks = [
            Task(
                ("ingest", f"log{one}/study.toml", "--out", "days", "--partition", f"system_id={one}"),
                str(folder),
            )
            for one in systems
        ]
        ended = server.run(*tasks)
        text = "import sessionkit as sk; print(*sorted(set(sk.open_study('days').sessions.collect()['system_id'])), sep='')"
        there, checked = server.run(
            Task(("python", text), str(folder)), Task(("check", "days", "--verify"), str(folder))
        )
        well = [system for system, one in zip(systems, ended, strict=True) if one.status == 0]
        tried += writers
        ended_well += len(well)
        if there.out.strip() != "".join(["AB", *well]):
            faults.append(f"{there.out.strip()} where AB{''.join(well)} ended well")
        if checked.status != 0:
            faults.append(checked.err)
        faults += [one.err for one in ended if one.status not in (0, 1, 2) or "Traceback" in one.err]
        shutil.rmtree(folder)
    print(f"\n{writers} writers at a time: {tried} tried, {ended_well} ended well, {len(faults)} failed")
    assert faults == []
    assert ended_well


INGEST = ("ingest", "changed/study.toml", "--out", "study")
ADD = ("ingest", "c/study.toml", "--out", "days", "--partition", "system_id=C")
SHARE = ("pseudonymize", "days", "--out", "study")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no locks")
@pytest.mark.parametrize(
    ("arguments", "number", "status"),
    [
        (ADD, signal.SIGINT, 130),
        *(
            pytest.param(arguments, number, status, marks=PROOF)
            for arguments in (INGEST, SHARE)
            for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (None, 0))
        ),
    ],
)
def test_a_second_writer_says_that_it_waits_and_can_be_stopped(start, tmp_path, arguments, number, status):
    folder = copy_of(start, tmp_path / "days")
    target = arguments[arguments.index("--out") + 1]
    with sole_writer(folder / target):
        waiting = subprocess.Popen(
            [sys.executable, "-m", "sessionkit", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = waiting.stderr.readline()
        if number is not None:
            waiting.send_signal(number)
            rest = waiting.communicate(timeout=60)[1]
    if number is None:
        rest = waiting.communicate(timeout=60)[1]
    assert re.match(rf"note: waiting .*{target} for process {os.getpid()} \(", said)
    assert (waiting.returncode, rest) == (status, "" if number else rest)
    assert "Traceback" not in rest
    assert [path for path in folder.glob(f".{target}.*") if path.name != ".study.mine.partial"] == []


COMMANDS = [
    ("score", "study", "nsDCG@10"),
    ("score", "study", "nsDCG@10", "--verify"),
    ("check", "study"),
    ("check", "study", "--verify"),
    ("describe", "study"),
    ("curve", "study", "nsDCG@10"),
    ("compare", "study", "nsDCG@10"),
    ("explain", "study", "nsDCG@10", "--session", "A001"),
    ("export", "run", "study", "--output", "study.run"),
    ("chart", "gain-vectors", "study", "--output", "chart.html"),
    ("pseudonymize", "study", "--out", "fresh"),
    ("report", "study", "nsDCG@10", "--output", "page.html"),
]


@pytest.mark.proof
def test_commands_that_read_say_that_a_study_was_replaced(server, start, tmp_path):
    folder = copy_of(start, tmp_path / "study")
    shutil.copytree(folder / "study", folder / "old")
    writing = Task(("python", REPLACING.format(seconds=8).replace("0.1", "0.02")), str(folder))
    ended = Counter()
    for at in range(0, len(COMMANDS), 3):
        commands = COMMANDS[at : at + 3] * 8
        for first in range(0, len(commands), 12):
            writer, *read = server.run(writing, *(Task(one, str(folder)) for one in commands[first : first + 12]))
            assert writer.status == 0, writer
            for command, one in zip(commands[first:], read, strict=False):
                error = [line for line in one.err.splitlines() if line.startswith("error") or "Traceback" in line]
                ended[command[0], one.status, *error] += 1
    print(f"\n{ended.total()} commands while a study is replaced: {dict(ended)}")
    assert {status for _, status, *_ in ended} == {0, 1}
    errors = {error for _, _, *errors in ended for error in errors}
    assert all("was replaced after" in error or "being replaced again and again" in error for error in errors)


@pytest.mark.slow
@pytest.mark.parametrize(("readers", "seconds"), [(2, 1.5), pytest.param(3, 10, marks=PROOF)])
def test_readers_see_the_old_or_the_new(start, server, tmp_path, readers, seconds):
    folder = copy_of(start, tmp_path / "study")
    shutil.copytree(folder / "study", folder / "old")
    whole = []
    for name in ("old", "other"):
        text = READING.format(seconds=0.001).replace('"study"', repr(name))
        (alone,) = server.run(Task(("python", text), str(folder)))
        whole.append(alone.out.splitlines()[0])
    reading = Task(("python", READING.format(seconds=seconds)), str(folder))
    writing = Task(("python", REPLACING.format(seconds=seconds)), str(folder))
    writer, *read = server.run(writing, *[reading] * readers)
    assert writer.status == 0, writer
    lines = [line for one in read for line in one.out.splitlines()]
    refused = [line for line in lines if line.startswith("['refused'")]
    untold = Counter(line.split("'")[3] for line in lines if line.startswith("['untold'"))
    mixed = [line for line in lines if line not in (*whole, *refused) and not line.startswith("['untold'")]
    print(
        f"\n{readers} readers, {writer.out.strip()} replacements: {len(lines)} read, {len(refused)} refused, "
        f"{untold.total()} not told by the package {dict(untold)}, {len(mixed)} mixed"
    )
    assert len(set(whole)) == 2
    assert mixed == []
    assert [line for line in refused if "was replaced after" not in line] == []
    assert not untold
    assert {line for line in lines if line in whole}
