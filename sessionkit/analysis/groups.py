"""The groups that sessions are in: by columns of the sessions or users, which every table of results names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.display.natural_order import natural_places
from sessionkit.errors import DataError, UsageError
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.score import By, group_keys
from sessionkit.study import Study
from sessionkit.study.session_counts import sessions_with

MOST_DESCRIBED = 200
"""Most groups of a page or of tests; with many more, tests of all pairs take minutes and gigabytes."""
EVERYONE = "all sessions"
NAME = "__group"
"""The name of a group beside its columns, one of which may be called group."""
UNKNOWN = "(none)"
BETWEEN = " \N{MIDDLE DOT} "
"""Stands between the values of a group that several columns make, where it is named."""


@dataclass(frozen=True)
class Grouping:
    """The columns that make groups.

    Parameters
    ----------
    keys
        The columns of sessions or users with their types; none, all sessions are one group.
    of_users
        Those of them that the users have.
    named_as_shown
        Whether the text of a group is its name, of one column at most, as `by_columns` needs it, not what `keyed` reads.
    """

    keys: Mapping[str, pl.DataType] = field(default_factory=dict)
    of_users: tuple[str, ...] = ()
    named_as_shown: bool = False

    @classmethod
    def of(cls, study: Study, by: By, taken: Collection[str] = (), *, several: bool = True) -> Grouping:
        """Check what is asked of a study.

        Parameters
        ----------
        by
            Columns of the sessions or users; None puts all sessions in one group.
        taken
            Columns that the table of results has itself.
        several
            Whether more than one column may be named; where not, the text of a group is its name.

        Raises
        ------
        UsageError
            If there is no such column, the table has one of that name, or one column too many is named.
        DataError
            If the study has no session at all.
        """
        keys = group_keys(study, by, taken)
        if len(keys) > 1 and not several:
            raise UsageError(f"by takes one column here, such as {next(iter(keys))}, not {', '.join(keys)}")
        if not study.facts.sessions:
            msg = "the study has no sessions; see what was rejected: sessionkit check"
            raise DataError(msg)
        of_sessions, users = study.columns("sessions"), study.columns("users")
        of_users = tuple(name for name in keys if name in users and name not in of_sessions)
        return cls(keys, of_users, named_as_shown=not several)

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read for it, by table."""
        return {"sessions": [name for name in self.keys if name not in self.of_users], "users": list(self.of_users)}

    def sessions(self, batch: SessionBatch) -> pl.DataFrame:
        """The sessions of a batch, in order: ``session``, ``group`` (text by which a group is known; null where unknown)."""
        return batch.sessions.select("session", group=batch.features.with_columns(__group=self._text())["__group"])

    def named(self, found: pl.DataFrame) -> pl.DataFrame:
        """Name the group of the sessions whose group is unknown, in a table of all groups."""
        alone = found.get_column("group").null_count() == len(found)
        return found.with_columns(pl.col("group").fill_null(EVERYONE if alone else UNKNOWN))

    def keyed(self, found: pl.DataFrame) -> pl.DataFrame:
        """A table with the columns that make the groups in place of ``group``, in their order."""
        texts = {name: pl.col("group") for name in self.keys}
        if len(self.keys) > 1:
            several = pl.col("group").str.json_decode(pl.Struct(dict.fromkeys(self.keys, pl.String())))
            texts = {name: several.struct.field(name) for name in self.keys}
        columns = [_read(texts[name], dtype).alias(name) for name, dtype in self.keys.items()]
        table = found.select(*columns, pl.exclude("group"))
        places = [pl.lit(natural_places(table.get_column(name))) for name in self.keys]
        return table.sort(places, maintain_order=True) if places and len(table) else table

    def _text(self) -> pl.Expr:
        """The text by which the group of a session is known."""
        if self.named_as_shown and self.keys:
            return group_text(next(iter(self.keys)))
        texts = [_written(pl.col(name), dtype).alias(name) for name, dtype in self.keys.items()]
        if not texts:
            return pl.lit(None, pl.String)
        return texts[0] if len(texts) == 1 else pl.struct(texts).struct.json_encode()


def grouped_sessions(study: Study, by: By) -> pl.DataFrame:
    """The sessions of a study and the name of the group each is in: ``session_id``, ``group``, in the order of session_id.

    The parameters and errors are those of `Grouping.of`.
    """
    keys = group_keys(study, by, ())
    return with_groups(sessions_with(study, keys).collect(), keys).select("session_id", "group").sort("session_id")


def require_few_groups(by: object, number: int) -> None:
    """Raise UsageError for more groups than can be described, or tested, within seconds."""
    if number > MOST_DESCRIBED:
        raise UsageError(
            f"by={by}: the sessions have {number:,} groups, and at most {MOST_DESCRIBED} can be described; choose another column, or "
            "select sessions with where"
        )


def by_columns(study: Study, by: By, found: pl.DataFrame) -> pl.DataFrame:
    """A table with the columns that make the groups in place of ``group``, their name; `by` as `Grouping.of` has it."""
    groups = _groups(study, by).unique(NAME, keep="first", maintain_order=True)
    keys = groups.drop(NAME).columns
    joined = found.rename({"group": NAME}).join(groups, on=NAME, how="left", maintain_order="left")
    return joined.select(*keys, pl.exclude(NAME, *keys))


def with_groups(found: pl.DataFrame, keys: Collection[str]) -> pl.DataFrame:
    """A table with the name of each row's group as ``group``, of the columns that make the groups.

    >>> with_groups(pl.DataFrame({"system_id": ["A", None], "level": [1, 2], "n": [3, 4]}), ["system_id", "level"])["group"].to_list()
    ['A · 1', '(none) · 2']
    """
    texts = [group_text(name) for name in keys]
    if all(found.get_column(name).null_count() == len(found) for name in keys):
        return found.with_columns(group=pl.lit(EVERYONE))
    return found.with_columns(group=pl.concat_str([text.fill_null(UNKNOWN) for text in texts], separator=BETWEEN))


def _groups(study: Study, by: By) -> pl.DataFrame:
    """The columns that make the groups of a study and `NAME`, their name, a row for each group."""
    keys = group_keys(study, by, ())
    if not keys:
        return pl.DataFrame({NAME: [EVERYONE]})
    found = sessions_with(study, keys).select(*keys).unique().collect()
    return found.with_columns(with_groups(found, keys).get_column("group").alias(NAME))


def group_text(name: str) -> pl.Expr:
    """A column as names of groups, null where unknown; a value that is written as `UNKNOWN` or `EVERYONE` stands in quotes.

    >>> pl.select(x=pl.Series(["(none)", '"(none)"', "A", None])).select(group_text("x"))["x"].to_list()
    ['"(none)"', '""(none)""', 'A', None]
    """
    text = pl.col(name).cast(pl.String)
    return pl.when(text.str.strip_chars('"').is_in([UNKNOWN, EVERYONE])).then(pl.format('"{}"', text)).otherwise(text)


def _written(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A column as text from which it can be read again."""
    return (column.cast(pl.Int64) if dtype.is_temporal() or dtype == pl.Boolean else column).cast(pl.String)


def _read(text: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A column from what `_written` made of it."""
    if dtype.is_temporal() or dtype == pl.Boolean:
        return text.cast(pl.Int64).cast(dtype)
    return text.cast(dtype)
