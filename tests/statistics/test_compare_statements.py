"""What a comparison says: its kinds, and that the values are those of its tables and of the sessions."""

from dataclasses import dataclass, field, replace
from functools import cache, partial

import polars as pl
import pytest

import sessionkit as sk
from tests.statistics.layouts import apart, by_topic
from tests.support.clinic import read_clinic
from tests.support.statements import require_golden, require_noticed

LOWER, UNKNOWN = ("E@5", "Queries"), ("gain", "Clicks")
"""Measures of which lower values are better, and of which it is not known."""
TITLES = {
    "paired t": "t",
    "Welch's t": "welch",
    "least squares on user + topic + group": "least-squares",
    "randomization within units": "randomization",
    "Tukey's HSD, blocked": "tukey",
    "Mann-Whitney U": "mann-whitney",
}


@dataclass
class Case:
    """A comparison, the scores that it is of, and what no table of it holds: by kind the values of its statements."""

    finding: sk.Comparison
    scores: pl.DataFrame
    by_hand: dict = field(default_factory=dict)
    at_once: bool = False
    too_few: tuple = ()


def noise(number):
    """Numbers from 0 to 1 that look unordered."""
    return number * number * 7 % 31 / 31


def users_of_skills(sizes, systems, effects, *, turned=False):
    """Users of skills l0, l1 ..., who search a topic with each letter of one of the words; B is better by the skill's effect."""
    rows, number = [], 0
    for level, (size, effect) in enumerate(zip(sizes, effects, strict=True)):
        for user in range(size):
            for place, system in enumerate(systems[user % len(systems)]):
                number += 1
                value = noise(number) + effect * (system == "B")
                order = (place + user) % 4 + 1 if turned else place + 1
                rows.append((f"s{number:03}", f"u{level}-{user:02}", f"t{place}", system, f"l{level}", value, order))
    names = ["session_id", "user_id", "topic_id", "system_id", "skill", "value", "session_order"]
    return pl.DataFrame(rows, names, orient="row").with_columns(measure=pl.lit("gain"))


def three_systems():
    """Five measures of three systems: one shows differences, of one lower is better, one is the same everywhere."""
    tables = []
    for number, measure in enumerate(("nsDCG@10", "E@5", "Clicks", "AP", "sDCG@10")):
        effect = (0.5, 0.5, 2.0, 0.01, 0.0)[number]
        spread = 0.2 if measure != "sDCG@10" else 0.0
        values = [
            [effect * (system == 2) / 2 + spread * noise(3 * topic + system + number) for system in range(3)]
            for topic in range(6)
        ]
        tables.append(by_topic(values, measure))
    table = pl.concat(tables)
    remark = {
        "level": None,
        "measure": "sDCG@10",
        "reason": "constant",
        "groups": None,
        "n": None,
        "value": 0.0,
        "detail": None,
    }
    return Case(sk.compare(table, test="randomization", draws=50_000), table, {"not_tested": [remark]}, at_once=True)


def after_holm():
    """Of two measures one has p = .04 or so alone; a third has no value in half of the sessions, those of one query perhaps."""
    shifts = [0.5 * noise(topic) - 0.125 for topic in range(20)]
    tables = [by_topic([[0.2, 0.2 + shift] for shift in shifts], "CG@5")]
    tables.append(by_topic([[0.2, 0.2 + noise(topic) - 0.45] for topic in range(20)], "sDCG@10"))
    half = by_topic([[0.2, 0.2 + noise(topic)] for topic in range(20)], "nonlast(nDCG@10)")
    tables += [half.with_columns(value=pl.when(pl.col("topic_id") < "t004").then(None).otherwise("value"))]
    table = pl.concat(tables)
    return Case(sk.compare(table, correction="holm"), table)


def few_units():
    """Four topics: a randomization has 16 sign changes, and 4 pairs are too few for a verdict."""
    table = by_topic([[0.1, 0.4], [0.2, 0.8], [0.3, 0.5], [0.2, 0.3]])
    remark = {"level": None, "measure": "sDCG@10", "reason": "smallest p", "groups": None, "n": 4, "value": 1 / 8}
    return Case(sk.compare(table, test="randomization"), table, {"limit": [remark | {"detail": "sign changes"}]})


