"""Doors for others: registries that also know measures, formats and charts of other packages, of a file, of a program.

A registry looks for a name among those of sessionkit, then among what was registered (`Registry.add`, of which
``sk.register`` makes use), then among what installed packages offer as entry points. Installed packages are looked
through once, when a name is unknown or all names are asked for: what sessionkit has itself never waits for that.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sessionkit.errors import SessionkitError, UsageError, warn

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Entry = TypeVar("Entry")
GROUPS = ("sessionkit.measures", "sessionkit.readers", "sessionkit.charts")
"""The entry points by which packages offer something."""
FILES: list[str] = []
"""The files that were loaded in this process, as they were named: what a command needs to find their measures again."""
ADDED: list[Callable[[], None]] = []
"""What takes back each thing that was registered in this process, in order."""


@dataclass(frozen=True)
class Blame:
    """Whatever goes wrong within is said as an error of the plugin, with what it is called; errors of ours pass.

    Parameters
    ----------
    what
        The beginning of the message, such as ``"the chart 'bars' (module squares) failed"``.
    error
        The class of the error.
    file
        The plugin's own file: the message ends with the last line of it that was on the way.

    >>> with Blame("the chart 'bars' (module squares) failed"):
    ...     1 / 0
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: the chart 'bars' (module squares) failed: ZeroDivisionError: division by zero
    """

    what: str
    error: type[Exception] = UsageError
    file: str | None = None

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Name the plugin."""
        stops = isinstance(error, SystemExit)  # of a file that is a script
        if kind is not None and (stops or isinstance(error, Exception)) and not isinstance(error, SessionkitError):
            told = " ".join(str(error).split())
            where = line_in(self.file, trace)
            said = f"{self.what}: {kind.__name__}{f': {told}' if told else ''}{f' ({where})' if where else ''}"
            raise self.error(said) from error


def line_in(file: str | None, trace: TracebackType | None) -> str | None:
    """The last line of a file that a traceback passes, such as ``squares.py, line 7``; None where it passes none."""
    lines = [number for frame, number in walk_tb(trace) if frame.f_code.co_filename == file]
    return f"{Path(file).name}, line {lines[-1]}" if file and lines else None


def unbound(thing: object) -> object:
    """A function without the arguments that `functools.partial` gave it; all else as it is."""
    return thing.func if isinstance(thing, partial) else thing


def module_of(thing: object) -> str:
    """The name of the module that a class or function is defined in.

    >>> module_of(Blame)
    'sessionkit.plugins'
    """
    thing = unbound(thing)
    return str(getattr(thing, "__module__", None) or type(thing).__module__)


def file_of(thing: object) -> str | None:
    """The file that a class or function is defined in; None in a notebook."""
    return getattr(sys.modules.get(module_of(thing)), "__file__", None)


def is_foreign(thing: object) -> bool:
    """Whether a class or function is none of sessionkit's own."""
    return module_of(thing).partition(".")[0] != "sessionkit"


@dataclass(frozen=True)
class Origin:
    """A module of others, as findings and pages name it beside the version of sessionkit.

    Parameters
    ----------
    module
        Its name.
    version
        That of the package that installed it, or what the module says itself; None where there is none.
    file
        The file that it was loaded from; None in a notebook.
    installed
        Whether a package has it.
    """

    module: str
    version: str | None
    file: Path | None
    installed: bool

    @property
    def plugin(self) -> str | None:
        """What ``--plugin`` has to name, so that a command knows it; None of what is installed, or no file of its own."""
        loaded = next((path for path in FILES if Path(path).stem == self.module), None)
        alone = self.file is not None and self.file.stem == self.module and not self.installed
        return loaded or (self.file.name if alone and self.file is not None else None)

    def __str__(self) -> str:
        """Its name and version, the name of its file and the hash of that."""
        digest = (
            f" ({self.file.name}, sha256 {hashlib.sha256(self.file.read_bytes()).hexdigest()})" if self.file else ""
        )
        return f"{self.module}{f' {self.version}' if self.version else ''}{digest}"


