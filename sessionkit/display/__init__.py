"""How values show themselves, in a terminal, a notebook, a paper or a file. Text from a log acts in none, nothing is endless.

In come frames, numbers and names from logs; out go text, HTML, LaTeX, Markdown and CSV. Open `tables.py` first.

numbers.py        counted things and enumerations; labels.py: which systems lack which ids
numbers.py      numbers and p-values at a readable precision
labels.py       names from logs: printable, shortened, different ones kept apart
text.py         Displayed: values of words and tables, which show themselves in a terminal and in a notebook
terminal.py  frames as aligned columns, for a terminal, as wide as it
terminal.py     text folded to the width of a terminal
text.py     words and frames as HTML, for a notebook
terminal.py       the guides as texts, and the glossary among them
templates.py    the templates of pages, which escape every value
labels.py  names in natural order
frames.py       polars frames as results
tables.py       TextTable: a frame made text once, with caption, note and marks, for what follows
export.py        that table for papers
export.py     for notes and issues
export.py          its values for spreadsheets, unrounded
"""