def wide_interval():
    """Two users a system, whose interval is wider than all differences; one measure has no value, and one of one system."""
    table = pl.concat([apart([[0.0, 0.5], [0.25, 1.0]], "nsDCG@10"), apart([[0.1, None], [0.2, 0.3]], "AP")])
    remark = {
        "level": None,
        "measure": "AP",
        "reason": "few units",
        "groups": ["S1"],
        "n": 1,
        "value": None,
        "detail": None,
    }
    return Case(sk.compare(table), table, {"not_tested": [remark]}, too_few=("nsDCG@10",))


def without_values():
    """A measure without any value beside one with values."""
    table = apart([[0.1, 0.2, 0.5], [0.2, 0.3, 0.9]], "AP")
    table = pl.concat([table, table.with_columns(measure=pl.lit("nsDCG@10"), value=None)])
    remark = {
        "level": None,
        "measure": "nsDCG@10",
        "reason": "few units",
        "groups": None,
        "n": 0,
        "value": None,
        "detail": None,
    }
    return Case(sk.compare(table, test="mann-whitney"), table, {"not_tested": [remark | {"reason": "no units"}]})


def skills_of_a_crossover():
    """Three experts are left out of the interaction; values rise with the place of the session, and some sessions have no skill."""
    table = users_of_skills((3, 8, 12), ("ABBA", "BAAB", "AABB", "BBAA"), (0.1, 0.2, 1.2), turned=True)
    table = table.with_columns(value=pl.col("value") + 0.4 * (pl.col("session_order") - 1))
    table = table.with_columns(skill=pl.when(pl.col("session_id") != "s092").then("skill"))
    few = [{"level": "skill l0", "n": 3, "in_groups": None}]
    note = NO_NOTE | {"reason": "values left out", "few": few, "least": 4}
    where = "session_order < 9"
    left_out = {"sessions without skill": 1}
    return Case(
        sk.compare(table, within="skill", where=where),
        table,
        {"interaction": {("gain", "Welch's t, adjusted for topics"): note}, "left_out": left_out},
    )


NO_NOTE = dict.fromkeys(
    (
        "reason",
        "test",
        "usable",
        "units",
        "of_units",
        "least",
        "least_in_group",
        "contrasts",
        "of_contrasts",
        "left_out",
        "few",
    )
)


def three_experts():
    """Of two skills one has three users, so that the interaction is estimated and not tested."""
    table = users_of_skills((3, 9), ("AB",), (0.1, 0.7)).with_columns(topic_id=pl.lit("t"))
    note = NO_NOTE | {"reason": "few units", "few": [{"level": "skill l0", "n": 3, "in_groups": None}], "least": 4}
    return Case(
        sk.compare(table.drop("session_order"), within="skill"), table,
        {"interaction": {("gain", None): note}, "interaction_not_tested": [{"within": "skill", "measures": ["gain"], "note": note}]},
    )  # fmt: skip


def two_sequences():
    """ABAB and BABA: contrasts within users, and one between users, who prefer B on topics 1 and 3."""
    table = users_of_skills((16,), ("ABAB", "BABA"), (0.1,))
    better = pl.col("topic_id").is_in(["t1", "t3"]) & (pl.col("system_id") == "B")
    table = table.with_columns(value=pl.col("value") + better.cast(pl.Float64), session_order=pl.lit(1))
    counts = {"of_contrasts": 3, "left_out": 0}
    notes = {
        ("gain", "Welch's t between users"): NO_NOTE | counts | {"reason": "between users", "contrasts": 1},
        ("gain", "Hotelling's T squared between sequences"): NO_NOTE
        | counts
        | {"reason": "within users", "contrasts": 2},
    }
    return Case(sk.compare(table, within="topic_id", correction="holm"), table, {"interaction": notes})


def shown_in_one_skill():
    """Users with one system each; B is better among the users of one skill."""
    table = users_of_skills((20, 20), ("A", "B"), (0.4, 0.1)).drop("session_order")
    return Case(sk.compare(table, within="skill"), table)


def by_rating():
    """Groups by a rating of the sessions, which nobody assigned."""
    clinic = read_clinic()
    clinic = replace(clinic, settings=replace(clinic.settings, better={"satisfaction": "higher"}))
    finding = sk.compare(clinic, "Queries", by="satisfaction", cut=2)
    table = sk.score(clinic, "Queries", per="session")
    low, high = finding.groups["satisfaction"]
    edge = float(high.partition(" ")[0])
    table = table.join(clinic.sessions.select("session_id", "satisfaction").collect(), on="session_id")
    group = pl.when(pl.col("satisfaction") < edge).then(pl.lit(low)).otherwise(pl.lit(high))
    caution = {"level": None, "measure": None, "column": "satisfaction", "what": "ratings"}
    return Case(finding, table.with_columns(satisfaction=group), {"not_assigned": [caution]})


