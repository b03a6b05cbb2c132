"""Scoring: measures, and the values that they have for whole sessions.

In come a `Study` and measures; out go frames of values by query, session or group. Open `score.py` first.

::

    score.py          score(): what is asked, as one reduction; means by group
    reduction.py      a reduction makes a part of every batch and adds parts up; run() reads a study once for several
    per_session.py    reductions with rows of sessions                result_cache.py   parts kept from run to run
    batch.py          whole sessions with numbers in place of ids     batch_cache.py    batches kept for what comes next
    execution.py      values of the queries and sessions of a batch
    explain.py        what each result contributed
    results_filter.py which results count, by a Selection (selection.py) of depth, duplicates, unjudged and cutoff
    graded_pairs.py   judged pairs of key and document, their grades and ideal lists
    judgment_merge.py several judgments of one pair become one        alternative_judgments.py  other grades for a batch
    gains.py          what a grade is worth                           discounts.py      what a rank or position takes off
    gain_histogram.py contributions by query position, rank, grade    exact.py          sums that add up in any order
    ideals.py         the best session and list                       slots.py          places in the concatenated lists
    curves.py         values along a session                          averages.py       means of vectors
    lists.py          the lists of a batch, for measures that work values out themselves
    session_times.py  when what was seen                              searcher.py       the searcher that discounts describe
    columns.py        what measures read                              cautions.py       what a reader of values should know
    measures/         the measures: base, grammar, registry, and a file for each family
    scan_paths/       expected values over all ways through a session
    subtopics/        grades by subtopic, cubes, nuggets
"""
