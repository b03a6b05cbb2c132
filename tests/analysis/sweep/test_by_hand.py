"""A sweep of a made-up study against plain Python."""

import math
from itertools import product

import pytest
from scipy import stats

import sessionkit as sk

from .logs import log

pytestmark = pytest.mark.filterwarnings("ignore:.* looks deeper than was observed")
"""Lists made by hand have gaps in their ranks."""


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
        assert row["raw_difference"] == pytest.approx(means[first] - means[second])
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
