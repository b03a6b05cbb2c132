"""What the figures of a page show: the topic, system and measures that were asked for."""

import re

import pytest

from sessionkit.errors import UsageError
from sessionkit.reports import report
from tests.reports.read_page import Reader, specs


@pytest.mark.slow
def test_sessions_too_short_for_the_third_figure_are_left_out_of_it(make):
    text = Reader(report(make(sessions=2))).text.replace("\xa0", " ")
    assert "none of them have at least 4 queries" in text


@pytest.mark.slow
def test_topic_with_the_most_sessions_is_taken_unless_one_is_left(make):
    study = make(topics=("a", "b"), systems=("S1",), sessions=4)  # a: 1 + 3 queries, b: 2 + 4
    assert "for topic b, the one with the most queries among those with the most sessions" in report(study)
    assert "for topic a: all" in report(study, where="topic_id = 'a'")
    with pytest.raises(UsageError, match="no session is left; topic_id has 'a'"):
        report(study, where="topic_id = 'c'")


@pytest.mark.slow
def test_system_of_the_last_figure_is_the_first_that_is_left(make):
    study = make()
    assert "Every session of S1" in report(study)
    assert "Every session of S2" in report(study, where="system_id = 'S2'")


@pytest.mark.slow
def test_figures_take_the_parameters_of_the_measure_asked_for(make):
    text = Reader(report(make(), ["mean(nDCG@5)", "nsDCG(b=3,gain=exp2)@5"])).text
    assert "Mean value of one query, nDCG@5 cut at each rank" in text
    assert "sDCG(gain=exp2,b=3)@5 is shown with the parameters of nsDCG(gain=exp2,b=3)@5." in text
    assert "Mean of nsDCG(gain=exp2,b=3)@5 after" in text
    assert "Mean of sDCG(gain=exp2,b=3)@5 after" in text


@pytest.mark.slow
def test_each_figure_shows_the_measure_of_its_own_kind_that_was_asked_for(make):
    text = Reader(report(make(), ["sDCG(gain=exp2)@5", "nsDCG(ideal=once)@4"])).text
    assert "Mean value of one query, nDCG@5 cut at each rank" in text
    assert "Mean of sDCG(gain=exp2)@5 after" in text
    assert "Mean of nsDCG(ideal=once)@4 after" in text
    assert not re.search("(?<!declared; )sDCG[^;]* is shown", text)


@pytest.mark.slow
def test_a_report_of_measures_without_figures_says_what_is_drawn_instead(make):
    text = Reader(report(make(), ["mean(nDCG@5)"])).text
    assert "No measure asked for can be drawn here; nsDCG@10 is shown instead." in text


@pytest.mark.slow
def test_figure_that_a_measure_does_not_allow_gives_the_reason(make):
    text = report(make(), "sDCG(discount=rn2002,b=3)@5")  # refused in normalized measures
    assert len(specs(text)) == 9
    assert "Not drawn: nsDCG: discount=rn2002 with b=3" in Reader(text).text


@pytest.mark.slow
def test_colors_of_systems_are_the_same_in_all_figures(make):
    used = {}
    for spec in specs(report(make(sessions=6)))[1:4]:
        for layer in spec["layer"]:
            scale = layer["encoding"].get("color", {}).get("scale")
            for name, color in zip(*(scale[key] for key in ("domain", "range")), strict=True) if scale else ():
                assert used.setdefault(name, color) == color
    assert set(used) == {"S1", "S2"}
