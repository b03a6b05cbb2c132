"""Which of the columns that were found in the source, beside the declared ones, can stay.

Numbers and truth values stay; texts, dates and times do not, as anything may be in them. Numbers that only repeat an id
that is replaced, or most of which look like dates or times, do not stay either; nor do seconds of ours that look so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from sessionkit.arguments import StudyTable
from sessionkit.study.identifiers import (
    DATED,
    KEPT,
    MADE,
    OF_THING,
    TIMES,
    Column,
    PrivacyOptions,
    Repeats,
    extras_of,
    find_repeats,
)
from sessionkit.study.schema import TABLES, table
from sessionkit.study.study import Study

EPOCH = (631_152_000, 2_208_988_800)
"""1990 and 2040 as seconds since 1970."""
DAYS = (19_000_101, 20_401_231)
"""1900, as dates of birth are such numbers too, and 2040 as dates written as numbers, 20240131."""
TIMELY = (*((EPOCH, unit) for unit in (1, 10**3, 10**6, 10**9)), *((DAYS, unit) for unit in (1, 10**4, 10**6, 10**9)))
"""What dates and times lie between, and in what: seconds to billionths of them, days to their minutes, seconds, thousandths."""
MANY, LARGE = 3, 100
"""Numbers repeat ids by chance where they are fewer than so many different ones, all below so much."""


@dataclass(frozen=True)
class ColumnPlan:
    """What becomes of the columns of a study.

    Parameters
    ----------
    asked
        What somebody wants of the copy.
    of
        The columns that are replaced by pseudonyms, each with whose it takes, by the name of a column.
    out
        The columns that are left out, each with the reason in a word or two.
    repeats
        What is repeated in columns that would stay if it were not, and in those that are to be kept.
    repeating
        The things that are replaced as one of their columns certainly repeats what is replaced.
    """

    asked: PrivacyOptions
    of: Mapping[Column, str]
    out: Mapping[Column, str]
    repeats: Mapping[Column, Repeats]
    repeating: frozenset[str]

    @classmethod
    def for_study(cls, study: Study, asked: PrivacyOptions) -> ColumnPlan:
        """Look at the columns of a study, and at what their values say."""
        repeats = find_repeats(study, asked)
        certain = {column for (_, column), counts in repeats.items() if counts.certain}
        repeating = frozenset(name for name in KEPT - asked.named if certain.intersection(OF_THING[name]))
        return cls(asked, domains(study, asked, repeating), left_out(study, asked), repeats, repeating)

    @property
    def elapsed(self) -> bool:
        """Whether times of day become seconds."""
        return TIMES in self.asked.replaced

    def loses(self, name: StudyTable, column: str) -> bool:
        """Whether a column of a table is not in the copy."""
        return (name, column) in self.out or (self.elapsed and column in DATED.get(name, ()))

    def keeps(self, study: Study, columns: Iterable[str]) -> bool:
        """Whether the study has one of these columns in a table in which it stays as it is."""
        return any(
            column in study.columns(name) and (name, column) not in self.of and not self.loses(name, column)
            for name in TABLES
            for column in columns
        )


def left_out(study: Study, asked: PrivacyOptions) -> dict[Column, str]:
    """Return the columns that are left out, each with the reason in a word or two."""
    out = dict.fromkeys(sorted(asked.drop), "as asked")  # a set has another order in every process
    if TIMES in asked.replaced:
        out |= {column: "looks like times" for column in since_1970(study) if column not in out}
    for name, columns in extras_of(study).items():
        schema = study.table(name).collect_schema()
        own = [column for column in columns if (name, column) not in asked.keep | asked.replace | asked.drop]
        out |= {(name, column): reason for column in own if (reason := _by_type(schema[column]))}
        numbers = [column for column in own if schema[column].is_numeric()]
        if numbers:
            out |= _by_values(study, name, numbers, asked)
    return out


def since_1970(study: Study) -> list[Column]:
    """Columns of ours in which a log has seconds since 1970 where those since the session began belong."""
    found: list[Column] = []
    for name, dated in DATED.items():
        ours = [MADE[column] for column in dated if column in MADE and MADE[column] in study.columns(name)]
        looks = study.table(name).select(map(looks_like_times, ours)).collect(engine="streaming")
        found += [(name, column) for column in ours if looks[column].item()]
    return found


def _by_type(dtype: pl.DataType) -> str:
    """Why no column of a type stays; nothing where it may."""
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Duration, pl.Null):
        return ""
    return "date or time" if dtype.is_temporal() else "nested" if dtype.is_nested() else "text"


def _by_values(study: Study, name: StudyTable, numbers: list[str], asked: PrivacyOptions) -> dict[Column, str]:
    """Why some columns of numbers do not stay."""
    frame, ids = _with_ids(study, name, asked)
    looks = [
        expression
        for column in numbers
        for expression in (
            looks_like_times(column).alias(f"{column}\0times"),
            pl.col(column).max().cast(pl.Float64).alias(f"{column}\0high"),
            pl.col(column).drop_nulls().n_unique().alias(f"{column}\0many"),
            *(same_as(column, id_).alias(f"{column}\0{id_}") for id_ in ids),
        )
    ]
    found = frame.select(looks).collect(engine="streaming").row(0, named=True)
    out: dict[Column, str] = {}
    for column in numbers:
        high = found[f"{column}\0high"]
        copied = next((id_ for id_ in ids if found[f"{column}\0{id_}"]), None)
        if high is None:
            continue
        if copied is not None and (found[f"{column}\0many"] >= MANY or high >= LARGE):
            out[name, column] = f"repeats {copied}"
        elif TIMES in asked.replaced and found[f"{column}\0times"]:
            out[name, column] = "looks like times"
    return out


def _with_ids(study: Study, name: StudyTable, asked: PrivacyOptions) -> tuple[pl.LazyFrame, list[str]]:
    """A table with the replaced ids of its sessions and queries beside its own, and all their names."""
    every = [column for thing, columns in OF_THING.items() if thing in asked.replaced for column in columns]
    frame, ids = study.table(name), [column for column in every if column in study.columns(name)]
    above: StudyTable
    for above, key in (("sessions", ["session_id"]), ("queries", ["session_id", "query_position"])):
        more = [column for column in every if column in study.columns(above) and column not in study.columns(name)]
        if more and name != above and all(column in study.columns(name) for column in key):
            frame = frame.join(study.table(above).select(*key, *more), on=key, how="left")
            ids += more
    return frame, ids


def same_as(column: str, id_: str) -> pl.Expr:
    """Whether a column of numbers is the number that ids such as 17 or u017 end in, in most rows in which it is known."""
    number = pl.col(id_).str.extract(r"^\D*(\d+)$").cast(pl.Float64, strict=False)
    is_same = pl.col(column).cast(pl.Float64).eq_missing(number) & pl.col(column).is_not_null()
    return is_same.sum().cast(pl.Int64) * 2 > pl.col(column).is_not_null().sum()


def tables_of(column: str) -> list[StudyTable]:
    """The tables that declare a column.

    >>> tables_of("doc_id")
    ['results', 'judgments']
    """
    return [name for name in TABLES if column in table(name).by_name]


def looks_like_times(column: str) -> pl.Expr:
    """Whether most numbers of a column, those aside that are not above 0 and may stand for none, can only be dates or times.

    >>> frame = pl.DataFrame({"at": [0, 1_700_000_000], "born": [19700517, 19991231], "stars": [1, 5]})
    >>> frame.select(map(looks_like_times, frame.columns)).row(0)
    (True, True, False)
    """
    number = pl.col(column).cast(pl.Float64)
    times = pl.any_horizontal(number.is_between(low * unit, high * unit) for (low, high), unit in TIMELY)
    return (times.sum() * 2 > number.is_between(0, float("inf"), closed="none").sum()).alias(column)


def domains(study: Study, asked: PrivacyOptions, repeating: Collection[str]) -> dict[Column, str]:
    """Return the columns whose values are replaced, each with whose pseudonyms they take, by the name of a column.

    Parameters
    ----------
    repeating
        The things that are replaced as they repeat what is.
    """
    found: dict[Column, str] = {}
    for thing in (asked.replaced | {*repeating}) - {TIMES}:
        for id_ in OF_THING[thing]:
            found |= {(name, id_): id_ for name in tables_of(id_) if id_ in study.columns(name)}
    found |= {(name, column): column for name, column in asked.replace}
    return {column: of for column, of in found.items() if column not in asked.drop}
