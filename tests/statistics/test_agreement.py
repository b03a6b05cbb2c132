"""Agreement of judges: worked values, a plain restatement, scikit-learn."""

import itertools
import warnings
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import sessionkit as sk
from sessionkit.statistics.agreement import OF_ALL, OF_PAIRS, SCHEMA
from sessionkit.study import Study

LOG = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d0"], "topic_id": ["t"]}
# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example C: four observers, twelve units, missing values
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}
TABLES = st.integers(2, 4).flatmap(
    lambda judges: st.lists(
        st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=judges, max_size=judges), min_size=1, max_size=12
    )
)


def study_of(table):
    """A study of which each judge (column) gave each document (row) a grade, or none."""
    rows = [
        ("t", f"d{n}", who, grade)
        for who, grades in table.items()
        for n, grade in enumerate(grades)
        if grade is not None
    ]
    schema = {"judgment_key": pl.String, "doc_id": pl.String, "judge_id": pl.String, "grade": pl.Float64}
    none = pl.LazyFrame()
    judgments = pl.LazyFrame(rows, schema=schema, orient="row")
    return Study(users=none, sessions=none, queries=none, results=none, judgments=judgments)


def values_of(frame, judge=None, other=None):
    """The values of two judges, or of all."""
    pair = pl.col("judge_id").eq_missing(pl.lit(judge)) & pl.col("other").eq_missing(pl.lit(other))
    return dict(frame.filter(pair).select("measure", "value").rows())


def kappa(pairs, apart):
    """Cohen's kappa of pairs of grades, plainly."""
    one, other = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    seen = sum(apart(a, b) for a, b in pairs) / len(pairs)
    chance = sum(m * n * apart(a, b) for a, m in one.items() for b, n in other.items()) / len(pairs) ** 2
    return None if chance == 0 else 1 - seen / chance


def alpha(units, apart):
    """Krippendorff's alpha by way of the matrix of coincidences, plainly; `apart` takes the frequencies too."""
    together = Counter()
    for grades in units:
        for a, b in itertools.permutations(range(len(grades)), 2):
            together[grades[a], grades[b]] += 1 / (len(grades) - 1)
    often = Counter()
    for (a, _), many in together.items():
        often[a] += many
    total = sum(often.values())
    seen = sum(many * apart(a, b, often) for (a, b), many in together.items())
    chance = sum(often[a] * often[b] * apart(a, b, often) for a in often for b in often)
    return None if chance == 0 else 1 - (total - 1) * seen / chance


def ordinal(a, b, often):
    """Krippendorff's ordinal difference: the frequencies from one grade to the other, half of the ends."""
    low, high = min(a, b), max(a, b)
    return (sum(many for grade, many in often.items() if low <= grade <= high) - (often[a] + often[b]) / 2) ** 2


ALPHAS = {
    "alpha_nominal": lambda a, b, _: a != b,
    "alpha_ordinal": ordinal,
    "alpha_interval": lambda a, b, _: (a - b) ** 2,
}


def test_krippendorffs_own_example():
    found = values_of(sk.agreement(study_of(OBSERVERS)).table)
    published = {"alpha_nominal": 0.743, "alpha_ordinal": 0.815, "alpha_interval": 0.849}
    assert {name: round(found[name], 3) for name in published} == published
    units = [[grade for grade in unit if grade is not None] for unit in zip(*OBSERVERS.values(), strict=True)]
    for name, apart in ALPHAS.items():
        assert found[name] == pytest.approx(alpha([unit for unit in units if len(unit) > 1], apart), abs=1e-12)


REJUDGED = {(0, 1): 691, (0, 0): 2780, (1, 1): 1004, (1, 0): 134, (2, 1): 1077, (2, 0): 51}
"""Documents by their new and their old grade (TOIS 2002, Table 1): 2,772 that TREC judged relevant and 2,965 that it did not, 5,737 in all.

Of the two higher new grades the text that we have lost the rows; together they have what the totals leave.
"""


