"""One kind of file taken apart, whatever log it holds: text into lines, fields, objects or elements, as unchecked records.

::

    log_files.py      a file found, recognized, unpacked, hashed, brought into UTF-8
    signatures.py     the first bytes of files that are not read
    invalid_bytes.py  lines with bytes that are no text, among others that are
    table_files.py    a table from a file of any kind, as study.toml describes it
    delimited.py      fields between separators, with header and quotes
    ndjson.py         a JSON object per line, key by key (shapes.py)
    json_items.py     a JSON document too large to load at once, its numbers and texts as they are written
    list_rows.py      rows made of lists inside records, JSON or cells of a table
    score_dicts.py    numbers by topic and document, as runs and judgments in JSON have them
    markup.py         XML as it streams by
    elements.py       rows made of its elements
    parquet.py        tables with types
    workbooks.py      sheets of workbooks, as text; cell_spans.py: their merged cells
    workbook_sizes.py what a workbook takes in memory, counted before it is opened
    blanks.py         fields between blanks, such as those of qrels
    limits.py         lines that are too long for the memory there is, and tables that are mostly empty
    record_store.py   where records stay: in memory or in files, some at a time
"""
