"""export: TREC files that ingest reads back."""

import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic

PATTERN = r"(?P<session>.+)_(?P<position>\d+)"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the study of the clinic."""
    folder = tmp_path_factory.mktemp("export")
    read_clinic().save(folder / "study")
    return folder


def test_what_is_exported_is_read_back(call, place):
    for kind in ("run", "qrels"):
        outcome = call("export", kind, str(place / "study"), "--output", str(place / f"clinic.{kind}"))
        assert (outcome.status, outcome.out) == (0, "")
    files = [str(place / "clinic.run"), "--judgments", str(place / "clinic.qrels")]
    outcome = call("ingest", *files, "--session-from", PATTERN, "--out", str(place / "again"))
    assert outcome.status == 0
    study, again = sk.open_study(place / "study"), sk.open_study(place / "again")
    for measure in ("mean(nDCG@10)", "sDCG@10"):
        ours, theirs = (sk.score(one, measure, per="session")["value"].to_list() for one in (study, again))
        assert ours == theirs


def test_the_run_goes_to_stdout_with_the_sessions_that_meet_a_condition(call, place):
    outcome = call("export", "run", str(place / "study"), "--where", "session_id = 'c001'")
    lines = outcome.out.splitlines()
    assert lines[0] == "c001_1 Q0 doc-21582 1 -1.0 S1"
    assert {line.split("_")[0] for line in lines} == {"c001"}


def test_lists_that_are_no_part_of_a_run_are_counted(call, place):
    assert "lists that are not in the run: 12 empty, 0 not logged" in call("export", "run", str(place / "study")).err
    assert not call("export", "qrels", str(place / "study")).err


def test_mistakes(call, place, tmp_path):
    outcome = call("export", "runs", str(place / "study"))
    assert (outcome.status, outcome.err) == (
        2,
        "error: 'runs' is not exported; did you mean 'run'?; it can be run or qrels\n",
    )
    assert (
        "no column 'skil'; did you mean 'skill'?"
        in call("export", "run", str(place / "study"), "--where", "skil > 2").err
    )
    log = tmp_path / "log.csv"
    log.write_text("session_id,query_position,rank,doc_id\nmy session,1,1,a\n")
    outcome = call("export", "run", str(log))
    assert outcome.status == 1
    assert "query_id 'my session_1' is empty or has a blank in it" in outcome.err
