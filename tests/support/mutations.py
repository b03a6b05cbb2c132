"""Mutations of the bytes of a log, as disks, editors, cut transfers and hostile senders make them."""

from __future__ import annotations

import random
from collections.abc import Callable

DEEP = 20_000
"""How deep brackets are nested: deeper than Python recurses."""
LONG = 400_000
"""Characters of an endless word."""
Mutation = Callable[[bytes, bytes, random.Random], bytes]


def _at(data: bytes, draw: random.Random) -> int:
    """Return a place in some bytes, or behind the last."""
    return draw.randrange(len(data) + 1)


def _flip(data: bytes, other: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 8))):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _byte(data: bytes, other: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, other: bytes, draw: random.Random) -> bytes:
    return data[: _at(data, draw)]


def _headless(data: bytes, other: bytes, draw: random.Random) -> bytes:
    return data[_at(data, draw) :]


def _hole(data: bytes, other: bytes, draw: random.Random) -> bytes:
    first, last = sorted((_at(data, draw), _at(data, draw)))
    return data[:first] + data[last:]


def _lines(data: bytes, other: bytes, draw: random.Random, kind: str) -> bytes:
    lines = data.splitlines(keepends=True)
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    match kind:
        case "removed":
            del lines[one]
        case "double":
            lines.insert(other, lines[one])
        case "swapped":
            lines[one], lines[other] = lines[other], lines[one]
        case "all double":
            lines = lines * 2
        case "shuffled":
            draw.shuffle(lines)
        case "joined":
            lines[one] = lines[one].rstrip(b"\r\n")
        case "blank":
            lines.insert(one, draw.choice((b"\n", b"  \n", b"\r\n", b"\t\t\t\n")))
    return b"".join(lines)


def _of_lines(kind: str) -> Mutation:
    """Return the mutation of the lines of this kind."""
    return lambda *given: _lines(*given, kind)


def _cut_in_half(data: bytes, other: bytes, draw: random.Random) -> bytes:
    half = len(data) // 2
    return data[: half + 1 if data[half - 1 : half] == b"\n" else half]


def _empty(data: bytes, other: bytes, draw: random.Random) -> bytes:
    return b""


def _twice(data: bytes, other: bytes, draw: random.Random) -> bytes:
    return data * 2


def _mixed_line_ends(data: bytes, other: bytes, draw: random.Random) -> bytes:
    ends = (b"\n", b"\r\n") if draw.random() < 0.8 else (b"\n", b"\r\n", b"\r")
    return b"".join(line.rstrip(b"\r\n") + draw.choice(ends) for line in data.splitlines(keepends=True))


def _splice(data: bytes, other: bytes, draw: random.Random) -> bytes:
    return data[: _at(data, draw)] + other[_at(other, draw) :]


def _inserted(pieces: tuple[bytes, ...]) -> Mutation:
    """Return the mutation that puts one of some pieces anywhere."""

    def insert(data: bytes, other: bytes, draw: random.Random) -> bytes:
        at = _at(data, draw)
        return data[:at] + draw.choice(pieces) + data[at:]

    return insert


def _separators(data: bytes, other: bytes, draw: random.Random) -> bytes:
    was, new = draw.choice(SEPARATORS)
    return data.replace(was, new)


def _encoded(data: bytes, other: bytes, draw: random.Random) -> bytes:
    text = data.decode("utf-8", "replace").replace("a", "ä", 3)
    name = draw.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037", "utf-7"))
    return text.encode(name, "replace")


SEPARATORS = (
    *((b",", b";"), (b",", b"\t"), (b"\t", b","), (b"\t", b" "), (b" ", b"\t"), (b":", b"="), (b'"', b"'")),
    *((b"\n", b"\r"), (b"\n", b"\r\n"), (b"\n", b"\x0b")),
)
NESTED = tuple(
    opened * DEEP + closed * DEEP
    for opened, closed in (
        (b"[", b"]"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b"(", b")"), (b"[", b""), (b"<a>", b""), (b'{"a":[', b"")
    )
)  # fmt: skip
WORDS = (b"x" * LONG, b"9" * LONG, b'"' * 99_999, b"," * 2_000, b"\t" * 2_000, b"\xff" * LONG, b"&" * 99_999)
ODD = (
    *(
        "\u2028".encode(),
        b"\xed\xa0\x80",
        b"\xff\xfe",
        b"\\ud800",
        b"\x1b[2J",
        b"&#0;",
        b"&x;",
        b"<!--",
        b"<![CDATA[",
        b"\x1a",
    ),
    *(b"NaN", b"1e999", b"-", b'"', b"'", b"\\", b"\r"),
)
MUTATIONS: dict[str, Mutation] = {
    "flipped": _flip,
    "byte": _byte,
    "cut": _cut,
    "without its head": _headless,
    "hole": _hole,
    **{f"lines {kind}": _of_lines(kind) for kind in ("removed", "double", "swapped", "all double", "shuffled", "joined", "blank")},
    "spliced": _splice,
    "cut in half": _cut_in_half,
    "empty": _empty,
    "twice": _twice,
    "mixed line ends": _mixed_line_ends,
    "separators": _separators,
    "encoded": _encoded,
    "nested": _inserted(NESTED),
    "endless": _inserted(WORDS),
    "nul": _inserted((b"\x00", b"\x00" * 5000, b"a\x00b")),
    "odd characters": _inserted(ODD),
}  # fmt: skip
"""Mutations by name; each is given the bytes of a file, those of another log, and a source of chance."""


def mutated(data: bytes, other: bytes, name: str, seed: float) -> bytes:
    """Return the bytes of a file with a mutation; the same for the same seed."""
    return MUTATIONS[name](data, other, random.Random(seed))  # noqa: S311 - no secret
