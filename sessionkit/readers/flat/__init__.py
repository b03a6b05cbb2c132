"""Logs of lines without structure between them, in any number of files: users or sessions whole, batch by batch.

::

    flat_log.py       from lines to what a format hands over: batches of whole users, rows, and accounts
    lines.py          which files hold such lines, their fields, those that break a rule
    click_only.py     logs that tell of lists by their clicks alone
"""
