"""What is asked for, by names; names that mean nothing are refused with what there is.

Topics, systems and documents that repeat what is replaced are replaced too, however they are written.
"""

import unicodedata
from urllib.parse import quote

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.privacy.columns import tables_of
from sessionkit.study.identifiers import (
    KEPT,
    LABELS,
    NEEDED,
    OF_THING,
    REPLACED,
    TIMES,
    PrivacyOptions,
    count_repeats,
    keys_of,
    words_of,
)
from tests.support.examples import examples


@pytest.fixture
def study():
    return sk.from_tables(
        sessions={
            "session_id": ["s"],
            "user_id": ["u"],
            "age": [3],
            "queries": ["odd"],
            "started_at": ["2021-01-01T00:00:00Z"],
            "ended_at": ["2021-01-01T00:01:00Z"],
            "terms": [["a"]],
        },
        queries={"session_id": ["s"], "query_position": [1], "query_text": ["x"], "age": [4]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d"]},
    )


def test_every_thing_is_of_declared_columns():
    assert {*OF_THING, TIMES} == REPLACED | KEPT
    columns = [column for columns in OF_THING.values() for column in columns]
    assert {*columns, "judgment_key"} == LABELS.keys()
    assert all(tables_of(column) for column in columns)


def test_names_are_things_before_they_are_columns(study):
    asked = PrivacyOptions.of(study, "queries,sessions.queries", ["documents"], "age")
    assert asked.replaced == (REPLACED | {"documents"}) - {"queries"}
    assert asked.keep == {("sessions", "queries")}
    assert asked.drop == {("sessions", "age"), ("queries", "age")}
    assert PrivacyOptions.of(study, "", "", "sessions.age").drop == {("sessions", "age")}
    assert PrivacyOptions.of(study, "extras", "", "queries.age").keep == {
        ("sessions", name) for name in ("age", "queries", "terms")
    }


def test_declared_columns_can_be_left_out_where_a_study_can_be_without(study):
    left = {("queries", "query_text"), ("sessions", "duration_seconds")}
    assert PrivacyOptions.of(study, "", "", "query_text,duration_seconds").drop == left
    for name in (*NEEDED, "session_id", "doc_id", "rank"):
        with pytest.raises(UsageError, match=name):
            PrivacyOptions.of(study, "", "", name)


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        (
            "keep",
            "qeries",
            "nothing called 'qeries' to keep; did you mean 'queries'.; things: users, .*; columns: age, queries, terms",
        ),
        ("keep", "query_text", "query_text is a column .* say queries"),
        ("keep", "started_at", "started_at is a column .* say times"),
        ("keep", "sessions.agee", "nothing called 'sessions.agee'"),
        ("replace", "extras", "nothing called 'extras' to replace"),
        ("replace", "ag", "did you mean 'age'"),
        (
            "replace",
            "terms",
            r"sessions.terms is List\(String\), .* pseudonyms",
        ),
        ("drop", "judgment_key", "judgment_key is missing or cannot be"),
        ("drop", "results.clicked", "results.clicked is missing or cannot"),
        ("drop", "elapsed_seconds", "elapsed_seconds is missing or cannot be"),
        ("drop", "users", "users is not a column; .* user_id"),
        ("drop", "times", "times is not a column; .* one by one"),
        (
            "drop",
            "doc_id",
            "doc_id is a column of documents; it can be replaced, not left out: say --replace documents",
        ),
    ],
)
def test_other_names_are_refused(study, option, name, said):
    with pytest.raises(UsageError, match=said):
        PrivacyOptions.of(study, **{"keep": (), "replace": (), "drop": (), option: name})


def test_nothing_is_asked_for_twice(study):
    with pytest.raises(UsageError, match=r"users .* keep and in replace"):
        PrivacyOptions.of(study, "users", "users", "")
    with pytest.raises(UsageError, match=r"sessions\.age .* keep and in drop"):
        PrivacyOptions.of(study, "age", "", "sessions.age")
    with pytest.raises(UsageError, match=r"queries\.age .* replace and in drop"):
        PrivacyOptions.of(study, "", "queries.age", "age")


def kept_values(made, column):
    """The column, the number of its values that are kept and repeat what is replaced, and whether by chance."""
    every = [statement.values for statement in made.of_kind("kept_repeats")]
    return [(each["column"], each["count"], each["by_chance"]) for each in every if each["column"] == column]


