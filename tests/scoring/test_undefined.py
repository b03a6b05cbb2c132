"""Where a measure has no value, its own words say so: the reason in its warning fits what happened, for the whole registry.

A topic with nothing relevant, and a topic without judgments: two rules, on which all that scores agrees.

The run shows a for each of three topics: q1 has a as its relevant document (AP 1, nDCG 1, DCG 1), q2 has judgments and nothing
relevant, q3 has no judgments.

A session of which no list was logged is outside measures of relevance: no value anywhere, counted, with its reason.
"""

import inspect
import json
import re
import warnings
from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning
from sessionkit.reports.sections.robustness import discounts
from sessionkit.reports.sections.sessions import explorer
from sessionkit.scoring.measures.grammar import example_of, parse_measure
from sessionkit.scoring.measures.registry import MEASURES
from tests.reports.one_section import page_of
from tests.support.score_way import score_way

NINE = "2026-01-05T09:00:0{}Z"
SHOWN = {
    "session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String, "clicked": pl.Boolean,
    "clicked_at": pl.String, "dwell_seconds": pl.Float64, "saved": pl.Boolean, "known": pl.Boolean, "words": pl.Int32,
    "score": pl.Float64,
}  # fmt: skip
PHRASES = {
    "nothing is judged": ("no judgments", "no subtopic", "no nugget", "no instance"),
    "nothing is relevant": (
        "nothing relevant", "nothing or everything relevant", "fewer relevant", "two relevant", "a relevant document",
        "no nugget", "no instance", "that gains", "a gain above 0", "reaches the threshold", "one side of the threshold",
    ),
    "nothing was expected": ("no relevant documents expected",),
    "nothing was done": (
        "clicked", "timed click", "nothing saved", "no times", "with a text", "that was known", "new or known",
    ),
    "nothing was logged": ("",),
}  # fmt: skip
"""What of a reason says that a session, or query, has no value because of this."""


def study_of(kind):
    """Two queries with one document each, clicked, saved and known, and two relevant documents; but for what its kind says."""
    status = "not_logged" if kind == "nothing was logged" else "shown"
    done, grade = kind != "nothing was done", 0.0 if kind == "nothing is relevant" else 2.0
    rows = [
        ("s", query, 1, doc, done, NINE.format(5) if done else None, 3.0 if done else None, done, done or None, 90, 0.5)
        for query, doc in ((1, "a"), (2, "b"))
    ]
    return sk.from_tables(
        sessions={
            "session_id": ["s"],
            "topic_id": ["u" if kind == "nothing is judged" else "t"],
            "expected": [0.0 if kind == "nothing was expected" else 1.0],
        },
        queries={
            "session_id": ["s", "s"],
            "query_position": [1, 2],
            "results_status": [status] * 2,
            "query_text": pl.Series(["one", "two"] if done else [None] * 2, dtype=pl.String),
            "issued_at": pl.Series([NINE.format(1), NINE.format(2)] if done else [None] * 2, dtype=pl.String),
        },
        results=pl.DataFrame(rows if status == "shown" else [], schema=SHOWN, orient="row"),
        judgments={
            "judgment_key": ["t"] * 4,
            "doc_id": list("abcx"),
            "subtopic_id": ["1"] * 4,
            "grade": [grade] * 3 + [0.0],
        },
        max_grade=3,
        collection_size=100,
    )


@cache
def values_of(kind):
    """The values of every measure, at its level."""
    study, values = study_of(kind), {}
    for level in ("query", "session"):
        asked = [measure for measure in map(example_of, MEASURES.values()) if measure.level == level]
        for measure, value in sk.score(study, asked, **score_way(level)).select("measure", "value").iter_rows():
            values.setdefault(measure, []).append(value)
    return values


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
@pytest.mark.parametrize("kind", PHRASES)
def test_a_reason_is_given_where_it_holds_and_only_there(kind):
    scored = values_of(kind), values_of("as it should be")
    for measure in map(example_of, MEASURES.values()):
        values = [found.get(str(measure), []) for found in scored]
        if kind == "nothing was logged" and measure.level == "query":
            assert values[0] == []
            continue
        if kind == "nothing was logged" and measure.every_query:  # its queries count; only what clicks tell is missing
            assert values[0] != []
            assert None not in values[0] or "click" in measure.undefined_where
            continue
        missing = None in values[0] and None not in values[1]
        told = any(phrase in measure.undefined_where for phrase in PHRASES[kind])
        if None in values[1]:  # a measure that has no value of so small a log, such as SFT of lists on one side of it
            assert measure.undefined_where, measure
            continue
        assert missing == told, (measure, values[0], measure.undefined_where)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_documents_say_where_there_is_no_value(measure):
    """In the words of the measure or of those that it is one of, or of the one that it refers to."""
    told = "".join(inspect.getdoc(kind) or "" for kind in type(measure).__mro__)
    assert "null" in told.lower() or "therwise as" in told or "edges as" in told, measure


