"""What tables of queries and ranks keep of every block of sessions while a study streams by: sums that add up exactly.

::

    curve.py             mean curves over the slots of sessions     breakdown.py   parts of sessions: last, first, best
    precision_recall.py  recall and precision by topic and level     describe.py    lists by system, status and length
"""
