"""Mutated logs of every format, read through every batcher: whether every record is accounted for, and all ways say the same."""

from __future__ import annotations

import difflib
import random
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl
import pytest

from tests.support.batchers import WAYS
from tests.support.log_structures import STRUCTURAL, STRUCTURES, cannot, sample
from tests.support.logs import LOGS, written
from tests.support.mutations import MUTATIONS, mutated
from tests.support.net.outcomes import lines_of, placeless
from tests.support.trials import said_beside, serve, tried

HEADS = {
    "tables": 1,
    "tables as tsv": 1,
    "tables as ndjson": 0,
    "trec_run": 0,
    "trec_run by score": 0,
}
"""Logs of which every line is one record, but for so many at the head: their records can be counted here as well."""
COUNTED = (
    *("cut", "cut in half", "block of records double", "sessions torn apart"),
    *(name for name in MUTATIONS if name.startswith("lines ")),
)
"""Mutations after which lines still are what they were: none begins in the middle of another."""
KINDS = (*MUTATIONS, *STRUCTURAL)
"""Every kind of damage: to the bytes of a file, and to the structure of a log."""


def each_once(seed: int) -> list[dict[str, Any]]:
    """Return cases in which every log is, each with another kind of damage where it can have one, and every kind.

    Each is read in memory and in one other way, in turn: batches of five rows take four times as long as memory.
    """
    left, cases = [*KINDS], []
    for log in LOGS:
        kinds = [kind for kind in (*left, *KINDS) if not cannot(log, kind)]
        left = [kind for kind in left if kind != kinds[0]]
        cases.append(_case(log, kinds[0], seed))
    cases += [_case(next(log for log in LOGS if not cannot(log, kind)), kind, seed) for kind in left]
    first, *batched = WAYS
    return [case | {"ways": [first, batched[number % len(batched)]]} for number, case in enumerate(cases)]


def every(rounds: int, seed: int) -> list[dict[str, Any]]:
    """Return every kind of damage that each log can have, so many times."""
    logs = [log for log in LOGS if " with " not in log]  # those only have another value to be damaged
    return [
        _case(log, kind, seed + number)
        for number in range(rounds)
        for log in logs
        for kind in KINDS
        if not cannot(log, kind)
    ]


def _case(log: str, mutation: str, seed: int) -> dict[str, Any]:
    """Return a mutation of one file of a log, to be read in every way."""
    draw = random.Random(f"{log} {mutation} {seed}")  # noqa: S311 - no secret
    file, other = draw.choice(sorted(LOGS[log].files)), draw.choice(sorted(LOGS))
    return {"log": log, "file": file, "other": other, "mutation": mutation, "seed": draw.random(), "ways": [*WAYS]}


def outcomes(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how each case ended, and after how many seconds.

    That is read, refused, unaccounted, nameless (an error that does not name the file), different (one way says something
    else than the first), panicked, or one of CRASHES.
    """
    return tried(__name__, cases)


def write_damaged(case: dict[str, Any], home: Path) -> Path:
    """Write one mutated log; return what is to be read."""
    log, file, kind = sample(case["log"]), case["file"], case["mutation"]
    if kind in STRUCTURAL:
        draw = random.Random(case["seed"])  # noqa: S311 - no secret
        text = STRUCTURAL[kind](log.files[file], STRUCTURES[case["log"]], draw)
        return written(home, replace(log, files={**log.files, file: text}))
    source = written(home, log)
    other = next(iter(LOGS[case["other"]].files.values())).encode()
    (home / file).write_bytes(mutated((home / file).read_bytes(), other, kind, case["seed"]))
    return source


def _try(case: dict[str, Any], folder: Path, errors: BinaryIO) -> dict[str, Any]:
    """Read one mutated log in the ways of its case."""
    home, began = folder / "log", time.monotonic()
    for path in sorted(home.rglob("*"), reverse=True):
        path.unlink()
    if home.exists():
        home.rmdir()
    source = write_damaged(case, home)
    found: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}
    for way in case["ways"]:
        with pytest.MonkeyPatch.context() as patch:
            WAYS[way](patch)
            ended, texts[way] = _read(source, case, home)
        panics = [line for line in said_beside(errors) if "panicked at" in line]
        if panics:
            ended, texts[way] = "panicked", panics
        if ended not in ("read", "refused"):
            found = {"ended": ended, "said": f"{way}: {' '.join(texts[way])[:600]}"}
            break
        found = found or {"ended": ended, "said": ""}
    first = texts["in memory"]
    for way, text in texts.items():
        if found["ended"] in ("read", "refused") and text != first:
            lines = [*difflib.unified_diff(first, text, "in memory", way, n=0, lineterm="")][:12]
            found = {"ended": "different", "said": "\n".join(line[:300] for line in lines)}
    return {**found, "seconds": time.monotonic() - began}


def _read(source: Path, case: dict[str, Any], home: Path) -> tuple[str, list[str]]:
    """Read a log; return how that ended, and all that was said: tables, accounts, notes and warnings, or the refusal."""
    import sessionkit as sk

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", sk.DataWarning)
        try:
            study = sk.read(source)
            if wrong := unaccounted(study) or uncounted(study, case, home / case["file"]):
                return "unaccounted", [wrong]
            lines = [*lines_of(study), *(f"{one.category.__name__}: {one.message}" for one in caught)]
            return "read", placeless("\n".join(lines), home).split("\n")
        except sk.SessionkitError as error:
            named = str(home) in str(error) or case["file"] in str(error)
            return "refused" if named else "nameless", [placeless(f"{type(error).__name__}: {error}", home)]
        except BaseException as error:  # noqa: BLE001 - what is let through is what is looked for
            return "traceback", [repr(error)]


def unaccounted(study: Any) -> str:
    """Return in what the accounts of a study do not add up; nothing where they do."""
    for source in study.sources:
        parts = (source.rows, source.rejected, source.empty_lists, source.merged, source.idle)
        if source.records != sum(parts) or min(parts) < 0:
            return f"{source}"
    kept_aside = study.rejected.filter(~pl.col("row_kept")).collect().height
    said = sum(source.rejected for source in study.sources)
    return "" if kept_aside == said else f"{kept_aside} rows of rejected where the sources say {said}"


def uncounted(study: Any, case: dict[str, Any], path: Path) -> str:
    """Return how many records were read of how many lines; nothing where that is right, or cannot be known here."""
    if case["log"] not in HEADS or case["mutation"] not in COUNTED:
        return ""
    lines = sum(bool(line.strip(b" \t\r\n")) for line in path.read_bytes().split(b"\n"))
    records = sum(source.records for source in study.sources)
    return "" if records == lines - HEADS[case["log"]] else f"{records} records of {lines} lines"


def main(folder: Path) -> None:
    """Read the cases that stand on stdin."""
    import sessionkit as sk

    sk.read(written(folder / "clean", LOGS["tables"]))
    serve(lambda case, errors: _try(case, folder, errors))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
