"""Figures drawn apart: what they draw equals what the analysis gives, and their captions say what was averaged."""

import re
from dataclasses import replace
from itertools import combinations
from statistics import median

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import save, spec_of
from sessionkit.charts.registry import CHARTS
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.choices import Redaction, choices_of
from sessionkit.reports.figures.figure import figure
from sessionkit.reports.figures.query_steps import flow
from sessionkit.reports.figures.scores import means_by_topic
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import parse_measure
from tests.reports.read_page import has_parts
from tests.support.clinic import read_clinic
from tests.support.draws import draw_less


@pytest.fixture(scope="module")
def clinic():
    """The example study."""
    return read_clinic()


def data_of(made):
    """Every row of every dataset of a figure."""
    return [row for rows in spec_of(made.chart)["datasets"].values() for row in rows]


def test_gain_vectors_by_weighting_scheme(clinic):
    asked = [parse_measure(text) for text in ("CG@3", "CG(gain=0-1-10-100)@3")]
    made = single_figure(clinic, "gain-vectors", asked)
    both = sk.breakdown(clinic, asked[1], average="queries").filter(pl.col("rank") == 3, pl.col("system_id") == "S2")
    mean = both.select((pl.col("value") * pl.col("n_queries")).sum() / pl.col("n_queries").sum()).item()
    rows = [row for row in data_of(made) if row["measure"] == str(asked[1]) and row["line"] == "Shown"]
    assert [row["value"] for row in rows if row["group"] == "S2" and row["rank"] == 3] == [pytest.approx(mean)]
    assert "queries: S1 152, S2 191" in made.caption  # 60 sessions each, ECIR 2008


def test_gain_vectors_divide_averages_where_that_is_asked_for(clinic):
    measure = parse_measure("nDCG@3")
    made = single_figure(clinic, "gain-vectors", measure, normalize="averages")
    average = sk.gain_vectors(clinic, measure, normalize="averages").filter(system_id="S2")["value"].to_list()
    rows = [row for row in data_of(made) if row["line"] == "Shown" and row["group"] == "S2"]
    assert [row["value"] for row in sorted(rows, key=lambda row: row["rank"])] == average
    assert "divided by the mean ideal" in made.caption
    assert "Bands" not in made.caption


@pytest.mark.parametrize(
    ("normalize", "axis"),
    [(None, "Mean per query"), ("each", "Share of the ideal"), ("averages", "Share of the ideal")],
)
def test_the_axis_of_gain_vectors_says_what_they_are(clinic, normalize, axis):
    drawn = single_figure(clinic, "gain-vectors", parse_measure("DCG@5"), normalize=normalize)
    titles = {layer["encoding"]["y"]["axis"]["title"] for layer in spec_of(drawn.chart)["spec"]["layer"][:1]}
    assert titles == {axis}
    assert "Every panel" not in drawn.caption


def test_precision_recall_is_that_of_the_analysis(clinic):
    made = single_figure(clinic, "precision-recall", parse_measure("IPrec11@100"))
    average = sk.precision_recall(clinic, measure="IPrec11@100")
    drawn = [row["precision"] for row in data_of(made) if "topic" not in row and "label" not in row]
    assert drawn == average["precision"].to_list()
    assert {row["topic"] for row in data_of(made) if "topic" in row} == set("ABCD")
    assert "IPrec11@100" in made.caption
    with pytest.raises(UsageError, match="does not draw nDCG@5"):
        single_figure(clinic, "precision-recall", parse_measure("nDCG@5"))


def test_rprecision_histogram_takes_the_systems_in_the_order_asked_for(clinic):
    given = sk.rprecision_histogram(clinic)["difference"]
    made = single_figure(clinic, "rprecision-histogram")
    assert [row["difference"] for row in data_of(made) if "topic" in row] == [-value for value in given]
    assert "S2 is ahead on 4, S1 on 0 of 4" in made.caption
    turned = single_figure(clinic, "rprecision-histogram", against="S2")
    assert [row["difference"] for row in data_of(turned) if "topic" in row] == given.to_list()
    with pytest.raises(UsageError, match="there is no system 'S3': S1, S2"):
        single_figure(clinic, "rprecision-histogram", against="S3")
    with pytest.raises(UsageError, match=r"there are 4: A, B, C, D; .*--where"):
        single_figure(clinic, "rprecision-histogram", by="topic_id")


