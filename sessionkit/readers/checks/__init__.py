"""Unchecked records become checked tables: names, types, every rule in its order, missing tables, what was unusual.

``../ingest.py`` calls all of it, batch by batch.

::

    columns.py     the source's column names to ours; source_union.py: several sources of a table as one
    cells.py       how a sheet spells its values: decimal marks, dates, words, units
    query_numbers.py  numbers for queries that have none, by their times or as they come
    assembly.py    the tables of whole sessions, checked, with source_checks.py (a source on its way), log_schemas.py (columns
                   that other tables are derived from) and derive.py (tables the log lacks)
    whole_log.py   what the whole log decides: counting from 0, times without zone
    completion.py  the last touches: types of columns that nobody declared, the order of columns, facts
    rejection.py   the table of rejected rows, and what a format found out beside the tables
    locales.py     judgments of several locales under one key
    counts.py      what adds up; unusual.py and notes.py: what is unusual, said
"""
