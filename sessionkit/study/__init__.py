"""The study: the checked tables of one experiment together, with what was declared about them and where they came from.

In come checked tables, in memory or on disk; out goes a `Study` that hands out batches of whole sessions. Open `study.py` first.

::

    study.py        The study: five lazy tables that were checked together, where they came from, and what was computed
                    from them once
    storage.py      Where a study's tables lie, on this machine or at an address, and what is known of them without
                    reading them
    settings.py     What the experimenter declares about a study, because no log can say it
    facts.py        Counts of a study that decide how it is scored; computed once and kept in the package
    numbering.py    Numbers in place of ids: rows by session, judgments by key and document, and fast lookup of values
    batches.py      Going through a study in batches of whole sessions: within a memory limit, reading ahead, and with
                    progress
    restriction.py  Which sessions take part: a condition on columns of the sessions and users, checked against what
                    they hold
    selection.py    Some sessions of a study: in memory, or on disk without a copy of them; no row is looked up again
    counts.py       Counts of every session that need no judgments: queries, results, clicks and time; list depths,
                    empty queries, start and order
    trec.py         A study as a TREC run and qrels: tables with the names of their fields, and their text
    package.py      Saved studies: writing a study as a Data Package, opening one from disk or object storage, and
                    temporary ones
    descriptor.py   The ``datapackage.json`` of a saved study: what it says of files, tables and partitions, and the
                    checks before any file is opened
    partitions.py   Partitions of a saved study: adding one beside those that are there, and uniting the tables of two
                    studies
    files.py        Putting finished directories and files in their place: a crash or a power loss leaves the old one or
                    the new one
    checks.py       The rules of the schemas: casts to the declared types, rules about one row, about keys, and about
                    rows of several tables
    identifiers.py  Columns that identify people: what pseudonymizing and redaction replace, and the kept columns that
                    repeat such values
    schema.py       The schema files as values: ``table("results")`` is what ``schemas/results.json`` declares
    tabular.py      Anything tabular as a polars frame: polars, pandas, Arrow, the Arrow PyCapsule or dataframe
                    interface, dicts of lists
"""

from sessionkit.study.facts import Facts
from sessionkit.study.package import open_study, verify_hashes
from sessionkit.study.partitions import add_partition
from sessionkit.study.settings import MERGES, Settings
from sessionkit.study.study import Source, Study

__all__ = ["MERGES", "Facts", "Settings", "Source", "Study", "add_partition", "open_study", "verify_hashes"]
