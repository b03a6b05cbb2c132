"""The study: the checked tables of one experiment together, with what was declared about them and where they came from.

In come checked tables, in memory or on disk; out goes a `Study` that hands out batches of whole sessions. Open `study.py` first.

::

    study.py              :class:`Study`, the value every later room takes; ``with_tables`` derives one
    storage.py            what is known of its tables without reading them: counts, files, partitions, hashes
    memo.py               what was worked out of a study: each value once, never pickled
    settings.py           :class:`Settings`: what the experimenter declares (top of the grade scale, merging of judgments)
    source.py             :class:`Source`: one file read, its hash, and what became of its records
    facts.py              :class:`Facts`: counts that scoring and describing need, computed once
    judgment_index.py     numbers in place of judged (judgment_key, doc_id)
    row_index.py          row numbers in place of ids: the private columns of a saved study
    batches.py            a study some whole sessions at a time; prefetch.py makes the next while one is used
    restriction.py        which sessions take part: a condition, checked against the columns and values that there are
    session_subset.py     some sessions of a study, by a condition or their ids, without a copy of what is on disk
    query_counts.py       how many logged queries every session has
    session_start.py      when a session began; session_order.py: which of its user's sessions it is
    session_counts.py     what is counted of every session, as columns that any log has
    depths.py             how deep lists are known without a gap
    resultless_queries.py queries without result rows: how many, and from which share on it is said
    trec_tables.py        a study as a TREC run and qrels
    lookup.py             the rows in which values stand
    package_writer.py     a study on disk: a Data Package, written whole or not at all
    resources.py          how its descriptor describes the files of a table
    partition_folders.py  a log in folders, one for each value of a column
    partitions.py         adding one to a saved study; union.py: users and judgments of two studies
    locations.py          where a study lies: on disk or at an address
    descriptor.py         what its descriptor says, checked
    package_reader.py     reading a study back
    atomic_files.py       putting a finished directory or file in its place in one rename
    temporary.py          folders of studies that were not saved yet; copies of written studies
    progress.py           how far long work has come, for whoever shows it
    memory_limit.py       how much memory work on large logs may use
    inference_options.py  confidence, draws and seed, checked for every verb that takes them
"""

from sessionkit.study.facts import Facts
from sessionkit.study.package_reader import open_study, verify_hashes
from sessionkit.study.partitions import add_partition
from sessionkit.study.settings import MERGES, Settings
from sessionkit.study.source import Source
from sessionkit.study.study import Study

__all__ = ["MERGES", "Facts", "Settings", "Source", "Study", "add_partition", "open_study", "verify_hashes"]
