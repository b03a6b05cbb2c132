"""The command that makes a copy of a study to pass on."""

import json

import polars as pl

from sessionkit.study import open_study


def test_a_copy_is_made_and_told_of(call, study, tmp_path):
    outcome = call(
        "pseudonymize", study, "--out", tmp_path / "copy", "--mapping", tmp_path / "m.csv", "--format", "table"
    )
    assert outcome.status == 0
    assert "Replaced by pseudonyms:" in outcome.out
    assert "2 sessions" in outcome.out
    team = next(line for line in outcome.lines if line.startswith("sessions") and "team" in line)
    assert team.split() == ["sessions", "team", "left", "out", "text"]
    assert outcome.err.splitlines()[-2:] == [
        f"written: {tmp_path / 'm.csv'}, which undoes the pseudonyms; keep it separate",
        f"written: {tmp_path / 'copy'}",
    ]
    assert pl.read_csv(tmp_path / "m.csv").columns == ["column", "original", "pseudonym"]
    copy = open_study(tmp_path / "copy")
    assert copy.sessions.collect()["session_id"].to_list() == ["session-0001", "session-0002"]
    assert "Toy" not in json.dumps(json.loads((tmp_path / "copy" / "datapackage.json").read_text()))
    assert call("check", tmp_path / "copy", "--verify").status == 0
    scores = [call("score", one, "nsDCG@3", "Results").out for one in (study, tmp_path / "copy")]
    assert scores[0] == scores[1]


def test_options_say_what_stays_and_what_goes(call, study, tmp_path):
    arguments = ("--keep", "team,title", "--replace", "documents", "--seed", 4, "--table", "columns", "--format", "tsv")
    first = call("pseudonymize", study, "--out", tmp_path / "one", *arguments)
    again = call("pseudonymize", study, "--out", tmp_path / "two", *arguments)
    assert "results\tdoc_id\treplaced\t7\t" in first.lines
    assert "sessions\tteam\tkept\t\t" in first.lines
    assert first.out == again.out
    for name in ("sessions.parquet", "results.parquet", "datapackage.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_mistakes_are_named_before_anything_is_written(refused, study, tmp_path):
    out = tmp_path / "copy"
    refused(2, "pseudonymize", study, names=["--out"])
    refused(2, "pseudonymize", study, "--out", study, names=["the study itself"])
    refused(2, "pseudonymize", study, "--out", study / "in", names=["lies in the study"])
    refused(2, "pseudonymize", study, "--out", out, "--mapping", out / "m.csv", names=["keep the mapping separate"])
    refused(2, "pseudonymize", study, "--out", out, "--mapping", tmp_path / "m.xls", names=[".csv, .tsv, .parquet"])
    refused(2, "pseudonymize", study, "--out", out, "--keep", "uses", names=["did you mean 'users'"])
    refused(2, "pseudonymize", study, "--out", out, "--seed", "-1", names=["seed must be a whole number"])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    refused(2, "pseudonymize", study, "--out", tmp_path / "other", names=["is not empty and not a study"])
    assert not out.exists()
