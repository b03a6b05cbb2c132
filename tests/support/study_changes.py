"""Changes to a saved study, one at a time: a byte of any of its files, or a value of its descriptor; and what commands say then.

Commands run in a child process whose memory is limited, since a changed number may ask for any amount of it.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tests.support.trials import CRASHES, said_beside, serve, tried

DESCRIPTOR = "datapackage.json"
SCORE = ("score", "STUDY", "nsDCG@10", "mean(nDCG@10)", "mean(AP)", "Clicks", "--per", "session", "--format", "csv")
COUNTS = ("check", "STUDY", "--format", "jsonl")
VERIFY = (*COUNTS, "--verify")


@dataclass(frozen=True)
class Change:
    """One change: bytes at a place of a file, or the whole new text of the descriptor."""

    file: str
    offset: int = 0
    byte: int = 0
    text: str | None = None
    what: str = ""

    def made(self, clean: bytes) -> bytes:
        """Return the file with the change."""
        if self.text is not None:
            return self.text.encode()
        return clean[: self.offset] + bytes([self.byte]) + clean[self.offset + 1 :]


@dataclass
class Outcome:
    """What became of one change; `score`: same, other, refused, panicked (of polars, told as an error), traceback, died, hung."""

    change: Change
    score: str
    counts: str = "same"
    verify: str = "found"
    said: str = ""

    @property
    def wrong(self) -> bool:
        """Whether a score or a count is another, and the command succeeded."""
        return "other" in (self.score, self.counts)


@dataclass
class Figures:
    """Outcomes of many changes, counted."""

    outcomes: list[Outcome]

    def of(self, kind: str) -> Figures:
        """Return those of flips or of edits."""
        return Figures([one for one in self.outcomes if bool(one.change.what) == (kind == "edit")])

    @property
    def undetected(self) -> list[Outcome]:
        """Return what --verify did not find."""
        return [one for one in self.outcomes if one.verify != "found"]

    def __str__(self) -> str:
        scores = Counter(one.score for one in self.outcomes)
        return (
            f"{len(self.outcomes):,} tried; score: {scores['same']:,} the same, {scores['refused']:,} refused, {scores['other']:,} "
            f"other with exit 0, {scores['panicked']} panics of polars told as errors, {sum(scores[kind] for kind in CRASHES)} crashed; "
            f"{sum(one.wrong for one in self.outcomes):,} changed a score or a count; "
            f"check --verify: {len(self.outcomes) - len(self.undetected):,} detected, {len(self.undetected):,} undetected"
        )


def files_of(study: Path) -> list[str]:
    """Return the files of a study directory, as paths within it."""
    return sorted(path.relative_to(study).as_posix() for path in study.rglob("*") if path.is_file())


def flips(study: Path, many: int, seed: int) -> list[Change]:
    """Return so many flipped bits, file by file in turn, each at a place drawn at random."""
    draw, files = random.Random(seed), files_of(study)  # noqa: S311 - no secret
    found = []
    for number in range(many):
        file = files[number % len(files)]
        whole = (study / file).read_bytes()
        at = draw.randrange(len(whole))
        found.append(Change(file, at, whole[at] ^ (1 << draw.randrange(8))))
    return found


def edits(study: Path, many: int, seed: int) -> list[Change]:
    """Return so many structural edits of the descriptor: half of them named below, if there are enough, others drawn at random."""
    draw, clean = random.Random(seed), json.loads((study / DESCRIPTOR).read_text(encoding="utf-8"))  # noqa: S311
    named = [*_named(clean)]
    found = draw.sample(named, min(len(named), many // 2))
    places = [*_places(clean)]
    while len(found) < many:
        descriptor = copy.deepcopy(clean)
        *way, last = draw.choice(places)
        holder = descriptor
        for step in way:
            holder = holder[step]
        kind = _edit(holder, last, draw)
        if kind is not None and descriptor != clean:
            found.append(_change(descriptor, f"{kind} {'.'.join(map(str, [*way, last]))}"))
    return found


def _change(descriptor: object, what: str) -> Change:
    """Return the change that puts a descriptor in the place of another."""
    return Change(DESCRIPTOR, text=json.dumps(descriptor, indent=2) + "\n", what=what)


def _named(clean: dict) -> Iterator[Change]:
    """Yield the edits that change a score, a count or what protects them."""
    ours, settings = clean["sessionkit"], clean["sessionkit"]["settings"]
    for name, value in (
        *(("max_grade", value) for value in (1, settings["max_grade"] + 1, None, 1e300)),
        *(("merge", value) for value in ("sum", "first", "median", "no rule")),
        *(("unjudged_grades", value) for value in ([-1], [-2, -1], 0)),
        *(("collection_size", value) for value in (1, 2**63, None, "many")),
        *(("synthetic", value) for value in (False, 0)),
        *(("title", value) for value in ("Another", None)),
        *(("timezone", value) for value in ("UTC", "Nowhere/Land")),
        ("missing_positions", "empty"),
        ("title", "\ud800"),
    ):
        yield _of(clean, f"settings.{name} = {value!r}", settings={**settings, name: value})
    for name, value in ours["facts"].items():
        for new in (value + 1, 0, 2**70, -1, None):
            if new != value:
                yield _of(clean, f"facts.{name} = {new!r}", facts={**ours["facts"], name: new})
    for name in ours:
        yield _change({**clean, "sessionkit": {one: ours[one] for one in ours if one != name}}, f"remove {name}")
    for name, value in (
        *(("layout", value) for value in (1, 2, 4, 0, True, None, "3")),
        *(("digest", value) for value in ("", None, "0" * 64)),
        *(("reader", value) for value in ("aol", None)),
        *(("notes", value) for value in ([*ours["notes"], "All is well."], [], ["\ud800\x00\x1b[2J"])),
        *(("sources", value) for value in ([], ours["sources"] * 2)),
        ("pairs", "0" * 64),
        *(("parts", value) for value in ([], ours["parts"][::-1], ours["parts"] * 2, None)),
    ):
        if value != ours.get(name):
            yield _of(clean, f"{name} = {str(value)[:40]}", **{name: value})
    resources = clean["resources"]
    for number in range(len(resources) - 1):
        one, other = resources[number : number + 2]
        for name in ("name", "path", "hash", "rowcount"):
            if one.get(name) != other.get(name):
                swapped = [dict(entry) for entry in resources]
                swapped[number][name], swapped[number + 1][name] = other.get(name), one.get(name)
                yield _change({**clean, "resources": swapped}, f"swap {name} of {one['name']} and {other['name']}")
        yield _change(
            {**clean, "resources": [*resources[:number], other, one, *resources[number + 2 :]]},
            f"swap {one['name']} and {other['name']}",
        )


def _of(clean: dict, what: str, **ours: object) -> Change:
    """Return the change of some values of the sessionkit batch."""
    return _change({**clean, "sessionkit": {**clean["sessionkit"], **ours}}, what)


def _places(value: object, way: tuple = ()) -> Iterator[tuple]:
    """Yield the way to every value in a descriptor."""
    if way:
        yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield from _places(inner, (*way, step))


def _edit(holder: dict | list, at: str | int, draw: random.Random) -> str | None:
    """Edit one value where it stands; return how, None where that is no edit."""
    value = holder[at]
    match draw.choice(("remove", "change", "change", "add", "kind", "double")):
        case "remove":
            del holder[at]
            return "remove"
        case "add" if isinstance(value, dict):
            value[draw.choice(("more", "hash", "path", "sha256", ""))] = draw.choice((0, "x", [], {}))
            return "add to"
        case "kind":
            holder[at] = draw.choice((None, [], {}, "", 0, -1, 1.5, True, "x" * 50))
            return "other kind of"
        case "double" if isinstance(value, list):
            value.extend(copy.deepcopy(value))
            return "double"
        case "change" if isinstance(value, bool):
            holder[at] = not value
        case "change" if isinstance(value, int | float):
            holder[at] = draw.choice((value + 1, value - 1, 2 * value + 1, 0, 2**40))
        case "change" if isinstance(value, str) and value:
            cut = draw.randrange(len(value))
            holder[at] = value[:cut] + draw.choice("ab01/. ") + value[cut + 1 :]
        case "change" if isinstance(value, list) and len(value) > 1:
            value.reverse()
        case _:
            return None
    return "change"


def outcomes(study: Path, changes: list[Change]) -> Figures:
    """Make every change in turn on a copy of a study, each undone before the next, and return what commands said."""
    answers = tried(__name__, [asdict(change) for change in changes], str(study))
    return Figures([_outcome(*one) for one in zip(changes, answers, strict=True)])


def _outcome(change: Change, answer: dict[str, str]) -> Outcome:
    """Return the outcome of a change; one that ended the child was neither scored nor found."""
    ended = answer.get("ended")
    return Outcome(change, ended, ended, ended, answer["said"]) if ended else Outcome(change, **answer)


def command(words: tuple[str, ...], study: Path, errors: BinaryIO) -> tuple[str, str, str]:
    """Return how a command ended (ok, refused, panicked, traceback), what it wrote, and what it said."""
    from sessionkit.cli import main

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    raised, since = "", errors.seek(0, io.SEEK_END)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([word.replace("STUDY", str(study)) for word in words])
        except BaseException as error:  # noqa: BLE001 - what a command lets through is what is looked for
            status, raised = -1, repr(error)
    said = err.getvalue() + "\n".join(said_beside(errors, since))
    if raised or status not in (0, 1, 2):
        return "traceback", "", raised
    if "panicked at" in said:  # of polars, whose words nothing can hold back
        return ("panicked" if status == 1 and "error: " in err.getvalue() else "traceback"), "", said
    return "refused" if status else "ok", out.buffer.getvalue().decode(), said


def main(folder: Path, source: Path) -> None:
    """Try the changes that stand on stdin, on a copy of a study."""
    study = folder / "study"
    shutil.copytree(source, study)
    with open(2, "r+b", buffering=0, closefd=False) as errors:
        score, counts, verify = (command(words, study, errors) for words in (SCORE, COUNTS, VERIFY))
    assert (score[0], counts[0], verify[0]) == ("ok", "ok", "ok"), (score, counts, verify)

    def against(found: tuple[str, str, str], clean: tuple[str, str, str]) -> str:
        return found[0] if found[0] != "ok" else "same" if found[1] == clean[1] else "other"

    def answer(case: dict[str, Any], errors: BinaryIO) -> dict[str, str]:
        change = Change(**case)
        path = study / change.file
        clean = path.read_bytes()
        path.write_bytes(change.made(clean))
        found = [command(words, study, errors) for words in (SCORE, COUNTS, VERIFY)]
        path.write_bytes(clean)
        return {
            "score": against(found[0], score),
            "counts": against(found[1], counts),
            "verify": {"refused": "found", "ok": "missed"}.get(found[2][0], found[2][0]),
            "said": " | ".join(one[2] for one in found)[-600:],
        }

    serve(answer)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
