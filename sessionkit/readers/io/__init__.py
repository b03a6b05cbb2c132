"""One kind of file taken apart, whatever log it holds: text into lines, fields, objects or elements, as unchecked records.

::

    files.py      Files on disk or at an address: found, recognized by their first bytes, unpacked, hashed, and refused
                  when too large to read at once
    delimited.py  Delimited text and fields between blanks, read as text and never cut silently; lines with invalid
                  bytes are records that break a rule
    tables.py     One table from a file of any kind, Parquet included, as study.toml describes it or as its name and
                  first bytes do
    json.py       JSON and NDJSON as unchecked records: one object per line, items of large documents, and numbers by
                  topic and document
    list_rows.py  Rows from the lists inside records: one for each element of the list that ``list`` of study.toml names
    xml.py        XML as it streams by: the elements below the root one after the other, and rows made of them
    workbooks.py  Sheets of workbooks (.xlsx, .xlsm, .xlsb, .ods) as text, with their merged cells; memory is counted
                  before a workbook is opened
"""
