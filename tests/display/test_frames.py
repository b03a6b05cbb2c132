"""Frames as results: polars frames, in whose display nothing from a log acts."""

import copy
import pickle

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import ACTING
from tests.support.payloads import CELL as HOSTILE


@pytest.fixture(scope="module")
def study():
    """Users, systems, topics, sessions and documents of hostile names."""
    names = [f"{HOSTILE}{number}" for number in range(8)]
    many = range(len(names))
    return sk.from_tables(
        results={
            "session_id": [name for name in names for _ in "ab"], "query_position": [1] * 16, "rank": [1, 2] * 8,
            "doc_id": [f"{HOSTILE}{kind}" for _ in names for kind in "ab"],
        },
        sessions={
            "session_id": names, "user_id": [names[number // 2] for number in many],
            "topic_id": [names[number % 2] for number in many], "system_id": [names[(number // 2 + number) % 2] for number in many],
        },
        judgments={"judgment_key": names[:2], "doc_id": [f"{HOSTILE}{kind}" for kind in "ab"], "grade": [1, 2]},
        max_grade=2,
    )  # fmt: skip


VERBS = {
    "score": lambda study: sk.score(study, ["sDCG@2"], per="session"),
    "curve": lambda study: sk.curve(study, "sDCG@2", by="system_id"),
    "breakdown": lambda study: sk.breakdown(study, "DCG@2"),
    "explain": lambda study: sk.explain(study, "sDCG@2"),
    "gain_vectors": lambda study: sk.gain_vectors(study, "DCG@2"),
    "precision_recall": sk.precision_recall,
    "summary": lambda study: sk.summary(study, "system_id"),
    "table of a finding": lambda study: sk.compare(study, "sDCG@2").table,
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_what_verbs_return_is_shown_without_harm_and_is_a_frame(study, verb):
    frame = VERBS[verb](study)
    assert isinstance(frame, pl.DataFrame)
    with pl.Config(fmt_str_lengths=200, tbl_width_chars=2000, tbl_cols=-1):
        shown = repr(frame)
    assert str(frame).startswith("shape: (")
    assert "\\e[31m" in shown
    page = frame._repr_html_()
    assert not ACTING.search((shown + str(frame) + page).replace("\n", ""))
    assert "<script" not in page
    assert any(
        HOSTILE in value for row in frame.rows() for value in row if isinstance(value, str)
    )  # values are as they were


def test_it_works_as_any_frame_does():
    plain = pl.DataFrame({"session_id": ["a", "b"], "value": [1.0, 2.0]})
    frame = ResultFrame(plain)
    assert_frame_equal(frame, plain)
    assert_frame_equal(plain, frame)
    assert type(frame.filter(value=1)) is pl.DataFrame
    assert frame.join(plain, on="session_id").equals(plain.join(plain, on="session_id"))
    assert pl.concat([frame, plain]).height == 4
    for again in (pickle.loads(pickle.dumps(frame)), copy.deepcopy(frame)):  # noqa: S301 - made here
        assert again.equals(plain)
    assert frame.to_arrow().equals(plain.to_arrow())
    assert repr(frame) == repr(plain)
    assert frame._repr_html_() == plain._repr_html_()
