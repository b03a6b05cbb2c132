"""Sharing a study: a copy in which pseudonyms stand in place of people, and from which what names them is left out.

In comes a study; out goes a study of pseudonyms, and the mapping. Open `transform.py` first.

::

    transform.py      the verb: a study and what is asked for in, a pseudonymized study out
    options.py        what is replaced, kept and left out: the words of --keep, --replace and --drop
    columns.py        which of the source's further columns stay, and why the others do not
    repeats.py        kept columns that repeat what is replaced, such as topics that are query texts
    pseudonyms.py     pseudonyms in random order for the values of a column
    judgment_keys.py  pseudonyms of judgment keys, which are made of topics, sessions, users or query texts
    tables.py         the tables with everything replaced
    order.py          the log in the order of its new session ids, part by part
    disclosure.py     sources, settings and notes in which nothing of the log is left
    write.py          the copy, written part by part
    report.py         what is said of it
    result.py         what comes of it: the study, the mapping, and what to know before it is shared
    placement.py      where copy and mapping may lie; writing the mapping
"""
