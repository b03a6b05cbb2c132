"""How deep lists are known.

How many queries every session has, and lists that were logged: the same counts with ids, and from the places of rows on disk.

Queries without result rows: said by reading, scores and comparisons where they are more than a tenth, and by group.

What is counted of every session, as columns: the same in memory, on disk, in parts and by Spark, and as the measures have it.
"""

import warnings

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from sessionkit.reports.parts import Tiles
from sessionkit.reports.sections.summary import summary
from sessionkit.scoring.batch import batches
from sessionkit.study.counts import COUNTS, counted_sessions, depths_of, logged_lists, logged_queries
from tests.reports.one_section import material
from tests.support.clinic import read_clinic, saved_clinic

LISTS = {1: (1, 2, 9), 2: (2, 3), 3: (1,), 4: (), 5: (1, 2, 3)}
STATUSES = ["partly_observed", "partly_observed", "shown", "empty", "partly_observed"]


def study(session):
    """A session with the lists above."""
    rows = [(place, rank) for place, ranks in LISTS.items() for rank in ranks]
    return {
        "results": {
            "session_id": [session] * len(rows),
            "query_position": [place for place, _ in rows],
            "rank": [rank for _, rank in rows],
            "doc_id": [f"d{rank}" for _, rank in rows],
        },
        "queries": {
            "session_id": [session] * len(LISTS),
            "query_position": list(LISTS),
            "results_status": STATUSES,
        },
    }


def test_a_list_is_known_as_far_as_its_ranks_go_on_without_a_gap(tmp_path):
    made = sk.from_tables(**study("s"))
    expected = [
        (1, "partly_observed", 2, True, 1),
        (2, "partly_observed", 0, True, 1),
        (3, "shown", 1, False, 1),
        (4, "empty", 0, False, 1),
        (5, "partly_observed", 3, False, 1),
    ]
    assert depths_of(made).rows() == expected
    assert depths_of(made.save(tmp_path / "study")).rows() == expected  # from the places of rows, not their ids


def test_sessions_add_up():
    one, other = study("s"), study("t")
    both = sk.from_tables(
        **{name: {key: one[name][key] + other[name][key] for key in one[name]} for name in ("results", "queries")}
    )
    assert depths_of(both)["n"].to_list() == [2] * 5


ASKED = [("a", 1, "shown"), ("a", 2, "not_logged"), ("b", 1, "not_logged"), ("c", 1, "empty"), ("c", 2, "shown")]
SESSIONS = {"session_id": list("abcd"), "system_id": list("YXYX"), "many": [9] * 4}
QUERIES = {"a": 2, "b": 1, "c": 2, "d": 0}
COUNTED_LISTS = {"a": 1, "b": 0, "c": 2, "d": 0}


@pytest.fixture
def query_counts_study():
    results = {"session_id": ["a", "c"], "query_position": [1, 2], "rank": [1, 1], "doc_id": ["x", "y"]}
    queries = pl.DataFrame(ASKED, schema=["session_id", "query_position", "results_status"], orient="row")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sk.from_tables(results, sessions=SESSIONS, queries=queries)


@pytest.mark.parametrize("how", ["in memory", "saved", "partitioned"])
def test_queries_without_a_logged_list_are_queries_and_no_lists(query_counts_study, how, tmp_path):
    if how != "in memory":
        query_counts_study = query_counts_study.save(
            tmp_path / "study", partition_by="system_id" if how == "partitioned" else None
        )
    for counts, expected in ((logged_queries, QUERIES), (logged_lists, COUNTED_LISTS)):
        table = counts(query_counts_study, ["session_id", "system_id"])
        assert table.schema["many"] == pl.Int64
        assert dict(table.select("session_id", "many").rows()) == expected
        assert table.columns == ["session_id", "system_id", "many"]
        assert (
            table["session_id"].to_list()
            == query_counts_study.sessions.select("session_id").collect().to_series().to_list()
        )


