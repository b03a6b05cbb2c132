"""``python -m tests.support.moves apply MAPPING`` and ``compare OLD_TREE NEW_TREE MAPPING``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.support.moves.apply import apply
from tests.support.moves.compare import compare
from tests.support.moves.mapping import MoveError
from tests.support.moves.summary import summarize

ROOT = Path(__file__).resolve().parents[3]


def main() -> int:
    """Run one of the two; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.moves")
    parser.add_argument("--package", default="sessionkit", help="the package's name")
    verbs = parser.add_subparsers(dest="verb", required=True)
    moving = verbs.add_parser("apply", help="move and merge modules")
    moving.add_argument("mapping", type=Path)
    moving.add_argument("--root", type=Path, default=ROOT, help="the tree; by default this one")
    comparing = verbs.add_parser("compare", help="check that every definition stayed the same")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("mapping", type=Path)
    arguments = parser.parse_args()
    try:
        if arguments.verb == "compare":
            differences = compare(arguments.old, arguments.new, arguments.mapping, arguments.package)
            print(*differences, f"{len(differences)} differences", sep="\n")
            return 1 if differences else 0
        before = summarize(arguments.root, arguments.package)
        notes = apply(arguments.root, arguments.mapping, arguments.package)
    except MoveError as error:
        print(error, f"{len(error.problems)} problems; nothing was changed", sep="\n", file=sys.stderr)
        return 1
    after = summarize(arguments.root, arguments.package)
    print("Look here:", *notes, sep="\n  ")
    for topic, lines in after.items():
        print(f"{topic}: before", *before[topic], f"{topic}: after", *lines, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
