"""Last and earlier queries: the figure, the table and the sentence of a report say the same numbers.

A page of one session is about one session; a page by too many groups, or by groups called by numbers, says so.
"""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataWarning
from sessionkit.reports import page
from sessionkit.reports.page import report, sections_of
from sessionkit.reports.parts import FigureRow, Tiles, Words
from tests.reports.one_section import by_name, figures_in
from tests.reports.read_page import Reader, has_parts


def made_of(study):
    """The figure of last and earlier queries, the words below it, and the table below these."""
    sections = by_name(page.sections_of(study, "sDCG@2"))
    words, table = sections["last-queries"].parts
    figure = figures_in(sections["sessions"])[0]
    assert figure.kind == "last-vs-nonlast"
    assert isinstance(words, Words)
    assert isinstance(table, TextTable)
    return figure, " ".join(words.paragraphs), table


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
def test_figure_table_and_sentence_say_the_means_within_sessions(make):
    # sessions of 1 to 12 queries; the last query of each finds its one document at rank 2, an earlier one nothing
    study = make(sessions=12, users=("u1", "u2", "u3", "u4", "u5"))
    # in half of the sessions of S2 the first query finds a document too, so that earlier queries have a value
    early = pl.DataFrame(
        {"judgment_key": ["t"] * 3, "doc_id": [f"s{number}.1.1" for number in (3, 7, 11)], "grade": 2.0}
    )
    judged = study.judgments.filter(~pl.col("doc_id").is_in(early["doc_id"].implode())).collect()
    study = study.with_tables(
        judgments=pl.concat([judged, early.select(judged.columns).cast(dict(judged.schema))]).lazy()
    )
    figure, words, table = made_of(study)
    values = sk.score(study, "nDCG@2", per="query").sort("session_id", "query_position")
    gains = values.group_by("session_id", maintain_order=True).agg("value").rows()
    expected, by_user = {}, {}
    systems = dict(study.sessions.select("session_id", "system_id").collect().rows())
    users = dict(study.sessions.select("session_id", "user_id").collect().rows())
    for session, gained in gains:
        if len(gained) > 1:
            pair = (gained[-1], sum(gained[:-1]) / (len(gained) - 1))
            expected.setdefault(systems[session], []).append(pair)
            by_user.setdefault((systems[session], users[session]), []).append(pair)
    means = {
        system: tuple(sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        for system, pairs in expected.items()
    }
    # the largest table is that of the lines; others have the places of their names
    lines = max(figure.chart.to_dict()["datasets"].values(), key=len)
    rows = [row for row in lines if row["rank"] == 2]
    drawn = {(row["group"], row["part"]): row["value"] for row in rows}
    for system, (last, earlier) in means.items():
        assert (drawn[system, "Last"], drawn[system, "Non-last"]) == pytest.approx((last, earlier))
        # of table and sentence users are the units, each of whose sessions are averaged first: what they say makes the difference
        of_users = [pairs for of, pairs in by_user.items() if of[0] == system]
        ends = [
            sum(sum(pair[side] for pair in pairs) / len(pairs) for pairs in of_users) / len(of_users) for side in (0, 1)
        ]
        row = table.frame.row(by_predicate=pl.col("group") == system, named=True)
        assert (row["value"], row["value_against"], row["estimate"]) == pytest.approx((*ends, ends[0] - ends[1]))
        said = f"{ends[0]:.3f} against {ends[1]:.3f}, means over {len(of_users)} users, weighted equally, with"
        assert said in words
    assert dict(table.frame.select("group", "left_out_single_query").rows()) == {"S1": 1, "S2": 0}
    assert "with 5 sessions (1 of one query" in words
    assert "or more: S1 5 (1 left out), S2 6." in figure.caption


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
def test_a_study_of_single_queries_has_nothing_to_compare(make):
    rows = {"session_id": list("abcd"), "query_position": [1] * 4, "rank": [1] * 4, "doc_id": list("wxyz")}
    study = sk.from_tables({**rows, "topic_id": ["t"] * 4}, {"judgment_key": ["t"], "doc_id": ["w"], "grade": [1]})
    sections = by_name(page.sections_of(study))
    words = sections["sessions"].parts[0]
    assert has_parts(words.paragraphs[0], "Last and earlier queries.", "Not drawn:", "no session of two queries")


def two_queries():
    """Two sessions; the first has a query without a relevant result and one with two, one of them clicked."""
    results = pl.DataFrame(
        {
            "session_id": ["s1"] * 4 + ["s2"] * 2,
            "query_position": [1, 1, 2, 2, 1, 1],
            "rank": [1, 2, 1, 2, 1, 2],
            "doc_id": ["a", "b", "c", "d", "a", "c"],
            "clicked": [False, True, True, False, False, False],
        }
    )
    queries = pl.DataFrame(
        {"session_id": ["s1", "s1", "s2"], "query_position": [1, 2, 1], "query_text": ["x", "x y", "z"]}
    )
    sessions = pl.DataFrame(
        {"session_id": ["s1", "s2"], "user_id": ["u1", "u2"], "topic_id": ["t", "t"], "system_id": "S1"}
    )
    judgments = {"judgment_key": ["t"] * 3, "doc_id": ["a", "c", "d"], "grade": [0, 2, 1]}
    return sk.from_tables(results, judgments, queries, sessions)


def parts(study, kind, **asked):
    return [part for section in sections_of(study, **asked) for part in section.every_part() if isinstance(part, kind)]


@pytest.fixture(scope="module")
def one():
    return report(two_queries(), where="session_id = 's1'")


def test_the_page_says_what_the_person_did(one):
    text = Reader(one).text.replace("\xa0", " ")
    assert has_parts(text, "User u1", "topic t with S1: 2 queries", "4 results shown and 2 clicked.")
    assert text.count("User u1 searched") == 1
    assert "In the one session, of S1" in text


def test_no_line_ends_between_a_number_and_what_it_counts_below_the_title(one):
    about = one.split('<p class="about">')[1].split("</p>")[0]
    assert about.startswith("1\xa0session, 2\xa0queries, 4\xa0results, 3\xa0judgments.")


@pytest.mark.slow
def test_what_each_query_brought_is_a_table():
    study = two_queries()
    found = [
        table
        for table in parts(
            study.with_tables(
                sessions=study.sessions.filter(pl.col("session_id") == "s1"),
                queries=study.queries.filter(pl.col("session_id") == "s1"),
                results=study.results.filter(pl.col("session_id") == "s1"),
            ),
            TextTable,
        )
        if table.caption == "What each query brought"
    ]
    assert len(found) == 1
    frame = found[0].frame
    assert frame["query_text"].to_list() == ["x", "x y"]
    assert frame["results"].to_list() == [2, 2]
    assert frame["clicks"].to_list() == [1, 1]
    assert frame["judged"].to_list() == [1, 2]
    assert frame["many"].to_list() == [0, 2]
    total = sk.score(study, "sDCG@10", per="session").filter(session_id="s1")["value"].item()
    assert frame["cumulated"].to_list()[-1] == pytest.approx(total)


@pytest.mark.parametrize(
    "words",
    [
        "--by COLUMN",
        "quotients are averaged",
        "Nothing is compared",
        "Means over sessions",
        "by group",
        "median session",
    ],
)
def test_nothing_on_it_is_said_of_many_sessions(one, words):
    assert words not in Reader(one).text


@pytest.mark.slow
def test_queries_and_users_are_left_out_of_it_on_request():
    page = report(two_queries(), where="session_id = 's1'", redact="users,queries")
    text = Reader(page).text
    assert "x y" not in text
    assert "User u1" not in text


def test_a_list_that_was_not_logged_has_no_number_of_results():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    queries = {
        "session_id": ["s"] * 3,
        "query_position": [1, 2, 3],
        "query_text": [*"xyz"],
        "results_status": [None, "not_logged", "empty"],
    }
    study = sk.from_tables(results, None, queries)
    (found,) = [table for table in parts(study, TextTable) if table.caption == "What each query brought"]
    assert found.frame["results"].to_list() == [1, None, 0]


@pytest.mark.slow
def test_what_is_judged_says_of_what():
    tiles = [tile for tiles in parts(two_queries(), Tiles) for tile in tiles.tiles]
    (tile,) = [tile for tile in tiles if tile.about == "What could overturn it"]
    assert tile.more.startswith("83.3% of the first 10 results ")  # 5 of 6


def grouped(many):
    """Users with one session each, a group for each, called by its number."""
    rows = [(f"s{user:02}-{nth}", f"u{user:02}-{nth}", str(user)) for user in range(1, many + 1) for nth in range(3)]
    sessions = pl.DataFrame(rows, schema=["session_id", "user_id", "ward"], orient="row")
    sessions = sessions.with_columns(topic_id=pl.lit("t"), system_id=pl.lit("S1"))
    results = sessions.select(
        "session_id", query_position=1, rank=1, doc_id=pl.int_range(pl.len()).mod(4).cast(pl.String)
    )
    return sk.from_tables(
        results, {"judgment_key": ["t"] * 2, "doc_id": ["0", "1"], "grade": [2, 1]}, sessions=sessions
    )


@pytest.mark.slow
def test_a_column_of_too_many_groups_is_said_on_the_page_and_warned_of():
    with pytest.warns(DataWarning, match=r"ward has 21 groups; .*at most 20"):
        rows = parts(grouped(21), Tiles, by="ward")
    said = " ".join(tile.more for row in rows for tile in row.tiles)
    assert has_parts(said, "ward has 21 groups", "at most 20")
    assert "by system_id instead" in said


@pytest.mark.slow
def test_groups_called_by_numbers_stand_with_the_name_of_their_column():
    figures = [one for row in parts(grouped(3), FigureRow, by="ward") for one in row.figures]
    (drawn,) = [one for one in figures if one.kind == "group-means" and one.chart is not None]
    assert "ward 1" in str(drawn.chart.to_dict())
    tables = [one for one in parts(grouped(3), TextTable, by="ward") if one.caption == "Behavior by group"]
    assert tables[0].headers[1:] == ("ward 1", "ward 2", "ward 3")
