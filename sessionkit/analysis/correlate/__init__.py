"""Correlating measures with ratings and other columns: what `sessionkit.correlate` is made of.

::

    correlate.py    the verb
    columns.py      the columns to correlate, of sessions or of searchers
    rows.py         one correlation, or the difference of two, over the sessions that have all it needs
    matrices.py     correlation matrices of what was observed, of draws of units, and without each unit; partial correlations
    concordance.py  Kendall's pairs of every session, in n log n steps; Kendall's test and its critical value
    formulas.py     intervals and tests of independent units: Fisher, Bonett and Wright, Williams, Steiger
    messages.py     the same in plain language
"""
