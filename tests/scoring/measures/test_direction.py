"""Better, best and ahead go by the direction of the measure: over every registered measure, columns and measures of one's own."""

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.charts import differences, group_means, spec_of
from sessionkit.errors import MeasureError
from sessionkit.reports.sections.summary import summary
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.measures.grammar import example_of, parse_measure
from sessionkit.scoring.measures.registry import MEASURES
from tests.reports.one_section import material

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
LOWER = ("ASL", "E", "ESL", "Frustration", "RHL")
"""Measures of queries of which lower is better and which the ranks of relevant documents change."""
NOT_OF_RANKS = ("Novelty", "RBPResidual", "RecallEffort", "RelevanceCosine", "Success")
"""Measures of queries that relevant documents at higher ranks need not make better."""
EXAMPLES = {name: example_of(measure) for name, measure in MEASURES.items()}
OF_QUERIES = [name for name, measure in EXAMPLES.items() if measure.level == "query"]
OF_SESSIONS = [
    measure if measure.level == "session" else parse_measure(f"mean({measure})") for measure in EXAMPLES.values()
]


@pytest.fixture(scope="module")
def study():
    """Eight users, four topics, two systems: the first relevant document of a session's last list stands at rank 1, of the lists
    before it at rank 4 or 5. With system B sessions are longer, and show less.
    """
    began, draw = datetime(2026, 1, 1, tzinfo=UTC), random.Random(7)  # noqa: S311 - no secret
    sessions, queries, results = [], [], []
    for number in range(32):
        user, topic = divmod(number, 4)
        system, session = "AB"[(user + topic) % 2], f"s{number:03}"
        start, last = began + timedelta(hours=number), 2 + draw.randrange(2) + (system == "B")
        end = start + timedelta(minutes=9 + user % 3 + (5 if system == "B" else 0))
        sessions.append((session, f"u{user}", system, f"t{topic}", start, end, 2.0, 10.0 * last + draw.random()))
        for position in range(1, last + 1):
            asked = start + timedelta(seconds=100 * position)
            queries.append((session, position, "lamp " * position, asked, "shown"))
            if position == last:
                relevant = {1: "r0", 2 + user % 2: "r1"} | ({4 + user % 3: "r2"} if system == "A" else {})
            else:
                relevant = {4 + draw.randrange(2): "r0"} | ({10: "r1"} if user % 3 == 0 else {11: "r1"})
            for rank in range(1, 13):
                document = relevant.get(rank, f"n{rank + 12 * (position % 2)}")
                found = document.startswith("r")
                clicked_at = asked + timedelta(seconds=5 * rank) if found else None
                row = (session, position, rank, document, found, clicked_at, 30.0 if found else None, 80, found)
                results.append((*row, document == "r1", 1.0 if found else 0.1))
    judged = [(f"t{t}", f"r{n}", float(3 - n if n < 3 else 1), "xyz"[n % 3]) for t in range(4) for n in range(4)]
    judged += [(f"t{t}", f"n{n}", 0.0, "x") for t in range(4) for n in range(1, 25)]
    names = "session_id query_position rank doc_id clicked clicked_at dwell_seconds words saved known score"
    return sk.from_tables(
        sessions=frame(sessions, "session_id user_id system_id topic_id started_at ended_at expected effort"),
        queries=frame(queries, "session_id query_position query_text issued_at results_status"),
        results=frame(results, names),
        judgments=frame(judged, "judgment_key doc_id grade subtopic_id"),
        max_grade=3,
        collection_size=1000,
        better={"effort": "lower"},
    )


def frame(rows, names):
    return pl.DataFrame(rows, names.split(), orient="row", infer_schema_length=None)


@pytest.fixture(scope="module")
def by_session(study):
    """By measure of queries, the values of every session in the order of its queries, with its user."""
    scores = sk.score(study, [EXAMPLES[name] for name in OF_QUERIES], per="query").sort("session_id", "query_position")
    users = dict(study.sessions.select("session_id", "user_id").collect().rows())
    lists = scores.group_by("measure", "session_id", maintain_order=True).agg("value")
    found = {}
    for measure, session, values in lists.rows():
        found.setdefault(measure, []).append((users[session], values))
    return found


