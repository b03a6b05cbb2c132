"""Logs that tell what happened, event by event: how these become sessions, queries, lists and clicks.

::

    stream.py        one row per event: its columns, broken records, order; tables.py: from there to what a format hands over
    stream_lists.py  queries, lists and clicks from such a stream; dwell_times.py: how long documents were read
    result_lists.py  queries, lists and clicks put together, positions given, every record accounted for
    clicks.py        clicks brought onto the results they were made on
    sessionize.py    sessions by inactivity
    requeries.py     queries that are one query to the searcher: sent again, paged, typed letter by letter;
                     requery_tables.py: in logs that have lists
    counts.py        how many of something there are; by_file.py: under the names of files
"""
