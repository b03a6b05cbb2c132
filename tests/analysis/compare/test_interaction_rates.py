"""How often the interaction is found where there is none, and how often its interval holds 0: groups of unequal size and spread.

``pytest -m proof -s tests/analysis/compare/test_interaction_rates.py`` prints the table that the docstring of
`sessionkit.statistics.interaction.interactions` has.
"""

import numpy as np
import polars as pl
import pytest

from sessionkit.statistics.corrections import Options
from sessionkit.statistics.design import read_design
from sessionkit.statistics.interaction import ComparedLevel, interactions
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.session_values import sessions_of

BALANCED = ("AABB", "BBAA", "ABAB", "BABA", "ABBA", "BAAB")
HALVES = ("ABAB", "BABA")


def users_of_levels(sizes, sequences):
    """Sessions (user, topic, system, level) of users who follow the sequences in turn; - is a session that is missing."""
    rows = [
        (f"l{level}-{user:02}", f"t{topic}", system, f"l{level}")
        for level, size in enumerate(sizes)
        for user in range(size)
        for topic, system in enumerate(sequences[user % len(sequences)])
        if system != "-"
    ]
    return pl.DataFrame(rows, ["user_id", "topic_id", "system_id", "level"], orient="row")


def users_of_one_topic(sizes):
    """Users of levels who search one topic with both systems."""
    users = [(f"l{level}-{user:02}", "t0", f"l{level}") for level, size in enumerate(sizes) for user in range(size)]
    rows = [(user, topic, system, level) for user, topic, level in users for system in "AB"]
    return pl.DataFrame(rows, ["user_id", "topic_id", "system_id", "level"], orient="row")


def separate_users(sizes):
    """Users of levels who each use one system, so many with each."""
    rows = [
        (f"l{level}-{system}{user:02}", "t0", system, f"l{level}")
        for level, size in enumerate(sizes)
        for system in "AB"
        for user in range(size)
    ]
    return pl.DataFrame(rows, ["user_id", "topic_id", "system_id", "level"], orient="row")


def null_studies(rows, studies, spreads, seed, noise=0.5):
    """Values of so many studies without an interaction: a column for each.

    Users' differences vary by the spread of their level, half on each system; topics and users have means of their own.
    """
    rng = np.random.default_rng(seed)
    number = {name: rows[name].rank("dense").to_numpy().astype(int) - 1 for name in ("user_id", "topic_id", "level")}
    users = rng.normal(size=(number["user_id"].max() + 1, studies))
    differences = rng.normal(size=(number["user_id"].max() + 1, studies))
    topics = rng.normal(size=(number["topic_id"].max() + 1, studies))
    second = (rows["system_id"] == "B").to_numpy()[:, None] - 0.5
    spread = np.array(spreads)[number["level"]][:, None]
    errors = noise * rng.normal(size=(len(rows), studies))
    return (
        users[number["user_id"]]
        + topics[number["topic_id"]]
        + spread * (differences[number["user_id"]] * second + errors)
    )


def as_scores(rows, values):
    """A table of scores with a measure for each study."""
    sessions = rows.with_columns(session_id=pl.format("s{}", pl.int_range(pl.len())))
    studies = [f"study{study}" for study in range(values.shape[1])]
    return pl.concat(
        sessions.with_columns(measure=pl.lit(study), value=pl.Series(values[:, place]))
        for place, study in enumerate(studies)
    )


def rates(rows, values, within="level"):
    """For each test the share of studies in which it rejects at 5%, and in which its interval holds 0 (NaN without one)."""
    sessions = sessions_of(as_scores(rows, values), None, "system_id", within=within)
    # what compare does, without the tests within each level, which take ten times as long
    levels = [
        ComparedLevel(value, part, ComparisonPlan.of(read_design(part.frame, "system_id", 2), 2, population="users"))
        for value, part in sessions.levels().items()
    ]
    interaction = interactions(levels, Options())
    assert interaction["p"].null_count() == 0
    rejected, holds = (pl.col("p") <= 0.05).mean(), ((pl.col("low") <= 0) & (pl.col("high") >= 0)).mean()
    summary = interaction.group_by("test", maintain_order=True).agg(rejected=rejected, holds=holds, studies=pl.len())
    assert summary["studies"].unique().to_list() == [values.shape[1]]
    return {test: (low, high) for test, low, high, _ in summary.rows()}


