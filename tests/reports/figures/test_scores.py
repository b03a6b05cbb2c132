"""Figures of scores: what is redacted has numbers in slopes too."""

import warnings
from dataclasses import replace

import sessionkit as sk
from sessionkit.charts import spec_of
from sessionkit.errors import DataWarning
from sessionkit.reports.choices import Redaction, choices_of
from sessionkit.reports.figures.scores import slopes_of


def units_of(figure):
    (lines, *_) = [rows for rows in spec_of(figure.chart)["datasets"].values() if "unit" in rows[0]]
    return {row["unit"] for row in lines}


def test_users_of_slopes_are_numbers_where_they_are_redacted(make):
    study = make(sessions=12, users=("ann", "bob", "cem"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = sk.compare(study, "sDCG@10")
    choices = choices_of(study)
    assert units_of(slopes_of(found, study, choices)) == {"ann", "bob", "cem"}
    redacted = slopes_of(found, study, replace(choices, redaction=Redaction.of("users")))
    assert units_of(redacted) == {"user 1", "user 2", "user 3"}


def test_the_caption_of_slopes_counts_what_the_lines_do(make):
    study = make(sessions=12, users=("ann", "bob", "cem"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = sk.compare(study, "sDCG@10")
    row, lines = found.table.row(0, named=True), found.unit_differences("sDCG@10", "S1", "S2")["difference"]
    assert [row["wins"], row["ties"], row["losses"]] == [(lines > 0).sum(), (lines == 0).sum(), (lines < 0).sum()]
    said = (
        f"rises ({row['wins']}), dashed where it falls ({row['losses']}), dotted where it does neither ({row['ties']})"
    )
    assert said in slopes_of(found, study, choices_of(study)).caption
