"""The first screen: every claim with its estimate, interval and n; what is undecided, unjudged, longer or left out is said there."""

import dataclasses
import itertools
import warnings
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import differences
from sessionkit.charts.theme import CONTEXT
from sessionkit.display.numbers import compact, p_text, statistic
from sessionkit.errors import DataWarning, UsageError
from sessionkit.reports.choices import filled
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.page import sections_of
from sessionkit.reports.report_data import Material
from sessionkit.reports.sections.behavior import behavior
from sessionkit.reports.sections.headline import others_in_words
from sessionkit.reports.sections.measures import measures, ratings, spread
from sessionkit.reports.sections.method import study_tables as the_study
from sessionkit.reports.sections.robustness import sensitivity
from sessionkit.reports.sections.sessions import last_queries
from sessionkit.reports.sections.summary import summary
from sessionkit.reports.sections.topics import topics
from sessionkit.study.selection import restricted
from tests.reports.one_section import by_name, figures_in, material
from tests.reports.read_page import Reader, has_parts, without_terms
from tests.support.clinic import read_clinic

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
USUAL = ("sDCG@10", "nsDCG@10", "mean(nDCG@10)", "last(nDCG@10)", "nonlast(nDCG@10)")

FOUND, SURE, OVERTURNED = "What was found", "How sure", "What could overturn it"


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


def tiles(section):
    """The tiles of a section by what they are about."""
    return {tile.about: tile for part in section.parts for tile in getattr(part, "tiles", ())}


@pytest.fixture(scope="module")
def clinic():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        of = material(read_clinic(), USUAL, declared="study.toml")
        section = summary(of)
    return of, section, words(section)


def test_the_first_sentence_is_on_the_primary_measure_with_estimate_interval_p_and_n(clinic):
    of, section, told = clinic
    row = sk.compare(of.study, "sDCG@10").table.row(0, named=True)
    low, high = compact(row["low"]), compact(row["high"])
    means = [compact(row[name]) for name in ("mean_b", "mean_a")]
    interval = f"95% CI {low} to {high}"
    assert has_parts(told[0], "S2 scores higher than S1", "sDCG@10", *means, compact(row["estimate"]), interval)
    assert has_parts(told[0], interval, "p < .001", "30 users, 4 topics", low, high, "in favor of S2")
    assert row["p"] < 0.001
    assert section.parts[0].lead
    assert has_parts(told[1], "higher is better", "declared primary measure")


def test_a_measure_whose_p_and_interval_disagree_favors_nothing(clinic):
    """The p of last(nDCG@10) is at most .05; with an interval that includes 0 it is neither shown nor undecided."""
    of, _, _ = clinic
    is_last = pl.col("measure") == "last(nDCG@10)"
    table = of.others.table.with_columns(low=pl.when(is_last).then(-0.01).otherwise("low"))
    assert table.filter(is_last)["p_adjusted"].item() < 0.05
    (said,) = others_in_words(
        SimpleNamespace(others=dataclasses.replace(of.others, table=table), not_compared={}, named=str)
    )
    undecided = "nsDCG@10 and mean(nDCG@10) are undecided"
    assert has_parts(said, undecided, "last(nDCG@10) disagree", "nonlast(nDCG@10) has no verdict", "9 of 30 users")
    assert "favors" not in said


def test_the_other_measures_are_a_second_family_corrected_together(clinic):
    of, section, _ = clinic
    others = sk.compare(of.study, list(USUAL[1:])).table
    assert of.others.table.equals(others)
    said = tiles(section)[FOUND].more
    assert has_parts(said, "4 other measures", "Bonferroni over 4 comparisons")
    shown = others.filter(pl.col("p_adjusted") <= 0.05)["measure"].to_list()
    assert shown == ["last(nDCG@10)", "nonlast(nDCG@10)"]
    # 9 of 30 users have a session of several queries with both systems: p is below .05, and no verdict is given
    undecided = "nsDCG@10 and mean(nDCG@10) are undecided"
    assert has_parts(said, "last(nDCG@10) favors S2", undecided, "nonlast(nDCG@10) has no verdict", "9 of 30 users")


