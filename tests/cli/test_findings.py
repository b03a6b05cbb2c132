"""What commands found: the tables that their help names, and the provenance that every finding has."""

import inspect

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
