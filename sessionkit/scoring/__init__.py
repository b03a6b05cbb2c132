"""Scoring: measures, and the values that they have for whole sessions.

In come a `Study` and measures; out go frames of values by query, session or group. Open `score.py` first.

::

    score.py       Scores: the values of measures per query, per session, or averaged over groups of sessions, in one
                   tidy table
    reduction.py   Reductions of a study: a task makes a part of every batch, parts add up exactly, and those of a saved
                   study can be cached
    lists.py       The result lists of a batch as measures see them that compute their own values: rows by list, times,
                   and values per session
    batch.py       Whole sessions in memory with their judgments: one grade per document, graded pairs, subtopics, and
                   row numbers in place of ids
    execution.py   The values of many measures for a batch in as few passes as their choices allow, and the vector
                   averages of the papers
    explain.py     Why a session scored what it did, result by result, and how much the value of its scan paths varies
    filter.py      Which results count for a measure (unjudged, repeated, deep ones) and what each of them gains
    gains.py       What a grade is worth: the ``gain`` parameter of every measure
    discounts.py   How much a rank or a query position counts: the ``discount`` and ``query_discount`` parameters
    histogram.py   The results that gain, in cells of the same contribution: same query position, rank and grade
    exact.py       Sums that are the same bits in any order: contributions become integers at one fixed scale before
                   they are added
    ideals.py      The best that could have been shown, slot by slot: ideal lists and sessions, and the gain of
                   concatenated lists beside them
    searcher.py    A measure's discounts read as a searcher who may stop: the chance to look at a rank, and to go on to
                   the next query
    needs.py       What measures need of a log: the columns they read, and cautions where lists, judgments or ideals do
                   not support a number
    measures/      The measures, one file per family; a new one is a class in its family's file and a name in
                   ``measures/registry.py``
    scan_paths.py  Exact expectations over all scan paths of a searcher who may stop anywhere in a session
    subtopics.py   Subtopics and nuggets of a session: how high its documents fill each of them, what that gains, and
                   the best that could be shown
"""
