"""Scoring: gains, discounts, ideals, judging, the engine, curves; the measures themselves are in ``measures/``."""
