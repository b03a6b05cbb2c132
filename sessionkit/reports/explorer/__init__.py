"""The session explorer: pick a session and see its queries, its lists, what each result added, its curve and its ideal.

::

    widget.py  The session explorer as part of a page: its data in compact columns, and the places in which they are
               shown
    places.html  where they are shown
    explorer.js  finding, sorting, saving and drawing, in the browser
"""