def origins(things: Iterable[object]) -> list[Origin]:
    """The modules that classes and functions of others are defined in, each once, by name; those of Python are left out."""
    names = sorted({module_of(thing) for thing in things if is_foreign(thing)})
    packages = {name: name.partition(".")[0] for name in names if name.partition(".")[0] not in sys.stdlib_module_names}
    if not packages:
        return []
    from importlib.metadata import packages_distributions, version  # takes time, see below

    installed, found = packages_distributions(), []
    for name, package in packages.items():
        module, file = sys.modules.get(name), Path(getattr(sys.modules.get(name), "__file__", None) or "")
        by = installed.get(package, [])
        said = version(by[0]) if by else getattr(module, "__version__", None)
        found.append(Origin(name, said, file if file.is_file() else None, bool(by)))
    return found


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Things of one kind by name: sessionkit's own, then those added, then those that installed packages offer.

    Parameters
    ----------
    kind
        What they are, for messages: measure, format, chart.
    group
        The entry points by which packages offer them.
    own
        Those of sessionkit.
    accepted
        From a name and what was given for it to the entry; raises a `UsageError` where it is none.

    >>> numbers = Registry("number", "sessionkit.numbers", {"one": 1}, lambda name, given: given)
    >>> numbers.add("two", 2)
    >>> list(numbers), numbers["two"], "three" in numbers
    (['one', 'two'], 2, False)
    """

    def __init__(self, kind: str, group: str, own: Mapping[str, Any], accepted: Callable[[str, object], Entry]) -> None:
        self.kind, self.group, self.own, self.accepted = kind, group, own, accepted
        self._added: dict[str, Entry] = {}
        self._loaded: dict[str, Entry] = {}
        self._offers: dict[str, list[EntryPoint]] | None = None

    def add(self, name: str, given: object) -> None:
        """Add something under a name, in place of what another module added or offers under it, which a warning names.

        Raises
        ------
        UsageError
            Sessionkit has this name itself, or this is nothing of the kind.
        """
        if name in self.own:
            raise self.taken(name)
        entry = self.accepted(name, given)
        module = module_of(writer_of(given))
        before = [f"module {module_of(writer_of(self._added[name]))}"] if name in self._added else []
        package = module.partition(".")[0]
        others = [one for one in self._offered().get(name, ()) if one.module.partition(".")[0] != package]
        if other := next(iter([one for one in before if one != f"module {module}"] + [*map(_origin, others)]), None):
            told = f"{other} has a {self.kind} {name!r} as well; that of module {module} is used"
            warn(told)
        ADDED.append(partial(self._take_back, name, self._added.get(name)))
        self._added[name] = entry

    def _take_back(self, name: str, before: Entry | None) -> None:
        """Put what was added before in the place of what is added now."""
        self._added.pop(name, None)
        if before is not None:
            self._added[name] = before

    def taken(self, name: str) -> UsageError:
        """The error for a name that sessionkit has."""
        return UsageError(f"sessionkit has a {self.kind} {name!r} itself; give yours another name")

    def __getitem__(self, name: str) -> Entry:
        """The entry of this name; `UsageError` where a plugin offers it and does not hold what it promises."""
        known: Mapping[str, Entry]
        for known in (self.own, self._added, self._loaded):
            if name in known:
                return known[name]
        offers = self._offered()[name]
        origins = [_origin(offer) for offer in offers]
        if len(offers) > 1:
            raise UsageError(f"{' and '.join(origins)} both offer the {self.kind} {name!r}; uninstall one of them")
        failed = f"the plugin that offers the {self.kind} {name!r}, {origins[0]}, cannot be loaded"
        with Blame(failed), redirect_stdout(sys.stderr):  # what it prints is no output of a command
            given = offers[0].load()
        try:
            self._loaded[name] = self.accepted(name, given)
        except UsageError as error:
            raise UsageError(f"{origins[0]} offers the {self.kind} {name!r}: {error}") from None
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such a name; nothing is loaded."""
        return isinstance(name, str) and (name in self.own or name in self._added or name in self._offered())

    def __iter__(self) -> Iterator[str]:
        """The names; those of a plugin that cannot be loaded are left out, and a warning says why."""
        yield from self.own
        yield from self.others()

    def __len__(self) -> int:
        """How many there are."""
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        """The names."""
        return f"<{len(self)} {self.kind}s: {', '.join(self)}>"

    def given(self) -> Mapping[str, Entry]:
        """What others gave, as far as it was added, or asked for and loaded."""
        return {**self._loaded, **self._added}

    def others(self) -> list[str]:
        """The names that are not sessionkit's own."""
        found = list(self._added)
        for name, offers in self._offered().items():
            if name in self.own:
                told = (
                    f"{_origin(offers[0])} offers a {self.kind} {name!r}, which sessionkit has itself; its own is used"
                )
                warn(told)
            elif name not in found:
                try:
                    _ = self[name]
                except UsageError as error:
                    warn(f"{error}; it is left out")
                else:
                    found.append(name)
        return found

    def _offered(self) -> dict[str, list[EntryPoint]]:
        """What installed packages offer by name, looked for once."""
        if self._offers is None:
            from importlib.metadata import entry_points  # takes time, which only those wait for who ask for other names

            found: dict[str, list[EntryPoint]] = {}
            for one in entry_points(group=self.group):
                offers = found.setdefault(one.name, [])
                if all(other.value != one.value for other in offers):
                    offers.append(one)
            self._offers = found  # only now, as another thread may ask meanwhile
        return self._offers


