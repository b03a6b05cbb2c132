"""A study.toml proposed for files as they lie there, by what is in them; questions stand where that does not say it.

::

    draft.py           ``sk.propose``: from paths to a proposal
    known_formats.py   files of a format that is recognized
    tables.py          private logs that are tables
    events.py          private logs with one row per event
    event_names.py     which names of events are queries, impressions, clicks and leaves
    kinds.py           which table a file is, and which of its columns are sessions and count queries and ranks
    match.py           which of its columns feeds which of ours, by name and by what is in it
    joins.py           results and clicks that belong to queries by an id, files of clicks
    judgments.py       judgments: their grades, and what they belong to
    questionnaires.py  which files are answers of participants and sessions, and whose answers they are
    questionnaire_sections.py  their sections of a study.toml, also for answers in the results; questions about labels
    survey_exports.py  exports of survey tools: rows below the header, columns about a response, unfinished responses
    scales.py          words of rating scales, what they may be worth, and the questions about it
    record_lists.py    lists inside records: which are results and clicks, and what the records around them are
    sample.py          the first rows of a file or a sheet, and how it is written
    sheets.py          files that are one table, and what their names say
    column_names.py    what columns are called in the field
    contents.py        what is in columns, and what columns of two files share
    spellings.py       how columns spell numbers, dates, durations, yes and no, and nothing
    table_sections.py  a table as lines of a study.toml, and the questions about it
    rehearsal.py       the proposal read back: what the reader loses or moves becomes a question
    proposal.py        lines, sections and questions as TOML
"""
