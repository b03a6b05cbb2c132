"""User Behavior Insights: query and event records, from files of any kind to rows.

::

    ubi.py          the format: its options, what it hands over, large logs in parts, notes
    ubi_fields.py   what producers have called and call their fields
    ubi_records.py  records from NDJSON and other JSON; ubi_tables.py: from CSV and Parquet
    ubi_queries.py  one query per query_id, in sessions
    ubi_lists.py    lists of hits, impressions and clicks: which action is which
"""
