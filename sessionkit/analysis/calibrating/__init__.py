"""The parts of `sessionkit.analysis.calibrate`: discounts fitted to how far searchers looked.

::

    signals.py  observing.py     what a log shows of how far people looked, and what ended a list or session for them
    tables.py                    the same from a table of counts by rank and query position
    counted.py                   counts: where lists and sessions stopped or ended, by unit; what was looked at
    factors.py  models.py        a discount as the share of searchers who come to a place; what of a measure is fitted
    likelihood.py  shares.py     how well a discount agrees with counts: stopping likelihood; squared error, KL divergence
    searching.py  fitting.py     the best parameters, intervals from the profile, what the counts cannot tell
    drawing.py                   intervals by drawing users
    grids.py                     whether a fit depends on the ranks and positions it is made on
    expecting.py                 what a fit expects of every rank and position
    calibration.py  assembled.py  reading.py   the result, its tables, and what it means in words
"""
