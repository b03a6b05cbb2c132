"""U and TBG of a list: the reference's worked value, and walks down the list restated.

sU and sTBG: logged times against a walk over the clicks, modeled ones against the measures of lists.
"""

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring.measures.grammar import example_of
from sessionkit.scoring.measures.registry import MEASURES
from tests.scoring.measures.drawn import OPTIONS, counted, sessions, values, worth, written
from tests.scoring.measures.drawn import study_of as drawn_study
from tests.support.examples import examples

from .logged import QUERIES, RESULTS, TYPES, at, began, click_times, lists_of, logs, scored, study_of

B = [1, 0, 1, 1, 0]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_time_biased_gain_of_the_reference():
    assert values(written(B), "TBG") == [pytest.approx(1.3810966304, abs=5e-11)]
    # the same from the log's own lengths
    assert values(written(B, words=[500] * 5), "TBG(words=9)") == [pytest.approx(1.3810966304, abs=5e-11)]
    # a relevant document takes 4.4 + 0.64 x (7.8 + 0.018 x 1000) seconds, any other 4.4 + 0.39 x (...)
    second = 0.64 * 0.77 * 2 ** (-(4.4 + 0.39 * (7.8 + 18)) / 224)
    assert values(written([0, 1], words=[1000, 1]), "TBG") == [pytest.approx(second)]
    assert values(written([0, 1], words=[None, 1]), "TBG(words=1000)") == [pytest.approx(second)]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_parameters():
    with pytest.raises(MeasureError, match="U needs horizon, for example U"):
        values(written(B), "U")
    with pytest.raises(MeasureError, match=r"TBG: click .*from 0 to 1, not 0\.5-1\.5"):
        sk.parse_measure("TBG(click=0.5-1.5)")
    assert str(sk.parse_measure("TBG(click=0.39-0.64,save=0-0.5)@10")) == "TBG(save=0-0.5)@10"


def entry(row, listed):
    """The entry of a list by grade for a result."""
    grade = row["grade"]
    return listed[0 if grade is None or grade < 1 else min(grade, len(listed) - 1)]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_contributions_add_up():
    for text in ("U(horizon=2000)", "TBG"):
        table = sk.explain(drawn_study(written(B)), text)
        assert table.get_column("contribution").sum() == pytest.approx(values(written(B), text)[0])


quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def walked(session, grades, worth, *, once):
    """Sum of what clicked documents are worth, the earliest click of a document in its list, or in the session."""
    total, seen = 0.0, set()
    for number, row, time in sorted(
        (c for c in click_times(session) if c[2] is not None), key=lambda c: (c[2], c[0], c[1]["rank"])
    ):
        again = (row["doc_id"], None if once else number) in seen
        seen.add((row["doc_id"], None if once else number))
        if not again:
            total += worth(grades.get(row["doc_id"]), time, time + (row["dwell_seconds"] or 0))
    return total


@quiet
@FEW
@given(log=logs(), once=st.booleans())
def test_logged_times_restated(log, once):
    grades, more = log[1], "duplicates=first" if once else "duplicates=all"
    texts = f"sU(gain=exp2,{more},horizon=30)", f"sTBG({more},save=0-.5-.9,halflife=20)"
    measures = [sk.parse_measure(text) for text in texts]
    found = scored(log, *measures)
    for number, session in enumerate(log[0]):
        clicks = click_times(session)
        unknown = not grades or not lists_of(session) or (clicks and all(time is None for _, _, time in clicks))

        def gain(grade, before, after):
            return (2**grade - 1) * max(0.0, 1 - after / 30) if grade else 0.0

        def saved(grade, before, after):
            return {None: 0, 0: 0, 1: 0.5, 2: 0.9}[grade] * 2 ** (-before / 20)

        for measure, gained in zip(measures, (gain, saved), strict=True):
            wanted = None if unknown else pytest.approx(walked(session, grades, gained, once=once), abs=1e-12)
            assert found[str(measure)][number] == wanted


@quiet
@FEW
@given(log=logs(), per_query=st.sampled_from([0, 7.5]))
def test_modeled_times_run_on_from_list_to_list(log, per_query):
    """With a result's time by its grade the walk along the session needs no length of documents."""
    seconds = {None: 2.0, 0: 2.0, 1: 5.0, 2: 8.0}
    u = sk.parse_measure(f"sU(horizon=40,times=modeled,seconds=2-5-8,per_query={per_query})")
    tbg = sk.parse_measure(f"sTBG(times=modeled,seconds=2-5-8,per_query={per_query},click=.4-.6,save=0-.8,halflife=20)")
    found = scored(log, u, tbg)
    grades = log[1]
    for number, session in enumerate(log[0]):
        clock, gained, saved = 0.0, 0.0, 0.0
        for turn, query in enumerate(q for q in session["queries"] if q["logged"]):
            clock += per_query if turn else 0.0
            seen = set()
            for row in query["results"]:
                grade = grades.get(row["doc_id"])
                fresh = row["doc_id"] not in seen  # a list gains once from a document, and takes its time again
                seen.add(row["doc_id"])
                saved += 0.6 * 0.8 * 2 ** (-clock / 20) if grade and fresh else 0.0
                clock += seconds[grade]
                gained += grade * max(0.0, 1 - clock / 40) if grade and fresh else 0.0
        for measure, wanted in ((u, gained), (tbg, saved)):
            assert found[str(measure)][number] == (
                pytest.approx(wanted, abs=1e-12) if grades and lists_of(session) else None
            )