LEVELS = [
    pytest.param(users_of_one_topic((4, 16)), (4, 1), id="one topic, 4 and 16 users, sd 4:1"),
    pytest.param(users_of_one_topic((4, 16)), (1, 4), id="one topic, 4 and 16 users, sd 1:4"),
    pytest.param(users_of_one_topic((5, 20)), (3, 1), id="one topic, 5 and 20 users, sd 3:1"),
    pytest.param(users_of_levels((4, 16), BALANCED), (4, 1), id="crossover, 4 and 16 users, sd 4:1"),
    pytest.param(users_of_levels((5, 20), BALANCED), (3, 1), id="crossover, 5 and 20 users, sd 3:1"),
    pytest.param(users_of_levels((6, 24), BALANCED), (3, 1), id="crossover, 6 and 24 users, sd 3:1"),
    pytest.param(users_of_levels((6, 24), BALANCED), (1, 3), id="crossover, 6 and 24 users, sd 1:3"),
    pytest.param(users_of_levels((12, 12), BALANCED), (1, 1), id="crossover, 12 and 12 users, sd 1:1"),
    pytest.param(
        users_of_levels((6, 24), ("AABB", "BBA-", "AB-B", "BABA", "A-BA")),
        (3, 1),
        id="cells missing, 6 and 24 users, sd 3:1",
    ),
    pytest.param(
        pl.concat([users_of_one_topic((8,)), users_of_levels((0, 20), BALANCED)]),
        (3, 1),
        id="paired 8, crossover 20, sd 3:1",
    ),
    pytest.param(
        pl.concat([separate_users((6,)), users_of_levels((0, 20), BALANCED)]),
        (3, 1),
        id="separate 6 + 6, crossover 20, sd 3:1",
    ),
    pytest.param(separate_users((4, 16)), (4, 1), id="separate, 4 + 4 and 16 + 16 users, sd 4:1"),
    pytest.param(users_of_one_topic((4, 5, 6)), (4, 2, 1), id="one topic, 4, 5 and 6 users, sd 4:2:1"),
    pytest.param(users_of_one_topic((4, 5, 6)), (1, 2, 4), id="one topic, 4, 5 and 6 users, sd 1:2:4"),
    pytest.param(users_of_levels((4, 5, 6), BALANCED), (4, 2, 1), id="crossover, 4, 5 and 6 users, sd 4:2:1"),
    pytest.param(users_of_levels((6, 6, 18), BALANCED), (3, 1, 1), id="crossover, 6, 6 and 18 users, sd 3:1:1"),
]


def check_level_rates(rows, spreads, studies, slack):
    """Compare the size and the coverage of one scenario with what is promised, but for the error of the simulation."""
    ((test, (rejected, holds)),) = rates(rows, null_studies(rows, studies, spreads, seed=41)).items()
    print(
        f"\n{test}, {studies} studies: rejects {rejected:.1%}" + ("" if len(spreads) > 2 else f", covers {holds:.1%}")
    )
    assert 0.04 - slack <= rejected <= (0.07 if len(spreads) == 2 else 0.08) + slack
    if len(spreads) == 2:
        assert holds == pytest.approx(1 - rejected)


@pytest.mark.proof
@pytest.mark.parametrize(("rows", "spreads"), LEVELS)
def test_levels_of_unequal_size_and_spread_reject_as_often_as_they_say(rows, spreads):
    check_level_rates(rows, spreads, studies=2_000, slack=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "spreads"), [LEVELS[0], LEVELS[5]])
def test_a_few_studies_of_unequal_levels(rows, spreads):
    check_level_rates(rows, spreads, studies=300, slack=0.025)


SEQUENCES = [
    # users' spread by sequence, and by topic
    pytest.param((10, 10), (1, 1), (1, 1, 1, 1), id="10 and 10 users, equal spreads"),
    pytest.param((10, 10), (1, 3), (1, 1, 1, 1), id="10 and 10 users, sd of sequences 1:3"),
    pytest.param((10, 10), (1, 1), (4, 1, 1, 1), id="10 and 10 users, sd of topics 4:1:1:1"),
    pytest.param((6, 14), (3, 1), (1, 1, 1, 1), id="6 and 14 users, sd of sequences 3:1"),
    pytest.param((6, 14), (1, 3), (1, 2, 1, 2), id="6 and 14 users, sd of sequences 1:3, of topics 1:2"),
]


def check_sequence_rates(sizes, of_sequences, of_topics, studies, slack):
    """Compare the sizes of both tests of two sequences with what is promised; users also differ in the difference of systems."""
    rows = pl.concat([users_of_levels((size,), (sequence,)) for size, sequence in zip(sizes, HALVES, strict=True)])
    numbers = np.repeat([0, 1], np.array(sizes) * 4)
    rows = rows.with_columns(user_id=pl.Series("user_id", numbers).cast(pl.String) + pl.col("user_id"))
    spread = np.array(of_sequences)[numbers] * np.tile(of_topics, sum(sizes))
    rng = np.random.default_rng(43)
    user = rng.normal(size=(2, sum(sizes), studies))[:, np.repeat(np.arange(sum(sizes)), 4)]
    second = (rows["system_id"] == "B").to_numpy()[:, None]
    values = user[0] + second * user[1] + spread[:, None] * rng.normal(size=(len(rows), studies))
    for test, (rejected, holds) in rates(rows, values, within="topic_id").items():
        print(f"\n{test}, {studies} studies: rejects {rejected:.1%}{'' if holds is None else f', covers {holds:.1%}'}")
        assert 0.04 - slack <= rejected <= 0.07 + slack


@pytest.mark.proof
@pytest.mark.parametrize(("sizes", "of_sequences", "of_topics"), SEQUENCES)
def test_two_sequences_reject_as_often_as_they_say(sizes, of_sequences, of_topics):
    check_sequence_rates(sizes, of_sequences, of_topics, studies=2_000, slack=0.005)


@pytest.mark.slow
def test_a_few_studies_of_two_sequences():
    check_sequence_rates((6, 14), (3, 1), (1, 1, 1, 1), studies=300, slack=0.025)
