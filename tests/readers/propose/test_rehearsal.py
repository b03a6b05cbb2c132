"""The rule: what `init` proposes loses or moves no record without a question; and the questions that reading back raises."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError, SessionkitError
from sessionkit.readers.propose.propose import propose
from tests.readers.propose.studies import NAMES, called, delimited, flat, study, write_csv
from tests.support.examples import examples
from tests.support.log_mutations import each_once
from tests.support.log_mutations import write_damaged as write_mutated
from tests.support.logs import LOGS
from tests.support.study_sheets import SHEETS

UNREADABLE = "cannot be read yet"


def questions_at(proposal, *places):
    """Return the texts of the questions whose place begins with one of these; all where none is given."""
    return [each.text for each in proposal.questions if not places or each.place.startswith(places)]


def unsaid(proposal, read):
    """Return what reading rejected, by table and rule, that no question of the table mentions."""
    groups = Counter(read.rejected.filter(~pl.col("row_kept")).collect().select("table", "rule").rows())
    silent = {}
    for (table, rule), number in groups.items():
        texts = questions_at(proposal, table, "columns", "encoding", "") if table else questions_at(proposal)
        if not any(rule in text or "rejected" in text for text in texts):
            silent[table, rule] = number
    idle = sum(source.idle for source in read.sources if source.kind == "answers")
    return silent | (
        {"answers": idle} if idle and not any("not read" in text for text in questions_at(proposal)) else {}
    )


def require_said(files, folder, quiet_read):
    """Check that a proposal is refused in a sentence, asks why it cannot be read, or says what reading rejects."""
    try:
        proposal = propose(files, folder=folder)
    except SessionkitError:
        return None
    (folder / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    try:
        read = quiet_read(folder / "proposed.toml")
    except DataError:
        assert proposal.questions
        return None
    assert unsaid(proposal, read) == {}
    return proposal, read


@pytest.mark.few(6, slow=len(LOGS))
@pytest.mark.parametrize("name", LOGS)
def test_every_sample_is_proposed_without_a_silent_loss(name, write, tmp_path, quiet_read):
    for file, content in LOGS[name].files.items():
        if file.endswith(".parquet"):
            pl.read_csv(content.encode(), infer_schema=False).write_parquet(tmp_path / file)
        else:
            write(file, content)
    require_said([tmp_path / file for file in LOGS[name].files], tmp_path, quiet_read)


@pytest.mark.few(6, slow=80)
@pytest.mark.parametrize("case", each_once(42), ids=lambda case: f"{case['log']}, {case['mutation']}")
def test_every_mutation_is_proposed_without_a_silent_loss(case, tmp_path, quiet_read):
    write_mutated(case, tmp_path / "log")
    files = [path for path in sorted((tmp_path / "log").iterdir()) if path.suffix != ".toml"]
    require_said(files, tmp_path, quiet_read)


@pytest.mark.few(2, slow=12)
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_sheet_is_proposed_without_a_silent_loss(sheet, tmp_path, quiet_read):
    assert require_said(sheet.write(tmp_path), tmp_path, quiet_read) is not None


def shown(read):
    """Return each result as who was shown what: session, text of the query, rank and document."""
    texts = read.queries.select("session_id", "query_position", "query_text")
    rows = read.results.join(texts, on=["session_id", "query_position"]).collect()
    return Counter(rows.select("session_id", "query_text", "rank", "doc_id").rows())


CHANGES = (
    "rows shuffled",
    "rows reversed",
    "no numbers of queries",
    "ranks from 0",
    "half of the results away",
    "rows double",
)


def change(tables, changes, draw):
    """Change the rows of tables as CHANGES call it."""
    for row in tables["results"] if "ranks from 0" in changes else ():
        row["rank"] = str(int(row["rank"]) - 1)
    if "half of the results away" in changes:
        tables["results"] = tables["results"][: len(tables["results"]) // 2]
    for name, rows in tables.items():
        if "no numbers of queries" in changes:
            for row in rows:
                row.pop("query_position", None)
        if "rows double" in changes and name == "results":
            rows += [{**row} for row in rows[:6]]
        if "rows shuffled" in changes:
            draw.shuffle(rows)
        if "rows reversed" in changes:
            rows.reverse()


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.integers(0, 2),
    is_flat=st.booleans(),
    changes=st.sets(st.sampled_from(CHANGES), max_size=3),
    draw=st.randoms(use_true_random=False),
)
def test_no_result_moves_to_another_query_without_a_question(  # noqa: PLR0917 - drawn by hypothesis
    names, is_flat, changes, draw, tmp_path_factory, quiet_read
):
    folder = tmp_path_factory.mktemp("moved")
    tables = study(draw.randint(0, 500))
    del tables["users"]
    # each query of a session has a text of its own, so that the text says where a result belongs
    for row in tables["queries"]:
        row["query_text"] += f" {row['query_position']}"
    tables["results"] = [row for row in tables["results"] if row["doc_id"]]
    text = {(row["session_id"], row["query_position"]): row["query_text"] for row in tables["queries"]}
    truth = Counter(
        (row["session_id"], text[row["session_id"], row["query_position"]], int(row["rank"]), row["doc_id"])
        for row in tables["results"]
    )
    tables = flat(tables) if is_flat else tables
    change(tables, changes, draw)
    files = [write_csv(folder, name, called(rows, NAMES[names])) for name, rows in tables.items()]
    outcome = require_said(files, folder, quiet_read)
    if outcome is None:
        return
    proposal, read = outcome
    moved = shown(read) - truth
    if moved:
        assert len(proposal.questions) > 1, next(iter(moved))  # that about max_grade stands in every one
    if "half of the results away" in changes and not is_flat:
        assert any("have no row in results" in each or "not in the order" in each for each in questions_at(proposal))


RESULTS = [(f"s{s}", q, r, f"d{s}{q}{r}") for s in range(4) for q in (1, 2) for r in (1, 2, 3)]


@pytest.fixture
def proposal_of(write, tmp_path):
    """Return the proposal for tables, each given as its header and its rows."""

    def proposal_of(**tables):
        files = [
            write(f"{name}.csv", delimited([dict(zip(header.split(","), map(str, row), strict=True)) for row in rows]))
            for name, (header, rows) in tables.items()
        ]
        return propose(files, folder=tmp_path)

    return proposal_of


def test_a_clean_log_is_not_asked_about(proposal_of):
    assert questions_at(proposal_of(results=("session,qno,rank,url", RESULTS))) == []


def test_rejected_records_are_counted_with_the_first(write, tmp_path):
    rows = delimited([dict(zip(("session", "qno", "rank", "url"), map(str, row), strict=True)) for row in RESULTS])
    proposal = propose(write("results.csv", f"{rows}s1,2,9,d9,more,fields\r\n"), folder=tmp_path)
    (text,) = questions_at(proposal)
    assert text.startswith("1 record of 25 rejected: ")
    assert "(first: record 25 of results.csv" in text


def test_a_proposal_that_cannot_be_read_says_why(write, tmp_path):
    """Two documents in one file of XML look like the format, and are not well-formed."""
    (name, content), *_ = LOGS["trec_session"].files.items()
    assert UNREADABLE not in propose(write(name, content), folder=tmp_path).text
    (text,) = [each for each in questions_at(propose(write(name, content * 2), folder=tmp_path)) if UNREADABLE in each]
    assert "not well-formed XML" in text


def test_rows_of_unknown_queries_are_counted(proposal_of):
    queries = [(s, q, f"find {s} {q}") for s, q in dict.fromkeys((s, q) for s, q, *_ in RESULTS)]
    proposal = proposal_of(queries=("session,qno,query", queries[:-1]), results=("session,qno,rank,url", RESULTS))
    assert any("3 records of 24 rejected: query_is_known does not hold" in text for text in questions_at(proposal))


@pytest.mark.parametrize(("number", "is_asked"), [(2, False), (3, True)])
def test_many_queries_without_rows_are_asked_about_with_the_line_that_says_either(
    number, is_asked, proposal_of, tmp_path, quiet_read
):
    """Of 20 queries 2 are not above 10%, and 3 are."""
    queries = [(f"s{s}", q, f"find {s} {q}") for s in range(10) for q in (1, 2)]
    rows = [(s, q, r, f"d{r}") for s, q, _ in queries[: 20 - number] for r in (1, 2)]
    proposal = proposal_of(queries=("session,qno,query", queries), results=("session,qno,rank,url", rows))
    texts = questions_at(proposal, "queries.without_results")
    assert [text[:51] for text in texts] == ["3 of 20 queries (15%) have no row in results. Did t"] * is_asked
    if is_asked:
        answered = proposal.text.replace("# without_results", "without_results")
        (tmp_path / "study.toml").write_text(answered)
        assert quiet_read(tmp_path / "study.toml").facts.not_logged == 3


def test_the_beginning_of_a_large_log_is_read_back(proposal_of, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.propose.sample.ROWS", 13)
    rows = [("s0", 1, "x", "d"), *RESULTS, *[("s9", 9, "y", "d")] * 50]
    proposal = proposal_of(results=("session,qno,rank,url", rows))
    assert len(proposal.questions) > 0


def test_rows_of_a_list_that_do_not_stand_together_are_one_list(proposal_of, tmp_path, quiet_read):
    """Without numbers of queries, rows that alternate between two queries are two lists and not six."""
    rows = [(f"s{s}", f"find {q}", r, f"d{s}{q}{r}") for s in range(4) for r in (1, 2, 3) for q in ("a", "b")]
    proposal = proposal_of(results=("session,query,rank,url", rows))
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.queries.collect().height == 8
    assert read.results.collect().height == 24


def test_queries_and_lists_numbered_apart_are_asked_about_where_they_are_not_as_many(proposal_of):
    """Of s0 the first query has no list, so that the list of the second lies under it."""
    queries = [(f"s{s}", f"find {s} {q}") for s in range(4) for q in (1, 2)]
    rows = [
        (s, r, f"{s}{q}{r}") for s in ("s0", "s1", "s2", "s3") for q in (1, 2) if (s, q) != ("s0", 1) for r in (1, 2, 3)
    ]
    proposal = proposal_of(queries=("session,query", queries), results=("session,rank,url", rows))
    (text,) = [each for each in questions_at(proposal) if "numbered each for itself" in each]
    assert "in 1 session there are not as many (first: 's0', 2 queries and 1 list)" in text


def test_rows_that_repeat_a_list_are_asked_about_where_queries_are_numbered(proposal_of):
    rows = [(f"s{s}", f"find {q}", r, f"d{s}{q}{r}") for s in range(4) for q in (1, 2) for r in (1, 2, 3)]
    clean = proposal_of(results=("session,query,rank,url", rows))
    assert questions_at(clean) == []
    proposal = proposal_of(results=("session,query,rank,url", [*rows, *rows[:3]]))
    assert any("3 rows of results repeat earlier rows of the session" in each for each in questions_at(proposal))
