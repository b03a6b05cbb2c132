"""How far a finding can be trusted: other discounts, fitted discounts, missing and lost judgments, other judges.

Each verb of `sessionkit` stands in the file of its name. Nothing is imported here, so that a command loads only the analysis that it makes.
"""
