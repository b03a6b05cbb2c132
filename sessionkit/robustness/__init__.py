"""How far a finding can be trusted: other discounts, fitted discounts, missing and lost judgments, other judges.

In come a study and a measure; out go findings: bounds, fits, verdicts at other settings. Open `sweep.py` first.

::

    sweep.py                 Does a conclusion depend on a measure's parameters
    sweep_grid.py            The settings of a sweep; sweep_scores.py scores them, sweep_verdicts.py decides at each,
                             sweep_tables.py is the finding
    calibrate.py             Discounts fitted to how far searchers looked
    calibrate_counts.py      How far they looked; calibrate_models.py has the discounts, calibrate_fits.py fits them
    bounds.py                What unjudged results could do to scores and differences
    score_bounds.py          The bounds of values and means; normalized_bounds.py those of shares of an ideal
    missing_judgments.py     Could missing judgments explain a difference
    document_effects.py      By how much each unjudged document could move a value
    unjudged.py              Which documents are unjudged, and what share of results is judged
    judgment_loss.py         Would fewer judgments have found the same; judgment_draws.py draws them
    judge_noise.py           Would other judges have found the same; noise_statements.py words it
    rescore.py               What judgment loss and judge noise share: a study scored under other judgments
    discriminative_power.py  How many pairs of groups a measure tells apart
    session_table.py         A row per session with scores, bounds and counts

Nothing is imported here, so that a command loads only the analysis that it makes.
"""
