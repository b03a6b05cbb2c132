"""What is in a column: numbers, times, ids, names of events; how its values are spelled, and which of ours they could be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from sessionkit.display.numbers import listed
from sessionkit.readers.checks.cells import CLOCK, EXCEL, FIRST_DAY, all_columns, in_our_spelling
from sessionkit.readers.column_names import LIKELY, USUAL, folded, likeness, plain, words
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.sample import Sample
from sessionkit.study.checks import cast, without_zone
from sessionkit.study.schema import Field, table


def share(ours: pl.Series, theirs: pl.Series) -> float:
    """Return the share of different values of one column that another has as well.

    >>> share(pl.Series(["a", "b"]), pl.Series(["b", "c"]))
    0.5
    """
    known = ours.drop_nulls().unique()
    if known.is_empty():
        return 0.0
    return int(known.is_in(theirs.drop_nulls().unique().implode()).sum()) / len(known)


def shared(
    log: Sequence[SampleColumn], judged: Sequence[SampleColumn]
) -> list[tuple[float, SampleColumn, SampleColumn]]:
    """Return pairs of columns with the share of values they have in common, of the one that has fewer; the best first."""
    pairs = []
    for one in log:
        for other in judged:
            few, many = (one, other) if one.distinct <= other.distinct else (other, one)
            pairs.append((share(few.given, many.given), one, other))
    return sorted(pairs, key=lambda pair: -pair[0])


def judged_shares(shown: pl.DataFrame, docs: str, keys: Mapping[str, str], judged: pl.DataFrame) -> dict[str, float]:
    """Return, for each column that may be the key of judgments, the share of shown results that are judged by it.

    Parameters
    ----------
    shown
        Results, with columns for the document and for every key.
    docs
        The column of the document.
    keys
        Names for the keys, and their columns.
    judged
        ``key`` and ``doc`` of the judgments.
    """
    known = judged.select("key", "doc").unique().with_columns(pl.lit(value=True).alias("known"))
    found = {}
    for name, column in keys.items():
        rows = shown.select(pl.col(column).alias("key"), pl.col(docs).alias("doc")).drop_nulls()
        joined = rows.join(known, on=["key", "doc"], how="left")
        found[name] = int(joined["known"].sum()) / max(joined.height, 1)
    return found


PROSE = r"\S(?:\s+\S+){6}"
"""A text of seven words or more."""


@dataclass(frozen=True, eq=False)
class SampleColumn:
    """One column of a sample; one that its file does not have is made of others, or of none that can be named."""

    name: str
    place: int
    values: pl.Series
    texts: pl.Series
    made_of: tuple[str, ...] | None = None
    lower: str = ""
    known_as: str = ""

    @cached_property
    def heading(self) -> str:
        """By what it is known: what it is a field of, its name, or the lower of two that stand in a header of two rows."""
        if self.known_as:
            return self.known_as
        if self.lower and max(likeness(self.name, ours) for ours in USUAL) < LIKELY:
            return self.lower
        return self.name

    @cached_property
    def given(self) -> pl.Series:
        """Its texts, without those that are missing."""
        return self.texts.drop_nulls()

    @cached_property
    def distinct(self) -> int:
        """How many different texts there are."""
        return self.given.n_unique()

    @property
    def filled(self) -> float:
        """The share of rows that have a value."""
        return len(self.given) / max(len(self.texts), 1)

    @cached_property
    def integers(self) -> pl.Series:
        """Its texts as whole numbers, null where they are none."""
        bare = self.texts.str.strip_chars().str.replace(r"\.0+$", "")
        return bare.cast(pl.Int64, strict=False)

    @cached_property
    def counts(self) -> bool:
        """Whether it may count something: mostly whole numbers, none below 0, none of many digits."""
        numbers = self.integers.drop_nulls()
        if len(numbers) == 0 or 2 * len(numbers) < len(self.given):
            return False
        return int(numbers.min()) >= 0 and int(numbers.max()) < 100_000  # type: ignore[arg-type]

    @cached_property
    def names_things(self) -> bool:
        """Whether its values may be ids: filled, not all the same, no numbers with a fraction, no times."""
        if self.distinct < 2 or self.filled < 0.5:
            return False
        return self.share_matching(r"^\s*[-+]?\d*[.,]\d+\s*$") < 0.5 and self.share_matching(r"^\d{4}-\d\d-\d\d") < 0.5

    @property
    def may_be_an_id(self) -> bool:
        """Whether its values may be ids, be it only one."""
        return self.names_things or self.distinct == 1

    @property
    def is_prose(self) -> bool:
        """Whether most of its values are texts of many words, such as answers, which identify nothing."""
        return self.share_matching(PROSE) > 0.5

    @property
    def is_key(self) -> bool:
        """Whether it has another value in every row."""
        return self.filled == 1 and self.distinct == len(self.texts)

    def share_matching(self, pattern: str) -> float:
        """Return the share of its texts in which a pattern is found."""
        found = self.given.str.contains(pattern)
        return int(found.sum()) / max(len(found), 1)

    @cached_property
    def _spellings(self) -> dict[tuple[str, str | None], Spelling]:
        """How its values are spelled, by the type and unit of what they may be; filled as it is asked for."""
        return {}

    def spelling(self, field: Field) -> Spelling:
        """Return how its values are spelled, if they are those of one of our columns."""
        if self.values.dtype != pl.String or self.made_of is not None:
            return PLAIN
        key = (field.type, field.unit)
        if key not in self._spellings:
            self._spellings[key] = spelling_of(self.texts, self.name, field)
        return self._spellings[key]

    def typed(self, field: Field) -> pl.Series:
        """Return its values as those of one of our columns, null where they are none."""
        values = self._read_as(field)
        return values.alias(field.name).to_frame().select(cast(field, values.dtype)).to_series()

    def misfits(self, field: Field) -> pl.Series:
        """Return the different texts of it that are no value of one of our columns, however they are spelled."""
        typed = self.typed(field)
        bad = typed.is_null()
        if field.minimum is not None and field.name not in ("query_position", "rank"):
            bad |= (typed < field.minimum).fill_null(value=False)
        if field.enum:
            bad |= ~typed.is_in(list(field.enum)).fill_null(value=True)
        return self.texts.filter(bad & self.texts.is_not_null()).unique(maintain_order=True)

    def share_of(self, texts: pl.Series) -> float:
        """Return the share of its values that are one of some texts."""
        return int(self.given.is_in(texts.implode()).sum()) / max(len(self.given), 1)

    def _read_as(self, field: Field) -> pl.Series:
        """Return its values as a study.toml that says how they are spelled gives them to one of our columns."""
        spelling = self.spelling(field)
        return self.values if spelling == PLAIN else respelled(self.texts, spelling, field)

    @property
    def times(self) -> pl.Series:
        """Its values as times, null where they are none."""
        issued = table("queries").by_name["issued_at"]
        values = self._read_as(issued)
        return values.alias(issued.name).to_frame().select(cast(issued, values.dtype)).to_series()

    def lacks_zone(self, field: Field) -> bool:
        """Return whether times in it, which feed one of our columns, carry no zone."""
        values = self._read_as(field)
        return bool(values.alias("t").to_frame().select(without_zone("t", values.dtype).any()).item())


def columns_of(sample: Sample) -> dict[str, SampleColumn]:
    """Return the columns of a sample by their names."""
    return {
        name: SampleColumn(
            name,
            place,
            sample.frame[name],
            sample.texts[name],
            made_of=sample.made.get(name),
            lower=sample.lower.get(name, ""),
            known_as=sample.known_as.get(name, ""),
        )
        for place, name in enumerate(sample.columns, 1)
    }


NO_VALUE = (
    "na", "n/a", "n.a.", "#n/a", "#nv", "nan", "null", "none", "nil", "-", "--", "\u2013", "\u2014", "?", ".", "\\n",
    "undefined", "missing", "-1", "unknown", "k.a.", "k. a.", "keine angabe", "fehlt", "nc", "n.c.", "s/d", "s.d.", "n/d", "n.d.",
    "n.v.t.", "nvt", "ei tietoa", "puuttuu", "saknas", "sans objet", "so", "#wert!", "#value!", "#ref!", "#div/0!", "#name?",
)  # fmt: skip
"""Texts that mean no value, in small letters."""
MISSING_TEXTS_AT_MOST = 6
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
    return 0 < len({text.strip().casefold() for text in given}) <= MISSING_TEXTS_AT_MOST and all(
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


ACTIONS = {
    "query": "query search submit submitted querysubmit querysubmitted querysubmission searchquery queryissued issuequery newquery "
    "requery reformulate reformulation queryevent searchevent dosearch searchsubmit searched issued queried viewsearchresults "
    "suche suchanfrage anfrage abfrage recherche requete busqueda consulta ricerca pesquisa zoekvraag zoekopdracht haku kysely "
    "sokning fraga",
    "impression": "impression impressions view views show shown result display displayed serpitem exposure resultshown "
    "resultimpression itemview anzeige angezeigt treffer affichage afiche vista mostrado visto visualizzazione getoond visning visad",
    "click": "click clicked clickresult resultclick open opened opendocument documentopened select selected itemclick docclick "
    "selectitem selectcontent "
    "clickthrough clickout resultclicked openresult viewdocument docopen opendoc visit visited klick geklickt geoffnet clic clique ouvert "
    "ouverture abierto abrir aperto aprire clicado aberto geklikt geopend klikkaus avattu klickad oppnad",
    "leave": "leave left close closed closedocument back return returned backtoserp exit docclose",
}
"""What events are called, folded, by what they are to ``format = "events"``, in the order in which names are looked up."""
KINDS_OF_EVENTS = 200
"""Different events that a log may have."""
ACTION_OF_NAME = {name: action for action, names in ACTIONS.items() for name in names.split()}
NEUTRAL = ("event", "evt", "on", "user", "ui", "log", "logged")
"""Words in the name of an event that do not say what it is."""
OBJECTS = ("search", "result", "doc", "document", "item", "link")
"""Words that say of what an event is, where others say what happened."""
LISTED = r"(?s)^\s*\[.*\]\s*$"
"""A list of documents in JSON, as of the items of an event that is a query."""
FIELDS = ("query_text", "doc_id", "rank")
"""What the rows of an event may have that says what it is."""
EVENT_NAMES_AT_MOST = 50
"""Different texts that a column of names of events has at most, where none of them is usual."""
MOSTLY, HARDLY = 0.9, 0.1
"""The share of its rows in which an event has, or lacks, a value of a column."""


@dataclass(frozen=True)
class EventName:
    """One name of events.

    Parameters
    ----------
    name
        What the log calls them.
    action
        What they are, one of :data:`ACTIONS`; empty where nothing says it.
    is_guessed
        Whether the columns that they fill say it, and not their name.
    description
        The name, how many events have it, and what these say.
    has_unread_lists
        Whether they have lists of results that are not read, as only a query can have one.
    """

    name: str
    action: str
    is_guessed: bool
    description: str
    has_unread_lists: bool = False


def event_column(columns: Mapping[str, SampleColumn]) -> str | None:
    """Return the column that tells events apart: one with few texts, some of which are queries, others something else.

    Where no text is usual, it is one with a usual name of which some texts have a query and others a document.
    """
    best: tuple[float, str] | None = None
    for one in columns.values():
        if not 1 < one.distinct <= KINDS_OF_EVENTS:
            continue
        actions = {action for text in one.given.unique() if (action := action_of(text))}
        like = likeness(one.heading, "event")
        if "query" in actions and (len(actions) > 1 or like) and (best is None or like + len(actions) > best[0]):
            best = (like + len(actions), one.name)
    if best is not None:
        return best[1]
    named = [
        one
        for one in columns.values()
        if likeness(one.heading, "event") >= LIKELY and 1 < one.distinct <= EVENT_NAMES_AT_MOST
    ]
    return next((one.name for one in named if _tells_apart(columns, one)), None)


def _tells_apart(columns: Mapping[str, SampleColumn], event: SampleColumn) -> bool:
    """Return whether some texts of a column stand beside queries alone, others beside documents."""
    fields: dict[str, SampleColumn] = {}
    for ours in FIELDS:
        likely = [one for one in columns.values() if one is not event and likeness(one.heading, ours)]
        if likely:
            fields[ours] = max(likely, key=lambda one: likeness(one.heading, ours))
    shares = _filled_shares(event, fields)
    rows = shares.values()
    has_queries = any(row["query_text"] >= MOSTLY and max(row["doc_id"], row["rank"]) <= HARDLY for row in rows)
    return has_queries and any(max(row["doc_id"], row["rank"]) >= MOSTLY for row in rows)


def _filled_shares(event: SampleColumn, fields: Mapping[str, SampleColumn]) -> dict[str, dict[str, float]]:
    """Return for each name of events the share of its rows that have a query text, a document and a rank, and their number."""
    frame = pl.DataFrame({"event": event.texts.str.strip_chars()})
    none = pl.repeat(value=False, n=frame.height, eager=True)
    frame = frame.with_columns(
        (fields[ours].texts.is_not_null() if ours in fields else none).alias(ours) for ours in FIELDS
    )
    counts = frame.drop_nulls("event").group_by("event", maintain_order=True)
    rows = counts.agg(pl.col(FIELDS).mean(), pl.len().alias("rows")).to_dicts()
    return {row.pop("event"): row for row in rows}


def find_event_names(event: SampleColumn, fields: Mapping[str, SampleColumn]) -> list[EventName]:
    """Return the names of events, those that come first in the log first, with what each is.

    Parameters
    ----------
    event
        The column that tells events apart.
    fields
        The columns of the log that are query_text, doc_id, rank and results, as far as there are any.
    """
    shares = _filled_shares(event, fields)
    usual = {name: _usual_action(name, row, fields) for name, row in shares.items()}
    unread = _events_with_unread_lists(event, fields, usual)
    lists = [name for name in unread if shares[name]["query_text"] >= MOSTLY]
    if lists:  # the query and its list are two events
        usual = {name: "" if action == "query" or name in lists else action for name, action in usual.items()}
    has_queries = "query" in usual.values()
    guesses: dict[str, str] = {}
    for name, row in shares.items():
        if not usual[name] and not has_queries and row["query_text"] >= MOSTLY and row["doc_id"] <= HARDLY:
            guesses[name] = "query"
    guesses |= _guess_events_on_documents(event, shares, usual)
    if lists:
        guesses = {name: action for name, action in guesses.items() if action != "query"} | {lists[0]: "query"}
    queries = [name for name, action in guesses.items() if action == "query"]
    if queries:  # the others may be texts as they were typed
        most = max(queries, key=lambda name: shares[name]["rows"])
        guesses = {name: action for name, action in guesses.items() if action != "query" or name == most}
    return [
        EventName(
            name,
            usual[name] or guesses.get(name, ""),
            name in guesses,
            _description(name, row, has_lists=name in unread),
            has_unread_lists=name in unread and name not in lists[:1],
        )
        for name, row in shares.items()
    ]


def _usual_action(name: str, row: Mapping[str, float], fields: Mapping[str, SampleColumn]) -> str:
    """Return what an event is by its name; empty where its name does not say it, or it has nothing of what such an event has."""
    action = action_of(name) or ""
    needed = {"query": ("query_text",), "impression": ("doc_id", "rank"), "click": ("doc_id", "rank")}.get(action, ())
    there = [ours for ours in needed if ours in fields]
    return "" if there and all(row[ours] <= HARDLY for ours in there) else action


def _guess_events_on_documents(
    event: SampleColumn, shares: Mapping[str, Mapping[str, float]], usual: Mapping[str, str]
) -> dict[str, str]:
    """Return which unknown events on documents are impressions and which are clicks, one of each at most.

    Impressions are more than clicks. Where there is but one kind of events, they are impressions if most follow one of their own.
    """
    on_documents = [name for name, row in shares.items() if row["doc_id"] >= MOSTLY]
    by_number = sorted((name for name in on_documents if not usual[name]), key=lambda name: -shares[name]["rows"])
    clicks = sum(shares[name]["rows"] for name in on_documents if usual[name] == "click")
    guesses: dict[str, str] = {}
    if by_number and "impression" not in usual.values():
        first = by_number[0]
        if shares[first]["rows"] >= clicks if len(on_documents) > 1 else _follows_itself(event, first):
            guesses[by_number.pop(0)] = "impression"
    if by_number and "click" not in usual.values():
        guesses[by_number[0]] = "click"
    return guesses


def _follows_itself(event: SampleColumn, name: str) -> bool:
    """Return whether most events of this name follow one of their own."""
    own = event.given.str.strip_chars() == name
    return 2 * int((own & own.shift(1, fill_value=False)).sum()) >= int(own.sum())


def _events_with_unread_lists(
    event: SampleColumn, fields: Mapping[str, SampleColumn], usual: Mapping[str, str]
) -> list[str]:
    """Return the events that have lists of results, where those called queries have none."""
    if "results" not in fields:
        return []
    has_list = fields["results"].texts.str.contains(LISTED).fill_null(value=False)
    names = event.texts.str.strip_chars().filter(has_list).drop_nulls().unique(maintain_order=True).to_list()
    if any(usual[name] == "query" for name in names):
        return []
    return [name for name in names if usual[name] not in ("click", "leave")]


def _description(name: str, row: Mapping[str, float], *, has_lists: bool) -> str:
    """Return a name of events with how many there are and which columns they fill."""
    filled = [ours for ours in ("query_text", "doc_id", "rank") if row[ours] >= MOSTLY]
    filled += ["results"] if has_lists else []
    says = f" with {listed(filled)}" if filled else ""
    return f"{quoted(name)} ({int(row['rows']):,}{says})"


def action_of(text: str) -> str | None:
    """Return what an event of this name is; None where nothing says it.

    >>> action_of("Query_Submitted"), action_of("scroll"), action_of("user.search"), action_of("search_result_click")
    ('query', None, 'query', 'click')
    """
    every = words(text)
    bare = [part for part in every if part not in NEUTRAL]
    narrow = [part for part in bare if part not in OBJECTS]
    return next(
        (ACTION_OF_NAME[name] for name in (folded(text), "".join(bare), "".join(narrow)) if name in ACTION_OF_NAME),
        None,
    )
