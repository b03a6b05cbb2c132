"""One figure as it is asked for."""

import altair as alt
import pytest

import sessionkit as sk
from sessionkit.charts.registry import ChartKind
from sessionkit.errors import UsageError
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import parse_measure

HOW = {
    "none": ("Sessions that have stopped keep their gain.", "Mean cumulated gain"),
    "each": ("Each session is divided by its own ideal at that slot", "Mean normalized cumulated gain"),
    "averages": ("The mean gain is divided by the mean ideal at that slot", "Mean normalized cumulated gain"),
    "query": ("Each query is divided by its own ideal at that rank", "Mean normalized cumulated gain"),
}
"""What captions and axes of session curves say by how they are normalized."""


def axis(chart):
    """The lines of the title of the vertical axis."""
    return next(
        layer["encoding"]["y"]["axis"]["title"]
        for layer in chart.to_dict()["layer"]
        if "axis" in layer["encoding"].get("y", {})
    )


@pytest.mark.parametrize(
    ("kind", "measure", "words"),
    [
        ("last-vs-nonlast", "sDCG(gain=exp2)@5", "Mean cumulated gain per query"),
        ("last-vs-nonlast", "DCG@1", "Mean cumulated gain per query"),
        ("session-curve", "sDCG@2", "Mean cumulated gain"),
        ("session-curve", "nsDCG(ideal=once)@2", "Mean normalized cumulated gain"),
        ("topic-curves", "nsDCG@2", "Mean normalized cumulated gain"),
        ("single-sessions", "nsDCG@2", "Normalized cumulated gain"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_the_measure_asked_for_is_drawn_and_named(make, kind, measure, words):
    made = single_figure(make(), kind, parse_measure(measure))
    assert axis(made.chart) == [words, measure]
    assert f"{measure} " in made.caption


@pytest.mark.parametrize(
    ("kind", "measure"),
    [
        ("session-curve", "mean(nDCG@5)"),
        ("session-curve", "DCG@5"),
        ("topic-curves", "DCG@5"),
        ("single-sessions", "mean(nDCG@5)"),
        ("last-vs-nonlast", "mean(nDCG@5)"),
        ("last-vs-nonlast", "nsDCG@5"),
    ],
)
def test_what_a_chart_cannot_draw_is_refused_by_name(make, kind, measure):
    with pytest.raises(UsageError) as refused:
        single_figure(make(), kind, parse_measure(measure))
    assert measure in str(refused.value)


@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_how_curves_are_normalized_is_drawn_and_said(make):
    study = make()
    for way, (words, title) in HOW.items():
        measure = parse_measure("nsDCG(normalize=query)@10") if way == "query" else None
        made = single_figure(study, "session-curve", measure, normalize=None if way == "query" else way)
        assert words in made.caption
        assert axis(made.chart)[0] == title
        assert ("sessions still searching" in made.caption) == (way != "averages")  # as curves with bands say
    with pytest.raises(
        UsageError, match="single-sessions has no --normalize; charts that have: session-curve, topic-curves"
    ):
        single_figure(study, "single-sessions", normalize="averages")


@pytest.mark.filterwarnings("ignore:.*undefined for")
def test_all_sessions_are_drawn_as_one_group(make):
    study = make()
    made = single_figure(study, "session-curve", by="all")
    every = [row for rows in made.chart.to_dict()["datasets"].values() for row in rows]
    drawn = {row["slot"]: row["value"] for row in every if {"slot", "value"} <= row.keys()}
    whole = sk.curve(study, "nsDCG@10", by=None)
    assert drawn == pytest.approx(dict(whole.select("slot", "value").rows()))
    assert made.caption.endswith(f"Sessions: all sessions {study.facts.sessions}.")
    drawer = ChartKind(
        "means", lambda study, measures, by: alt.Chart(sk.score(study, measures, by=by)).mark_bar(), ("mean(AP)",)
    )
    sk.register(drawer, "means-of-all")
    (rows,) = single_figure(study, "means-of-all", by="all").chart.to_dict()["datasets"].values()
    assert rows[0]["all"] == "all sessions"
    for kind, says in (
        ("differences", "by=all: no session has a value in this column; choose from system_id"),
        ("rprecision-histogram", "by all there is none; group --by another column"),
        ("judgment-loss", "by=all: the sessions have no group; a comparison needs at least two"),
    ):
        with pytest.raises(UsageError, match=says):
            single_figure(study, kind, by="all")
    with pytest.raises(UsageError, match="by one column, or by all for one group, not by system_id,topic_id"):
        single_figure(study, "slopes", by="system_id,topic_id")


@pytest.mark.slow
def test_options_limit_the_sessions_and_are_named(make):
    study = make(topics=("t", "t", "u", "u"))  # s0 S1 t, s1 S2 t, s2 S1 u, s3 S2 u, of 1, 2, 3, 4 queries
    made = single_figure(study, "session-curve", where="topic_id = 'u' and system_id = 'S2' and queries >= 4")
    assert "Sessions: S2 1." in made.caption
    said = "where topic_id = 'u' and system_id = 'S2' and queries >= 4 (1 of 4 sessions)"
    assert made.caption.endswith(f"Sessions {said}.")
    assert made.chart.to_dict()["title"]["subtitle"] == said
    within = single_figure(study, "last-vs-nonlast", where="topic_id = 't'")
    assert "Sessions: S1 0 (1 of one query left out), S2 1." in within.caption
    pooled = single_figure(study, "last-vs-nonlast", where="topic_id = 't'", average="queries")
    assert "S1 last: 1 in 1, S2 last: 1 in 1, S2 non-last: 1 in 1; " in pooled.caption
    assert "Sessions: S1 1, S2 2." in single_figure(study, "session-curve", where="queries >= 2").caption
    only = single_figure(study, "topic-curves", where="system_id = 'S2' and topic_id = 't'", long=2).caption
    assert "all sessions (S2 1); all of them have at least 2 queries" in only


@pytest.mark.slow
def test_a_limited_figure_keeps_the_colors(make):
    chart = single_figure(make(), "session-curve", where="system_id = 'S2'").chart.to_dict()
    color = next(layer["encoding"]["color"] for layer in chart["layer"] if "color" in layer["encoding"])
    assert color["scale"] == {"domain": ["S2"], "range": ["#D55E00"]}


def test_a_condition_that_leaves_nothing_is_refused(make):
    with pytest.raises(UsageError, match="no session is left"):
        single_figure(make(), "session-curve", where="queries > 99")
