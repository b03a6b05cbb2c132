"""The first screen: every claim with its estimate, interval and n; what is undecided, unjudged, longer or left out is said there."""

import itertools
import warnings

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import differences
from sessionkit.display.numbers import p_text
from sessionkit.errors import DataWarning
from sessionkit.reports.phrases import filled
from sessionkit.reports.sections.measures import measures
from sessionkit.reports.sections.sensitivity import sensitivity
from sessionkit.reports.sections.sessions import sessions
from sessionkit.reports.sections.study import study as the_study
from sessionkit.reports.sections.summary import summary
from tests.reports.one_section import material
from tests.support.clinic import read_clinic

USUAL = ("sDCG@10", "nsDCG@10", "mean(nDCG@10)", "last(nDCG@10)", "nonlast(nDCG@10)")


def words(section):
    """The paragraphs of a section."""
    return [text for part in section.parts for text in getattr(part, "paragraphs", ())]


def made_of(rows, grade, **settings):
    """A study of sessions (user, topic, system, queries), each query with one relevant document at the rank that `grade` gives."""
    results, known, judged = [], [], {}
    for number, (user, topic, system, queries) in enumerate(rows):
        name = f"s{number:04}"
        known.append((name, user, topic, system))
        for query in range(1, queries + 1):
            at = grade(number, user, topic, system, query)
            for rank in range(1, 6):
                doc = f"{name}.{query}.{rank}"
                results.append((name, query, rank, doc))
                judged[topic, doc] = 1.0 if rank == at else 0.0
    keys = ["session_id", "query_position", "rank", "doc_id"]
    return sk.from_tables(
        results=pl.DataFrame(results, schema=keys, orient="row"),
        sessions=pl.DataFrame(known, schema=["session_id", "user_id", "topic_id", "system_id"], orient="row"),
        judgments=pl.DataFrame(
            [(*key, one) for key, one in judged.items()], schema=["judgment_key", "doc_id", "grade"], orient="row"
        ),
        max_grade=1,
        **settings,
    )


@pytest.fixture(scope="module")
def clinic():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        of = material(read_clinic(), USUAL)
        return of, words(summary(of)), of.comparison


def test_every_claim_stands_with_its_own_estimate_interval_and_n(clinic):
    _, told, found = clinic
    for row in found.table.iter_rows(named=True):
        numbers = f"{row['measure']} ({row['estimate']:.4f}, {row['low']:.4f} to {row['high']:.4f}"
        place = told[0] if row["p_adjusted"] <= 0.05 else told[1]
        assert numbers in place
        assert place.split(numbers)[1].split(")")[0].endswith(f"; {row['n_a']} users")
    assert told[0].startswith("S2 is better than S1 by sDCG@10 (")
    assert "for users like these, searching these 4 topics" in told[0]
    assert "30 users, searching" not in told[0]  # nonlast rests on 9
    assert "Left out of nonlast(nDCG@10): users with an undefined session or without one of the groups (21)." in told


def test_no_percentage_of_a_mean_near_0(clinic):
    _, told, found = clinic
    row = found.table.filter(measure="nonlast(nDCG@10)").row(0, named=True)
    assert (row["n_a"], row["relative"]) == (9, None)
    assert row["mean_a"] < 0.02
    assert "%" not in told[0].split("nonlast(nDCG@10) (")[1].split(")")[0]
    assert "+46% of the mean of S1" in told[0]
    assert "44" not in told[0].split("nonlast")[1]
    assert "448" not in found.reading


def test_what_is_undecided_is_said_as_such_with_its_interval(clinic):
    _, told, _ = clinic
    assert told[1].startswith(
        "The data do not decide nsDCG@10 (0.0740, -0.0502 to 0.1982; 30 users) and mean(nDCG@10) ("
    )
    assert "each interval includes 0, and no difference within it is excluded" in told[1]
    assert not [text for text in told if "showed no difference" in text or "no difference shown" in text.lower()]


def test_judged_share_and_bounds_stand_beside_the_verdict(clinic):
    of, told, _ = clinic
    found = sk.bounds(of.study, list(USUAL), wanted=0)
    every = found.judged.filter(pl.col("rank").is_null(), pl.col("query_position").is_null())
    judged = every["judged"].sum() / every["results"].sum()
    assert f"are judged, {100 * judged:.1f} % (S1 33.4 %; S2 40.7 %)" in told[2]
    assert not found.differences["holds"].any()
    assert "Unjudged documents could turn the order of the raw means by" in told[2]
    safe = "nsDCG@10, mean(nDCG@10), last(nDCG@10) and nonlast(nDCG@10)"  # those of sDCG come true
    assert told[2].endswith(f"The bounds of {safe} are safe, and may be wide.")
    for row in found.differences.iter_rows(named=True):
        assert f"{row['measure']} (S2 less S1 between {row['lower']:.4g} and {row['upper']:.4g})" in told[2]