@pytest.mark.parametrize("as_study", [True, False])
def test_documents_that_were_judged_again(as_study):
    rows = [(f"d{n}", *pair) for n, pair in enumerate(pair for pair, many in REJUDGED.items() for _ in range(many))]
    both = pl.DataFrame(rows, schema=["doc_id", "new", "old"], orient="row").with_columns(judgment_key=pl.lit("t"))
    new, old = (both.select("judgment_key", "doc_id", grade=name) for name in ("new", "old"))
    before = sk.from_tables(LOG, judgments=old) if as_study else old.rename({"judgment_key": "query_id"})
    found = sk.agreement(sk.from_tables(LOG, judgments=new), old=before)
    # 2780 / 2965, 691 / 2772 (which the paper prints as 25.0), 3471 / 5737 and so on
    printed = [
        ("new", "old", 0.0, "2780 (93.8%)", "691 (24.9%)", "3471 (60.5%)"),
        ("new", "old", 1.0, "134 (4.5%)", "1004 (36.2%)", "1138 (19.8%)"),
    ]
    crossed = found.tables()["crossed"]
    assert crossed.rows()[:2] == printed
    assert crossed.columns[3:] == ["other grade 0", "other grade 1", "total"]
    relevant = found.grades.filter(grade=0, other_grade=1)
    assert relevant.select("documents", "share", "share_of_grade", "share_of_other_grade").row(0) == (
        691, pytest.approx(691 / 5737), pytest.approx(691 / 3471), pytest.approx(691 / 2772),
    )  # fmt: skip
    equal = (2780 + 1004) / 5737
    assert values_of(found.table, "new", "old")["agreement"] == pytest.approx(equal)
    (all_judges,) = found.of_kind("agreement")
    assert (all_judges.values["n"], all_judges.values["judges"]) == (5737, "two sets")
    assert round(all_judges.values["agreement"], 2) == 0.66


def test_the_cross_table_has_every_grade_of_one_judge_by_every_grade_of_the_other():
    found = sk.agreement(study_of(OBSERVERS)).grades
    for one, other in itertools.combinations(OBSERVERS, 2):
        pairs = [(a, b) for a, b in zip(OBSERVERS[one], OBSERVERS[other], strict=True) if None not in (a, b)]
        own = found.filter(judge_id=one, other=other)
        seen = Counter(pairs)
        expected = {(a, b): seen[a, b] for a in {a for a, _ in pairs} for b in {b for _, b in pairs}}
        assert {(a, b): many for a, b, many in own.select("grade", "other_grade", "documents").rows()} == expected
        assert own["share"].sum() == pytest.approx(1)
        for name, grade in (("share_of_grade", "grade"), ("share_of_other_grade", "other_grade")):
            assert own.group_by(grade).agg(pl.col(name).sum())[name].to_list() == pytest.approx(
                [1] * own[grade].n_unique()
            )


def test_grades_that_are_scores_have_names_of_their_own_and_many_of_them_no_cross_table():
    alike = sk.agreement(study_of({"ada": [1, 2], "bob": [0.12345671, 0.12345672]})).tables()["crossed"]
    assert alike.columns[3:5] == ["other grade 0.12345671", "other grade 0.12345672"]
    scores = [number / 64 for number in range(60)]
    many = sk.agreement(study_of({"ada": scores, "bob": scores[::-1]}))
    assert len(many.grades) == 60
    assert many.tables()["crossed"].is_empty()


@pytest.mark.filterwarnings("ignore:(judgments|queries). none of the 1")
def test_documents_of_one_set_alone_are_said_to_be_none():
    one, other = ({"judgment_key": ["t"], "doc_id": [name], "grade": [1]} for name in "ab")
    found = sk.agreement(sk.from_tables(LOG, judgments=one), old=sk.from_tables(LOG, judgments=other))
    assert found.table.is_empty()
    assert found.grades.is_empty()
    assert found.tables()["crossed"].is_empty()
    assert [each.values["judges"] for each in found.of_kind("no_agreement")] == ["two sets"]


