"""What a study looks like: the paper's tables 1 and 2 from the clinic study, and odd studies.

What a study has, column by column, and which questions it can answer.
"""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.sessions.describe import columns_of
from sessionkit.statistics.agreement import crossed
from sessionkit.statistics.design import design_of
from tests.support.clinic import read_clinic

LATIN_SQUARE = "crossover, a balanced Latin square of users, topics and system_id"


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def test_table_2_of_the_paper(clinic):
    found = sk.describe(clinic)
    table = {row[0]: row[1:] for row in found.titled_tables()["Sessions by number of queries"].rows()}
    # ECIR 2008, Table 2
    assert table["S1"][:-1] == (28, 7, 10, 4, 5, 4, 1, 1, 0, 0, 0)
    assert table["S2"][:-1] == (21, 7, 9, 11, 2, 4, 2, 2, 0, 1, 1)
    assert [round(value, 2) for value in found.systems.get_column("mean_queries")] == [2.53, 3.18]
    assert found.systems.get_column("queries").to_list() == [152, 191]


def test_table_1_of_the_paper(clinic):
    searchers = sk.describe(clinic).searchers
    assert searchers.get_column("n").to_list()[:4] == [30] * 4
    printed = {(7.2, 2.8), (2.4, 1.4), (2.4, 0.9), (21.4, 7.6)}
    assert printed <= {(round(mean, 1), round(sd, 1)) for mean, sd in searchers.select("mean", "sd").rows()}


def test_design_and_crossing_of_the_paper(clinic):
    found = sk.describe(clinic)
    assert found.design == LATIN_SQUARE
    assert found.crossing.get_column("sessions").to_list() == [15] * 8
    assert found.lists.get_column("empty").sum() == 12


def test_numbers_agree_with_the_raw_tables(clinic):
    found = sk.describe(clinic)
    judged = clinic.results.join(clinic.sessions.select("session_id", "judgment_key"), on="session_id").join(
        clinic.judgments.select("judgment_key", "doc_id", "grade"), on=["judgment_key", "doc_id"]
    )
    assert found.judged.get_column("judged").sum() == judged.select(pl.len()).collect().item()
    assert found.recall_base.get_column("documents").sum() == clinic.facts.judgments
    seen = clinic.results.group_by("session_id").agg(n=pl.len(), distinct=pl.col("doc_id").n_unique()).collect()
    assert found.lists.get_column("repeats").sum() == seen.get_column("n").sum() - seen.get_column("distinct").sum()


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([("u", "a", None), ("v", "b", None)], "no systems"),
        ([("u", "a", "1"), ("v", "b", "1")], "one system"),
        ([("u", "a", "1"), ("v", "b", "2")], "independent"),
        ([("u", "a", "1"), ("v", "a", "2"), ("w", "b", "2"), ("x", "b", "1")], "between users"),
        ([(u, t, s) for u in "uv" for t in "ab" for s in "12"], "paired by user and topic"),
        ([("u", "a", "1"), ("u", "b", "2"), ("v", "a", "1"), ("v", "b", "2")], "paired by user"),
        (
            [("u", "a", "1"), ("u", "b", "2"), ("v", "a", "2"), ("v", "b", "1")],
            LATIN_SQUARE,
        ),
        (
            [("u", "a", "1"), ("u", "b", "2"), ("v", "a", "2"), ("v", "b", "1"), ("w", "a", "1"), ("w", "b", "2")],
            "crossover",
        ),
        (
            # everyone met two of three systems: not every user met every system
            [
                (u, t, s)
                for u, plan in {"u": "1122", "v": "2233", "w": "3311"}.items()
                for t, s in zip("abcd", plan, strict=True)
            ]
            + [
                (u, t, s)
                for u, plan in {"x": "2211", "y": "3322", "z": "1133"}.items()
                for t, s in zip("abcd", plan, strict=True)
            ],
            "incomplete blocks",
        ),
        ([(None, "a", "1"), (None, "b", "2")], "independent"),
    ],
)
def test_names_of_designs(rows, name):
    sessions = pl.DataFrame(
        rows, schema={"user_id": pl.String, "topic_id": pl.String, "system_id": pl.String}, orient="row"
    )
    assert design_of(sessions)[0] == name


