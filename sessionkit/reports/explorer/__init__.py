"""The session explorer: pick a session and see its queries, its lists, what each result added, its curve and its ideal.

::

    sample.py    which sessions the page holds
    columns.py   sessions, queries and results as rows; the table of sessions
    widget.py    the data in compact columns; the chart without data
    places.html  where they are shown
    explorer.js  finding, sorting, saving and drawing, in the browser
"""
