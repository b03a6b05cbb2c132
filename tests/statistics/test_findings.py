"""What findings have in common: no name from a log starts a line of a reading, or acts on a terminal.

What findings say of how they were made: the command that they name makes them again.
"""

import json
import shlex
from functools import partial

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.display.tables import LIMIT
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic

HOSTILE = "A\nThis conclusion holds.\x1b[31m\u202e"


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "find",
    [
        lambda study: sk.sweep(study, "sDCG@2", {"b": [2, 4]}, population="sessions"),
        lambda study: sk.compare(study, "sDCG@2", population="sessions"),
        lambda study: sk.bounds(study, "sDCG@2"),
        lambda study: sk.effort(study, "sDCG@2"),
        lambda study: sk.judge_noise(study, "sDCG@2", draws=3, population="sessions"),
        lambda study: sk.discriminate(study, "sDCG@2", population="sessions"),
    ],
    ids=["sweep", "compare", "incomplete", "effort", "judge_noise", "discriminative_power"],
)
def test_a_name_stays_within_its_line(find):
    study = sk.from_tables(
        results={
            "session_id": list("abcd"), "query_position": [1] * 4, "rank": [1] * 4, "doc_id": list("wxyz"),
            "topic_id": list("tttt"), "system_id": [HOSTILE, HOSTILE, "B", "B"],
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("wxy"), "grade": [2, 1, 0]},
        max_grade=2,
    )  # fmt: skip
    found = find(study)
    reading = found.reading
    assert found.text == reading
    assert "A\\nThis conclusion holds.\\x1b[31m\\u202e" in reading
    assert not any(line.startswith("This conclusion") for line in reading.splitlines())
    assert all(line.isprintable() for line in reading.split("\n"))
    for name, frame in found.tables().items():
        # caption, empty line, heads, rule, rows; a name may hold no line end, no pipe and nothing that acts
        lines = found.to_markdown(name).split("\n")
        assert sum(line.startswith("|") for line in lines) == 2 + min(frame.height, LIMIT)
        for written in (found.to_markdown(name), found.to_latex(name)):
            assert all(line.isprintable() for line in written.split("\n"))
    main = next(name for name, frame in found.tables().items() if frame is found.table)
    for written in (found.to_latex(), found.to_markdown()):  # as papers print it
        assert all(line.isprintable() for line in written.split("\n"))
    with pytest.raises(UsageError, match=f"a table must be one of .*{main}.*, not 'mian'"):
        found.to_latex("mian")


WHERE = "queries >= 2 and topic_id <> 'D'"
FINDINGS = {
    "compare": (partial(sk.compare, measures=["nsDCG@10", "Queries"], within="topic_id", confidence=0.9), "pairs"),
    "mixed": (partial(sk.compare, measures="nsDCG@10", population="users,topics", random=["user_id", "topic_id"]), "effects"),
    "cut": (partial(sk.compare, measures="nsDCG@10", by="years_portal", cut=2, test="welch"), "pairs"),
    "sweep": (partial(sk.sweep, measure="nsDCG@10", vary={"b": "1.5:10:3", "gain": ["linear", "exp2"]}, by="topic_id"), "settings"),
    "correlate": (partial(sk.correlate, measures=sk.nsDCG @ 10, with_=["skill", "Queries"], draws=200), "correlations"),
    "power": (partial(sk.power, measure="nsDCG@10", difference="20%", users=[30, 60], draws=200, component_draws=50), "power"),
    "bounds": (partial(sk.bounds, measures="nsDCG@10", by=None, wanted=3), "wanted"),
    "judgment_loss": (
        partial(sk.judgment_loss, measures="nsDCG@10", fractions=[0.5, 1], draws=2, threshold=0.8, pool="study", min_grade=2),
        "agreement",
    ),
    "judge_noise": (partial(sk.judge_noise, measures="nsDCG@10", noise=0.1, spread="any", draws=3, pairs=5, full=0.5), "pairs"),
    "discriminate": (partial(sk.discriminate, measures="nsDCG@10", test="randomization", draws=199), "asl"),
    "effort": (partial(sk.effort, measure="nsDCG@10", by=None, query_cost=2.5), "reach"),
    "breakdown_tests": (partial(sk.breakdown_tests, measure="nDCG@10", parts=["last", "first"], interval="bca", draws=200), "tests"),
    "calibrate": (partial(sk.calibrate, model=["sDCG", "sRBP"], draws=200, ranks=5), "fits"),
}  # fmt: skip
"""Functions with arguments that are not their defaults, and the table to hold against that of the command."""