def test_score_distribution_is_of_sessions(clinic):
    made = single_figure(clinic, "score-distribution", parse_measure("nsDCG@10"))
    boxes = [row for row in data_of(made) if row["kind"] == "box"]
    means = sk.score(clinic, "nsDCG@10", by="system_id")["value"]
    assert [row["mean"] for row in boxes] == [pytest.approx(value) for value in means]
    assert made.caption.endswith("Every session is a point. Sessions: S1 60, S2 60.")
    with pytest.raises(UsageError, match=r"ask for mean\(nDCG@10\)"):
        single_figure(clinic, "score-distribution", parse_measure("nDCG@10"))


def test_waterfall_ends_at_the_score(clinic):
    made = single_figure(clinic, "waterfall", parse_measure("sDCG@10"), session="c002")
    whole = next(row for row in data_of(made) if row.get("kind") == "Session")
    scores = sk.score(clinic, "sDCG@10", per="session").filter(pl.col("session_id") == "c002")
    assert whole["to"] == pytest.approx(scores["value"].item())
    assert "session c002, S1, topic B" in made.caption
    assert "session c055" in single_figure(clinic, "waterfall").caption  # 11 queries, the most
    with pytest.raises(UsageError, match="there is no session 'c999'"):
        single_figure(clinic, "waterfall", session="c999")
    with pytest.raises(UsageError, match=r"ask for mean\(DCG@3\)"):
        single_figure(clinic, "waterfall", parse_measure("DCG@3"))


def test_timeline_has_the_times_of_the_log(clinic):
    made = single_figure(clinic, "session-timeline", session="c001")
    # c001 began 08:24:50, its query came 08:25:22, it ended 08:27:08
    (table,) = sk.charts.data(made.chart)
    query = table.filter(part="query").row(0, named=True)
    assert (query["start"], query["end"], query["text"]) == (32, 138, "INR control")
    # c002: queries at 08:29:11 and 08:29:19, and two more; each list is left when the next query is issued
    (lists,) = sk.charts.data(single_figure(clinic, "session-timeline", session="c002").chart)
    lists = lists.filter(part="query")
    assert lists["end"].to_list()[:-1] == lists["start"].to_list()[1:]
    assert lists["start"][1] - lists["start"][0] == 8
    click = table.filter(part="click").row(0, named=True)
    assert (click["start"], click["dwell"]) == (40, 17)  # clicked 08:25:30
    assert made.caption.startswith("1 query of session c001, S1, topic A,")


@pytest.mark.slow
def test_correlations_are_those_of_the_analysis(clinic):
    made = single_figure(clinic, "correlation-forest", parse_measure("sDCG@10"), with_=["satisfaction"])
    table = sk.correlate(clinic, "sDCG@10", "satisfaction").table
    rows = data_of(made)
    assert [(row["value"], row["low"], row["high"]) for row in rows] == table.select("value", "low", "high").rows()
    with pytest.raises(UsageError, match=r"--with COLUMN; .*: satisfaction, years_internet"):
        single_figure(clinic, "correlation-forest")


def test_flow_counts_sessions_and_what_they_did_next(clinic):
    steps = flow(clinic, "system_id")
    assert steps.filter(pl.col("position") == 1).group_by("group").agg(pl.col("n").sum()).sort("group").rows() == [
        ("S1", 60),
        ("S2", 60),
    ]
    assert steps.filter(pl.col("next") == "stopped")["n"].sum() == 120
    kinds = sk.reformulations(clinic, None)["reformulation"].value_counts().sort("reformulation")
    went = steps.filter(pl.col("next") != "stopped").group_by("next").agg(pl.col("n").sum()).sort("next")
    assert went.rows() == kinds.rows()
    # of the sessions that came to a query, those that went on are those that came to the next
    came = steps.group_by("group", "position").agg(pl.col("n").sum())
    on = (
        steps.filter(pl.col("next") != "stopped")
        .group_by("group", position=pl.col("position") + 1)
        .agg(m=pl.col("n").sum())
    )
    both = came.join(on, on=["group", "position"])
    assert both["n"].to_list() == both["m"].to_list()
    caption = single_figure(clinic, "reformulation-flow").caption
    assert has_parts(caption, "S1 60, S2 60 at first", "first 10 of at most 11 queries")


