"""What happens within sessions: curves, breakdowns, effort, ranked lists and timelines.

In come a study, and for most a measure; out go findings and tables by slot, query, rank or event. Open `breakdown.py` first.

::

    breakdown.py         Last against earlier queries; breakdown_tests.py tests the differences over users
    curve.py             Cumulated gain along sessions, and when in the session one group is ahead
    gain_vectors.py      Gains by rank beside the ideal ones (TOIS 2002)
    precision_recall.py  Precision at levels of recall, R-precision by topic, and the summary of an evaluation
    effort.py            What a gain costs in results, queries and time; effort_counts.py counts it
    timeline.py          Events in time, reformulations, session survival, and the two most different sessions of a topic
    describe.py          What was logged, with the design, and which questions the study can answer
    record_accounts.py   What became of every record of a log, and how deep lists are known

Nothing is imported here, so that a command loads only the analysis that it makes.
"""