def test_kappa_by_hand():
    # 50 documents: 20 both yes, 15 both no, 5 and 10 apart; chance 0.5 x 0.6 + 0.5 x 0.4 = 0.5; (0.7 - 0.5) / 0.5 = 0.4
    table = {"A": [1] * 25 + [0] * 25, "B": [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15}
    found = values_of(sk.agreement(study_of(table)).table, "A", "B")
    assert found["agreement"] == pytest.approx(0.7, abs=1e-15)
    assert found["kappa"] == pytest.approx(0.4, abs=1e-15)
    assert found["kappa_linear"] == found["kappa_quadratic"] == pytest.approx(found["kappa"], abs=1e-15)


@pytest.mark.parametrize(
    ("weights", "name"), [(None, "kappa"), ("linear", "kappa_linear"), ("quadratic", "kappa_quadratic")]
)
def test_kappa_is_that_of_scikit_learn(weights, name):
    for (one, first), (other, second) in itertools.combinations(OBSERVERS.items(), 2):
        pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
        theirs = cohen_kappa_score(*zip(*pairs, strict=True), labels=[1, 2, 3, 4, 5], weights=weights)
        assert values_of(sk.agreement(study_of(OBSERVERS)).table, one, other)[name] == pytest.approx(theirs, abs=1e-12)


@given(TABLES)
def test_all_values_are_those_of_a_plain_restatement(rows):
    table = {f"j{place}": [row[place] for row in rows] for place in range(len(rows[0]))}
    found = sk.agreement(study_of(table)).table
    for one, other in itertools.combinations(table, 2):
        pairs = [(a, b) for a, b in zip(table[one], table[other], strict=True) if a is not None and b is not None]
        ours = values_of(found, one, other)
        assert bool(ours) == bool(pairs)
        if pairs:
            assert ours["agreement"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
            assert ours["kappa"] == pytest.approx(kappa(pairs, lambda a, b: a != b))
            assert ours["kappa_linear"] == pytest.approx(kappa(pairs, lambda a, b: abs(a - b)))
            assert ours["kappa_quadratic"] == pytest.approx(kappa(pairs, lambda a, b: (a - b) ** 2))
    units = [grades for row in rows if len(grades := [grade for grade in row if grade is not None]) > 1]
    ours = values_of(found)
    assert bool(ours) == bool(units)
    for name, apart in ALPHAS.items():
        if units:
            assert ours[name] == pytest.approx(alpha(units, apart), abs=1e-9)


def test_the_frame_is_tidy_and_in_order():
    found = sk.agreement(study_of(OBSERVERS)).table
    assert dict(found.schema) == SCHEMA
    pairs = list(itertools.combinations("ABCD", 2))
    expected = [(*pair, measure) for pair in pairs for measure in OF_PAIRS]
    expected += [(None, None, measure) for measure in OF_ALL]
    assert found.select("judge_id", "other", "measure").rows() == expected
    assert found["n"].to_list()[:4] == [9] * 4  # A and B have nine documents in common
    assert found["n"].to_list()[-1] == 11  # the twelfth unit has one grade


def test_what_does_not_agree_by_more_than_chance_could_is_undefined():
    found = sk.agreement(study_of({"A": [1, 1], "B": [1, 1]})).table
    assert values_of(found, "A", "B") == {
        "agreement": 1.0,
        "kappa": None,
        "kappa_linear": None,
        "kappa_quadratic": None,
    }
    assert values_of(found) == {"agreement": 1.0, **dict.fromkeys(ALPHAS)}


@pytest.mark.parametrize("table", [{"A": [1, 2]}, {"A": [1, None], "B": [None, 2]}])
def test_where_nothing_was_judged_twice_there_is_nothing(table):
    assert sk.agreement(study_of(table)).table.rows() == []


def test_judgments_without_judges_are_left_out():
    judgments = {"judgment_key": ["t"] * 3, "doc_id": ["a"] * 3, "grade": [1, 2, 2]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.DataWarning)
        assert sk.agreement(sk.from_tables(LOG, judgments)).table.rows() == []
        some = sk.from_tables(LOG, {**judgments, "judge_id": ["A", "B", None]})
        both = sk.from_tables(LOG, {**judgments, "judge_id": ["A", "B", "A"]})
    assert values_of(sk.agreement(some).table)["agreement"] == 0
    assert values_of(sk.agreement(both).table, "A", "B")["agreement"] == 0  # the first grade of A counts


@pytest.mark.filterwarnings("ignore:(judgments|queries). none of the 1")
def test_subtopics_are_judged_apart():
    judgments = {"judgment_key": ["t"] * 4, "doc_id": ["a"] * 4, "subtopic_id": ["1", "1", "2", "2"]}
    study = sk.from_tables(LOG, {**judgments, "judge_id": ["A", "B"] * 2, "grade": [1, 1, 2, 3]})
    assert values_of(sk.agreement(study).table, "A", "B")["agreement"] == 0.5


def test_it_is_said_in_words_and_by_what_command():
    found = sk.agreement(study_of(OBSERVERS))
    linear = found.table.filter(measure="kappa_linear").sort("value", maintain_order=True).row(0, named=True)
    assert found.text.splitlines() == [
        "11 documents graded by two judges or more: "
        f"{values_of(found.table)['agreement']:.0%} of the pairs of grades are equal; Krippendorff's alpha is 0.743 (nominal), "
        "0.815 (ordinal), 0.849 (interval).",
        f"Of 6 pairs of judges {linear['judge_id']} and {linear['other']} agree least: linear kappa {linear['value']:.3f} on "
        f"{linear['n']} documents.",
    ]
    assert found.provenance.command == "sessionkit agreement STUDY"
    assert "kappa" in found.to_markdown()
    alike = sk.agreement(study_of({"A": [1], "B": [1]}))
    (of_all,) = alike.statements
    alphas = dict.fromkeys(("alpha_nominal", "alpha_ordinal", "alpha_interval"))
    assert of_all.values == {"n": 1, "judges": "judges", "agreement": 1.0, **alphas}
    assert of_all.text.count("undefined (") == 3
