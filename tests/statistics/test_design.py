"""Designs as they are read from the data, the claims they allow, and what is refused.

Contrasts that sequences of users tell: their number by ranks of the whole model, and what their weights are.
"""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.statistics.design import UserSequence, design_of, read_counterbalancing, read_design
from tests.statistics.layouts import EXAMPLE_S, apart, by_topic, crossing, scores
from tests.support.statements import claim_of, only_values


def design(table, groups=2):
    named = table.with_columns(group=pl.col("system_id")).sort("session_id", "group")
    return read_design(named, "system_id", groups)


def crossed(users, topics, systems=2):
    """Every user with every topic and system."""
    rows = [
        (f"{u}{t}{s}", f"u{u}", f"t{t}", f"S{s}") for u in range(users) for t in range(topics) for s in range(systems)
    ]
    return pl.DataFrame(rows, schema=["session_id", "user_id", "topic_id", "system_id"], orient="row")


def test_designs():
    assert design(crossing(np.zeros(120))).name == "crossover"
    assert design(crossed(3, 4)).name == "both"
    assert design(crossed(3, 1)).name == "users"
    assert design(crossed(1, 4)).name == "topics"
    assert design(by_topic(EXAMPLE_S), 3).name == "topics"
    assert design(apart([[1, 2], [3, 4]])).name == "independent"
    # without ids of users and topics nothing can be matched
    alone = crossed(3, 4).with_columns(user_id=pl.lit(None, pl.String), topic_id=pl.lit(None, pl.String))
    assert (design(alone).name, [*design(alone).layouts]) == ("independent", ["sessions"])


def test_a_session_with_a_value_for_every_group_is_a_pair_itself():
    parts = pl.DataFrame({"session_id": ["s", "s", "z", "z"], "system_id": ["first", "last"] * 2})
    parts = parts.with_columns(user_id=pl.lit(None, pl.String), topic_id=pl.lit(None, pl.String))
    assert design(parts).name == "sessions"


def test_systems_that_met_different_topics_are_confounded_with_them():
    rows = crossed(4, 2).filter(pl.col("topic_id").str.tail(1) == pl.col("system_id").str.tail(1))
    found = design(rows)
    assert found.name == "users"
    assert "due to the topics" in found.warning
    compared = sk.compare(
        rows.with_columns(measure=pl.lit("sDCG@10"), value=pl.Series(range(8)).cast(pl.Float64).sqrt())
    )
    assert "Caution: each topic has one" in compared.reading
    assert only_values(compared, "design")["one_group_topics"] == only_values(compared, "design")["topics"] > 0


def test_separate_users_with_separate_topics_may_differ_by_their_topics():
    rows = [(f"s{i}", f"u{i}", f"t{i // 2}", f"S{1 + i // 4}", 0.1 * (i % 3)) for i in range(8)]
    found = sk.compare(scores(rows))
    assert ". Caution: each topic has one " in found.design
    design = only_values(found, "design")
    assert (design["one_group_topics"], design["topics"]) == (4, 4)
    assert claim_of(found) == ("users", (8, 8), (4, 4))
    assert only_values(found, "claim")["topics_apart"]
    shared = sk.compare(scores([(s, u, "t0" if s in ("s0", "s4") else t, g, v) for s, u, t, g, v in rows]))
    design = only_values(shared, "design")
    assert (design["one_group_topics"], design["topics"]) == (3, 4)
    assert claim_of(shared) == ("users", (8, 8), (4, 4))
    assert not only_values(shared, "claim")["topics_apart"]


def incomplete(seed=7):
    """100 users with 6 of 300 topics each, systems alternated; every ninth of 279 topics lost its second session."""
    rng = np.random.default_rng(seed)
    rows = []
    for user in range(100):
        for place in range(6):
            again, topic = divmod(6 * user + place, 300)
            system = 1 + (user + place + again) % 2
            if not again or topic >= 279 or topic % 9:
                value = 1.0 + 0.1 * system + rng.normal(0, 0.3)
                rows.append((f"s{user:03}{place}", f"u{user:03}", f"t{topic:03}", f"S{system}", value))
    return scores(rows)


def test_a_design_with_gaps_is_told_as_the_data_have_it():
    table = incomplete()
    met = table.group_by("topic_id").agg(pl.col("system_id").n_unique())
    assert (met.height, met.filter(system_id=2).height) == (300, 269)
    found = sk.compare(table)
    (design,) = only_values(found, "design")["designs"]
    assert (design["design"], design["topics"]["n"], design["topics"]["met_all"]) == ("crossover", 300, 269)
    assert design["users"]["n"] == design["users"]["met_all"]
    assert design["pairs"]["met_all"] == 0
    name, note = design_of(table)
    assert found.design == f"{name}: {note}"
    for said in ("each topic", "confounded", "may be due to the topics"):
        assert said not in found.design + note


