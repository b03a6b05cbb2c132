"""The commands as a whole: names, help, version."""

import gzip
import inspect
import shlex
import shutil
import subprocess
import sys

import pytest
import typer

import sessionkit
from sessionkit.charts.registry import CHARTS
from sessionkit.cli.app import COMMANDS, PANELS, app_for, name_of
from sessionkit.cli.command import listed_words
from sessionkit.cli.data import KEEPABLE, REPLACEABLE
from sessionkit.cli.figures import _example
from sessionkit.errors import DataError, UsageError
from sessionkit.study.identifiers import EXTRAS, KEPT, REPLACED, TITLE
from tests.support.clinic import CLINIC, read_clinic, saved_clinic
from tests.support.draws import draw_less

NAMES = [name_of(command) for command in COMMANDS]
ASKED = (
    "demo init ingest check describe score explain curve breakdown gain-vectors precision-recall summary compare power correlate bounds "
    "judgment-loss judge-noise agreement discriminate sweep calibrate chart report export pseudonymize measures formats schema help"
)


def test_the_commands_are_those_of_the_design():
    assert ASKED.split() == NAMES


def test_version_needs_no_library():
    code = (
        "import sys; from sessionkit.cli import main; main(['--version']); "
        "print(sorted({'polars', 'altair', 'typer', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"sessionkit {sessionkit.__version__}", "[]"]


@pytest.mark.slow
def test_help_needs_neither_polars_nor_altair():
    code = (
        "import sys; from sessionkit.cli import main; main(['score', '--help']); "
        "print(sorted({'polars', 'altair', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version_of_the_program_and_after_other_options(call):
    assert call("--version").out == f"sessionkit {sessionkit.__version__}\n"


def test_without_a_command_there_is_help_and_status_2(call):
    outcome = call()
    assert outcome.status == 2
    assert all(name in outcome.out for name in NAMES)


@pytest.mark.few(9)
@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_help_says_what_a_command_does_and_gives_an_example(command, call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    outcome = call(name_of(command), "--help")
    assert outcome.status == 0
    assert inspect.getdoc(command).splitlines()[0] in outcome.out
    assert COMMANDS[command] in outcome.out
    assert COMMANDS[command].startswith(f"sessionkit {name_of(command)}")
    first = inspect.getdoc(command).splitlines()[0]
    assert first in call("--help").out, "the list of commands shows only the start of longer lines"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["scroe"], ["scroe", "score"]),
        (["score"], ["STUDY", "sessionkit score --help"]),
        (["score", "s"], ["MEASURE"]),
        (["score", "s", "CG", "--bogus"], ["--bogus"]),
        (["score", "s", "CG", "--format", "xls"], ["xls", "jsonl"]),
        (["explain", "s", "CG"], ["--session"]),
        (["chart", "topic-curves", "s", "--output", "x.svg", "--long", "0"], ["--long", "1"]),
    ],
)
def test_wrong_commands_are_one_line_and_status_2(refused, arguments, names):
    refused(2, *arguments, names=names)


def test_statuses_are_those_of_the_errors():
    assert (DataError.exit_status, UsageError.exit_status) == (1, 2)


@pytest.mark.slow
def test_only_the_command_that_is_asked_for_is_prepared() -> None:
    """The others would cost more than the scoring of a small study; a name that is none of them needs all, to suggest one."""
    assert [*typer.main.get_command(app_for("score")).commands] == ["score"]
    assert [*typer.main.get_command(app_for("chart")).commands] == ["chart"]
    for asked in ("scor", "--help", "--version", None):
        assert typer.main.get_command(app_for(asked)).list_commands(None) == NAMES


def test_an_option_that_several_commands_take_is_declared_once():
    declared = {}
    commands = typer.main.get_command(app_for(None)).commands
    for command in (*commands.values(), *commands["chart"].commands.values()):
        for option in command.params:
            for name in option.opts:
                declared.setdefault(name, set()).add((option.metavar, option.help))
    assert len(declared.pop("--format")) == 2, "a format of tables, and one of figures"
    assert len(declared.pop("--spread")) == 2, "of the scores of a group, and of errors over grades"
    assert {name: len(ways) for name, ways in declared.items() if name.startswith("--") and len(ways) > 1} == {}


