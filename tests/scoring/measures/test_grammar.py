"""A number carries its name: texts round-trip, say every choice, and refuse what is wrong with the allowed range.

A text that names a measure and a column of the study is refused by every verb, and each has a spelling of its own.
"""

import inspect
import re
import warnings

import ir_measures
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import SessionMeasure, Wrapper
from sessionkit.scoring.measures.grammar import ELSEWHERE, SAME, parse_measure
from sessionkit.scoring.measures.registry import MEASURES

above_1 = st.floats(1.01, 50).map(lambda x: round(x, 3))
PLAIN = [measure for measure in MEASURES.values() if not isinstance(measure, Wrapper)]
VALUES = {
    "gain": st.sampled_from(["linear", "exp2", "binary", "0-1-10-100", "0-0.5-1"]),
    "min_grade": st.integers(-2, 4),
    "discount": st.sampled_from(["log", "shifted", "burges", "jk2002", "reciprocal", "none"]),
    "query_discount": st.sampled_from(["log", "shifted", "none"]),
    "b": above_1,
    "bq": above_1,
    "p": st.sampled_from([None, 0.25]),
    "pq": st.sampled_from([None, 0.5]),
    "rank_origin": st.sampled_from(["query", "session"]),
    "slots": st.sampled_from(["pad", "shown", 3]),
    "depth": st.sampled_from(["all", "last_click", "examined"]),
    "duplicates": st.sampled_from(["all", "first"]),
    "unjudged": st.sampled_from(["zero", "skip"]),
    "grades": st.sampled_from(["judgments", "user"]),
    "undefined": st.sampled_from(["null", "zero"]),
    "unjudged_topics": st.sampled_from(["null", "zero"]),
    "queries": st.sampled_from([None, 3]),
    "ideal": st.sampled_from(["repeated", "spread", "once"]),
    "ideal_queries": st.sampled_from(["session", 11]),
    "cutoff": st.sampled_from([None, 1, 100]),
}


@given(data=st.data())
def test_text_round_trips(data):
    measure = data.draw(st.sampled_from(PLAIN))
    shared = [name for name in measure.parameters() if name in VALUES and name not in measure.own_parameters]
    chosen = data.draw(st.fixed_dictionaries({}, optional={name: VALUES[name] for name in shared}))
    made = measure(**chosen)
    wrapper = data.draw(st.sampled_from([None, "mean", "nonlast", "max"]))
    if wrapper and not isinstance(made, SessionMeasure):
        made = MEASURES[wrapper](made)
    assert parse_measure(str(made)) == made
    assert hash(parse_measure(str(made))) == hash(made)
    assert str(parse_measure(str(made))) == str(made)


def test_defaults_are_left_out_and_numbers_are_shortest():
    assert str(sk.sDCG(b=2.0, bq=4, gain="linear") @ 10) == "sDCG@10"
    assert str(sk.sDCG(gain=(0, 1, 10, 100.0), b=1.50)) == "sDCG(gain=0-1-10-100,b=1.5)"
    parameters = ["query_discount=shifted", "discount=shifted", "gain=exp2"]
    ordered = f"sDCG({','.join(reversed(parameters))})@9"
    assert str(parse_measure(f"sDCG({','.join(parameters)})@9")) == ordered


def test_other_spellings_of_values():
    assert parse_measure("sDCG(queries=all)@10") == sk.sDCG @ 10
    assert sk.sDCG(b=np.float64(3)) @ np.int64(10) == sk.sDCG(b=3, cutoff=10)