def test_differences_are_those_of_the_comparison(clinic):
    asked = parse_measure("sDCG@10")
    rows = data_of(single_figure(clinic, "differences", [asked]))
    table = sk.compare(clinic, asked).table
    assert [(row["estimate"], row["low"], row["high"]) for row in rows] == table.select(
        "estimate", "low", "high"
    ).rows()


@pytest.mark.slow
def test_the_difference_curve_says_who_is_subtracted_and_how_many_sessions_there_are(clinic):
    made = single_figure(clinic, "difference-curve")
    assert has_parts(made.caption, "S2 minus S1: above zero S2", "not adjusted", "Drawn to query 7;", "at least 95%")
    assert made.caption.endswith(" Sessions: S1 60, S2 60.")
    drawn = {row["slot"]: row["value"] for row in data_of(made) if "estimate" in row}
    own = sk.curve_differences(clinic, "nsDCG@10", draws=200)
    assert drawn == dict(own.filter(pl.col("slot") <= 70).select("slot", "estimate").rows())
    several = single_figure(clinic, "difference-curve", by="topic_id", against="C")
    assert "A, B, D minus C: above zero" in several.caption
    with pytest.raises(UsageError, match=r"draws 6 groups .*not 29"):
        single_figure(clinic, "difference-curve", by="user_id")


@pytest.mark.slow
def test_the_effort_figure_counts_who_came_to_the_gain(clinic):
    made = single_figure(clinic, "effort-gain", gain=5, along="queries")
    found = sk.effort(clinic, "sDCG(discount=none,query_discount=none)@10", gain=5).spent
    ends = found.filter(pl.col("along") == "queries").group_by("system_id", maintain_order=True).last()
    (s1, of), (s2, _) = ends.select("reached", "units").rows()
    assert "sessions with a gain of 5 " in made.caption
    assert f"In the end: S1 {s1} of {of}, S2 {s2} of 60; " in made.caption
    assert "Bands are 95% Wilson intervals" in made.caption
    assert "Bands" not in single_figure(clinic, "effort-gain", by="user_id").caption  # 30 groups have none
    lists = single_figure(clinic, "effort-gain", parse_measure("nDCG@10")).caption
    assert has_parts(lists, "lists with a gain of 3 ", "(nDCG@10 before it is normalized)", "one document")
    with pytest.raises(UsageError, match="draws gains along a list"):
        single_figure(clinic, "effort-gain", parse_measure("RBP(p=0.8)"))
    with pytest.raises(UsageError, match=r"measure of queries.*along results,"):
        single_figure(clinic, "effort-gain", parse_measure("nDCG@10"), along="queries")


@pytest.mark.slow
def test_sessions_without_an_ideal_are_counted_in_the_effort_figure(clinic):
    grade = pl.when(pl.col("judgment_key") == "A").then(0).otherwise("grade").alias("grade")
    judged = clinic.judgments.collect().with_columns(grade)
    part = sk.from_tables(
        clinic.results.collect(),
        judged,
        sessions=clinic.sessions.collect(),
        queries=clinic.queries.collect(),
        max_grade=3,
    )
    assert "30 sessions left out: no judged " in single_figure(part, "effort-gain").caption
    lists = part.queries.join(part.sessions.filter(topic_id="A"), on="session_id", how="semi").collect()
    caption = single_figure(part, "effort-gain", parse_measure("nDCG@10")).caption
    assert f"{len(lists)} lists left out: no judged " in caption
    with pytest.raises(UsageError, match=r"no judged document .*by sDCG"):
        single_figure(part, "effort-gain", where="topic_id = 'A'")


