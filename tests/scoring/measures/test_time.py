"""U and TBG of a list: the reference's worked value, and walks down the list restated."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import MeasureError
from tests.scoring.measures.drawn import OPTIONS, counted, sessions, study_of, values, worth, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
B = [1, 0, 1, 1, 0]


def test_time_biased_gain_of_the_reference():
    assert values(written(B), "TBG") == [pytest.approx(1.3810966304, abs=5e-11)]
    # the same from the log's own lengths
    assert values(written(B, words=[500] * 5), "TBG(words=9)") == [pytest.approx(1.3810966304, abs=5e-11)]
    # a relevant document takes 4.4 + 0.64 x (7.8 + 0.018 x 1000) seconds, any other 4.4 + 0.39 x (...)
    second = 0.64 * 0.77 * 2 ** (-(4.4 + 0.39 * (7.8 + 18)) / 224)
    assert values(written([0, 1], words=[1000, 1]), "TBG") == [pytest.approx(second)]
    assert values(written([0, 1], words=[None, 1]), "TBG(words=1000)") == [pytest.approx(second)]


def test_u_measure_by_words_and_by_seconds():
    # documents end at 300, 400 and 1000 words of 800
    assert values(written([2, 0, 3], words=[300, 100, 600]), "U(horizon=800)") == [pytest.approx(2 * (1 - 300 / 800))]
    # grades 2, 0 and 1 take 37.6, 9.8 and 23 seconds: they end at 37.6, 47.4 and 70.4 of 99
    by_grade = "U(gain=exp2,horizon=99,seconds=9.8-23-37.6)"
    assert values(written([2, None, 1]), by_grade) == [pytest.approx(3 * (1 - 37.6 / 99) + 1 * (1 - 70.4 / 99))]
    # a gap in the ranks takes the time of a result that nothing is known about
    gap = written([1, 1])
    gap["lists"][0][1]["rank"] = 3
    assert values(gap, by_grade) == [pytest.approx(2 - 23 / 99 - (23 + 9.8 + 23) / 99)]
    assert values(gap, "U(horizon=2000,words=400)") == [pytest.approx(2 - 400 / 2000 - 1200 / 2000)]


def test_parameters():
    with pytest.raises(MeasureError, match="U needs horizon, for example U"):
        values(written(B), "U")
    with pytest.raises(MeasureError, match=r"TBG: click must be probabilities by grade, from 0 to 1, not 0\.5-1\.5"):
        sk.parse_measure("TBG(click=0.5-1.5)")
    assert str(sk.parse_measure("TBG(click=0.39-0.64,save=0-0.5)@10")) == "TBG(save=0-0.5)@10"


def entry(row, listed):
    """The entry of a list by grade for a result."""
    grade = row["grade"]
    return listed[0 if grade is None or grade < 1 else min(grade, len(listed) - 1)]


@settings(max_examples=examples(40), deadline=None)
@given(
    session=sessions(),
    options=OPTIONS,
    gain=st.sampled_from(["linear", "exp2"]),
    seconds=st.sampled_from([None, [10, 20, 40], [5, 0.5]]),
)
def test_restated(session, options, gain, seconds):
    extra = "" if seconds is None else f",seconds={'-'.join(map(str, seconds))}"
    texts = [
        f"U(gain={gain},horizon={1000 if seconds is None else 60}{extra})",
        f"TBG(click=0.2-0.5-0.9,save=0.1-0.6,halflife=50,scan=2,open=7,per_word=0.01,words=300{extra})",
    ]
    found = values(session, *(sk.parse_measure(text)(**options) for text in texts))
    for u, tbg, (rows, _) in zip(found[::2], found[1::2], counted(session, options), strict=True):
        if not session["judgments"]:
            assert (u, tbg) == (None, None)
            continue
        at = {row["rank"]: row for row in rows}
        blank = {"grade": None, "words": None, "first": False}
        trail = clock = useful = saved = 0.0
        for rank in range(1, max(at, default=0) + 1):
            row = at.get(rank, blank)
            if seconds is None:
                trail += 500 if row["words"] is None else row["words"]
            else:
                trail += entry(row, seconds)
            useful += worth(row, gain) * max(0, 1 - trail / (1000 if seconds is None else 60))
            if row["first"] and row["grade"] is not None:
                saved += entry(row, [0.2, 0.5, 0.9]) * entry(row, [0.1, 0.6]) * 2 ** (-clock / 50)
            words = 300 if row["words"] is None else row["words"]
            spent = 2 + entry(row, [0.2, 0.5, 0.9]) * (7 + 0.01 * words)
            clock += spent if seconds is None else entry(row, seconds)
        assert u == pytest.approx(useful)
        assert tbg == pytest.approx(saved)


def test_contributions_add_up():
    for text in ("U(horizon=2000)", "TBG"):
        table = sk.explain(study_of(written(B)), text)
        assert table.get_column("contribution").sum() == pytest.approx(values(written(B), text)[0])