@pytest.mark.slow
def test_help_is_that_of_the_command_or_a_guide(call):
    assert call("help", "compare").out == call("compare", "--help").out
    assert call("help").out.startswith(call("--help").out)
    assert "\nTopics of sessionkit help:\n" in call("help").out
    assert call("help", "contributing").out.startswith("# ")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A folder with the files of the demo study, and the study as mystudy."""
    folder = tmp_path_factory.mktemp("examples")
    for path in CLINIC.parent.iterdir():
        if path.suffix in (".csv", ".txt", ".gz"):
            shutil.copy(path, folder)
    (folder / "results.tsv").write_bytes(gzip.decompress((folder / "results.tsv.gz").read_bytes()))
    (folder / "results.tsv.gz").unlink()
    read_clinic().save(folder / "mystudy")
    return folder


EXAMPLES = {name_of(command): example for command, example in COMMANDS.items()}
EXAMPLES |= {f"chart {kind}": _example(kind, entry) for kind, entry in CHARTS.items()}


@pytest.mark.few(20)
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "demo"])  # tests/cli/test_data.py makes the demo
def test_the_examples_of_the_help_run_on_the_demo_study(name, call, clinic, monkeypatch):
    monkeypatch.chdir(clinic)
    if name == "ingest":
        (clinic / "study.toml").write_text(CLINIC.read_text(encoding="utf-8").replace("results.tsv.gz", "results.tsv"))
    draw_less(monkeypatch)
    outcome = call(*shlex.split(EXAMPLES[name].replace("--draws 500", "--draws 20"))[1:])
    assert outcome.status == 0, outcome.err


SHELL = {"chart", "table", "format_", "output"}
"""Options that every command may have, and no function."""
OWN = {
    "score": {"verify", "engine", "master"},
    "curve": {"against", "effort", "gain", "document_cost", "query_cost"},
    "breakdown": {"significance", "units", "interval"},
    "calibrate": {"study", "counts"},
    "pseudonymize": {"out", "mapping"},
}
"""Options of single commands: those of the functions beside theirs, and where their results go."""
FUNCTIONS = [name for name in NAMES if callable(getattr(sessionkit, name.replace("-", "_"), None))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_command_and_its_function_take_the_same_and_mean_the_same_by_nothing(name):
    command = next(command for command in COMMANDS if name_of(command) == name)
    function = getattr(sessionkit, name.replace("-", "_"))
    of_command, of_function = (
        {one.rstrip("_"): parameter.default for one, parameter in inspect.signature(each).parameters.items()}
        for each in (command, function)
    )
    own = {one.rstrip("_") for one in SHELL} | OWN.get(name, set())
    assert of_command.keys() - of_function.keys() <= own
    assert of_function.keys() - of_command.keys() <= ({"seen"} if name == "calibrate" else set())
    required = inspect.Parameter.empty
    for one in of_command.keys() & of_function.keys():
        ours, theirs = of_command[one], of_function[one]
        if ours is required and theirs is None:  # what Python can leave out of a table of scores
            continue
        if not ours:
            ours = None
        if isinstance(theirs, tuple):
            theirs = ",".join(theirs) or None
        assert ours == (theirs or None) or (name, one) == ("calibrate", "model")


COMPLETED = [
    ("sco", ["score"]),
    ("chart ses", [f"session-{kind}" for kind in ("curve", "wall", "card", "timeline", "pair", "survival")]),
    ("score STUDY nsD", ["nsDCG"]),
    ("score STUDY nsDCG@10 --by sys", ["system_id"]),
    ("score STUDY nsDCG@10 --by system_id,years_p", ["system_id,years_portal"]),
    ("compare STUDY nsDCG@10 --within sk", ["skill"]),
    ("correlate STUDY nsDCG@10 --with sat", ["satisfaction"]),
    ("curve STUDY nsDCG@10 --format l", ["latex"]),
    ("measures avg", ["avgpos"]),
    ("formats que", ["quepid"]),
    ("help cont", ["contributing", "contribution"]),
    ("help session-p", ["session-pair"]),
    ("help nsD", ["nsDCG"]),
    ("score nowhere nsDCG@10 --by sys", []),
    ("chart session-curve STUDY nsD", ["nsDCG"]),
    ("chart session-curve STUDY nsDCG@10 sDC", ["sDCG"]),
    ("chart session-curve STUDY --by sk", ["skill"]),
    ("chart session-curve STUDY --style g", ["grey"]),
    ("chart effort-gain STUDY --along m", ["minutes"]),
    ("correlate STUDY nsDCG@10 --control Queri", ["Queries"]),
    ("ingest log --from que", ["quepid"]),
    ("ingest log --missing-positions n", ["not_logged"]),
    ("ingest log --missing-topics z", ["zero"]),
    ("schema re", ["results", "rejected"]),
    ("schema st", ["study"]),
    ("formats --reads j", ["judgments"]),
    ("score STUDY nsDCG@10 --per s", ["session"]),
    ("compare STUDY nsDCG@10 --test w", ["wilcoxon", "welch"]),
    ("compare STUDY nsDCG@10 --population users", ["users", "users,topics"]),
    ("compare STUDY nsDCG@10 --correction h", ["holm"]),
    ("compare STUDY nsDCG@10 --table o", ["overall", "order"]),
    ("describe STUDY --table qu", ["questions"]),
    ("breakdown STUDY nDCG@10 --parts b", ["best"]),
    ("breakdown STUDY nDCG@10 --parts last,b", ["last,best"]),
    ("breakdown STUDY nDCG@10 --average q", ["queries"]),
    ("breakdown STUDY nDCG@10 --units u", ["users"]),
    ("correlate STUDY nsDCG@10 --with skill --interval b", ["bca"]),
    ("correlate STUDY nsDCG@10 --coefficients kendall,", ["kendall,pearson", "kendall,spearman"]),
    ("calibrate STUDY --model sR", ["sRBP"]),
    ("calibrate STUDY --signal d", ["dwell"]),
    ("judge-noise STUDY nsDCG@10 --noise s", ["searchers"]),
    ("report STUDY --redact queries,u", ["queries,users"]),
    ("report STUDY --also p", ["power"]),
    ("report STUDY --primary nsD", ["nsDCG"]),
    ("report STUDY nsD", ["nsDCG"]),
    ("pseudonymize STUDY --keep times,ti", ["times,title"]),
    ("measures nsD", ["nsDCG"]),
]
"""What is typed, and what a shell offers in place of its last word."""


@pytest.mark.few(12)
@pytest.mark.parametrize(("typed", "offered"), COMPLETED)
def test_a_shell_completes_names(typed, offered, call, tmp_path, monkeypatch):
    (tmp_path / "STUDY").symlink_to(saved_clinic())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_SESSIONKIT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"sessionkit {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    assert call().out.split() == offered


def test_every_option_that_lists_its_words_completes_them():
    commands = typer.main.get_command(app_for(None)).commands
    found = {}
    for name, command in [*commands.items(), *commands["chart"].commands.items()]:
        for one in command.params:
            words = listed_words(getattr(one, "metavar", None))
            if words:
                offered = one.shell_complete(typer.Context(command), "")
                found[name, one.opts[0]] = [each.value for each in offered] == list(words)
    assert {("compare", "--test"), ("report", "--redact"), ("formats", "--reads")} <= found.keys()
    assert [place for place, same in found.items() if not same] == []


def test_what_pseudonymize_offers_is_what_it_knows():
    assert {*KEEPABLE} == {*REPLACED, *KEPT, EXTRAS, TITLE}
    assert {*REPLACEABLE} == KEPT


@pytest.mark.slow
def test_options_stand_in_panels(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    shown = call("compare", "--help").out
    for panel in ("Options", "Which sessions, and groups", "Tests and intervals", "Results", "Memory and engine"):
        assert f"\N{BOX DRAWINGS LIGHT HORIZONTAL} {panel} \N{BOX DRAWINGS LIGHT HORIZONTAL}" in shown
    assert all(f" {panel} " in call("--help").out for panel in PANELS)


def test_help_names_what_there_is(refused):
    refused(2, "help", "compar", names=["did you mean 'compare'", "topics: first-study, "])


def test_python_runs_the_package_as_the_command():
    ended = subprocess.run(
        [sys.executable, "-m", "sessionkit", "--version"], capture_output=True, text=True, check=True
    )
    assert ended.stdout.startswith("sessionkit ")
