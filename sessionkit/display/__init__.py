"""How values show themselves, in a terminal, a notebook, a paper or a file. Text from a log acts in none, nothing is endless.

In come frames, numbers and names from logs; out go text, HTML, LaTeX, Markdown and CSV. Open `tables.py` first.

::

    tables.py     TextTable: a frame made text once, with a caption, a note and marks, for papers, pages and files
    numbers.py    Numbers and p-values at a readable precision; counted things and enumerations as sentences have them
    statements.py Statements of findings: a kind, a sentence and the values in it
    labels.py     Names from logs: printable, shortened, different ones kept apart, in natural order; ids that are missing
    text.py       Displayed: values of words and tables, which show themselves in a terminal and, as HTML, in a notebook
    terminal.py   Text folded and frames aligned to the width of a terminal; the guides as texts, with their glossary
    frames.py     Polars frames as results
    export.py     A TextTable for papers (LaTeX), notes (Markdown) and spreadsheets (CSV, unrounded); findings as JSON
    templates.py  The templates of pages, which escape every value
"""
