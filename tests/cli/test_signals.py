"""Ctrl-C and SIGTERM at any moment: no traceback, the right exit status, nothing left behind, the old study whole."""

import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sessionkit.cli import INTERRUPTED, STATUSES, Signals, main
from sessionkit.study.package import open_study, verify_hashes

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic" / "study.toml"
START = "import sys; from sessionkit import cli; cli.LATEST = 60; sys.exit(cli.main())"
"""A command that may take its time to tidy up, as machines that run tests are slow."""
COMMANDS = {
    "ingest": ["ingest", str(CLINIC), "--out", "made/study"],
    "score": ["score", "study", "nsDCG@10", "--output", "made/scores.csv"],
    "report": ["report", "study", "--output", "made/report.html"],
    "pseudonymize": ["pseudonymize", "study", "--out", "made/shared", "--mapping", "made/mapping.csv"],
}

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at signals in /proc")


@pytest.fixture(autouse=True)
def heard():
    """Hear Ctrl-C, which a shell's background jobs do not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    place = tmp_path_factory.mktemp("ingested") / "study"
    assert main(["ingest", str(CLINIC), "--out", str(place)]) == 0
    return place


@pytest.fixture
def struck(study, tmp_path):
    """Strike a command after so many seconds of work; check what it leaves, and return its exit status."""

    def struck(name, number, seconds):
        shutil.rmtree(tmp_path)
        shutil.copytree(study, tmp_path / "study")
        shutil.copytree(study, tmp_path / "made" / "study")
        (tmp_path / "tmp").mkdir()
        process = subprocess.Popen(
            [sys.executable, "-c", START, *COMMANDS[name]],
            cwd=tmp_path,
            env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while process.poll() is None and not catches(process.pid):
            time.sleep(0.001)
        time.sleep(seconds)
        process.send_signal(number)
        _, told = process.communicate(timeout=300)
        where = f"{name} {number.name} after {seconds:.3f} s: {told}"
        done = process.returncode == 0
        # at its very end Python puts the system's own handlers back: a shell then says the same status
        assert done or process.returncode in (STATUSES[number], -number), where
        assert "Traceback" not in told, where
        assert "rror" not in told, where
        assert "panicked" not in told, where
        assert not list((tmp_path / "tmp").iterdir()), where
        left = {path.name for path in (tmp_path / "made").iterdir()}
        assert left - {"study"} <= {Path(word).name for word in COMMANDS[name]}, where
        assert verify_hashes(open_study(tmp_path / "made" / "study")) == (), where
        return process.returncode

    return struck


def catches(pid):
    """Whether a process has its own handler of SIGTERM by now."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next((line.split()[1] for line in lines if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number", "seconds"),
    [("ingest", signal.SIGINT, 0.0), ("ingest", signal.SIGTERM, 0.4), ("score", signal.SIGINT, 0.2)],
)
def test_a_command_ends_quietly(struck, name, number, seconds):
    struck(name, number, seconds)


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_at_many_moments(struck, name):
    moments = random.Random(name)  # noqa: S311
    ended = [struck(name, moments.choice(list(STATUSES)), moments.uniform(0, 3)) for _ in range(15)]
    assert sum(status != 0 for status in ended) >= 3, ended


@pytest.fixture
def signals():
    """Signals as a command has them; those of the tests are put back afterwards."""
    before = {number: signal.getsignal(number) for number in STATUSES}
    hook = sys.unraisablehook
    begun = Signals()
    begun.begin()
    yield begun
    for number, handler in before.items():
        signal.signal(number, handler)
    sys.unraisablehook = hook


@pytest.mark.parametrize("number", STATUSES)
def test_an_exception_that_is_dropped_comes_again(signals, number, capfd):
    class Dropping:
        def __del__(self):
            signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it comes after the first statement
        Dropping()
        time.sleep(20)
    assert signals.status == STATUSES[number]
    assert capfd.readouterr().err == ""


def test_nothing_is_interrupted_when_the_command_is_over(signals):
    signals.end()
    signal.raise_signal(signal.SIGINT)
    assert signals.status is None


@pytest.mark.parametrize("number", STATUSES)
def test_a_signal_that_comes_too_early_ends_the_command_when_it_begins(signals, number):
    early = Signals()
    signal.raise_signal(number)
    with pytest.raises(KeyboardInterrupt):
        early.begin()
    assert early.status == STATUSES[number]


IMPORT = """
import signal, sys, types
from importlib.machinery import ModuleSpec
from sessionkit.cli import Signals
Signals().begin()
half = sys.modules["polars"] = types.ModuleType("polars")
half.__spec__ = ModuleSpec("polars", None)
half.__spec__._initializing = True
signal.raise_signal(int(sys.argv[1]))
print("still here")
"""


