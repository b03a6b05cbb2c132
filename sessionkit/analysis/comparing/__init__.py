"""Comparing groups of sessions: what `sessionkit.compare` is made of.

::

    asked.py        options, checked                      sessions.py   values beside each session's group, user and topic
    designs.py      the design that the data have, and what a claim can be about
    units.py        what is compared: blocks, separate groups, or the sessions of a crossover
    aligning.py     the same from sessions: aligned by key, whole pairs dropped
    findings.py     what a procedure finds for a pair of groups; intervals by inverting tests
    effects.py      effects in standard deviations            shares.py     Cliff's delta, rank-biserial correlation
    paired.py       t, Wilcoxon, sign                     separate.py   Welch, Mann-Whitney, one-way ANOVA, Tukey-Kramer
    swaps.py        randomisation within blocks           blocked.py    blocked ANOVA and Tukey's HSD
    ranked.py       Friedman, Nemenyi, Conover            order.py      period and carry-over
    taken_out.py    users and topics taken out            crossover.py  least squares on what they leave
    assignments.py  randomisation of whole assignments
    procedures.py   every test by name, and the layouts it is for
    corrections.py  Holm, Bonferroni, Benjamini-Hochberg, and intervals to match
    rows.py         one measure                           assembled.py  the table of all measures
    comparison.py   the finding                           reading.py    the same in plain language
"""
