"""What a judge may say in place of a grade: counted plainly, declared, given, and refused."""

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.robustness.judge_noise import errors_of, redrawn
from tests.support.examples import examples

LOG = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d0"], "topic_id": ["t"]}
TABLES = st.lists(
    st.lists(st.sampled_from([None, 0.0, 1.0, 3.0]), min_size=3, max_size=3).filter(
        lambda row: any(g is not None for g in row)
    ),
    min_size=1,
    max_size=10,
)


def study_of(table, **settings):
    """A study of which each judge (column) gave each document (row) a grade, or none."""
    rows = [
        ("t", f"d{n}", f"j{who}", grade)
        for n, row in enumerate(table)
        for who, grade in enumerate(row)
        if grade is not None
    ]
    names = ["judgment_key", "doc_id", "judge_id", "grade"]
    return sk.from_tables(results=LOG, judgments=pl.DataFrame(rows, schema=names, orient="row"), **settings)


def shares(errors):
    """The matrix as a dictionary."""
    return {(a, b): share for a, b, share in errors.table.select("grade", "becomes", "share").rows()}


@settings(max_examples=examples(40), deadline=None)
@given(TABLES)
def test_judges_are_counted_as_krippendorff_does(table):
    """Every ordered pair of the m grades of a document counts 1 / (m - 1); rows are divided by their sums."""
    counted = Counter()
    for row in table:
        grades = [grade for grade in row if grade is not None]
        for one, other in itertools.permutations(grades, 2):
            counted[one, other] += 1 / (len(grades) - 1)
    used = np.array([grade for row in table for grade in row if grade is not None])
    if not counted:
        assert errors_of(study_of(table), np.append(used, 9.0), None, "adjacent").source == "declared"
        with pytest.raises(DataError, match=r"noise=judges: no document was graded by two judges"):
            errors_of(study_of(table), used, "judges", "adjacent")
        return
    errors = errors_of(study_of(table), used, None, "adjacent")
    assert errors.source == "judges"
    sums = Counter()
    for (one, _), many in counted.items():
        sums[one] += many
    wanted = {(a, b): many / sums[a] for (a, b), many in counted.items()}
    wanted |= {(grade, grade): 1.0 for grade in set(used.tolist()) - set(sums)}
    assert shares(errors) == pytest.approx(wanted)
    assert set(errors.unknown) == set(used.tolist()) - set(sums)


def test_declared_errors_go_to_neighbors_or_anywhere():
    study, used = study_of([[0.0, None, None]]), np.array([0.0, 1.0, 1.0, 3.0])
    near = errors_of(study, used, "0.2", "adjacent")
    assert shares(near) == pytest.approx(
        {(0, 0): 0.8, (0, 1): 0.2, (1, 0): 0.1, (1, 1): 0.8, (1, 3): 0.1, (3, 1): 0.2, (3, 3): 0.8}
    )
    far = shares(errors_of(study, used, 0.2, "any"))
    assert far == pytest.approx({(a, b): 0.8 if a == b else 0.1 for a in (0, 1, 3) for b in (0, 1, 3)})
    assert near.changed(used) == pytest.approx(0.2)
    with pytest.raises(DataError, match="all judgments have the grade 1; there is no other"):
        errors_of(study, np.array([1.0]), 0.5, "adjacent")
    assert errors_of(study, np.array([1.0]), 0, "adjacent").changed(np.array([1.0])) == 0.0


def test_a_table_of_errors():
    given_ = {"grade": [0, 0, 1], "becomes": [0, 2, 1], "share": [0.25, 0.75, 1.0]}
    errors = errors_of(study_of([[0.0, None, None]]), np.array([0.0, 1.0]), given_, "adjacent")
    assert shares(errors) == {(0, 0): 0.25, (0, 2): 0.75, (1, 1): 1.0, (2, 2): 1.0}
    assert errors.unknown == ()
    for broken, names in (
        ({"grade": [0], "becomes": [1]}, "no share"),
        ({"grade": [0], "becomes": [1], "share": [0.5]}, "add up to 1"),
        ({"grade": [0, 0], "becomes": [0, 1], "share": [1.5, -0.5]}, "add up to 1"),
    ):
        with pytest.raises(UsageError, match=names):
            errors_of(study_of([[0.0, None, None]]), np.array([0.0]), broken, "adjacent")


