"""Mistakes on the command line: one line that says where, what is wrong, what exists and what to do.

A word of a million characters, wherever a command takes one, is answered soon and shortly.

A mistyped measure is refused before the log is read, which may take an hour; the same from Python.
"""

import inspect
import shlex

import polars as pl
import pytest
import typer
from typer.main import get_command

import sessionkit as sk
from sessionkit.charts.registry import CHARTS
from sessionkit.cli.app import COMMANDS, app_for, name_of
from sessionkit.cli.command import ELSEWHERE
from sessionkit.errors import LONGEST_MESSAGE, close_names, readable, suggestion
from sessionkit.scoring.score import score_parts
from tests.support.clinic import CLINIC, saved_clinic

LIBRARIES = (
    "Input should",
    "Invalid value",
    "No such",
    "Missing ",
    "requires an argument",
    "unexpected extra",
    "Error:",
)
"""How typer, pydantic and polars begin what they say."""
MISTAKES = {
    "scroe {study}": [
        "no command 'scroe'; ",
        "'score'?",
        "commands: demo, init",
        "sessionkit --help",
    ],
    "score": ["STUDY is missing: a study directory", "sessionkit score --help"],
    "score {study}": ["MEASURE is missing: ", "'nsDCG@10'"],
    "explain {study} CG": ["--session is missing: "],
    "score {study} CG --bogus": [
        "there is no option --bogus",
        "sessionkit score STUDY MEASURE...",
        "options: --by, --where",
    ],
    "compare {study} CG population=topics": ["population=topics is", "--population topics"],
    "--by skill score {study} CG": ["--by before the command; "],
    "chart --width 3 session-curve {study}": ["--width before the chart; "],
    "score {study} CG --wher x": ["did you mean '--where'?"],
    "score {study} CG --by skill --cut 2": [
        "no option --cut; ",
        "compare, and groups of numbers",
        "sessionkit help cut",
    ],
    "chart differences {study} CG --cut 2": ["no option --cut; ", "compare, and groups"],
    "compare {study} CG --alpha 0.05": ["'--confidence'? (confidence 0.95 ", " 0.05)"],
    "compare {study} CG --group skill": ["did you mean '--by'?"],
    "compare {study} CG --ci 0.9": ["did you mean '--confidence'?"],
    "compare {study} CG --bootstrap 999": ["did you mean '--draws'?"],
    "score {study} --metric CG": ["no option --metric: MEASURE"],
    "score {study} nDCG --k 5": ["no option --k; ", "nDCG@10"],
    "score {study} CG --filter skill>2": ["did you mean '--where'?"],
    "score {study} CG --csv": ["did you mean '--format'?", "(--format csv)"],
    "ingest {study} --output x": ["did you mean '--out'?"],
    "score {study} precision@5": ["no measure 'precision'; ", "'P@5'?"],
    "score {study} CG --by skill --by system_id": ["--by is given twice; ", "commas join several"],
    "score {study} CG --where queries>1 --where=queries<9": ["--where is given twice", "and joins conditions"],
    "score {study} CG --wide --per session --wide": ["--wide is given twice; ", "sessionkit score --help"],
    "report {study} --redact users --redact queries": ["--redact is given twice", "commas join several"],
    "chart waterfall {study} --session a --session b": ["--session is given twice; ", "takes one value; see"],
    "score {study} CG --by": ["--by is not followed", ": COLUMN,..."],
    "score {study} CG --format": ["--format is not followed", "table, tsv"],
    "score {study} CG --wide=1": ["--wide takes no value"],
    "score --help=1": ["--help takes no value"],
    "score {study} CG --engine dask": ["--engine is 'dask'; ", "polars, spark"],
    "compare {study} CG --draws many": ["--draws is 'many'; ", "whole number"],
    "compare {study} CG --cut 1": ["--cut is '1'; ", "number from 2 to 9"],
    "compare {study} CG --confidence high": ["--confidence is 'high'; give a number"],
    "compare {study} CG --format xls": ["--format is 'xls'; ", "table, tsv, csv"],
    "bounds {study} CG --wanted -1": ["--wanted is '-1'; ", "number from 0"],
    "describe {study} CG": ["'CG' is one argument too many; ", "sessionkit describe STUDY"],
    "breakdown {study} CG DCG": ["'DCG' is one argument too many; ", "breakdown STUDY MEASURE"],
    "score CG {study}": ["STUDY comes first", "CG is a measure"],
    "score {study} CG --where": ["--where is not followed", ": CONDITION"],
    "score '' CG": ["STUDY is empty; "],
    "bounds {study} nsDCG@3 --table units": ["--table units has a row", "--per session|query"],
    "judgment-loss {study} nsDCG@3 --full 5": ["full ", "from 0 to 1, not 5"],
    "schema results --format csv": ["JSON; leave out --format csv"],
    "--bogus": ["no option --bogus; ", "sessionkit COMMAND"],
    "chart pie {study}": ["there is no chart 'pie'", f"charts: {', '.join(CHARTS)}"],
    "chart session-curve {study} --measure CG": ["MEASURE is an argument", "session-curve STUDY [MEASURE...]"],
    "chart session-survival {study} CG --output x.svg": ["'CG' is one argument too"],
    "chart topic-curves {study} --output x.svg --style gray": ["--style is 'gray'; ", "screen, paper, grey"],
}
"""What is typed by mistake, and what the answer names."""


