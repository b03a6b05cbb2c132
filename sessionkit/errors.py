"""The exceptions and warnings of sessionkit.

::

    SessionkitError            base; carries the exit status of the command line
      ├── DataError            the log, the judgments or the study is at fault      exit 1
      │     └── ReplacedError  a study was replaced while it was read
      ├── SpaceError           there is no room for what is written                exit 1
      └── UsageError           the command, the measure or an option is at fault    exit 2
            └── MeasureError   a measure's text or one of its parameters
    DataWarning                something unusual in the data that a reader of the numbers should know
    WaitWarning                a write waits for another process that writes to the same place

Every message says where, what is wrong with the value, what exists instead and what to do, in one or two lines.
"""

from __future__ import annotations

import difflib
import errno
import heapq
import inspect
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from types import FrameType

ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that move the cursor, start escape sequences, end lines or turn the direction of writing."""
NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\x1b": "\\e"}


def visible(text: str) -> str:
    r"""Return text with every character that could act on a terminal written out.

    >>> print(visible("a\x1b[31mb\u202e"))
    a\e[31mb\u202e
    """
    return ACTING.sub(lambda found: NAMED.get(found[0]) or _numbered(ord(found[0])), text)


def _numbered(code: int) -> str:
    """Return a character's number as Python writes it."""
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


LONGEST_WORD, LONGEST_MESSAGE = 300, 2_000
"""Most characters of a word, such as a path, and of a message. A longer one loses its middle, so that half as many are left."""
ENDLESS = re.compile(rf"(?<!\S)\S{{{LONGEST_WORD + 1},}}")


def readable(message: str) -> str:
    """Return a message as it can be shown: short, whatever it quotes, and with escaped control characters.

    So text from a log, or the name of a file, cannot act on the terminal. The end of the message, which says what to do, remains.

    >>> readable(f"there is no measure {'a' * 1_000_000!r}; see: sessionkit measures")[-60:]
    "aaaa…aaaaaaaaaaaaaaaaaaaaaaaaaaaa'; see: sessionkit measures"
    """
    return _shortened("\n".join(map(visible, _shortened(message).split("\n"))))


def _shortened(message: str) -> str:
    """Return a message without the middle of its endless words, and of itself."""
    message = ENDLESS.sub(lambda word: _without_middle(word[0], LONGEST_WORD // 2), message)
    return message if len(message) <= LONGEST_MESSAGE else _without_middle(message, LONGEST_MESSAGE // 2)


def _without_middle(text: str, length: int) -> str:
    """Shorten a text to so many characters: four fifths from its beginning and one fifth from its end."""
    return f"{text[: length * 4 // 5]}\u2026{text[-length // 5 :]}"


class SessionkitError(Exception):
    """Any error of sessionkit, with a message that can be printed as it is.

    Parameters
    ----------
    brief
        What is wrong.
    more
        What follows it in the message, such as what to do, with the punctuation before it.
    about
        What it is about, such as a measure, which stands before it.
    """

    exit_status = 1

    def __init__(self, brief: object = "", more: str = "", about: str = "") -> None:
        super().__init__(f"{about}: {brief}{more}" if about else f"{brief}{more}")
        self._brief, self._more = str(brief), more

    @property
    def brief(self) -> str:
        """What is wrong, without what to do about it."""
        return readable(self._brief)

    @property
    def more(self) -> str:
        """What follows the brief message."""
        return readable(self._more)

    def __str__(self) -> str:
        return readable(super().__str__())


class DataError(SessionkitError, ValueError):
    """An error in the data: a missing file or column, a broken study, a grade without a gain."""


class ReplacedError(DataError):
    """A study was replaced or removed after it was opened."""


class SpaceError(SessionkitError):
    """No space to write: the disk is full, a quota is used up, or the limit for file sizes is reached."""


class UsageError(SessionkitError, ValueError):
    """An error in the request: an option, a name or a combination that makes no sense."""

    exit_status = 2


class MeasureError(UsageError):
    """A measure's text cannot be read, or one of its parameters is out of range."""


class DataWarning(UserWarning):
    """Unusual data that changes what a score means.

    Parameters
    ----------
    text
        What is unusual.
    nameless
        The same without names from the log, where the text has any.
    place
        The line of a study.toml that may be wrong, such as ``queries.query_text``, at which ``init`` asks about it; empty where no
        single line is, None where ``init`` asks by its own counts or not at all.
    """

    def __init__(self, text: str, nameless: str | None = None, place: str | None = "") -> None:
        super().__init__(text)
        self.nameless = text if nameless is None else nameless
        self.place = place

    def __str__(self) -> str:
        return readable(super().__str__())


class WaitWarning(UserWarning):
    """A write waits for another process that writes to the same place."""

    def __str__(self) -> str:
        return readable(super().__str__())


PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH120, PTH100 - files of frames are texts
"""The folder of sessionkit, as the files of its frames begin."""


def warn(warning: str | DataWarning | WaitWarning) -> None:
    """Issue a warning, a `DataWarning` where it is a text, that points at the line that called sessionkit.

    ``stacklevel`` would need the number of calls in between, which differs from verb to verb, and ``skip_file_prefixes`` needs
    Python 3.12.
    """
    frame = _caller(inspect.currentframe())
    name, line, module_globals = "sessionkit", 1, {}
    if frame is not None:
        name, line, module_globals = frame.f_code.co_filename, frame.f_lineno, frame.f_globals
    warnings.warn_explicit(
        DataWarning(warning) if isinstance(warning, str) else warning,
        None,  # the warning has its category itself
        name,
        line,
        module=module_globals.get("__name__", name),  # Python drops a warning of no module
        registry=module_globals.setdefault("__warningregistry__", {}),
    )


def _caller(frame: FrameType | None) -> FrameType | None:
    """Return the frame that called sessionkit, above all frames of sessionkit.

    Other libraries can stand between two of its frames, such as contextlib, so the first frame outside is not enough.
    """
    caller = frame
    while frame is not None:
        if frame.f_code.co_filename.startswith(PACKAGE):
            caller = frame.f_back
        frame = frame.f_back
    return caller


LACKS = {
    getattr(errno, "EDQUOT", -1): "the disk quota is used up",  # Windows has none
    errno.EFBIG: "the limit for file sizes is reached; see: ulimit -f",
    errno.ENOSPC: "no space is left on the disk",
}
"""What is lacking, by the number that the system gives the error."""


def lack_of_space(error: BaseException) -> str | None:
    """Return what is lacking where an error of the system, or of a library that passes it on, says so; else None.

    >>> lack_of_space(OSError(28, "No space left on device"))
    'no space is left on the disk'
    >>> lack_of_space(RuntimeError("parquet: underlying IO error: File too large (os error 27)"))
    'the limit for file sizes is reached; see: ulimit -f'
    """
    text = str(error)
    for number, lack in LACKS.items():
        if getattr(error, "errno", None) == number or f"(os error {number})" in text or f"[Errno {number}]" in text:
            return lack
    return None


LONGEST_NAME, MOST_NAMES, COMPARED = 200, 10_000, 1_000_000
"""Most characters of a name, most names, and most pairs of characters that are compared to find what may be meant."""


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest known name, or the empty string, as for what is no text.

    That is one that differs only in how its numbers are padded, or by little, else the shortest that begins with what was typed, or
    has a word within that does, if that is of three characters or more. Names of over 200 characters are skipped, and those
    after the first 10,000.

    >>> suggestion("nsdcg", ["sDCG", "nsDCG"])
    "; did you mean 'nsDCG'?"
    >>> suggestion("P01", ["P01/T03", "P20/T14"])
    "; did you mean 'P01/T03'?"
    >>> suggestion("exp", ["explain", "export"]), suggestion("DCG@10", ["nsDCG@10"]), suggestion("own", ["breakdown"])
    ("; did you mean 'export'?", "; did you mean 'nsDCG@10'?", '')
    >>> suggestion("P1/T1", ["P10/T1", "P01/T1", "P1/T10"])
    "; did you mean 'P01/T1'?"
    >>> suggestion("zzz", ["sDCG"]), suggestion("--session", ["--font"]), suggestion(5, ["sDCG"])
    ('', '', '')
    """
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return ""
    # the dashes of options would make any two of them alike
    folded = {other.casefold().lstrip("-"): other for other in islice(known, MOST_NAMES) if len(other) <= LONGEST_NAME}
    typed = name.casefold().lstrip("-")
    unpadded = _unpadded(typed)
    padded = [other for other in folded if _unpadded(other) == unpadded]
    begun = sorted((other for other in folded if len(typed) > 1 and other.startswith(typed)), key=len)
    parts = [other for other in folded if len(typed) > 2 and typed in other and _has_word(folded[other], typed)]
    like = close_names(typed, [other for other in folded if len(other) <= 2 * len(typed)], 1, 0.5)
    nearly = [other for other in like if difflib.SequenceMatcher(None, other, typed).ratio() >= 0.8]
    near = [*padded, *nearly, *begun, *sorted(parts, key=len), *like]
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def close_names(name: str, known: Sequence[str], most: int, cutoff: float) -> list[str]:
    """Return the names that are most like another, as `difflib.get_close_matches` does, in a time that has a bound.

    Of too many names, only those that begin most like it are compared.

    >>> close_names("nsdcg", ["sdcg", "nsdcg@10", "p"], 2, 0.5), close_names("a" * 1_000_000, ["a" * 1_000_000], 1, 0.5)
    (['sdcg', 'nsdcg@10'], [])
    """
    if not name or len(name) > LONGEST_NAME:
        return []
    names = [other for other in known if len(other) <= LONGEST_NAME]
    compared = COMPARED // (2 * len(name) ** 2)  # difflib may compare every character with every other
    if len(names) > compared:
        names = heapq.nlargest(compared, names, key=partial(_count_common, name))
    return difflib.get_close_matches(name, names, n=most, cutoff=cutoff)


def _count_common(name: str, other: str) -> int:
    """Return how many characters two names have in common at their beginning."""
    pairs = enumerate(zip(name, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(name), len(other)))


def _unpadded(name: str) -> str:
    """Return a name whose numbers do not begin with 0: P1/T1 for P01/T01."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", name)


def require_id(option: str, value: object, ids: Iterable[str]) -> None:
    """Refuse what is no text where one of some ids is asked for; ids that look like numbers are texts too.

    >>> require_id("session", 3, ["1", "2", "3"])
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: session must be an id, which is a text, not 3; did you mean '3'?
    """
    if not isinstance(value, str):
        meant = f"; did you mean {str(value)!r}?" if str(value) in set(ids) else ""
        raise UsageError(f"{option} must be an id, which is a text, not {value!r}{meant}")


def _has_word(name: str, typed: str) -> bool:
    """Return whether a word within a name begins with what was typed: after a sign or blank, or at a capital."""
    starts = [found.start() for found in re.finditer(r"(?<=[_\-/. ])\w|(?<=[a-z0-9])[A-Z]", name)]
    return any(name[start:].casefold().startswith(typed) for start in starts)
