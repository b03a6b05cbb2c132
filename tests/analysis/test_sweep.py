"""sweep, end to end: every setting against a score and a comparison of its own, and against plain Python."""

import math
import random
import warnings
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic" / "study.toml"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
LIST = 6


def log(seed=3, users=6, topics=3, systems=("A", "B"), *, met=None):
    """A made-up study: A finds early and asks little, the others late and often. Rows, grades and the study of them."""
    rng = random.Random(seed)  # noqa: S311
    rows, grades = [], {}
    for user, topic, (number, system) in product(range(users), range(topics), enumerate(systems)):
        if met is not None and not met(user, topic, number):
            continue
        session = f"s{user}-{topic}-{system}"
        for query in range(1, 2 + (rng.random() < 0.4 if number == 0 else 2)):
            for rank in range(1, LIST + 1):
                doc = f"d{rng.randrange(60)}"
                chance = 0.8 / rank if number == 0 else 0.1 + 0.06 * query + 0.02 * number
                rows.append((session, query, rank, doc, f"t{topic}", system, f"u{user}", rng.random() < 0.5))
                if rng.random() < chance:
                    grades[f"t{topic}", doc] = rng.choice([1, 2, 3])
                elif rng.random() < 0.5:
                    grades.setdefault((f"t{topic}", doc), 0)
    # a list shows each document once
    rows = [*{(*row[:2], row[3]): row for row in reversed(rows)}.values()][::-1]
    names = ["session_id", "query_position", "rank", "doc_id", "topic_id", "system_id", "user_id", "clicked"]
    judged = [(topic, doc, grade) for (topic, doc), grade in grades.items()]
    study = sk.from_tables(
        pl.DataFrame(rows, schema=names, orient="row"),
        pl.DataFrame(judged, schema=["judgment_key", "doc_id", "grade"], orient="row"),
    )
    return rows, grades, study


@pytest.fixture(scope="module")
def made():
    return log()


@pytest.fixture(scope="module")
def clinic():
    return sk.read(CLINIC)


