"""How a column of a sheet spells its values: decimal marks, dates, durations, words for yes and no, and for nothing.

Found by the values, what stands for nothing left out; the words of ``decimal``, ``thousands``, ``times``, ``units`` and
``values`` of a study.toml. What two spellings explain alike is asked about, with the values seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from sessionkit.contract import Field
from sessionkit.display.words import listed
from sessionkit.readers.checks.cells import CLOCK, EXCEL, FIRST_DAY, in_our_spelling
from sessionkit.readers.checks.log_schemas import all_columns
from sessionkit.readers.propose.column_names import plain, words
from sessionkit.readers.propose.proposal import quoted

NO_VALUE = (
    "na", "n/a", "n.a.", "#n/a", "#nv", "nan", "null", "none", "nil", "-", "--", "\u2013", "\u2014", "?", ".", "\\n",
    "undefined", "missing", "-1", "unknown", "k.a.", "k. a.", "keine angabe", "fehlt", "nc", "n.c.", "s/d", "s.d.", "n/d", "n.d.",
    "n.v.t.", "nvt", "ei tietoa", "puuttuu", "saknas", "sans objet", "so", "#wert!", "#value!", "#ref!", "#div/0!", "#name?",
)  # fmt: skip
"""Texts that mean no value, in small letters."""
FEW = 6
"""So many texts at most are taken for ones that mean no value."""
YES = ("yes", "y", "true", "1", "ja", "j", "wahr", "oui", "o", "vrai", "si", "s", "verdadero", "vero", "sim", "verdadeiro", "waar",
       "kylla", "k", "tosi", "sant", "x", "clicked", "geklickt", "angeklickt", "是", "有", "点击", "はい", "あり")  # fmt: skip
NO = ("no", "n", "false", "0", "nein", "falsch", "non", "faux", "falso", "nao", "nee", "onwaar", "ei", "e", "epatosi", "nej", "falskt",
      "not clicked", "nicht geklickt", "nicht angeklickt", "否", "无", "未点击", "没有", "いいえ", "なし", "無")  # fmt: skip
"""Words for yes and no, without accents, in small letters."""
MARKS = ("x", "\u2713", "\u2714", "*", "+", "\u2717")
"""Signs of a yes where nothing stands for a no."""
UNITS = {
    "milliseconds": "ms msec msecs millis millisecond milliseconds millisekunden millisecondes milisegundos millisecondi milliseconden",
    "seconds": "s sec secs second seconds sek sekunden sekunde seg segundos secondes secondi seconden sekuntia sekunder",
    "minutes": "min mins minute minutes minuten minutos minuti minuuttia minuter",
    "hours": "h hr hrs hour hours std stunden heures horas ore uur tuntia timmar",
}
"""Words of a name that say a unit."""
PAIRS = (
    (".", None),
    (",", None),
    (".", ","),
    (",", "."),
    (",", " "),
    (".", " "),
    (".", "'"),
    (".", "\u2019"),
)
"""Decimal mark and mark between thousands, the likeliest first."""
CLOCKED = r"^(?:1899-12-3[01] )?(?:\d+:)?\d{1,3}:\d{2}(?:[.,]\d+)?$"
"""A duration as a clock shows it."""
DATE = re.compile(
    r"(?P<first>\d{1,4})(?P<mark>[./-])\s?(?P<second>\d{1,2})(?P=mark)\s?(?P<third>\d{2,4})"
    r"(?P<between>,?[ T]+|)(?P<time>\d{1,2}:\d{2}(?P<seconds>:\d{2}(?P<part>[.,]\d+)?)?(?P<half>\s?[AaPp][Mm])?)?$"
)
EAST_ASIAN_DATE = re.compile(r"\d{4}年\d{1,2}月\d{1,2}日(?P<blank>\s?)(?P<clock>\d{1,2}:\d{2}(?P<seconds>:\d{2})?)?")
"""A date as Chinese and Japanese write it, such as 2026年3月2日 9:05."""
DAYS = (FIRST_DAY, 80_000)
"""Days as Excel counts them, from the first that is read to the year 2119."""
MOST = 2000
"""Different texts that are looked at."""
NEAR, APART = 14, 90
"""Days within which a study may be, and beyond which dates are apart: of two readings of its dates the first is likelier."""
ISO = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


def mean_nothing(texts: Iterable[str]) -> bool:
    """Return whether some texts, of which there are few, all mean that there is no value.

    >>> mean_nothing(["NA", "-"]), mean_nothing(["12 ms"])
    (True, False)
    """
    given = list(texts)
    return 0 < len({text.strip().casefold() for text in given}) <= FEW and all(
        text.strip().casefold() in NO_VALUE for text in given
    )


@dataclass(frozen=True)
class Spelling:
    """How values are spelled, as options of a study.toml; none where they need none.

    Parameters
    ----------
    decimal, thousands, times, unit, words
        See ``checks/cells.py``.
    doubts
        Questions about it, by the option, with values that were seen.
    rival
        The other format that explains all times, with day and month exchanged; None where there is none.
    why
        Within how many days `times` has all times, where that makes it likelier than its rival.
    """

    decimal: str | None = None
    thousands: str | None = None
    times: str | None = None
    unit: str | None = None
    words: Mapping[str, bool] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)
    rival: str | None = None
    why: str = ""

    def options(self, ours: str) -> dict[str, Any]:
        """Return it as options of a table, in which it is about one column."""
        said = {"decimal": self.decimal, "thousands": self.thousands, "times": self.times}
        if self.unit is not None:
            said["units"] = {ours: self.unit}  # type: ignore[assignment]
        if self.words:
            said["values"] = {ours: dict(self.words)}  # type: ignore[assignment]
        return {name: value for name, value in said.items() if value is not None}


PLAIN = Spelling()


def spelling_of(texts: pl.Series, name: str, of: Field) -> Spelling:
    """Return how texts of a column are spelled, if they are values of one of ours.

    Parameters
    ----------
    texts
        Its texts, null where there are none.
    name
        What the column is called.
    of
        The column of ours.
    """
    stripped = texts.str.strip_chars()
    given = [
        text
        for text in stripped.drop_nulls().unique(maintain_order=True)[:MOST]
        if text.casefold() not in NO_VALUE[:-1]
    ]
    if not given:
        return PLAIN
    values = pl.Series("v", given)
    if of.type == "boolean":
        native = (*(of.true_values or ()), *(of.false_values or ()))
        return Spelling(words=_yes_and_no(given, native, bare=bool(stripped.null_count())))
    if of.type == "datetime":
        return _times(values)
    if of.type not in ("integer", "number"):
        return PLAIN
    if of.unit == "s" and values.str.contains(CLOCKED).mean() == 1:
        return Spelling(unit=CLOCK)
    unit = unit_in(name) if of.unit == "s" else None
    return _marks(values, unit)


def respelled(texts: pl.Series, spelling: Spelling, of: Field) -> pl.Series:
    """Return texts in our spelling."""
    options = spelling.options(of.name)
    if not options:
        return texts
    home = "results" if of.name in all_columns().by_name else "judgments"
    return in_our_spelling(texts.alias(of.name).to_frame().lazy(), home, options).collect().to_series()


def unit_in(name: str) -> str | None:
    """Return the unit that the name of a column says, where that is not seconds.

    >>> unit_in("dwell (ms)"), unit_in("tempo (min)"), unit_in("seconds")
    ('milliseconds', 'minutes', None)
    """
    said = words(name)
    found = next((unit for unit, names in UNITS.items() if set(said[-2:]) & set(names.split())), None)
    return None if found == "seconds" else found


def _yes_and_no(given: list[str], native: Sequence[str], *, bare: bool) -> dict[str, bool]:
    """Return what words for yes and no stand for that are not ours; a mark alone leaves a no to an empty cell."""
    texts = {text.casefold(): _bare(text) for text in given if text not in native}
    marks = [text for text in texts if text in MARKS]
    if marks and bare and sum(text.casefold() in MARKS for text in given) == len(given):
        return {**dict.fromkeys(marks, True), "": False}
    return {text: word in YES for text, word in texts.items() if word in (*YES, *NO)}


def _bare(text: str) -> str:
    """Return a word without accents, in small letters."""
    return plain(text).casefold().strip()


def _marks(values: pl.Series, unit: str | None) -> Spelling:
    """Return the decimal mark and that between thousands by which most values are numbers."""
    best = max(PAIRS, key=lambda pair: (_numbers(values, *pair), -PAIRS.index(pair)))
    doubts = {}
    grouped = values.filter(values.str.contains(r"^[+-]?[1-9]\d{0,2}[.,]\d{3}$"))
    marked = values.filter(values.str.contains(r"\d[.,]\d"))
    whole = values.filter(values.str.contains(r"^\d{4,}$"))
    if best[1] is None and len(grouped) and len(grouped) == len(marked) and whole.is_empty():
        mark = "." if "." in grouped[0] else ","
        shown = listed([quoted(text) for text in grouped[:3]])
        if unit == "milliseconds":
            best = ("," if mark == "." else ".", mark)
        else:
            key = "decimal" if mark == "," else "thousands"
            doubts[key] = (
                f"is {quoted(mark)} in {shown} a decimal mark, or does it part thousands? It is taken for a decimal mark"
            )
    return Spelling(None if best[0] == "." else best[0], best[1], unit=unit, doubts=doubts)


def _numbers(values: pl.Series, decimal: str, thousands: str | None) -> float:
    """Return the share of values that are numbers with these marks."""
    point = re.escape(decimal)
    pattern = rf"^[+-]?\d*{point}?\d+(?:[eE][+-]?\d+)?$"
    if thousands is not None:
        pattern = rf"{pattern}|^[+-]?\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+(?:{point}\d+)?$"
    return float(values.str.contains(pattern).mean() or 0)  # type: ignore[arg-type]


def _times(values: pl.Series) -> Spelling:
    """Return the format of times that all of some texts have; day first where they do not say which."""
    numbers = values.cast(pl.Float64, strict=False)
    if not numbers.null_count() and numbers.is_between(*DAYS).all():
        asked = f"numbers such as {quoted(values[0])} are taken for days as Excel counts them. Are they?"
        return Spelling(times=EXCEL, doubts={"times": asked})
    if (written := EAST_ASIAN_DATE.fullmatch(values[0])) is not None:
        seconds = ":%S" if written["seconds"] else ""
        form = f"%Y年%m月%d日{written['blank']}%H:%M{seconds}" if written["clock"] else "%Y年%m月%d日"
        return Spelling(times=form) if _all_in(values, form) else PLAIN
    first = DATE.match(values[0])
    if first is None or re.match(r"\d{4}-", values[0]):  # ISO 8601 needs no format
        return PLAIN
    formats = [one for one in _formats(first) if _all_in(values, one)]
    if not formats:
        return PLAIN
    if len(formats) == 1 or first["mark"] == ".":  # where dots are written, days come first
        return Spelling(times=formats[0])
    days = {form: _days(values, form) for form in formats}
    if max(days.values()) < APART or min(days.values()) > NEAR:
        return Spelling(times=formats[0], rival=formats[1])
    times, rival = sorted(formats, key=lambda form: days[form])
    return Spelling(times=times, rival=rival, why=f"within {days[times]} days, else within {days[rival]}")


def _days(values: pl.Series, form: str) -> int:
    """Return how many days there are from the first to the last of some times in a format."""
    read = in_our_spelling(values.alias("issued_at").to_frame().lazy(), "queries", {"times": form}).collect()[
        "issued_at"
    ]
    dates = read.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False).drop_nulls().to_list()
    return (max(dates) - min(dates)).days + 1


def _formats(seen: re.Match[str]) -> list[str]:
    """Return the formats that a text may be in, the likeliest first."""
    mark, between = seen["mark"], seen["between"]
    year = "%Y" if max(len(seen["first"]), len(seen["third"])) == 4 else "%y"
    time = ""
    if seen["time"]:
        hour = "%I" if seen["half"] else "%H"
        part = "%.f" if seen["part"] else ""
        half = f"{' ' if seen['half'] and seen['half'][0].isspace() else ''}%p" if seen["half"] else ""
        time = f"{between}{hour}:%M{':%S' if seen['seconds'] else ''}{part}{half}"
    if len(seen["first"]) == 4:
        dates = [["%Y", "%m", "%d"]]
    else:
        dates = [["%d", "%m", year], ["%m", "%d", year]]
        if seen["half"]:
            dates.reverse()
    blank = " " if re.search(r"[./-]\s", seen[0]) else ""
    return [f"{mark}{blank}".join(parts) + time for parts in dates]


def _all_in(values: pl.Series, form: str) -> bool:
    """Return whether all of some texts, but for one or two that were mistyped, are times in a format."""
    read = in_our_spelling(values.alias("issued_at").to_frame().lazy(), "queries", {"times": form}).collect()
    return float(read["issued_at"].str.contains(ISO).mean() or 0) > 0.98  # type: ignore[arg-type]
