"""Logs that tell what happened, event by event: how these become sessions, queries, lists and clicks.

::

    lists.py      From a stream of queries, impressions, clicks and leaves to result lists with their clicks
    sessions.py   Queries to sessions: sessions cut at pauses, and logged queries that were one query to the searcher
    flat_logs.py  Flat logs, one line per query or click in any number of files: lines, batches of whole users, and
                  lists known from clicks alone
"""