def test_a_primary_measure_that_decides_nothing_says_so():
    of = material(read_clinic(), ["nsDCG@10"], declared="study.toml")
    told = words(summary(of))[0]
    assert has_parts(told, "No difference", "S2", "S1", "nsDCG@10 .399 against .325", "difference .074")
    assert has_parts(told, "difference .074", "95% CI \u2212.020 to .168", "p = .12", "30 users, 4 topics")
    assert has_parts(told, "4 topics", ".020 worse", ".168 better")


@pytest.mark.slow
def test_users_too_few_for_an_interval_are_called_so():
    """As `compare` does: the interval of two and two users is wider than all differences of the measure."""
    rows = [(f"u{number}", "t", system, 2) for number, system in enumerate("AABB")]
    study = made_of(rows, lambda number, *_: 1 + 5 * (number % 2))
    assert "too few to test" in sk.compare(study, "nsDCG@10").text
    for declared in ("study.toml", None):
        told = words(summary(material(study, ["nsDCG@10"], declared=declared)))[0]
        assert told.startswith("No verdict")
        assert "too few for an interval" in told
        assert ", p > .99, 2 and 2 users." in told
        assert "includes 0" not in told
        assert "unbounded" not in told


def test_an_adjusted_difference_is_called_so_and_counted_as_the_figure_draws_it():
    """Users 6 to 11 find more, and met S2 in one session of six; by S2 each finds a little more than by S1."""

    def rank(number, user, _topic, system, _query):
        return 1 + 3 * (user < "u06") + (system == "S1") * (number % 3 > 0)

    rows = [
        (f"u{user:02}", f"t{(place + user) % 6}", f"S{1 + int(place == 5 if user >= 6 else place > 0)}", 1)
        for user in range(12)
        for place in range(6)
    ]
    of = material(made_of(rows, rank), ["mean(DCG@10)"], declared="study.toml")
    row = of.comparison.table.row(0, named=True)
    assert row["raw_difference"] < 0 < row["estimate"]
    section = summary(of)
    told = words(section)[0]
    assert f"raw means {compact(row['mean_b'])} against {compact(row['mean_a'])}" in told
    assert has_parts(told, f"difference {compact(row['estimate'])} adjusted for user", "95% CI", "opposite sign")
    said = tiles(section)[FOUND].more
    lines = of.comparison.unit_differences("mean(DCG@10)", "S1", "S2")["difference"]
    assert (lines > 0).sum() == row["wins"]
    assert has_parts(said, f"S2 is better for {row['wins']} of 12 users", f"S1 for {row['losses']}")
    (table,) = [part for part in measures(of).parts if str(getattr(part, "caption", "")).startswith("Difference by")]
    assert "Adjusted difference" in table.headers
    assert table.note.startswith("Adjusted difference, interval, p")


def test_without_a_declared_primary_measure_a_claim_is_exploratory():
    lead, below, *_ = words(summary(material(read_clinic(), ["sDCG@10"])))
    assert lead.startswith("Exploratory: S2 scores higher than S1: ")
    assert "No primary measure was declared" in below
    lead, below, *_ = words(summary(material(read_clinic(), ["nsDCG@10"])))
    assert lead.startswith("No difference ")  # no claim
    assert "No primary measure was declared" in below


@pytest.mark.slow
def test_a_primary_measure_chosen_for_the_report_is_stamped_so(make):
    study = make(sessions=8)
    page = without_terms(sk.report(study, primary="sDCG@10"))
    assert "chosen as the primary measure" in page
    assert "primary=&#39;sDCG@10&#39;" in page  # the call that makes it again

    def declaring(primary):
        tables = study.results.collect(), study.judgments.collect()
        return sk.from_tables(*tables, sessions=study.sessions.collect(), primary=primary)

    assert "the declared primary measure." in without_terms(sk.report(declaring("sDCG@10")))
    assert "No primary measure was declared" in without_terms(sk.report(study))
    with pytest.raises(UsageError, match=r"measure that study\.toml declares"):
        sk.report(declaring("nDGC"))


