"""What a page says of a study whose groups are not compared, and that no figure of any page stands without a sentence.

What a page says of how much is judged.
"""

import itertools
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.numbers import share_text, statistic
from sessionkit.reports import report
from sessionkit.reports.figures.robustness import of_missing_judgments
from sessionkit.reports.page import sections_of
from sessionkit.reports.parts import Heading, Words
from sessionkit.reports.sections.measures import measures
from sessionkit.reports.sections.robustness import IN_WORDS, explain, judgments, robustness
from sessionkit.reports.sections.summary import summary
from sessionkit.robustness.bounds import Incompleteness
from sessionkit.robustness.missing_judgments import Bounds, Candidate, Estimate, MissingJudgments
from tests.reports.one_section import by_name, figures_in, material
from tests.reports.read_page import Reader
from tests.support.clinic import read_clinic

MEASURES = ["nsDCG@5", "sDCG@5"]
GRADES = ["judgment_key", "doc_id", "grade"]
SHOWN = {"summary", "topics", "sessions", "behavior", "ratings", "robustness", "every-session"}


def searched(users=6, queries=2, systems=("AB", "BC", "CA"), judged=True):
    """Users of 60 with 5 of 300 topics each, systems two by two, so that topics cannot be told from them; half the results judged."""
    rows, known, grades = [], [], {}
    for user, place in itertools.product(range(users), range(5)):
        name, topic = f"s{user:02}.{place}", f"t{user * 5 + place:03}"
        pair = systems[user % len(systems)]
        known.append((name, f"u{user:02}", topic, pair[place % len(pair)] if pair else None))
        for query, rank in itertools.product(range(1, queries + 1), range(1, 4)):
            doc = f"{name}.{query}.{rank}"
            rows.append((name, query, rank, doc))
            if (user + place + query + rank) % 2:
                grades[topic, doc] = (user * rank + place) % 3
    columns = ["session_id", "query_position", "rank", "doc_id"]
    sessions = pl.DataFrame(
        known, ["session_id", "user_id", "topic_id", "system_id"], orient="row", infer_schema_length=None
    )
    return sk.from_tables(
        pl.DataFrame(rows, columns, orient="row"),
        pl.DataFrame([(*key, grade) for key, grade in grades.items()], GRADES, orient="row") if judged else None,
        sessions=sessions if any(systems) else sessions.drop("system_id"),
        max_grade=2,
    )


def words(section):
    """The paragraphs of a section."""
    return [text for part in section.parts for text in getattr(part, "paragraphs", ())]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize(
    ("systems", "title"),
    [
        ("AB", "Scores and differences of all measures"),
        ("A", "Scores by all measures"),
        ("", "Scores by all measures"),
    ],
)
def test_scores_alone_are_not_called_differences(systems, title):
    of = material(searched(systems=(systems,)), MEASURES)
    assert (of.comparison is None) == (title == "Scores by all measures")
    assert measures(of).title == title


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_mean_that_is_not_compared_stands_with_its_interval_and_n():
    """Six users of five sessions each: the interval adds up residuals within each user, as that of compared groups does."""
    study = searched(systems=("A",))
    section = summary(material(study, MEASURES))
    lead, about = words(section)
    (found, sure, _) = next(part.tiles for part in section.parts if hasattr(part, "tiles"))
    scores = sk.score(study, MEASURES, per="session")
    for measure, told in (("nsDCG@5", lead), ("sDCG@5", found.more)):
        own = scores.filter(measure=measure).drop_nulls("value")
        mean, n = own["value"].mean(), len(own)
        sums = own.group_by("user_id").agg((pl.col("value") - mean).sum())["value"]
        reach = 2.570582 * (6 / 5 * (sums**2).sum()) ** 0.5 / n  # t(5) at .975
        mean, low, high = (statistic(end, is_share=measure == "nsDCG@5") for end in (mean, mean - reach, mean + reach))
        assert f"{measure} is {mean} (95% CI {low} to {high}, 6 users" in told
    assert lead.startswith("On average over 30 sessions of A, nsDCG@5 is ")
    assert about.endswith("No primary measure was declared, so it stands first by default.")
    assert (sure.fact, sure.more) == ("30 sessions", "Nothing is compared, since there is one system.")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_an_interval_of_a_mean_is_that_of_a_comparison():
    """The same sessions by a column that splits them: each group has the interval that a comparison gives it."""
    study = searched(systems=("AB",))
    found = sk.compare(study, "sDCG@5")
    of = material(study, ["sDCG@5"])
    shown = of.scores_with_intervals.select("system_id", "low", "high", "units")
    assert of.population == found.population == "users"
    assert shown.rows() == found.groups.select("system_id", "low", "high", "units").rows()


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_groups_that_cannot_be_compared_each_have_an_interval():
    of = material(searched(users=18), MEASURES)
    assert of.refusal.startswith("the groups cannot be separated from topics")
    lead = words(summary(of))[0]
    assert len(re.findall(r"[ABC] [\d.]+ \(95% CI [\d.]+ to [\d.]+, \d+ users, \d+ sessions\)", lead)) == 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("systems", [("AB", "BC", "CA"), ("A",), ("",)])