def test_a_heatmap_says_how_many_sessions_are_drawn(clinic, monkeypatch):
    assert "120 sessions in all; a gap" in single_figure(clinic, "user-topic-heatmap").caption
    monkeypatch.setattr("sessionkit.charts.kinds.user_topic_heatmap.MOST_TOPICS", 3)
    assert "120 sessions in all, 90 of" in single_figure(clinic, "user-topic-heatmap").caption


@pytest.mark.slow
def test_session_pair_takes_the_pair_that_differs_most(clinic):
    for measure in ("sDCG@10", "nsDCG@10", "mean(nDCG@10)"):
        made = single_figure(clinic, "session-pair", parse_measure(measure))
        scores = sk.score(clinic, measure, per="session").to_dicts()
        value = {row["session_id"]: row for row in scores}
        one, other = (value[name] for name in re.findall(r"[Ss]ession (c\d+), S\d", made.caption))
        assert (one["system_id"], other["system_id"]) == ("S1", "S2")
        assert one["topic_id"] == other["topic_id"]
        least = median(row["judged"] for row in scores)
        alike = [
            abs(a["value"] - b["value"])
            for a, b in combinations(scores, 2)
            if a["topic_id"] == b["topic_id"]
            and a["system_id"] != b["system_id"]
            and min(a["judged"], b["judged"]) >= least
            and min(9, int(10 * a["judged"] + 1e-9)) == min(9, int(10 * b["judged"] + 1e-9))
        ]
        assert abs(one["value"] - other["value"]) == pytest.approx(max(alike))
        assert has_parts(
            made.caption, f"the median of {100 * least:.1f}%)", f"differs most in {measure}:", "an extreme"
        )
        for row in (one, other):
            assert f"{100 * row['judged']:.1f}% judged)" in made.caption
        (table,) = sk.charts.data(made.chart)
        assert table["contribution"].sum() == pytest.approx(one["value"] + other["value"])


def test_session_pair_takes_what_is_asked_for(clinic):
    sessions = clinic.sessions.filter(pl.col("topic_id") == "A").select("session_id").collect()["session_id"].sort()
    made = single_figure(clinic, "session-pair", sessions=[sessions[3], sessions[1]])
    assert made.caption.startswith(f"Session {sessions[3]}, S")
    assert "differs most" not in made.caption
    assert "topic A" in made.caption
    one = single_figure(clinic, "session-pair", where="system_id = 'S1'").caption
    assert has_parts(one, "all pairs of sessions", "comparable judged shares")
    assert one.endswith("where system_id = 'S1' (60 of 120 sessions).")
    grouped = single_figure(clinic, "session-pair", by="skill").caption
    assert "with different values of skill" in grouped


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sessions": ["c001", "c999"]}, "no session 'c999' among the 120"),
        ({"sessions": ["c001", "c002"]}, "'c001' has topic A, 'c002' .*B"),
        ({"sessions": ["c001"]}, r"two different sessions, not 'c001'.*--sessions"),
        ({"sessions": ["c001", "c001"]}, "two different sessions"),
        ({"where": "session_id = 'c001'"}, "two sessions, and there is 1 "),
        ({"measure": parse_measure("DCG@3")}, r"session-pair .*mean\(DCG@3\)"),
        ({"measure": parse_measure("Queries")}, "cannot be explained by result"),
    ],
)
def test_session_pair_refuses_what_is_no_pair(clinic, options, said):
    with pytest.raises(UsageError if "Queries" not in str(options) else MeasureError, match=said):
        single_figure(clinic, "session-pair", **options)


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_session_pair_needs_judgments_and_two_sessions_of_a_topic(make):
    with pytest.raises(UsageError, match=r"sDCG@10 has no value.*judgments"):
        single_figure(make(judged=False), "session-pair")
    with pytest.raises(UsageError, match=r"no topic has two .*sDCG@10"):
        single_figure(make(topics=("t", "u", "v", "w")), "session-pair")
    with pytest.raises(UsageError, match=r"session 's0' has no .*sDCG@10.*--sessions"):
        single_figure(make(judged=False), "session-pair", sessions=["s0", "s1"])


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_session_pair_names_hostile_sessions_as_printable_text(hostile):
    caption = single_figure(hostile, "session-pair").caption
    assert caption.isprintable()
    assert len(caption) < 2_000