def test_three_answers_stand_below(clinic):
    of, section, _ = clinic
    shown = tiles(section)
    assert [*shown] == [FOUND, SURE, OVERTURNED]
    assert [tile.fact for tile in shown.values()] == [
        "S2 scores higher",
        "30 users, 4 topics",
        "Missing judgments could",
    ]
    row = of.comparison.table.row(0, named=True)
    detectable = f"true difference of {compact(row['detectable'])} in sDCG@10"
    assert has_parts(
        shown[SURE].more, "Crossover; least squares on user", detectable, "80%", "users like these", "4 topics"
    )
    scores = sk.score(of.study, "sDCG@10", per="session")
    adjusted = scores.with_columns(pl.col("value") - pl.col("value").mean().over("topic_id"))
    means = adjusted.group_by("user_id", "system_id").agg(pl.col("value").mean()).pivot(on="system_id", values="value")
    higher = int((means["S2"] > means["S1"]).sum())
    better = f"S2 is better for {higher} of 30 users"
    assert has_parts(shown[FOUND].more, better, f"S1 for {30 - higher}, adjusted for topics")
    found = sk.bounds(of.study, list(USUAL), wanted=0)
    every = found.judged.filter(pl.col("rank").is_null(), pl.col("query_position").is_null())
    share = every["judged"].sum() / every["results"].sum()
    assert has_parts(shown[OVERTURNED].more, f"{share:.1%} of the first 10 results", "(S1 33.4%, S2 40.7%)")
    assert not found.differences["holds"].any()
    primary, row = (
        found.differences.row(by_predicate=pl.col("measure") == name, named=True) for name in ("nsDCG@10", "sDCG@10")
    )
    number = f"{row['overturned_by']} of {row['open_documents']:,} unjudged documents"
    assert has_parts(shown[OVERTURNED].more, number, "reverse the raw difference")
    normalized = summary(material(of.study, ["nsDCG@10", "sDCG@10"]))
    assert round(primary["lower"], 3) == -0.476
    assert round(primary["upper"], 3) == 0.558
    # how many would do is known of sDCG alone
    assert has_parts(tiles(normalized)[OVERTURNED].more, "between \u2212.476 and .558", "sign is not certain")


def test_a_measure_that_cannot_be_compared_is_named_and_the_others_are_compared():
    """Four users search topics A and B once each, systems alternated; two of them have no value of the column ``late``."""
    sessions = pl.DataFrame(
        {
            "session_id": [f"{user}{topic}" for user in "1234" for topic in "AB"],
            "user_id": [user for user in "1234" for _ in "AB"],
            "topic_id": ["A", "B"] * 4,
            "system_id": ["S1", "S2", "S2", "S1"] * 2,
            "rating": [1.0, 3.0, 2.0, 2.5, 1.5, 3.5, 2.0, 2.25],
            "late": [1.0, 2.0, None, None, 3.0, 4.0, None, None],
            "same": [1.0] * 8,
            "place": [1.0, 2.0, 2.5, 1.0, 1.0, 2.0, 1.0, 2.5],
        }
    )
    results = sessions.select("session_id", query_position=1, rank=1, doc_id=pl.lit("d"))
    study = sk.from_tables(results, {"judgment_key": ["A"], "doc_id": ["d"], "grade": [1]}, sessions=sessions)
    found = summary(material(study, ["column(rating)", "column(late)", "column(same)", "column(place)"]))
    told = tiles(found)[FOUND].more
    assert has_parts(told, "column(late) is not compared", "in the 4 sessions")
    assert has_parts(told, "column(same) is not tested", "every value is 1,")
    assert has_parts(told, "Of 1 other measure", "column(place) has no verdict", "4 of 4 users")


def test_the_forest_has_every_measure_with_its_own_interval(clinic):
    of, section, _ = clinic
    figure = figures_in(section)[0]
    (rows,) = [rows for rows in figure.chart.to_dict()["datasets"].values() if "estimate" in rows[0]]
    assert [row["row"] for row in rows] == [*USUAL]
    assert [row["n"] for row in rows] == [*["n = 30"] * 4, "n = 9 of 30"]
    known = pl.concat([of.comparison.table, of.others.table])
    for row, found in zip(rows, known.iter_rows(named=True), strict=True):
        assert (row["estimate"], row["low"], row["high"]) == (found["estimate"], found["low"], found["high"])


