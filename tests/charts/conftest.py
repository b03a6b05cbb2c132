"""Invented frames in the shapes that sessionkit.breakdown and sessionkit.curve give."""

import polars as pl
import pytest

from sessionkit import charts, compare, from_tables, parse_measure
from sessionkit.robustness.missing_judgments import missing_judgments
from tests.support.payloads import CONTROLS, EXPRESSIONS, LONG, MARKUP, SCRIPTS, TURNS

HOSTILE = (*SCRIPTS[:4], *MARKUP[:1], *EXPRESSIONS, *TURNS[:1], *CONTROLS[3:], *LONG)
"""Names that a log can hold; none may run, end its element, or stop the renderer."""


@pytest.fixture
def hostile():
    return HOSTILE


@pytest.fixture
def parts():
    """Return a breakdown of two systems to rank 20: the value is rank / 10 times 4, 1 (S1) or 5, 2 (S2)."""

    def parts(groups=("S1", "S2"), ranks=20):
        scale = {"last": 4, "non-last": 1}
        rows = [
            (group, part, rank, rank / 10 * (scale[part] + place), 60 + place, 30)
            for place, group in enumerate(groups)
            for part in scale
            for rank in range(1, ranks + 1)
        ]
        names = {"system_id": pl.String, "part": pl.String, "rank": pl.Int32, "value": pl.Float64}
        return pl.DataFrame(rows, schema={**names, "n_queries": pl.Int64, "n_sessions": pl.Int64}, orient="row")

    return parts


@pytest.fixture
def curves():
    """Return curves over `queries` lists of `cutoff` slots; session number p (from 1) stops after query p if `single`."""

    def curves(groups=("S1", "S2"), queries=3, cutoff=10, single=False):
        rows = []
        for place, group in enumerate(groups, 1):
            end = min(place, queries) * cutoff if single else queries * cutoff
            for slot in range(1, queries * cutoff + 1):
                query, rank = (slot - 1) // cutoff + 1, (slot - 1) % cutoff + 1
                rows.append((group, slot, query, rank, float(min(slot, end)) * place, 1.0, place + 1, slot > end))
        names = {
            "session_id" if single else "system_id": pl.String,
            "slot": pl.Int32,
            "query_position": pl.Int32,
            "rank": pl.Int32,
            "value": pl.Float64,
        }
        schema = {**names, "ideal": pl.Float64, "n": pl.Int64, "stopped": pl.Boolean}
        return pl.DataFrame(rows, schema=schema, orient="row")

    return curves