@pytest.mark.parametrize(
    ("rows", "form", "unit", "counts", "says"),
    [
        # three of four users met both, and no topic did
        (
            [*((u, t, s) for u in "uvw" for t, s in (("a", "1"), ("b", "2"))), ("x", "a", "1")],
            "users", "users", (4, 3, 3), ["3 of 4 users met both", "each topic has one"],
        ),
        # one topic of three was searched with both
        (
            [(u, t, s) for u in "uv" for t, s in (("a", "1"), ("b", "2"))] + [("u", "c", "1"), ("v", "c", "2")],
            "users", "topics", (3, 1, 1), ["each user met both", "2 of 3 topics have one"],
        ),
        # two of three pairs of a user and a topic have both
        (
            [(u, t, s) for u, t in (("u", "a"), ("v", "b")) for s in "12"] + [("w", "a", "1")],
            "both", "pairs", (3, 2, 2), ["in 2 of 3 pairs "],
        ),
        # one of three users met both
        (
            [("u", None, "1"), ("u", None, "2"), ("v", None, "1"), ("w", None, "2")],
            "independent", "users", (3, 1, 1), ["except 1 of 3 users"],
        ),
        ([("u", None, "1"), ("u", None, "2")], "independent", "users", (1, 1, 1), ["one user only, "]),
        # users met two of three systems
        (
            [("u", "a", "1"), ("u", "b", "2"), ("v", "a", "2"), ("v", "b", "3"), ("w", "a", "1")],
            "incomplete", "users", (3, 0, 2), ["2 of 3 users met several", "none of them all 3"],
        ),
        (
            [("u", "a", "1"), ("v", "a", "2"), ("w", "b", "1"), ("x", "b", "2"), ("y", "c", "2")],
            "between", "topics", (3, 2, 2), ["each user met one value", "2 of 3 topics were searched"],
        ),
    ],
)  # fmt: skip
def test_a_design_says_how_many_it_holds_for(rows, form, unit, counts, says):
    keys = pl.DataFrame(rows, schema=["user_id", "topic_id", "group"], orient="row").with_row_index("session_id")
    design = read_design(keys, "system_id", keys["group"].n_unique())
    assert design.form == form
    assert design.values[unit] == dict(zip(("n", "met_all", "met_several"), counts, strict=True))
    title, note = design_of(keys.rename({"group": "system_id"}))
    assert title == design.title
    for part in says:
        assert part in design.described
        assert part in note


@pytest.mark.slow
def test_what_is_compared_is_not_held_constant():
    table = crossing(np.random.default_rng(2).normal(size=120) + np.tile([0.0, 1, 2, 3], 30))
    by_topics = sk.compare(table, by="topic_id")
    assert by_topics.design.startswith("paired by user: ")
    (design,) = only_values(by_topics, "design")["designs"]
    assert design["users"] == {"n": 30, "met_all": 30, "met_several": 30}
    assert by_topics.order.get_column("check").to_list() == ["period", "carry-over"]
    # users who met some of the topics: users are taken out, topics are what is left
    some = sk.compare(table.filter(pl.int_range(pl.len()) % 3 != 0), by="topic_id")
    assert "incomplete blocks" in some.design
    assert some.table.get_column("df").unique().to_list() == [80 - 30 - 3]
    few = table.filter(pl.col("user_id") < "u05")
    assert sk.compare(few, by="user_id", test="t").table.get_column("n_a").unique().to_list() == [4]
    # each user has a topic of their own: nothing tells it from the user
    own = few.with_columns(topic_id=pl.col("user_id").str.replace("u", "t"))
    assert "independent" in sk.compare(own, by="topic_id").design or "between" in sk.compare(own, by="topic_id").design


def test_groups_that_users_are_split_by_cannot_be_told_apart():
    # users of a kind met S1 and S2, those of the other S3 and S4
    rows = [
        (f"{u}{t}", f"u{u}", f"t{t}", f"S{2 * (u % 2) + t % 2 + 1}", float(u * t % 7))
        for u in range(8)
        for t in range(4)
    ]
    with pytest.raises(sk.UsageError, match="8 users and 4 topics fall into sets"):
        sk.compare(scores(rows))


def test_users_who_met_one_system_each_are_compared_before_topics():
    between = crossed(4, 3).filter(pl.col("user_id").is_in(["u0", "u1"]) == (pl.col("system_id") == "S0"))
    assert design(between).layouts == {"users": "separate", "topics": "blocked"}


