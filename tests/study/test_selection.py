"""Some sessions of a study: the same numbers as of a study of these alone, wherever the rows lie."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.study.selection import restricted
from tests.support.clinic import read_clinic


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


MEASURES = ["nsDCG@10", "mean(nDCG@10)", "mean(R@10)"]


def alone(study, ids):
    """A study made of the rows of some sessions, and of nothing else of the log."""
    frames = {name: study.table(name).collect() for name in ("users", "sessions", "queries", "results", "judgments")}
    for name in ("sessions", "queries", "results"):
        frames[name] = frames[name].filter(pl.col("session_id").is_in(ids))
    declared = {name: value for name, value in study.settings.as_dict().items() if value is not None}
    return sk.from_tables(**frames, **declared)


@pytest.fixture(scope="module")
def novices(clinic):
    """The sessions of users of skill 1 on topic A, by hand."""
    users = clinic.users.filter(pl.col("skill") <= 2).select("user_id")
    return clinic.sessions.join(users, on="user_id", how="semi").select("session_id").collect().to_series().to_list()


WHERE = "skill <= 2"


@pytest.fixture(scope="module", params=["read", "saved", "partitioned", "address"])
def kept(request, clinic, tmp_path_factory):
    """The clinic as its rows may lie: read from a log, or saved in one or several parts."""
    if request.param == "read":
        return clinic
    place = tmp_path_factory.mktemp(request.param) / "study"
    saved = clinic.save(place, partition_by="topic_id" if request.param == "partitioned" else None)
    return sk.open_study(place.as_uri()) if request.param == "address" else saved


@pytest.fixture(scope="module")
def sessions_alone(clinic, novices):
    return alone(clinic, novices)


SCORES = [
    (MEASURES, {}),
    (MEASURES, {"by": "topic_id,system_id"}),
    (MEASURES, {"by": "skill"}),
    (MEASURES, {"per": "session"}),
    ("nDCG@10", {"per": "query"}),
]


@pytest.fixture(scope="module")
def scores_alone(sessions_alone):
    return [sk.score(sessions_alone, measures, **options) for measures, options in SCORES]


@pytest.fixture(scope="module")
def curves_alone(sessions_alone):
    """A curve, a breakdown and a comparison of these sessions."""
    return (
        sk.curve(sessions_alone, "sDCG@5"),
        sk.breakdown(sessions_alone, "nDCG@5"),
        sk.compare(sessions_alone, "nsDCG@5").table,
    )


def test_scores_are_those_of_these_sessions_alone(kept, scores_alone, novices):
    for (measures, options), expected in zip(SCORES, scores_alone, strict=True):
        assert sk.score(kept, measures, where=WHERE, **options).equals(expected), options
    assert 0 < len(novices) < 120


def test_counts_and_curves_are_too(kept, sessions_alone, curves_alone):
    chosen, (curve, breakdown, comparison) = restricted(kept, WHERE), curves_alone
    assert chosen.facts == sessions_alone.facts
    assert chosen.users.collect().height == chosen.sessions.select("user_id").unique().collect().height
    assert sk.curve(kept, "sDCG@5", where=WHERE).equals(curve)
    assert sk.breakdown(kept, "nDCG@5", where=WHERE).equals(breakdown)
    assert sk.compare(kept, "nsDCG@5", where=WHERE).table.equals(comparison)


def test_what_is_left_is_saved_alone(kept, tmp_path, novices):
    saved = restricted(kept, WHERE).save(tmp_path / "novices")
    assert saved.facts.sessions == len(novices)
    assert sk.score(saved, MEASURES).equals(sk.score(kept, MEASURES, where=WHERE))


@pytest.mark.slow
def test_a_cache_knows_which_sessions_took_part(clinic, tmp_path):
    saved = clinic.save(tmp_path / "study", partition_by="topic_id")
    all_of_them = sk.score(saved, MEASURES, cache=tmp_path / "cache")
    for _ in range(2):
        assert sk.score(saved, MEASURES, where=WHERE, cache=tmp_path / "cache").equals(
            sk.score(saved, MEASURES, where=WHERE)
        )
    assert sk.score(saved, MEASURES, cache=tmp_path / "cache").equals(all_of_them)
    one = "topic_id = 'B'"  # of the other partitions nothing is left
    found = sk.score(saved, MEASURES, where=one, cache=tmp_path / "cache")
    assert found.equals(sk.score(clinic, MEASURES, where=one))


def test_conditions_add_up_and_are_named(clinic):
    first = restricted(clinic, "topic_id = 'A'")
    second = restricted(first, pl.col("queries") >= 2)
    queries = clinic.queries.group_by("session_id").len().filter(pl.col("len") >= 2)
    both = clinic.sessions.filter(pl.col("topic_id") == "A").join(queries, on="session_id", how="semi").collect()
    assert second.restriction.sessions == second.facts.sessions == len(both)
    assert str(second.restriction).endswith(f"({len(both)} of 120 sessions)")
    assert str(first.restriction) == "topic_id = 'A' (30 of 120 sessions)"


def test_sessions_of_which_it_is_unknown_take_no_part():
    lists = {"session_id": ["a", "b", "c"], "query_position": [1] * 3, "rank": [1] * 3, "doc_id": ["x"] * 3}
    study = sk.from_tables(lists, sessions={"session_id": ["a", "b", "c"], "skill": ["low", "high", None]})
    chosen = restricted(study, "skill <> 'low'")
    assert chosen.sessions.collect()["session_id"].to_list() == ["b"]


def test_a_column_of_the_log_called_queries_is_that_column():
    lists = {"session_id": ["a", "b"], "query_position": [1] * 2, "rank": [1] * 2, "doc_id": ["x"] * 2}
    study = sk.from_tables(lists, sessions={"session_id": ["a", "b"], "queries": [7, 8]})
    assert restricted(study, "queries > 7").facts.sessions == 1


@pytest.mark.parametrize(
    ("where", "says"),
    [
        (
            "skil = 2",
            "did you mean 'skill'?; columns: session_id",
        ),
        ("started_at > '2007-03-10'", "date or time, such as DATE '2024-01-31'"),
        (pl.col("skill", "satisfaction") > 2, "several columns; combine conditions by &"),
        ('topic_id = "A"', "'A'; text stands in single quotes: 'A'"),
        ("topic_id = 'Z'", "is left; topic_id has 'A' (30), 'B' (30), 'C' (30), 'D' (30)"),
        ("queries > 99", "left; queries ranges from 1 to 11"),
        (
            "topic_id = 5",
            "text in single ones; compare each column",
        ),
        ("skill = 'novice'", "quotes, text in single ones"),
        ("sum(queries) > 3", "depends on other sessions; write"),
        ("max(queries) = queries", "depends on other sessions"),
        ("rank() over (order by skill) > 3", "depends on other sessions"),
        (pl.col("skill").shift() > 2, "depends on other sessions"),
        ((pl.col("skill") > 2).head(3), "depends on other sessions"),
        (pl.col("skill").rank() > 2, "depends on other sessions"),
        ("count(*) over (partition by topic_id) > 1", "depends on other sessions"),
        ("topic_id =", "cannot be read"),
        ("queries", "not true or false for each session"),
        ("", "cannot be read"),
        (5, "where takes a condition"),
        ("topic_id = 'A'; drop table sessions", "cannot be read"),
        ("session_id in (select session_id from sessions)", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_with_what_exists(clinic, where, says):
    with pytest.raises(sk.UsageError) as error:
        sk.score(clinic, "nsDCG@10", where=where)
    assert says in str(error.value)


def joined_by(operator, part, count, start=""):
    """A condition of many parts."""
    return start + operator.join([part] * count)


TOO_LONG = {
    "or": joined_by(" or ", "queries = 1", 9_000),
    "and": joined_by(" AND ", "queries = 1", 150),
    "concatenation": joined_by("||", "'a'", 9_000, "topic_id = "),
    "quotes within text": joined_by("||", "'it''s ( , '", 250, "topic_id = "),
    "sum": joined_by("+", "1", 500, "queries = "),
    "sum of signed numbers": joined_by(" ", "-1", 500, "queries = 1"),
    "between": joined_by(" or ", "queries between 1 and 2", 9_000),
    "is null": "queries" + " is null" * 9_000,
    "case": f"case {joined_by(' ', 'when queries = 1 then true', 600)} end",
    "list of sums": f"queries in ({joined_by(', ', 'queries + 1', 600)})",
    "several lists": joined_by(" or ", "topic_id in ('A', 'B')", 600),
    "text that hides a quote": joined_by("||", "'a'", 9_000, "$$'$$ = "),
    "open comments": "queries = 1 " + "/*" * 9_000,
}


@pytest.mark.parametrize("where", TOO_LONG.values(), ids=TOO_LONG)
def test_a_long_condition_is_refused_before_polars_reads_it(clinic, where):
    with pytest.raises(sk.UsageError, match=r"more than 400 words, .* a list, such") as error:
        sk.score(clinic, "nsDCG@10", where=where)
    assert len(str(error.value)) < 500


NESTED = {
    "parentheses": "(" * 9_000 + "queries = 1" + ")" * 9_000,
    "not": "not " * 150 + "queries = 1",
    "minus": "queries = " + "- " * 150 + "1",
    "functions": "abs(" * 150 + "queries" + ")" * 150 + " = 1",
}


@pytest.mark.parametrize("where", NESTED.values(), ids=NESTED)
def test_a_deep_condition_is_refused(clinic, where):
    with pytest.raises(sk.UsageError, match=r"cannot be read|more than 400") as error:
        sk.score(clinic, "nsDCG@10", where=where)
    assert len(str(error.value)) < 500


def test_lists_may_be_long(clinic):
    chosen = clinic.sessions.select("session_id").collect()["session_id"].to_list()[:7]
    names = ", ".join(f"'{name}'" for name in [*chosen, *(f"it''s {number}" for number in range(20_000))])
    subset = restricted(clinic, f"session_id IN ({names})")
    assert subset.facts.sessions == 7
    assert len(str(subset.restriction)) < 300
    assert restricted(clinic, f"queries in ({', '.join(str(-number) for number in range(5_000))}, 1)").facts.sessions


@pytest.mark.parametrize("operator", [" or ", " and "])
def test_a_condition_of_a_hundred_parts_is_read(clinic, operator):
    assert (
        restricted(clinic, joined_by(operator, "queries >= 2", 100)).facts == restricted(clinic, "queries >= 2").facts
    )


def test_a_table_of_scores_is_restricted_by_its_own_columns(clinic):
    scores = sk.score(clinic, "nsDCG@10", per="session")
    found = sk.compare(scores, where="topic_id <> 'A'")
    assert found.table.equals(sk.compare(clinic, "nsDCG@10", where="topic_id <> 'A'").table)
    with pytest.raises(sk.UsageError, match="no session is left"):
        sk.compare(scores, where="topic_id = 'Z'")


@pytest.mark.slow
def test_a_finding_begins_with_which_sessions_take_part(clinic):
    where = "topic_id <> 'A'"
    for verb in (
        lambda: sk.compare(clinic, "nsDCG@10", where=where),
        lambda: sk.compare(clinic, "nsDCG@10", where=where, population="users,topics"),
        lambda: sk.correlate(clinic, "nsDCG@10", "skill", where=where, draws=200),
        lambda: sk.breakdown_tests(clinic, "nDCG@10", where=where, draws=0),
        lambda: sk.bounds(clinic, "nsDCG@10", where=where),
        lambda: sk.effort(clinic, "sDCG@10", where=where),
        lambda: sk.sweep(clinic, "nsDCG@10", {"b": [2, 3]}, where=where),
    ):
        restriction = {"condition": "topic_id <> 'A'", "sessions": 90, "of": 120}
        assert verb().statements[0].values == restriction
    assert sk.compare(clinic, "nsDCG@10").statements[0].kind != "sessions"


@pytest.mark.few(3)
@pytest.mark.parametrize("values", [[True, True, False], ["(none)", None, "A"], ["x", "y", "y"]])
@pytest.mark.parametrize("name", ["flag", "group"])
def test_rows_of_findings_carry_the_column_whatever_it_holds_and_is_called(name, values):
    lists = {"session_id": ["a", "b", "c"], "query_position": [1] * 3, "rank": [1] * 3, "doc_id": ["x", "y", "x"]}
    study = sk.from_tables(
        lists,
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
        sessions={"session_id": ["a", "b", "c"], "topic_id": ["t"] * 3, name: values},
        max_grade=2,
    )
    found = sk.bounds(study, "sDCG@2", by=name).bounds
    scores = sk.score(study, "sDCG@2", by=name)
    assert found.columns[0] == name
    assert found.schema[name] == scores.schema[name]
    # a group that is called as sessions without one are has rows of its own
    assert found.select(name, "value", "n").sort(name).equals(scores.select(name, "value", "n").sort(name))
    assert found[name].n_unique() == len(found) == len({*values})
    assert {*values} == {*sk.effort(study, "sDCG@2", by=name).plateau[name]}
    lengths = sk.session_survival(study, by=name).filter(query_position=1).select(name, "sessions")
    assert {*lengths.rows()} == {(value, values.count(value)) for value in values}


def test_a_column_that_the_table_has_itself_is_refused(clinic):
    study = clinic.with_tables(sessions=clinic.sessions.rename({"satisfaction": "part"}))
    with pytest.raises(sk.UsageError, match="already has a column"):
        sk.breakdown_tests(study, "nDCG@5", by="part")


@pytest.mark.slow
def test_a_redacted_page_leaves_the_condition_out(clinic):
    page = sk.report(clinic, "nsDCG@5", where="user_id <> 'u01'", redact="users")
    assert "u01" not in page
    assert ": 116 of 120\xa0sessions." in page
    assert "with the condition as where" in page
    assert "user_id &lt;&gt;" in sk.report(clinic, "nsDCG@5", where="user_id <> 'u01'")


@pytest.mark.slow
def test_a_column_without_a_direction_is_called_higher_and_not_better(clinic):
    page = sk.report(clinic, primary="column(satisfaction)")
    assert "S2 has higher values than S1" in page
    assert ": column(satisfaction) 3.90 against 3.35, difference 0.550, " in page
    assert " when this report was made." in page
