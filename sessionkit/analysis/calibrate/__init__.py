"""The parts of `sessionkit.analysis.calibrate.calibrate`: discounts fitted to how far searchers looked.

::

    calibrate.py            the verb
    examination_signals.py  what a log shows of how far people looked
    observation.py          counts from it, and what ended a list or session otherwise
    tables.py               the same from a table of counts by rank and query position
    counts.py               counts: where lists and sessions stopped or ended, by unit; what was looked at
    examination.py          how many lists were looked at down to each rank
    factors.py              a discount as the share of searchers who come to a place
    models.py               what of a measure is fitted
    likelihood.py           how well a discount agrees with counts: stopping likelihood
    shares.py               the same by squared error and KL divergence
    optimizer.py            the highest point of smooth functions
    fits.py                 the best parameters, intervals from the profile, what the counts cannot tell
    intervals.py            intervals by drawing users
    expectation.py          what a fit expects of every rank and position
    fit_tables.py           the tables
    messages.py             what they mean in words
    calibration.py          the finding
"""
