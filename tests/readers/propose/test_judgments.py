"""Judgments keyed by two columns: a user and a task, a session and a query of it."""

import pytest

import sessionkit as sk
from sessionkit.readers.propose.propose import propose

SHOWN = [
    ("s1", "ann", "t1", 1),
    ("s1", "ann", "t1", 2),
    ("s2", "ann", "t2", 1),
    ("s3", "bob", "t1", 1),
    ("s4", "bob", "t2", 1),
]
"""Each list is a, b."""


def files(write, key, name):
    """A log, and judgments whose grade of `a` is 1 for the first pair, of `b` for all others."""
    separator = "," if name == ".csv" else "\t"
    columns = {"session": 0, "participant": 1, "task": 2, "query_no": 3}
    log = [("session", "participant", "task", "query_no", "rank", "document")]
    log += [(*row, rank, doc) for row in SHOWN for rank, doc in ((1, "a"), (2, "b"))]
    pairs = list(dict.fromkeys(tuple(row[columns[one]] for one in key) for row in SHOWN))
    judged = [(*key, "document", "relevance")]
    judged += [(*pair, doc, int((doc == "a") == (at == 0))) for at, pair in enumerate(pairs) for doc in "ab"]
    texts = ["".join(separator.join(map(str, row)) + "\n" for row in rows) for rows in (log, judged)]
    return write(f"log{name}", texts[0]), write(f"judgments{name}", texts[1])


@pytest.mark.few(3)
@pytest.mark.parametrize("name", [".csv", ".tsv"])
@pytest.mark.parametrize(
    ("key", "expected"),
    [
        # the lists of the first pair have the relevant document first: RR is 1, else 1/2
        (("participant", "task"), {"s1": 1.0, "s2": 0.5, "s3": 0.5, "s4": 0.5}),
        (("task", "participant"), {"s1": 1.0, "s2": 0.5, "s3": 0.5, "s4": 0.5}),
        (("session", "query_no"), {"s1": 0.75, "s2": 0.5, "s3": 0.5, "s4": 0.5}),
    ],
)
def test_the_key_of_two_columns_is_proposed_and_asked(write, quiet_read, key, expected, name):
    paths = files(write, key, name)
    proposal = propose(list(paths), folder=paths[0].parent)
    own = proposal.settings["judgments"]["columns"]["judgment_key"]
    assert set(own) == set(key)
    assert proposal.settings["results"]["columns"]["judgment_key"] == own
    assert f"{own[0]!r} and {own[1]!r} together are " in proposal.text
    study = quiet_read(write("study.toml", proposal.text))
    scores = sk.score(study, ["mean(RR)"], per="session")
    assert dict(scores.select("session_id", "value").rows()) == expected


def test_a_second_column_that_may_be_of_the_key_is_asked_about(write, tmp_path):
    log, _ = files(write, ("session", "query_no"), ".csv")
    judgments = write("judgments.csv", "session,query_no,document,relevance\ns1,1,a,1\ns1,2,b,1\ns2,1,a,0\ns3,1,b,1\n")
    proposal = propose([log, judgments], folder=tmp_path)
    assert "judgments have 'query_no' too" in proposal.text
