"""Tables of scores in the layouts that studies have, for tests of comparisons."""

import numpy as np
import polars as pl

EXAMPLE_S = np.array(
    [
        [0.30, 0.42, 0.55],
        [0.22, 0.20, 0.41],
        [0.51, 0.60, 0.58],
        [0.10, 0.25, 0.33],
        [0.44, 0.47, 0.70],
        [0.36, 0.31, 0.52],
    ]
)
"""Six topics, three systems."""


def scores(rows, measure="sDCG@10"):
    """A table of scores from rows of session, user, topic, system, value."""
    names = ["session_id", "user_id", "topic_id", "system_id", "value"]
    types = dict(zip(names, [pl.String] * 4 + [pl.Float64], strict=True))
    return pl.DataFrame(rows, schema=types, orient="row").with_columns(measure=pl.lit(measure))


def by_topic(values, measure="sDCG@10"):
    """Topics x systems, no users; a row of values per topic. Later topics come first: order must not matter."""
    rows = [
        (f"t{i:03}S{j + 1}", None, f"t{i:03}", f"S{j + 1}", value)
        for i, row in reversed(list(enumerate(np.asarray(values).tolist())))
        for j, value in enumerate(row)
    ]
    return scores(rows, measure)


def apart(groups, measure="sDCG@10"):
    """Users who each met one system, one session each."""
    rows = [
        (f"{j}-{i}", f"u{j}-{i}", None, f"S{j + 1}", value)
        for j, values in enumerate(groups)
        for i, value in enumerate(np.asarray(values).tolist())
    ]
    return scores(rows, measure)


ASSIGNMENT = """
A1B1C2D2 A1B1C2D2 A1B1D2C2 A1B1D2C2 A2D2C1B1 A2D2C1B1 A2D2C1B1 B2A2C1D1 B1C1D2A2 B1C1D2A2
B2C2D1A1 B2C2D1A1 B2C2D1A1 B1D1A2C2 B1D1A2C2 C1A1B2D2 C2A2B1D1 C2A2B1D1 C2A2B1D1 C1D1A2B2
C1D1A2B2 C2D2B1A1 D1A1C2B2 D1A1C2B2 D2B2A1C1 D2B2A1C1 D2B2A1C1 D2B2A1C1 D1C1B2A2 D1C1B2A2
"""
WORDS = ASSIGNMENT.split()
"""The clinic's crossing (examples/clinic/plan.py): a word per user; topic and system of each session, in order."""
USER = np.repeat(np.arange(30), 4)
TOPIC = np.array(["ABCD".index(word[2 * place]) for word in WORDS for place in range(4)])
SYSTEM = np.array([int(word[2 * place + 1]) - 1 for word in WORDS for place in range(4)])
PLACE = np.tile(np.arange(1, 5), 30)


def crossing(values, measure="sDCG@10"):
    """The clinic's design with these 120 values, and each session's place in its user's study."""
    rows = [
        (f"s{i:03}", f"u{USER[i]:02}", "ABCD"[TOPIC[i]], f"S{SYSTEM[i] + 1}", float(value))
        for i, value in enumerate(values)
    ]
    return scores(rows, measure).with_columns(session_order=pl.Series(PLACE))


def simulated(studies, effect=0.0, interaction=0.0, seed=0):
    """Columns of simulated studies: sd of users .10, topics .15, residual .22, of system x topic as given (CLASSIC 6)."""
    rng = np.random.default_rng(seed)
    user, topic = rng.normal(0, 0.10, (30, studies)), rng.normal(0, 0.15, (4, studies))
    both = rng.normal(0, interaction, (2, 4, studies)) if interaction else np.zeros((2, 4, studies))
    noise = rng.normal(0, 0.22, (120, studies))
    return user[USER] + topic[TOPIC] + effect * SYSTEM[:, None] + both[SYSTEM, TOPIC] + noise
