"""The kinds of statements of a comparison, each with its values."""

from __future__ import annotations

from sessionkit.display.statements import Kind
from sessionkit.statistics.findings import LEFT_OUT, MORE, SESSIONS
from sessionkit.statistics.remarks import REASONS

LEVEL = {
    "level": "the value of the column `within`, such as ``skill novice``; null without one",
    "measure": "text of the measure",
}
PAIR = {"measure": "text of the measure", "a": "the group that is subtracted", "b": "the other group"}
INTERVAL = {
    "estimate": "the difference, b minus a",
    "low": "lower end of its interval; null without end",
    "high": "upper end",
    "confidence": "that of the interval",
}
P = {
    "p": "of the test alone",
    "p_adjusted": "corrected",
    "correction": "how p was corrected",
    "tests": "how many tests were corrected together",
}
NO_VERDICT_VALUES = {
    "unit": "user, topic or session",
    "n": "units that have a value",
    "total": "units",
    "least_pairs": "pairs that a verdict needs; null, there are enough",
    "least_share": "share of the units that a verdict needs; null, it is reached",
    "without_single_queries": "whether sessions of one query have no value",
}
"""Why there is no verdict, as data."""
KINDS = {
    **SESSIONS,
    "design": Kind(
        "The design as read from the data",
        {
            "within": "the column within whose values groups are compared",
            "designs": "the design of each level: how many users, topics, pairs of both and sessions there are and met groups",
            "one_group_topics": "topics with one group only, to which a difference may be due; null, not so",
            "topics": "topics that there are, of these",
        },
    ),
    "claim": Kind(
        "Whom the claim is about, what it takes for granted and what it does not reach",
        {
            "population": "users, topics or sessions",
            "users": "least and most users, over measures and levels",
            "topics": "least and most topics",
            "sessions": "least and most sessions",
            "within": "the column within whose values the claim holds",
            "levels": "how many of its values there are",
            "topics_apart": "whether no topic was searched with several groups",
            "same_for": "the units for each of which the difference is taken to be the same",
            "may_vary_with": "the unit with which test=randomization lets it vary; null, none",
            "not_beyond": "the units beyond which it does not generalize, though another population would",
            "may_be_correlated": "whether sessions of one user or topic may be",
        },
    ),
    "not_assigned": Kind(
        "Groups were made by what came of the sessions",
        {**LEVEL, "column": "the column that makes them", "what": "what it holds: ratings or durations"},
    ),
    "overall": Kind(
        "The test of all groups at once",
        {
            **LEVEL,
            "test": "its name",
            "statistic": "its statistic",
            "df": "degrees of freedom",
            "df_error": "those of the error",
            "p": "its p",
        },
    ),
    "difference": Kind(
        "The difference of two groups by one measure, with its interval, test and verdict",
        {
            **LEVEL,
            **PAIR,
            "n_a": "units of a",
            "n_b": "units of b",
            **INTERVAL,
            "statistic": "that of the test",
            "df": "its degrees of freedom",
            **P,
            "at_once": "whether the test holds for all pairs at once",
            "test": "name of the test",
            "population": "what the units are",
            "relative": "the estimate as a share of the mean of a",
            "mark": "Sparck Jones' mark of that share",
            "mean_a": "raw mean of a",
            "mean_b": "raw mean of b",
            "raw_difference": "their difference",
            "wins": "units for which b is higher; null, units are not paired",
            "ties": "units for which both are equal",
            "losses": "units for which a is higher",
            "detectable": "the true difference that would be detected with power .8",
            "span": "the greatest possible difference, where units are too few to test; else null",
            "verdict": "shown, not shown, not shown after correction, no verdict, too few, not tested, or no value",
            "higher": "the group with higher values, where that is shown",
            "better": "the group with better values, where that is shown and known",
            "no_verdict": "why there is no verdict, null if there is one: "
            + "; ".join(map(": ".join, NO_VERDICT_VALUES.items())),
        },
    ),
    **MORE,
    "interaction": Kind(
        "Whether a difference depends on a column",
        {
            "within": "the column",
            **PAIR,
            **INTERVAL,
            "statistic": "F",
            "df": "degrees of freedom",
            "df_error": "those of the error",
            **P,
            "test": "the test; null, not tested",
            "n": "units",
            "levels": "values of the column that are compared",
            "of_levels": "values that there are",
            "minus": "the level, or levels, whose difference is subtracted",
            "plus": "the other level, or levels",
            "difference_minus": "the difference of the groups there, estimated alone",
            "difference_plus": "that of the other level",
            "verdict": "shown, not shown, not shown after correction, or not tested",
            "is_part": "whether it is about some contrasts of the levels",
            "note": "what else to know: reason (a short code), and counts",
        },
    ),
    "interaction_not_tested": Kind(
        "It is not tested whether differences depend on the column, and why",
        {"within": "the column", "measures": "the measures", "note": "why: reason (a short code), and counts"},
    ),
    "shown_in_some": Kind(
        "A difference is shown for some values of the column, which does not show that it depends on it",
        {"within": "the column"},
    ),
    "not_tested": Kind("Something could not be tested, and why", {**LEVEL, **REASONS}),
    "limit": Kind("Something that limits a test", {**LEVEL, **REASONS}),
    "single_queries": Kind("Sessions of one query have no value and are left out", LEVEL),
    **LEFT_OUT,
    "order_effect": Kind(
        "An effect of the order of sessions that is shown or possible",
        {
            **LEVEL,
            "check": "period or carry-over",
            "statistic": "F",
            "df": "degrees of freedom",
            "df_error": "those of the error",
            "p": "of the check alone",
            "p_adjusted": "by Holm's method",
            "checks": "checks corrected together",
            "confidence": "that of the comparison",
            "verdict": "shown, or possible",
        },
    ),
    "order": Kind(
        "No effect of the order of sessions is shown",
        {
            "smallest_p": "by check",
            "measures": "how many were checked",
            "users": "users with an order read from times, and users; null, not so",
        },
    ),
    "order_not_checked": Kind("Effects of order are not checked", {"reason": "a short code"}),
    "unadjusted_intervals": Kind("Intervals allow for no other comparison, p does", {"correction": "that of p"}),
}
"""What a comparison can say."""
