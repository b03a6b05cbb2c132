"""Formats of judgments, one file each; ``registry.py`` names them and says how to add one, ``files.py`` reads them.

::

    files.py     Files of judgments beside a log: recognized among the registered formats, read, and keyed by topics or
                 by texts of queries
    ratings.py   Ratings in JSON as unchecked judgments: rank evaluation requests, the Rated Ranking Evaluator, the
                 Search Relevance Workbench
    quepid.py    Formats of judgments of Quepid, keyed by texts of queries, and of learning to rank (RankLib)
    tables.py    Formats of judgments ``tables``, ``graded`` and ``graded_topics``: any table with a document, a grade,
                 and a query or topic
    qrels.py     Judgments of TREC: qrels with subtopics or judges, and those of the Dynamic Domain track as qrels or as
                 topics
    registry.py  Formats of judgments, one file each: which document of which topic, or of which text of a query, has
                 which grade
"""
