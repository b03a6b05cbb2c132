"""Errors, notes and signals as a shell sees them."""

import os
import shutil
import subprocess
import sys
import time
import warnings

import pytest

from sessionkit.cli import runner
from sessionkit.errors import DataWarning
from sessionkit.study import open_study

COMMAND = [sys.executable, "-c", "import sys; from sessionkit.cli import main; sys.exit(main())"]


def shell(*arguments, **options):
    """Run the program as a shell would."""
    words = [*COMMAND, *(str(argument) for argument in arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


@pytest.mark.slow
def test_statuses_in_the_shell(study):
    assert shell("score", study, "sDCG@3").returncode == 0
    assert shell("score", "nowhere", "sDCG@3").returncode == 1
    assert shell("score", study, "sdcg@3").returncode == 2
    assert shell().returncode == 2


@pytest.mark.slow
def test_results_and_notes_keep_apart(log):
    (log.parent / "qrels").write_text("t 0 a 1\nt 0 a 2\n")
    done = shell("score", log, "sDCG@3")
    assert done.stdout.startswith("system_id\tmeasure")
    assert done.stderr.startswith("note: ")
    assert "Warning" not in done.stderr


@pytest.mark.slow
def test_a_pipe_that_nobody_reads_is_no_error(study):
    for arguments in (["measures"], ["score", study, "sDCG@3"], ["schema", "results"], ["describe", study], ["--help"]):
        reading, writing = os.pipe()
        os.close(reading)
        words = [*COMMAND, *(str(argument) for argument in arguments)]
        with open(writing, "wb") as closed:  # noqa: PTH123 - a descriptor
            done = subprocess.run(words, stdout=closed, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == runner.PIPE, arguments
        assert all(line.startswith("note: queries") for line in done.stderr.splitlines()), arguments


def test_interrupting_is_status_130(monkeypatch, call):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sessionkit.cli.scores.open_source", interrupted)
    outcome = call("score", "x", "sDCG@3")
    assert (outcome.status, outcome.err) == (runner.INTERRUPTED, "")


@pytest.mark.parametrize("command", [["describe"], ["score"], ["pseudonymize"]])
def test_a_study_that_goes_while_it_is_read(monkeypatch, refused, study, tmp_path, command):
    place = shutil.copytree(study, tmp_path / "going")

    def opened(source):
        found = open_study(source)
        shutil.rmtree(source)
        return found

    monkeypatch.setattr("sessionkit.study.package.open_study", opened)
    rest = {"describe": [], "score": ["sDCG@3"], "pseudonymize": ["--out", tmp_path / "shared"]}[command[0]]
    refused(1, command[0], place, *rest, names=["going was removed after it was opened"])


def test_text_from_the_log_cannot_act_in_an_error(refused):
    assert "\x1b" not in refused(1, "score", "no\x1b[31mwhere\nat all", "sDCG@3", names=["no\\e[31mwhere"])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (FileNotFoundError(2, "No such file or directory", "x"), 1),
        (PermissionError(13, "Permission denied", "x"), 1),
        (IsADirectoryError(21, "Is a directory", "x"), 1),
        (MemoryError(), 1),
    ],
)
def test_errors_of_the_system_are_one_line(monkeypatch, refused, error, status):
    def fail(*_):
        raise error

    monkeypatch.setattr("sessionkit.cli.scores.open_source", fail)
    refused(status, "score", "x", "sDCG@3")


def test_faults_of_the_program_are_not_hidden(monkeypatch, call):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("sessionkit.cli.scores.open_source", fail)
    with pytest.raises(ZeroDivisionError):
        call("score", "x", "sDCG@3")


def test_a_note_is_said_once_and_other_warnings_stay_warnings(capsys):
    with runner._notes():
        for _ in range(3):
            warnings.warn("odd\nlog", DataWarning, stacklevel=1)
        with pytest.raises(DeprecationWarning):
            warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr().err == "note: odd\\nlog\n"


def test_progress_shows_on_a_terminal_only_and_clears_itself(monkeypatch, capsys):
    with runner.working("waiting"):
        pass
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with runner.working("done before a second"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(runner, "PATIENCE", 0.01)
    with runner.working("waiting \x1b[31m"):
        time.sleep(0.2)
    shown = capsys.readouterr().err
    assert "waiting \\e[31m" in shown
    assert "\x1b[31m" not in shown
    assert shown.endswith("\x1b[2K"), "the line is wiped"


def test_a_closed_stdout_is_one_line():
    words = [*COMMAND, "measures"]
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (runner.COMMAND, 1)
    assert done.stderr.startswith("error: stdout is closed")


UNBUFFERED = {**os.environ, "PYTHONUNBUFFERED": "1"}


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", [False, True])
def test_all_is_written_or_the_status_says_so(study, tmp_path, unbuffered):
    environment = UNBUFFERED if unbuffered else None
    whole = shell("schema", "results", env=environment)
    assert (whole.returncode, whole.stdout) == (0, shell("schema", "results").stdout)
    assert len(whole.stdout) > 1024
    words = [*COMMAND, "schema", "results"]
    short = tmp_path / "short"
    limited = ["bash", "-c", f'ulimit -f 1; exec "$@" >{short}', "bash", *words]
    done = subprocess.run(limited, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (runner.DATA, "error: File too large\n")


@pytest.mark.few(1)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")  # noqa: PTH110
@pytest.mark.parametrize("arguments", [["--version"], ["measures"]])
def test_a_full_disk_is_one_line(arguments):
    words = [*COMMAND, *arguments]
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (runner.DATA, f"error: {os.strerror(28)}\n")


@pytest.mark.slow
def test_an_end_that_is_asked_for_leaves_nothing(tmp_path):
    waiting = """
import sys, time
import sessionkit.cli.runner as running
from sessionkit.cli import main
from sessionkit.study.package import TemporaryFolder
def run(*_):
    with TemporaryFolder():
        print("ready", flush=True)
        time.sleep(60)
running.run = run
sys.exit(main())
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", waiting], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline() == b"ready\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.terminate()
        assert process.wait(30) == 143
    assert list(tmp_path.iterdir()) == []
