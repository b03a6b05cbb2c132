"""Running a command: errors become one line and an exit status, data warnings become notes; all of it on stderr."""

from __future__ import annotations

import io
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from typing import TYPE_CHECKING

from sessionkit.errors import DataWarning, SessionkitError, UsageError, WaitWarning, lack_of_space, readable, visible

if TYPE_CHECKING:
    from sessionkit.study.batches import Progress

DATA, COMMAND, INTERRUPTED, PIPE = 1, 2, 130, 141
"""Exit statuses beside 0."""
PATIENCE = 1.0
"""Seconds of work after which a terminal is shown that it goes on."""
PLUGIN = "--plugin"
SHOWN: list[tuple[threading.Event, threading.Thread]] = []
"""What ends each display of progress, and the thread that draws it."""
WIPING = 0.3
"""Seconds that the end of a display may take where the process ends at once."""
OFTEN, WIDEST = 0.1, 60
"""Seconds after which what is shown is brought up to date, and characters of what is being done."""


def run(arguments: Sequence[str], interrupted: Callable[[], bool] = bool) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    arguments
        The command, and what follows it.
    interrupted
        Whether a signal has ended the command; errors after that are due to it, and not reported.
    """
    if sys.stderr is None:  # closed by the caller
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open to the end
    if sys.stdout is None:
        return _fail("stdout is closed; redirect it, for example to /dev/null", COMMAND)
    buffer_stdout()
    with (
        redirect_stderr(io.StringIO()) if completes() else nullcontext()
    ):  # a line that is typed has no place for notes
        return _run(arguments, interrupted)


def completes() -> bool:
    """Whether a shell wants a line completed."""
    return os.environ.get("_SESSIONKIT_COMPLETE", "").startswith("complete")


def _run(arguments: Sequence[str], interrupted: Callable[[], bool]) -> int:
    """Run a command and return its exit status."""
    try:
        if list(arguments) == ["--version"]:
            from sessionkit import __version__

            sys.stdout.write(f"sessionkit {__version__}\n")
            sys.stdout.flush()
            return 0
        from sessionkit.cli.app import app_for

        plugins, rest = plugins_first(list(arguments) or ["--help"])
        with _notes():
            load_plugins(plugins)
            words = [word for path in plugins for word in (PLUGIN, path)]
            outcome = app_for(rest[0] if rest else None)([*words, *rest], prog_name="sessionkit", standalone_mode=False)
            sys.stdout.flush()
    except SystemExit as left:
        return _left_pipe() if _is_closed_pipe(left) else left.code if isinstance(left.code, int) else COMMAND
    except BrokenPipeError:
        return _left_pipe()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as error:
        if interrupted():
            return INTERRUPTED
        status = COMMAND if completes() else _told(error)
        if status is None:
            raise
        if isinstance(error, OSError):
            _discard_unwritten()
        return status
    if not arguments:
        return COMMAND
    return outcome if isinstance(outcome, int) else 0


def plugins_first(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files behind ``--plugin``, wherever in a command they stand, and the other words.

    >>> plugins_first(["score", "study", "RRsq@10", "--plugin", "squares.py"])
    (['squares.py'], ['score', 'study', 'RRsq@10'])
    """
    files: list[str] = []
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--" or list(arguments) == ["help", PLUGIN]:  # or a question about the option
            rest += [word, *words]
        elif word.startswith(f"{PLUGIN}="):
            files.append(word.partition("=")[2])
        elif word == PLUGIN:
            file = next(words, None)
            if file == "=":  # bash takes --plugin=FILE.py apart in a line that it completes
                file = next(words, None)
            if file is None:
                raise UsageError(f"{PLUGIN} is not followed by its value: FILE.py")
            files.append(file)
        else:
            rest.append(word)
    return files, rest


def load_plugins(files: Sequence[str]) -> None:
    """Load the files behind ``--plugin``."""
    if files:
        from sessionkit.plugins import load

        for file in files:
            load(file)