@pytest.mark.few(25, slow=40)
@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_named_with_what_there_is(refused, study, monkeypatch, words):
    monkeypatch.chdir(study.parent)
    said = refused(2, *shlex.split(words.format(study=study)), names=MISTAKES[words])
    assert not [word for word in LIBRARIES if word in said]


def commands():
    """Every command and kind of chart."""
    program = typer.main.get_command(app_for(None))
    groups = [((), program), *(((name,), one) for name, one in program.commands.items() if hasattr(one, "commands"))]
    for path, group in groups:
        context = typer.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if not hasattr(command, "commands"):
                yield (*path, name), command


EVERY_COMMAND = dict(commands())


def options_of(words):
    """The options of a command that take one value."""
    return [one for one in EVERY_COMMAND[words].params if one.param_type_name == "option" and not one.multiple]


def given_twice(option):
    """The words that give an option twice."""
    return [option.opts[0]] * 2 if option.is_flag else [option.opts[0], "a", f"{option.opts[0]}=b"]


def test_every_kind_of_chart_is_among_the_commands():
    assert {("chart", kind) for kind in CHARTS} < {*EVERY_COMMAND}


@pytest.mark.few(20, slow=100)
@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_an_option_of_one_value_is_refused_twice(refused, words):
    for option in options_of(words):
        with pytest.raises(sk.UsageError, match=f"^{option.opts[0]} is given twice"):
            EVERY_COMMAND[words].make_context(words[-1], given_twice(option))
    for option in options_of(words)[-1:]:  # and one through the whole program
        refused(2, *words, *given_twice(option), names=[f"{option.opts[0]} is given twice"])


def test_what_is_suggested_for_an_option_of_others_is_an_option():
    known = {option.opts[0] for words in EVERY_COMMAND for option in options_of(words)}
    assert {*ELSEWHERE} <= known


def test_an_option_of_several_values_is_taken_twice(call, study):
    done = call("correlate", study, "CG", "--with", "nowhere", "--with", "Queries")
    assert "twice" not in done.err


