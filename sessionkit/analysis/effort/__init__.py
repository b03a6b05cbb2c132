"""What a searcher does for a gain: what `sessionkit.effort` is made of.

::

    effort.py     the verb
    reduction.py  every session's curve read horizontally, while a study streams by
    finding.py    the finding
    tables.py     its tables
"""
