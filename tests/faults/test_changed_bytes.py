"""A saved study of which bytes were changed: check --verify and score refuse each change, and neither crashes nor asks for gigabytes.

``pytest -m proof -s tests/faults`` prints the figures of the long form.
"""

from pathlib import Path

import pytest

import sessionkit as sk
from tests.support.study_changes import edits, flips, outcomes
from tests.support.trials import CRASHES

CLINIC = Path(__file__).parents[2] / "examples" / "clinic" / "study.toml"
SIZES = [
    pytest.param((12, 12, 16), id="short"),
    pytest.param((None, 500, 100), id="long", marks=pytest.mark.proof),
]
"""Sessions of the study (None: all), flipped bits and edits of the descriptor; of each of two studies."""


@pytest.fixture
def saved(tmp_path):
    """Save the study of the clinic, or its first sessions, plain or partitioned."""

    def saved(sessions, partition_by):
        study = sk.read(CLINIC)
        if sessions is not None:
            few = study.sessions.head(sessions)
            study = sk.from_tables(
                **{
                    name: study.table(name).join(few, on="session_id", how="semi", maintain_order="left").collect()
                    for name in ("sessions", "queries", "results")
                },
                judgments=study.judgments.collect(),
                users=study.users.join(few, on="user_id", how="semi", maintain_order="left").collect(),
                **study.settings.as_dict(),
            )
        return study.save(tmp_path / "study", partition_by=partition_by).path

    return saved


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "partition_by", [None, pytest.param("system_id", marks=pytest.mark.slow)], ids=["plain", "partitioned"]
)
def test_every_changed_byte_is_found_and_none_does_harm(saved, partition_by, size):
    sessions, flipped, edited = size
    study = saved(sessions, partition_by)
    kind = "partitioned" if partition_by else "plain"
    changes = [*flips(study, flipped, 7), *edits(study, edited, 7)]
    figures = outcomes(study, changes)
    print(f"\n{kind} study, flipped bits: {figures.of('flip')}\n{kind} study, edits: {figures.of('edit')}")
    assert [one for one in figures.outcomes if {one.score, one.counts, one.verify} & {*CRASHES}] == []
    assert figures.undetected == []
    assert [
        one for one in figures.outcomes if one.score != "refused"
    ] == []  # small tables are hashed without --verify too
