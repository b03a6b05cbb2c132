"""Judgments of several locales under one key."""

import polars as pl

from sessionkit.readers.judgments.files import locale_warnings
from sessionkit.readers.raw import Raw, no_way_back
from sessionkit.study.checks import RECORD


def judgments(**columns):
    many = len(next(iter(columns.values())))
    frame = pl.LazyFrame({RECORD: range(1, many + 1), "doc_id": ["A"] * many, **columns})
    return Raw("judgments", "j.csv", frame, many, no_way_back)


def test_keys_of_one_locale_each_are_nothing_to_speak_of():
    assert locale_warnings([judgments(judgment_key=["a", "b"], locale=["us", "es"])]) == ()
    assert locale_warnings([judgments(judgment_key=["a", "a"], locale=["us", None])]) == ()
    assert locale_warnings([judgments(judgment_key=["a", "a"])]) == ()
    assert locale_warnings([judgments(other=["a", "a"], locale=["us", "es"])]) == ()


def test_keys_of_several_are_counted_with_the_first():
    (said,) = locale_warnings(
        [judgments(judgment_key=["b", "b", "a", "a", "c"], locale=["us", "es", "us", "es", "us"])]
    )
    assert said.startswith(
        "j.csv: 2 keys with judgments of several values of locale (first: 'a'), which count as those of one"
    )
