"""How scores are asked for in tests that go through several ways: per query, per session, or by columns."""


def score_way(asked):
    """Return the arguments of `sessionkit.score` for ``"query"``, ``"session"``, ``"all"`` or columns."""
    return {"per": asked} if asked in ("query", "session") else {"by": None if asked == "all" else asked}
