"""A topic with nothing relevant, and a topic without judgments: two rules, on which all that scores agrees.

The run shows a for each of three topics: q1 has a as its relevant document (AP 1, nDCG 1, DCG 1), q2 has judgments and nothing
relevant, q3 has no judgments.
"""

import warnings

import pytest

import sessionkit as sk
from sessionkit.scoring.measures.registry import MEASURES

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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


@pytest.mark.parametrize("rule", RULES)
def test_scores_per_query_per_session_and_as_means(study, rule):
    for expected, texts in (
        (RULES[rule], ("AP", "nDCG@10", "R@5", "Rprec", "F@1", "IPrec11", "avgpos(nDCG@2)")),
        (SUMS[rule], ("P@1", "DCG@5", "RR", "Success@1", "avgpos(DCG@1)")),
    ):
        for text in texts:
            measure = with_rule(text, rule)
            assert sk.score(study, measure, per="query")["value"].to_list() == [*expected]
            assert sk.score(study, f"mean({measure})", per="session")["value"].to_list() == [*expected]
            assert sk.score(study, measure, by=None).select("value", "n").row(0) == mean_of(expected)
    for expected, texts in (
        (RULES[rule], ("nsDCG@5", "nsDCG(normalize=query)@5", "avgpos(nsDCG@2)", "esnDCG(pdown=0.5,pref=0.5)@3")),
        (SUMS[rule], ("sDCG@5", "RSDCG(lambda=0.5)@5", "avgpos(sDCG@1)", "sum(DCG@3)")),
    ):
        for text in texts:
            measure = with_rule(text, rule)
            assert sk.score(study, measure, per="session")["value"].to_list() == [*expected]
            assert sk.score(study, measure, by=None).select("value", "n").row(0) == mean_of(expected)


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


def test_a_sweep_starts_from_the_scores(study):
    both = study.with_tables(sessions=study.sessions.with_columns(system_id="session_id"))
    for rule, expected in SUMS.items():
        swept = sk.sweep(both, with_rule("sDCG@5", rule), {"b": [2, 3]})
        assert swept.means.filter(setting=swept.means["setting"][0])["value"].to_list() == [*expected]


def test_the_warning_names_the_reason_that_is_left(study):
    for rule, reason in (
        ("undefined=null", "q2, q3; no judgments for their key, or nothing relevant; left out of means"),
        ("undefined=zero", "q3; no judgments for their key; left out of means"),
        ("unjudged_topics=zero", "q2; nothing relevant; left out of means"),
    ):
        with pytest.warns(sk.DataWarning, match=reason):
            sk.score(study, f"mean({with_rule('AP', rule)})", by=None)
    with pytest.warns(
        sk.DataWarning, match=r"q1, q2, q3; a session of a single query, or no judgments for their key; left"
    ):
        sk.score(study, "nonlast(AP(undefined=zero))", by=None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sk.score(study, "mean(AP(undefined=zero,unjudged_topics=zero))", by=None)
    assert not caught


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


def test_a_word_that_is_no_rule_is_refused():
    with pytest.raises(sk.MeasureError, match="unjudged_topics must be null or zero"):
        sk.parse_measure("AP(unjudged_topics=one)")


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
        with pytest.warns(sk.DataWarning, match="s, z; .* with a text; left out of means"):
            assert sk.score(log, text, per="session")["value"].to_list() == [None, None]
        assert sk.score(log, f"{text}(undefined=zero)", per="session")["value"].to_list() == [0.0, 0.0]
        with pytest.raises(sk.MeasureError, match="unjudged_topics"):
            sk.parse_measure(f"{text}(unjudged_topics=zero)")


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
