"""The command that proposes a study.toml: where it goes, what is said beside it, what is refused."""

import os
import tomllib

import pytest

LOG = "session,qno,rank,url\n" + "".join(f"s{s},{q},{r},d{r}\n" for s in (1, 2) for q in (1, 2) for r in (1, 2, 3))
QRELS = "".join(f"s{s} 0 d{r} {r - 1}\n" for s in (1, 2) for r in (1, 2, 3))


@pytest.fixture
def files(tmp_path):
    """A private log and its judgments."""
    folder = tmp_path / "a log"
    folder.mkdir()
    (folder / "results.csv").write_text(LOG)
    (folder / "qrels.txt").write_text(QRELS)
    return [folder / "results.csv", folder / "qrels.txt"]


def test_the_proposal_goes_to_stdout_and_what_to_do_next_to_stderr(files, call, monkeypatch):
    monkeypatch.chdir(files[0].parent)
    outcome = call("init", "results.csv", "qrels.txt")
    assert outcome.status == 0
    said = tomllib.loads(outcome.out)
    assert (said["results"]["path"], said["judgments"]["path"]) == ("results.csv", "qrels.txt")
    assert outcome.out.count("\n# ? ") == 1
    again = "sessionkit init results.csv qrels.txt --output study.toml"
    assert (
        outcome.err == f"1 open question, in lines that begin with '# ?'; no file was written. To write it: {again}\n"
    )
    assert call(*again.split()[1:]).err.endswith("answer them; then: sessionkit check study.toml\n")
    assert call("check", "study.toml").status == 0


def test_a_file_lies_where_its_paths_say_and_can_be_checked_and_ingested(files, call, tmp_path):
    out = tmp_path / "my study.toml"
    outcome = call("init", *files, "--output", out)
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err.endswith(f"sessionkit check '{out}'\n")
    assert tomllib.loads(out.read_text())["results"]["path"] == "a log/results.csv"
    checked = call("check", out)
    assert checked.status == 0
    assert checked.err.startswith(
        f"note: {out} leaves 1 question to answer; delete each line that begins with '# ?' when it is\n"
    )
    assert "\n  line 4: the largest grade in qrels.txt is 2." in checked.err
    out.write_text("".join(line for line in out.read_text().splitlines(keepends=True) if not line.startswith("# ?")))
    assert call("check", out).err == ""
    assert call("ingest", out, "--out", tmp_path / "study").status == 0


def test_a_file_that_is_there_is_replaced_only_by_force(files, call, refused, tmp_path):
    out = tmp_path / "study.toml"
    out.write_text("mine")
    refused(2, "init", *files, "--output", out, names=["already exists and was left alone", "--force"])
    assert out.read_text() == "mine"
    assert call("init", *files, "--output", out, "--force").status == 0
    assert tomllib.loads(out.read_text())["format"] == "tables"


def test_the_log_itself_is_never_written_to(files, refused):
    refused(
        2,
        "init",
        *files,
        "--output",
        files[0].parent / ".." / "a log" / "results.csv",
        "--force",
        names=["a file of the log"],
    )
    assert files[0].read_text() == LOG


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_refused_before_it_is_opened(refused, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(1, "init", tmp_path / "pipe", names=["is a device or a pipe"])


def test_what_is_no_log_is_an_error_in_one_line(files, refused, tmp_path):
    refused(1, "init", files[1], names=["only judgments, no log", "sessionkit init LOG qrels.txt"])
    refused(1, "init", tmp_path / "nothing.csv", names=["no such file"])
    refused(1, "init", tmp_path, names=["is a directory"])
    refused(2, "init", *files, "--output", tmp_path / "no" / "such" / "x.toml", names=["does not exist; create it"])
    refused(2, "init", names=["FILE"])


def test_without_questions_it_says_so(files, call):
    assert call("init", files[0]).err.startswith("no open questions; no file was written.")


def test_what_is_left_of_a_partial_proposal_is_told_where_it_cannot_be_read(call, tmp_path):
    log, out = tmp_path / "log.csv", tmp_path / "study.toml"
    log.write_text("participant,query,url\np1,bus,d1\np1,car,d2\np2,bus,d1\n")
    assert "3 open questions" in call("init", log, "--output", out).err
    checked = call("check", out)
    assert checked.status == 1
    for said in (
        "leaves 3 questions",
        "\n  line 12: no column names sessions",
        "error: log.csv (results) has no columns",
    ):
        assert said in checked.err
