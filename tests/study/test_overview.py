"""What a notebook shows of a study: counts that are kept with it, and what became of its records."""

import dataclasses

import polars as pl
import pytest

import sessionkit as sk


@pytest.fixture(scope="module")
def study():
    many = 40
    return sk.from_tables(
        results={
            "session_id": [f"s{place}" for place in range(many)],
            "query_position": [1] * many,
            "rank": [1] * many,
            "doc_id": ["d", "e"] * (many // 2),
            "topic_id": ["t"] * many,
        },
        judgments={"judgment_key": ["t"], "doc_id": ["d"], "grade": [2]},
        max_grade=2,
        title="A <title>",
    )


def test_a_saved_study_shows_itself_without_reading_a_table(study, tmp_path, monkeypatch):
    saved = study.save(tmp_path / "study")

    def read(*_, **__):
        pytest.fail("a table was read")

    monkeypatch.setattr(pl.LazyFrame, "collect", read)
    monkeypatch.setattr(pl, "collect_all", read)
    assert '<td dir="auto">results</td><td class="n">40</td>' in saved._repr_html_()
    assert "40 sessions, 40 queries, 40 results, 1 judgment" in repr(saved)


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_a_study_shows_what_became_of_its_records():
    lists = {
        "session_id": ["s", "s", "s"],
        "query_position": [1, 1, 1],
        "rank": ["1", "x", "2"],
        "doc_id": ["a", "b", "c"],
    }
    study = sk.from_tables(results=lists, judgments={"judgment_key": ["s"], "doc_id": ["a"], "grade": [1]})
    shown = study._repr_html_()
    assert "1 record was rejected, see study.rejected." in shown
    assert '<td dir="auto">results</td><td class="n">3</td><td class="n">2</td><td class="n">1</td>' in shown
    assert "merged" not in shown  # no record of this study met that end


def test_many_sources_are_counted(study):
    many = dataclasses.replace(study, sources=study.sources * 500)
    assert "more rows" in many._repr_html_()
    assert len(many._repr_html_()) < 20_000


def test_what_was_declared_is_said(study):
    shown = study._repr_html_()
    assert "<p>A &lt;title&gt;</p>" in shown
    assert "Declared: max_grade 2, merge max." in shown
    made_up = dataclasses.replace(
        study, settings=dataclasses.replace(study.settings, synthetic=True, collection_size=24900)
    )
    assert "<p>A &lt;title&gt; (synthetic)</p>" in made_up._repr_html_()
    assert "collection_size 24,900" in made_up._repr_html_()
