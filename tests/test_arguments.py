"""Values of a wrong type: every public function refuses them by an error of sessionkit that names what it takes."""

import inspect
import re
import warnings
from typing import get_args

import polars as pl
import pytest

import sessionkit as sk
from sessionkit import arguments, charts
from tests.test_types import FUNCTIONS

WRONG = [None, 5, [], [5], object(), {}, b"x", 1.5]
WORDS = {name for name, choice in vars(arguments).items() if get_args(choice)} | {"Literal"}
FEW = {"draws": 200}
NUMBERS = ("confidence", "draws", "seed", "component_draws")
TESTED_ELSEWHERE = {
    ("explain", "session"),
    ("timeline", "session"),
    *((name, number) for name in FUNCTIONS for number in NUMBERS),
}
"""Ids of sessions, and the numbers that all verbs check alike."""
WRITTEN = {"output", "figures", "cache"}
"""Parameters whose values name what is written."""
EMPTY = {("report", "redact"), ("report", "also")}
"""Parameters of which an empty list is as good as the default; a page is made elsewhere."""


@pytest.fixture(scope="module")
def study():
    """Six users who search three topics with two systems."""
    sessions = [
        (f"{user}{topic}", user, topic, "AB"[(number + place) % 2], number % 4)
        for number, user in enumerate("abcdef")
        for place, topic in enumerate("xyz")
    ]
    results = [
        (session, query, rank, f"d{(7 * number + 3 * query + rank) % 9}", f"word {query}", f"2026-01-01 10:0{query}:00")
        for number, (session, *_) in enumerate(sessions)
        for query in range(1, 3 + number % 2)
        for rank in (1, 2, 3)
    ]
    names = ["session_id", "query_position", "rank", "doc_id", "query_text", "issued_at"]
    return sk.from_tables(
        results=pl.DataFrame(results, schema=names, orient="row").with_columns(
            pl.col("issued_at").str.to_datetime(time_zone="UTC"), clicks=(pl.col("rank") == 1).cast(pl.Int64)
        ),
        sessions=pl.DataFrame(
            sessions, schema=["session_id", "user_id", "topic_id", "system_id", "skill"], orient="row"
        ),
        judgments={
            "judgment_key": [topic for topic in "xyz" for _ in range(8)],
            "doc_id": [f"d{number}" for number in range(8)] * 3,
            "grade": [(number + place) % 4 for place in range(3) for number in range(8)],
        },
        max_grade=3,
    )


@pytest.fixture(scope="module")
def files(study, tmp_path_factory):
    """A log, a study and a partitioned study in a folder."""
    folder = tmp_path_factory.mktemp("arguments")
    study.results.collect().write_csv(folder / "results.csv")
    study.save(folder / "study")
    study.save(folder / "parts", partition_by="system_id")
    return folder


QUERY, SESSION, MEAN = "nDCG@3", "sDCG@3", "mean(nDCG@3)"
CALLS = {
    "add_partition": lambda study, files: (files / "parts", study, "system_id", "C"),
    "avg_pos": lambda *_: ([1.0, 2.0],),
    "avg_vect": lambda *_: ([[1.0], [2.0]],),
    "bounds": lambda study, _: (study, SESSION),
    "breakdown": lambda study, _: (study, QUERY),
    "breakdown_tests": lambda study, _: (study, QUERY),
    "calibrate": lambda study, _: (study, "sDCG"),
    "column": lambda *_: ("skill",),
    "compare": lambda study, _: (study, MEAN),
    "correlate": lambda study, _: (study, SESSION, "skill"),
    "curve": lambda study, _: (study, SESSION),
    "curve_differences": lambda study, _: (study, SESSION),
    "curve_with_stops": lambda study, _: (study, SESSION),
    "define": lambda *_: ("Squares", len),
    "discriminate": lambda study, _: (study, MEAN),
    "effort": lambda study, _: (study, SESSION),
    "explain": lambda study, _: (study, SESSION),
    "from_run": lambda *_: ({"q": {"a": 1.0}}, {"q": {"a": 1}}),
    "from_tables": lambda study, _: (study.results.collect(), study.judgments.collect()),
    "gain_vectors": lambda study, _: (study, QUERY),
    "judge_noise": lambda study, _: (study, MEAN),
    "judgment_loss": lambda study, _: (study, MEAN),
    "norm_vect": lambda *_: ([1.0], [2.0]),
    "open_study": lambda _, files: (files / "study",),
    "parse_measure": lambda *_: (QUERY,),
    "path_variance": lambda study, _: (study, "esDCG(pdown=0.8,pref=0.5)@3"),
    "power": lambda study, _: (study, MEAN),
    "propose": lambda _, files: (files / "results.csv",),
    "read": lambda _, files: (files / "results.csv",),
    "register": lambda *_: (sk.define("Registered", len),),
    "report": lambda study, _: (study, QUERY),
    "score": lambda study, _: (study, QUERY),
    "sweep": lambda study, _: (study, SESSION, {"b": [2, 4]}),
    "timeline": lambda study, _: (study, "ax"),
    "Study.columns": lambda study, _: (study, "results"),
    "Study.save": lambda study, files: (study, files / "again"),
    "Study.table": lambda study, _: (study, "results"),
    "charts.each": lambda study, files: (study, "waterfall", "session", files / "each", SESSION),
    "charts.effort_gain": lambda study, _: (sk.effort(study, SESSION),),
    "charts.group_means": lambda study, _: (sk.compare(study, MEAN),),
    "charts.last_vs_nonlast": lambda study, _: (sk.breakdown(study, QUERY),),
    "charts.rprecision_histogram": lambda study, _: (sk.rprecision_histogram(study), "A", "B"),
    "charts.save": lambda study, files: (charts.session_curve(sk.curve(study, SESSION)), files / "curve.json"),
    "charts.score_distribution": lambda study, _: (sk.score(study, SESSION, per="session"),),
    "charts.session_curve": lambda study, _: (sk.curve(study, SESSION),),
    "charts.session_survival": lambda study, _: (sk.session_survival(study),),
    "charts.sweep_map": lambda study, _: (sk.sweep(study, SESSION, {"b": [2, 4]}, test="none").map(),),
    "charts.topic_means": lambda study, _: (sk.score(study, SESSION, by=["topic_id", "system_id"]),),
    "charts.user_topic_heatmap": lambda study, _: (sk.score(study, SESSION, per="session"),),
    **dict.fromkeys(
        ["agreement", "check", "describe", "precision_recall", "pseudonymize", "reformulations", "rprecision_histogram",
         "session_survival", "summary"],
        lambda study, _: (study,),
    ),
}  # fmt: skip
"""Arguments with which each public function works, of a study and the folder of files."""
OPTIONS = {
    "breakdown_tests": FEW, "calibrate": FEW, "charts.each": {"where": "session_id = 'ax'", "format": "json"}, "correlate": FEW,
    "curve_differences": FEW, "judge_noise": {"draws": 5}, "judgment_loss": {"draws": 1, "fractions": [0.5, 1]},
    "power": {"difference": "10%", "draws": 50, "component_draws": 20}, "sweep": {"test": "none"},
}  # fmt: skip
"""Options without which a verb takes long, or does not work at all."""


