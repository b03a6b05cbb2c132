"""One session on a page, and the panels it is made of."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import session_card, spec_of
from sessionkit.charts.session_panels import TimeScale, broken_gaps
from tests.support.messages import messages_with

LISTS = {"session_id": ["s"] * 4, "query_position": [1, 1, 2, 2]}
STUDY = sk.from_tables(
    results={**LISTS, "rank": [1, 2, 1, 2], "doc_id": ["a", "b", "c", "d"]},
    queries={"session_id": ["s"] * 2, "query_position": [1, 2], "query_text": ["jaguar speed", "Jaguar cars"]},
    sessions={"session_id": ["s"], "topic_id": ["t"]},
    judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "c", "d"], "grade": [1, 0, 3]},
)


def marks(chart, kind, *columns):
    """What the marks of a kind have in these fields, in their order."""
    rows = next(rows for rows in spec_of(chart)["datasets"].values() if rows and "kind" in rows[0])
    return [tuple(row.get(name) for name in columns) for row in rows if row["kind"] == kind]


def figure(study=STUDY, measure="nsDCG@2", **options):
    from sessionkit.reports.single_figures import single_figure

    return single_figure(study, "session-card", measure, **options)


@pytest.mark.parametrize("measure", ["nsDCG@2", "sDCG@2", "nsDCG(bq=2)@1", "mean(nDCG@2)"])
def test_bars_add_up_to_the_score_and_the_curve_ends_there(measure):
    chart = figure(measure=measure).chart
    results, curve = sk.charts.data(chart)
    value = sk.score(STUDY, measure, per="session").item(0, "value")
    assert results.get_column("contribution").sum() == pytest.approx(value, abs=1e-12)
    assert curve.get_column("value").drop_nulls().last() == pytest.approx(value, abs=1e-12)
    bars = [(top - bottom, added) for top, bottom, added in marks(chart, "bar", "y2", "y", "added") if added]
    assert all(
        height / added == pytest.approx(bars[0][0] / bars[0][1], rel=0.02) for height, added in bars
    )  # one scale


def test_terms_are_bold_where_added_and_struck_where_removed():
    chart = figure().chart
    assert [text for (text,) in marks(chart, "added", "text")] == ["cars", "bold"]  # the last explains
    assert [text for (text,) in marks(chart, "removed", "text")] == ["speed", "struck"]
    assert len(marks(chart, "strike", "x")) == 2


def test_results_that_are_unjudged_are_open():
    assert marks(figure().chart, "open", "document", "grade")[:1] == [("b", "unjudged")]
    assert [value for (value,) in marks(figure().chart, "grade", "value")][:3] == [1, 0, 3]


def test_a_study_without_judgments_has_no_gain():
    study = sk.from_tables(results={**LISTS, "rank": [1, 2, 1, 2], "doc_id": ["a", "b", "c", "d"]})
    made = figure(study, None)
    assert not marks(made.chart, "bar", "x")
    assert len(marks(made.chart, "open", "x")) == 4 + 1
    assert messages_with([made.caption], "no judgments", "no result has a gain")


@pytest.mark.parametrize(
    ("times", "gaps"),
    [
        ([0, 30, 60], []),
        ([0, 30, 60, 10_860, 10_900], [(60, 10_860)]),
        ([0, 10, 5_010, 5_020, 90_020, 90_030], [(10, 5_010), (5_020, 90_020)]),
        ([0, 10_000], []),
    ],
)
def test_long_gaps_are_broken(times, gaps):
    assert broken_gaps(times) == gaps


def test_time_is_even_outside_gaps():
    scale = TimeScale(0, 10_100, ((50, 10_050),), 10, 130, 20)
    assert [scale.at(second) for second in (0, 50, 10_050, 10_100)] == pytest.approx([10, 60, 80, 130])
    assert not any(50 < tick < 10_050 for tick in scale.ticks(10))


@pytest.mark.few(1, slow=1)
@pytest.mark.parametrize("width", ["84mm", "174mm"])
def test_no_session_is_higher_than_a_page(tmp_path, width):
    rows = [(q, r, f"d{q}.{r}", 1.0, q / 100, True) for q in range(1, 61) for r in range(1, 41)]
    names = ["query_position", "rank", "doc_id", "grade", "contribution", "clicked"]
    times = pl.DataFrame(
        {"query_position": range(1, 61), "text": ["x " * 200] * 60, "start": range(60), "end": range(1, 61)}
    )
    chart = session_card(
        pl.DataFrame(rows, schema=names, orient="row"), times, times=times, head=["word " * 30], title="T" * 90
    )
    path = sk.charts.save(chart, tmp_path / "a.svg", width=width, style="paper")
    head = path.read_text("utf-8").partition(">")[0]
    wide, high = (float(head.partition(f'{name}="')[2].partition("pt")[0]) * 25.4 / 72 for name in ("width", "height"))
    assert wide <= float(width[:-2]) * 1.02
    assert high <= 200
    assert "more queries: +" in path.read_text("utf-8")


def test_a_card_says_what_lies_below_its_lists():
    lists = {
        "session_id": ["s"] * 3,
        "query_position": [1] * 3,
        "rank": [1, 2, 3],
        "doc_id": [*"abc"],
        "topic_id": ["t"] * 3,
    }
    judgments = {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    study = sk.from_tables(results=lists | {"clicked": [True, False, True]}, judgments=judgments, max_grade=1)
    caption = figure(study, "nsDCG@2").caption
    assert messages_with([caption], "Not drawn: 1 result below rank 2", "1 click")
    assert "Not drawn" not in figure(study, "nsDCG@3").caption