def test_what_was_left_out_is_said_where_the_number_stands():
    section = summary(material(read_clinic(), ["nonlast(nDCG@10)"]))
    left_out = "Left out: users with an undefined session or without one of the groups (21)."
    assert left_out in tiles(section)[SURE].more
    assert "9 of 30 users" in words(section)[0]


@pytest.mark.slow
def test_more_queries_per_session_are_named_where_a_sum_over_them_is_compared(clinic):
    of, _, _ = clinic
    (line,) = words(behavior(of))
    assert has_parts(line, "Queries per session", "3.18 with S2 (n = 60)", "2.53 with S1 (n = 60)", "sDCG@10 adds up")
    assert "adds up" not in words(behavior(material(of.study, ["nsDCG@10"])))[0]


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
    of = material(made_of(rows, lambda *_: 1 + int(rng.integers(3))), ["Queries"], declared="report")
    (row,) = of.comparison.table.iter_rows(named=True)
    assert row["estimate"] > 1.5
    section = summary(of)
    assert has_parts(words(section)[0], "S2 does worse than S1", "(lower is better)", "Queries ")
    assert tiles(section)[FOUND].more.startswith("S2 is better for 0 of 12 users")


@pytest.mark.parametrize(
    ("better", "words_of"),
    [("lower", "S2 does worse"), ("higher", "S2 scores higher"), (None, "S2 has higher values")],
)
def test_what_is_better_in_a_column_is_what_the_study_says(better, words_of):
    rng = np.random.default_rng(5)
    sessions, results = [], []
    for user, topic in itertools.product(range(12), "ab"):
        system, name = (user + (topic == "b")) % 2, f"u{user}{topic}"
        sessions.append((name, f"u{user:02}", topic, f"S{1 + system}", 1.0 + 3 * system + int(rng.integers(2))))
        results.append((name, 1, 1, "d"))
    study = sk.from_tables(
        pl.DataFrame(results, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        {"judgment_key": ["a", "b"], "doc_id": ["d", "d"], "grade": [1, 1]},
        sessions=pl.DataFrame(
            sessions, schema=["session_id", "user_id", "topic_id", "system_id", "effort"], orient="row"
        ),
        max_grade=1,
        **({"better": {"effort": better}} if better else {}),
    )
    of = material(study, ["column(effort)"], declared="report")
    assert f"{words_of} than" in words(summary(of))[0]


def test_a_measure_and_a_rating_agree_or_not_by_which_values_are_better():
    study = read_clinic()
    for better, said in (("higher", "the two agree"), ("lower", "the two disagree"), (None, "")):
        settings = dataclasses.replace(study.settings, better={"satisfaction": better} if better else {})
        (told,) = ratings(material(dataclasses.replace(study, settings=settings), ["nsDCG@10"])).parts[0].paragraphs
        assert told.endswith(
            f"{better.capitalize()} values of satisfaction are better: {said}." if better else "30 users)."
        )


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
    of = material(study, USUAL, declared="study.toml")
    return of, summary(of)


@pytest.mark.slow
def test_many_groups_are_ranked_and_no_comparison_is_cut_in_silence(many):
    of, section = many
    found = of.comparison
    assert (found.table.height, of.others.table.height) == (28, 112)
    shown = found.table.filter(pl.col("p_adjusted") <= 0.05)
    means = found.groups.sort("mean", descending=True)
    best = means.row(0, named=True)
    told = words(section)
    assert shown.is_empty()
    assert has_parts(told[0], "No difference among 8 groups", "28 pairs", ".05", "Bonferroni over 28 comparisons")
    interval = f"95% CI {compact(best['low'])} to {compact(best['high'])}, 24 users"
    assert has_parts(told[0], f"{best['system_id']} has the highest mean sDCG@10", compact(best["mean"]), interval)
    others = of.others.table.filter(pl.col("p_adjusted") <= 0.05)
    assert f"{len(others)} of 112 comparisons show a difference." in tiles(section)[FOUND].more
    (figure,) = figures_in(section)
    (rows,) = figure.chart.to_dict()["datasets"].values()
    assert [row["group"] for row in rows] == means["system_id"].to_list()


@pytest.mark.slow
def test_a_table_and_a_figure_that_are_cut_say_so(many):
    of, _ = many
    (table,) = [
        part for part in measures(of).parts if getattr(part, "caption", "") == "Differences by the other measures"
    ]
    assert (len(table.rows), table.frame.height) == (60, 112)
    assert has_parts(table.full_note, "52 more rows are not shown", "sessionkit compare")
    assert "the first 30 of 112 in" in str(differences(of.others.table).to_dict()["title"])
    assert "the first" not in str(differences(of.others.table.head(30)).to_dict()["title"])


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
    section = last_queries(material(study, ["nsDCG@5"]))
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
    assert ", 6 and 6 users" in page.replace("\xa0", " ")
    assert "could change is not known" not in page
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
    # three users are too few for a verdict
    assert has_parts(filled(found), "at or below 0.05", "without a verdict")
    assert "corrected" not in filled(found)
    assert "Bonferroni" not in filled(found)


@pytest.mark.slow
def test_of_three_groups_the_pairs_that_differ_are_counted_and_only_a_declared_measure_says_from_whom_the_first_differs():
    """A and B have the relevant document at rank 1 or 2, A more often at rank 1, and C at 4 or 5."""
    ranks = {"A": (1, 1, 2), "B": (1, 2, 2), "C": (4, 5, 4)}
    rows = [(f"u{n}", topic, system, 1) for n in range(6) for topic in ("t1", "t2") for system in "ABC"]
    study = made_of(rows, lambda number, _user, _topic, system, _query: ranks[system][number % 7 % 3])
    of = material(study, ["nsDCG@5"])
    shown = of.comparison.table.filter(pl.col("p_adjusted") <= 0.05).select("a", "b").rows()
    assert shown == [("A", "C"), ("B", "C")]
    told = [words(summary(material(study, ["nsDCG@5"], declared=who)))[0] for who in (None, "study.toml")]
    assert all("A has the highest mean" in one for one in told)
    assert all("2 of 3 pairs are shown" in one for one in told)
    assert ["from 1 of the 2 others" in one for one in told] == [False, True]


@pytest.mark.slow
def test_of_three_groups_topics_are_counted_and_drawn():
    """A is best on t1 and t2, B on t3; on t4 A and B are equal, and C is last everywhere."""
    best = {("A", "t1"): 1, ("A", "t2"): 1, ("B", "t1"): 2, ("B", "t2"): 2, ("A", "t3"): 2, ("B", "t3"): 1}
    best |= {("A", "t4"): 1, ("B", "t4"): 1}
    rows = [(f"u{n}", topic, system, 1) for n in range(3) for topic in ("t1", "t2", "t3", "t4") for system in "ABC"]
    study = made_of(rows, lambda _number, _user, topic, system, _query: best.get((system, topic), 5))
    of = material(study, ["nsDCG@5"])
    tile = tiles(summary(of))[FOUND]
    counts = ("2 of 4 topics; B on 1, C on 0", "1 topic with several")
    assert has_parts(tile.more, "A has the highest mean", *counts)
    section = topics(of)
    drawn = sk.score(study, "nsDCG@5", by=["system_id", "topic_id"])
    over = {topic: sum(known) / len(known) for topic, known in drawn.group_by("topic_id").agg("value").rows()}
    low, *_, high = sorted(sorted(over), key=lambda topic: round(over[topic], 9))
    least, most = (statistic(over[topic], is_share=True) for topic in (low, high))
    (told,) = words(section)
    assert has_parts(told, "mean over groups of nsDCG@5", f"{least} (topic {low}) to {most} (topic {high})")
    (figure,) = figures_in(section)
    assert figure.kind == "topic-means"
    assert {
        (row["group"], row["topic"])
        for rows in figure.chart.to_dict()["datasets"].values()
        for row in rows
        if "group" in row
    } == {*drawn.select("system_id", "topic_id").rows()}


@pytest.mark.slow
def test_figures_have_the_groups_that_are_compared(clinic):
    of, _, _ = clinic
    sections = by_name(sections_of(of.study, by="skill"))
    (figure,) = figures_in(sections["behavior"])
    assert {row["group"] for rows in figure.chart.to_dict()["datasets"].values() for row in rows if "group" in row} == {
        *of.study.users.select(pl.col("skill").cast(pl.String)).collect()["skill"]
    }


@pytest.mark.slow
def test_design_and_claim_stand_once_among_the_readings(clinic):
    of, _, _ = clinic
    told = words(measures(of))
    assert sum(line.startswith("Design: ") for line in told) == 1
    assert {*told} == {*of.comparison.reading.split("\n"), *of.others.reading.split("\n")}


def test_of_many_groups_that_are_not_compared_those_are_colored_that_the_sentence_names(make, monkeypatch):
    systems = tuple(f"S{number}" for number in range(1, 11))
    of = material(make(systems=systems, users=("u",), sessions=20), ["nsDCG@10", "sDCG@10"])
    monkeypatch.setattr(Material, "_compared", "their users differ")
    assert of.comparison is None
    colored = {group for group, shade in of.highlighting.colors.items() if shade != CONTEXT}
    told = words(summary(of))[0]
    assert len(colored) == 2
    assert all(f"{group} " in told for group in colored)
    (drawn,) = [part for part in summary(of).every_part() if isinstance(part, Figure)]
    assert drawn.kind == "score-distribution"
    assert drawn.title.endswith("the highest mean first")


@pytest.mark.slow
def test_a_group_without_results_has_no_judged_share():
    names = [f"{system}{number}" for system in "AB" for number in range(3)]
    shown = {
        "session_id": ["A0", "A0", "A1"],
        "query_position": [1, 1, 1],
        "rank": [1, 2, 1],
        "doc_id": ["d", "e", "d"],
    }
    study = sk.from_tables(
        results=shown,
        queries={"session_id": names, "query_position": [1] * 6, "results_status": ["shown"] * 2 + ["empty"] * 4},
        sessions={"session_id": names, "topic_id": ["t"] * 6, "system_id": [name[0] for name in names]},
        judgments={"judgment_key": ["t"], "doc_id": ["d"], "grade": [1]},
    )
    text = Reader(sk.report(study, "Queries")).text.replace("\u00a0", " ")
    assert has_parts(text, "66.7% of the results shown", "(A 66.7%, B without results)")
    assert "cannot reverse the raw difference" in text  # each session has one query, whatever is judged


def test_the_spread_is_that_of_score_and_is_not_there_for_one_session():
    study = read_clinic()
    table, note = spread(material(study, USUAL)).parts
    scores = sk.score(study, USUAL, spread=True)
    assert table.frame.drop("values").equals(scores.drop("values"))
    assert table.frame["values"].null_count() == len(scores) == len(table.rows) == 2 * len(USUAL)
    median = np.median(sk.score(study, "nsDCG@10", per="session").filter(system_id="S2")["value"])
    (row,) = (row for row in table.rows if row[:2] == ("nsDCG@10", "S2"))
    assert row[5].startswith(f"{median:.4f} [")
    assert "not how precise a mean is" in note.paragraphs[0]
    everyone = spread(material(study, ["nsDCG@10"], by="all")).parts[0]
    assert [row[:2] for row in everyone.rows] == [("nsDCG@10", "120")]
    assert spread(material(restricted(study, "session_id = 'c001'"), ["nsDCG@10"])).parts == ()


def test_a_spread_that_is_cut_gives_the_judged_shares_of_all_groups(clinic, monkeypatch):
    of, *_ = clinic
    shares = dict(of.spread.select("system_id", "judged").iter_rows())
    assert shares["S1"] != shares["S2"]
    monkeypatch.setattr("sessionkit.reports.sections.measures.LIMIT", 1)
    table, _ = spread(of).parts
    assert len(table.rows) == 1
    assert f"{shares['S1']:.1%} (S1), {shares['S2']:.1%} (S2)" in table.note