RULES = {
    "undefined=null,unjudged_topics=null": (1.0, None, None),
    "undefined=zero": (1.0, 0.0, None),
    "unjudged_topics=zero": (1.0, None, 0.0),
    "undefined=zero,unjudged_topics=zero": (1.0, 0.0, 0.0),
}
"""Values of the three topics of a measure that has none where nothing is relevant."""
SUMS = {rule: (1.0, 0.0, values[2]) for rule, values in RULES.items()}
"""Values of a measure that is 0 there."""


@pytest.fixture(scope="module")
def study():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sk.from_run({q: {"a": 1.0} for q in ("q1", "q2", "q3")}, {"q1": {"a": 1}, "q2": {"a": 0, "b": 0}})


def mean_of(values):
    """Mean of the values that there are, and how many."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known), len(known)


def with_rule(text, rule):
    """The measure with the parameters of a rule."""
    return sk.parse_measure(text).vary(dict(pair.split("=") for pair in rule.split(",")))


def values_by_measure(scores):
    """The values of each measure, in the order of queries or sessions."""
    return {measure: rows["value"].to_list() for (measure,), rows in scores.group_by("measure", maintain_order=True)}


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("rule", RULES)
def test_scores_per_query_per_session_and_as_means(study, rule):
    for expected, texts in (
        (RULES[rule], ("AP", "nDCG@10", "R@5", "Rprec", "F@1", "IPrec11", "avgpos(nDCG@2)")),
        (SUMS[rule], ("P@1", "DCG@5", "RR", "Success@1", "avgpos(DCG@1)")),
    ):
        measures = [with_rule(text, rule) for text in texts]
        assert values_by_measure(sk.score(study, measures, per="query")) == {str(one): [*expected] for one in measures}
        means = [sk.parse_measure(f"mean({one})") for one in measures]
        assert values_by_measure(sk.score(study, means, per="session")) == {str(one): [*expected] for one in means}
        assert sk.score(study, measures, by=None).select("value", "n").rows() == [mean_of(expected)] * len(texts)
    for expected, texts in (
        (RULES[rule], ("nsDCG@5", "nsDCG(normalize=query)@5", "avgpos(nsDCG@2)", "esnDCG(pdown=0.5,pref=0.5)@3")),
        (SUMS[rule], ("sDCG@5", "RSDCG(lambda=0.5)@5", "avgpos(sDCG@1)", "sum(DCG@3)")),
    ):
        measures = [with_rule(text, rule) for text in texts]
        assert values_by_measure(sk.score(study, measures, per="session")) == {
            str(one): [*expected] for one in measures
        }
        assert sk.score(study, measures, by=None).select("value", "n").rows() == [mean_of(expected)] * len(texts)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("rule", RULES)
def test_explanations_add_up_to_the_values(study, rule):
    for expected, texts in (
        (
            RULES[rule],
            ("AP", "nDCG@10", "nsDCG@5", "nsDCG(normalize=query)@5", "mean(AP)", "avgpos(nsDCG@2)", "avgpos(nDCG@2)"),
        ),
        (SUMS[rule], ("DCG@5", "sDCG@5", "mean(DCG@5)", "avgpos(sDCG@1)", "RSDCG(lambda=0.5)@5")),
    ):
        for text in texts:
            explained = sk.explain(study, with_rule(text, rule))
            assert explained["contribution"].to_list() == [*expected], text


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("rule", RULES)
def test_analyses_count_the_same_sessions(study, rule):
    value, n = mean_of(RULES[rule])
    curves = sk.precision_recall(study, by=None, measure=with_rule("IPrec11", rule))
    assert curves.group_by("n").len()["n"].to_list() == [n]
    assert curves["precision"].to_list() == [pytest.approx(value)] * 11
    parts = sk.breakdown(study, with_rule("nDCG@1", rule), "position", by=None)
    assert parts.select("value", "n_queries").rows() == [(pytest.approx(value), n)]
    vectors = sk.gain_vectors(study, with_rule("DCG@1", rule), by=None)
    of_sum, n_sums = mean_of(SUMS[rule])
    assert vectors.select("value", "ideal", "n_queries").rows() == [
        (pytest.approx(of_sum), pytest.approx(of_sum), n_sums)
    ]
    spread = sk.path_variance(study, with_rule("esnDCG(pdown=0.5,pref=0.5)@3", rule))
    assert spread["value"].to_list() == [*RULES[rule]]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_sweep_starts_from_the_scores(study):
    both = study.with_tables(sessions=study.sessions.with_columns(system_id="session_id"))
    for rule, expected in SUMS.items():
        swept = sk.sweep(both, with_rule("sDCG@5", rule), {"b": [2, 3]})
        assert swept.means.filter(setting=swept.means["setting"][0])["value"].to_list() == [*expected]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_warning_names_the_reason_that_is_left(study):
    for rule, reason in (
        ("undefined=null", "q2, q3; no judgments .*, or nothing relevant;"),
        ("undefined=zero", ": q3; no judgments .*key; left"),
        ("unjudged_topics=zero", ": q2; nothing relevant; left"),
    ):
        with pytest.warns(sk.DataWarning, match=reason):
            sk.score(study, f"mean({with_rule('AP', rule)})", by=None)
    with pytest.warns(sk.DataWarning, match=r"q1, q2, q3; .* single query, or no judgments"):
        sk.score(study, "nonlast(AP(undefined=zero))", by=None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sk.score(study, "mean(AP(undefined=zero,unjudged_topics=zero))", by=None)
    assert not caught


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_every_measure_has_both_rules_or_none():
    for name, measure in MEASURES.items():
        known = measure.parameters()
        # measures of behavior read no judgments, so that no topic is unjudged to them
        assert ("unjudged_topics" in known) == ("undefined" in known and not measure.every_query), name
        for rule in ("undefined=zero", "unjudged_topics=zero"):
            if rule.partition("=")[0] in known:
                changed = with_rule(str(measure), rule)
                assert rule in str(changed)
                assert sk.parse_measure(str(changed)) == changed


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_word_that_is_no_rule_is_refused():
    with pytest.raises(sk.MeasureError, match=r"unjudged_topics .*null or zero"):
        sk.parse_measure("AP(unjudged_topics=one)")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_measures_of_behavior_ask_for_no_judgments():
    # two queries without a text; the topic of the second session is judged
    lists = {
        "session_id": ["s", "z"],
        "query_position": [1, 1],
        "rank": [1, 1],
        "doc_id": ["a", "a"],
        "topic_id": ["t", "u"],
    }
    queries = {"session_id": ["s", "z"], "query_position": [1, 1], "query_text": ["", ""]}
    log = sk.from_tables(lists, {"judgment_key": ["u"], "doc_id": ["a"], "grade": [1]}, queries=queries)
    for text in ("QueryTerms", "QueryOverlap"):
        with pytest.warns(sk.DataWarning, match="s, z; .* text; left out of"):
            assert sk.score(log, text, per="session")["value"].to_list() == [None, None]
        assert sk.score(log, f"{text}(undefined=zero)", per="session")["value"].to_list() == [0.0, 0.0]
        with pytest.raises(sk.MeasureError, match="unjudged_topics"):
            sk.parse_measure(f"{text}(unjudged_topics=zero)")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_zero_is_the_best_value_where_lower_is_better():
    # t has one relevant document, shown first: E = 0; u has nothing relevant, v no judgments
    run = {"t": {"a": 1.0}, "u": {"a": 1.0}, "v": {"a": 1.0}}
    log = sk.from_run(run, {"t": {"a": 1}, "u": {"a": 0}})
    assert sk.E.direction == "lower"
    for rule, values in RULES.items():
        expected = [0.0, *values[1:]]
        assert sk.score(log, with_rule("E@1", rule), per="query")["value"].to_list() == expected
    lower = [
        name
        for name, measure in MEASURES.items()
        if measure.direction == "lower" and "undefined" in measure.parameters()
    ]
    assert lower == ["E", "RBPResidual"]  # as the guide measures says
    for name in lower:
        assert "0, the best value" in " ".join(MEASURES[name].__doc__.split())


quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")

# s: one list that was logged; n: two queries, no list logged; e: a session without a query
LOGGED, UNLOGGED = "s", ["n", "e"]


def log():
    """The three sessions, with every column that measures read."""
    return sk.from_tables(
        sessions={
            "session_id": ["s", "n", "e"],
            "topic_id": ["t"] * 3,
            "system_id": ["A", "B", "A"],
            "expected": [1.0] * 3,
            "duration_seconds": [60.0] * 3,
        },
        queries={
            "session_id": ["s", "s", "n", "n"],
            "query_position": [1, 2, 1, 2],
            "results_status": ["not_logged", "shown", "not_logged", "not_logged"],
            "query_text": ["one", "one two", "one", "two"],
            "issued_at": [NINE.format(second) for second in (1, 2, 1, 2)],
        },
        results={
            "session_id": ["s"] * 2,
            "query_position": [2] * 2,
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "clicked": [True, False],
            "clicked_at": [NINE.format(5), None],
            "dwell_seconds": [3.0, None],
            "saved": [True, False],
            "known": [True, False],
            "user_grade": [1.0, 0.0],
            "words": [100, 100],
            "score": [0.9, 0.1],
        },
        judgments={
            "judgment_key": ["t"] * 3,
            "doc_id": ["a", "b", "c"],
            "subtopic_id": ["1", "1", "2"],
            "grade": [2.0, 0.0, 1.0],
        },
        max_grade=2,
        collection_size=100,
    )


def of_sessions():
    """Every measure of sessions with what it needs, every measure of queries as a mean, and all that put 0 for what is undefined."""
    found = []
    for measure in map(example_of, MEASURES.values()):
        every = [measure]
        if not measure.wraps:
            every += [measure(undefined="zero")] if "undefined" in measure.parameters() else []
            every += [measure(queries=2)] if "queries" in measure.parameters() else []
        found += [MEASURES["mean"](one) if measure.level == "query" else one for one in every]
    fixed = [
        "nsDCG(ideal_queries=3)@10",
        "nsDCG(ideal_queries=3,undefined=zero)@10",
        "nsDCG(duplicates=first,ideal=spread)@10",
    ]
    more = [
        "sum(sDCG(undefined=zero)@10)",
        "avgpos(sDCG(undefined=zero)@10,length=20)",
        "avgpos(nsDCG(ideal_queries=3)@10)",
    ]
    return [
        *found,
        *map(parse_measure, [*fixed, *more, "nsDCG(normalize=query,undefined=zero)@10", "sDCG(grades=user)@10"]),
    ]


@pytest.mark.slow
@quiet
def test_no_measure_of_relevance_has_a_value():
    measures = [measure for measure in dict.fromkeys(of_sessions()) if not measure.inner.every_query]
    scores = sk.score(log(), measures, per="session")
    values = scores.filter(pl.col("session_id").is_in(UNLOGGED))
    assert values.height == 2 * len(measures)
    assert values.filter(pl.col("value").is_not_null())["measure"].to_list() == []
    groups = sk.score(log(), measures, by="system_id")
    both = groups.group_by("measure").agg(
        pl.col("n", "undefined").sum(), without=pl.col("value").filter(system_id="B").sum()
    )
    told = scores.group_by("measure").agg(
        n=pl.col("value").count().cast(pl.Int64), missing=pl.col("value").null_count()
    )
    joined = both.join(told, on="measure", suffix="_of_sessions")
    assert joined.filter(pl.col("n") != pl.col("n_of_sessions")).is_empty()
    assert joined.filter(pl.col("undefined") != pl.col("missing")).is_empty()
    assert groups.filter(system_id="B")["n"].unique().to_list() == [0]
    assert groups.filter(system_id="B")["value"].null_count() == len(measures)
    # the logged one has a value by every sum, also where its first query is not known
    assert scores.filter(session_id=LOGGED, measure="sDCG@10")["value"].to_list() == [2 / 1.5]


@quiet
def test_measures_of_behavior_have_one():
    """n asked for one at 9:00:01 and for two a second later, and clicked nothing; nothing is known of e, which has no query."""
    expected = {
        "Queries": [None, 2, 2], "Clicks": [None, 0, 1], "DeepestClick": [None, None, 1], "Abandoned": [None, 1, 0],
        "Duration": [None, 60, 60], "TimeToFirstClick": [None, None, 5 - 1], "Dwell": [None, 0, 3],
        "QueryTerms": [None, 1, 1.5], "QueryOverlap": [None, 0, 0.5],
    }  # fmt: skip
    assert {name for name, measure in MEASURES.items() if measure.every_query} == {*expected}
    scores = sk.score(log(), [*expected], per="session").sort("session_id")
    assert {name: scores.filter(measure=name)["value"].to_list() for name in expected} == expected


@quiet
def test_of_the_first_queries_none_was_logged():
    """The list of the first query of s was not logged, so nothing is known of its first query alone."""
    for text in (
        "sDCG(queries=1)@10",
        "sDCG(queries=1,undefined=zero)@10",
        "Results(queries=1)",
        "mean(P(queries=1)@10)",
    ):
        assert sk.score(log(), [text], per="session")["value"].to_list() == [None] * 3


@pytest.mark.parametrize("saved", [False, True])
def test_the_warning_says_why(saved, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = log().save(tmp_path / "study") if saved else log()
    for per in ("session", "system_id"):
        with pytest.warns(DataWarning) as caught:
            sk.score(study, ["sDCG@10", "Results"], **score_way(per))
        expected = [
            r"sDCG@10, Results .* 2 of 3: e, n; no list of 2 ",
            r"queries: 3 of 4 \(75\.0%\) .*; 3 were not logged",
            *([r"queries .*system_id: B 100\.0%, A 50\.0%; "] if per == "system_id" else []),
        ]
        assert len(caught) == len(expected)
        for warning, text in zip(caught, expected, strict=True):
            assert re.match(text, str(warning.message))
    # a query without a list is no reason for measures of behavior
    with pytest.warns(DataWarning) as caught:
        sk.score(study, ["Queries"], per="session")
    (warning,) = caught
    assert str(warning.message).startswith("Queries undefined for 1 of 3: e; ")
    assert "no logged query" in str(warning.message)
    # other sessions have other reasons: nothing is judged for s with the topic of another
    other = study.with_tables(sessions=study.sessions.with_columns(judgment_key=pl.lit("u")))
    with pytest.warns(DataWarning, match=r"3 of 3: e, n, s; .* list of 2 .*; no judgments"):
        sk.score(other, ["sDCG@10"], per="session")


@pytest.mark.slow
@quiet
@pytest.mark.parametrize("undefined", ["null", "zero"])
def test_curves_and_bounds_leave_them_out(undefined):
    study = log()
    alone = study.with_tables(
        **{name: study.table(name).filter(session_id="s") for name in ("sessions", "queries", "results")}
    )
    for text in (f"sDCG(undefined={undefined})@2", f"nsDCG(ideal_queries=3,undefined={undefined})@2"):
        for normalize in ("none", "each", "averages"):
            curve = sk.curve(study, text, normalize=normalize).filter(system_id="A")
            assert curve["n"].max() == 1
            assert curve.equals(sk.curve(alone, text, normalize=normalize))
        bounds = sk.bounds(study, [text], by=None, per="session")
        assert bounds.bounds.select("n", "undefined").rows() == [(1, 2)]
        of_units = bounds.units.filter(pl.col("session_id").is_in(UNLOGGED))
        assert of_units.select("value", "lower", "upper").rows() == [(None, None, None)] * 2
    spread = sk.path_variance(study, f"esDCG(pdown=0.5,pref=0.5,undefined={undefined})@2")
    assert spread.filter(pl.col("session_id").is_in(UNLOGGED)).select("value", "variance").rows() == [(None, None)] * 2


@pytest.mark.slow
@quiet
def test_a_sweep_counts_the_sessions_that_have_a_value():
    """Beside what is counted once for all settings stands what is scored anew for each."""
    results = {"session_id": ["x"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    sessions = {"session_id": ["x", "y"], "topic_id": ["t"] * 2, "system_id": ["A", "B"]}
    queries = {
        "session_id": ["x", "y", "y"],
        "query_position": [1, 1, 2],
        "results_status": ["shown", "not_logged", "shown"],
    }
    results = {
        **{name: values * 2 for name, values in results.items()},
        "session_id": ["x", "y"],
        "query_position": [1, 2],
    }
    judged = {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    known = sk.from_tables(sessions=sessions, queries=queries, results=results, judgments=judged)
    more = {name: [*values, new] for (name, values), new in zip(sessions.items(), ("z", "t", "B"), strict=True)}
    asked = {name: [*values, new] for (name, values), new in zip(queries.items(), ("z", 1, "not_logged"), strict=True)}
    with_one = sk.from_tables(sessions=more, queries=asked, results=results, judgments=judged)
    for text in ("sDCG(undefined=zero)@2", "nsDCG(undefined=zero)@2"):
        found = [sk.sweep(one, text, {"b": [2, 3]}).table for one in (known, with_one)]
        assert found[0].equals(found[1])


@pytest.mark.slow
@quiet
def test_what_is_live_on_a_page_leaves_them_out():
    """The page's own numbers: the mean over one session, none of system B, and no number for the others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = page_of(discounts, log(), ("sDCG(undefined=zero)@10",)) + page_of(
            explorer, log(), ("sDCG(undefined=zero)@10",)
        )
    live, own = (
        json.loads(re.search(rf'id="{name}-data">(.*?)</script>', page)[1]) for name in ("live", "explorer-widget")
    )
    assert live["n"] == [1, 0]
    assert live["sessions"]["all"] == len(live["sessions"]["size"]) == len(live["sessions"]["group"]) == 1
    assert dict(zip(own["sessions"]["id"], own["sessions"]["defined"], strict=True)) == {"e": "0", "n": "0", "s": "1"}