@pytest.mark.parametrize(
    ("table", "options", "says"),
    [
        (crossing(np.arange(120.0)), {"test": "t"}, ["each met every group", "population=topics"]),
        (crossing(np.arange(120.0)), {"test": "bootstrap"}, ["17%", "least-squares would work"]),
        (crossing(np.arange(120.0)), {"test": "welch"}, ["different units", "randomization or least-squares"]),
        (crossing(np.arange(120.0)), {"population": "sessions"}, ["not independent", "population=topics would"]),
        (by_topic(EXAMPLE_S), {"population": "users"}, ["no user_id", "population=topics would"]),
        (by_topic(EXAMPLE_S), {"test": "least-squares"}, ["a crossover", "tukey"]),
        (apart([[1, 2], [3, 5]]), {"population": "topics"}, ["half of the topics", "population=users"]),
        (apart([[1, 2], [3, 5]]), {"test": "wilcoxon"}, ["welch", "mann-whitney"]),
        (apart([[1, 2], [3, 5]]), {"test": "wilcoxn"}, ["did you mean 'wilcoxon'"]),
        (apart([[1, 2], [3, 5]]), {"population": "user"}, ["did you mean 'users'"]),
        (apart([[1, 2], [3, 5]]), {"correction": "homl"}, ["did you mean 'holm'"]),
        (apart([[1, 2], [3, 5]]), {"confidence": 5}, ["confidence", "0.95 is usual"]),
        (apart([[1, 2], [3, 5]]), {"draws": 9}, ["draws", "at least 99"]),
        (apart([[1, 2], [3, 5]]), {"by": "sistem_id"}, ["did you mean 'system_id'"]),
        (apart([[1, 2], [3, 5]]), {"measures": "sDCG@5"}, ["no measure 'sDCG@5'", "did you mean 'sDCG@10'"]),
        (apart([[1, 2]]), {}, ["1 value: 'S1'", "2 to 20"]),
        (
            apart([[1, 2]]),
            {"by": "topic_id"},
            ["no session has a value in this column", "there is no other column that could be compared"],
        ),
        (
            apart([[1, 2], [3, 5]]).with_columns(age=pl.int_range(pl.len()) % 2, key=pl.lit("k")),
            {"by": "topic_id"},
            ["no session has a value in this column", "choose from system_id, age"],
        ),
        (by_topic(EXAMPLE_S), {"test": "tukey", "correction": "bh"}, ["holm, bonferroni or none"]),
    ],
)
def test_what_a_design_does_not_support_is_refused_with_what_would_work(table, options, says):
    with pytest.raises(sk.UsageError) as error:
        sk.compare(table, **options)
    for text in says:
        assert text in str(error.value)
    assert len(str(error.value).splitlines()) == 1


DESIGNS = [
    (("ABAB", "BABA"), 2, (0, 2), (1, 3)),
    (("AABB", "BBAA"), 2, (0, 1), (2, 3)),
    (
        ("ABA", "BAB"),
        1,
        None,
        None,
    ),  # means of users also hold the difference of the systems, as one has two sessions with B
    (("AB", "BA"), 0, (0,), (1,)),
    (("AAAA", "BBBB"), 3, None, None),
    (("AABB", "ABAB", "ABBA", "BBAA", "BABA", "BAAB"), 3, None, None),
]


@pytest.mark.parametrize(("texts", "n_within", "minus", "plus"), DESIGNS)
def test_contrasts_within_users_are_what_the_other_effects_leave(texts, n_within, minus, plus):
    sequences = [
        UserSequence(
            tuple((level, "AB".index(system)) for level, system in enumerate(text)), np.zeros((size, len(text)))
        )
        for size, text in enumerate(texts, 4)
    ]
    design = read_counterbalancing(sequences, len(texts[0]))
    cells = [(place, level, system == "B") for place, text in enumerate(texts) for level, system in enumerate(text)]
    others = np.array(
        [[*np.eye(len(texts))[place], *np.eye(len(texts[0]))[level], second] for place, level, second in cells],
        dtype=float,
    )
    departures = np.array([np.eye(len(texts[0]))[level] * second for _, level, second in cells])
    rank = np.linalg.matrix_rank(np.hstack([others, departures])) - np.linalg.matrix_rank(others)
    assert design.n_within == rank == n_within
    assert all(np.abs(weights.sum(axis=0)).max(initial=0) < 1e-12 for weights in design.within)
    assert (None if design.between is None else (design.between.minus, design.between.plus)) == (
        minus and (minus, plus)
    )
