"""Findings from scores: a module for each question, and a folder of what it is made of.

::

    compare.py           comparing/       do groups of sessions differ, by the test that the design supports
    mixed.py             modelling/       the same by a mixed model
    power.py             planning/        how many more users and topics it takes      components/  variance, for both
    breakdown_tests.py   contrasting/     last queries against others, within sessions
    correlate.py         correlating/     measures against ratings
    sweep.py             sweeping/        does a conclusion depend on a measure's parameters
    calibrate.py         calibrating/     discounts fitted to how far people looked
    incomplete.py        incompleteness/  what unjudged results could do to scores
    judgment_loss.py     losing/          would fewer judgments have found the same
    judge_noise.py       misjudging/      would other judges                           rejudged/    what both share
    discriminative.py    discriminating/  how many pairs of groups a measure tells apart
    effort.py            efforts/         what a gain costs
    curve.py breakdown.py describe.py precision_recall.py    tasks/    tables made while a study streams by

Small ones have no folder: accounts, agreement, design, gain_vectors, judged_share, observed, reformulations, summary,
timeline. All share `groups` (which sessions together), `resampling`, `tails` (of t and F), `ties` (when two
numbers are the same) and `showing`. Nothing is imported here: a command pays for the analysis that it makes, not for all.
"""
