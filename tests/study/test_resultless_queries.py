"""Queries without result rows: said by reading, scores and comparisons where they are more than a tenth, and by group."""

import warnings

import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning
from sessionkit.reports.page import sections_of
from sessionkit.reports.parts import Tiles

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
    assert "1 of 10 queries with empty lists; they count and gain 0" in sk.read(described).notes


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
    tiles = next(part for part in sections_of(study)[0].parts if isinstance(part, Tiles))
    return {tile.about: tile for tile in tiles.tiles}


def test_the_page_says_it_beside_what_is_judged():
    statuses = ["shown"] * 20
    for place in (0, 2, 4, 1):
        statuses[place] = "empty"
    tiles = tiles_of(log(statuses, ("a", "b")))
    said = "4 of 20 queries (20.0%; a 30.0%, b 10.0%) returned nothing and have the value 0."
    assert said in tiles["What could overturn it"].more
    alone = tiles_of(log(["not_logged", "shown", "shown"]))  # nothing is compared
    assert "1 of 3 queries (33.3%) has no results: " in alone["What could overturn it"].more


def test_few_queries_are_counted_without_a_share():
    said = tiles_of(log(["empty", *["shown"] * 9]))["What could overturn it"].more
    assert "1 of 10 queries returned nothing and has the value 0." in said
    assert "returned nothing" not in tiles_of(log(["shown"] * 10))["What could overturn it"].more
