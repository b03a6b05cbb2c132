"""Mutated logs of every format, read: what is said of each, and whether every record of it is accounted for."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from tests.support.logs import LOGS, written
from tests.support.mutations import MUTATIONS, mutated
from tests.support.trials import said_beside, serve, tried


def cases(rounds: int, seed: int, mutations: Sequence[str] = tuple(MUTATIONS)) -> list[dict[str, Any]]:
    """Return so many rounds of one mutation of each kind of each log; of a log of several files, of one of them."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    return [
        {
            "log": log,
            "file": draw.choice(sorted(LOGS[log].files)),
            "other": draw.choice(sorted(LOGS)),
            "mutation": name,
            "seed": f"{seed} {number} {log}",
        }
        for number in range(rounds)
        for log in LOGS
        for name in mutations
    ]


def outcomes(asked: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how each case ended: read, refused, unaccounted, nameless (an error that does not name the file), or crashed."""
    return tried(__name__, asked)


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
            found = {"ended": "read", "said": unaccounted(study)}
            if found["said"]:
                found["ended"] = "unaccounted"
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


def main(folder: Path) -> None:
    """Read the cases that stand on stdin."""
    import sessionkit as sk

    sk.read(written(folder / "clean", LOGS["tables"]))
    serve(lambda case, errors: _read(case, folder, errors))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
