"""How values show themselves: plain in a terminal, HTML in a notebook. Text from a log acts in neither, nothing is endless.

words.py        counted things and enumerations
text.py         Displayed: values of words and tables, which show themselves in a terminal and in a notebook
text_tables.py  frames as aligned columns, for a terminal
notebook.py     words and frames as HTML, for a notebook
frames.py       polars frames as results
"""
