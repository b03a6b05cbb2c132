"""A study under other judgments than its own: what judgment loss and judge noise have in common.

::

    log.py     the log, read once where it fits and scored as often as asked, each time under other grades
    groups.py  the groups that are compared, such as systems; sessions and runs that are left out
    pairs.py   pairs of groups: the difference and the p-value of each, whatever the values
    ranks.py   signed ranks and t of many pairs at once
"""
