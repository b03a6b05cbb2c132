"""Logs of lines without structure between them, in any number of files: users or sessions whole, band by band.

::

    lines.py          which files hold such lines, their fields, those that break a rule
    bands.py          all lines of some users at a time, however they lie in the files
    spans.py          the same read from where they stand, where the files are in the order of users
    band_rows.py      what the bands hold
    session_order.py  bands of a large log in the order of sessions, cut into parts
    band_stream.py    a large log whose bands go on to be checked as they come
    flat_log.py       from bands to what a format hands over, accounts.py: with what is said of it
    click_only.py     logs that tell of lists by their clicks alone
"""
