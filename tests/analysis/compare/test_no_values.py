"""Scores without a value: an error that names the reason, and no claim about 0 users."""

import pytest

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
SESSIONS = [f"s{number}" for number in range(16)]


def study(judgments):
    """Eight users, each with system A on topic t and with system B on topic u."""
    return sk.from_tables(
        sessions={
            "session_id": SESSIONS, "user_id": [f"u{number // 2}" for number in range(16)],
            "system_id": list("AB") * 8, "topic_id": list("tu") * 8,
        },
        results={"session_id": SESSIONS, "query_position": [1] * 16, "rank": [1] * 16, "doc_id": ["d"] * 16},
        judgments=judgments,
    )  # fmt: skip


def key(name):
    """One relevant document of a topic."""
    return {"judgment_key": [name], "doc_id": ["d"], "grade": [1]}


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("compare", {}), ("compare", {"test": "randomization"}), ("compare", {"population": "users,topics"}),
        ("power", {"difference": 0.1}), ("power", {"difference": "10%"}), ("discriminate", {}),
    ],
)  # fmt: skip
def test_without_judgments_there_is_nothing_to_compare(verb, options):
    with pytest.raises(
        DataError, match=r"nothing to compare: no session has a value of sDCG@10; the study has no judgments: add"
    ):
        getattr(sk, verb)(study(None), "sDCG@10", **options)
    with pytest.raises(
        DataError, match=r"no session has a value of sDCG@10; check that the judgments are of these topics"
    ):
        getattr(sk, verb)(study(key("other")), "sDCG@10", **options)


def test_the_command_fails(tmp_path, capsys):
    study(None).save(tmp_path / "study")
    assert main(["compare", str(tmp_path / "study"), "nDCG@10"]) == 1
    ran = capsys.readouterr()
    assert "nothing to compare: no session has a value of mean(nDCG@10); the study has no judgments" in ran.err
    assert ran.out == ""


def test_a_measure_beside_one_with_values_is_reported_as_empty():
    comparison = sk.compare(study(None), ["sDCG@10", "Queries"])
    assert comparison.table.select("measure", "n_a", "n_b").rows() == [("sDCG@10", 0, 0), ("Queries", 8, 8)]


def test_no_claim_about_no_users():
    """Topic t alone is judged, so that no user has a value with B."""
    reading = sk.compare(study(key("t")), "sDCG@10").reading
    assert "The claim is about no users: none has a value in every group." in reading
    assert "these 0" not in reading


def test_a_table_of_scores_without_values():
    scores = sk.score(study(None), "sDCG@10", per="session")
    with pytest.raises(DataError, match=r"^nothing to compare: no session has a value of sDCG@10$"):
        sk.compare(scores, "sDCG@10")
