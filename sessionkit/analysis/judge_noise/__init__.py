"""What `sessionkit.judge_noise` is made of: how far judges agree, and what others would have made of a comparison.

::

    judge_noise.py       the verb
    searchers.py         the searchers' own grades against the judgments and against each other
    errors.py            what a judge may say in place of a grade: estimated from several judges, or declared
    random_judgments.py  judgments drawn anew by these errors, from one seed
    finding.py           the finding
"""
