"""A study.toml proposed for files as they lie there, by what is in them; questions stand where that does not say it.

::

    propose.py         ``sk.propose``: from files to a study.toml with questions, and the rehearsal that reads the files
                       as the draft says
    tables.py          Sections of a study.toml for logs that are tables, for files joined by a query id, and for files
                       of a known format
    events.py          A private log with one row per event, as ``format = "events"`` reads it: which column is what,
                       what events are called
    contents.py        What is in a column: numbers, times, ids, names of events; how its values are spelled, and which
                       of ours they could be
    kinds.py           What a file of a private log is, and which of its columns feeds which of ours
    judgments.py       Judgments beside a private log: which column is the document, which the grade, and what their
                       keys belong to
    questionnaires.py  Questionnaires beside a log: which files and columns are answers, whose they are, and their
                       sections of a study.toml
    sheets.py          Sheets and survey exports as people keep them: titles above headers, rows that are not answers,
                       and words of rating scales
    record_lists.py    A log of lists inside records: which list is the results, which are the clicks, and what the
                       records around them are
    sample.py          The first rows of a file, read as its reader will read it; how that is, is found out on the way
    table_sections.py  One table of a study.toml: how its file is written, which columns feed which of ours, what stays
                       as it is
    proposal.py        What a proposal is made of: lines of a study.toml, the questions at them, and the text they come
                       to
"""
