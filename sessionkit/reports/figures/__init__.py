"""Figures of a study, each with a caption: what `sessionkit chart` draws and reports show, listed in ``charts/registry.py``.

::

    figure.py          a figure, and how one is made by the name of its chart
    bands.py           when figures have bands, and what captions say of them
    session_curves.py  Figures 1 to 4 of ECIR 2008, which every report has
    scores.py          differences, distributions, correlations
    vectors.py         gain vectors, recall and precision, the R-precision histogram
    one_session.py     one session: its value explained, its time line
    session_wall.py    every session as a small panel, in sheets
    query_steps.py     from one query to the next
    robustness.py      other discounts, fitted discounts, lost judgments, power, judges' errors, discriminative power
"""
