"""The figures of a report."""

import json
from dataclasses import replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import spec_of
from sessionkit.cli.data import DRAWN
from sessionkit.errors import UsageError
from sessionkit.reports.choices import choices_of
from sessionkit.reports.figures import figure as bands
from sessionkit.reports.figures.figure import figure
from sessionkit.reports.single_figures import single_figure
from tests.reports.read_page import has_parts


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
    assert "or more: S1 2 (1 left out)." in caption
    caption = figure(study, "last-vs-nonlast", replace(choices, average="queries")).caption
    assert has_parts(caption, "S1 last: 3 in 3, S1 non-last: 3 in 2; ", "one query, in last alone: S1 1.")
    caption = figure(study, "topic-curves", choices_of(study, long=2)).caption
    assert has_parts(caption, "all sessions (S1 3)", "at least 2 queries (S1 2)")


@pytest.mark.slow
def test_single_figures_say_of_what_they_are(make):
    study = make(systems=("S1",), topics=("t", "u"), sessions=2, synthetic=True)
    shown = {kind: single_figure(study, kind, where="topic_id = 'u'") for kind in DRAWN}
    below = {kind: made.chart.to_dict()["title"]["subtitle"] for kind, made in shown.items()}
    assert below["topic-curves"] == ["where topic_id = 'u' (1 of 2 sessions)", "topic u", "Synthetic data"]
    assert below["single-sessions"] == ["where topic_id = 'u' (1 of 2 sessions)", "S1, topic u", "Synthetic data"]
    assert "after every slot; 1 session." in shown["single-sessions"].caption
    pooled = figure(study, "last-vs-nonlast", replace(choices_of(study), average="queries"))
    assert "discounted by its position" in pooled.caption


def test_sessions_can_be_grouped_by_another_column(make):
    study = make(topics=("a", "b"))
    made = figure(study, "session-curve", choices_of(study, by="topic_id"))
    color = next(layer["encoding"]["color"] for layer in made.chart.to_dict()["layer"] if "color" in layer["encoding"])
    assert '"title": "Topic"' in json.dumps(made.chart.to_dict()["layer"])  # in what is shown of a point
    assert color["scale"]["domain"] == ["a", "b"]


def test_more_sessions_than_a_chart_holds_are_refused(make, monkeypatch):
    monkeypatch.setattr("sessionkit.reports.figures.session_curves.MOST", 5)
    study = make(systems=("S1",), sessions=8)
    with pytest.raises(UsageError, match=r"at most 5 .*8 of S1 for.*--where"):
        figure(study, "single-sessions", choices_of(study))


def test_single_sessions_say_which_of_how_many_systems_and_topics_they_are(make):
    study = make(systems=("S10", "S9"), topics=("t", "t", "u", "t"), sessions=8)  # S9 has 4 of 6 sessions of topic t
    made = single_figure(study, "single-sessions")
    rows = [row for row in sk.charts.data(made.chart)[0].iter_rows(named=True) if "rank" in row]
    assert {row["session"] for row in rows} == {"s1", "s3", "s5", "s7"}
    assert made.chart.to_dict()["title"]["subtitle"] == "S9 (1 of 2 systems), topic t (1 of 2 topics)"
    assert has_parts(made.caption, "Every session of S9", "2 systems", "topic t", "with the most sessions: ")
    assert "; 4 sessions." in made.caption
    chosen = single_figure(study, "single-sessions", where="system_id = 'S10' and topic_id = 'u'")
    assert chosen.chart.to_dict()["title"]["subtitle"][-1] == "S10, topic u"
    assert "Every session of S10 for topic u: " in chosen.caption


def sessions_of(lengths):
    """A study of sessions of so many queries by system, one result each; all of topic t and relevant."""
    rows = [
        (f"{system}{n}", system, query)
        for system, own in lengths.items()
        for n, length in enumerate(own)
        for query in range(1, length + 1)
    ]
    names = [name for name, _, _ in rows]
    results = {"session_id": names, "query_position": [query for *_, query in rows], "rank": 1, "doc_id": "d"}
    sessions = {name: system for name, system, _ in rows}
    return sk.from_tables(
        results,
        {"judgment_key": ["t"], "doc_id": ["d"], "grade": [1]},
        sessions={"session_id": [*sessions], "system_id": [*sessions.values()], "topic_id": ["t"] * len(sessions)},
    )


