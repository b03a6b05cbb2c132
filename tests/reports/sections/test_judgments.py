"""What a page says of how much is judged."""

import re

import pytest

from sessionkit.reports import report
from tests.reports.read_page import Reader


@pytest.mark.slow
def test_where_all_is_judged_no_table_of_hundreds_says_so(make):
    whole = make(max_grade=2)
    judgments = whole.judgments.collect()
    partly = whole.with_tables(judgments=judgments.head(len(judgments) - 1).lazy())
    assert "Judged share by rank" in report(partly)
    text = report(whole)
    assert "Every document that was shown is judged" in text
    for table in ("Judged share by", "whatever the unjudged results are"):
        assert table not in text


@pytest.mark.slow
def test_without_a_grade_scale_the_judged_share_is_told_all_the_same(make):
    def page(study):
        judgments = study.judgments.collect()
        return Reader(
            report(study.with_tables(judgments=judgments.head(len(judgments) - 1).lazy()), ["sDCG@5", "nsDCG@5"])
        ).text.replace("\xa0", " ")

    known, unknown = page(make(sessions=6, max_grade=2)), page(make(sessions=6))
    why = "Bounds were not worked out: "
    assert [why in text for text in (known, unknown)] == [False, True]
    told = re.search(r"[\d,]+ of [\d,]+ results shown within rank 5 are judged, [\d.]+%", known)[0]
    assert told in unknown
    for caption in ("Judged share by rank", "Judged share by query position"):
        assert caption in known
        assert caption in unknown.partition(why)[2]


@pytest.mark.slow
def test_where_all_is_judged_nobody_asks_for_the_end_of_the_scale(make):
    text = Reader(report(make(sessions=6), ["sDCG@5", "nsDCG@5"])).text
    assert re.search(r"shown within rank 5 are judged, 100% .*\.\s+Every document that was shown is judged", text)
    assert "Bounds were not worked out" not in text
    assert "so no missing judgment could change" in text
