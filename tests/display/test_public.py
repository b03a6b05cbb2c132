"""What people hold in their hands shows itself: never an address in memory, never more than fits on a page or two."""

import pytest

import sessionkit as sk
from sessionkit.errors import ACTING
from tests.support.payloads import CELL as HOSTILE


@pytest.fixture(scope="module")
def study():
    many = 40
    return sk.from_tables(
        results={
            "session_id": [f"{HOSTILE}{place}" for place in range(many)],
            "query_position": [1] * many,
            "rank": [1] * many,
            "doc_id": [f"{HOSTILE}{place % 3}" for place in range(many)],
            "topic_id": ["t", HOSTILE] * (many // 2),
            "system_id": [HOSTILE, "B", "B", HOSTILE] * (many // 4),
            HOSTILE: ["x"] * many,
        },
        judgments={"judgment_key": [HOSTILE, "t"] * 2, "doc_id": [f"{HOSTILE}{place // 2}" for place in range(4)], "grade": [2, 1, 0, 1]},
        max_grade=2,
        title=HOSTILE,
    )  # fmt: skip


VALUES = {
    "study": lambda study: study,
    "settings": lambda study: study.settings,
    "source": lambda study: study.sources[0],
    "description": sk.describe,
    "check": sk.check,
    "comparison": lambda study: sk.compare(study, "sDCG@1"),
    "incomplete": lambda study: sk.bounds(study, "sDCG@1"),
    "measures": lambda _: sk.MEASURES,
    "measure": lambda _: sk.MEASURES["nsDCG"],
    "formats": lambda _: sk.FORMATS,
    "format": lambda _: sk.FORMATS["ubi"],
    "chart": lambda study: sk.charts.session_curve(sk.curve(study, "sDCG@1", by="system_id")),
    "report": lambda study: sk.report(study, "sDCG@1"),
}


@pytest.mark.parametrize("kind", [pytest.param(name, marks=[pytest.mark.slow] * (name == "report")) for name in VALUES])
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_what_is_shown_is_short_and_does_nothing(study, kind, elements):
    value = VALUES[kind](study)
    shown = repr(value)
    assert " at 0x" not in shown
    assert len(shown) < 20_000
    assert not ACTING.search(shown.replace("\n", ""))
    if hasattr(value, "_repr_html_"):
        page = value._repr_html_()
        assert len(page) < 60_000
        tags, text = elements(page)
        assert not tags & {"script", "img", "a", "iframe"}
        assert not ACTING.search(text.replace("\n", ""))


def test_those_who_work_in_notebooks_see_tables(study):
    kinds = ("study", "description", "check", "comparison", "incomplete", "measure", "format")
    assert all("<table>" in VALUES[kind](study)._repr_html_() for kind in kinds)