def test_session_pair_draws_a_session_whose_lists_are_empty():
    lists = {"session_id": ["a", "b"], "query_position": [1, 1]}
    study = sk.from_tables(
        {"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["d"]},
        {"judgment_key": ["t"], "doc_id": ["d"], "grade": [2]},
        queries={**lists, "results_status": ["shown", "empty"]},
        sessions={"session_id": ["a", "b"], "topic_id": ["t", "t"], "system_id": ["A", "B"]},
    )
    made = single_figure(study, "session-pair")
    assert "Session a, A (2.00, 100.0% judged) and session b, B (0)" in made.caption
    texts = [row["text"] for row in data_of(made) if row["text"]]
    assert [text for text in texts if text in ("B", "session b", "sDCG@10: 0", "no results")] == [
        "B",
        "session b",
        "sDCG@10: 0",
        "no results",
    ]


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["waterfall", "session-card", "session-timeline"])
def test_what_must_not_be_shared_is_left_out(clinic, kind):
    choices = choices_of(clinic, redaction=Redaction.of("queries,documents,users"))
    made = figure(clinic, kind, choices)
    written = str(spec_of(made.chart)) + made.caption
    assert "session 55" in written.lower()  # c055
    assert not [word for word in ("c055", "doc-", "anticoag") if word in written]
    assert [word for word in ("c055", "doc-") if word in str(spec_of(single_figure(clinic, kind).chart))] == [
        "c055",
        "doc-",
    ]


@pytest.mark.slow
def test_a_pair_of_sessions_has_nothing_that_must_be_left_out(clinic):
    choices = choices_of(clinic, redaction=Redaction.of("queries,documents,users"))
    made = figure(clinic, "session-pair", choices)
    written = str(spec_of(made.chart)) + made.caption
    assert made.caption.startswith("Session 37, S1 (5.47, 50.0% judged) and session 102, S2")  # c037, c102
    assert "session session" not in written
    assert not [word for word in ("c037", "c102", "doc-", "cough") if word in written]
    plain = str(spec_of(single_figure(clinic, "session-pair").chart))
    assert [word for word in ("c037", "c102", "doc-", "cough") if word not in plain] == []


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (
            "session-curve",
            {"session": "c001"},
            "--session; .*session-card, waterfall",
        ),
        (
            "waterfall",
            {"with_": ["satisfaction"]},
            "--with; .*correlation-forest",
        ),
        (
            "differences",
            {"against": "S1"},
            "--against; .*difference-curve",
        ),
        (
            "waterfall",
            {"measure": ["sDCG@3", "sDCG@4"]},
            "one measure, not 2; ",
        ),
    ],
)
def test_options_of_other_charts_are_refused(clinic, kind, options, said):
    measures = [parse_measure(text) for text in options.pop("measure", [])]
    with pytest.raises(UsageError, match=said):
        single_figure(clinic, kind, measures, **options)


def test_what_the_log_does_not_say_is_named(make):
    with pytest.raises(DataError, match=r"elapsed_seconds; .*session_id"):
        single_figure(make(), "session-timeline")
    with pytest.raises(DataError, match="query_text"):
        single_figure(make(), "reformulation-flow")
    with pytest.raises(UsageError, match="the log has no ratings"):
        single_figure(make(), "correlation-forest")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
@pytest.mark.parametrize(
    "kind", ["gain-vectors", "precision-recall", "score-distribution", "waterfall", "session-pair"]
)
def test_hostile_studies_are_drawn(hostile, tmp_path, kind):
    svg = save(single_figure(hostile, kind).chart, tmp_path / "chart.svg").read_text("utf-8")
    assert "<script" not in svg
    assert "Synthetic data" in svg