def drawn(made, mark="line"):
    """The rows of the layers of a mark."""
    spec = spec_of(made.chart)
    layers = [layer for layer in spec["layer"] if layer["mark"]["type"] == mark]
    return [row for layer in layers for row in spec["datasets"][layer["data"]["name"]]]


def test_curves_end_where_95_percent_of_sessions_have_ended_and_say_so():
    study = sessions_of({"A": [2] * 19 + [9], "B": [1] * 20})
    made = figure(study, "session-curve", choices_of(study))
    assert max(row["query_position"] for row in drawn(made)) == 2
    assert has_parts(
        made.caption, "95% bootstrap intervals over sessions", "Below the axis", "Drawn to query 2; at least 95%"
    )
    counts = [row["text"] for row in drawn(made, "text") if "text" in row and row["text"].isdigit()]
    assert counts == ["20", "20", "20", "0"]


def test_a_group_of_one_session_is_named_and_has_no_curve():
    study = sessions_of({"A": [2, 2], "B": [2]})
    for kind in ("session-curve", "topic-curves"):
        made = figure(study, kind, choices_of(study))
        assert {row["group"] for row in drawn(made) if row["value"] is not None} == {"A"}
        assert "no mean, and not drawn: B." in made.caption


def test_one_session_is_drawn_as_what_it_is():
    study = sessions_of({"A": [2]})
    made = figure(study, "session-curve", choices_of(study))
    assert made.caption.startswith("Value of nsDCG@10 ")
    assert "no mean" not in made.caption
    assert any(row["value"] is not None for row in drawn(made))


def test_long_sessions_that_are_all_sessions_have_no_curve_of_their_own():
    study = sessions_of({"A": [4, 5], "B": [4, 4]})
    made = figure(study, "topic-curves", choices_of(study))
    assert has_parts(made.caption, "all sessions (A 2, B 2); all ", "at least 4 queries.")
    assert {row["sessions"] for row in drawn(made)} == {"All"}
    some = sessions_of({"A": [4, 5, 1, 4], "B": [4, 4, 4, 4], "C": [1, 5]})
    made = figure(some, "topic-curves", choices_of(some))
    assert has_parts(made.caption, "is not drawn: C.", "in one curve: B.")
    assert {(row["group"], row["sessions"]) for row in drawn(made)} == {
        ("A", "All"),
        ("A", "At least 4 queries"),
        ("B", "All"),
        ("C", "All"),
    }


def test_many_sessions_or_groups_have_no_bands_and_the_caption_says_why(monkeypatch):
    study = sessions_of({"A": [2] * 5, "B": [1] * 5})
    monkeypatch.setattr(bands, "MOST_DRAWN", 9)
    made = figure(study, "session-curve", choices_of(study))
    assert "at most 6 groups and 9 sessions." in made.caption
    assert not drawn(made, "area")
    monkeypatch.undo()
    study = sessions_of({system: [2, 2] for system in "ABCDEFG"})
    assert "at most 6 groups and 5,000 sessions." in figure(study, "session-curve", choices_of(study)).caption


def test_the_topic_with_the_most_sessions_is_shown():
    rows = {"session_id": list("abcc"), "query_position": [1, 1, 1, 2], "rank": 1, "doc_id": "d"}
    sessions = {"session_id": list("abc"), "topic_id": list("ttu")}
    choices = choices_of(sk.from_tables(rows, sessions=sessions))
    assert (choices.topic, has_parts(choices.topic_told, "topic t", "with the most sessions")) == ("t", True)
    rows["query_position"] = [1, 1, 1, 2]
    sessions["topic_id"] = list("tvu")
    tied = choices_of(sk.from_tables(rows, sessions=sessions))
    assert has_parts(tied.topic_told, "topic u", "the most queries", "the most sessions")


def test_session_survival_ends_where_other_curves_do():
    for lengths in ([1] * 60 + [2] * 38 + [40] * 2, [1] * 99 + [40]):
        study = sessions_of({"A": lengths})
        made = figure(study, "session-survival", choices_of(study))
        assert max(row["query_position"] for row in drawn(made)) == 2.5  # the end of the step of query 2
        assert has_parts(made.caption, "Drawn to query 2;", "at least 95%")
    study = sessions_of({"A": [1, 1]})
    with pytest.raises(UsageError, match=r"two queries or more.*none"):
        figure(study, "session-survival", choices_of(study))
