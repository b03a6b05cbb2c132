"""Statistics of findings: comparisons, correlations, effects, intervals and power, from the values of sessions.

``compare.py`` is the front of comparisons; ``procedures.py`` chooses the test that the design supports, and ``significance.py`` has the tests.
Nothing is imported here, so that a command loads only the analysis that it makes.
"""