def _all_offers() -> list[EntryPoint]:
    """All that installed packages offer to sessionkit."""
    from importlib.metadata import entry_points  # takes time, see above

    return [one for group in GROUPS for one in entry_points(group=group)]


def writer_of(given: object) -> object:
    """Who made what was registered: the function that reads a format or draws a chart, or the measure."""
    return getattr(given, "read", None) or getattr(given, "figure", None) or given


def _origin(offer: EntryPoint) -> str:
    """Where an entry point comes from, for messages."""
    package = f"package {offer.dist.name} {offer.dist.version}" if offer.dist is not None else "an installed package"
    return f"{package} ({offer.value})"


@contextmanager
def _modules_beside(file: Path) -> Iterator[None]:
    """Let a file import the modules in its folder; after all others, so that they hide none."""
    folder = str(file.resolve().parent)
    absent = folder not in sys.path
    if absent:
        sys.path.append(folder)
    try:
        yield
    finally:
        if absent and folder in sys.path:  # the file can change it too
            del sys.path[len(sys.path) - 1 - sys.path[::-1].index(folder)]


def _take_back(module: str, known_before: int) -> None:
    """Forget a module and what it registered."""
    sys.modules.pop(module, None)
    while len(ADDED) > known_before:
        ADDED.pop()()


def load(path: str | Path) -> None:
    """Run a file of Python that registers measures, formats and charts: ``--plugin FILE.py``.

    It becomes a module of its name, so that what it defines can be sent to other processes.

    Raises
    ------
    UsageError
        There is no such file, or running it fails.
    """
    file = Path(path)
    name = file.stem
    if file.is_dir() or name == "__init__":
        raise UsageError(
            f"--plugin {path}: give one file of Python; a package is installed (pip install -e FOLDER), and needs no --plugin"
        )
    if file.suffix != ".py" or not name.isidentifier():
        raise UsageError(f"--plugin {path}: give a file of Python whose name is a word, such as squares.py")
    if not file.is_file():
        raise UsageError(f"--plugin {path}: no such file")
    known = sys.modules.get(name)
    if known is not None and Path(getattr(known, "__file__", None) or "").resolve() == file.resolve():
        return
    spec = None if known is not None else importlib.util.find_spec(name)
    if known is not None or (spec is not None and Path(spec.origin or "").resolve() != file.resolve()):
        offering = next((_origin(one) for one in _all_offers() if one.module.partition(".")[0] == name), None)
        if offering is not None:
            raise UsageError(f"--plugin {path}: {offering} offers it already; leave --plugin out")
        raise UsageError(f"--plugin {path}: there is a module {name!r} already; give the file another name")
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"--plugin {path}: it cannot be read")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    known_before, blame = len(ADDED), Blame(f"the plugin {path} fails", file=spec.origin)
    with ExitStack() as failed:
        failed.callback(_take_back, name, known_before)
        try:
            with blame, _modules_beside(file), redirect_stdout(sys.stderr):  # no output of a command
                spec.loader.exec_module(module)
        except SessionkitError as error:
            if where := line_in(spec.origin, error.__traceback__):
                ours = next(
                    kind for kind in type(error).__mro__ if not is_foreign(kind)
                )  # others may take other arguments
                raise ours(f"{where}: {error}") from None
            raise
        failed.pop_all()
    if len(ADDED) == known_before:
        warn(f"the plugin {path} registers nothing; sk.register makes a name known")
    FILES.append(str(path))
