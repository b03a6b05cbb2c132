"""The sections of a report, one file each; a new one is a file and a line in ``registry.py``, or in the section that unfolds it.

::

    section_kind.py  how a section is declared
    registry.py      the sections in the order in which they stand
    summary.py       what was found, on the first screen
    headline.py      the verdict in one sentence
    answers.py       what was found, how sure, and what could overturn it
    forest.py        the differences by all measures, drawn
    means.py         the first screen where nothing is compared
    behavior_summary.py  the first screen without judgments
    measures.py      scores and differences of all measures
    topics.py        for whom and on which topics
    sessions.py      when in the session
    behavior.py      how people searched
    single_session.py  what the person did, where the page is of one session
    searchers.py     how far they looked, and what effort a gain took
    ratings.py       whether measures match what searchers said
    robustness.py    whether it would change
    judgments.py     what unjudged documents could change
    sensitivity.py   whether the conclusion depends on the discounts
    discounts.py     the means under other discounts
    further_figures.py  charts of plugins that want to be in every report
    explorer.py      sessions result by result
    method.py        every choice in words
    study.py         what was logged, by whom, and the design
    quality.py       what was unusual or rejected
"""
