"""A study.toml proposed for files as they lie there, by what is in them; questions stand where that does not say it.

::

    draft.py           ``sk.propose``: from paths to a proposal
    known_formats.py   files of a format that is recognized
    tables.py          private logs that are tables
    events.py          private logs with one row per event
    kinds.py           which table a file is
    lists.py           which columns count queries and ranks
    row_columns.py     columns that every row must have
    match.py           all other columns, by name and by what is in them
    judgments.py       judgments
    grades.py          their grades
    judgment_keys.py   what they belong to
    sample.py          the first rows of a file
    dialects.py        how they are written
    column_names.py    what columns are called in the field
    contents.py        what is in columns
    keys.py            what columns of two files share
    settings.py        what no file says: the top of the scale, the zone of times
    table_sections.py  how a file is written and which columns it has, as lines of a study.toml
    proposal.py        lines, sections and questions
    toml.py            TOML
"""