USERS = ["alice", "bob smith", "Zo\u00eb-Anne", "carla_x", "dmitri", "\u674e\u660e"]
TEXTS = [
    "Knee pain",
    "back ache at night",
    "cr\u00e8me br\u00fbl\u00e9e",
    "Stra\u00dfe 5",
    "migraine",
    "\u819d\u306e\u75db\u307f",
]
SPELLINGS = {
    "the same": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "more spaces": lambda text: f"  {text.replace(' ', '   ')}\t",
    "no-break spaces": lambda text: text.replace(" ", "\u00a0") + "\u00a0",
    "no spaces": lambda text: text.replace(" ", ""),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "full width": lambda text: "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text),
    "underscores": lambda text: text.replace(" ", "_"),
    "hyphens": lambda text: text.replace(" ", "-"),
    "plus signs": lambda text: text.replace(" ", "+"),
    "URL escapes": lambda text: quote(text, safe=""),
    "punctuation": lambda text: f'"{text}?"',
    "zero width": lambda text: f"{text[0]}\u200b{text[1:]}",
}
PLACES = {"topic_id": "sessions", "system_id": "sessions", "doc_id": "results"}


def study_with(**columns):
    """Six sessions of six users, each with a query and a result; `columns` replace those of the table that has them."""
    place = {"session_id": [f"{user}-s" for user in USERS], "query_position": [1] * 6}
    sessions = {"session_id": place["session_id"], "user_id": USERS, "topic_id": [f"T{n:02}" for n in range(6)]}
    tables = {
        "sessions": sessions | {"system_id": [*"ABABAB"]},
        "queries": {**place, "query_text": TEXTS},
        "results": {**place, "rank": [1] * 6, "doc_id": [f"d{n}" for n in range(6)]},
    }
    for column, values in columns.items():
        tables[PLACES.get(column, "sessions")][column] = values
    return sk.from_tables(**tables)


def texts_in(study):
    """Every text of a study as it is compared."""
    frames = [study.table(name).collect() for name in ("users", "sessions", "queries", "results", "judgments")]
    return {key for frame in frames for text in frame.select(pl.col(pl.String)) for key in keys_of(text.drop_nulls())}


@pytest.mark.few(3)
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
@pytest.mark.parametrize("column", PLACES)
@pytest.mark.parametrize("values", [TEXTS, USERS], ids=["texts", "users"])
def test_values_are_recognized_however_they_are_written(column, values):
    """All values, all but one, or one alone; each spelling meets the three, each in another column."""
    others, shift = [f"X{n:02}" for n in range(5)], [*PLACES].index(column)
    for number, spelled in enumerate(SPELLINGS.values(), shift):
        written = (
            [spelled(value) for value in values],
            ["X99", *(spelled(value) for value in values[1:])],
            [spelled(values[1]), *others],
        )[number % 3]
        made = sk.pseudonymize(study_with(**{column: written}))
        assert not texts_in(made.study) & {*keys_of(pl.Series([*TEXTS, *USERS])), *keys_of(pl.Series(written))}


