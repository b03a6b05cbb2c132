"""What type checkers and editors know: the words of every choice, the parameters of every measure, and a user's script."""

import dataclasses
import inspect
import os
import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import get_args

import pytest

import sessionkit as sk
from sessionkit import arguments, charts
from sessionkit.robustness.calibrate_counts import COLUMNS
from sessionkit.scoring.filter import SEEN
from sessionkit.scoring.measures.parameters import PRESETS
from sessionkit.sessions.breakdown_tests import CONTRASTS
from sessionkit.statistics.procedures import ALSO, PROCEDURES
from sessionkit.study.schema import document
from sessionkit.study.settings import SettingValues
from tests.support import user_script
from tests.support.clinic import CLINIC

SCRIPT = Path(user_script.__file__)
STUDY = document("study.schema")["properties"]
FUNCTIONS = {name: getattr(sk, name) for name in sk.__all__ if inspect.isfunction(getattr(sk, name))}
FUNCTIONS |= {f"charts.{name}": getattr(charts, name) for name in charts.__all__ if name != "KINDS"}
FUNCTIONS |= {
    f"Study.{name}": method for name, method in inspect.getmembers(sk.Study, inspect.isfunction) if name[0] != "_"
}


@pytest.mark.parametrize(
    ("choice", "known"),
    [
        (arguments.Test, PROCEDURES),
        (arguments.OmnibusTest, ALSO),
        (arguments.PartContrast, CONTRASTS),
        (arguments.Signal, COLUMNS),
        (arguments.Preset, PRESETS),
        (arguments.Depth, SEEN),
        (arguments.Merge, STUDY["merge"]["enum"]),
        (arguments.MissingPositions, STUDY["missing_positions"]["enum"]),
    ],
)
def test_the_words_of_a_choice_are_those_that_something_is_known_of(choice, known):
    assert set(get_args(choice)) == set(known)


TEXTS = {
    "within", "a", "against", "axis", "b", "by", "color", "colors", "font", "cut_short", "grade_values", "groups", "legend", "measure",
    "measures", "name", "partition_by", "primary", "session", "subtitle", "title", "value", "vary", "x", "y",  # names, ids, columns, titles
    "rating", "aligned", "first",  # columns and groups, too
    "kind",  # of chart: the registry's, to which others may be added
    "cache", "config", "directory", "figures", "output", "path", "storage_options",  # places
    "difference", "height", "memory", "width", "noise", "session_gap",  # numbers as texts, too
    "drop", "keep", "replace",  # columns, too
    "format",  # the registry's, to which others may be added
    "empty_list", "session_from",
    "formula", "source",  # of a measure that is defined, as its page says them
}  # fmt: skip
"""Parameters that take any text."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_parameter_that_takes_fixed_words_has_them_in_its_type(name):
    for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
        words = {*re.findall(r"\w+", str(parameter.annotation))}
        if "str" in words and not words & {*vars(arguments), "Literal"}:
            assert parameter.name in TEXTS, f"{name}({parameter}): a choice of words is a Literal of choices.py"


@pytest.mark.parametrize("name", [*sk.MEASURES])
def test_a_call_of_a_measure_shows_its_parameters(name):
    measure = getattr(sk, name)
    shown = inspect.signature(measure).parameters
    own = {f"{key}_" if key == "lambda" else key: value for key, value in measure.parameters().items()}
    assert {key: one.default for key, one in shown.items() if key not in {"of", "like"}} == own
    assert all(one.annotation is not inspect.Parameter.empty for one in shown.values())
    assert measure.wraps == ("of" in shown)
    if not measure.wraps and not measure.required:
        assert measure(**own) == measure
    if shown.keys() - {"of"}:
        with pytest.raises(sk.MeasureError, match="has no parameter 'cutof'"):
            measure(cutof=10) if not measure.wraps else measure(sk.sDCG @ 5, cutof=10)


def test_settings_by_name_are_those_of_a_study():
    assert [*SettingValues.__annotations__] == [field.name for field in dataclasses.fields(sk.Settings)]
    for name in ("merge", "missing_positions"):
        assert SettingValues.__annotations__[name].__forward_arg__ == sk.Settings.__annotations__[name]


def test_a_call_shows_the_values_that_a_measure_has_now():
    told = inspect.signature(sk.nDCG(b=10) @ 5).parameters
    assert (told["b"].default, told["cutoff"].default, told["gain"].default) == (10, 5, "linear")
    assert get_args(told["duplicates"].annotation) == ("all", "first")
    assert "like" in told
    assert [*inspect.signature(type(sk.nDCG)).parameters][:2] == ["cutoff", "min_grade"], "a class keeps its own"


def test_the_script_of_a_user_calls_every_function():
    called = {*re.findall(r"\bsk\.(\w+)", SCRIPT.read_text(encoding="utf-8"))}
    assert {name for name in FUNCTIONS if "." not in name} - called == set()


@pytest.mark.slow
def test_the_script_of_a_user_runs(tmp_path, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.DataWarning)
        user_script.main(CLINIC, tmp_path)
    assert "did you mean 'nDCG'" in capsys.readouterr().out
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_a_type_checker_refuses_what_is_wrong_and_nothing_else(tmp_path):
    """As for a user: strictly, with nothing of this project's configuration; without py.typed it would refuse the import."""
    snippet = """
        import sessionkit as sk

        study: sk.Study = sk.open_study("study")
        number: int = sk.score(study, "nsDCG@10").height
        measure: sk.Measure = sk.max(sk.nDCG(b=3, gain="0-1-10", like="ecir2008") @ 10)
        text: str = sk.score(study, "nsDCG@10").height  # wrong
        sk.compare(study, "nDCG@10", test="ttest")  # wrong
        sk.compare(study, "nDCG@10", population="user")  # wrong
        sk.sweep(study, "sDCG@10", {"b": [2]}, correction="bonferoni")  # wrong
        sk.score(study, "nDCG@10", per="sessions")  # wrong
        sk.curve(study, "sDCG@10", per="query")  # wrong
        sk.curve(study, "sDCG@10", after_stop="holds")  # wrong
        sk.breakdown(study, "nDCG@10", parts="first-last")  # wrong
        sk.correlate(study, "sDCG@10", "skill", coefficients=["peason"])  # wrong
        sk.calibrate(study, signal="click")  # wrong
        sk.judge_noise(study, "sDCG@10", spread="all")  # wrong
        sk.report(study, also=["powers"])  # wrong
        sk.read("log", missing_positions="drop")  # wrong
        sk.Settings(merge="average")  # wrong
        sk.from_run({}, order="scores")  # wrong
        sk.from_tables({}, merge="average")  # wrong
        sk.from_tables({}, max_grades=3)  # wrong
        study.table("session")  # wrong
        sk.nDCG(duplicates="none")  # wrong
        sk.nDCG(cutof=10)  # wrong
        sk.nsDCG(like="ecir")  # wrong
        sk.CubeTest(gain="exp2")  # wrong
        """
    lines = textwrap.dedent(snippet).splitlines()
    (tmp_path / "snippet.py").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "user_script.py").write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    files = ["snippet.py", "user_script.py"]
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *files]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = {(found[1], int(found[2])) for found in re.finditer(r"^(\w+\.py):(\d+): error", done.stdout, re.MULTILINE)}
    wrong = {("snippet.py", number) for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert told == wrong, done.stdout + done.stderr
