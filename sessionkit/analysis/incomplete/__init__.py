"""How far unjudged results could move a score: what `sessionkit.bounds` is made of.

A study is looked at twice: for what nobody judged, and for what that could do. One that fits in memory is read once.

::

    bounds.py                  the verb
    document_reduction.py      what the reductions of both looks are asked, and read
    unjudged_reduction.py      what those about unjudged documents are asked beside
    judged_share_reduction.py  the first look: what share is judged
    pool_reduction.py          the first look: which documents shown nobody judged
    text_numbers.py            numbers for these documents
    pool.py                    these documents over the study
    unjudged_documents.py      these documents in a batch
    bound_kinds.py             which bounds add up, which are safe, and the grade that gains the most
    rows.py                    the unjudged results that count
    totals.py                  exact sums of them
    shares.py, levels.py       a sum over an ideal sum, which a document that turns out relevant can also lower
    count_bounds.py            a value that counts relevant documents, as R and AP, which it can lower too
    units.py                   bounds of queries and sessions
    means.py                   bounds of means in which values may be missing
    bounds_reduction.py        the second look: scores with bounds
    moves.py                   the second look: by how much each document alone would move a score
    moves_reduction.py         the same over groups
    document_effects.py        by how much it would move a mean, or a difference
    differences.py             what becomes of the difference between two groups
    missing_judgments.py       that difference as scored, with unjudged results skipped, and its bounds, with judged shares
    finding.py, messages.py    the finding, and the same in plain language
"""
