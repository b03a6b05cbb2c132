"""The method in words."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.reports.parts import Code
from sessionkit.reports.sections.method import defined, definitions, in_words, paragraph, sentences
from sessionkit.reports.sections.topics import topics
from sessionkit.scoring.measures.base import Wrapper
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.measures.registry import MEASURES
from tests.reports.one_section import material
from tests.reports.read_page import has_parts
from tests.support.clinic import read_clinic


@pytest.mark.parametrize(
    "measure", [measure for measure in MEASURES.values() if not isinstance(measure, Wrapper)], ids=str
)
def test_every_parameter_of_every_measure_is_told_in_words(measure):
    assert " = None" not in in_words(measure)
    assert not [name for name in measure.parameters() if f"; {name} = " in in_words(measure)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sDCG(gain=exp2)@10", "gain is 2^grade - 1"),
        ("sDCG(gain=0-1-10-100)@10", "0, 1, ... are 0, 1, 10, 100"),
        ("sDCG(gain=binary,min_grade=2)@10", "gain is 1 from grade 2 on"),
        ("sDCG(discount=geometric,p=0.8)", "rank discount 0.8^(i - 1)"),
        ("sDCG(b=3,bq=7)@10", "1 / (1 + log_3(i)); query discount 1 / (1 + log_7(q))"),
        ("sDCG(slots=5)@10", "occupies at least 5 slots"),
        ("sDCG@10", "ranks 1 to 10 of each"),
        ("sDCG", "every logged rank counts"),
        ("nsDCG(ideal_queries=11)@10", "the ideal has 11 queries"),
        ("sDCG(duplicates=first,queries=3)@10", "gains only the first time"),
        ("mean(nDCG@5)", "M(q) / number of queries"),
        ("avgpos(nsDCG@10,length=110)", "over 110 slots"),
    ],
)
def test_choices_are_told(text, words):
    assert words in in_words(parse_measure(text))


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ("study.toml", "was declared as primary in"),
        ("report", "was chosen as primary when"),
        (None, "was not declared as primary."),
    ],
)
def test_how_the_first_measure_was_chosen_is_said_as_far_as_it_is_known(declared, says):
    assert f"The first measure, sDCG@10, {says}" in paragraph(material(read_clinic(), ["sDCG@10"], declared=declared))


def test_least_squares_is_over_sessions_and_a_merge_is_named_where_there_is_one():
    study = read_clinic()
    told = paragraph(material(study, ["nsDCG@10"]))
    assert has_parts(told, "least squares on user + topic", "over sessions", "estimand is")
    once = study.with_tables(judgments=study.judgments.unique(["judgment_key", "doc_id"]))
    twice = study.with_tables(judgments=pl.concat([once.judgments, once.judgments.head(1)]))
    for one, several in ((once, False), (twice, True)):
        assert ("one document the rule max" in paragraph(material(one, ["nsDCG@10"]))) == several
        assert any("are merged by max." in text for text in sentences(one)) == several


@pytest.mark.slow
def test_whether_the_difference_depends_on_topics_and_on_a_column_of_users_is_said():
    study = read_clinic()
    section = topics(material(study, ["nsDCG@10"]))
    assert section.title.startswith("For whom and")
    for column, what in (("topic_id", "the topic"), ("skill", "skill")):
        row = sk.compare(study, "nsDCG@10", within=column).interaction.row(0, named=True)
        p = f"{row['p']:.2f}".lstrip("0")
        test = f"F({row['df']:g}, {row['df_error']:.4g}) = {row['statistic']:.3g}, p = {p}, n = {row['n']}"
        left_out = "" if column == "topic_id" else "; left out: skill 4 has 3 users; a test needs at least 4"
        said = f"No evidence that the difference by nsDCG@10 depends on {what} ({test}{left_out})."
        assert said in section.parts[0].paragraphs[0]
    section = topics(material(study.with_tables(users=study.users.drop("skill")), ["nsDCG@10"]))
    assert section.title == "On which topics?"
    apart = study.with_tables(
        users=study.users.with_columns(skill=pl.col("user_id"))
    )  # a column within which nothing can be compared
    assert topics(material(apart, ["nsDCG@10"])).title == "On which topics?"


def test_measures_inside_are_defined_once_before_those_that_hold_them():
    asked = [parse_measure(text) for text in ("mean(nDCG@10)", "last(nDCG@10)")]
    assert [str(measure) for measure in defined(asked)] == ["nDCG@10", "mean(nDCG@10)", "last(nDCG@10)"]


def test_fingerprint_is_of_what_was_read_and_how(tmp_path, make):
    study = read_clinic()
    assert len(study.fingerprint) == 64
    assert study.save(tmp_path / "study").fingerprint == study.fingerprint
    assert make().fingerprint is None
    assert "none (data in memory)" in sentences(make())[-1]
    assert sk.__version__ in sentences(study)[-1]


def calls_of(study, **choices):
    """Return the two lines of code that the page has, and the words above the first."""
    parts = definitions(material(study, ["nsDCG@2"], **choices)).parts
    page, table = (place for place, part in enumerate(parts) if isinstance(part, Code))
    return parts[page - 1].paragraphs[0], parts[page].text, parts[table].text


def test_a_study_in_memory_has_calls_and_a_saved_one_commands(tmp_path, make):
    study = make(topics=("t", "u"), max_grade=2)
    said, page, table = calls_of(study, by=["system_id", "topic_id"])
    assert "study stands for the study" in said
    assert page == "sessionkit.report(study, by='system_id,topic_id', output='report.html')"
    by = [sk.score(study, "nsDCG@2", by=columns) for columns in ("system_id,topic_id", ["system_id", "topic_id"])]
    assert by[0].equals(by[1])
    assert table == "sessionkit.score(study, 'nsDCG@2', per='session', wide=True)"
    assert len(sk.score(study, "nsDCG@2", per="session", wide=True)) == study.facts.sessions

    said, page, table = calls_of(study.save(tmp_path / "study"))
    assert said == "The same page again:"
    assert page.startswith("sessionkit report STUDY --output")
    assert table.split() == ["sessionkit", "score", "STUDY", "nsDCG@2", "--per", "session", "--wide"]
    assert calls_of(read_clinic())[0] == "The same page again:"
