"""What a searcher does for a gain: what `sessionkit.effort` is made of.

::

    vectors.py    what lists and sessions gain, place by place, beside their ideals
    reduction.py  every session's curve read horizontally, while a study streams by
    finding.py    the finding
    tables.py     its tables
    messages.py   the same in plain language
"""
