"""What a comparison was made of, unit by unit: it agrees with the means, the wins and the estimate."""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.statistics import units
from tests.analysis.compare.layouts import EXAMPLE_S, apart, by_topic, crossing, simulated


def wide(found):
    return found.units.pivot(on="system_id", index="unit", values="value")


def test_paired_units_are_those_of_the_test():
    found = sk.compare(by_topic(EXAMPLE_S[:, :2]))
    row = found.table.row(0, named=True)
    units = wide(found)
    assert units.height == row["n_a"]
    d = units[row["b"]] - units[row["a"]]
    assert d.mean() == pytest.approx(row["estimate"])
    assert ((d > 0).sum(), (d < 0).sum()) == (row["wins"], row["losses"])
    assert not found.units["adjusted"].any()


def test_users_of_a_crossover_are_adjusted_for_topics():
    table = crossing(simulated(1, effect=0.2)[:, 0])
    found = sk.compare(table)
    row = found.table.row(0, named=True)
    assert found.units["adjusted"].all()
    units = wide(found)
    assert units.height == row["n_a"]
    assert (units[row["b"]] - units[row["a"]]).mean() == pytest.approx(row["estimate"])  # the design is balanced
    d = units[row["b"]] - units[row["a"]]
    assert ((d > 0).sum(), (d < 0).sum()) == (row["wins"], row["losses"])
    told = f"({row['b']} higher for {row['wins']}, lower for {row['losses']}, adjusted for topics)"
    assert told in found.reading
    one = found.units.filter(pl.col("unit") == units["unit"][0]).row(0, named=True)
    of_topic = table.group_by("topic_id").agg(topic=pl.col("value").mean())
    own = table.filter(user_id=one["unit"], system_id=one["system_id"]).join(of_topic, on="topic_id")
    assert one["value"] == pytest.approx((own["value"] - own["topic"]).mean() + table["value"].mean())


def test_separate_units_have_one_group_each_and_undefined_ones_none():
    found = sk.compare(apart([np.array([1.0, 2.0, np.nan]), np.array([3.0, 5.0])]))
    assert found.units["unit"].is_unique().all()
    assert sorted(found.units["value"]) == [1.0, 2.0, 3.0, 5.0]


def test_very_many_units_are_not_listed(monkeypatch):
    monkeypatch.setattr(units, "MOST_UNITS", 3)
    found = sk.compare(by_topic(EXAMPLE_S[:, :2]))
    assert found.units.is_empty()
    assert found.units.columns == ["measure", "unit", "system_id", "value", "adjusted"]


def test_differences_within_levels_are_of_the_same_unit_and_level():
    """30 users searched 4 topics with both systems: 120 differences, those of the table of scores."""
    places = [(user, topic, system) for user in range(30) for topic in "ABCD" for system in (1, 2)]
    values = np.random.default_rng(7).normal(size=len(places))
    table = pl.DataFrame(
        {
            "session_id": [f"s{place:03}" for place in range(len(places))],
            "user_id": [f"u{user:02}" for user, _, _ in places],
            "topic_id": [topic for _, topic, _ in places],
            "system_id": [f"S{system}" for _, _, system in places],
            "measure": "sDCG@10",
            "value": values,
        }
    )
    found = sk.compare(table, within="topic_id", population="users")
    differences = found.unit_differences("sDCG@10", "S1", "S2")
    assert differences.columns == ["topic_id", "unit", "a", "b", "difference"]
    expected = table.pivot(on="system_id", index=["topic_id", "user_id"], values="value").sort("topic_id", "user_id")
    assert differences.select("topic_id", "unit").rows() == expected.select("topic_id", "user_id").rows()
    assert differences["difference"].to_list() == pytest.approx((expected["S2"] - expected["S1"]).to_list())
    means = differences.group_by("topic_id", maintain_order=True).agg(pl.col("difference").mean())
    assert means["difference"].to_list() == pytest.approx(found.table["estimate"].to_list())


def test_each_level_of_a_crossover_has_its_own_users():
    """The clinic within the two halves of its topics: a user is in both levels, and is paired within each."""
    table = crossing(simulated(1, effect=0.2)[:, 0]).with_columns(half=pl.col("topic_id").is_in(["A", "C"]))
    found = sk.compare(table, within="half", population="users", test="least-squares")
    differences = found.unit_differences("sDCG@10", "S1", "S2")
    assert differences.select("half", "unit").is_unique().all()
    assert len(differences) == found.table["n_a"].sum()


def test_a_level_without_a_unit_that_met_all_groups_is_compared_beside_the_others():
    """Of three users of one level none has a value for both systems; those of the other level have."""
    rows = [
        (
            f"{user}{system}",
            f"u{user}",
            system,
            level,
            float(user % 3 + place) if level == "full" or place == 0 else None,
        )
        for level, users in (("full", range(6)), ("bare", range(6, 9)))
        for user in users
        for place, system in enumerate("AB")
    ]
    schema = ["session_id", "user_id", "system_id", "level", "value"]
    scores = pl.DataFrame(rows, schema=schema, orient="row").with_columns(measure=pl.lit("gain"))
    units = sk.compare(scores, within="level").units
    assert units.schema["unit"] == pl.String
    assert units["level"].to_list() == ["full"] * 12
