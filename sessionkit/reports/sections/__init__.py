"""The sections of a report, one file each; a new one is a file and a line in ``registry.py``, or in the section that unfolds it.

::

    section_kind.py  A kind of section: what it asks of the study and what it says; and the section of figures that
                     plugins add
    registry.py      The sections of a report in the order in which they stand, each a question; what a reader can
                     unfold stands with each
    summary.py       The first screen: what was found, from means where nothing is compared, or from behavior where no
                     relevance is known
    headline.py      The verdict on the primary measure, the forest of differences, and three answers: what was found,
                     how sure, what could overturn it
    measures.py      Every score by group with its differences, and whether measures match the ratings that the log has
    topics.py        For whom and on which topics: the primary measure by topic, every topic shown
    sessions.py      Sections about sessions: curves along them, last against earlier queries, one session by itself,
                     and the explorer
    behavior.py      How people searched, by group: queries, results, clicks, times and reformulations; how far they
                     looked, and what effort a gain took
    robustness.py    Could this be wrong: missing judgments, other discounts, a larger study, and discounts that a
                     reader changes
    method.py        Data and method: every choice that a number depends on, the study and its design, and the quality
                     of its data
"""
