"""Sweeping a measure's parameters over a grid: what `sessionkit.sweep` is made of.

::

    sweep.py               the verb
    axes.py                the values of each parameter, from a list or a text such as 1.5:10:18, and how far apart they are
    grid.py                the settings: a measure for each combination, or why there is none
    histograms.py          plain sums: results of each unit counted by cell once, for any number of settings
    setting_scores.py      the values of many settings in as few passes as their number allows; what the data refuse
    leaders.py             the p-value of the leader over the next, by the comparison's own design and test
    verdicts.py            what one setting shows: means, leader, margin, p
    outcomes.py            each setting beside the base setting: outcome, agreement in the order of groups
    regions.py             where a conclusion holds: share of the grid, connected region, ranges of each parameter
    crossings.py           where it ends to hold between two settings, found and verified by scoring there
    nearest.py             the nearest settings at which it does not hold
    tables.py              the tables
    messages.py            the same in plain language
    finding.py             the finding
"""