@pytest.mark.parametrize("noise", ["judge", "1.1", -0.1, "nan"])
def test_other_noise_is_refused(noise):
    with pytest.raises(UsageError, match="judges or searchers, or a share of judgments from 0 to 1"):
        errors_of(study_of([[0.0, None, None]]), np.array([0.0]), noise, "adjacent")


def test_grades_are_drawn_by_the_matrix_from_one_seed():
    used = np.array([0.0, 1.0, np.nan, 2.0] * 5_000)
    errors = errors_of(study_of([[0.0, None, None]]), used[np.isfinite(used)], 0.3, "adjacent")
    drawn = redrawn(used, errors, (1, 2))
    assert np.array_equal(np.isnan(drawn), np.isnan(used))
    for grade, becomes, share, _ in errors.table.rows():
        mine = drawn[used == grade]
        assert (mine == becomes).mean() == pytest.approx(share, abs=5 * np.sqrt(0.25 / len(mine)))
    assert np.array_equal(drawn, redrawn(used, errors, (1, 2)), equal_nan=True)
    assert not np.array_equal(drawn, redrawn(used, errors, (1, 3)), equal_nan=True)


def test_no_noise_changes_nothing_and_full_noise_everything():
    used = np.array([0.0, 1.0] * 500)
    study = study_of([[0.0, None, None]])
    assert np.array_equal(redrawn(used, errors_of(study, used, 0, "any"), (0,)), used)
    assert np.array_equal(redrawn(used, errors_of(study, used, 1, "any"), (0,)), 1 - used)


def test_what_one_judge_says_is_not_put_in_place_of_sums():
    study = study_of([[1.0, 1.0, None], [1.0, 0.0, None], [0.0, 0.0, 1.0]], merge="sum")
    sums = np.array([2.0, 1.0, 1.0])
    with pytest.raises(UsageError, match="errors of sums over several judges"):
        errors_of(study, sums, "judges", "adjacent")
    # not asked for, a declared share of the sums in use: 1 and 2
    found = errors_of(study, sums, None, "adjacent")
    assert (found.source, found.levels.tolist()) == ("declared", [1.0, 2.0])
    assert found.share == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9]]))


def test_what_a_searcher_says_is_not_put_in_place_of_sums():
    rows = {
        "session_id": ["a", "b"],
        "query_position": [1] * 2,
        "rank": [1] * 2,
        "doc_id": ["x"] * 2,
        "user_grade": [1.0, 2.0],
    }
    sessions = {"session_id": ["a", "b"], "system_id": ["A", "B"], "topic_id": ["t"] * 2}
    judgments = {"judgment_key": ["t"] * 2, "doc_id": ["x"] * 2, "grade": [1, 2], "judge_id": ["ada", "bob"]}
    summed, most = (sk.from_tables(rows, judgments, sessions=sessions, merge=merge) for merge in ("sum", "max"))
    why = "a searcher gives one grade, and the judgments are sums .*merge=sum.*declare a share of wrong sums, such as noise=0.1"
    with pytest.raises(UsageError, match=why):
        sk.judge_noise(summed, "sDCG@5", noise="searchers", draws=2, population="sessions")
    # nor are searchers said to agree, or not, with 1 + 2 = 3, a grade that none of them can give
    for study, grade, compared in ((summed, 3.0, False), (most, 2.0, True)):
        stays = {"grade": [grade], "becomes": [grade], "share": [1.0]}
        found = sk.judge_noise(study, "sDCG@5", noise=stays, draws=1, population="sessions")
        assert ("searchers and judgments" in found.agreement["who"].to_list()) == compared