CASES = (
    three_systems, after_holm, few_units, wide_interval, without_values, skills_of_a_crossover, three_experts, two_sequences,
    shown_in_one_skill, by_rating,
)  # fmt: skip


@cache
def case(make):
    return make()


def selected(table, finding, values, *names):
    """The one row of a table with a statement's level and these values."""
    rows = [row for row in table.rows(named=True) if all(row[name] == values[name] for name in names)]
    if finding.within is None or "level" not in values:
        assert values.get("level") is None
    else:
        rows = [row for row in rows if f"{finding.within} {row[finding.within]}" == values["level"]]
    (row,) = rows
    return row


def require_equal(values, expected):
    """Assert that values are those expected, numbers within rounding; names of expected are some of values'."""
    for name, value in expected.items():
        if isinstance(value, float) and value is not None:
            assert values[name] == pytest.approx(value, rel=1e-9, abs=1e-12), name
        else:
            assert values[name] == value, name


def leads(side, measure, a, b):
    """The group with higher values, and the one with better values if that is known."""
    higher = b if side > 0 else a
    lower = a if side > 0 else b
    return higher, None if measure in UNKNOWN else lower if measure in LOWER else higher


def interval_values(finding, tested):
    return {"confidence": finding.confidence, "correction": finding.correction, "tests": tested}


def check_difference(item, values):
    finding = item.finding
    row = selected(finding.table, finding, values, "measure", "a", "b")
    names = ("n_a", "n_b", "estimate", "low", "high", "statistic", "df", "p", "p_adjusted", "relative", "mark")
    names += ("mean_a", "mean_b", "raw_difference", "wins", "ties", "losses", "detectable")
    require_equal(values, {name: row[name] for name in names})
    tested = finding.table.drop_nulls("p")
    n_tests = tested["measure"].n_unique() if item.at_once else len(tested)
    require_equal(values, interval_values(finding, n_tests))
    require_equal(values, {"population": finding.population, "test": TITLES[finding.test], "at_once": item.at_once})
    support = support_of(item, row)
    assert values["no_verdict"] == support
    verdict = verdict_of(row, item, support)
    assert values["verdict"] == verdict
    assert values["span"] == (1.0 if verdict == "too few" else None)
    ahead = leads(row["estimate"], values["measure"], values["a"], values["b"]) if verdict == "shown" else (None, None)
    assert (values["higher"], values["better"]) == ahead


def support_of(item, row):
    """Why there is no verdict on a row, counted in the scores; None where there is one."""
    finding = item.finding
    unit = finding.population.removesuffix("s")
    rows = item.scores.filter(measure=row["measure"])
    if finding.within is not None:
        rows = rows.filter(pl.col(finding.within) == row[finding.within])
    is_paired = row["wins"] is not None
    n, group = min((row["n_a"], row["a"]), (row["n_b"], row["b"]))
    total = (rows if is_paired else rows.filter(pl.col(finding.by) == group))[f"{unit}_id"].n_unique()
    few_pairs, few_units = is_paired and n < 6, 2 * n < total
    if not few_pairs and not few_units:
        return None
    needed = {"least_pairs": 6 if few_pairs else None, "least_share": 0.5 if few_units else None}
    is_single = row["measure"].startswith("nonlast") and rows["value"].null_count() > 0
    return {"unit": unit, "n": n, "total": total, **needed, "without_single_queries": is_single}


def verdict_of(row, item, support):
    """What a row shows."""
    if row["raw_difference"] is None:
        return "no value"
    if row["p"] is None:
        return "not tested"
    if row["measure"] in item.too_few:
        return "too few"
    if support is not None:
        return "no verdict"
    if row["p_adjusted"] <= 0.05:
        return "shown"
    return "not shown after correction" if item.finding.correction == "holm" and row["p"] <= 0.05 else "not shown"


