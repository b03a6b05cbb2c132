"""Logs that do not fit in memory: unchecked records to a Study on disk, part by part, some parts ahead.

::

    sizes.py        which logs these are, and how large a part may be
    large_study.py  the parts one after the other
    routes.py       two ways to parts: as records come (from feeds.py or a format), or by ranges of sessions (ranges.py)
    totals.py       what the parts leave behind: counts that add up, rejected records
"""
