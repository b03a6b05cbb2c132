"""Figures that are drawn when they are asked for: how each is made from a study; a new one is a function and a line in ``registry.py``.

::

    vectors.py       gain vectors, recall and precision, the R-precision histogram
    scores.py        differences, distributions, correlations
    alternatives.py  what sweep, calibrate and judgment loss find
    evidence.py      how far a comparison can be trusted: power, judges' errors, discriminative power
    sessions.py      one session: its value explained, its time line
    query_steps.py   from one query to the next
    figure.py        what they give

A figure's file is read when it is drawn: a report draws few of them.
"""