@pytest.mark.few(8)
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind, one in CHARTS.items() if one.measures])
def test_a_chart_draws_the_measures_that_its_entry_names(clinic, kind, monkeypatch):
    draw_less(monkeypatch)
    rated = {"with_": ["satisfaction"]}
    own = {"correlation-forest": rated, "rating-scatter": rated, "power-curve": {"difference": "20%"}}
    options = own.get(kind, {})
    asked = list(CHARTS[kind].measures)
    named, unnamed = single_figure(clinic, kind, asked, **options), single_figure(clinic, kind, **options)
    assert spec_of(named.chart) == spec_of(unnamed.chart)


def test_the_bounds_on_a_session_card_are_those_of_the_whole_study(clinic):
    bounds = sk.bounds(clinic, "nsDCG@10", per="session", wanted=0).units.filter(session_id="c039")
    lower, upper = bounds.select("lower", "upper").row(0)
    caption = single_figure(clinic, "session-card", parse_measure("nsDCG@10"), session="c039").caption
    assert f"between {lower:.3f} and {upper:.3f} whatever the grades" in caption


def test_single_sessions_say_what_a_number_beside_a_point_is_where_there_is_one():
    def caption(ranks):
        """Of two sessions of one topic, whose relevant documents stand at these ranks."""
        rows = [
            (f"s{n}", "S1", "t", 1, rank, "d" if rank == at else f"n{rank}")
            for n, at in enumerate(ranks)
            for rank in (1, 2)
        ]
        names = ["session_id", "system_id", "topic_id", "query_position", "rank", "doc_id"]
        judgments = pl.DataFrame({"topic_id": ["t"], "doc_id": ["d"], "grade": [1]})
        study = sk.from_tables(results=pl.DataFrame(rows, schema=names, orient="row"), judgments=judgments)
        return single_figure(study, "single-sessions", parse_measure("sDCG@2")).caption

    assert has_parts(caption([1, 1]), "stopped, a number beside", "the same gain; dashes")
    assert "where the searcher stopped; dashes" in caption([1, 2])


@pytest.mark.slow
def test_the_caption_of_verdicts_explains_the_panels_that_are_drawn(clinic):
    """S2 and S1 differ by sDCG@10 with all judgments, so no pair stays undecided and there is no g-mean."""
    drawn = single_figure(clinic, "verdict-curves", [parse_measure("sDCG@10")])
    assert {row["statistic"] for row in data_of(drawn) if "statistic" in row} == {
        "Same verdict (accuracy)",
        "Differences missed",
    }
    assert "Differences missed: of those" in drawn.caption
    assert "g-mean" not in drawn.caption


@pytest.mark.slow
def test_the_caption_of_judgment_loss_says_what_its_dashed_line_and_diamonds_are(clinic):
    made = single_figure(clinic, "judgment-loss")
    lines = [row["value"] for rows in spec_of(made.chart)["datasets"].values() if len(rows) == 1 for row in rows]
    assert 0.9 in lines
    assert has_parts(made.caption, "dashed line is a tau of 0.9", "a diamond is a knee")


@pytest.mark.parametrize(("groups", "drawn"), [(2, True), (12, False)])
def test_intervals_of_topic_means_are_told_as_far_as_they_are_drawn(clinic, groups, drawn):
    names = [f"S{group}" for group in range(groups)]
    rows = [
        (name, topic, 0.95, 3, 0.5) for name in names for topic in ("t1", "t2")
    ]  # .95 + 4.30 x .5 / sqrt(3) is above 1
    means = pl.DataFrame(rows, schema=["group", "topic_id", "value", "n", "sd"], orient="row")
    colors = dict.fromkeys(names, "#000000")
    caption = means_by_topic(means, "nsDCG@10", replace(choices_of(clinic), colors=colors)).caption
    assert ("Lines are 95% intervals (Student's t)" in caption) is drawn
    assert ("Intervals are cut" in caption) is drawn
