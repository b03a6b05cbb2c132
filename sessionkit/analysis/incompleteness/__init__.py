"""How far unjudged results could move a score: what `sessionkit.incomplete` is made of.

A study is looked at twice: for what nobody judged, and for what that could do. One that fits in memory is read once.

::

    over_documents.py  over_unjudged.py   what the tasks of both looks are asked, and read
    judged_task.py  pool_task.py          the first look: what share is judged, and which documents shown nobody judged
    numbering.py  pool.py  unjudged.py    numbers for these documents, over the study and in a block
    kinds.py                              how the bounds of every measure come about, or why it has none
    rows.py  totals.py  ideals.py         the unjudged results that count, exact sums of them, and the best that lists could be
    shares.py  levels.py                  a sum over an ideal sum, which a document that turns out relevant can also lower
    counted.py                            a value that counts relevant documents, as R and AP, which it can lower too
    units.py  means.py                    bounds of queries and sessions, and of means in which values may be missing
    bounds_task.py                        the second look: scores with bounds
    moves.py  moves_task.py  moved.py     the second look: by how much each document alone would move a score, mean or difference
    differences.py                        what becomes of the difference between two groups
    finding.py  reading.py                the finding, and the same in plain language
"""
