"""``collect``, ``record`` and ``compare``, as the package's docstring has them."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PARTS = ("reads", "formats", "charts", "scores")


def main() -> int:
    """Run one of the three; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.net")
    verbs = parser.add_subparsers(dest="verb", required=True)
    collect = verbs.add_parser("collect", help="run tests and keep the files and options of what they read")
    collect.add_argument("folder", type=Path)
    collect.add_argument("tests", nargs="*", default=["tests/readers"])
    record = verbs.add_parser("record", help="write down what the package answers")
    record.add_argument("folder", type=Path)
    record.add_argument("--reads", type=Path, help="the folder of collect; without it, reads are not recorded")
    record.add_argument(
        "--package", type=Path, default=ROOT, help="a checkout that holds sessionkit/; by default this one"
    )
    record.add_argument("--only", default=",".join(PARTS), help="parts, joined by commas")
    compare = verbs.add_parser("compare", help="show what differs")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.verb == "collect":
        return _collect(given.folder.resolve(), given.tests)
    if given.verb == "record":
        return _record(given.folder.resolve(), given.reads, given.package.resolve(), given.only.split(","))
    from tests.support.net.folders import differences, told

    for folder in (given.before, given.after):
        if not any(folder.rglob("*.txt")):
            parser.error(f"nothing is recorded in {folder}")
    found = differences(given.before, given.after)
    print(told(found) + f"{sum(map(len, found.values()))} of {len(list(given.before.rglob('*.txt')))} records differ")
    return 1 if found else 0


def _collect(folder: Path, tests: list[str]) -> int:
    """Keep what these tests read."""
    import pytest

    from tests.support.net.collection import Collection

    os.chdir(ROOT)
    return pytest.main(
        ["-n0", "-q", "-p", "no:cacheprovider", "-m", "slow or not slow", *tests], plugins=[Collection(folder, ROOT)]
    )


def _record(folder: Path, reads: Path | None, package: Path, parts: list[str]) -> int:
    """Record these parts with the package of a checkout."""
    import tests.support.logs
    import tests.support.mutations  # noqa: F401 - both commits read the samples of this one

    sys.path.insert(0, str(package))
    reads = reads and reads.resolve()
    os.environ["PYTHONPATH"] = str(package)  # of workers of Spark, which look into the folder they are started in first
    os.chdir(package)
    os.environ |= {"COLUMNS": "200", "NO_COLOR": "1"}
    import sessionkit as sk
    from tests.support.net import answers, formats
    from tests.support.net import reads as collected
    from tests.support.net.folders import write

    if Path(sk.__file__).parents[1] != package:
        raise SystemExit(f"sessionkit is that of {sk.__file__}, not of {package}")
    if unknown := [*set(parts) - set(PARTS)]:
        raise SystemExit(f"there is no part {unknown[0]}; parts: {', '.join(PARTS)}")
    for part in parts:
        if part == "reads" and reads is None:
            print("reads: none were given")
            continue
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            found: Iterator[tuple[str, str]] = {
                "reads": lambda work=work: collected.outcomes(reads or Path(), work),
                "formats": lambda work=work: formats.outcomes(work),
                "charts": lambda work=work: answers.charts(work),
                "scores": lambda work=work: answers.scores(work),
            }[part]()
            began = time.monotonic()
            many = write(folder / part, found)
            print(f"{part}: {many} records in {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
