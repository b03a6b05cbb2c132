"""Figures of a study, each with a caption: what `sessionkit chart` draws and reports show, listed in ``charts/registry.py``.

::

    figure.py          A figure of a study: a chart with a title and a caption that says what was averaged over what,
                       and what its bands are
    session_curves.py  Figures 1 to 4 of ECIR 2008: last and other queries, sessions of all topics and of one, and one
                       by one
    scores.py          Figures of scores: differences between groups, distributions, correlations
    vectors.py         Figures of ranked lists: gain vectors, recall and precision, two systems by topic
    one_session.py     Figures of single sessions: what made the value of one, what happened in it when, and two of one
                       topic side by side
    session_wall.py    The wall of sessions: the gain, queries and clicks of every session, a small panel for each, on
                       as many sheets as they need
    query_steps.py     Figures of steps: what came after each query of a session
    robustness.py      How far a finding can be trusted: other discounts, fitted discounts, lost judgments, larger
                       studies, judges' errors
"""
