"""Sharing a study: a copy in which pseudonyms stand in place of people, and from which what names them is left out.

In comes a study; out goes a study of pseudonyms, and the mapping. Open `pseudonymize.py` first.

::

    pseudonymize.py  Pseudonymizing a study: its tables with pseudonyms, in the order of the new ids, written part by
                     part
    columns.py       Which of the columns that were found in the source, beside the declared ones, can stay
    pseudonyms.py    Pseudonyms whose order is drawn, so that neither order nor text gives a value away; those of
                     judgment keys agree in every table
    report.py        What is said of a pseudonymized copy before it is shared, what it discloses of its source, and
                     where it may lie
"""