@pytest.mark.slow
def test_more_queries_per_session_are_named_where_a_sum_over_them_is_compared(clinic):
    of, told, _ = clinic
    (line,) = [text for text in told if "more queries" in text]
    assert "Sessions of S2 have more queries than those of S1, 3.18 against 2.53 on average: sDCG@10 adds up" in line
    assert "nsDCG" not in line
    assert not [text for text in words(summary(material(of.study, ["nsDCG@10"]))) if "more queries" in text]


def test_what_sums_over_queries():
    from sessionkit.scoring.measures.grammar import parse_measure

    sums = (
        "sDCG@10",
        "sum(nDCG@10)",
        "avgpos(sDCG@10)",
        "sRBP(b=0.6,p=0.8)",
        "nsDCG(normalize=query)@10",
        "RelevantSeen@10",
    )
    not_sums = (
        "nsDCG@10",
        "mean(sDCG@10)",
        "avgpos(nsDCG@10)",
        "last(nDCG@10)",
        "esnDCG(pdown=0.7,pref=0.9)@10",
        "Queries",
    )
    assert all(parse_measure(text).sums_queries for text in sums)
    assert not any(parse_measure(text).sums_queries for text in not_sums)


@pytest.mark.slow
def test_a_measure_that_is_better_low_says_so_and_counts_no_wins_as_better():
    rng = np.random.default_rng(5)
    rows = []
    for user, topic in itertools.product(range(12), "ab"):
        system = (user + (topic == "b")) % 2
        rows.append((f"u{user:02}", topic, f"S{1 + system}", 1 + 2 * system + int(rng.integers(2))))
    of = material(made_of(rows, lambda *_: 1 + int(rng.integers(3))), ["Queries"])
    (row,) = of.comparison.table.iter_rows(named=True)
    assert row["estimate"] > 1.5
    told = words(summary(of))
    assert told[0].startswith(f"S1 is better than S2 by Queries ({row['estimate']:.4f}, ")
    assert "Queries is higher with S2 for 12 users, with S1 for 0, equal for 0." in told