def test_what_unjudged_documents_could_change_is_said_where_nothing_is_compared(systems):
    study = searched(users=18, systems=systems)
    of = material(study, MEASURES)
    section = robustness(of)
    *judged, discounts = words(section)
    assert [part.text for part in section.parts if isinstance(part, Heading)] == [
        "How far could missing judgments move it?",
        "Would other discounts change it?",
    ]
    bounds = sk.bounds(study, MEASURES).bounds.filter(measure="nsDCG@5")
    lows, highs = bounds["lower"].to_list(), bounds["upper"].to_list()
    if systems == ("AB", "BC", "CA"):
        widest = max(high - low for low, high in zip(lows, highs, strict=True))
        assert (
            f"no group's bounds are farther apart than {statistic(widest, is_share=True)} (bounds are not confidence"
            in judged[0]
        )
    else:
        low, high = (statistic(end[0], is_share=True) for end in (lows, highs))
        assert f"it lies between {low} and {high} (bounds, not a confidence interval)" in judged[0]
    shares = sk.score(study, "Judged@5", per="session").group_by("system_id").agg(pl.col("value").mean())
    for share in shares["value"]:
        assert share_text(share) in judged[1]
    if systems == ("A",):
        assert re.fullmatch(
            r"Under other discounts \(b and bq of nsDCG@5\) the mean runs from [\d.]+ to [\d.]+ in \d+ settings\.",
            discounts,
        )
    else:
        assert discounts.startswith("Other discounts were not tried, since ")
    (figure,) = figures_in(robustness(of))
    assert (figure.kind, figure.title) == ("tipping-point", "What missing judgments could change")


