"""Comparing groups of sessions: what `sessionkit.compare` is made of.

::

    sessions.py     the values to compare, beside each session's group, user, topic and place in its user's study
    designs.py      the design that the data have, and what a claim can be about
    units.py        values aligned by key, whole pairs dropped: blocks, separate groups, or a crossover
    findings.py     what a procedure finds for a pair of groups; intervals by inverting tests
    effects.py      effects in standard deviations            shares.py     Cliff's delta, rank-biserial correlation
    paired.py       t, Wilcoxon, sign                     separate.py   Welch, Mann-Whitney, one-way ANOVA, Tukey-Kramer
    swaps.py        randomisation within blocks           blocked.py    blocked ANOVA and Tukey's HSD
    ranked.py       Friedman, Nemenyi, Conover            crossover.py  users and topics taken out, least squares
    assignments.py  randomisation of whole assignments    order.py      period and carry-over
    procedures.py   every test by name, and the layouts it is for
    corrections.py  Holm, Bonferroni, Benjamini-Hochberg, and intervals to match
    rows.py         one measure                           assembled.py  the table of all measures
    comparison.py   the finding                           reading.py    the same in plain language
"""