GRADES = [0.0, 1.0, 2.0, 3.0]
ERRORS = pl.DataFrame(
    [(grade, other, 0.7 if grade == other else 0.1) for grade in GRADES for other in GRADES],
    schema=["grade", "becomes", "share"], orient="row",
)  # fmt: skip
"""What a judge calls a document of each grade."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return read_clinic().save(tmp_path_factory.mktemp("provenance") / "STUDY")


@pytest.mark.few(3, slow=5)
@pytest.mark.parametrize("name", FINDINGS)
def test_the_command_makes_the_finding_again(name, saved, tmp_path, monkeypatch):
    function, table = FINDINGS[name]
    found = function(saved, where=WHERE)
    made = found.provenance
    assert made.where == WHERE
    assert made.fingerprint == saved.fingerprint
    assert made.version == sk.__version__
    monkeypatch.chdir(saved.path.parent)
    out = tmp_path / "again.parquet"
    assert main([*shlex.split(made.command)[1:], "--table", table, "--output", str(out)]) == 0
    assert pl.read_parquet(out).equals(found.tables()[table])


def test_findings_from_the_shell_say_the_same(saved, capsys):
    assert main(["compare", str(saved.path), "nsDCG@10", "--where", WHERE, "--draws", "99", "--format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = {row["name"]: row["value"] for row in rows if row["table"] == "provenance"}
    assert told == dict(sk.compare(saved, "nsDCG@10", where=WHERE, draws=99).provenance.table.rows())
    assert told["command"] == f"sessionkit compare STUDY nsDCG@10 --draws 99 --where {shlex.quote(WHERE)}"
    assert [told[name] for name in ("by", "seed", "draws", "correction")] == ["system_id", "0", "99", "bonferroni"]


def test_a_file_of_scores_makes_the_finding_again(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scores = sk.score(saved, "nsDCG@10", per="session", wide=True)
    scores.write_csv("SCORES.csv")
    found = sk.compare(scores, "nsDCG@10", where="skill > 1")
    assert found.reading.startswith("Sessions where skill > 1 (")
    assert found.provenance.fingerprint is None
    command = shlex.split(found.provenance.command.replace("SCORES", "SCORES.csv"))
    assert main([*command[1:], "--table", "pairs", "--output", "again.parquet"]) == 0
    assert pl.read_parquet("again.parquet").equals(found.table)


def test_all_measures_of_a_table_are_named(saved):
    scores = sk.score(saved, ["nsDCG@10", "Queries"], per="session")
    assert sk.compare(scores).provenance.command == "sessionkit compare SCORES nsDCG@10 Queries"


def test_arrays_are_written_as_lists(saved):
    swept = sk.sweep(saved, "nsDCG@10", {"b": np.array([2, 4]), "gain": ["exp2"]})
    assert swept.provenance.command == "sessionkit sweep STUDY nsDCG@10 --vary b=2,4 --vary gain=exp2"


def test_conditions_are_joined_and_papers_name_them(saved):
    part = sk.compare(saved, "nsDCG@10", where="topic_id = 'A'").provenance
    assert part.command.endswith("""--where 'topic_id = '"'"'A'"'"''""")
    found = sk.bounds(saved, "nsDCG@10", where=WHERE)
    assert r"Sessions where queries \textgreater{}= 2 and topic\_id \textless{}\textgreater{} " in found.to_latex()
    assert "Sessions where queries" in found.to_markdown("judged")


@pytest.mark.parametrize(
    "find",
    [
        partial(sk.compare, measures="nsDCG@10", where=pl.col("skill") > 1),
        partial(sk.judge_noise, measures="nsDCG@10", noise=ERRORS, draws=2),
    ],
)
def test_what_no_command_can_say_has_none(saved, find):
    made = find(saved).provenance
    assert made.command is None
    assert made.table.row(-1) == ("command", None)


def test_an_empty_list_is_no_table(saved):
    made = sk.correlate(saved, "nsDCG@10", "satisfaction", draws=200).provenance
    assert "control" not in made.arguments
    assert "a table" not in made.arguments.values()
