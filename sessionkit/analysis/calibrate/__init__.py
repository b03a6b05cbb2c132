"""The parts of `sessionkit.analysis.calibrate.calibrate`: discounts fitted to how far searchers looked.

::

    signals.py, observation.py                  what a log shows of how far people looked, and what ended a list or session for
                                                them
    tables.py                                   the same from a table of counts by rank and query position
    counts.py                                   counts: where lists and sessions stopped or ended, by unit; what was looked at
    factors.py, models.py                       a discount as the share of searchers who come to a place; what of a measure is
                                                fitted
    likelihood.py, shares.py                    how well a discount agrees with counts: stopping likelihood; squared error, KL
                                                divergence
    optimizer.py, fits.py                       the best parameters, intervals from the profile, what the counts cannot tell
    intervals.py                                intervals by drawing users
    grids.py                                    whether a fit depends on the ranks and positions it is made on
    expectation.py                              what a fit expects of every rank and position
    calibration.py, fit_tables.py, messages.py  the result, its tables, and what it means in words
"""
