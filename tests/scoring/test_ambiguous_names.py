"""A text that names a measure and a column of the study is refused by every verb, and each has a spelling of its own."""

import inspect
import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.grammar import SAME

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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


def test_every_verb_that_takes_measures_is_tried():
    assert {*OPTIONS} == {name for name in sk.__all__ if asked_by(getattr(sk, name))}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_verb_refuses_the_name(name):
    verb, log = getattr(sk, name), study()
    if name == "reformulations":
        log = log.with_tables(queries=log.queries.with_columns(query_text=pl.lit("crow")))
    with pytest.raises(MeasureError, match=MESSAGE):
        verb(log, **{asked_by(verb): "Clicks"}, **OPTIONS[name])


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


def test_a_name_of_other_tools_is_ambiguous_too():
    assert SAME["Precision"] == "P"
    with pytest.raises(
        MeasureError, match=r"'Precision' is a measure and a column of this study: write P\(\) or column\(Precision\)"
    ):
        sk.score(study(), "Precision")


def test_a_measure_that_needs_parameters_is_spelled_with_them():
    log = study()
    log = log.with_tables(sessions=log.sessions.rename({"age": "RBP"}))
    with pytest.raises(MeasureError, match=r"write RBP\(p=0.8\)@10 or column\(RBP\)"):
        sk.score(log, "RBP")


def test_what_is_not_a_bare_name_is_a_measure():
    for text in ("Clicks@10", "mean(P@10)", "Clicks(queries=1)"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert sk.score(study(), text, by=None)["measure"].to_list() == [str(sk.parse_measure(text))]


def test_the_primary_measure_of_a_study_is_refused_too():
    with pytest.raises(sk.errors.UsageError, match=f"the primary measure that study.toml declares: {MESSAGE}"):
        sk.report(study(primary="Clicks"))


def test_commands_refuse_it(tmp_path, capsys):
    study().save(tmp_path / "study")
    for command in (
        "score {} Clicks", "correlate {} Clicks --with age", "compare {} Clicks", "report {} Clicks --output {}.html",
        "report {} nDCG@10 --primary Clicks --output {}.html", "chart group-means {} Clicks --output {}.html",
    ):  # fmt: skip
        assert main([word.format(tmp_path / "study") for word in command.split()]) == 2
        assert "'Clicks' is a measure and a column of this study" in capsys.readouterr().err
