"""Last and earlier queries: the figure, the table and the sentence of a report say the same numbers."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.tables import TextTable
from sessionkit.reports import page
from sessionkit.reports.parts import Words
from tests.reports.one_section import by_name, figures_in

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def made_of(study):
    """The figure of last and earlier queries, the words below it, and the table below these."""
    sections = by_name(page.sections_of(study, "sDCG@2"))
    words, table = sections["last-queries"].parts
    figure = figures_in(sections["sessions"])[0]
    assert figure.kind == "last-vs-nonlast"
    assert isinstance(words, Words)
    assert isinstance(table, TextTable)
    return figure, " ".join(words.paragraphs), table


@pytest.mark.slow
def test_figure_table_and_sentence_say_the_means_within_sessions(make):
    # sessions of 1 to 12 queries; the last query of each finds its one document at rank 2, an earlier one nothing
    study = make(sessions=12, users=("u1", "u2", "u3", "u4", "u5"))
    # in half of the sessions of S2 the first query finds a document too, so that earlier queries have a value
    early = pl.DataFrame(
        {"judgment_key": ["t"] * 3, "doc_id": [f"s{number}.1.1" for number in (3, 7, 11)], "grade": 2.0}
    )
    judged = study.judgments.filter(~pl.col("doc_id").is_in(early["doc_id"].implode())).collect()
    study = study.with_tables(
        judgments=pl.concat([judged, early.select(judged.columns).cast(dict(judged.schema))]).lazy()
    )
    figure, words, table = made_of(study)
    values = sk.score(study, "nDCG@2", per="query").sort("session_id", "query_position")
    gains = values.group_by("session_id", maintain_order=True).agg("value").rows()
    expected, by_user = {}, {}
    systems = dict(study.sessions.select("session_id", "system_id").collect().rows())
    users = dict(study.sessions.select("session_id", "user_id").collect().rows())
    for session, gained in gains:
        if len(gained) > 1:
            pair = (gained[-1], sum(gained[:-1]) / (len(gained) - 1))
            expected.setdefault(systems[session], []).append(pair)
            by_user.setdefault((systems[session], users[session]), []).append(pair)
    means = {
        system: tuple(sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        for system, pairs in expected.items()
    }
    # the largest table is that of the lines; others have the places of their names
    lines = max(figure.chart.to_dict()["datasets"].values(), key=len)
    rows = [row for row in lines if row["rank"] == 2]
    drawn = {(row["group"], row["part"]): row["value"] for row in rows}
    for system, (last, earlier) in means.items():
        assert (drawn[system, "Last"], drawn[system, "Non-last"]) == pytest.approx((last, earlier))
        # of table and sentence users are the units, each of whose sessions are averaged first: what they say makes the difference
        of_users = [pairs for of, pairs in by_user.items() if of[0] == system]
        ends = [
            sum(sum(pair[side] for pair in pairs) / len(pairs) for pairs in of_users) / len(of_users) for side in (0, 1)
        ]
        row = table.frame.row(by_predicate=pl.col("group") == system, named=True)
        assert (row["value"], row["value_against"], row["estimate"]) == pytest.approx((*ends, ends[0] - ends[1]))
        said = f"{ends[0]:.3f} against {ends[1]:.3f}, means over {len(of_users)} users, weighted equally, with"
        assert said in words
    assert dict(table.frame.select("group", "left_out_single_query").rows()) == {"S1": 1, "S2": 0}
    assert "with 5 sessions (1 of one query left out)" in words
    assert "Sessions: S1 5 (1 of one query left out), S2 6." in figure.caption


@pytest.mark.slow
def test_a_study_of_single_queries_has_nothing_to_compare(make):
    rows = {"session_id": list("abcd"), "query_position": [1] * 4, "rank": [1] * 4, "doc_id": list("wxyz")}
    study = sk.from_tables({**rows, "topic_id": ["t"] * 4}, {"judgment_key": ["t"], "doc_id": ["w"], "grade": [1]})
    sections = by_name(page.sections_of(study))
    words = sections["sessions"].parts[0]
    assert words.paragraphs[0].startswith("Last and earlier queries. Not drawn: no session of two queries or more")
