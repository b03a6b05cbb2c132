"""Statistics of findings: comparisons, correlations, agreement and power, from the values of sessions.

In come a study or scores, and options; out go findings: tables and what they say. Open `compare.py` first.

::

    compare.py               Do groups of sessions differ, by the test that the design supports
    comparison.py            The finding of a comparison; comparison_table.py makes its table, comparison_statements.py
                             what it says, and comparison_kinds.py the kinds of that
    remarks.py               Why something was not tested, and what was left out
    procedures.py            Every test by name with the designs it is for, and the plan of a comparison
    design.py                Who met which groups with which topics: the design, read from the data
    session_values.py        The values that are compared, one row per session
    units.py                 What a test counts as independent: users, topics or sessions, and their values aligned
    significance.py          The tests: t, rank, sign and randomization tests, analysis of variance
    crossover.py             The tests of crossover designs, and effects of order
    effects.py               Differences, effect sizes and their intervals for a pair of groups
    corrections.py           Corrections for several comparisons
    verdict.py               Whether there is enough for a verdict on a difference
    interaction.py           Whether a difference depends on a column, such as skill; contrasts.py has its tests
    mixed_model.py           The comparison by a mixed model; mixed_statements.py has what it says
    variance_components.py   The variances of users, topics and sessions that mixed models and power need
    power.py                 How many users and topics a study needs; power_simulation.py simulates its studies
    correlate.py             Measures against ratings; correlations.py has one coefficient and its tests
    correlation_matrices.py  Correlations of many columns in every draw of units
    agreement.py             How far judges agree
    bands.py                 Groups of sessions, and intervals of means by slot, rank, recall or topic
    distributions.py         Tails of t and F, draws of users or sessions, ties, and squares that stay finite
    findings.py              What findings share: tables, readings, the wording of intervals, provenance
    paper_tables.py          The layouts of tables in papers

Nothing is imported here, so that a command loads only the analysis that it makes.
"""
