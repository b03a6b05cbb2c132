"""Kept columns that repeat what is replaced, such as topics that are query texts or systems that contain user ids.

Values are compared by their letters and digits. Case, spaces, punctuation, URL escapes, accents and Unicode forms make no difference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

import polars as pl

from sessionkit.contract import TABLES
from sessionkit.privacy.options import KEPT, OF_THING, TIMES, Column, PrivacyOptions, extras_of
from sessionkit.study.study import Study

ESCAPE = r"%[0-9A-Fa-f]{2}"
MARKS = r"[\p{M}\p{Cf}]"
BETWEEN_WORDS = r"[^\p{L}\p{N}]+"
DISTINCT_BYTES, DISTINCT_LETTERS = 4, r"^\p{L}{3}$"
"""Texts of so many bytes, or of three letters, are not equal by chance, unless they are numbers: ``bob`` but not ``T03`` or ``1234``."""
CONTAINED_CHARACTERS = 4
"""Ids of at least so many characters are looked for inside of other values; shorter ones occur in anything."""
RUN = 8
"""Ids are looked for in topics and systems as up to so many words in a row; ``ann.lee@lab.example.org`` has five."""
IDS = ("user_id", "session_id", "judge_id")
"""Columns whose values are looked for inside of topics and systems."""
VALUES = {
    "user_id": "ids of users",
    "session_id": "ids of sessions",
    "judge_id": "ids of judges",
    "query_text": "query texts",
    "query_id": "ids of queries",
}
"""What the values of a column are called."""
OF_SESSIONS: tuple[Column, ...] = (("sessions", "topic_id"), ("sessions", "system_id"))
"""Columns that are compared with ids session by session."""


@dataclass(frozen=True)
class Repeats:
    """How many distinct values of a kept column repeat values that are replaced.

    Parameters
    ----------
    values
        All distinct values of the column.
    certain
        Those that are such a value, or contain an id as a word, and are too long to do so by chance.
    contained
        Further ones that contain an id within a word, or a query text of several words.
    by_chance
        Further ones that are equal to such a value, but are numbers or too short to tell.
    columns
        The columns whose values the certain ones repeat.
    """

    values: int
    certain: int
    contained: int
    by_chance: int
    columns: tuple[str, ...]


def words_of(values: pl.Series) -> pl.Series:
    """Return the words of texts in lower case, joined by single spaces.

    >>> words_of(pl.Series([" Knee_Pain?", "knee%20pain", "KNE\u0301E  pain", "\uff4bnee+pain", "!?"])).to_list()
    ['knee pain', 'knee pain', 'knee pain', 'knee pain', '!?']
    """
    is_escaped = values.str.contains(ESCAPE)
    if is_escaped.any():
        distinct = values.filter(is_escaped).unique()
        decoded = [unquote(text) for text in distinct]
        values = values.replace(distinct, pl.Series(decoded, dtype=pl.String))
    is_ascii = values.str.len_bytes() == values.str.len_chars()
    if not is_ascii.all():
        # upper case first, which makes "ss" of a sharp s
        values = values.str.normalize("NFKD").str.replace_all(MARKS, "").str.to_uppercase()
    plain = values.str.to_lowercase()
    words = plain.str.replace_all(BETWEEN_WORDS, " ").str.strip_chars()
    if not (words == "").any():
        return words
    signs = plain.str.replace_all(r"\s+", "")  # such as an emoji
    return words.zip_with(words != "", signs)


def without_spaces(words: pl.Series) -> pl.Series:
    """Return words written as one."""
    return words.str.replace_all(" ", "", literal=True)


def keys_of(values: pl.Series) -> pl.Series:
    """Return what is equal for texts that differ only in what `words_of` ignores, and in spaces.

    >>> keys_of(pl.Series(["Knee Pain", "kneepain", None])).to_list()
    ['kneepain', 'kneepain', None]
    """
    return without_spaces(words_of(values))


def is_distinctive(keys: pl.Series) -> pl.Series:
    """Return whether keys are neither numbers nor too short to be equal by chance.

    >>> is_distinctive(pl.Series(["bob", "T03", "1234", "p017", "\u819d\u75db"])).to_list()
    [True, False, False, True, True]
    """
    is_long = (keys.str.len_bytes() >= DISTINCT_BYTES) | keys.str.contains(DISTINCT_LETTERS)
    return is_long & ~keys.str.contains(r"^\p{N}*$")


def find_repeats(study: Study, options: PrivacyOptions) -> dict[Column, Repeats]:
    """Return the kept columns of which some value repeats a value that is replaced or left out."""
    replaced = {column: words_of(values) for column, values in replaced_values(study, options).items()}
    repeats: dict[Column, Repeats] = {}
    for column, values in kept_values(study, options).items():
        counts = count_repeats(values, replaced, only_equal=column[1] in OF_THING["documents"])
        if column in OF_SESSIONS and counts.by_chance and not counts.certain:
            repeated = repeated_in_rows(study, column[1], replaced)
            counts = replace(counts, certain=len(values) if repeated else 0, columns=repeated)
        if counts.certain or counts.contained or counts.by_chance:
            repeats[column] = counts
    return repeats


def replaced_values(study: Study, options: PrivacyOptions) -> dict[str, pl.Series]:
    """Return the distinct values that a copy must not hold, by the name of their column.

    These are the replaced ids and query texts, further columns that are replaced as asked, and texts that a single user has in a
    column of the users that is left out, such as names and addresses.
    """
    columns = [
        (name, column)
        for thing in options.replaced - {TIMES}
        for column in OF_THING[thing]
        for name in TABLES
        if column in study.columns(name)
    ]
    frames: dict[str, list[pl.LazyFrame]] = {}
    for name, column in [*columns, *options.replace]:
        frames.setdefault(column, []).append(_distinct(study, (name, column)))
    for column in extras_of(study)["users"]:
        if is_text(study, ("users", column)) and ("users", column) not in options.keep:
            values = study.users.select(value=pl.col(column).cast(pl.String)).drop_nulls().group_by("value").len()
            frames.setdefault(column, []).append(values.filter(pl.col("len") == 1).select("value"))
    distinct = {column: pl.concat(parts).unique() for column, parts in frames.items()}
    collected = pl.collect_all(list(distinct.values()), engine="streaming")
    return {column: frame["value"] for column, frame in zip(distinct, collected, strict=True)}


def kept_values(study: Study, options: PrivacyOptions) -> dict[Column, pl.Series]:
    """Return the distinct values of each column of texts that stays unless it repeats what is replaced."""
    columns: list[Column] = [
        (name, column)
        for thing in sorted(KEPT - options.replaced)
        for column in OF_THING[thing]
        for name in TABLES
        if column in study.columns(name) and (name, column) not in options.drop
    ]
    columns += [column for column in sorted(options.keep) if is_text(study, column)]
    frames = pl.collect_all([_distinct(study, column) for column in columns], engine="streaming")
    return {column: frame["value"] for column, frame in zip(columns, frames, strict=True)}


def count_repeats(values: pl.Series, replaced: Mapping[str, pl.Series], *, only_equal: bool = False) -> Repeats:
    """Count the distinct values of a kept column that repeat replaced ones.

    Parameters
    ----------
    values
        The distinct values.
    replaced
        The words of replaced values, by the name of their column.
    only_equal
        Whether ids within a value do not count: many URLs contain names.
    """
    words = words_of(values)
    keys = without_spaces(words)
    is_distinct = is_distinctive(keys)
    runs = None if only_equal else runs_of(words)
    certain = equal = contained = pl.repeat(value=False, n=len(values), eager=True)
    columns: list[str] = []
    for column, replaced_words in replaced.items():
        replaced_keys = without_spaces(replaced_words)
        is_equal = keys.is_in(replaced_keys.implode())
        is_certain = is_equal & is_distinct
        if runs is not None and column in IDS:
            is_certain |= _have_run(runs, replaced_keys.filter(is_distinctive(replaced_keys)), len(values))
            long = replaced_keys.filter(replaced_keys.str.len_chars() >= CONTAINED_CHARACTERS)
            contained |= _contain_any(keys, long)
        elif runs is not None and column == "query_text":
            contained |= _have_run(
                runs, replaced_keys.filter(replaced_words.str.contains(" ", literal=True)), len(values)
            )
        equal |= is_equal
        certain |= is_certain
        columns += [column] if is_certain.any() else []
    by_chance = equal & ~certain
    contained &= ~certain & ~by_chance
    return Repeats(len(values), int(certain.sum()), int(contained.sum()), int(by_chance.sum()), (*columns,))


def runs_of(words: pl.Series) -> pl.DataFrame:
    """Return every run of up to `RUN` words of each text, without spaces, with the number of the text: ``row``, ``key``.

    >>> runs_of(pl.Series(["a b", "c"])).rows()
    [(0, 'a'), (0, 'b'), (1, 'c'), (0, 'ab')]
    """
    split = words.alias("word").str.split(" ").to_frame().with_row_index("row").explode("word")
    key, runs = pl.lit(""), []
    for length in range(RUN):
        is_same_text = pl.col("row").shift(-length) == pl.col("row")  # faster than shifting over "row"
        key += pl.when(is_same_text).then(pl.col("word").shift(-length))
        runs.append(split.select("row", key.alias("key")).drop_nulls())
    return pl.concat(runs)


def _have_run(runs: pl.DataFrame, keys: pl.Series, rows: int) -> pl.Series:
    """Return of each of so many texts whether one of its runs is one of some keys."""
    common = keys.filter(keys.is_in(runs["key"].unique().implode()))  # mostly none: keys are many, and runs few
    matching = runs.filter(pl.col("key").is_in(common.implode()))["row"].unique()
    return pl.int_range(rows, dtype=pl.UInt32, eager=True).is_in(matching.implode())


def _contain_any(keys: pl.Series, ids: pl.Series) -> pl.Series:
    """Return whether keys contain one of many ids; their first characters, which differ little, are looked for first."""
    starts = ids.str.slice(0, CONTAINED_CHARACTERS).unique()
    may_contain = keys.str.contains_any(starts.implode())
    return keys.str.contains_any(ids.implode()) if may_contain.any() else may_contain


def repeated_in_rows(study: Study, column: str, replaced: Collection[str]) -> tuple[str, ...]:
    """Return the replaced column that a column of sessions equals in most rows, whatever the lengths of the texts."""
    ids = [id_ for id_ in ("session_id", "user_id") if id_ in replaced]
    key = {name: pl.col(name).map_batches(keys_of, return_dtype=pl.String) for name in (column, *ids, "query_text")}
    known = study.sessions.drop_nulls(column)
    shares = known.select((key[column] == key[id_]).mean().alias(id_) for id_ in ids).collect(engine="streaming")
    if "query_text" in replaced and column == "topic_id":
        texts = study.queries.select("session_id", key["query_text"])
        about = known.select("session_id", key[column]).join(texts, on="session_id", how="left")
        is_asked = (pl.col(column) == pl.col("query_text")).any()
        share = about.group_by("session_id").agg(query_text=is_asked).select(pl.col("query_text").mean())
        shares = shares.hstack(share.collect(engine="streaming"))
    return tuple(name for name in shares.columns if (shares[name].item() or 0) > 0.5)[:1]


def is_text(study: Study, column: Column) -> bool:
    """Whether a column holds texts."""
    dtype = study.table(column[0]).collect_schema()[column[1]]
    return dtype in (pl.String, pl.Categorical, pl.Enum)


def _distinct(study: Study, column: Column) -> pl.LazyFrame:
    """The distinct values of a column, as texts: ``value``."""
    return study.table(column[0]).select(value=pl.col(column[1]).cast(pl.String)).drop_nulls().unique()