def test_presets_expand_and_can_be_overridden():
    expanded = "sDCG(gain=exp2,discount=shifted,query_discount=shifted,b=3)"
    assert str(sk.sDCG(like="jiang2016", b=3)) == expanded
    assert sk.sDCG(like="ecir2008") == sk.sDCG


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nsdcg@10", "did you mean 'nsDCG'"),
        ("precision@5", "did you mean 'P@5'"),
        ("mean(Recall_10)", "did you mean 'R@10'"),
        ("recall@10", "did you mean 'R@10'"),
        ("map@10", "did you mean 'AP@10'"),
        ("mrr", "did you mean 'RR'"),
        ("ndcg_cut_10", "did you mean 'nDCG@10'"),
        ("P_5", "did you mean 'P@5'"),
        ("HitRate@1", "did you mean 'Success@1'"),
        ("f1@10", "did you mean 'F@10'"),
        ("abandonment@10", "did you mean 'Abandoned@10'"),
        ("sDCG(bq=1)@10", "bq .*number above 1, not 1"),
        ("sDCG(b=0.5)", "b .*number above 1, not 0.5"),
        ("sDCG(b=nan)", "b .*number above 1"),
        ("sDCG(b=1e400)", "b .*number above 1"),
        ("sDCG@0", "cutoff .* at least 1, not 0"),
        ("sDCG@1.5", "whole number"),
        ("sDCG@-3", "whole number"),
        ("sDCG@99999999999999999999", "must be below 2147483648"),
        ("DCG(discount=geometric)", "needs p"),
        ("DCG(discount=geometric,p=1)", "p .*number between 0 and 1, .*excluded"),
        ("DCG(discount=logg)", "did you mean 'log'"),
        ("DCG(bq=3)", "DCG has no parameter 'bq'"),
        ("DCG(b=2,b=3)", "b is given twice"),
        ("DCG(gain=0-1-x)", "unexpected"),
        ("nDCG(discount=rn2002,b=3)", "boosts the ranks"),
        ("nsDCG(normalize=query,ideal=spread)", "leave out ideal"),
        ("mean@10", "needs a measure inside"),
        ("mean(nDCG@10)@5", "takes no cutoff"),
        ("mean(mean(nDCG@10))", "or sDCG, nsDCG or sRBP"),
        ("avgpos(AP@10)", "avgpos takes .*cumulates gain"),
        ("avgpos(nDCG@10,length=5)", "ranks of a list .*cutoff"),
        ("mean(avgpos(sDCG@10))", "mean takes a measure of queries"),
        ("sDCG(like=nobody)", "like must be one of"),
        ("sDCG(__class__=1)", "no parameter '__class__'"),
        ("sDCG(b=__import__)", "b must be a number"),
        ("sDCG(", "expected at the end"),
        ("mean(" * 2000 + "nDCG" + ")" * 2000, "16 measures within each other"),
        ("sDCG)", r"unexpected '\)'"),
        ("", "expected at the end"),
        ("sDCG;nDCG", "unexpected ';'"),
    ],
)
def test_what_is_wrong_is_said(text, says):
    with pytest.raises(sk.MeasureError) as error:
        parse_measure(text)
    assert re.search(says, str(error.value))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("name", "ours"), ELSEWHERE.items())
def test_what_is_suggested_for_a_name_of_others_is_a_measure(name, ours):
    with pytest.raises(sk.MeasureError, match=f"did you mean '{ours}'"):
        parse_measure(name)
    assert ours in MEASURES


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry))
def test_a_name_of_ir_measures_is_its_measure_or_refused_by_name(name):
    """Never another measure whose name looks like it: SDCG is scaled DCG, and no sDCG."""
    if name in MEASURES or not name.isascii():
        return
    if name in SAME:
        assert parse_measure(name).name == SAME[name]
        return
    with pytest.raises(sk.MeasureError) as error:
        parse_measure(f"{name}@10")
    said = str(error.value)
    assert "did you mean" not in said
    assert "sessionkit does not" in said


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("MAP(rel=2)@10", "AP(min_grade=2)@10"),
        ("mean(MRR@10)", "mean(RR@10)"),
        ("IPrec@0.1", "IPrec(rule=trec9)"),
        ("IPrec(rel=2)@1.0", "IPrec(min_grade=2,recall=1,rule=trec9)"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp2)@10"),
        ('nDCG(dcg="log2")', "nDCG"),
        ("nDCG(gains={2:5, 4:9})", "nDCG(gain=0-1-5-3-9)"),
        ("R(judged_only=True)@5", "R(unjudged=skip)@5"),
        ("IPrec@3", "IPrec@3"),
        ("SetP(relative=False,rel=2)", "P(min_grade=2)"),
        ("SetF(beta=4.0)", "F(beta=2)"),
        ("RBP(p=0.9,rel=2)", "RBP(min_grade=2,p=0.9)"),
        ("IPrec(rule=trec9)@0.2", "IPrec(recall=0.2,rule=trec9)"),
        ("nDCG(gains={1:.5,2:1e2})", "nDCG(gain=0-0.5-100)"),
    ],
)
def test_a_text_of_ir_measures_is_ours(text, ours):
    assert str(parse_measure(text)) == ours


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nDCG(rel=2)", "nDCG .* parameter 'rel': .*grades"),
        ("AP(dcg='log2')", "AP .* 'dcg' .* log2; .* min_grade"),
        ("AP(rel=2,min_grade=1)", "AP: min_grade .*twice"),
        ("SetP(relative=True)", "divides by the most"),
        ("nDCG(gains={0:-1})", "gains .*whole grades from 0 gains"),
        ("nDCG(gains={300000000:1})", "the grades up to 1023"),
        ("nDCG(gains={1:5x,2:3})", "gains .*whole grades"),
        ("nDCG(gains={1:1e999})", "gains .*whole grades"),
        ("nDCG(gains={-1:5})", "gains .*whole grades"),
        ("nDCG(gains=5)", "gains .*whole grades"),
        ("sDCG(dcg=log2)", "sDCG .*'dcg' .* value log2"),
        ("nDCG(dcg=log2,discount=log)", "dcg=log2 .* discount, .* does discount"),
        ("DCG(b=3,dcg=log2)", "dcg=log2 .* discount, .* does b"),
        ("IPrec(recall=0.5)@0.1", "recall or rule is given"),
        ("SetP@5", "SetP .*no cutoff; P@5 has"),
        ("SetR@5", "R@5 has one"),
        ("RBP(p=0.8,rel=2,gain=linear)", "RBP .* parameter 'rel': .*grades"),
        ("P(judged_only=maybe)", "'judged_only' .* value maybe"),
        ("NumRet", "Results counts the results"),
        ("IPrec@2.5", "recall .*number between 0 and 1"),
    ],
)
def test_what_ir_measures_means_otherwise_is_refused_with_the_reason(text, says):
    with pytest.raises(sk.MeasureError, match=says):
        parse_measure(text)