def check_interaction(item, values):
    finding = item.finding
    assert values["within"] == finding.within
    of_pair = [values[name] for name in ("measure", "a", "b")]
    rows = [row for row in finding.interaction.rows(named=True) if [row["measure"], row["a"], row["b"]] == of_pair]
    (row,) = (each for each in rows if each["test"] == values["test"])
    names = ("estimate", "low", "high", "statistic", "df", "df_error", "p", "p_adjusted", "n", "levels")
    require_equal(values, {name: row[name] for name in names})
    require_equal(values, interval_values(finding, finding.interaction["p"].count()))
    assert values["of_levels"] == finding.table[finding.within].n_unique()
    assert values["is_part"] == (len(rows) > 1)
    by_level = dict(finding.table.select(pl.format(f"{finding.within} {{}}", finding.within), "estimate").rows())
    if values["test"] == "Welch's t between users":
        assert (values["minus"], values["plus"]) == ("topic_id t0 and t2", "topic_id t1 and t3")
    elif row["estimate"] is not None:
        assert [values["minus"], values["plus"]] == [
            name for name in by_level if row["levels"] == len(by_level) or name != "skill l0"
        ]
    else:
        assert values["minus"] is values["plus"] is None
    require_equal(values, {f"difference_{side}": by_level.get(values[side]) for side in ("minus", "plus")})
    if row["p"] is None:
        verdict = "not tested"
    elif row["p_adjusted"] <= 0.05:
        verdict = "shown"
    else:
        verdict = "not shown after correction" if row["p"] <= 0.05 else "not shown"
    assert values["verdict"] == verdict
    assert values["note"] == item.by_hand.get("interaction", {}).get((values["measure"], values["test"]))


def met(rows, keys, by):
    """How many units there are, met all groups, and met several; None where the units have no name."""
    named = rows.drop_nulls(keys).unique("session_id")
    if 2 * len(named) <= rows["session_id"].n_unique():
        return None
    groups = named.group_by(keys).agg(pl.col(by).n_unique())[by]
    return {
        "n": len(groups),
        "met_all": int((groups == rows[by].n_unique()).sum()),
        "met_several": int((groups > 1).sum()),
    }


def design_of(rows, by):
    """The code of the design, and what it counts: the rules for the designs of these cases."""
    users, topics, pairs = (met(rows, keys, by) for keys in (["user_id"], ["topic_id"], ["user_id", "topic_id"]))

    def shares(counts):
        return counts is not None and counts["n"] > 1 and 2 * counts["met_all"] > counts["n"]

    counts = {"users": users, "topics": topics, "pairs": None if None in (users, topics) else pairs, "sessions": None}
    if shares(pairs) and topics["n"] > 1:
        return "both", counts
    if shares(users):
        return "crossover" if shares(topics) else "users", counts
    if users is not None and 2 * users["met_several"] > users["n"]:
        return "incomplete", counts
    if shares(topics):
        return "between" if users is not None and not users["met_all"] else "topics", counts
    return "independent", counts


def is_balanced(rows, by, counts):
    """Whether users and topics met each group equally often, every user every topic once."""
    sessions = rows.unique("session_id")
    cells = [
        sessions.group_by(keys).len()["len"] for keys in (("user_id", by), ("topic_id", by), ("user_id", "topic_id"))
    ]
    n_cells = counts["users"]["n"] * counts["topics"]["n"]
    return len(sessions) == n_cells and all(cell.n_unique() == 1 for cell in cells)


def check_design(item, values):
    finding, rows = item.finding, item.scores
    assert values["within"] == finding.within
    levels = [(None, rows)]
    if finding.within:
        names = finding.table[finding.within].unique(maintain_order=True)
        levels = [(f"{finding.within} {name}", rows.filter(pl.col(finding.within) == name)) for name in names]
    designs = []
    for level, inside in levels:
        code, counts = design_of(inside, finding.by)
        balanced = code == "crossover" and is_balanced(inside, finding.by, counts)
        designs.append({"level": level, "design": code, "is_balanced": balanced, **counts})
    assert values["designs"] == designs
    topics = designs[0]["topics"]
    is_warned = designs[0]["design"] in ("users", "independent") and topics and 1 < topics["n"] > topics["met_several"]
    assert values["topics"] == (topics["n"] if is_warned else None)
    assert values["one_group_topics"] == (topics["n"] - topics["met_several"] if is_warned else None)


