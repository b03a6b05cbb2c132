"""The charts: each file has the function of its name, from a table to an Altair chart.

::

    last_vs_nonlast.py       Figure 1 of ECIR 2008
    session_curve.py         Figure 2
    difference_curve.py      when in the session one system is ahead
    topic_curves.py          Figure 3
    single_sessions.py       Figure 4
    sweep_map.py             which group leads at which setting of a measure
    judgment_loss.py         the order of systems as judgments are lost
    verdict_curves.py        verdicts on pairs as judgments are lost
    tipping_point.py         a difference as scored, with unjudged results skipped, and its bounds
    discount_fit.py          how far searchers looked, and as a fitted discount expects
    examination_heatmap.py   how far searchers looked, by query and rank
    power_curve.py           power by size of a study
    judge_noise.py           what judges' errors change
    discriminative_power.py  pairs of systems told apart
    gain_vectors.py          TOIS 2002, Figures 1 to 4
    precision_recall.py      eleven points
    rprecision_histogram.py  two systems by topic
    differences.py           differences between groups
    group_means.py           means of groups
    slopes.py                each unit from one group to the other
    topic_means.py           means of groups by topic
    user_topic_heatmap.py    scores by user and topic
    score_distribution.py    scores by group
    correlation_forest.py    measures against ratings
    rating_scatter.py        scores by rating
    session_card.py          one session on a page
    waterfall.py             the value of one session
    session_timeline.py      one session in time
    session_pair.py          two sessions of one topic side by side
    session_wall.py          every session as a small panel
    effort_gain.py           what a gain costs in results, queries, minutes
    session_survival.py      how many sessions go on
    reformulation_flow.py    what came after each query
"""