def test_a_level_of_recall_that_is_whole_is_one_of_an_object():
    assert str(parse_measure(ir_measures.IPrec @ 1)) == "IPrec(recall=1,rule=trec9)"


@pytest.mark.parametrize(
    ("theirs", "says"),
    [
        (ir_measures.Judged @ 10, "Judged of sessionkit is"),
        (ir_measures.RBP(p=0.9), "is graded without rel"),
        (ir_measures.SDCG(max_rel=3) @ 10, "scaled DCG"),
    ],
)
def test_objects_of_ir_measures_that_mean_something_else_are_refused(theirs, says):
    with pytest.raises(sk.MeasureError, match=says):
        parse_measure(theirs)


def test_what_is_meant_by_scaled_dcg_is_said_with_measures_that_exist():
    with pytest.raises(sk.MeasureError, match="scaled DCG, which") as error:
        parse_measure("mean(SDCG@10)")
    advised = re.findall(r"\w+@10", str(error.value))
    assert [str(parse_measure(text)) for text in advised] == ["nDCG@10", "sDCG@10"]


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        measure = parse_measure(text)
    except sk.MeasureError:
        return
    assert parse_measure(str(measure)) == measure


def test_a_measure_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        sk.sDCG.b = 3


@pytest.mark.parametrize("digits", [21, 4_300, 5_000])
def test_a_cutoff_of_very_many_digits_is_refused(digits):
    """Python itself reads at most 4,300 digits as a whole number, and prints no more."""
    says = f"cutoff must be below 2147483648, not a number of {digits:,} digits"
    with pytest.raises(MeasureError, match=says):
        parse_measure(f"nDCG@{'9' * digits}")
    with pytest.raises(MeasureError, match=says):
        _ = parse_measure("nDCG") @ (10**digits - 1)
    with pytest.raises(MeasureError, match=f"b .*above 1, .* {digits:,} digits"):
        parse_measure("nDCG")(b=-(10**digits) + 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nsDCG(b=1e+308)@10", 1 / (1 + np.log(2) / np.log(1e308))),
        ("nsDCG(bq=1e+308)@10", 1 / (1 + np.log2(2))),
        ("mean(nDCG(b=1e+16)@10)", np.log(2) / np.log(3)),
        ("mean(P(min_grade=1e+308)@10)", 0.0),
    ],
)
def test_a_parameter_larger_than_the_tables_integers_is_a_float(text, expected):
    """The one relevant document is at rank 2, and in the ideal list at rank 1."""
    measure = parse_measure(text)
    assert str(measure) == text
    assert parse_measure(str(measure)) == measure
    places = {"session_id": ["s", "s"], "query_position": [1, 1], "rank": [1, 2]}
    study = sk.from_tables(
        results=places | {"doc_id": ["a", "b"], "topic_id": ["t"] * 2},
        judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [1]},
    )
    assert sk.score(study, text)["value"].item() == pytest.approx(expected)