def estimate(low, high):
    """An estimate with this interval."""
    return Estimate((low + high) / 2, low, high, 30)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize(
    ("scored", "skipped", "told"),
    [
        ((-1, 2), (-1, 3), "No difference is shown either way: "),
        ((1, 2), (1, 3), "Skipping unjudged results does not remove the difference: "),
        ((1, 2), (-1, 3), "The finding depends on how unjudged results count: "),
        ((-1, 2), (1, 3), "The finding depends on how unjudged results count: "),
        ((1, 2), (-3, -1), "They could: "),
    ],
    ids=["neither", "both", "scored", "skipped", "against"],
)
def test_intervals_decide_what_is_said_first(scored, skipped, told):
    candidate = Candidate(
        "B - A", estimate(*scored), estimate(*skipped), Bounds(-5, 5, True, False, 3, 9), estimate(0, 0.1)
    )
    shares = {"A": estimate(0.4, 0.5), "B": estimate(0.4, 0.6)}
    missing = MissingJudgments("m", "m(unjudged=skip)", 10, "user", ("A", "B"), (candidate,), shares)
    first, second = explain(missing, ValueError())
    assert first.startswith(told)
    bounds = "the raw difference lies between \u22125.00 and 5.00 (bounds, not a confidence interval)"
    assert first.endswith(f" {bounds}, so its sign could turn.")
    assert (
        "45.0% with A and 50.0% with B; the difference of the averages is 5.0 percentage points (95% CI 0.0 to 10.0, n = 30 users)"
        in second
    )
    without = replace(missing, why_not_tested="No verdict: 2 of 16 users have a value")
    assert explain(without, ValueError())[0].startswith("No verdict: 2 of 16 users have a value. For orientation: ")
    assert explain(replace(missing, shares={"A": Estimate(1, 1, 1, 3)}), ValueError()) == [
        "Every result shown within rank 10 is judged, so no missing judgment could change m."
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_judged_shares_are_of_sessions_and_of_all_results_together():
    """A session of 2 judged results of 2 and one of 2 of 8: on average (1 + .25) / 2, of all results 4 of 10."""
    sizes = {"a": 2, "b": 8}
    rows = [(name, 1, rank, f"{name}{rank}") for name, size in sizes.items() for rank in range(1, size + 1)]
    study = sk.from_tables(
        pl.DataFrame(rows, ["session_id", "query_position", "rank", "doc_id"], orient="row"),
        pl.DataFrame([("t", f"{name}{rank}", 1) for name in sizes for rank in (1, 2)], GRADES, orient="row"),
        sessions=pl.DataFrame({"session_id": ["a", "b"], "topic_id": ["t", "t"], "system_id": ["A", "A"]}),
        max_grade=2,
    )
    told = words(robustness(material(study, ["nsDCG@10", "P@3"])))[1]
    assert "averaged over sessions, is 62.5% with A (of all results together: 40.0%)." in told
    told = words(robustness(material(study, ["nsDCG@3", "P@10"])))[
        1
    ]  # 2 of 2 and 2 of 3, though bounds look down to rank 10
    assert "averaged over sessions, is 83.3% with A (of all results together: 80.0%)." in told


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_an_adjusted_difference_is_called_so():
    candidate = Candidate("B - A", estimate(1, 2), estimate(1, 3), Bounds(-5, 5, True, False, 3, 9), estimate(0, 0.1))
    shares = {"A": estimate(0.4, 0.5), "B": estimate(0.4, 0.6)}
    missing = MissingJudgments("m", "m2", 10, "user", ("A", "B"), (candidate,), shares, adjustment="adjusted for X")
    first, second = explain(missing, ValueError())
    assert "the difference B - A in m, adjusted for X, is 1.50 " in first
    assert "the difference of the averages, adjusted for X, is 5.0 percentage points" in second
    caption = of_missing_judgments(missing, material(read_clinic(), ["nsDCG@10"]).choices).caption
    assert caption.startswith("Points are estimates, adjusted for X, with 95% confidence intervals")
    wider = replace(missing, confidence=0.99)
    caption = of_missing_judgments(wider, material(read_clinic(), ["nsDCG@10"]).choices).caption
    assert caption.startswith("Points are estimates, adjusted for X, with 99% confidence intervals")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_no_confidence_is_given_of_estimates_without_intervals():
    scored = Estimate(0.4, None, None, 1)
    candidate = Candidate("A", scored, scored, Bounds(0.4, 0.6, is_safe=False), None)
    missing = MissingJudgments("P@5", "P@5(unjudged=skip)", 5, "session", None, (candidate,), {"A": scored})
    caption = of_missing_judgments(missing, material(read_clinic(), ["nsDCG@10"]).choices).caption
    assert caption.startswith("Points are estimates. As scored, ")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_reversing_documents_are_those_of_the_measure_or_of_a_sum():
    of = material(read_clinic(), ["nsDCG@10", "sDCG@10"])
    told = words(robustness(of))[1]
    row = sk.bounds(of.study, "sDCG@10").differences.row(0, named=True)
    documents = f"{row['overturned_by']:,} of {row['open_documents']:,} unjudged documents"
    fewest = f"{documents}, all of the best grade, would reverse the raw difference"
    assert f"reverse nsDCG@10 is not known, as each also changes the ideal; {fewest} in sDCG@10." in told

    assert words(robustness(material(read_clinic(), ["sDCG@10"])))[1].endswith(f" {fewest}.")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_judged_share_against_score_has_a_correlation_and_says_that_it_proves_no_bias():
    of = material(read_clinic(), ["nsDCG@10"])
    section = judgments(of)
    told = next(text for text in words(section) if "correlates" in text)
    measures = ["nsDCG@10", "nsDCG(unjudged=skip)@10", "Judged@10"]
    wide = sk.score(of.study, measures, per="session").pivot(on="measure", values="value", index="session_id")
    for measure in ("nsDCG@10", "nsDCG(unjudged=skip)@10"):
        r = np.corrcoef(wide["Judged@10"], wide[measure])[0, 1]
        assert f"r = {statistic(r, is_share=True)} (95% CI" in told
    assert "proves no bias" in told
    assert "p = " not in told
    (figure,) = figures_in(section)
    circles = sk.charts.data(figure.chart)[0]
    assert circles["n"].sum() == 120
    assert set(circles["rating"]) <= {10.0 * tenth for tenth in range(11)}


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"users": 60},
        {"users": 60, "queries": 1},
        {"systems": ("A",)},
        {"systems": ("",), "queries": 1},
        {"systems": ("AB",)},
        {"systems": ("AB",), "judged": False},
        {"systems": ("",), "judged": False},
        {"systems": ("ABCDEFG",), "users": 12},
    ],
)
def test_every_figure_has_a_sentence_above_it(options):
    for section in by_name(sections_of(searched(**options))).values():
        if section.name in SHOWN and figures_in(section):
            parts = [part for part in section.parts if not isinstance(part, Heading)]
            assert isinstance(parts[0], Words), section.name


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


def test_what_bounds_say_stands_in_words_or_tables():
    in_tables = {"score_bounds", "difference_bounds", "signs", "scope", "more"}
    assert sorted([*IN_WORDS, *in_tables]) == sorted(Incompleteness.KINDS)
