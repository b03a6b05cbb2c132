"""Findings from scores: what the study looks like, average session curves, last against earlier queries.

Nothing is imported here: a command pays for the analysis that it makes, not for all.
"""
