"""A mistyped measure is refused before the log is read, which may take an hour; the same from Python."""

import inspect

import pytest

import sessionkit as sk
from sessionkit.cli.app import COMMANDS, name_of
from sessionkit.scoring.score import score_parts

REQUIRED = {
    "chart": ["session-curve", "{}", "--output", "figure.svg"],
    "correlate": ["{}", "--with", "rating"],
    "explain": ["{}", "--session", "s1"],
    "power": ["{}", "--difference", "10%"],
    "report": ["--output", "report.html", "{}"],
    "sweep": ["{}", "--vary", "b=2,3"],
}
"""What these commands must be given beside the study."""
TAKE_MEASURES = [
    name_of(command)
    for command in COMMANDS
    if {"study", "measure"} <= set(inspect.signature(command).parameters)
    or {"study", "measures"} <= set(inspect.signature(command).parameters)
]


def test_the_commands_that_take_measures_are_found():
    assert {"score", "explain", "curve", "breakdown", "compare", "judge-noise", "discriminate"} <= set(TAKE_MEASURES)
    assert {"correlate", "bounds", "power", "sweep", "report", "chart"} <= set(TAKE_MEASURES)


@pytest.mark.parametrize("measure", ["nsDGC@10", "mean(nDGC@10)", "nsDCG(bqq=2)@10", "SDCG@10"])
@pytest.mark.parametrize("command", TAKE_MEASURES)
def test_a_command_refuses_it_before_it_looks_for_the_log(call, command, measure, tmp_path):
    words = [word.format(measure) for word in REQUIRED.get(command, ["{}"])]
    words.insert(1 if command == "chart" else 0, tmp_path / "there is no such log")
    done = call(command, *words)
    assert done.status == 2
    assert "measure" in done.err or "no parameter" in done.err
    assert "there is no such log" not in done.err


@pytest.mark.parametrize("option", ["--with", "--control"])
def test_correlate_refuses_it_in_its_options_too(call, option, tmp_path):
    words = ["nsDCG@10", "--with", "rating", option, "mean(nDGC@10)"]
    done = call("correlate", tmp_path / "there is no such log", *words)
    assert (done.status, "there is no measure 'nDGC'" in done.err) == (2, True)


def test_correlate_takes_a_column_whose_name_has_brackets(call, tmp_path):
    """Which are not those of a measure; only the log can tell."""
    done = call("correlate", tmp_path / "there is no such log", "satisfaction(1-5)", "--with", "rating")
    assert "there is no such log" in done.err


class TheLogIsReadError(Exception):
    """Raised by a log that is read."""


def reading(_):
    """Stand for the rows of a table."""
    raise TheLogIsReadError


@pytest.fixture(scope="module")
def unread():
    """A study that tells when anything of it is read."""
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        queries={"session_id": ["s"], "query_position": [1], "query_text": ["a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"], "system_id": ["A"], "user_id": ["u"], "rating": [1]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    tables = ("users", "sessions", "queries", "results", "judgments")
    return study.with_tables(**{name: study.table(name).map_batches(reading) for name in tables})


GIVEN = {
    "session": "s",
    "with_": "rating",
    "difference": "10%",
    "parameters": {"b": [2, 3]},
    "by": "system_id",
}
FUNCTIONS = {name: getattr(sk, name) for name in dir(sk) if inspect.isfunction(getattr(sk, name))}
FUNCTIONS = {
    name: inspect.signature(function).parameters
    for name, function in {**FUNCTIONS, "score_parts": score_parts}.items()
    if "study" in inspect.signature(function).parameters
    and {"measure", "measures"} & set(inspect.signature(function).parameters)
}


@pytest.mark.parametrize("measure", ["nsDGC@10", "mean(nDGC@10)", "nsDCG(bqq=2)@10"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_refuses_it_before_it_reads_the_log(name, measure, unread):
    given = {
        key: GIVEN.get(key, "last")
        for key, parameter in FUNCTIONS[name].items()
        if parameter.default is inspect.Parameter.empty and key != "study"
    }
    given |= {key: measure for key in ("measure", "measures") if key in FUNCTIONS[name]}
    function = score_parts if name == "score_parts" else getattr(sk, name)
    with pytest.raises(sk.MeasureError):
        list(function(unread, **given))


def test_the_log_would_be_read(unread):
    with pytest.raises(TheLogIsReadError):
        sk.score(unread, "nsDCG@10", per="session")
