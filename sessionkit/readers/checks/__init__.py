"""Unchecked records become checked tables: names, types, every rule in its order, missing tables, what was unusual.

``../ingest.py`` calls all of it, batch by batch.

::

    cells.py       From a source's columns and cells to ours: names, spellings of values, numbers of queries, and the
                   schema of each table
    rows.py        Rows of a source that keep or break a rule: rejected records, cells set aside, and notes on what was
                   unusual
    derived.py     Tables and columns that a log lacks, derived from those it has, for whole sessions and in a fixed
                   order of checks
    completion.py  The last checks of assembled tables: order and types of columns, facts, and values that are unusual
                   though no rule is broken
"""