def buffer_stdout() -> None:
    """Put a buffer before a stdout that has none (PYTHONUNBUFFERED): such a file takes what it can of a write, and no more."""
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.FileIO):
        whole = io.BufferedWriter(io.FileIO(raw.fileno(), "wb", closefd=False))
        encoding, errors = sys.stdout.encoding, sys.stdout.errors
        sys.stdout = io.TextIOWrapper(whole, encoding, errors, write_through=True)


def tell(text: str) -> None:
    """Say something about the work on stderr, in one line, which a terminal folds."""
    from sessionkit.display.terminal import READABLE, fold_text, terminal_width

    width = terminal_width(sys.stderr)
    lines = [visible(text)] if width is None else fold_text(visible(text), min(width, READABLE))
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def note(text: str) -> None:
    """Say what a reader of the numbers should know."""
    tell(f"note: {text}")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal that work goes on, once it has taken over a second: how far it has come, and the time that is left."""
    if not sys.stderr.isatty():
        yield
        return
    from sessionkit.study.batches import watched

    done = threading.Event()
    with watched() as progress:
        clock = threading.Thread(target=_show, args=(visible(what), progress, done), daemon=True)
        SHOWN.append((done, clock))
        clock.start()
        try:
            yield
        finally:
            done.set()
            clock.join()
            SHOWN.remove((done, clock))


def wipe_progress() -> None:
    """Take what shows progress from the terminal, from another thread than the one that works."""
    for done, clock in SHOWN:
        done.set()
        clock.join(WIPING)


def _show(what: str, progress: Progress, done: threading.Event) -> None:
    """Draw a bar, or where no end is known what has been done, until it is done; then wipe it away."""
    if done.wait(PATIENCE):
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (rich.BarColumn(bar_width=24), rich.TimeElapsedColumn(), rich.TimeRemainingColumn())
    texts = [rich.TextColumn(f"{{task.fields[{name}]}}", markup=False) for name in ("what", "far")]
    with rich.Progress(texts[0], *columns, texts[1], console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("", total=None, what=what[:WIDEST], far="")
        while not done.wait(OFTEN):
            share = progress.share
            bar.update(task, total=None if share is None else 1.0, completed=share or 0.0, far=str(progress))


@contextmanager
def _notes() -> Iterator[None]:
    """Print every warning of sessionkit as a note, each sentence once."""
    said: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: object) -> None:
            if not issubclass(category, (DataWarning, WaitWarning)):
                usual(message, category, *place)  # type: ignore[arg-type]
            elif str(message) not in said:
                said.add(str(message))
                note(str(message))

        warnings.simplefilter("always", DataWarning)
        warnings.simplefilter("always", WaitWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _told(error: BaseException) -> int | None:
    """Print what is wrong and return the exit status; None for what is nobody's fault but the program's."""
    from typer.exceptions import TyperException

    if isinstance(error, SessionkitError):
        return _fail(str(error), error.exit_status)
    if isinstance(error, TyperException):
        from sessionkit.cli.command import misuse

        where = getattr(getattr(error, "ctx", None), "command_path", "sessionkit")
        return _fail(f"{misuse(error)}; see: {where} --help", COMMAND)
    if isinstance(error, OSError):
        named = f"{error.filename}: " if error.filename is not None else ""
        return _fail(f"{named}{error.strerror or error}", DATA)
    if isinstance(error, MemoryError):
        return _fail("there is not enough memory for this", DATA)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(error, (polars.exceptions.PolarsError, polars.exceptions.PanicException)):
        if lack := lack_of_space(error):
            return _fail(f"{lack}; nothing was written", DATA)
        first = (str(error).splitlines() or ["unknown"])[0]
        return _fail(f"the data cannot be processed: {first}; try: sessionkit check", DATA)
    return None


def _fail(text: str, status: int) -> int:
    """Print an error in one line and return a status."""
    tell(f"error: {readable(' '.join(text.split()))}")
    return status


def _is_closed_pipe(left: SystemExit) -> bool:
    """Whether Typer ended because the reader of stdout left, which it reports as status 1."""
    return isinstance(left.__context__, BrokenPipeError)


def _left_pipe() -> int:
    """End quietly where nobody reads what is written."""
    _discard_unwritten()
    return PIPE


def _discard_unwritten() -> None:
    """Throw away what stdout did not take, which Python would try, and report, once more at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)