def test_the_recall_base_of_all_topics():
    """Three topics of Research Notes 2002-2's kind: 2 documents of grade 3, 3 of 2, 5 of 1 and 4 of 0."""
    grades = {"a": [3, 2, 1, 1, 0], "b": [3, 2, 2, 1, 1, 0, 0], "c": [1, 0]}
    rows = [(key, f"d{n}", grade) for key, own in grades.items() for n, grade in enumerate(own)]
    judgments = pl.DataFrame(rows, schema=["judgment_key", "doc_id", "grade"], orient="row")
    log = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d0"], "topic_id": ["a"]}
    found = sk.describe(sk.from_tables(log, judgments=judgments))
    assert found.recall_base_totals.rows() == [
        (0.0, 4, 4 / 3, None), (1.0, 5, 5 / 3, 0.5), (2.0, 3, 1.0, 0.3), (3.0, 2, 2 / 3, 0.2),
    ]  # fmt: skip
    assert found.recall_base["documents"].sum() == found.recall_base_totals["documents"].sum()


def test_agreement_of_judges_is_described_where_they_are_known(clinic):
    log = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["a", "a"], "judge_id": ["ada", "bob"], "grade": [1, 2]}
    found = sk.describe(sk.from_tables(log, judgments))
    assert found.judges.filter(measure="agreement")["value"].to_list() == [0.0, 0.0]
    assert found.judge_grades.select("judge_id", "other", "grade", "other_grade", "documents").rows() == [
        ("ada", "bob", 1, 2, 1)
    ]
    titled, without_judges = (described.titled_tables() for described in (found, sk.describe(clinic)))
    tables = (found.judges, crossed(found.judge_grades))
    of_judges = {title for title, table in titled.items() if any(map(table.equals, tables))}
    assert len(of_judges) == 2
    assert not of_judges & {*without_judges}


def test_lists_are_counted_as_by_hand(clinic):
    rng = np.random.default_rng(3)
    rows = [(f"s{s:02}", q, r) for s in range(40) for q in range(1, 4) for r in range(1, int(rng.integers(1, 13)) + 1)]
    places = dict(zip(("session_id", "query_position", "rank"), zip(*rows, strict=True), strict=True))
    results = pl.DataFrame(places).with_columns(doc_id=pl.Series(rng.integers(60, size=len(rows))).cast(pl.String))
    results = results.unique(["session_id", "query_position", "doc_id"], keep="first", maintain_order=True)
    sessions = [f"s{s:02}" for s in range(40)]
    study = sk.from_tables(
        results=results.with_columns(rank=pl.int_range(1, pl.len() + 1).over("session_id", "query_position")),
        sessions={"session_id": sessions, "system_id": ["A", "B"] * 20, "topic_id": ["t"] * 40},
        judgments={"judgment_key": ["t"], "doc_id": ["7"], "grade": [1]},
    )
    for one in (study, clinic):
        lists = one.results.group_by("session_id", "query_position").len("length").collect()
        lists = one.queries.collect().join(lists, on=["session_id", "query_position"], how="left")
        lists = lists.join(one.sessions.select("session_id", "system_id").collect(), on="session_id")
        length, status = pl.col("length").fill_null(0), pl.col("results_status")
        longest = lists["length"].max()
        for row in sk.describe(one).lists.iter_rows(named=True):
            own = lists.filter(system_id=row["system_id"])
            shown = one.results.collect().join(own.select("session_id").unique(), on="session_id", how="semi")
            assert row["queries"] == len(own)
            assert row["shown"] == len(own.filter(status == "shown"))
            assert row["empty"] == len(own.filter(status == "empty"))
            assert row["short"] == len(own.filter(status == "shown", length < min(10, longest)))
            assert row["repeats"] == len(shown) - shown.select("session_id", "doc_id").n_unique()


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("alike", [False, True])
def test_repeats_are_counted_exactly_also_where_documents_have_the_same_hash(monkeypatch, alike):
    draw = np.random.Generator(np.random.PCG64(1))
    rows = [(f"s{s}", q, r) for s in range(9) for q in range(1, 4) for r in range(1, 5)]
    documents = [f"d{one}" for one in draw.integers(0, 14, size=len(rows))]
    table = pl.DataFrame(rows, schema=["session_id", "query_position", "rank"], orient="row")
    results = table.with_columns(doc_id=pl.Series(documents), system_id=pl.col("session_id").str.slice(1, 1))
    if alike:
        monkeypatch.setattr(pl.Series, "hash", lambda column: pl.Series([1] * len(column), dtype=pl.UInt64))
    study = sk.from_tables(results)
    seen: dict[str, list[str]] = {}
    for (session, *_), document in zip(rows, documents, strict=True):
        seen.setdefault(session, []).append(document)
    expected = [len(shown) - len({*shown}) for _, shown in sorted(seen.items())]
    assert sk.describe(study).lists["repeats"].to_list() == expected


