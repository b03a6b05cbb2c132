"""Sharing a study: a copy in which pseudonyms stand in place of people, and from which what names them is left out.

::

    copying.py        the verb: a study and what is asked for in, a pseudonymized study out
    asked.py          what is replaced, kept and left out: the words of --keep, --replace and --drop
    columns.py        which of the source's further columns stay, and why the others do not
    drawing.py        pseudonyms in random order for the values of a column
    keys.py           pseudonyms of judgment keys, which are made of topics, sessions, users or query texts
    clock.py          times of day as seconds since the session began
    renaming.py       the tables with everything replaced
    shuffling.py      the log in the order of its new session ids, part by part
    provenance.py     sources, settings and notes in which nothing of the log is left
    writing.py        the copy, written part by part
    told.py           what is said of it
    pseudonymized.py  what comes of it: the study, the mapping, and what to know before it is shared
    apart.py          where copy and mapping may lie; writing the mapping
"""

from sessionkit.study.sharing.copying import pseudonymize
from sessionkit.study.sharing.pseudonymized import Pseudonymized

__all__ = ["Pseudonymized", "pseudonymize"]
