"""Files that share the id of a query: `init` joins results and clicks to their queries by it, whatever it is called."""

import random

import pytest

from sessionkit.readers.propose.propose import propose
from tests.readers.propose.studies import delimited

ENGLISH = {"id": "query_id", "session": "session", "at": "timestamp", "text": "query", "rank": "rank", "doc": "doc"}
GERMAN = {"id": "Suche", "session": "Sitzung", "at": "Zeit", "text": "Suchanfrage", "rank": "Rang", "doc": "Dokument"}
PLAIN = {"id": "search", "session": "visit", "at": "time", "text": "q", "rank": "position", "doc": "url"}


def log(id_of):
    """Queries, results and clicks of five sessions; each query has an id by its session, its position and its number in all."""
    queries, results, clicks = [], [], []
    for session in range(5):
        for position in range(1, 4):
            key = id_of(session, position, len(queries) + 1)
            at = f"2026-03-0{session + 1}T10:0{position}:00Z"
            queries.append({"id": key, "session": f"s{session}", "at": at, "text": f"find {session} {position}"})
            for rank in range(1, 2 + (session + position) % 3):
                doc = f"d{session}{position}{rank}"
                results.append({"id": key, "session": f"s{session}", "rank": rank, "doc": doc})
                if rank == 2:
                    clicks += [{"id": key, "session": f"s{session}", "doc": doc, "at": at}] * position
    return queries, results, clicks


def lists_of(read, *more):
    """The documents of a study with their places."""
    return sorted(read.results.collect().select("session_id", "query_position", "rank", "doc_id", *more).rows())


@pytest.mark.parametrize("names", [ENGLISH, GERMAN, PLAIN])
@pytest.mark.parametrize(
    ("id_of", "by_session"),
    [
        (lambda _session, _position, number: f"q{number:02}", False),
        (lambda _session, _position, number: str(number), False),
        (lambda _session, position, _number: str(10 * position), True),
    ],
)
def test_results_and_clicks_are_joined_by_the_id_of_their_query(  # noqa: PLR0917
    names, id_of, by_session, write, tmp_path, quiet_read
):
    chance = random.Random(7)  # noqa: S311
    files = []
    for name, rows in zip(("queries", "results", "clicks"), log(id_of), strict=True):
        wanted = [key for key in rows[0] if name == "queries" or by_session or key != "session"]
        shuffled = chance.sample(rows, len(rows))
        files.append(
            write(f"{name}.csv", delimited([{names[key]: str(row[key]) for key in wanted} for row in shuffled]))
        )
    proposal = propose(files, folder=tmp_path)
    assert proposal.questions == ()
    assert proposal.settings["results"]["columns"]["query_id"] == names["id"]
    assert "number_queries" not in proposal.settings["results"]
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.rejected.collect().is_empty()
    expected = [
        (f"s{session}", position, rank, f"d{session}{position}{rank}", position if rank == 2 else 0)
        for session in range(5)
        for position in range(1, 4)
        for rank in range(1, 2 + (session + position) % 3)
    ]
    assert lists_of(read, "clicks") == expected


def proposed(write, tmp_path, **tables):
    """The proposal for rows of queries and results, in files of English names."""
    files = [
        write(
            f"{name}.csv",
            delimited([{ENGLISH.get(key, key): str(value) for key, value in row.items()} for row in rows]),
        )
        for name, rows in tables.items()
    ]
    return propose(files, folder=tmp_path)


def without(rows, *names):
    """Rows without some of their columns."""
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


@pytest.mark.parametrize(
    ("id_of", "is_reversed", "value", "question"),
    [
        (lambda _session, _position, number: f"q{number:02}", False, True, None),
        (lambda _session, _position, number: f"q{number:02}", True, "newest first", "'query_id' falls from row to row"),
        (
            lambda session, position, _number: f"{'xkb'[position - 1]}{'rbjwa'[session]}",
            False,
            True,
            "nothing says in which order",
        ),
    ],
)
def test_the_order_of_queries_without_time_is_said_or_asked(  # noqa: PLR0917
    id_of, is_reversed, value, question, write, tmp_path
):
    queries, results, _ = log(id_of)
    queries = without(queries, "at")[:: -1 if is_reversed else 1]
    proposal = proposed(write, tmp_path, queries=queries, results=without(results, "session"))
    assert proposal.settings["queries"]["number_queries"] == value
    texts = [each.text for each in proposal.questions if each.place == "queries.number_queries"]
    assert len(texts) == (question is not None)
    assert question is None or question in texts[0]


