"""Documents shown, repeated, judged and relevant against counting by hand."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

import sessionkit as sk
from tests.support.examples import examples

from .logged import lists_of, logs, scored, was_clicked

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "ir_metrics"
quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@quiet
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=logs())
def test_restated(log):
    asked = (
        "UniqueDocs",
        "UniqueDocs@2",
        "Repeats",
        "Repeats@2",
        "Judged",
        "Judged@2",
        "RelevantSeen",
        "RelevantSeen(min_grade=2)@2",
        "RelevantSeen(depth=last_click)",
    )
    found = scored(log, *asked)
    grades = log[1]
    for number, session in enumerate(log[0]):
        lists = lists_of(session)
        rows = [result for query in lists for result in query["results"]]
        high = [result for result in rows if result["rank"] <= 2]
        seen = [
            result
            for query in lists
            for result in query["results"]
            if result["rank"] <= max((r["rank"] for r in query["results"] if r["clicked"]), default=0)
        ]

        def different(results, lowest=None):
            return len({r["doc_id"] for r in results if lowest is None or grades.get(r["doc_id"], -1) >= lowest})

        def judged(results):
            return sum(r["doc_id"] in grades for r in results) / len(results) if results else None

        def relevant(results, lowest=1):
            return different(results, lowest) if grades else None

        wanted = {
            "UniqueDocs": different(rows),
            "UniqueDocs@2": different(high),
            "Repeats": len(rows) - different(rows),
            "Repeats@2": len(high) - different(high),
            "Judged": judged(rows),
            "Judged@2": judged(high),
            "RelevantSeen": relevant(rows),
            "RelevantSeen(min_grade=2)@2": relevant(high, 2),
            "RelevantSeen(depth=last_click)": relevant(seen),
        }
        assert {text: values[number] for text, values in found.items()} == (wanted if lists else dict.fromkeys(wanted))


def test_a_click_is_a_click():
    """The plain rule that these tests share with those of clicks."""
    assert was_clicked({"clicked": None, "clicks": None, "clicked_at": 1.0, "click_elapsed_seconds": None})
    assert not was_clicked({"clicked": False, "clicks": 2, "clicked_at": 1.0, "click_elapsed_seconds": None})


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_a_real_user_study(tmp_path):
    """80 sessions, 388 queries, 3,446 results, all judged, 773 of them repeats across queries (FORMULAS section 2)."""
    tables = {
        "sessions": ("session", 'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic"'),
        "results": ("results", 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"'),
        "judgments": ("qrels", 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"'),
    }
    config = tmp_path / "study.toml"
    config.write_text(
        'format = "tables"\n'
        + "".join(
            f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns} }}\n'
            + ('empty_list = "no results"\n' if table == "results" else "")
            for table, (name, columns) in tables.items()
        )
    )
    names = ["Queries", "Results", "UniqueDocs", "Repeats", "Judged"]
    found = (
        sk.score(sk.read(config), names, per="session")
        .group_by("measure")
        .agg(sum=pl.col("value").sum(), least=pl.col("value").min())
    )
    sums = dict(zip(found["measure"], found["sum"], strict=True))
    assert sums == {"Queries": 388, "Results": 3446, "UniqueDocs": 3446 - 773, "Repeats": 773, "Judged": 80}
