"""Formats of logs, one file each: what is in the files of each format, and how it was tried.

A new format is one file here and one entry in ``OWN_FORMATS`` of ``registry.py``; ``aol.py`` is a short one to go by
whose lines have fields, ``trec_session.py`` one in XML.

1. ``take(log: Log) -> Taken`` (``../records.py``) takes ``log.files`` apart, with what ``../io/`` has for a kind of file and
   ``../events/`` for a kind of log. It returns unchecked rows under our column names, values as text:
   ``raw_of(file, "queries", frame, kind="query records", ...)`` for each table it has, queries or results at least. RECORD is
   the number of the line or record a row comes from, ``locate`` the way back to its text; a record that cannot be taken apart
   is a row with RULE (a sentence such as ``line_is_json``) and VALUE. A value that no key is made of costs no row: one that is
   read here and cannot be is set aside, by ``without`` (``../raw.py``: CELLS of a row) or ``set_aside`` (``../records.py``: records
   that go into other rows). Checking, rejecting, deriving missing tables, accounts, parts of large logs: all that happens afterwards,
   for every format.
2. What became no row is counted: ``Taken.merged`` (clicks, repeated queries), ``Taken.idle`` (events that say nothing).
   ``with_clicks`` (``../events/lists.py``) brings clicks onto results. Why a list is not there goes to ``results_status``.
3. ``log.keep(frame)`` keeps rows that were expensive to take, on disk where the log is large (``log.is_large``).
4. ``fits(glimpse)`` recognizes the format by content (``../format.py``); two formats must not fit one file.
5. ``OPTIONS``: what study.toml may say, a name to an ``Option``; ``log.option("session_gap")`` is its value.
6. A format of flat lines returns what ``take_flat`` (``../events/flat_logs.py``) does, which keeps the lines of a user or session
   together, as a ``Key`` finds them: from the records of each file (``lines_of``, or ``fields_of`` between tabs; ``breaking`` marks
   those that break a rule) to ``FlatRows`` of the ``sound`` ones, with the ``unsound``, under the names that ``Kinds`` has for the
   accounts. Logs of clicks alone use the same file.
7. ``"name": Format(description, reader("name", module.take), fits=..., options=..., tried=...)`` goes into ``OWN_FORMATS``.
"""