def check_claim(item, values):
    finding, unit = item.finding, f"{item.finding.population.removesuffix('s')}_id"
    keys = ["measure"] if finding.within is None else [finding.within, "measure"]
    groups = finding.units.group_by(*keys, "unit").agg(pl.col(finding.by).n_unique())
    is_paired = finding.table["wins"].count() > 0
    used = groups.filter(pl.col(finding.by) == finding.units[finding.by].n_unique()) if is_paired else groups
    rows = item.scores.drop_nulls("value").join(used, left_on=[*keys, unit], right_on=[*keys, "unit"], how="semi")
    ranges = rows.group_by(keys).agg(
        users=pl.col("user_id").drop_nulls().n_unique(),
        topics=pl.col("topic_id").drop_nulls().n_unique(),
        sessions=pl.len(),
    )
    for name in ("users", "topics", "sessions"):
        assert list(values[name]) == [ranges[name].min(), ranges[name].max()]
    levels = 1 if finding.within is None else finding.table[finding.within].n_unique()
    (design,) = finding.of_kind("design")
    first = design.values["designs"][-1]
    topics = first["topics"]
    is_crossed = "least squares" in finding.test
    assert dict(values) | {"users": 0, "topics": 0, "sessions": 0} == {
        "population": finding.population,
        **dict.fromkeys(("users", "topics", "sessions"), 0),
        "within": finding.within,
        "levels": levels,
        "topics_apart": bool(topics and topics["n"] > 1 and not topics["met_several"]),
        "same_for": ["user", "topic"] if is_crossed else [],
        "may_vary_with": "user" if is_crossed else None,
        "not_beyond": "topics" if first["design"] in ("crossover", "both") and finding.population == "users" else None,
        "may_be_correlated": False,
    }


def check(item, finding, statement):
    """Assert that the values of a statement are those of the tables, the sessions, or worked out by hand."""
    values = statement.values
    match statement.kind:
        case "design":
            check_design(item, values)
        case "claim":
            check_claim(item, values)
        case "difference":
            check_difference(item, values)
        case "interaction":
            check_interaction(item, values)
        case "overall":
            row = selected(finding.overall, finding, values, "measure", "test")
            require_equal(values, {name: row[name] for name in ("statistic", "df", "df_error", "p")})
        case "order_effect" | "order" | "order_not_checked":
            check_order(finding, statement)
        case "not_tested" | "limit" | "not_assigned" | "interaction_not_tested":
            assert dict(values) in item.by_hand.get(statement.kind, [])
        case _:
            check_short(item, finding, statement)


def check_short(item, finding, statement):
    """The same of statements with few values."""
    values = statement.values
    match statement.kind:
        case "sessions":
            assert dict(values) == {
                "condition": finding.provenance.where,
                "sessions": len(item.scores),
                "of": len(item.scores),
            }
        case "more":
            assert dict(values) == {"count": len(finding.table) - 12, "what": "comparison", "verb": "compare"}
            assert values["count"] > 0
        case "shown_in_some":
            assert values["within"] == finding.within
            shown = (finding.table["p_adjusted"] <= 0.05).to_list()
            assert {*shown} == {True, False}
        case "unadjusted_intervals":
            assert values["correction"] == finding.correction == "holm"
            assert finding.table["p"].count() > 1
        case "single_queries":
            assert values["level"] is None
            assert values["measure"].startswith("nonlast")
            assert item.scores.filter(measure=values["measure"])["value"].null_count()
        case "left_out":
            rows = [row for row in finding.dropped.rows(named=True) if row["measure"] == values["measure"]]
            counts = {row["what"]: row["count"] for row in rows}
            assert values["level"] is None
            if values["measure"] is None:
                counts = item.by_hand.get("left_out")
            assert dict(values["counts"]) == counts


def check_order(finding, statement):
    """Assert that what is said of the order of sessions is in the table of its checks."""
    values, order = statement.values, finding.order
    if statement.kind == "order_not_checked":
        assert order.is_empty()
        assert values["reason"] == "no session_order"
    elif statement.kind == "order":
        assert dict(values["smallest_p"]) == {
            check: order.filter(check=check)["p"].min() for check in ("period", "carry-over")
        }
        assert min(values["smallest_p"].values()) > 0.05
        assert (values["measures"], values["users"]) == (order["measure"].n_unique(), None)
    else:
        row = selected(order, finding, values, "measure", "check")
        require_equal(values, {name: row[name] for name in ("statistic", "df", "df_error", "p", "p_adjusted")})
        require_equal(values, {"checks": len(order), "confidence": finding.confidence})
        assert values["verdict"] == ("shown" if row["p_adjusted"] <= 0.05 else "possible")
        assert row["p"] <= 0.05


@pytest.mark.parametrize("make", CASES)
def test_values_are_those_of_the_tables(make):
    item = case(make)
    require_noticed(partial(check, item), item.finding)


def test_says_every_kind():
    require_golden("compare", [case(make).finding for make in CASES])
