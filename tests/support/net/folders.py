"""Recordings: one text file per case in a folder per part; the comparison of two folders, like differences together."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

LINES = 14
"""Lines of a difference that are shown."""
NAMED = 6
"""Cases that are named beside a difference that several have."""
WIDTH = 220


def write(folder: Path, outcomes: Iterable[tuple[str, str]]) -> int:
    """Write named outcomes as files of a folder; return how many."""
    folder.mkdir(parents=True)
    for name, text in outcomes:
        path = folder / (re.sub(r"[^\w ,.@()=-]", "_", name)[:180] + ".txt")
        if path.exists():
            raise ValueError(f"two cases are called {name}")
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
    return len(list(folder.iterdir()))


def differences(before: Path, after: Path) -> dict[str, list[str]]:
    """Return the differences between the files of two folders: each with the names of the cases that have it."""
    found = defaultdict(list)
    for name in sorted({one.relative_to(top).as_posix() for top in (before, after) for one in top.rglob("*.txt")}):
        texts = [(top / name).read_bytes() if (top / name).exists() else None for top in (before, after)]
        if texts[0] != texts[1]:
            found[_difference(*texts)].append(name)
    return dict(found)


def _difference(before: bytes | None, after: bytes | None) -> str:
    """Return the first lines in which two texts differ."""
    if before is None or after is None:
        return "only after" if before is None else "only before"
    one, two = (text.decode("utf-8", "replace").splitlines() for text in (before, after))
    lines = [
        line for line in difflib.unified_diff(one, two, lineterm="", n=0) if not line.startswith(("@@", "---", "+++"))
    ]
    more = [f"... {len(lines) - LINES} more lines"] if len(lines) > LINES else []
    return "\n".join(f"    {line[:WIDTH]}" for line in [*lines[:LINES], *more])


def told(found: dict[str, list[str]]) -> str:
    """Return the differences as text, those of most cases first."""
    blocks = []
    for difference, names in sorted(found.items(), key=lambda item: -len(item[1])):
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        blocks.append(f"{len(names)} differ: {'; '.join(names[:NAMED])}{more}\n{difference}\n")
    return "\n".join(blocks)
