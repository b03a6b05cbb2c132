"""How many pairs of groups a measure tells apart: what `sessionkit.discriminate` is made of.

::

    discriminative_power.py  the verb and the finding
    verdicts.py              the p-value of every pair of groups by one measure
"""
