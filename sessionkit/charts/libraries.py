"""The libraries that draw charts in a browser, as one script: put together once for each version, then kept.

vl-convert starts a JavaScript engine to put Vega, Vega-Lite and vega-embed together, which takes longer than all else
that a report of a user study does. The script is kept in the user's folder for caches, in one that is shut to all others:
whoever could write there could put scripts into pages. Where that cannot be, it is put together each time.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from sessionkit.errors import SessionkitError, SpaceError, UsageError
from sessionkit.study.atomic_files import write_whole

VL_VERSION = "6.4"
"""Version of Vega-Lite that charts are written for."""

ADDRESSES = 72 << 30
"""Bytes of address space that the JavaScript engine and all else need; it reserves 65 GiB and uses 0.2 GiB of them."""


def renderer() -> ModuleType:
    """Return vl-convert, which draws charts.

    Raises
    ------
    SessionkitError
        The process may have less address space than its JavaScript engine reserves, which then ends the process.
    """
    limit = _address_limit()
    if limit is not None and limit < ADDRESSES:
        raise SessionkitError(
            f"the memory of this process is limited to {limit >> 10:,} KiB of addresses (ulimit -v), and the JavaScript engine that "
            f"draws charts reserves {ADDRESSES >> 30} GiB, most of which it never uses; lift the limit (ulimit -v unlimited), limit "
            "resident memory instead, or write the chart as .json"
        )
    import vl_convert

    found: ModuleType = vl_convert
    return found


def _address_limit() -> int | None:
    """Return the bytes of address space that this process may have; None without a limit."""
    if sys.platform != "linux":  # elsewhere there is no such limit, or none that is kept
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


@functools.cache
def libraries() -> str:
    """Return the script, the same for the same version of vl-convert."""
    place = _place()
    kept = _kept(place) if place is not None else None
    if kept is not None:
        return kept
    made: str = renderer().javascript_bundle(None, VL_VERSION)
    if place is not None:
        with contextlib.suppress(OSError, SpaceError, UsageError):
            _keep(place, made)
    return made


@functools.cache
def notices() -> str:
    """Return the copyright notices and licenses of the libraries, as a comment of HTML: the script itself carries none."""
    return f"<!--\n{files('sessionkit').joinpath('charts/notices.txt').read_text(encoding='utf-8')}-->\n"


def _place() -> Path | None:
    """The file that keeps the script; None where the user has no folder for caches."""
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA", "")
    else:
        given = os.environ.get("XDG_CACHE_HOME") or ("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    try:
        folder = Path(given).expanduser()
    except RuntimeError:  # nobody's home
        return None
    name = f"vega-lite-{VL_VERSION}-vl-convert-{version('vl-convert-python')}.js"
    return folder / "sessionkit" / name if folder.is_absolute() else None


def _kept(place: Path) -> str | None:
    """The script that is kept, if it is whole and nobody but the user can have written it."""
    try:
        digest, _, script = place.read_bytes().partition(b"\n")
        return script.decode() if _private(place.parent) and digest.decode() == _digest(script) else None
    except (OSError, UnicodeDecodeError):
        return None


def _keep(place: Path, script: str) -> None:
    """Write the script, whole or not at all, below the digest that it is known by."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _private(place.parent):
        content = script.encode()
        write_whole(place, f"{_digest(content)}\n".encode() + content)


def _private(folder: Path) -> bool:
    """Whether a folder is the user's own, and shut to all others; on Windows the folders above it see to that."""
    if sys.platform == "win32":
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def _digest(script: bytes) -> str:
    """What a whole script is known by."""
    return hashlib.sha256(script).hexdigest()
