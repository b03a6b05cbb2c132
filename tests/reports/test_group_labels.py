"""What groups are called in a report: the labels of study.toml, which stay text."""

import sessionkit as sk
from sessionkit.reports import page, report
from sessionkit.reports.choices import labeled
from sessionkit.reports.single_figures import single_figure
from tests.reports.one_section import by_name
from tests.reports.read_page import Reader


def declared(study, **settings):
    tables = study.results.collect(), study.judgments.collect()
    return sk.from_tables(*tables, sessions=study.sessions.collect(), **settings)


def test_groups_and_topics_have_their_labels_everywhere_and_no_number_changes(make):
    study = make(sessions=8, topics=("t1", "t2", "t2"))
    labels = {"S1": "Baseline", "S2": "Facets <b>", "t1": "Travel", "system_id": "Interface"}
    plain, named = (page.sections_of(declared(study, primary="sDCG@10", labels=given)) for given in ({}, labels))
    (before,), (after,) = (
        [one.parts[0].paragraphs[0] for one in made if one.name == "summary"] for made in (plain, named)
    )
    assert after == before.replace("S1", "Baseline").replace("S2", "Facets <b>")
    (table,) = [part for part in by_name(named)["topics-table"].parts if hasattr(part, "frame")]
    assert {*table.frame["topic_id"]} == {"Travel", "t2"}
    text = report(declared(study, labels=labels))
    assert "Facets <b>" not in text.split("<script")[0]
    assert "Facets <b>" in Reader(text).text


def test_a_figure_has_the_labels_of_its_groups_which_are_chosen_by_either_name(make):
    study = declared(make(sessions=8), labels={"S1": "Baseline", "S2": "Facets", "system_id": "Interface"})
    drawn = single_figure(study, "session-curve", where="system_id <> 'S9'").chart.to_json()
    assert '"Baseline"' in drawn
    assert '"Facets"' in drawn
    assert '"S1"' not in drawn
    for name in ("S2", "Facets"):
        made = single_figure(study, "difference-curve", against=name)
        assert "Facets" in made.caption + made.chart.to_json()


def test_ids_keep_their_names(make):
    study = declared(make(), labels={"u1": "Ann", "s0": "First"})
    assert labeled(study, ["user_id", "session_id"]) is study