def of_users(pairs):
    """The mean of both sides of each user."""
    sides = {}
    for user, one, other in pairs:
        sides.setdefault(user, []).append((one, other))
    return np.array([np.mean(rows, axis=0) for rows in sides.values()])


@pytest.mark.few(14, slow=7)
@pytest.mark.parametrize("name", OF_QUERIES)
def test_a_part_is_better_where_its_values_are_those_that_are_better(study, by_session, name):
    measure = EXAMPLES[name]
    pairs = of_users((user, values[-1], np.mean(values[:-1])) for user, values in by_session[str(measure)])
    away = pairs[:, 0] - pairs[:, 1]
    finding = sk.breakdown_tests(study, measure, by=None, draws=0)
    if np.ptp(away) < 1e-9:
        assert finding.of_kind("no_interval")
        return
    (difference,) = finding.of_kind("difference")
    low, high = stats.ttest_1samp(away, 0).confidence_interval()
    if low <= 0 <= high:
        assert difference.values["verdict"] == "not shown"
        return
    is_better = (low > 0) == (measure.direction == "higher")
    assert difference.values["better"] == ("last" if is_better else "non-last")
    assert is_better or name in NOT_OF_RANKS


@pytest.mark.parametrize("name", LOWER)
def test_lower_is_better_of_measures_of_effort_and_error(study, name):
    assert EXAMPLES[name].direction == "lower"
    differences = sk.breakdown_tests(study, EXAMPLES[name], "last,last-first", by=None, draws=0).of_kind("difference")
    sides = [tuple(each.values[side] for side in ("part", "against", "better")) for each in differences]
    assert sides == [("last", "non-last", "last"), ("last", "first", "last")]


@pytest.mark.few(14, slow=7)
@pytest.mark.parametrize("name", OF_QUERIES)
def test_the_best_query_is_that_with_the_best_value(study, by_session, name):
    measure = EXAMPLES[name]
    best = min if measure.direction == "lower" else max
    pairs = []
    for user, values in by_session[str(measure)]:
        at = values.index(best(values))
        pairs.append((user, values[at], np.mean(values[:at] + values[at + 1 :])))
    row = (
        sk.breakdown_tests(study, measure, "best", by=None, draws=0).table.filter(test="user means").row(0, named=True)
    )
    assert (row["value"], row["value_against"]) == pytest.approx(tuple(of_users(pairs).mean(axis=0)), abs=1e-9)
    if not measure.has_ranks or measure.cutoff is None:
        return
    table = sk.breakdown(study, measure, "best", by=None).filter(rank=measure.cutoff)
    expected = [np.mean([pair[side] for pair in pairs]) for side in (1, 2)]
    assert [table.filter(part=part).item(0, "value") for part in ("best", "rest")] == pytest.approx(expected, abs=1e-9)


@pytest.mark.few(20, slow=10)
@pytest.mark.parametrize("measure", OF_SESSIONS, ids=str)
def test_the_caption_counts_topics_on_which_a_system_is_ahead(study, measure):
    table = sk.rprecision_histogram(study, "B", "A", measure=measure)
    away = table["difference"].to_numpy() * (-1 if measure.direction == "lower" else 1)
    made = single_figure(study, "rprecision-histogram", measure)
    counts = f"on {(away > 0).sum()}, A on {(away < 0).sum()} of 4 topics"
    if measure.direction == "unknown":
        assert f"B has the higher mean {counts}" in made.caption
        assert "ahead" not in made.caption + str(spec_of(made.chart))
    else:
        assert f"B is ahead {counts}" in made.caption
        groups = {
            row["topic"]: row["group"]
            for rows in spec_of(made.chart)["datasets"].values()
            for row in rows
            if "topic" in row
        }
        assert [groups[topic] for topic in table["topic_id"]] == ["B" if value >= 0 else "A" for value in away]


