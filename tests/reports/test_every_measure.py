"""A report of every registered measure, on a small log that has all columns that any measure reads."""

import html
import re

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.scoring.measures.grammar import example_of
from sessionkit.scoring.needs import columns_read
from sessionkit.scoring.reduction import cache_batches
from sessionkit.statistics.bands import Grouping

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def study():
    """Six users who search three topics with one of two systems each; judgments are by subtopic."""
    sessions = [
        (f"{user}{topic}", user, topic, "AB"[(number + place) % 2], place + 1)
        for number, user in enumerate("abcdef")
        for place, topic in enumerate("xyz")
    ]
    results = [
        (session, query, rank, f"d{(5 * number + 4 * query + rank) % 9}")
        for number, (session, *_) in enumerate(sessions)
        for query in range(1, 3 + number % 2)
        for rank in range(1, 5)
    ]
    judgments = [
        (topic, f"d{number}", f"n{number % 3}", (number + place) % 4)
        for place, topic in enumerate("xyz")
        for number in range(8)
    ]
    began, position, rank = pl.datetime(2026, 1, 1), pl.col("query_position"), pl.col("rank")
    issued = began + pl.duration(minutes=position)
    log = pl.DataFrame(results, schema=["session_id", "query_position", "rank", "doc_id"], orient="row")
    known = pl.DataFrame(
        sessions, schema=["session_id", "user_id", "topic_id", "system_id", "session_order"], orient="row"
    )
    return sk.from_tables(
        results=log.with_columns(
            query_text=pl.format("words {}", position),
            issued_at=issued,
            clicked=rank <= 2,
            clicked_at=pl.when(rank <= 2).then(issued + pl.duration(seconds=10 * rank)),
            dwell_seconds=pl.when(rank <= 2).then(30.0 + rank),
            words=100 + 10 * rank,
            score=1.0 / rank,
            saved=rank == 1,
            known=rank == 2,
        ),
        sessions=known.with_columns(expected=3, started_at=began, ended_at=pl.datetime(2026, 1, 1, 0, 9)),
        judgments=pl.DataFrame(judgments, schema=["judgment_key", "doc_id", "subtopic_id", "grade"], orient="row"),
        max_grade=3,
        collection_size=1000,
    )


def of_sessions(name):
    """The registered measure of a name with all that it needs, as a measure of sessions."""
    measure = example_of(sk.MEASURES[name])
    return measure if measure.level == "session" else sk.mean(measure)


@pytest.mark.few(10, slow=40)
@pytest.mark.parametrize("name", [*sk.MEASURES])
def test_cached_batches_have_all_that_a_measure_reads(name, study):
    """A report caches the batches of a log and scores from them; what is judged by subtopic stands in no batch."""
    measure = of_sessions(name)
    alone = sk.score(study, measure)
    reads = columns_read(study, [measure])
    grouped = Grouping.of(study, "system_id").columns()
    with cache_batches(
        study, {table: [*reads.get(table, ()), *grouped.get(table, ())] for table in {**reads, **grouped}}
    ):
        assert sk.score(study, measure).equals(alone)


def check_page(study, measures):
    """The page of these measures shows the mean of each system in a row of the measure, as `score` gives it."""
    page = sk.report(study, [str(measure) for measure in measures])
    words = html.unescape(re.sub("<[^>]+>", " ", page)).replace("\N{MINUS SIGN}", "-").replace(",", "")
    text = " ".join(words.split())
    for measure in measures:
        name = str(measure).replace(",", "")
        assert name in text
        for value in sk.score(study, measure).get_column("value").drop_nulls():
            number = f"({re.escape(f'{value:.4f}')}|{re.escape(f'{value:.4g}')})"
            assert re.search(rf"{re.escape(name)} [^a-z]{{0,90}}?(?<![\d.]){number}(?![\d.])", text), (name, value)


@pytest.mark.slow
@pytest.mark.few(3)
@pytest.mark.parametrize("name", [*sk.MEASURES])
def test_a_report_of_every_measure(name, study):
    check_page(study, [of_sessions(name)])


PER_PAGE = 31
"""A page of so many measures takes no longer than a page of one."""


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, len(sk.MEASURES), PER_PAGE))
def test_a_report_of_several_measures(start, study):
    check_page(study, [of_sessions(name) for name in [*sk.MEASURES][start : start + PER_PAGE]])
