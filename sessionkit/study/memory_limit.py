"""How much memory work on large logs may use: a budget in bytes, from what the user says or the machine has."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sessionkit.errors import UsageError

FLOOR = 400_000_000
"""Bytes that the interpreter and the libraries take whatever the log: a process keeps to its budget plus these."""
MINIMUM = 50_000_000
"""The smallest budget, in bytes; with less, every part of a log would be smaller than what handling it costs."""
SHARE = 4
"""By default work may use one part in this many of the machine's memory."""
UNKNOWN = 4_000_000_000
"""What a machine is taken to have that does not say."""
CONTAINER = Path("/sys/fs/cgroup/memory.max")
UNITS = {"": 1, "b": 1} | {
    f"{letter}{ending}": base**power
    for power, letter in enumerate("kmgt", start=1)
    for ending, base in (("b", 1000), ("ib", 1024))
}
FORM = re.compile(r"(\d{1,20}(?:\.\d{1,20})?|\.\d{1,20}) ?([a-z]*)")


def memory_budget(given: str | int | None = None) -> int:
    """Return a memory budget in bytes.

    The process that works within it needs up to `FLOOR` (400 MB) more, for the interpreter and the libraries.

    Parameters
    ----------
    given
        ``"4GB"``, ``"500MB"``, ``"1.5GiB"``, a number of bytes, or None for a quarter of the machine's memory (of the
        container's, where it has less). kB, MB, GB, TB are powers of 1,000, KiB, MiB, GiB, TiB powers of 1,024.

    Raises
    ------
    UsageError
        It is none of these, or below 50 MB.

    Examples
    --------
    >>> memory_budget("1.5GB")
    1500000000
    >>> memory_budget("64 MiB")
    67108864
    """
    if given is None:
        return max(MINIMUM, _machine() // SHARE)
    found = FORM.fullmatch(str(given).strip().lower()) if not isinstance(given, bool) else None
    if found is None or found[2] not in UNITS:
        raise UsageError(
            f"memory is {given!r}; give a size such as 4GB, 500MB or 1.5GiB, or a number of bytes "
            f"(units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"
        )
    budget = int(float(found[1]) * UNITS[found[2]])
    if budget < MINIMUM:
        raise UsageError(f"memory is {given!r}, which is too little; give at least {MINIMUM // 10**6}MB")
    return budget


def _machine() -> int:
    """Return the bytes of memory this machine has, or may use where it is a container with less."""
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        there = UNKNOWN
    try:
        limit = int(CONTAINER.read_text(encoding="ascii"))
    except (OSError, ValueError):  # no container, or one without a limit, which says "max"
        return there
    return min(there, limit)