def test_a_system_with_more_errors_is_not_ahead(study):
    """P@5 of A and B differ by one relevant document in five of the last list: A has fewer errors on every topic."""
    means = dict(sk.score(study, "mean(E@5)")["system_id", "value"].rows())
    assert means["A"] < means["B"]
    assert "A on 4 of 4 topics" in single_figure(study, "rprecision-histogram", parse_measure("mean(E@5)")).caption


def longest(gains):
    """How many results a list shows."""
    return len(gains) - gains.argmax()


@pytest.mark.parametrize("direction", ["lower", "higher", "unknown"])
def test_measures_of_ones_own_have_the_direction_that_they_declare(study, direction):
    measure = sk.define("Below", longest, direction=direction)
    (difference,) = sk.breakdown_tests(study, measure, by=None, draws=0).of_kind("difference")
    better = {"lower": "non-last", "higher": "last", "unknown": None}[direction]
    assert (difference.values["higher"], difference.values["better"]) == ("last", better)
    found = sk.compare(study, sk.mean(measure))
    means = dict(found.groups.select("system_id", "mean").rows())
    rows = [row for rows in spec_of(group_means(found))["datasets"].values() for row in rows if "mean" in row]
    assert [row["group"] for row in rows] == sorted(means, key=means.get, reverse=direction != "lower")
    words = {"lower": "lower is better", "higher": "higher is better"}
    text = str(spec_of(differences(found)))
    assert [word in text for word in words.values()] == [direction == name for name in words]
    if direction == "unknown":
        for verb in (sk.breakdown, sk.breakdown_tests):
            with pytest.raises(MeasureError, match=r"parts=best .*direction, .* of Below"):
                verb(study, measure @ 10, "best")


def test_a_column_has_the_direction_that_the_study_declares(study):
    measure = parse_measure("column(effort)")
    means = dict(sk.score(study, measure)["system_id", "value"].rows())
    assert means["A"] < means["B"]
    found = sk.compare(study, measure)
    rows = [row for rows in spec_of(group_means(found))["datasets"].values() for row in rows if "mean" in row]
    assert [row["group"] for row in rows] == ["A", "B"]
    assert "lower is better" in str(spec_of(differences(found)))
    assert "A on 4 of 4 topics" in single_figure(study, "rprecision-histogram", measure).caption
    lead = summary(material(study, [str(measure)], declared="study.toml")).parts[0].paragraphs[0]
    assert lead.startswith("B does worse than A (lower")


def test_a_measure_without_a_direction_favors_no_system(study):
    parts = summary(material(study, ["sDCG@10", "Clicks", "Queries"])).parts
    told = " ".join(tile.more for part in parts for tile in getattr(part, "tiles", ()))
    assert "Clicks favors" not in told
    assert "Queries favors A" in told


def test_the_largest_value_is_the_largest_whatever_is_better(study, by_session):
    values = dict(sk.score(study, ["max(E@10)", "min(E@10)"], by=None)["measure", "value"].rows())
    lists = [values for _, values in by_session["E@10"]]
    assert values["max(E@10)"] == pytest.approx(np.mean([max(one) for one in lists]))
    assert values["min(E@10)"] == pytest.approx(np.mean([min(one) for one in lists]))


def test_verdicts_are_signed_by_direction():
    known = {"higher": ("better", "worse"), "lower": ("worse", "better"), "unknown": (None, None)}
    for better, verdicts in known.items():
        direction = MeasureDirection(better)
        assert (direction.verdict(0.5), direction.verdict(-0.5), direction.verdict(0.0)) == (*verdicts, None)
    assert MeasureDirection.named("mean(E@5)").better == "lower"
    assert MeasureDirection.named("avgpos(nsDCG@10)").better == "higher"
    assert MeasureDirection.named("column(effort)").better == "unknown"
    assert MeasureDirection.of(parse_measure("column(effort)"), {"effort": "lower"}).better == "lower"
