"""The session explorer: pick a session and see its queries, its lists, what each result added, its curve and its ideal.

::

    sample.py      which sessions the page holds          widget.py     the data in compact columns, the places to show them
    columns.py   sessions, queries and results as rows  explorer.js   finding, paging and drawing, in the browser
"""
