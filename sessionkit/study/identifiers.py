"""Columns that identify people: what pseudonymizing and redaction replace, and the kept columns that repeat such values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

import polars as pl

from sessionkit.arguments import StudyTable, names_in
from sessionkit.errors import UsageError, suggestion
from sessionkit.study.schema import TABLES, table
from sessionkit.study.study import Study

Column = tuple[StudyTable, str]
"""A table and a column of it."""
TIMES, EXTRAS, TITLE = "times", "extras", "title"
OF_THING = {
    "users": ("user_id",),
    "sessions": ("session_id",),
    "queries": ("query_text", "query_id"),
    "judges": ("judge_id",),
    "documents": ("doc_id", "passage_id", "nugget_id"),
    "topics": ("topic_id", "subtopic_id"),
    "systems": ("system_id",),
}
"""Things that pseudonyms can stand for, and their columns."""
LABELS = {
    "user_id": "user-",
    "session_id": "session-",
    "query_text": "query",  # without a hyphen it is one word, which measures of query terms take for one term
    "query_id": "query-id-",
    "judge_id": "judge-",
    "doc_id": "document-",
    "passage_id": "passage-",
    "nugget_id": "nugget-",
    "topic_id": "topic-",
    "subtopic_id": "subtopic-",
    "system_id": "system-",
    "judgment_key": "key-",
}
"""What the pseudonyms of a column begin with."""
DATED: dict[StudyTable, tuple[str, ...]] = {
    "sessions": ("started_at", "ended_at"),
    "queries": ("issued_at",),
    "results": ("clicked_at",),
}
"""Columns with times of day."""
MADE = {"ended_at": "duration_seconds", "issued_at": "elapsed_seconds", "clicked_at": "click_elapsed_seconds"}
"""Columns with seconds that take the place of times of day."""
REPLACED = frozenset({"users", "sessions", "queries", "judges", TIMES})
"""Things that are replaced unless they are to be kept."""
KEPT = frozenset({"documents", "topics", "systems"})
"""Things that are kept unless they are to be replaced."""
NEEDED = ("user_id", "system_id", "topic_id", "judgment_key", "results_status")
"""Columns that no study is without, beside those of its keys."""


@dataclass(frozen=True)
class PrivacyOptions:
    """What somebody wants of a pseudonymized study.

    Parameters
    ----------
    replaced
        Things that are replaced.
    named
        Things that were named to be kept.
    keep, replace, drop
        Columns found in the source that are kept whatever is in them, or replaced by pseudonyms; columns that are left out.
    """

    replaced: frozenset[str] = REPLACED
    named: frozenset[str] = frozenset()
    keep: frozenset[Column] = frozenset()
    replace: frozenset[Column] = frozenset()
    drop: frozenset[Column] = frozenset()

    @classmethod
    def of(cls, study: Study, keep: Iterable[str], replace: Iterable[str], drop: Iterable[str]) -> PrivacyOptions:
        """Read the names that were given.

        Raises
        ------
        UsageError
            A name is neither a thing nor a column, or is given twice, or cannot be treated so.
        """
        given = {
            "keep": names_in("keep", keep),
            "replace": names_in("replace", replace),
            "drop": names_in("drop", drop),
        }
        for one, other in (("keep", "replace"), ("keep", "drop"), ("replace", "drop")):
            if both := [name for name in given[one] if name in given[other]]:
                raise UsageError(f"{both[0]} cannot be both in {one} and in {other}; name it in one of them")
        kept = [name for name in given["keep"] if name in (*REPLACED, *KEPT, EXTRAS, TITLE)]
        replaced = [name for name in given["replace"] if name in REPLACED | KEPT]
        extras = extras_of(study)
        others = {"extras": EXTRAS, "things": (*OF_THING, TIMES)}
        columns = {
            "keep": columns_named(set(given["keep"]) - {*kept}, extras, "keep", [*others["things"], EXTRAS, TITLE]),
            "replace": columns_named(set(given["replace"]) - {*replaced}, extras, "replace", [*others["things"]]),
            "drop": columns_named(set(given["drop"]), droppable(study), "drop", []),
        }
        if EXTRAS in kept:
            every = {(name, column) for name, columns_ in extras.items() for column in columns_}
            columns["keep"] = frozenset(every - columns["replace"] - columns["drop"])
        for one, other in (("keep", "replace"), ("keep", "drop"), ("replace", "drop")):
            for name, column in sorted(columns[one] & columns[other]):
                raise UsageError(f"{name}.{column} cannot be both in {one} and in {other}; name it in one of them")
        for name, column in sorted(columns["replace"]):
            dtype = study.table(name).collect_schema()[column]
            if dtype.is_nested() or dtype == pl.Binary:
                raise UsageError(
                    f"replace: {name}.{column} is {dtype}, which cannot have pseudonyms; keep it or leave it out"
                )
        return cls(REPLACED - {*kept} | {*replaced}, frozenset(kept), **columns)


def extras_of(study: Study) -> dict[StudyTable, list[str]]:
    """The columns of each table that are no declared ones."""
    return {name: [column for column in study.columns(name) if column not in table(name).by_name] for name in TABLES}


def droppable(study: Study) -> dict[StudyTable, list[str]]:
    """The columns of each table that a study, or its copy, can be without."""
    made = {name: [MADE[column] for column in study.columns(name) if column in MADE] for name in TABLES}
    return {
        name: [
            column
            for column in dict.fromkeys([*study.columns(name), *made[name]])
            if column not in NEEDED and column not in table(name).required
        ]
        for name in TABLES
    }


def columns_named(
    names: Iterable[str], known: Mapping[StudyTable, Iterable[str]], option: str, things: list[str]
) -> frozenset[Column]:
    """The columns that are called so, in every table that has one; ``table.column`` is the one of that table.

    Raises
    ------
    UsageError
        There is none.
    """
    found: set[Column] = set()
    for name in names:
        within, _, own = name.partition(".")
        those = {(home, column) for home, columns in known.items() for column in columns if column == name}
        those = those or {(home, own) for home, columns in known.items() if home == within and own in columns}
        if not those:
            raise UsageError(f"{option}: {_unknown(name, known, option, things)}")
        found |= those
    return frozenset(found)


def _unknown(name: str, known: Mapping[StudyTable, Iterable[str]], option: str, things: list[str]) -> str:
    """What to say of a name that stands for nothing that can be treated so."""
    thing = next((thing for thing, columns in OF_THING.items() if name in columns), None)
    if thing is None and any(name in columns for columns in DATED.values()):
        thing = TIMES
    if thing is not None:
        can = "say" if things else "it can be replaced, not left out: say --replace"
        return f"{name} is a column of {thing}; {can} {thing}"
    if not things and name in (*OF_THING, TIMES, EXTRAS):
        of_it = ", ".join(OF_THING.get(name, ())) or "one by one"
        return f"{name} is not a column; name the columns to leave out: {of_it}"
    if not things and any(name.removeprefix(f"{home}.") in table(home).by_name for home in TABLES):
        return f"{name} is missing or cannot be left out"
    columns = sorted({column for columns in known.values() for column in columns})
    offered = [*things, *columns]
    more = f"columns: {', '.join(columns)}" if columns else "there are no other columns"
    said = f"things: {', '.join(things)}; {more}" if things else more
    return f"there is nothing called {name!r} to {option}{suggestion(name, offered)}; {said}"


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
