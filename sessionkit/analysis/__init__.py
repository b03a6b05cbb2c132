"""Findings from scores: a folder for each question, with the verb in the module of the same name.

In come a study, or scores, and options; out goes a finding: tables and what they say. Open `compare/compare.py` first.

::

    compare/               do groups of sessions differ, by the test that the design supports
    mixed_model.py         the same by a mixed model
    power/                 how many more users and topics it takes
    variance_components/   variance, for mixed and power
    breakdown/             last queries against others, and the tests within sessions
    correlate/             measures against ratings
    sweep/                 does a conclusion depend on a measure's parameters
    calibrate/             discounts fitted to how far people looked
    incomplete/            what unjudged results could do to scores
    judgment_loss/         would fewer judgments have found the same
    judge_noise/           would other judges have found the same
    rescore/               what judgment loss and judge noise share
    discriminative_power/  how many pairs of groups a measure tells apart
    effort/                what a gain costs

    curve.py               cumulated gain along sessions
    curve_differences.py   when in the session one group is ahead of another
    session_survival.py    how many sessions go on to each query
    session_table.py       score(): a row per session with bounds and counts
    session_wall.py        what a wall of sessions draws: curves, queries, clicks
    session_contrast.py    the two sessions of one topic that differ most, judged alike
    describe.py            what was logged, with the design: design.py
    study_questions.py     its columns with their values, and which questions it can answer
    summary.py             measures of all sessions in one table
    precision_recall.py    precision at levels of recall
    gain_vectors.py        gains by rank beside the ideal ones
    topic_intervals.py     intervals of means by topic, and of their differences
    reformulations.py      how a query differs from the one before
    timeline.py            a session minute by minute
    agreement.py           how far judges agree
    judged_share.py        how much of what was shown is judged
    list_depths.py         how deep lists are known
    record_accounts.py     what became of every record of a log

    groups.py              which sessions stand together
    bootstrap.py           draws of users or sessions, and their intervals
    bands.py               intervals of means by slot, rank or recall, over such draws
    distribution_tails.py  of t and F
    numeric_ties.py        when two numbers are the same
    magnitude.py           values whose squares overflow or vanish
    provenance.py          how a finding was made, and the command that makes it again
    findings.py            what findings have in common: tables, words, LaTeX, Markdown
    paper_tables.py        the layouts of papers: means across, pairs with interval, p and n, curves side by side
    phrases.py             the wording of readings
    verdict.py             whether there is enough for a verdict on a difference

What compares groups goes by `compare/plan.py`. Nothing is imported here: a command pays for the analysis that it makes, not
for all.
"""
