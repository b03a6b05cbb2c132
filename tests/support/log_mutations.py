"""Mutated logs of every format, read: what is said of each, and whether every record of it is accounted for."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from tests.support.logs import LOGS, written
from tests.support.mutations import MUTATIONS, mutated
from tests.support.trials import said_beside, serve, tried

HEADS = {
    "tables": 1,
    "tables as tsv": 1,
    "tables as ndjson": 0,
    "trec_run": 0,
    "trec_run by score": 0,
}
"""Logs of which every line is one record, but for so many at the head: their records can be counted here as well."""
COUNTED = ("cut", *(name for name in MUTATIONS if name.startswith("lines ")))
"""Mutations after which lines still are what they were: none begins in the middle of another."""


def each_once(seed: int) -> list[dict[str, Any]]:
    """Return a case of every log, each with another mutation than the one before, so that every mutation is there."""
    return [_case(log, name, seed) for log, name in zip(LOGS, cycle(MUTATIONS), strict=False)]


def every(rounds: int, seed: int) -> list[dict[str, Any]]:
    """Return every mutation of every log, so many times."""
    return [_case(log, name, seed + number) for number in range(rounds) for log in LOGS for name in MUTATIONS]


def _case(log: str, mutation: str, seed: int) -> dict[str, Any]:
    """Return a mutation of one file of a log."""
    draw = random.Random(f"{log} {mutation} {seed}")  # noqa: S311 - no secret
    file, other = draw.choice(sorted(LOGS[log].files)), draw.choice(sorted(LOGS))
    return {"log": log, "file": file, "other": other, "mutation": mutation, "seed": draw.random()}


def outcomes(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how each case ended: read, refused, unaccounted, nameless (an error that does not name the file), or as one of CRASHES."""
    return tried(__name__, cases)


def _read(case: dict[str, Any], folder: Path, errors: BinaryIO) -> dict[str, Any]:
    """Read one mutated log."""
    import sessionkit as sk

    home = folder / "log"
    for path in sorted(home.rglob("*"), reverse=True):
        path.unlink()
    if home.exists():
        home.rmdir()
    source = written(home, LOGS[case["log"]])
    path = home / case["file"]
    other = LOGS[case["other"]]
    spliced = next(iter(other.files.values())).encode()
    path.write_bytes(mutated(path.read_bytes(), spliced, case["mutation"], case["seed"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.DataWarning)
        try:
            study = sk.read(source)
            wrong = unaccounted(study) or uncounted(study, case, path)
            found = {"ended": "unaccounted" if wrong else "read", "said": wrong}
        except sk.SessionkitError as error:
            named = str(home) in str(error) or case["file"] in str(error)
            found = {"ended": "refused" if named else "nameless", "said": str(error)[:300]}
        except BaseException as error:  # noqa: BLE001 - what is let through is what is looked for
            found = {"ended": "traceback", "said": repr(error)[:500]}
    panics = [line for line in said_beside(errors) if "panicked at" in line]
    return {"ended": "panicked", "said": panics[0]} if panics else found


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
    serve(lambda case, errors: _read(case, folder, errors))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
