"""A sample log of every format, read plain, strict, shuffled, damaged, mutated, and, many times as long, in little memory."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import sessionkit as sk
from tests.support.logs import LOGS, Damage, Log, Needed, written
from tests.support.mutations import MUTATIONS, mutated
from tests.support.net.outcomes import outcome

LITTLE, MUCH = "50MB", "4GB"
"""The least memory that reading takes, and so much that a log of some megabytes is read at once."""


@dataclass(frozen=True)
class Copies:
    """How a log grows: its first file is repeated between `head` and `foot` lines, `ids` made those of each copy."""

    ids: str
    head: int = 0
    foot: int = 0
    megabytes: float = 6.5


LONG = {
    "tables": Copies(r"^s\d", head=1),
    "tables as ndjson": Copies(r'"s\d', megabytes=18),
    "tables as parquet": Copies(r"^s\d", head=1, megabytes=10),
    "events": Copies(r"^s1", head=1),
    "ubi": Copies(r'"(q1|q2|s1|c1)', megabytes=18),
    "ubi as csv": Copies(r"^shop,q\d,c1", head=1),
    "trec_session": Copies(r'session num="1|(?<=<title>)T', head=1, foot=1, megabytes=24),
    "core": Copies(r"(?<=,)u?[12](?=,)"),
    "coveo": Copies(r"^s\d", head=1),
    "yandex_personalized": Copies("^0"),
    "aol": Copies("^7", head=1),
    "webis_smc": Copies("^7"),
    "sogou": Copies("(?<=\t)u1"),
    "trec_run": Copies(r"^30\d"),
    "trec_dd": Copies("^D1"),
}
"""Logs that can be of any length. The others are documents, which are read as a whole."""


def outcomes(
    work: Path, logs: Sequence[str] = (*LOGS,), mutations: Sequence[str] = (*MUTATIONS,), *, long: bool = True
) -> Iterator[tuple[str, str]]:
    """Give the name and the outcome of every reading of these logs, the `long` ones too."""
    for number, name in enumerate(logs):
        title = f"{number:02} {name[:30]}"
        for what, text in _small(LOGS[name], name, work / "log", mutations):
            yield f"{title}, {what}", text
        if long and name in LONG:
            for what, text in _long(LOGS[name], LONG[name], work / "log"):
                yield f"{title}, long, {what}", text


def _small(log: Log, name: str, home: Path, mutations: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Read a sample log as it is, and with what can be wrong with it."""
    yield "plain", _read(log, home)
    yield "in little memory", _read(log, home, memory=LITTLE)
    yield "shuffled", _read(_shuffled(log, LONG[name]) if name in LONG else log, home)
    for kind, damage in _damages(log):
        yield f"damaged {kind}", _read(_damaged(log, damage), home)
        yield f"damaged {kind}, strict", _read(_damaged(log, damage), home, strict=True)
    for kind in mutations if " with " not in name else ():  # those only have another value to be damaged
        yield f"mutated, {kind}", _read_mutated(log, kind, home)


def _long(log: Log, copies: Copies, home: Path) -> Iterator[tuple[str, str]]:
    """Read a log that is many times as long as the sample, and has one damaged cell: at once, and in parts."""
    whole = _repeated(log, copies)
    yield "at once", _read(whole, home, memory=MUCH)
    yield "in little memory", _read(whole, home, memory=LITTLE)
    yield "shuffled, in little memory", _read(_shuffled(whole, copies), home, memory=LITTLE)


def _read(log: Log, home: Path, **options: object) -> str:
    """Write a log, and return how reading it ends."""
    shutil.rmtree(home, ignore_errors=True)
    source = written(home, log)
    return outcome(lambda: sk.read(source, **options), home)


def _read_mutated(log: Log, kind: str, home: Path) -> str:
    """Write a log, change the bytes of its first file, and return how reading it ends."""
    shutil.rmtree(home, ignore_errors=True)
    source = written(home, log)
    path = home / next(iter(log.files))
    path.write_bytes(mutated(path.read_bytes(), b"s1,1,1,d1\n", kind, 7))
    return outcome(lambda: sk.read(source), home)


def _damages(log: Log) -> list[tuple[str, Damage | Needed]]:
    """Return what can be damaged in a log."""
    return [(kind, damage) for kind, damage in log.damages.items() if not isinstance(damage, str)]


def _damaged(log: Log, damage: Damage | Needed) -> Log:
    """Return a log with one cell damaged."""
    own = getattr(damage, "file", None)
    return replace(
        log,
        files={
            name: text.replace(damage.old, damage.new, 1) if own in (None, name) else text
            for name, text in log.files.items()
        },
    )


def _parts(log: Log, copies: Copies) -> tuple[str, list[str], list[str], list[str]]:
    """Return the name of the file that grows, the lines at its head, those that are repeated, and those at its foot."""
    name, text = next(iter(log.files.items()))
    lines = text.splitlines(keepends=True)
    end = len(lines) - copies.foot
    return name, lines[: copies.head], lines[copies.head : end], lines[end:]


def _repeated(log: Log, copies: Copies) -> Log:
    """Return a log of so many copies as its megabytes need; one in the middle is damaged where anything can be."""
    name, head, body, foot = _parts(log, copies)
    one = "".join(body)
    pattern = re.compile(copies.ids, re.MULTILINE)
    many = int(copies.megabytes * 1e6 / len(_copy(pattern, one, 0)))
    repeated = [_copy(pattern, one, number) for number in range(many)]
    for _, damage in _damages(log)[:1]:
        repeated[many // 2] = _copy(pattern, one.replace(damage.old, damage.new, 1), many // 2)
    return replace(log, files={**log.files, name: "".join([*head, *repeated, *foot])})


def _copy(pattern: re.Pattern[str], records: str, number: int) -> str:
    """Return records of a copy: long ids make a log large without many records."""
    return pattern.sub(rf"\g<0>{number:0120}", records)


def _shuffled(log: Log, copies: Copies) -> Log:
    """Return a log with its records in another order."""
    name, head, body, foot = _parts(log, copies)
    random.Random(1).shuffle(body)  # noqa: S311 - no secret
    return replace(log, files={**log.files, name: "".join([*head, *body, *foot])})
