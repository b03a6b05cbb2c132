"""What a searcher does for a gain: what `sessionkit.effort` is made of.

::

    reduction.py  every session's curve read horizontally, while a study streams by
    finding.py    the finding
    tables.py     its tables
"""
