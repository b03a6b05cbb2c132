"""Logs that tell what happened, event by event: how these become sessions, queries, lists and clicks.

::

    stream.py        one row per event: its columns, broken records, order; from there to what a format hands over
    result_lists.py  queries, lists and clicks put together, positions given, every record accounted for by file
    clicks.py        clicks brought onto the results they were made on
    sessionize.py    sessions by inactivity
    requeries.py     queries that are one query to the searcher: sent again, paged, typed letter by letter
"""