@pytest.mark.parametrize("number", STATUSES)
def test_a_signal_while_polars_is_imported_ends_at_once(number):
    ended = subprocess.run(
        [sys.executable, "-c", IMPORT, str(int(number))], check=False, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (STATUSES[number], "", "")


@pytest.mark.parametrize("number", STATUSES)
def test_an_error_due_to_the_signal_is_not_reported(signals, number, capsys, monkeypatch):
    from sessionkit.cli import runner

    def command(*_args, **_options):
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt as error:
            raise RuntimeError("a function that polars called failed") from error

    monkeypatch.setattr("sessionkit.cli.app.app_for", lambda _: command)
    assert runner.run(["score"], lambda: signals.status is not None) == INTERRUPTED
    assert capsys.readouterr().err == ""


STUCK = """
import hashlib, sys, time
from concurrent.futures import ThreadPoolExecutor
import polars as pl
from sessionkit import cli
from sessionkit.cli import app, runner

def catch_everything():
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass

def show_progress():
    with runner.working("scoring"):
        print("begun", flush=True)
        catch_everything()

def hash_again_and_again():
    data = bytes(20_000_000_000 // 100)
    for _ in range(100):
        hashlib.sha256(data)

def wait_for_a_thread():
    with ThreadPoolExecutor(1) as workers:
        workers.submit(time.sleep, 600).result()

def join_in_polars():
    frame = pl.DataFrame({"a": range(60_000)})
    frame.lazy().join(frame.lazy(), how="cross").select((pl.col("a") * pl.col("a_right")).sin().sum()).collect()

def command(*words, **options):
    if step not in (show_progress, keep_the_lock):
        print("begun", flush=True)
    step()

def keep_the_lock():
    sys.set_int_max_str_digits(0)
    with runner.working("scoring"):
        print("begun", flush=True)
        time.sleep(3 if sys.stderr.isatty() else 0)
        int("7" * 6_000_000)

step = globals()[sys.argv.pop(1)]
app.app_for = lambda name: command
sys.exit(cli.main())
"""
STEPS = ["catch_everything", "show_progress", "wait_for_a_thread", "hash_again_and_again", "join_in_polars"]


@pytest.fixture
def stuck():
    """Run a command that does not come to an end, until it has begun; the process, and its terminal if it has one."""
    processes = []

    def stuck(step, stderr=subprocess.PIPE, before=""):
        words = [sys.executable, "-c", before + STUCK, step, "score"]
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=stderr, text=True))
        assert processes[-1].stdout.readline() == "begun\n"
        return processes[-1]

    yield stuck
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "number"),
    [
        ("catch_everything", signal.SIGINT),
        ("wait_for_a_thread", signal.SIGTERM),
        *(pytest.param(step, number, marks=pytest.mark.proof) for step in STEPS for number in STATUSES),
    ],
)
def test_a_command_ends_whatever_the_main_thread_does(stuck, step, number):
    process = stuck(step)
    time.sleep(0.2)
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert (process.returncode, told) == (STATUSES[number], "")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.proof)])
def test_a_step_that_keeps_the_lock_of_python_is_killed(stuck, number):
    process = stuck("keep_the_lock")
    time.sleep(0.2)
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert (process.returncode, told) == (-signal.SIGKILL, "")


@pytest.mark.slow
def test_a_command_ends_where_no_process_can_be_forked(stuck):
    process = stuck("catch_everything", before="import os; del os.fork")
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == STATUSES[signal.SIGTERM]


@pytest.mark.slow
def test_a_command_that_has_ended_leaves_no_process():
    words = [sys.executable, "-m", "sessionkit", "--version"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
    assert process.wait(60) == 0
    with pytest.raises(ProcessLookupError):  # noqa: PT012 - the other process ends soon after
        for _ in range(100):
            os.killpg(process.pid, 0)
            time.sleep(0.1)


def test_libraries_do_not_log_what_a_signal_interrupts(signals, capfd):
    before = logging.root.manager.disable
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    logging.getLogger("py4j").error("KeyboardInterrupt while sending command")
    logging.disable(before)
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_a_second_signal_ends_the_command_at_once(stuck):
    process = stuck("catch_everything")
    begun = time.monotonic()
    while process.poll() is None and time.monotonic() - begun < 30:
        process.send_signal(signal.SIGINT)
        time.sleep(0.4)
    assert process.returncode == INTERRUPTED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "status"), [("show_progress", STATUSES[signal.SIGTERM]), ("keep_the_lock", -signal.SIGKILL)]
)
def test_progress_is_wiped_from_the_terminal(stuck, step, status):
    terminal, side = os.openpty()
    process = stuck(step, stderr=side)
    os.close(side)
    shown = b""
    while b"scoring" not in shown:
        shown += os.read(terminal, 10_000)
    time.sleep(3)  # by now no step of Python is left that could wipe it
    process.send_signal(signal.SIGTERM)
    with suppress(OSError):  # the other side is closed
        while chunk := os.read(terminal, 10_000):
            shown += chunk
    assert process.wait(30) == status
    hidden, visible = shown.rfind(b"\x1b[?25l"), shown.rfind(b"\x1b[?25h")
    assert -1 < hidden < visible, "the cursor is shown again"
    assert shown[shown.rfind(b"scoring") :].removesuffix(b"\x1b[?25h").endswith(b"\x1b[2K")
