"""What commands found: the tables that their help names, and the provenance that every finding has.

A message after a run without a study.toml that names a setting says where it goes; what it proposes is then taken.
"""

import inspect
import re

import pytest

from sessionkit.cli.app import COMMANDS, name_of
from sessionkit.cli.options import tables_named
from tests.support.clinic import saved_clinic

FINDINGS = {
    "describe": [],
    "agreement": [],
    "breakdown": ["nDCG@10", "--significance", "--draws", "200"],
    "curve": ["nsDCG@10", "--effort"],
    "compare": ["nsDCG@10"],
    "power": ["nsDCG@10", "--difference", "20%", "--draws", "200", "--component-draws", "50", "--users", "30"],
    "correlate": ["nsDCG@10", "sDCG@10", "--with", "satisfaction", "--draws", "200"],
    "bounds": ["nsDCG@10"],
    "judgment-loss": ["nsDCG@10", "--fractions", "0.5", "--draws", "2"],
    "judge-noise": ["nsDCG@10", "--draws", "3"],
    "discriminate": ["nsDCG@10"],
    "sweep": ["sDCG@10", "--vary", "b=2,3"],
    "calibrate": ["--draws", "200"],
}
"""Commands that return findings, and what else they need."""
MIXED = {"effects", "components", "fits"}
"""Tables that compare has of --population users,topics alone."""


def test_the_commands_that_have_tables_are_found():
    having = {name_of(one) for one in COMMANDS if "table" in inspect.signature(one).parameters} - {"schema"}
    assert {*FINDINGS, "check", "pseudonymize"} == having


@pytest.mark.slow
@pytest.mark.parametrize("name", FINDINGS)
def test_help_names_every_table_and_each_has_its_provenance(call, name):
    words = [name, saved_clinic(), *FINDINGS[name]]
    command = next(one for one in COMMANDS if name_of(one) == name)
    named = {*tables_named(inspect.getdoc(command))} - (MIXED if name == "compare" else set())
    heads = [line.removeprefix("# ") for line in call(*words).lines if line.startswith("# ")]
    if name in ("compare", "bounds"):
        heads.append("units")  # of users, or of --per: written where they are asked for
    if name == "curve":
        heads.append("against")  # written with --against
    assert sorted(heads) == sorted([*named, "provenance"])
    told = dict(line.split("\t") for line in call(*words, "--table", "provenance").lines)
    assert told["command"].split()[:2] == ["sessionkit", name]
    assert "STUDY" in told["command"]
    assert len(told["fingerprint"]) == 64


@pytest.mark.slow
def test_help_names_every_table_of_a_mixed_model(call):
    words = ["compare", saved_clinic(), "nsDCG@10", "--population", "users,topics"]
    heads = {line.removeprefix("# ") for line in call(*words).lines if line.startswith("# ")}
    assert heads == {*MIXED, "provenance", "reading"}


LOG = "session_id,query_position,rank,doc_id,topic_id,clicked_at\ns,1,1,a,t,2026-03-02 12:00:00\ns,2,1,b,t,\n"
QRELS = "t 0 a 2\nt 0 a 1\nt 0 b -1\n"
SETTING = re.compile(r"\b(max_grade|timezone|unjudged_grades|collection_size|merge) = [^ ;,]+")


@pytest.fixture
def plain(call, tmp_path):
    """A log and judgments that need no study.toml, ingested; the study and what was said."""
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "qrels").write_text(QRELS)
    done = call("ingest", tmp_path / "log.csv", "--judgments", tmp_path / "qrels", "--out", tmp_path / "study")
    assert done.status == 0
    return tmp_path / "study", done.out + done.err


def test_every_setting_that_is_named_has_its_place(plain):
    _, said = plain
    named = {match.group(1) for match in SETTING.finditer(said)}
    assert named >= {"timezone", "merge", "unjudged_grades"}
    for line in said.splitlines():
        if SETTING.search(line):
            assert "top of a study.toml" in line


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        (["score", "mean(ERR@10)"], "max_grade = 2"),
        (["score", "mean(Rnorm@10)"], "collection_size = 100000"),
        (["bounds", "mean(DCG@10)", "--by", "topic_id"], "max_grade = 2"),
    ],
)
def test_a_setting_that_a_measure_needs_is_taken_where_the_message_says(call, plain, tmp_path, words, setting):
    study, _ = plain
    refused = call(words[0], study, *words[1:])
    assert refused.status in {1, 2}
    assert f"{setting} at the top" in refused.err
    toml = f'{setting}\n[results]\npath = "log.csv"\n[judgments]\npath = "qrels"\n'
    (tmp_path / "study.toml").write_text(toml)
    again = call(words[0], tmp_path / "study.toml", *words[1:])
    assert again.status == 0, again.err


def test_the_settings_proposed_for_the_log_are_taken(call, plain, tmp_path):
    _, said = plain
    settings = "\n".join(
        re.search(pattern, said).group() for pattern in (r'timezone = "[^"]+"', r"unjudged_grades = \[[^]]+\]")
    )
    (tmp_path / "study.toml").write_text(settings + '\n[results]\npath = "log.csv"\n[judgments]\npath = "qrels"\n')
    done = call("ingest", tmp_path / "study.toml", "--out", tmp_path / "again")
    assert done.status == 0
    assert "without zone" not in done.out + done.err
    assert "unjudged_grades" not in done.out + done.err