def leaks(name, arguments, parameters):
    """The values that a function answers by an error from within, for each of some parameters."""
    function = FUNCTIONS[name]
    signature = inspect.signature(function)
    found = []
    for parameter in parameters:
        for value in WRONG:
            if (name, parameter) in EMPTY and value in ([], {}):
                continue
            bound = signature.bind(*arguments, **OPTIONS.get(name, {}))
            bound.arguments[parameter] = value
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(*bound.args, **bound.kwargs)
            except sk.SessionkitError:
                continue
            except Exception as error:  # noqa: BLE001 - whatever comes from within
                found.append((name, parameter, value, repr(error)))
    return found


def parameters_of(name, *, words):
    """The parameters of a function that take fixed words, or the others."""
    return [
        parameter.name
        for parameter in inspect.signature(FUNCTIONS[name]).parameters.values()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        and parameter.name not in {"self", *WRITTEN}
        and (name, parameter.name) not in TESTED_ELSEWHERE
        and bool(WORDS & {*re.findall(r"\w+", str(parameter.annotation))}) == words
    ]


@pytest.mark.slow
def test_every_choice_of_words_refuses_what_is_none(study, files):
    tried = {name: parameters_of(name, words=True) for name in FUNCTIONS if parameters_of(name, words=True)}
    assert tried.keys() <= CALLS.keys()
    assert {"breakdown", "curve", "precision_recall", "gain_vectors", "Study.table"} <= tried.keys()
    assert [
        leak for name, parameters in tried.items() for leak in leaks(name, CALLS[name](study, files), parameters)
    ] == []


@pytest.mark.few(16)
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CALLS if name != "report"])  # it takes half a minute
def test_no_parameter_answers_a_wrong_type_from_within(name, study, files):
    assert leaks(name, CALLS[name](study, files), parameters_of(name, words=False)) == []


def test_what_a_refusal_says(study, files):
    finding = sk.compare(study, "mean(nDCG@3)")
    for call, message in (
        (lambda: sk.breakdown(study, "nDCG@3", parts=None), "parts must be one of last, position, best, first, not None"),
        (lambda: sk.curve(study, "sDCG@3", after_stop=5), "after_stop must be hold or null, not 5"),
        (lambda: sk.curve(study, "sDCG@3", after_stop="holds"), "not 'holds'; did you mean 'hold'?"),
        (lambda: sk.read(files / "results.csv", format=5), "there is no format 5; formats: "),
        (lambda: study.table(5), "a study has no table 5; tables: users, "),
        (lambda: finding.to_latex(5), "a table must be one of pairs, overall, "),
        (lambda: finding.to_markdown([]), "a table must be one of pairs, overall, "),
        (lambda: sk.agreement(5), "this takes a study, not 5"),
        (lambda: sk.correlate(study, [5], "skill"), "a measure is a text such as nsDCG@10, or sk.nsDCG @ 10, not 5"),
        (lambda: sk.open_study(5), "must be a path, not 5"),
        (lambda: sk.pseudonymize(study, keep=5), "keep takes a name, or several in a list or joined by commas, not 5"),
        (lambda: (sk.nsDCG @ 10)(like=[]), r"like must be one of ecir2008, "),
    ):  # fmt: skip
        with pytest.raises(sk.UsageError, match=re.escape(message)):
            call()
