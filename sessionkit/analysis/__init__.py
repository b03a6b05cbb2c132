"""Findings from scores: a folder for each question, with the verb in the module of the same name.

In come a study, or scores, and options; out goes a finding: tables and what they say. Open `compare/compare.py` first.

::

    compare/               do groups of sessions differ, by the test that the design supports
    mixed_model.py         the same by a mixed model
    power/                 how many more users and topics it takes
    variance_components/   variance, for mixed and power
    breakdown/             last queries against others, and the tests within sessions
    correlate/             measures against ratings
    sweep/                 does a conclusion depend on a measure's parameters
    calibrate/             discounts fitted to how far people looked
    incomplete/            what unjudged results could do to scores
    judgment_loss/         would fewer judgments have found the same
    judge_noise/           would other judges have found the same
    rescore/               what judgment loss and judge noise share
    discriminative_power/  how many pairs of groups a measure tells apart
    effort/                what a gain costs

Small ones have no folder: agreement, curve, describe, design, gain_vectors, judged_share, list_depths, precision_recall,
record_accounts, reformulations, summary, timeline. All share `groups` (which sessions together), `bootstrap`,
`distribution_tails` (of t and F), `numeric_ties` (when two numbers are the same), `findings` (tables and words, also as LaTeX
and Markdown) and `phrases` (the wording of readings). What compares groups goes by `compare/plan.py`. Nothing is imported
here: a command pays for the analysis that it makes, not for all.
"""