def test_results_of_no_query_are_asked_about(write, tmp_path):
    queries, results, _ = log(lambda _session, _position, number: f"q{number:02}")
    lost = [{**results[0], "id": f"z{at}"} for at in range(4)]
    proposal = proposed(write, tmp_path, queries=queries, results=without(results + lost, "session"))
    assert any("4 records" in each.text and "query_is_known" in each.text for each in proposal.questions)


def test_rows_that_may_be_no_clicks_are_asked_about(write, tmp_path):
    queries, results, _ = log(lambda _session, _position, number: f"q{number:02}")
    notes = without(results[::3], "session", "rank")
    proposal = proposed(write, tmp_path, queries=queries, results=without(results, "session"), seen=notes)
    assert [each.place for each in proposal.questions] == ["clicks.columns"]
    assert "every row counts as a click" in proposal.questions[0].text


def test_a_column_of_clicks_beside_a_file_of_clicks_is_asked_about(write, tmp_path, quiet_read):
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    flagged = [{**row, "clicked": int(row["rank"] == 2)} for row in without(results, "session")]
    proposal = proposed(write, tmp_path, queries=queries, results=flagged, clicks=without(clicks, "session"))
    assert [each.place for each in proposal.questions] == ["results.columns.clicked_given"]
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml").results.collect()
    assert read.filter(clicked=True)["clicked_given"].to_list() == [1] * read["clicked"].sum()


def test_clicks_on_lists_beyond_the_sample_are_clicks(write, tmp_path, quiet_read, monkeypatch):
    """The sample holds 15 of 30 results; clicks on the others say nothing against the file."""
    monkeypatch.setattr("sessionkit.readers.propose.sample.ROWS", 16)
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    assert len(results) > 16 >= len(queries)
    later = [row for row in clicks if row["session"] > "s1"]
    assert len(later) > len(clicks) / 2
    proposal = proposed(write, tmp_path, queries=queries, results=results, clicks=clicks)
    assert proposal.questions == ()
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.results.collect()["clicks"].sum() == len(clicks)


def test_clicks_are_joined_to_the_lists_of_one_flat_file(write, tmp_path, quiet_read):
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    places = {row["id"]: at % 3 + 1 for at, row in enumerate(queries)}
    flat = [{**row, "query_no": places[row["id"]]} for row in results]
    proposal = proposed(write, tmp_path, results=flat, clicks=without(clicks, "session"))
    assert proposal.questions == ()
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.results.collect()["clicks"].sum() == len(clicks)
    assert read.rejected.collect().is_empty()


def test_clicks_that_miss_are_counted_among_clicks_and_asked_about_there(write, tmp_path):
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    strays = [*clicks, *({**row, "doc": "elsewhere"} for row in clicks[:2])]
    proposal = proposed(
        write, tmp_path, queries=queries, results=without(results, "session"), clicks=without(strays, "session")
    )
    (question,) = [each for each in proposal.questions if "clicked_result_was_shown" in each.text]
    assert f"2 clicks of {len(strays)} rejected" in question.text
    assert question.place.startswith("clicks")


def test_ratings_taken_for_queries_while_texts_are_in_results_are_asked_about(write, tmp_path):
    queries, results, _ = log(lambda _session, _position, number: f"q{number:02}")
    texts = {row["id"]: f"text of {row['id']}" for row in queries}
    flat = [{**row, "query_text": texts[row["id"]]} for row in results]
    ratings = [{"id": row["id"], "session": row["session"], "rating": at % 5} for at, row in enumerate(queries)]
    proposal = proposed(write, tmp_path, results=flat, ratings=ratings)
    assert "query_text" not in proposal.settings["queries"]["columns"]
    assert any(
        "'query_text' of results seems to be the text of queries" in each.text and "ratings.csv" in each.text
        for each in proposal.questions
    )
