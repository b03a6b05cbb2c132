"""What `sessionkit.judgment_loss` is made of: would the same have been found had fewer documents been judged?

The protocol is that of Bompada, Chang, Chen, Kumar and Shenoy, SIGIR 2007, after Buckley and Voorhees, SIGIR 2004, for
runs and for the systems of session studies alike.

::

    judgment_loss.py  the verb
    fractions.py  how much of the judgments is kept: exact shares
    subsets.py    which of them: f-qrels, nested, from one seed
    draws.py      scorings with a share of the judgments; keys that bpref can be trusted with
    order.py      Kendall's tau-b of the order of systems, its knee; the confusion matrix of verdicts
    curves.py     the order of all groups, share by share
    verdicts.py   the verdicts on pairs, share by share
    tables.py     the tables
    messages.py   the same in plain language
    finding.py    the finding
"""