@pytest.mark.few(4, slow=2)
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize(
    ("column", "value", "stays"),
    [
        ("topic_id", "alice-s1", False),
        ("topic_id", "task of Bob  Smith", False),
        ("system_id", "carla_x/A", False),
        ("topic_id", "malice", True),  # with a caution
        ("topic_id", "knee pain, long", True),  # with a caution
        ("doc_id", "https://example.org/~alice/", True),  # documents have a caution of their own
    ],
)
def test_ids_that_are_words_of_topics_and_systems_are_recognized(column, value, stays):
    values = [value, *(f"T{n:02}" for n in range(5))]
    made = sk.pseudonymize(study_with(**{column: values}))
    assert (keys_of(pl.Series([value])).item() in texts_in(made.study)) == stays
    assert bool(made.of_kind("repeats")) != stays
    if column != "doc_id":
        kept_topics = [("topic_id", 1, False)] if stays else []
        assert kept_values(made, "topic_id") == kept_topics
    kept = sk.pseudonymize(study_with(**{column: values}), keep={"doc_id": "documents"}.get(column, f"{column[:-3]}s"))
    assert keys_of(pl.Series([value])).item() in texts_in(kept.study)
    if column != "doc_id":
        assert kept_values(kept, column) == [(column, 1, False)]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_numbers_and_short_texts_stay_with_a_caution():
    people = [f"{n}" for n in range(40, 46)]
    study = study_with(user_id=people, topic_id=[people[n] for n in (1, 0, 3, 2, 5, 5)])
    made = sk.pseudonymize(study)
    assert set(made.study.sessions.collect()["topic_id"]) == {"40", "41", "42", "43", "45"}
    assert kept_values(made, "topic_id") == [("topic_id", 5, True)]
    assert "aution: " not in "".join(
        line for line in sk.pseudonymize(study_with()).reading.splitlines() if "topic" in line
    )


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_short_topics_that_are_the_user_in_most_sessions_are_replaced():
    people = [f"u{n}" for n in range(6)]
    made = sk.pseudonymize(study_with(user_id=people, topic_id=["T1", *(id_.upper() for id_ in people[1:])]))
    assert all(topic.startswith("topic-") for topic in made.study.sessions.collect()["topic_id"])
    repeats = {"column": "topic_id", "count": 6, "values": 6, "repeated": ["user_id"]}
    assert [each.values for each in made.of_kind("repeats")] == [repeats]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_kept_texts_of_the_source_have_a_caution():
    study = study_with(comment=["I am Alice", "fine", "knee  pain!", "ok", "ok", "ok"])
    assert "comment" not in study.columns("users")
    made = sk.pseudonymize(study, keep="comment")
    assert kept_values(made, "comment") == [("comment", 2, False)]
    assert "2 sessions.comment values contain ids" in made.reading


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_names_of_users_in_other_columns_are_recognized():
    """The name stands with the user and is left out; the topic repeats it."""
    place = {"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["d", "d"]}
    sessions = {"session_id": ["s1", "s2"], "user_id": ["u1", "u2"], "topic_id": ["ann lee", "T2"]}
    users = {"user_id": ["u1", "u2"], "name": ["Ann Lee", "Bo Day"], "group": ["novices", "novices"]}
    study = sk.from_tables(users=users, sessions=sessions, results=place)
    made = sk.pseudonymize(study)
    assert "annlee" not in texts_in(made.study)
    repeats = {"column": "topic_id", "count": 1, "values": 2, "repeated": ["name"]}
    assert [each.values for each in made.of_kind("repeats")] == [repeats]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(max_examples=examples(20, least=2), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    values=st.lists(st.sampled_from([*USERS, *TEXTS, "T1", "T2", "T3"]), min_size=6, max_size=6, unique=True),
    spelled=st.sampled_from([*SPELLINGS.values()]),
    column=st.sampled_from([*PLACES]),
    deviating=st.integers(0, 5),
)
def test_one_deviating_session_changes_nothing_that_is_replaced(values, spelled, column, deviating):
    written = [spelled(value) for value in values]
    secret = set(keys_of(pl.Series([*TEXTS, *USERS])))
    for other in (written, [*written[:deviating], "T99", *written[deviating + 1 :]]):
        made = sk.pseudonymize(study_with(**{column: other}))
        kept = texts_in(made.study)
        assert not kept & secret
        if secret & set(keys_of(pl.Series(other))):
            assert not kept & set(keys_of(pl.Series(other)))


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_words_are_compared_without_case_marks_and_signs():
    texts = pl.Series([None, "\U0001f9b5", " \U0001f9b5 ", "\u0391\u0398\u0397\u039d\u0391\u03a3", "100%"])
    assert words_of(texts).to_list() == [
        None,
        "\U0001f9b5",
        "\U0001f9b5",
        "\u03b1\u03b8\u03b7\u03bd\u03b1\u03c2",
        "100",
    ]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_words_are_the_same_beside_texts_in_other_letters():
    texts = pl.Series(["Knee_Pain?", "%41nn", "!?", None, "T03"])
    assert words_of(pl.concat([texts, pl.Series(["\u819d"])]))[:-1].to_list() == words_of(texts).to_list()


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_ids_that_begin_alike_are_not_contained_in_each_other():
    replaced = {"session_id": words_of(pl.Series(["session77", "session78x"]))}
    counts = count_repeats(pl.Series(["asession7", "asession77", "other"]), replaced)
    assert (counts.certain, counts.contained) == (0, 1)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_counts_add_up_to_no_more_than_the_values():
    replaced = {"user_id": words_of(pl.Series(["ann lee", "7"])), "query_text": words_of(pl.Series(["knee pain"]))}
    counts = count_repeats(pl.Series(["ANN-LEE", "7", "xannleex", "a knee pain", "other"]), replaced)
    assert (counts.values, counts.certain, counts.contained, counts.by_chance) == (5, 1, 2, 1)
    assert counts.columns == ("user_id",)