def test_it_is_a_finding(clinic):
    found = sk.describe(clinic, where="system_id = 'S1'")
    assert found.table is found.systems
    restriction, log, *_ = found.statements
    assert restriction.values == {"condition": "system_id = 'S1'", "sessions": 60, "of": 120}
    assert log.values == {"sessions": 60, "queries": 152, "systems": 1}  # ECIR 2008
    assert found.text.splitlines() == [statement.text for statement in found.statements]
    assert list(found.tables())[-2:] == ["questions", "design"]
    assert found.provenance.command == "sessionkit describe STUDY --where 'system_id = '\"'\"'S1'\"'\"''"
    assert "S1 & 60" in found.to_latex()
    assert "Sessions where system\\_id = 'S1'." in found.to_markdown()


def test_every_column_has_its_values(clinic):
    columns = columns_of(clinic)
    assert sk.describe(clinic).columns.equals(columns)
    assert columns.filter(column="skill").select("in_table", "rows", "missing", "distinct", "values").row(0) == (
        "users", 30, 0, 4, "1 to 4"
    )  # fmt: skip
    assert (
        columns.filter(column="topic_id", in_table="sessions").item(0, "values")
        == "'A' (30), 'B' (30), 'C' (30), 'D' (30)"
    )
    for name in ("users", "sessions", "queries", "results", "judgments"):
        assert tuple(columns.filter(in_table=name)["column"]) == clinic.columns(name)
    assert columns.filter(pl.col("in_table") == "results")["rows"].null_count() == len(clinic.columns("results"))
    counted = columns.filter(in_table="counted")["column"].to_list()
    assert counted == ["queries", "results", "clicks", "duration_seconds", "repeats", "empty_queries"]
    sk.score(clinic, [f"column({name})" for name in counted], by="clicks")  # each is a column everywhere


def answers(study):
    """Which questions, by their first words, a study can answer, and why."""
    table = sk.describe(study).questions
    return {
        " ".join(question.split()[:3]): (answer, because)
        for question, answer, because in table.select("question", "answer", "because").rows()
    }


def test_what_a_study_can_answer_is_said(clinic):
    found = answers(clinic)
    assert found["Do systems differ?"][0] == "yes"
    answer, because = found["Are last queries"]
    assert answer == "yes"
    assert because.startswith("71 sessions of two")
    assert found["Do judges agree?"] == ("no", "no judge_id")
    assert ": satisfaction, " in found["Do measures agree"][1]
    for command in sk.describe(clinic).questions["command"]:
        assert command.split()[:1] == ["sessionkit"]


def test_what_a_study_cannot_answer_is_said_too():
    lists = {"session_id": list("sz"), "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]}
    found = answers(sk.from_tables(results=lists))
    assert {question for question, (answer, _) in found.items() if answer == "yes"} == set()
    assert found["Do systems differ?"][1].endswith("fewer than two systems")
    assert found["Do other groups"][1].endswith(": none")