@pytest.fixture(scope="module")
def many():
    """8 systems, so that 28 pairs by 5 measures make 140 comparisons; the later a system, the higher its relevant document."""
    rng = np.random.default_rng(2)
    rows = [
        (f"u{user:02}", f"t{(user * 3 + place * (1 + user % 3)) % 6}", f"S{(user + place) % 8}", 2)
        for user in range(24)
        for place in range(8)
    ]
    study = made_of(
        rows, lambda *of: 1 + int(rng.integers(5)) if rng.random() < 0.5 else max(1, 5 - int(of[3][1:]) // 2)
    )
    of = material(study, USUAL)
    return of, words(summary(of)), of.comparison


@pytest.mark.slow
def test_many_comparisons_are_never_cut_in_silence(many):
    _, told, found = many
    assert found.table.height == 140
    shown, open_ = (found.table.filter(one) for one in (pl.col("p_adjusted") <= 0.05, pl.col("p_adjusted") > 0.05))
    assert min(len(shown), len(open_)) > 6
    counts = ", ".join(f"{name} {len(shown.filter(measure=name))} of 28" for name in USUAL)
    assert told[0] == (
        f"{len(shown)} of 140 comparisons show a difference ({counts}). The 6 with the smallest p are told here; the table "
        "Differences of the section Measures saves all."
    )
    least = shown.sort("p", maintain_order=True).head(6)
    assert told[1].count(" users)") == 6
    for row in least.iter_rows(named=True):
        assert f"({row['estimate']:.4f}, {row['low']:.4f} to {row['high']:.4f}" in told[1]
    assert told[2].startswith(
        f"The data do not decide {len(open_)} of 140 comparisons, for users like these, searching these 6 topics:"
    )


@pytest.mark.slow
def test_a_table_and_a_figure_that_are_cut_say_so(many):
    of, _, found = many
    (table,) = [part for part in measures(of).parts if getattr(part, "caption", "") == "Differences"]
    assert (len(table.rows), table.frame.height) == (60, 140)
    assert "80 more rows are not shown." in table.note
    assert "the first 30 of 140 in the order of the table" in str(differences(found.table).to_dict()["title"])
    assert "the first" not in str(differences(found.table.head(30)).to_dict()["title"])


def gaps():
    """100 users with 6 of 300 topics each, systems alternated; every ninth of 279 topics lost its second session."""
    rows = []
    for user, place in itertools.product(range(100), range(6)):
        again, topic = divmod(6 * user + place, 300)
        if not again or topic >= 279 or topic % 9:
            rows.append((f"u{user:03}", f"t{topic:03}", f"S{1 + (user + place + again) % 2}", 1))
    return rows


@pytest.mark.slow
def test_all_sections_speak_of_one_design():
    rng = np.random.default_rng(8)
    study = made_of(gaps(), lambda *_: 1 + int(rng.integers(5)))
    of = material(study, ["sDCG@5"])
    design = (
        "crossover: each user met both values of system_id, 269 of 300 topics were searched with both, and none of the pairs of a "
        "user and a topic has both"
    )
    assert sk.compare(study, "sDCG@5").design.startswith(design)
    assert f"{sk.describe(study).design}: {sk.describe(study).design_note}".startswith(design)
    for section in (the_study, measures, sensitivity):
        (told,) = [text for text in words(section(of)) if text.startswith("Design: ")]
        assert told.startswith(f"Design: {design}")


@pytest.mark.slow
def test_sections_speak_of_the_groups_that_are_compared(clinic):
    of, _, _ = clinic
    grouped = material(of.study, ["sDCG@10"], by="skill")
    designs = {
        text.split(". Each")[0].rstrip(".")
        for section in (the_study, measures, sensitivity)
        for text in words(section(grouped))
        if text.startswith("Design: ")
    }
    assert designs == {f"Design: {grouped.comparison.design}"}
    assert "values of skill" in grouped.comparison.design or "value of skill" in grouped.comparison.design


@pytest.mark.slow
def test_the_p_of_a_row_is_the_p_of_its_sentence():
    # every user has one session, so that sessions are the units: the table must not take its p from draws of them
    rng = np.random.default_rng(4)
    study = made_of(
        [(f"u{n}", "t", "S1", 2) for n in range(16)], lambda *of: 1 + int(rng.integers(5 - 2 * (of[4] == 2)))
    )
    section = sessions(material(study, ["nsDCG@5"]))
    tests = sk.breakdown_tests(study, "nDCG@5", draws=2000).table
    drawn, told = (tests.filter(test=name)["p"].item() for name in ("sessions drawn", "sessions"))
    assert abs(drawn - told) > 1e-6
    (table,) = [part for part in section.parts if "within sessions" in getattr(part, "caption", "")]
    assert table.frame["p"].to_list() == pytest.approx([told])
    (line,) = [text for text in words(section) if "t(15) = " in text]
    assert p_text(told) in line


@pytest.mark.slow
def test_separate_groups_each_have_their_n_and_everything_judged_needs_no_bounds():
    """6 users with A alone and 6 with B alone are 12; all documents are judged."""
    rows = [
        {"session_id": f"s{number}", "user_id": f"u{number}", "system_id": "AB"[number % 2], "grade": 1 + number // 6}
        for number in range(12)
    ]
    frame = pl.DataFrame(rows).with_columns(query_position=1, rank=1, topic_id=pl.lit("t"))
    frame = frame.with_columns(doc_id=pl.format("d{}", "grade"))
    study = sk.from_tables(
        sessions=frame.select("session_id", "user_id", "system_id", "topic_id"),
        results=frame.select("session_id", "query_position", "rank", "doc_id"),
        judgments={"judgment_key": ["t", "t"], "doc_id": ["d1", "d2"], "grade": [1, 2]},
    )
    page = str(sk.report(study, "mean(DCG@1)"))
    assert "; 6 and 6 users)" in page
    assert "could move differences is not known" not in page
    assert "over 1 comparison" not in page


def test_a_caption_counts_what_was_corrected_together():
    """Of two comparisons, one has the same value for every user: one p-value stands alone, and nothing is corrected."""
    found = sk.compare(
        pl.DataFrame(
            [
                {
                    "session_id": f"{user}{system}",
                    "user_id": user,
                    "system_id": system,
                    "measure": measure,
                    "value": value,
                }
                for measure, own in (("m", (1.0, 2.0, 4.0, 5.0, 5.0, 9.0)), ("n", (1.0,) * 6))
                for (user, system), value in zip(itertools.product("uvw", "AB"), own, strict=True)
            ]
        )
    )
    assert len(found.table) == 2
    assert filled(found) == " A filled point has p at or below 0.05."
