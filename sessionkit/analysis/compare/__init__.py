"""Comparing groups of sessions: what `sessionkit.compare` is made of.

::

    compare.py            the verb
    options.py            options, checked
    session_values.py     values beside each session's group, user and topic
    design.py             the design that the data have, and what a claim can be about
    units.py              what is compared: blocks, separate groups, or the sessions of a crossover
    alignment.py          the same from sessions: aligned by key, whole pairs dropped
    plan.py               design, claim, test and options in one, for every verb that compares groups
    pair_findings.py      what a procedure finds for a pair of groups; intervals by inverting tests
    effects.py            effects in standard deviations
    effect_intervals.py   Cliff's delta, rank-biserial correlation
    paired_tests.py       t, Wilcoxon, sign
    independent_tests.py  Welch, Mann-Whitney, one-way ANOVA, Tukey-Kramer
    permutations.py       randomization within blocks
    anova.py              blocked ANOVA and Tukey's HSD
    rank_tests.py         Friedman, Nemenyi, Conover
    projection.py         users and topics taken out, by least squares; the sums of squares
    crossover.py          least squares on what they leave
    crossover_randomization.py  randomization of whole assignments
    procedures.py         every test by name, and the layouts it is for
    corrections.py        Holm, Bonferroni, Benjamini-Hochberg, and the intervals beside them
    rows.py               one measure
    order_effects.py      period and carry-over: the order of a user's sessions
    group_means.py        the groups by themselves, and the spread of sessions
    contrast_tests.py     Welch and Hotelling: contrasts of means without equal variances
    counterbalance.py     contrasts of topics that users tell, and those that only sequences of users tell
    interaction.py        whether a difference depends on the column within which it is
    result_table.py       the table of all measures
    comparison.py         the finding
    messages.py           the same in plain language
"""
