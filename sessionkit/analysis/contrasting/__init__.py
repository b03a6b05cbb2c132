"""Tests between the parts of a session: what `sessionkit.breakdown_tests` is made of.

::

    pairs.py    both parts of every session of several queries, and the tests of the difference
    reading.py  what the differences mean, in plain language
"""