MESSAGE = r"'Clicks' is a measure and a column of this study: write Clicks\(\) or column\(Clicks\)"
OPTIONS = {
    "bounds": {}, "breakdown": {}, "breakdown_tests": {}, "compare": {}, "correlate": {"with_": "age"}, "curve": {},
    "curve_differences": {}, "curve_with_stops": {}, "discriminate": {}, "effort": {}, "explain": {"session": "s0"},
    "gain_vectors": {}, "judge_noise": {}, "judgment_loss": {}, "path_variance": {}, "power": {"difference": 1},
    "precision_recall": {}, "reformulations": {}, "report": {}, "rprecision_histogram": {"a": "A", "b": "B"}, "score": {},
    "sweep": {"vary": {"queries": [1, 2]}},
}  # fmt: skip
"""What each verb needs beside a study and a measure."""


def study(**settings):
    """Four sessions of four users with two systems; the column Clicks holds 10 times the clicks of the log."""
    sessions = [f"s{number}" for number in range(4)]
    return sk.from_tables(
        sessions={
            "session_id": sessions, "user_id": list("uvwx"), "system_id": list("ABAB"), "topic_id": ["t"] * 4,
            "Clicks": [10, 20, 0, 30], "Precision": [1, 2, 3, 4], "age": [30, 40, 20, 50],
        },
        results={
            "session_id": sessions, "query_position": [1] * 4, "rank": [1] * 4, "doc_id": ["d"] * 4, "clicks": [1, 2, 0, 3],
        },
        judgments={"judgment_key": ["t"], "doc_id": ["d"], "grade": [1]},
        **settings,
    )  # fmt: skip


def asked_by(verb):
    """The parameter of a public verb on a study that takes measures, if it has one."""
    parameters = inspect.signature(verb).parameters if inspect.isfunction(verb) else {}
    return next((name for name in ("measure", "measures") if "study" in parameters and name in parameters), None)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_every_verb_that_takes_measures_is_tried():
    assert {*OPTIONS} == {name for name in sk.__all__ if asked_by(getattr(sk, name))}


@pytest.mark.few(11)
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("name", OPTIONS)
def test_a_verb_refuses_the_name(name):
    verb, log = getattr(sk, name), study()
    if name == "reformulations":
        log = log.with_tables(queries=log.queries.with_columns(query_text=pl.lit("crow")))
    with pytest.raises(MeasureError, match=MESSAGE):
        verb(log, **{asked_by(verb): "Clicks"}, **OPTIONS[name])


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_each_spelling_has_its_own_values():
    scores = sk.score(study(), ["Clicks()", "column(Clicks)"], per="session")
    values = scores.sort("session_id").group_by("measure", maintain_order=True).agg("value")
    assert dict(values.rows()) == {"Clicks": [1, 2, 0, 3], "column(Clicks)": [10, 20, 0, 30]}
    assert sk.score(study(), sk.Clicks, by=None)["value"].to_list() == [6 / 4]
    # 10 times as many: r is 1, and one name stands for each
    pair = sk.correlate(study(), "Clicks()", "column(Clicks)").table.row(0, named=True)
    assert (pair["measure"], pair["covariate"], pair["value"]) == ("Clicks", "column(Clicks)", pytest.approx(1))
    for option in ({"with_": "Clicks"}, {"with_": "age", "control": "Clicks"}):
        with pytest.raises(MeasureError, match=MESSAGE):
            sk.correlate(study(), "nDCG@10", **option)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_name_of_other_tools_is_ambiguous_too():
    assert SAME["Precision"] == "P"
    with pytest.raises(MeasureError, match=r"'Precision' .*: .* P\(\) or column\(Precision\)"):
        sk.score(study(), "Precision")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_measure_that_needs_parameters_is_spelled_with_them():
    log = study()
    log = log.with_tables(sessions=log.sessions.rename({"age": "RBP"}))
    with pytest.raises(MeasureError, match=r"write RBP\(p=0.8\)@10 or column\(RBP\)"):
        sk.score(log, "RBP")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_what_is_not_a_bare_name_is_a_measure():
    for text in ("Clicks@10", "mean(P@10)", "Clicks(queries=1)"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert sk.score(study(), text, by=None)["measure"].to_list() == [str(sk.parse_measure(text))]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_primary_measure_of_a_study_is_refused_too():
    with pytest.raises(sk.errors.UsageError, match=f"primary .*study.toml .*: {MESSAGE}"):
        sk.report(study(primary="Clicks"))


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_commands_refuse_it(tmp_path, capsys):
    study().save(tmp_path / "study")
    for command in (
        "score {} Clicks", "correlate {} Clicks --with age", "compare {} Clicks", "report {} Clicks --output {}.html",
        "report {} nDCG@10 --primary Clicks --output {}.html", "chart group-means {} Clicks --output {}.html",
    ):  # fmt: skip
        assert main([word.format(tmp_path / "study") for word in command.split()]) == 2
        assert "'Clicks' is a measure and" in capsys.readouterr().err