def test_a_column_of_that_name_is_not_taken_for_the_count(query_counts_study):
    # two systems: Y has a and c, 2 + 2 queries; X has b and d, 1 + 0
    assert sk.describe(query_counts_study).systems.select("system_id", "queries").rows() == [("X", 1), ("Y", 4)]


def test_a_study_that_was_replaced_on_disk_is_refused(query_counts_study, tmp_path):
    opened = query_counts_study.save(tmp_path / "study")
    sk.from_tables({"session_id": ["z"], "query_position": [1], "rank": [1], "doc_id": ["x"]}).save(tmp_path / "study")
    with pytest.raises(DataError, match="was replaced"):
        logged_queries(opened, ["session_id"])


REMEDY = "; if that is wrong, correct without_results, missing_positions, empty_list or results_status in study.toml and ingest again"


def log(statuses, systems=("one",)):
    """Make a study with a session of one query for each status; its searcher and system alternate."""
    shown = [f"s{at}" for at, status in enumerate(statuses) if status == "shown"]
    names = [f"s{at}" for at in range(len(statuses))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.from_tables(
            sessions={
                "session_id": names,
                "system_id": [systems[at % len(systems)] for at in range(len(names))],
                "user_id": names,
                "topic_id": ["t"] * len(names),
            },
            queries={"session_id": names, "query_position": [1] * len(names), "results_status": statuses},
            results={"session_id": shown, "query_position": [1] * len(shown), "rank": [1] * len(shown), "doc_id": ["a"] * len(shown)},
            judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
            max_grade=1,
        )  # fmt: skip


def sentences(call, start="queries"):
    """Return what is warned of that begins so."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught if str(one.message).startswith(start)]


@pytest.mark.parametrize(
    ("n_empty", "n_unlogged", "said"),
    [
        (2, 0, None),
        (1, 1, None),  # 2 of 20 are 10%
        (3, 0, "3 of 20 (15.0%) have no result rows; 3 returned nothing and have the value 0"),
        (0, 3, "3 of 20 (15.0%) have no result rows; 3 were not logged and are left out of measures of relevance"),
        (
            2,
            1,
            "3 of 20 (15.0%) have no result rows; 2 returned nothing and have the value 0, 1 was not logged and is left out of measures "
            "of relevance",
        ),
        (20, 0, None),  # the log has no results at all, which is said in another sentence
    ],
)
def test_more_than_a_tenth_is_warned_of(n_empty, n_unlogged, said):
    study = log(["empty"] * n_empty + ["not_logged"] * n_unlogged + ["shown"] * (20 - n_empty - n_unlogged), ("a", "b"))
    expected = [] if said is None else [f"queries: {said}{REMEDY}"]
    overall = lambda call: [one for one in sentences(call) if one.startswith("queries: ") and "no result rows" in one]  # noqa: E731
    assert overall(lambda: sk.score(study, "mean(P@1)")) == expected
    assert overall(lambda: sk.score(study, "mean(P@1)", per="session")) == expected
    assert overall(lambda: sk.score(study, "Queries")) == []  # which looks at no list
    if n_empty < 20:
        assert overall(lambda: sk.compare(study, "mean(P@1)")) == expected


def test_reading_says_it_in_place_of_its_other_sentences(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    rows = "".join(f"s,{position},1,a\n" for position in range(1, 9)) + "s,9,,\ns,10,,\n"
    write("log.csv", "session_id,query_position,rank,doc_id\n" + rows)
    described = write("study.toml", '[results]\npath = "log.csv"\nempty_list = ""\n')
    assert sentences(lambda: sk.read(described)) == [
        f"queries: 2 of 10 (20.0%) have no result rows; 2 returned nothing and have the value 0{REMEDY}"
    ]
    write("log.csv", "session_id,query_position,rank,doc_id\n" + rows.replace("s,10,,", "s,10,1,a"))
    assert sentences(lambda: sk.read(described)) == []
    assert any(note.startswith("1 of 10 queries with empty") for note in sk.read(described).notes)


def test_the_value_is_0_where_nothing_was_returned_and_left_out_where_nothing_was_logged():
    study = log(["empty"] * 5 + ["shown"] * 5)
    assert sk.score(study, "mean(P@1)")["value"].item() == 5 / 10
    study = log(["not_logged"] * 5 + ["shown"] * 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert sk.score(study, "mean(P@1)")["value"].item() == 1


def test_groups_with_other_shares_are_named():
    """System a has 3 of its 10 queries without results, system b 1 of its 10: 4 of 20."""
    statuses = ["shown"] * 20
    for place in (0, 2, 4, 1):
        statuses[place] = "empty"
    study = log(statuses, ("a", "b"))
    said = [
        "queries without result rows by system_id: a 30.0%, b 10.0%; differences between these groups may come from this alone"
    ]
    assert sentences(lambda: sk.score(study, "mean(P@1)"), "queries without") == said
    assert sentences(lambda: sk.compare(study, "mean(P@1)"), "queries without") == said
    assert sentences(lambda: sk.score(study, "mean(P@1)", by=None), "queries without") == []


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((0, 1), []),  # 1 of 10 in both
        ((0, 2, 1, 3), []),  # 2 of 10 in both, which the sentence on all queries says
        ((0, 2), ["queries without result rows by system_id: a 20.0%, b 0.0%"]),  # of all queries no more than a tenth
        ((0,), []),
    ],
)
def test_groups_are_told_of_where_one_has_many_and_others_have_not(places, said):
    study = log(["not_logged" if place in places else "shown" for place in range(20)], ("a", "b"))
    told = sentences(lambda: sk.compare(study, "mean(P@1)"), "queries without")
    assert [one.partition(";")[0] for one in told] == said


def test_a_mean_of_many_groups_names_none():
    study = log([*["empty"] * 12, *["shown"] * 18], tuple(f"system {at:02}" for at in range(30)))
    assert sentences(lambda: sk.score(study, "mean(P@1)"), "queries without") == []


def tiles_of(study):
    """Return the tiles of the first section of the page, by what they are about."""
    tiles = next(part for part in summary(material(study, ["sDCG@10", "nsDCG@10"])).parts if isinstance(part, Tiles))
    return {tile.about: tile for tile in tiles.tiles}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_page_says_it_beside_what_is_judged():
    statuses = ["shown"] * 20
    for place in (0, 2, 4, 1):
        statuses[place] = "empty"
    tiles = tiles_of(log(statuses, ("a", "b")))
    said = "4 of 20 queries (20.0%; a 30.0%, b 10.0%) returned nothing and have the value 0."
    assert said in tiles["What could overturn it"].more
    alone = tiles_of(log(["not_logged", "shown", "shown"]))  # nothing is compared
    assert "1 of 3 queries (33.3%) has no results: " in alone["What could overturn it"].more


@pytest.mark.slow
def test_few_queries_are_counted_without_a_share():
    said = tiles_of(log(["empty", *["shown"] * 9]))["What could overturn it"].more
    assert "1 of 10 queries returned nothing " in said
    assert "returned nothing" not in tiles_of(log(["shown"] * 10))["What could overturn it"].more


MEASURES = {
    "queries": "Queries",
    "results": "Results",
    "clicks": "Clicks",
    "duration_seconds": "Duration",
    "repeats": "Repeats",
}
ECIR = {"S1": [28, 7, 10, 4, 5, 4, 1, 1], "S2": [21, 7, 9, 11, 2, 4, 2, 2, 1, 1]}
"""Sessions of 1, 2, 3 ... queries (Table 2 of ECIR 2008; none of System 2 has nine)."""


@pytest.mark.parametrize("study", [read_clinic, lambda: sk.open_study(saved_clinic())], ids=["memory", "saved"])
def test_counts_are_what_the_measures_are(study):
    found = sk.score(study(), list(MEASURES.values()), per="session").pivot(
        on="measure", index="session_id", values="value"
    )
    expected = found.select(
        "session_id", *(pl.col(text).cast(COUNTS[name].dtype).alias(name) for name, text in MEASURES.items())
    )
    assert_frame_equal(counted_sessions(study(), [*MEASURES]), expected, check_row_order=False)


def test_counts_are_the_same_in_batches_of_any_size():
    study = sk.open_study(saved_clinic())
    parts = [batch.features for batch in batches(study, {"sessions": [*COUNTS]}, rows=1000)]
    assert len(parts) > 10
    names = ["session_id", *COUNTS]
    assert_frame_equal(pl.concat(parts).select(names), counted_sessions(study, [*COUNTS]).select(names))


def test_sessions_are_grouped_by_their_number_of_queries():
    """60 and 60 sessions, as the paper counts them; the means are those of a join with the number of queries."""
    clinic = read_clinic()
    by = sk.score(clinic, "nsDCG@10", by="system_id,queries")
    assert {system: rows["n"].to_list() for (system,), rows in by.group_by("system_id", maintain_order=True)} == ECIR
    many = clinic.queries.group_by("session_id").len("many").collect()
    joined = sk.score(clinic, "nsDCG@10", per="session").join(many, on="session_id")
    means = joined.group_by("many").agg(pl.col("value").mean()).sort("many")
    every = sk.score(clinic, "nsDCG@10", by="queries")
    assert every["value"].to_list() == pytest.approx(means["value"].to_list(), abs=1e-12)
    assert every["value"].round(3).head(2).to_list() == [0.63, 0.202]
    assert sk.score(clinic, "nsDCG@10", by=None, where="queries = 2")["value"].item() == every["value"][1]
    assert sk.score(clinic, "nsDCG@10", by=None, where="results = 100 and clicks > 0")["n"].item() > 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda study: sk.curve(study, "nsDCG@10", by="queries"),
        lambda study: sk.curve(study, "nsDCG@10", by="queries", bands=True, draws=200),
        lambda study: sk.breakdown(study, "nDCG@10", by="queries"),
        lambda study: sk.bounds(study, "nsDCG@10", by="queries").table,
        lambda study: sk.gain_vectors(study, "DCG@10", by="queries"),
    ],
    ids=["curve", "bands", "breakdown", "bounds", "gain_vectors"],
)
def test_every_table_by_groups_takes_a_count(ask):
    assert ask(read_clinic())["queries"].unique().sort().to_list() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]


def test_a_column_of_the_log_stands_before_the_count_of_its_name():
    lists = {"session_id": ["s", "s", "z"], "query_position": [1, 2, 1], "rank": [1, 1, 1], "doc_id": ["a", "a", "c"]}
    own = sk.from_tables(lists, sessions={"session_id": ["s", "z"], "queries": [7, 8]})
    assert sk.score(own, "Queries", by="queries").select("queries", "value").rows() == [(7, 2.0), (8, 1.0)]
    assert sk.score(own, "column(queries)", by=None)["value"].item() == 7.5
    assert sk.score(own, "Queries", by=None, where="queries = 8")["value"].item() == 1


def test_a_count_that_the_log_cannot_tell_is_refused_by_name():
    lists = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    with pytest.raises(sk.UsageError, match=r"by=clicks: .* columns clicked, clicks"):
        sk.score(sk.from_tables(lists), "Queries", by="clicks")
    with pytest.raises(sk.UsageError, match=r"by=queries: .* already has a column"):
        sk.summary(sk.from_tables(lists), by="queries")


def test_what_a_list_showed_that_was_not_logged_is_unknown():
    queries = {
        "session_id": ["s", "z", "z"],
        "query_position": [1, 1, 2],
        "results_status": ["not_logged", "shown", "empty"],
    }
    lists = {"session_id": ["z"], "query_position": [1], "rank": [1], "doc_id": ["a"], "clicked": [True]}
    with warnings.catch_warnings(action="ignore"):
        study = sk.from_tables(lists, sessions={"session_id": ["s", "z"]}, queries=queries)
    found = counted_sessions(study, ["queries", "results", "clicks", "empty_queries"])
    # s has a query and no click; what it was shown, if anything, is not known
    assert found.rows() == [("s", 1, None, 0, None), ("z", 1 + 1, 1, 1, 1)]
