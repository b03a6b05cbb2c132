"""The sections of a report, one file each; a new one is a file and a line in ``registry.py``.

::

    section_kind.py  how a section is declared
    registry.py      the sections in the order in which they stand
    summary.py       what was found, on the first screen
    study.py         what was logged, by whom, and the design
    sessions.py      session curves, last and other queries
    discounts.py     the means under other discounts
    measures.py      scores and differences by group
    sensitivity.py   whether the conclusion depends on the discounts
    behavior.py     what searchers did
    searchers.py     fitted discounts, ratings, effort
    judgments.py     what unjudged documents could change
    explorer.py      sessions result by result
    quality.py       what was unusual or rejected
    method.py        every choice in words
"""