def alone(study, row, by, **options):
    """The comparison of one setting, made by itself: its row for the leader and the next, the leader less the next."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        table = sk.compare(study, row["measure"], by, **options).table
    pair = sorted((row["leader"], row["following"]))
    found = table.filter(pl.col("a") == pair[0], pl.col("b") == pair[1]).row(0, named=True)
    if found["a"] == row["leader"]:
        low, high = found["low"], found["high"]
        found |= {
            "estimate": -found["estimate"],
            "low": None if high is None else -high,
            "high": None if low is None else -low,
        }
    return found


GRIDS = [
    ("sDCG@5", {"b": [1.5, 2, 8], "bq": "1.5:6:3", "gain": "linear,exp2,0-1-10-100"}),
    ("sDCG@5", {"cutoff": [1, 3], "duplicates": "all,first", "unjudged": "zero,skip", "depth": "all,last_click"}),
    ("nsDCG@5", {"b": [2, 5], "ideal": "repeated,spread,once", "duplicates": "all,first"}),
    ("mean(nDCG@5)", {"discount": "burges,jk2002", "b": [2, 5], "cutoff": [2, 5]}),
    ("sRBP(b=.5,p=.5)@5", {"b": [0.2, 0.5, 0.9], "p": "0.3:0.9:3"}),
    ("sDCG(undefined=zero)@5", {"discount": "log,geometric,none", "p": [0.5, 0.8]}),
]


@pytest.mark.filterwarnings("ignore:.*upper bound")
@pytest.mark.parametrize(("measure", "vary"), GRIDS)
def test_every_setting_is_a_score_of_its_own_bit_for_bit(made, measure, vary):
    _, _, study = made
    for test in ("none", None):
        found = sk.sweep(study, measure, vary, test=test)
        assert found.table.filter("base").height == 1
        scored = found.table.drop_nulls("measure")
        assert len(scored) > 3
        for row in scored.iter_rows(named=True):
            own = sk.score(study, row["measure"], per="system")
            ours = found.means.filter(pl.col("setting") == row["setting"])
            assert ours["mean"].to_list() == own["value"].to_list()
            assert ours["n"].to_list() == own["n"].to_list()
            better, worse = sorted(own["value"].to_list(), reverse=True)
            assert (row["margin"], row["relative"]) == (better - worse, (better - worse) / worse)


def crossed(user, topic, system):
    """Each user searches each topic once, systems alternated."""
    return (user + topic) % 2 == system


def between(user, _topic, system):
    """Each user meets one system."""
    return user % 2 == system


DESIGNS = [
    ("by user and topic", {}, {}),
    ("by user and topic", {}, {"generalise": "topics"}),
    ("by user and topic", {"systems": ("A", "B", "C")}, {}),
    ("by user and topic", {"systems": ("A", "B", "C")}, {"test": "wilcoxon"}),
    ("crossover", {"met": crossed, "topics": 4}, {}),
    ("crossover", {"met": crossed, "topics": 4}, {"generalise": "topics", "test": "randomisation"}),
    ("between", {"met": between}, {}),
    ("between", {"met": between}, {"generalise": "topics"}),
    ("between", {"met": between, "users": 12}, {"test": "mann-whitney"}),
]


@pytest.mark.parametrize(
    ("design", "study", "options", "measure"),
    [(*one, "sDCG@5") for one in DESIGNS] + [(*DESIGNS[number], "nsDCG@5") for number in (0, 2, 4, 7)],
)
def test_every_setting_is_tested_as_a_comparison_of_its_own(design, study, options, measure):
    _, _, made = log(seed=5, **study)
    found = sk.sweep(made, measure, {"b": [2, 6]}, **options)
    assert design in found.design
    tested = 0
    for row in found.table.iter_rows(named=True):
        theirs = alone(made, row, "system_id", **options)
        for ours, name in (("estimate", "estimate"), ("low", "low"), ("high", "high"), ("p_value", "p_adjusted")):
            same = theirs[name] is None or pytest.approx(theirs[name], rel=1e-9, abs=1e-12)
            assert (row[ours] is None) is (theirs[name] is None)
            assert row[ours] is None or row[ours] == same, (row["measure"], ours)
        assert row["shown"] == (theirs["p_adjusted"] <= 0.05 and row["estimate"] > 0)
        tested += 1
    assert tested == 2
    base = sk.compare(made, measure, **options)
    assert (found.population, found.claim) == (base.population, base.claim)


def by_hand(rows, grades, b, bq, gain):
    """Mean sDCG of every system, from the formula."""
    totals, systems = {}, {}
    for session, query, rank, doc, topic, system, _, _ in rows:
        systems[session] = system
        grade = grades.get((topic, doc), 0)
        worth = grade if gain == "linear" else 2**grade - 1
        if rank <= 5:
            add = worth / (1 + math.log(rank, b)) / (1 + math.log(query, bq))
            totals[session] = totals.get(session, 0) + add
    means = {}
    for system in sorted(set(systems.values())):
        values = [totals.get(session, 0) for session, of in systems.items() if of == system]
        means[system] = sum(values) / len(values)
    return means


def test_a_made_up_study_in_plain_python():
    rows, grades, study = log(seed=11, systems=("A", "B", "C", "D"))
    vary = {"b": [1.3, 2, 4, 9], "bq": [1.3, 4, 20], "gain": ["linear", "exp2"]}
    found = sk.sweep(study, "sDCG@5", vary, test="none")
    assert found.table.height == 4 * 3 * 2
    base = by_hand(rows, grades, 2, 4, "linear")
    held, order = {}, {}
    for row, (b, bq, gain) in zip(found.table.iter_rows(named=True), product(*vary.values()), strict=True):
        means = by_hand(rows, grades, b, bq, gain)
        first, second = sorted(means, key=means.get, reverse=True)[:2]
        assert (row["b"], row["bq"], row["gain"]) == (b, bq, gain)
        assert (row["leader"], row["following"]) == (first, second)
        assert row["margin"] == pytest.approx(means[first] - means[second])
        assert row["tau"] == pytest.approx(stats.kendalltau([*base.values()], [*means.values()]).statistic)
        held[b, bq, gain] = first == max(base, key=base.get)
        order[b, bq, gain] = row["tau"]
        assert row["outcome"] == ("holds" if held[b, bq, gain] else "overturned")
    assert len(set(held.values())) == 2
    assert len(set(order.values())) > 1
    region = found.regions.row(0, named=True)
    assert (region["settings"], region["holds"]) == (24, sum(held.values()))
    # the region around the base, by filling it
    reached, ahead = set(), [(2, 4, "linear")]
    while ahead:
        at = ahead.pop()
        if at in reached or not held[at]:
            continue
        reached.add(at)
        for axis, values in enumerate(vary.values()):
            place = values.index(at[axis])
            beside = range(len(values)) if axis == 2 else (place - 1, place + 1)
            ahead += [(*at[:axis], values[n], *at[axis + 1 :]) for n in beside if 0 <= n < len(values)]
    assert region["connected"] == len(reached)
    assert region["share"] == sum(held.values()) / 24


def toy(deep, first=1, last=3, grade=2):
    """A: one document at rank 1. B: so many of this grade at a rank, all in the first query."""
    places = [("a", 1, 1, "x", "A")] + [("b", 1, last, f"y{number}", "B") for number in range(deep)]
    places = [
        (session, query, rank + (place - 1 if session == "b" else 0), doc, system)
        for place, (session, query, rank, doc, system) in enumerate(places)
    ]
    frame = pl.DataFrame(places, schema=["session_id", "query_position", "rank", "doc_id", "system_id"], orient="row")
    docs = ["x", *(f"y{number}" for number in range(deep))]
    judged = {"judgment_key": ["t"] * len(docs), "doc_id": docs, "grade": [first, *[grade] * deep]}
    return sk.from_tables(frame.with_columns(topic_id=pl.lit("t")), judged)


def test_crossings_are_where_algebra_has_them():
    # B's 2 / (1 + log_b 3) equals A's 1 where log_b 3 = 1: at b = 3
    found = sk.sweep(toy(1), "sDCG@10", {"b": "1.5:9:4"}, test="none")
    (row,) = found.ranges.iter_rows(named=True)
    assert (row["low"], row["high"], row["ends_below"], row["ends_above"]) == ("1.5", "2", None, "3")
    near = found.nearest.row(0, named=True)
    assert (near["conclusion"], near["changes"], near["at"]) == ("lead", 1, "b=3")
    assert near["distance"] == pytest.approx(math.log2(math.log(3) / math.log(2)), abs=1e-5)
    # both ends as they are told, scored anew
    means = [sk.score(toy(1), near[name], per="system")["value"].to_list() for name in ("measure", "still")]
    assert means[0][1] >= means[0][0]
    assert means[1][1] < means[1][0]
    assert "b=3" in found.reading


def test_a_crossing_of_two_parameters_is_found_where_none_of_one_is():
    # A has 1; B has grade 5 at rank 3 of query 3: 5 d(3) dq(3), which is .914 with one base at 10 and the other at 1.5
    places = {"session_id": list("abbb"), "query_position": [1, 1, 2, 3], "rank": [1, 1, 1, 3], "doc_id": list("xuvy")}
    results = {**places, "topic_id": ["t"] * 4, "system_id": list("ABBB")}
    study = sk.from_tables(results, {"judgment_key": ["t"] * 2, "doc_id": ["x", "y"], "grade": [1, 5]})
    vary = {"b": "1.5:10:4", "bq": "1.5:10:4"}
    found = sk.sweep(study, "sDCG(b=1.5,bq=1.5)@5", vary, test="none")
    assert all(end is None for end in found.ranges["ends_above"])
    (near,) = found.nearest.iter_rows(named=True)
    assert (near["changes"], near["leader"]) == (2, "B")
    for name, leads in (("measure", "B"), ("still", "A")):
        assert sk.score(study, near[name], per="system").sort("value").item(-1, "system_id") == leads

    def gained(text):
        b, bq = (float(part.partition("=")[2]) for part in text.split(", "))
        return 5 / (1 + math.log(3, b)) / (1 + math.log(3, bq))

    assert gained(near["at"]) == pytest.approx(1, abs=1e-5)
    assert gained(near["still_at"]) == pytest.approx(1, abs=1e-5)
    assert gained(near["still_at"]) < 1 < gained(near["at"])


def test_nearest_prefers_fewer_changes_and_then_the_smaller():
    # grade 1 at rank 1 against 2 at rank 3: only b matters; gain=exp2 makes 1 against 3 / (1 + log2 3) = 1.16
    found = sk.sweep(toy(1), "sDCG@10", {"gain": "linear,exp2", "b": [2, 2.5, 8], "bq": [2, 4]}, test="none")
    near = found.nearest.row(0, named=True)
    assert (near["changes"], near["at"].startswith("gain=linear, b=")) == (
        1,
        True,
    )  # log2(ln 3 / ln 2) = .66 < 1, a word
    words = sk.sweep(toy(1), "sDCG(b=1.2)@10", {"gain": "linear,exp2,0-1-90", "b": [1.2, 8]}, test="none")
    assert words.nearest.item(0, "at") == "gain=0-1-90, b=1.2"  # 1 beside log2(ln 3 / ln 1.2) = 2.6


def test_settings_that_cannot_be_are_rows_with_a_reason(made):
    _, _, study = made
    vary = {"discount": "log,rn2002", "b": [2, 4], "gain": "linear,0-1"}
    found = sk.sweep(study, "nsDCG@5", vary)
    assert found.table["outcome"].to_list().count("refused") == 5  # rn2002 with b=4: 2; gain=0-1: 4, one of them both
    told = {tuple(row[:3]): row[3] for row in found.table.select("discount", "b", "gain", "reason").iter_rows()}
    assert "boosts the ranks 2 to b-1" in told["rn2002", 4, "linear"]
    assert "has weights for grades 0 to 1" in told["log", 2, "0-1"]
    assert told["log", 2, "linear"] is None
    assert "5 refused (the table says why)" in found.reading
    assert found.regions.item(0, "known") == 3
    with pytest.raises(DataError, match="weights for grades 0 to 1"):
        sk.sweep(study, "nsDCG(gain=0-1)@5", {"b": [2, 3]})


def test_undefined_settings_are_rows_too():
    _, _, study = log(users=2, topics=1)
    found = sk.sweep(study, "nsDCG(gain=binary)@5", {"min_grade": [1, 9]}, test="none")
    assert found.table["outcome"].to_list() == ["holds", "undefined"]
    assert found.table.item(1, "reason") == "no group has a session with a value"
    assert found.means.filter(pl.col("setting") == 2)["mean"].to_list() == [None, None]
    assert "Note: sessions without a value, which are left out of means: 0 to 4 by setting." in found.reading
    base = sk.sweep(study, "nsDCG(gain=binary,min_grade=9)@5", {"min_grade": [1, 9]}, test="none")
    assert "there is no conclusion to hold on to" in base.reading
    assert base.regions.is_empty()


def test_one_group_and_ties_are_sentences():
    _, _, study = log(systems=("A",))
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4]})
    assert "with one group there is nothing to compare" in found.reading
    assert found.table["reason"].to_list() == ["there is one group only"] * 2
    tied = sk.sweep(toy(1, grade=1, last=1), "sDCG@10", {"b": [2, 4]})
    assert "A and B have the same mean, 1.0000" in tied.reading
    assert tied.table["outcome"].to_list() == ["tied", "tied"]
    assert tied.nearest.is_empty()


def test_a_tie_ends_a_lead():
    found = sk.sweep(toy(1), "sDCG@10", {"cutoff": [2, 3], "b": [3]}, test="none")  # at b=3 and cutoff 3, 1 and 1
    row = found.table.filter(cutoff=3, b=3).row(0, named=True)
    assert (row["outcome"], row["reason"]) == ("tied", "A and B have the same mean")


def test_lower_is_better_where_it_is():
    found = sk.sweep(toy(1), "mean(ESL(need=1))", {"count": "nonrelevant,examined"}, test="none")
    row = found.table.filter("base").row(0, named=True)
    low = found.means.filter(setting=row["setting"]).sort("mean").row(0, named=True)
    assert row["leader"] == low["group"] == "A"
    assert row["margin"] > 0
    assert "below that of B" in found.reading
    assert "lowest mean" in found.regions.item(0, "statement")


def test_means_and_pairs_that_disagree_show_nothing():
    # by user A is better by .5 in each of three; but one user has many bad sessions of A
    rows = [(f"{user}{system}{n}", 1, 1 if system == "A" else 2, "x" if user < 3 or system == "B" else "y", system, f"u{user}")
            for user in range(4) for system in "AB" for n in range(9 if (user, system) == (3, "A") else 1)]  # fmt: skip
    rows = [row for row in rows if not (row[5] == "u3" and row[4] == "B")]
    frame = pl.DataFrame(
        rows, schema=["session_id", "query_position", "rank", "doc_id", "system_id", "user_id"], orient="row"
    )
    judged = {"judgment_key": ["t"] * 2, "doc_id": ["x", "y"], "grade": [1, 0]}
    study = sk.from_tables(frame.with_columns(topic_id=pl.lit("t")), judged)
    found = sk.sweep(study, "sDCG@5", {"b": [2, 2.1]}, test="sign")
    row = found.table.row(0, named=True)
    assert row["leader"] == "B"  # 1/2 beside 3/12
    assert row["estimate"] < 0
    assert row["shown"] is False
    assert "different directions" in row["reason"]
    assert "different directions; nothing counts as shown there" in found.reading


def test_more_groups_than_a_comparison_takes_are_ordered_and_not_tested():
    _, _, study = log(users=2, topics=1, systems=tuple(f"r{n:02}" for n in range(25)))
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4]})
    assert "Not tested: compare tests 2 to 20 groups, and there are 25." in found.reading
    assert found.table["p_value"].null_count() == 2
    assert "Order of the 25 groups beside the base setting's: Kendall's tau-b" in found.reading
    assert found.means.height == 50


def test_the_verdict_of_a_study_without_a_difference():
    _, _, study = log(seed=8, users=4)
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4]}, alpha=1e-9)
    assert "no difference shown" in found.reading
    assert found.regions.filter(conclusion="verdict").item(0, "statement") == "no difference is shown (p above 1e-09)"
    assert " wins" not in found.reading


def test_the_clinic_reads_with_population_size_and_sensitivity(clinic):
    found = sk.sweep(clinic, "sDCG@10", {"b": "1.5:10:6", "bq": "1.5:10:6"})
    for text in (
        "Swept: sDCG@10 by system_id, over b (7 values from 1.5 to 10) and bq (7 values from 1.5 to 10): 49 settings.",
        "b=2 and bq=4, the value of sDCG@10, was added to the values asked for.",
        "users like these 30 users, searching these 4 topics",
        "60 and 60 sessions",
        "would be found four times in five",
        "S2 leads in 49 of 49 settings",
        "nothing within this grid changes it",
        "A setting chosen for its p shows nothing.",
    ):
        assert text in found.reading
    base, theirs = found.table.filter("base").row(0, named=True), sk.compare(clinic, "sDCG@10").table.row(0, named=True)
    assert (base["leader"], base["margin"]) == ("S2", pytest.approx(theirs["difference"]))
    assert base["p_value"] == pytest.approx(theirs["p_adjusted"])
    assert list(found.tables()) == ["settings", "means", "regions", "ranges", "nearest", "parameters", "made_with"]
    assert "<table" in found._repr_html_()


def test_a_map_is_a_slice_of_the_sweep(made):
    _, _, study = made
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4], "bq": [2, 4], "gain": "linear,exp2"}, test="none")
    drawn = found.map("gain", "b")
    assert drawn.select("x", "y").rows() == [("linear", "2"), ("exp2", "2"), ("linear", "4"), ("exp2", "4")]
    kept = found.table.filter(bq=4)
    assert drawn["margin"].to_list() == kept["margin"].to_list()
    assert found.map().height == 4
    with pytest.raises(UsageError, match=r"cutoff was not varied; varied: b, bq, gain"):
        found.map("cutoff")
    with pytest.raises(UsageError, match="two different"):
        found.map("b", "b")


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"by": "sistem"}, UsageError, "did you mean 'system_id'"),
        ({"measure": "nDCG@5"}, MeasureError, r"mean\(nDCG@5\)"),
        ({"measure": "sRBP@5"}, MeasureError, "needs b and p"),
        ({"alpha": 0.7}, UsageError, "alpha must be"),
        ({"test": "t-test"}, UsageError, "there is no test"),
        ({"correction": "holms"}, UsageError, "did you mean 'holm'"),
        ({"seed": -1}, UsageError, "seed must be"),
        ({"generalise": "topic"}, UsageError, "did you mean 'topics'"),
    ],
)
def test_what_cannot_be_is_said(made, options, error, said):
    _, _, study = made
    with pytest.raises(error, match=said):
        sk.sweep(study, **{"measure": "sDCG@5", "vary": {"b": [2, 3]}} | options)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_real_sessions_by_difficulty(tmp_path):
    config = tmp_path / "study.toml"
    columns = {
        "session": 'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User", difficulty = "Difficulty"',
        "results": 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"',
        "qrels": 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"',
    }
    tables = {"sessions": "session", "results": "results", "judgments": "qrels"}
    parts = [
        f'[{name}]\npath = "{DATA / file}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns[file]} }}\n'
        + ('empty_list = "no results"\n' if name == "results" else "")
        for name, file in tables.items()
    ]
    config.write_text("max_grade = 2\n" + "".join(parts))
    found = sk.sweep(sk.read(config), "sDCG(like=jiang2016)@9", {"b": "1.5:10:4", "bq": "1.5:10:4"}, by="difficulty")
    assert "incomplete blocks" in found.design
    assert "20 users" in found.population
    assert "no difference shown between the two" in found.reading
    assert "after Bonferroni over 10 pairs" in found.reading
    assert "Kendall's tau-b" in found.reading
    assert found.table["outcome"].unique().to_list() == ["holds"]
