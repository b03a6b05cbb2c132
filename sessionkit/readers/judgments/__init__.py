"""Formats of judgments, one file each; ``registry.py`` names them and says how to add one, ``files.py`` reads them.

::

    files.py     which format a file of judgments is, options honored or refused, values of grades that are words
    ratings.py   ratings found in JSON, for quepid.py, srw.py and rre.py; ltr.py: in text for learning to rank
    rank_eval.py  Elasticsearch: requests of its Ranking Evaluation API
    graded.py    any table with a query or topic, a document and a grade; tables.py: with our column names
    trec_qrels.py, trec_dd.py   fields between blanks
"""
