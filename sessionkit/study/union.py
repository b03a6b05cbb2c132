"""Uniting the tables of two studies: one row per user, every judgment once, columns of one type."""

from __future__ import annotations

import polars as pl

from sessionkit.errors import DataError, warn

SUFFIX = " of the study that is added"


def conformed(frame: pl.DataFrame, schema: pl.Schema, name: str) -> pl.DataFrame:
    """Return a table with the columns and types of another; columns that are missing are null.

    Raises
    ------
    DataError
        It has a column more, or one of a type that does not fit.
    """
    for column, dtype in frame.schema.items():
        if column not in schema:
            raise DataError(
                f"{name}.{column} is not among the columns of the study: {', '.join(schema.names())}; leave it out, or "
                "write the study again with it"
            )
        if not _fits(frame.get_column(column), schema[column]):
            raise DataError(
                f"{name}.{column} is {dtype} in the added data and {schema[column]} in the study; convert it to that type"
            )
    try:
        return frame.select(
            (pl.col(column) if column in frame.columns else pl.lit(None)).cast(dtype).alias(column)
            for column, dtype in schema.items()
        )
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{name}: {str(error).splitlines()[0]}; convert the column to the study's type") from None


def united_users(saved: pl.DataFrame, new: pl.DataFrame, forgotten: pl.Series) -> pl.DataFrame:
    """Return the users of both, one row each; what only one of them says of a user is kept.

    Parameters
    ----------
    forgotten
        Users of whom only what is replaced knew: what is added may describe them anew; they are left out where neither
        says anything of them.

    Raises
    ------
    DataError
        They describe a user differently.
    """
    bare = pl.all_horizontal(
        [pl.lit(value=True), *(pl.col(name).is_null() for name in saved.columns if name != "user_id")]
    )
    replaced = pl.col("user_id").is_in(forgotten.implode())
    saved = saved.filter(~(replaced & bare))
    new = _like(new, saved, "users")
    both = saved.join(new, on="user_id", how="full", coalesce=True, suffix=SUFFIX)
    shared = [name for name in saved.columns if name != "user_id" and name in new.columns]
    for name in shared:
        other = both.filter(pl.col(name) != pl.col(f"{name}{SUFFIX}"), ~replaced)
        if len(other):
            user, one, two = other.select("user_id", name, f"{name}{SUFFIX}").row(0)
            raise DataError(
                f"users: {name} of {user!r} is {two!r} in the added data and {one!r} in the study; keep one"
            )
    either = {name: (pl.coalesce(f"{name}{SUFFIX}", name), pl.coalesce(name, f"{name}{SUFFIX}")) for name in shared}
    united = [pl.when(replaced).then(anew).otherwise(before).alias(name) for name, (anew, before) in either.items()]
    return both.with_columns(united).select(
        *saved.columns, *(name for name in new.columns if name not in saved.columns)
    )


def united_judgments(saved: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return the judgments of both: the saved ones, then the new ones that the saved study does not have."""
    new = _like(new, saved, "judgments")
    columns = [*saved.columns, *(name for name in new.columns if name not in saved.columns)]
    both = pl.concat([saved, new], how="diagonal").select(columns)
    known, rest = both.head(len(saved)), both.tail(len(new))
    return pl.concat([known, rest.join(known, on=columns, how="anti", nulls_equal=True, maintain_order="left")])


def tell_of_other_grades(saved: pl.DataFrame, new: pl.DataFrame, merge: str) -> None:
    """Warn where what is added grades a document otherwise than the saved study: both grades stay, and are merged."""
    pair = ["judgment_key", "doc_id"]
    both = new.select(*pair, "grade").join(saved.select(*pair, other="grade"), on=pair)
    other = both.filter(pl.col("grade") != pl.col("other"))
    if len(other):
        key, document, grade, before = other.row(0)
        many = other.select(pair).unique().height
        warn(
            f"judgments: {many} judged documents have another grade in the added data (first: {document!r} for {key!r}: "
            f"{grade:g}, {before:g} in the study); both are kept and merged by merge = {merge!r}. To correct grades, write "
            "the study again"
        )


def _like(frame: pl.DataFrame, other: pl.DataFrame, name: str) -> pl.DataFrame:
    """Bring the columns that another table has too to its types."""
    schema = pl.Schema({column: other.schema.get(column, dtype) for column, dtype in frame.schema.items()})
    return conformed(frame, schema, name)


def _fits(column: pl.Series, dtype: pl.DataType) -> bool:
    """Whether a column can be of a type without losing anything."""
    own = column.dtype
    if own == dtype or column.null_count() == len(column):
        return True
    if own == pl.String:  # such as a value given as text; whether it can be is seen when it is cast
        return False
    return dtype == pl.String or (own.is_integer() and dtype.is_numeric())
