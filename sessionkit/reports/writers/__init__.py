"""A table of a report as text: one file per form, each with the escapes of its own.

::

    html.py       for the page              latex.py    for papers: booktabs, caption, label
    markdown.py   for notes and issues      csv.py      the numbers themselves, unrounded
"""
