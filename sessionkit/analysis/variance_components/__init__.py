"""Variance components of sessions: how much users, topics and what they do to groups vary. For `mixed` and `power`.

::

    random_factors.py   the random factors of a measure's sessions, and which of them the sessions can tell apart
    factors.py          groups and factors as cross products, and values reduced to what the restricted likelihood needs
    reml.py             the components at which that is greatest
    profiles.py         their intervals, by profiling it
    group_means.py      the groups' means at given components
    yardsticks.py       what a contrast of means is judged by, and with how many degrees of freedom
    meansquares.py      components from mean squares, and draws of them
"""