@quiet
def test_a_session_of_one_query_scores_what_the_query_does():
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 5,
            "query_position": [1] * 5,
            "rank": [1, 2, 3, 4, 6],
            "doc_id": list("abcde"),
            "words": [100, 900, None, 50, 300],
        },
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 4, "doc_id": list("acde"), "grade": [1, 2, 0, 1]},
    )
    for session, single in (("sTBG(times=modeled)", "TBG"), ("sU(times=modeled,horizon=1800)", "U(horizon=1800)")):
        whole = sk.score(study, [session], per="session").get_column("value").to_list()
        assert whole == pytest.approx(sk.score(study, [single], per="query").get_column("value").to_list())
    # FORMULAS section 7: 1,0,1,1,0 of 500 words each is worth 1.3810966304
    plain = sk.from_tables(
        results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("acd"), "grade": [1] * 3},
    )
    assert sk.score(plain, ["sTBG(times=modeled)"], per="session").get_column("value").to_list() == [
        pytest.approx(1.3810966304, abs=5e-11)
    ]


@quiet
def test_what_is_missing_is_named():
    log = ([{"started_at": None, "ended_at": None, "queries": []}], {"a": 1})
    bare = study_of(log, without=[*QUERIES, *RESULTS])
    with pytest.raises(DataError, match=r"sTBG .*_at, click_elapsed_seconds"):
        sk.score(bare, ["sTBG"], per="session")
    with pytest.raises(MeasureError, match="sU needs horizon"):
        sk.score(bare, ["sU"], per="session")
    with pytest.raises(MeasureError, match=r"words .*effect on times=logged"):
        sk.parse_measure("sTBG(words=200)")
    assert str(sk.parse_measure("sTBG(words=200,times=modeled)")) == "sTBG(words=200,times=modeled)"
    with pytest.raises(MeasureError, match="probabilities"):
        sk.parse_measure("sTBG(save=0-2)")


def of_times():
    """Every measure that reads a time of day, with what it needs, over fewer ranks and queries too."""
    found = []
    for measure in map(example_of, MEASURES.values()):
        read = {
            name
            for columns in (measure.inner.needs(), measure.inner.may_read)
            for names in columns.values()
            for name in names
        }
        if not read.isdisjoint(AT):
            taken = measure.parameters()
            found += [measure, *(measure @ rank for rank in (1, 2) if "cutoff" in taken)]
            found += [measure(**{name: value}) for name, value in CHOICES if name in taken]
    return found


AT = {"started_at", "ended_at", "issued_at", "clicked_at"}
CHOICES = [("queries", 1), ("queries", 2), ("duplicates", "first"), ("unjudged", "skip")]


@quiet
def test_time_zero_does_not_depend_on_the_cutoff():
    """The session begins with its first click, at rank 11; rank 1 is clicked 100 s later and read for 10 s: 1 - 110/1000."""
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 2,
            "query_position": [1, 1],
            "rank": [1, 11],
            "doc_id": ["a", "b"],
            "clicked_at": ["2026-01-05T09:01:40Z", "2026-01-05T09:00:00Z"],
            "dwell_seconds": [10.0, 10.0],
        },
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    for one in (study, sk.pseudonymize(study).study):
        for text in ("sU(horizon=1000)@10", "sU(horizon=1000)", "sU(horizon=1000,unjudged=skip)@10"):
            assert sk.score(one, [text], per="session")["value"].to_list() == [pytest.approx(0.89, abs=1e-15)]


@pytest.mark.slow
@quiet
@FEW
@given(log=logs())
def test_second_0_is_one_for_all_measures_and_for_a_copy_without_times(log):
    """Said in the log, or found in all of it: every measure of time is the same to the bit, whatever it counts."""
    measures = of_times()
    assert {measure.name for measure in measures} >= {"sU", "sTBG", "Duration", "TimeToFirstClick"}
    study = study_of(log)
    starts = [began(session) for session in log[0]]
    told = pl.Series("started_at", [at(start, "started_at") for start in starts], dtype=TYPES["started_at"])
    said = study.with_tables(sessions=study.sessions.collect().sort("session_id").with_columns(told).lazy())
    copy = sk.pseudonymize(study, keep="sessions").study
    scores = [sk.score(one, measures, per="session").drop("user_id") for one in (study, said, copy)]
    assert scores[0].equals(scores[1])
    assert scores[0].equals(scores[2])