def test_what_is_wrong_with_judgments_is_not_said_of_the_log(refused, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("a,b\n1,2\n")
    words = ["ingest", log, "--out", tmp_path / "study", "--judgments", tmp_path / "qrels"]
    refused(1, *words, names=["qrels: no such file", ". log.csv does not", "known log format"])


def test_the_schema_of_a_table_goes_to_a_file_of_json(call, tmp_path):
    assert call("schema", "results", "--output", tmp_path / "results.json").status == 0
    assert (tmp_path / "results.json").read_text(encoding="utf-8") == call("schema", "results").out


def test_several_measures_of_a_chart_of_one_are_refused_before_the_study_is_read(refused, tmp_path):
    words = ["chart", "session-curve", tmp_path / "none", "sDCG@3", "nsDCG@3", "--output", tmp_path / "x.svg"]
    refused(2, *words, names=["draws one measure, not 2", "differences"])


def test_chart_alone_lists_the_kinds_with_what_each_shows(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    done = call("chart")
    assert done.status == 2
    told = " ".join(done.out.split())
    assert [kind for kind, one in CHARTS.items() if f"{kind} {one.shows}" not in told] == []


SIZED = {name_of(command): inspect.signature(command).parameters for command in COMMANDS}
SIZED = {name: found for name, found in SIZED.items() if "memory" in found}
REQUIRED = {"difference": ["--difference", "10%"], "vary": ["--vary", "b=2,3"], "with_": ["--with", "rating"]}
REQUIRED |= {"output": ["--output", "x.html"], "out": ["--out", "x"]}


@pytest.mark.parametrize("name", SIZED)
def test_a_size_that_is_none_is_refused_before_anything_is_read(refused, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [name, "no-such-log", *(["nsDCG@10"] if {"measure", "measures"} & {*SIZED[name]} else [])]
    required = inspect.Parameter.empty
    for one, option in REQUIRED.items():
        words += option if one in SIZED[name] and SIZED[name][one].default is required else []
    for size in ("1zb", "1MB"):
        refused(2, *words, "--memory", size, names=[f"memory is {size!r}"])


def test_a_size_that_is_none_is_refused_for_scores_from_python_too():
    scores = pl.DataFrame({"session_id": ["1"], "system_id": ["A"], "measure": ["CG"], "value": [1.0]})
    with pytest.raises(sk.UsageError, match="memory is '1zb'"):
        sk.compare(scores, memory="1zb")


WHERE = {
    "describe": [],
    "score": ["nsDCG@10"],
    "curve": ["nsDCG@10"],
    "breakdown": ["nDCG@10"],
    "gain-vectors": ["nDCG@10"],
    "precision-recall": [],
    "summary": [],
    "compare": ["nsDCG@10"],
    "power": ["nsDCG@10", "--difference", "20%", "--draws", "200", "--component-draws", "50", "--users", "30"],
    "correlate": ["nsDCG@10", "--with", "satisfaction", "--draws", "200"],
    "bounds": ["nsDCG@10"],
    "judgment-loss": ["nsDCG@10", "--fractions", "0.5", "--draws", "2"],
    "judge-noise": ["nsDCG@10", "--draws", "3"],
    "discriminate": ["nsDCG@10"],
    "sweep": ["sDCG@10", "--vary", "b=2,3"],
    "calibrate": ["--draws", "200"],
    "report": ["nsDCG@10", "--output", "page.html"],
}
"""Commands that take --where, and what else they need."""
MISSED = {
    "skil > 2": ["no column 'skil'; ", "'skill'?", "columns: session_id"],
    "skill = 9": ["skill ranges from 1 to 4"],
    "system_id = 'S3'": ["system_id has 'S1' (60), 'S2' (60)"],
    "system_id = S1": ["text stands in single quotes: 'S1'"],
    "skill >": ["where 'skill >' cannot be read; "],
}


def test_the_commands_that_take_a_condition_are_found():
    taking = [name_of(one) for one in COMMANDS if "where" in inspect.signature(one).parameters]
    assert sorted([*WHERE, "chart", "export"]) == sorted(taking)  # two name a kind before the study


@pytest.mark.few(6, slow=30)
@pytest.mark.parametrize("name", WHERE)
def test_a_condition_without_sessions_names_what_there_is(refused, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for condition, names in MISSED.items():
        refused(2, name, saved_clinic(), *WHERE[name], "--where", condition, names=names)


TESTING = {
    "confidence": ("0.5", ("confidence ", "above .5 and below 1, not 0.5; 0.95 ")),
    "draws": ("-3", ("draws must be", "of at least")),
    "seed": ("-1", ("seed ", "number, 0 or more, not -1")),
}
"""Options of tests and random draws, each with a value that none accepts and how it is refused."""


@pytest.mark.parametrize("name", WHERE)
def test_options_of_tests_are_refused_alike(refused, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = next(inspect.signature(one).parameters for one in COMMANDS if name_of(one) == name)
    for option, (bad, names) in TESTING.items():
        if option in parameters:
            words = [*WHERE[name], *(["--bands"] if "bands" in parameters else [])]
            if f"--{option}" in words:  # an option of one value is given once
                place = words.index(f"--{option}")
                del words[place : place + 2]
            refused(2, name, saved_clinic(), *words, f"--{option}", bad, names=names)


@pytest.mark.slow
@pytest.mark.parametrize("name", WHERE)
def test_every_output_names_the_condition(call, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call(name, saved_clinic(), *WHERE[name], "--where", "skill > 2")
    assert done.status == 0, done.err
    assert "skill > 2 (56 of 120 sessions)" in done.err
    of_frames = name in ("score", "curve", "breakdown", "gain-vectors", "precision-recall", "summary")
    page = (tmp_path / "page.html").read_text() if name == "report" else done.out
    assert of_frames or "skill > 2" in page or "skill &gt; 2" in page
    if name != "report":
        paper = call(name, saved_clinic(), *WHERE[name], "--where", "skill > 2", "--format", "markdown").out
        assert "essions where skill" in paper


@pytest.mark.slow
def test_a_chart_names_the_condition_and_what_there_is(call, refused, tmp_path):
    words = ["chart", "session-survival", saved_clinic(), "--output", tmp_path / "x.json", "--where"]
    for condition, names in MISSED.items():
        refused(2, *words, condition, names=names)
    assert "Sessions where skill > 2 (56 of 120 sessions)" in call(*words, "skill > 2").out


LENGTH = 1_000_000
WORDS = {
    "letters": "a" * LENGTH,
    "blanks": "a " * (LENGTH // 2),
    "commas": "a," * (LENGTH // 2),
    "lines": "a\n" * (LENGTH // 2),
    "escapes": "\x1b" * LENGTH,
    "digits": "1" * LENGTH,
    "brackets": "mean(" * (LENGTH // 5),
    "dashes": "-" * LENGTH,
}
SHORT = ("score", "compare", "report", "help", "measures", "schema", "init", "ingest")
"""Commands that are tried where the test is short."""
RUN = 150
"""Characters of the word in a row that a message shows at most."""


def options_and_arguments(name):
    """Yield words of a command, in which None is the place of an argument or of an option's value."""
    command = get_command(app_for(name)).commands[name]
    for kind, one in getattr(command, "commands", {"": command}).items():
        given = [name, *([kind] if kind else [])]
        for parameter in one.params:
            if parameter.param_type_name == "argument":
                shown = (parameter.metavar or parameter.name).upper()
                is_config = any(part in shown for part in ("CONFIG", "SOURCE", "FILE"))
                given.append("nDCG@10" if "MEASURE" in shown else str(CLINIC if is_config else saved_clinic()))
        for place in range(1 + bool(kind), len(given)):
            yield [*given[:place], None, *given[place + 1 :]]
        for parameter in one.params:
            names = [option for option in parameter.opts if option.startswith("--") and option != "--plugin"]
            if names and not getattr(parameter, "is_flag", False):
                yield [*given, names[0], None]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["letters", *(pytest.param(kind, marks=pytest.mark.proof) for kind in [*WORDS][1:])])
@pytest.mark.parametrize(
    "name",
    [name if name in SHORT[:4] else pytest.param(name, marks=pytest.mark.proof) for name in map(name_of, COMMANDS)],
)
def test_every_place_of_a_command(call, name, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in options_and_arguments(name):
        outcome = call(*(WORDS[kind] if word is None else word for word in words))
        assert outcome.status in (1, 2) or (kind == "digits" and outcome.status == 0), (
            words
        )  # some options take any number
        error = outcome.err.rpartition("error: ")[2]
        assert len(error) <= LONGEST_MESSAGE, words
        assert WORDS[kind][: 2 * RUN] not in error or " " in WORDS[kind] or "\n" in WORDS[kind], words


@pytest.mark.parametrize("kind", WORDS)
def test_what_is_meant_by_a_long_name_is_not_looked_for(kind):
    word = WORDS[kind]
    assert suggestion(word, ["nDCG", word[1:]]) == ""
    assert suggestion("nDGC", ["nDCG", word]) == "; did you mean 'nDCG'?"
    assert close_names(word, [word], 3, 0.6) == []


@pytest.mark.parametrize("form", ["session{:06}", "a" * 190 + "{:06}", "0" * 90 + "{:06}", "_a" * 80 + "{:06}"])
def test_among_many_names_the_nearest_is_found(form):
    """A name of the first thousands: of all others none is looked at."""
    names = [form.format(number) for number in range(100_000)]
    assert suggestion(names[1234] + "x", names) == f"; did you mean {names[1234]!r}?"


def test_names_that_are_the_beginning_of_another_do_not_hide_the_nearest():
    word = "measure_" * 12
    beginnings = [word[:length] for length in range(20, 96)]
    assert close_names(f"{word}Y", [*beginnings, f"{word}X"], 1, 0.5) == [f"{word}X"]


def test_a_message_keeps_its_end_and_paths():
    path = "/".join(["folder"] * 30)
    message = f"{path}: no such file; see: sessionkit check"
    assert readable(message) == message
    listed = f"no column; columns: {', '.join(f'column{number}' for number in range(5000))}; see: sessionkit check"
    assert readable(listed).startswith("no column; columns: column0, column1")
    assert readable(listed).endswith("column4999; see: sessionkit check")
    assert len(readable(listed)) < LONGEST_MESSAGE


@pytest.mark.parametrize("key", ["title", "format", "sessions.columns", "a" * 400])
def test_long_keys_and_values_of_a_study_toml(tmp_path, key):
    config = tmp_path / "study.toml"
    for line in (f'{key} = "{"a" * LENGTH}"', f"{key}{'a' * LENGTH} = 1", f"{key} = [{'1,' * 1000}]"):
        config.write_text(f'format = "tables"\n{line}\n' if key != "format" else f"{line}\n")
        with pytest.raises(sk.SessionkitError) as refused:
            sk.read(config)
        assert len(str(refused.value)) <= LONGEST_MESSAGE


OPTIONS_REQUIRED = {
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
    words = [word.format(measure) for word in OPTIONS_REQUIRED.get(command, ["{}"])]
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
