"""The parts of a session beside each other: its last query against those before it.

::

    breakdown.py           means of every part, by rank or query
    reduction.py           what is kept of each batch of sessions: sums of parts (last, first, best) that add up exactly
    significance_tests.py  are last queries better: differences within sessions, tested over users
    pairs.py               both parts of every session of several queries, and the tests of the difference
    messages.py            what the differences mean, in plain language
"""
