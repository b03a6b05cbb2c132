"""What happens within sessions: curves, breakdowns, effort, ranked lists and timelines.

Each verb of `sessionkit` stands in the file of its name. Nothing is imported here, so that a command loads only the analysis that it makes.
"""
