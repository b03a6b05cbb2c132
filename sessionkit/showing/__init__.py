"""How values show themselves: plain in a terminal, HTML in a notebook. Text from a log acts in neither, nothing is endless.

words.py     counted things and enumerations
tables.py    frames as aligned columns, for a terminal
html.py      words and frames as HTML, for a notebook
frames.py    polars frames as results
shown.py     Shown: values of words and tables, which show themselves in both ways
"""