def _gain_vectors(groups, **options):
    """CG of groups 1, 2, ...: rank times the number of the group, ideal three times the rank."""
    rows = [("CG@4", group, r, float(r * p), 3.0 * r, 5, 2) for p, group in enumerate(groups, 1) for r in range(1, 5)]
    names = ["measure", "system_id", "rank", "value", "ideal", "n_queries", "n_sessions"]
    return charts.gain_vectors(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _precision_recall(groups, **options):
    """Precision falling from 1 to 0; each group has a topic of its name."""
    rows = [(group, group, r / 10, 1 - r / 10, 3) for group in groups for r in range(11)]
    frame = pl.DataFrame(rows, schema=["system_id", "topic_id", "recall", "precision", "n"], orient="row")
    return charts.precision_recall(frame.drop("topic_id"), frame, **options)


def _rprecision_histogram(groups, **options):
    """A topic of each group's name, at +.1, -.2, +.3, ..."""
    rows = [(group, 0.5, 0.5 - d, d) for p, group in enumerate(groups, 1) for d in [p / 10 * (-1) ** (p + 1)]]
    frame = pl.DataFrame(rows, schema=["topic_id", "a", "b", "difference"], orient="row")
    return charts.rprecision_histogram(frame, groups[0], groups[1 % len(groups)], **options)


def _score_distribution(groups, **options):
    """Scores 0, .1, ... 1 of every group."""
    rows = [(group, value / 10) for group in groups for value in range(11)]
    return charts.score_distribution(pl.DataFrame(rows, schema=["group", "value"], orient="row"), **options)


def _waterfall(groups, **options):
    """Queries of two documents, of which the second, of the group's name, adds .5."""
    rows = [(q, r, doc, 1.0, (r - 1) / 2) for q, group in enumerate(groups, 1) for r, doc in ((1, "d"), (2, group))]
    names = ["query_position", "rank", "doc_id", "grade", "contribution"]
    return charts.waterfall(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _session_card(groups, **options):
    """A query of each group's name, of a document of grade 0 and a clicked one of 2 that adds 1; times a minute apart."""
    rows = [(q, r, f"d{group}", 2.0 * r - 2, r - 1.0, r == 2) for q, group in enumerate(groups, 1) for r in (1, 2)]
    names = ["query_position", "rank", "doc_id", "grade", "contribution", "clicked"]
    queries = [(q, group, 60.0 * q, 60.0 * q + 60) for q, group in enumerate(groups, 1)]
    asked = pl.DataFrame(queries, schema=["query_position", "text", "start", "end"], orient="row")
    slots = [(2 * q + r, q + 1, r, float(q + r - 1), float(q + 1)) for q, _ in enumerate(groups) for r in (1, 2)]
    curve = pl.DataFrame(slots, schema=["slot", "query_position", "rank", "value", "ideal"], orient="row")
    results = pl.DataFrame(rows, schema=names, orient="row")
    return charts.session_card(results, asked, curve=curve, times=asked, head=[f"user {groups[0]}"], **options)


def _session_pair(groups, **options):
    """Two sessions of the first and last group; a query of each group's name, of a document of grade 0 and one of 2 that adds 1."""
    names, asked = (f"{groups[0]}1", f"{groups[-1]}2"), [(q, group) for q, group in enumerate(groups, 1)]
    rows = [
        (session, q, r, f"d{group}", 2.0 * r - 2, r - 1.0, r == 2)
        for session in names
        for q, group in asked
        for r in (1, 2)
    ]
    schema = ["session_id", "query_position", "rank", "doc_id", "grade", "contribution", "clicked"]
    queries = [(session, q, group) for session in names for q, group in asked]
    return charts.session_pair(
        pl.DataFrame(rows, schema=schema, orient="row"),
        pl.DataFrame(queries, schema=["session_id", "query_position", "text"], orient="row"),
        groups=dict(zip(names, (groups[0], groups[-1]), strict=True)),
        **options,
    )


def _session_timeline(groups, **options):
    """Queries with these texts, a minute each; a document of that name is clicked after 10 s and read for 20 s."""
    queries = [(q, group, 60.0 * q, 60.0 * q + 60, 10) for q, group in enumerate(groups, 1)]
    clicks = [(q, 3, group, 60.0 * q + 10, 20.0) for q, group in enumerate(groups, 1)]
    return charts.session_timeline(
        pl.DataFrame(queries, schema=["query_position", "text", "start", "end", "results"], orient="row"),
        pl.DataFrame(clicks, schema=["query_position", "rank", "doc_id", "at", "dwell"], orient="row"),
        **options,
    )


def _correlation_forest(groups, **options):
    """Two coefficients of every group's measure with a rating of its name."""
    rows = [(g, g, how, 9, 0.2, -0.1, 0.5, 0.2) for g in groups for how in ("pearson", "kendall")]
    names = ["measure", "covariate", "coefficient", "n", "value", "low", "high", "p"]
    return charts.correlation_forest(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _reformulation_flow(groups, **options):
    """Of seven sessions six go on after the first query, in all ways, and end after the second; the first eight groups."""
    ways = ("specialization", "generalization", "substitution", "new", "repeat", "unknown", "stopped")
    rows = [(g, *step) for g in groups[:8] for step in (*((1, way, 1) for way in ways), (2, "stopped", 6))]
    names = ["group", "position", "next", "n"]
    return charts.reformulation_flow(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _differences(groups, **options):
    """Differences of 2 between each group and itself."""
    rows = [(f"m {g}", g, g, 2.0, 0.5, 3.5, 0.01) for g in groups]
    names = ["measure", "a", "b", "estimate", "low", "high", "p_adjusted"]
    return charts.differences(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _group_means(groups, **options):
    """Means 1, 2, ... of the groups, at most eight; of the users u, v, w the second is .1 above the first, the third .1 below."""
    rows = [
        (f"{place}{user}", user, group, place + away)
        for place, group in enumerate([*groups[:7], "other"], 1)
        for user, away in (("u", 0.0), ("v", 0.1), ("w", -0.1 - place / 100))
    ]
    table = pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "value"], orient="row")
    return charts.group_means(compare(table.with_columns(measure=pl.lit("m"))), **options)


def _slopes(groups, **options):
    """Two groups of the first and last of these names, a user of each name: .1 to .2, .2 to .1, .3 to .3, .4 to .5, ..."""
    first, second = groups[0], groups[-1] if len(groups) > 1 else "other"
    rows = [
        (f"{place}{side}", user, group, place / 10 + (0.1, -0.1, 0.0)[place % 3] * side)
        for place, user in enumerate([*groups, "user v", "user w"])
        for side, group in enumerate((first, second))
    ]
    table = pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "value"], orient="row")
    return charts.slopes(compare(table.with_columns(measure=pl.lit("m"))), **options)


def _topic_means(groups, **options):
    """Each group has a tenth of its number on topic u, half of that on topic t, and the first none on v."""
    rows = [(g, topic, "m", share * p / 10) for p, g in enumerate(groups, 1) for topic, share in (("t", 0.5), ("u", 1))]
    rows += [(g, "v", "m", 0.05) for g in groups[1:]]
    return charts.topic_means(
        pl.DataFrame(rows, schema=["system_id", "topic_id", "measure", "value"], orient="row"), **options
    )


def _user_topic_heatmap(groups, **options):
    """Users of each group's name search three topics: the first two score their number by ten, the third a tenth more, twice."""
    rows = [
        (group, f"t{topic}", group, place / 10 + topic // 3 / 10)
        for place, group in enumerate(groups, 1)
        for topic in (1, 2, 3, 3)
    ]
    frame = pl.DataFrame(rows, schema=["user_id", "topic_id", "group", "value"], orient="row")
    return charts.user_topic_heatmap(frame, measure="nsDCG@10", **options)


def _rating_scatter(groups, **options):
    """Ratings 1, 2, ... by the first group's name: one session of .1, two of .2 and .3."""
    rows = [(rating, value) for rating in range(1, len(groups) + 2) for value in (0.1, 0.2, 0.3)[: rating + 1]]
    frame = pl.DataFrame(rows, schema=[groups[0], f"m {groups[-1]}"], orient="row")
    return charts.rating_scatter(frame, groups[0], measure=f"m {groups[-1]}", **options)


def _examination_heatmap(groups, **options):
    """At each query position, as many as there are groups, lists of three ranks: all, half and a quarter looked so far."""
    rows = [
        (query, rank, 8 // 2 ** (rank - 1), 8, 0.5 ** (rank - 1))
        for query, _ in enumerate(groups, 1)
        for rank in (1, 2, 3)
    ]
    names = ["query_position", "rank", "looks", "lists", "share"]
    return charts.examination_heatmap(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _tipping_point(groups, **options):
    """One document of the first of at most six groups is judged of two that each shows."""
    names = groups[:6]
    results = {
        "session_id": [f"s{place}" for place, _ in enumerate(names) for _ in "ab"],
        "query_position": [1] * 2 * len(names),
        "rank": [1, 2] * len(names),
        "doc_id": [f"{doc}{place}" for place, _ in enumerate(names) for doc in "ab"],
    }
    sessions = {"session_id": [f"s{place}" for place, _ in enumerate(names)], "system_id": list(names)}
    sessions["topic_id"] = ["t"] * len(names)
    judged = {"judgment_key": ["t"], "doc_id": ["a0"], "grade": [1]}
    study = from_tables(results, judged, sessions=sessions, max_grade=2)
    return charts.tipping_point(missing_judgments(study, parse_measure("sDCG@2")), **options)


def _session_survival(groups, **options):
    """Ten sessions of each group, of which five go on and one goes on again."""
    rows = [(g, q, n, 10, n / 10, n / 12, n / 9) for g in groups for q, n in ((1, 10), (2, 5), (3, 1))]
    names = ["system_id", "query_position", "sessions", "of", "value", "low", "high"]
    return charts.session_survival(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _effort_gain(groups, **options):
    """Of ten sessions of each group one has the gain after a result, nine after as many as the group's number more."""
    rows = [
        (g, along, amount, reached, 10, reached / 10, reached / 12, (reached + 1) / 11)
        for p, g in enumerate(groups, 1)
        for along in ("results", "queries")
        for amount, reached in ((0, 0), (1, 1), (1 + p, 9))
    ]
    names = ["system_id", "along", "amount", "reached", "units", "share", "low", "high"]
    return charts.effort_gain(pl.DataFrame(rows, schema=names, orient="row"), gain=2, **options)


def _difference_curve(groups, **options):
    """Over two queries of two slots each group is ahead of the first by a tenth of its number more at every slot."""
    rows = [
        (
            groups[0],
            g,
            slot,
            (slot + 1) // 2,
            (slot - 1) % 2 + 1,
            p * slot / 10,
            p * slot / 10 - 0.15,
            p * slot / 9,
            8,
            9,
            8,
            p,
        )
        for p, g in enumerate(groups[1:] or groups, 1)
        for slot in range(1, 5)
    ]
    names = [
        "a",
        "b",
        "slot",
        "query_position",
        "rank",
        "estimate",
        "low",
        "high",
        "n_a",
        "n_b",
        "searching_a",
        "searching_b",
    ]
    return charts.difference_curve(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _power_curve(groups, **options):
    """As many numbers of topics as there are groups, the first with power .8 at 20 users; .9 with users without end."""
    rows = [
        ("topics", users, topics, None if users is None else 4 * users, power, power / 2, (1 + power) / 2)
        for topics in range(4, 4 + len(groups))
        for users, power in ((10, 0.4), (20, 0.8), (None, 0.9))
    ]
    rows += [("users", users, 4, 4 * users, users / 40, 0.1, 0.9) for users in (10, 20)]
    names = ["population", "users", "topics", "sessions", "power", "low", "high"]
    smallest = pl.DataFrame(
        [("topics", 20, 4, 80), ("users", None, 4, None)], schema=["population", *names[1:4]], orient="row"
    )
    return charts.power_curve(pl.DataFrame(rows, schema=names, orient="row"), smallest, **options)


def _judge_noise(groups, **options):
    """By a measure of its name each group, at most eight, is behind by its number, 1.5 less or more in draws."""
    rows = [(g, g, g, -p / 1, -p - 1.5, 1.5 - p, 0.1 / p, 0.4 / p) for p, g in enumerate(groups[:8], 1)]
    names = ["measure", "a", "b", "difference", "low", "high", "winner_changes", "verdict_changes"]
    return charts.judge_noise(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _discriminative_power(groups, **options):
    """Three pairs, of p .001, .04, .3, by a measure of each group's name."""
    rows = [(g, place, g, g, 0.5, p) for g in groups for place, p in enumerate((0.001, 0.04, 0.3), 1)]
    names = ["measure", "place", "a", "b", "difference", "p"]
    return charts.discriminative_power(pl.DataFrame(rows, schema=names, orient="row"), **options)


def _session_wall(groups, **options):
    """A session of each group with one query of two results: half of its ideal after the first, all that it gains after both."""
    sessions = {
        "session_id": [f"s{place}" for place in range(len(groups))],
        "topic_id": ["t"] * len(groups),
        "group": list(groups),
        "value": [0.75] * len(groups),
        "lower": [0.5] * len(groups),
        "upper": [1.0] * len(groups),
        "judged": [0.5] * len(groups),
        "queries": [1] * len(groups),
        "slots": [2] * len(groups),
        "ideal": [4.0] * len(groups),
    }
    each = [(session, slot) for session in sessions["session_id"] for slot in range(3)]
    curves = pl.DataFrame(
        [(session, slot, (0, 0.5, 0.75)[slot], (0, 0.75, 1.0)[slot]) for session, slot in each],
        schema={"session_id": pl.String, "slot": pl.Int32, "gain": pl.Float64, "ideal": pl.Float64},
        orient="row",
    )
    names = sessions["session_id"]
    queries = {"session_id": names, "query_position": 1, "start": 0, "end": 2, "judged": 0.5}
    clicks = {"session_id": names, "query_position": 1, "rank": 2, "slot": 2, "doc_id": "d"}
    tables = (pl.DataFrame(table) for table in (sessions, queries, clicks))
    shown, asked, clicked = tables
    return charts.session_wall(shown, curves, asked, clicked, **options)


@pytest.fixture
def apart():
    """Return functions that draw the charts that a report does not show for some groups, by kind."""
    return {
        "differences": _differences,
        "group-means": _group_means,
        "slopes": _slopes,
        "topic-means": _topic_means,
        "user-topic-heatmap": _user_topic_heatmap,
        "rating-scatter": _rating_scatter,
        "examination-heatmap": _examination_heatmap,
        "effort-gain": _effort_gain,
        "difference-curve": _difference_curve,
        "session-survival": _session_survival,
        "tipping-point": _tipping_point,
        "gain-vectors": _gain_vectors,
        "precision-recall": _precision_recall,
        "rprecision-histogram": _rprecision_histogram,
        "score-distribution": _score_distribution,
        "session-card": _session_card,
        "waterfall": _waterfall,
        "session-timeline": _session_timeline,
        "session-pair": _session_pair,
        "session-wall": _session_wall,
        "correlation-forest": _correlation_forest,
        "reformulation-flow": _reformulation_flow,
        "power-curve": _power_curve,
        "verdict-curves": lambda groups, **options: charts.verdict_curves(verdicts(groups), **options),
        "judge-noise": _judge_noise,
        "discriminative-power": _discriminative_power,
    }


@pytest.fixture
def swept():
    """Return the map of a sweep of b (2, 20) and bq (1.5, 4, as many as there are groups): each group leads in a row."""

    def swept(groups=("S1", "S2")):
        ups = [str(number) for number in range(2, 2 + len(groups))]
        rows = [
            (
                x,
                up,
                group,
                0.1,
                0.25,
                0.04 if x == "2" else 0.5,
                x == "2",
                "holds",
                x == "2" and up == "2",
                group == groups[0],
            )
            for x in ("2", "20")
            for up, group in zip(ups, groups, strict=True)
        ]
        names = [
            "x",
            "y",
            "leader",
            "raw_difference",
            "relative",
            "p_adjusted",
            "significant",
            "outcome",
            "base",
            "holds",
        ]
        return pl.DataFrame(rows, schema=names, orient="row")

    return swept


@pytest.fixture
def surface():
    """Return looks of 20 ranks of some queries: expected 1000 / (rank x query), observed the same, none below rank 15."""

    def surface(queries=2):
        rows = [
            (rank, query, 1000 // (rank * query) if rank <= 15 else 0, 1000 / (rank * query))
            for query in range(1, queries + 1)
            for rank in range(1, 21)
        ]
        return pl.DataFrame(rows, schema=["rank", "query_position", "observed", "expected"], orient="row")

    return surface


@pytest.fixture
def datasets():
    """Return the data of a chart's layers by kind of mark, as lists of rows."""

    def datasets(chart):
        spec = chart.to_dict()
        return [(layer["mark"]["type"], spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"]]

    return datasets


def verdicts(measures):
    """The verdicts of judgment loss of some measures: 20 pairs, of which more are kept with more judgments."""
    rows = [
        {
            "measure": measure, "fraction": fraction, "kept": 8, "gained": 1, "lost": lost + place, "found": 11 - lost - place,
            "accuracy": (19 - lost - place) / 20, "g_mean": (8 / 9 * 8 / (8 + lost + place)) ** 0.5,
            "false_positive_rate": (lost + place) / 11,
        }
        for place, measure in enumerate(measures)
        for fraction, lost in ((0.1, 6), (0.5, 2), (1.0, 0))
    ]  # fmt: skip
    return pl.DataFrame(rows)


@pytest.fixture
def losing():
    """Return the agreement and the knees of judgment loss of two measures: tau 0.7 or 0.6, 0.9 or 0.8, and 1."""

    def losing(measures=("P@5", "AP")):
        rows = [
            (
                measure,
                fraction,
                fraction,
                tau - 0.1 * place,
                tau - 0.1 * place - 0.05,
                min(1.0, tau - 0.1 * place + 0.05),
            )
            for place, measure in enumerate(measures)
            for fraction, tau in ((0.1, 0.7), (0.5, 0.9), (1.0, 1.0 + 0.1 * place))
        ]
        names = ["measure", "fraction", "judged", "tau", "tau_low", "tau_high"]
        knees = [(measure, 0.5 if place == 0 else 1.0) for place, measure in enumerate(measures)]
        return pl.DataFrame(rows, schema=names, orient="row"), pl.DataFrame(
            knees, schema=["measure", "knee"], orient="row"
        )

    return losing


@pytest.fixture
def drawing(parts, curves, apart, swept, surface, losing):  # noqa: PLR0917 - a fixture for each kind
    """Return functions that draw each chart for some groups, by kind."""
    return apart | {
        "last-vs-nonlast": lambda groups, **options: charts.last_vs_nonlast(parts(groups), **options),
        "session-curve": lambda groups, **options: charts.session_curve(curves(groups), **options),
        "topic-curves": lambda groups, **options: charts.topic_curves(curves(groups), None, **options),
        "single-sessions": lambda groups, **options: charts.single_sessions(curves(groups, single=True), **options),
        "sweep-map": lambda groups, **options: charts.sweep_map(swept(groups), x="b", y="bq", **options),
        "discount-fit": lambda groups, **options: charts.discount_fit(surface(len(groups)), **options),
        "judgment-loss": lambda groups, **options: charts.judgment_loss(*losing(groups), **options),
    }
