"""The figures of a report."""

from dataclasses import replace

import polars as pl
import pytest

from sessionkit.cli.demo import DRAWN
from sessionkit.errors import UsageError
from sessionkit.reports.choices import choices_of
from sessionkit.reports.figures.figure import figure
from sessionkit.reports.single import single_figure


def clicked(study):
    """The study with clicks on every second result of later queries."""
    deep = (pl.col("rank") == 1) | (pl.col("query_position") > 1)
    return study.with_tables(results=study.results.with_columns(clicked=deep))


def test_every_kind_of_chart_has_its_figure(make):
    study = clicked(make(sessions=5))
    choices = choices_of(study)
    for kind in DRAWN:
        made = figure(study, kind, choices)
        assert made.kind == kind
        assert made.chart is not None
        assert made.caption.endswith(".")


def test_unknown_kind_suggests_the_near_one(make):
    with pytest.raises(UsageError, match="did you mean 'session-curve'"):
        figure(make(), "session-curves", choices_of(make()))


def test_captions_count_what_was_averaged(make):
    study = make(systems=("S1",), sessions=3)  # sessions of 1, 2, 3 queries: 3 last and 0 + 1 + 2 non-last ones, in 2
    choices = choices_of(study)
    caption = figure(study, "last-vs-nonlast", choices).caption
    assert "of two queries or more. Sessions: S1 2 (1 of one query left out)." in caption
    caption = figure(study, "last-vs-nonlast", replace(choices, average="queries")).caption
    assert "S1 last: 3 in 3, S1 non-last: 3 in 2; sessions of one query, in last alone: S1 1." in caption
    caption = figure(study, "topic-curves", choices_of(study, long=2)).caption
    assert "all sessions (S1 3) and those with at least 2 queries (S1 2)" in caption


@pytest.mark.slow
def test_single_figures_say_of_what_they_are(make):
    study = make(systems=("S1",), topics=("t", "u"), sessions=2, synthetic=True)
    shown = {kind: single_figure(study, kind, where="topic_id = 'u'") for kind in DRAWN}
    below = {kind: made.chart.to_dict()["title"]["subtitle"] for kind, made in shown.items()}
    assert below["topic-curves"] == ["where topic_id = 'u' (1 of 2 sessions)", "topic u", "Synthetic data"]
    assert below["single-sessions"] == ["where topic_id = 'u' (1 of 2 sessions)", "S1, topic u", "Synthetic data"]
    assert "after every slot; 1 session." in shown["single-sessions"].caption
    pooled = figure(study, "last-vs-nonlast", replace(choices_of(study), average="queries"))
    assert "discounted by its position in the session" in pooled.caption


def test_sessions_can_be_grouped_by_another_column(make):
    study = make(topics=("a", "b"))
    made = figure(study, "session-curve", choices_of(study, by="topic_id"))
    color = next(layer["encoding"]["color"] for layer in made.chart.to_dict()["layer"] if "color" in layer["encoding"])
    assert color["legend"]["title"] == "Topic"
    assert color["scale"]["domain"] == ["a", "b"]


def test_sessions_beyond_what_a_chart_holds_are_left_out_and_counted(make, monkeypatch):
    monkeypatch.setattr("sessionkit.reports.figures.session_curves.MOST", 5)
    study = make(systems=("S1",), sessions=8)
    made = figure(study, "single-sessions", choices_of(study))
    assert "The first 5 of 8 sessions of S1" in made.caption
    rows = [row for rows in made.chart.to_dict()["datasets"].values() for row in rows]
    assert {row["session"] for row in rows if "rank" in row} == {"s0", "s1", "s2", "s3", "s4"}
