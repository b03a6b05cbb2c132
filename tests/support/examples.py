"""How many examples hypothesis tries: a twelfth of what a test asks for, all with --hypothesis-profile=thorough."""

from hypothesis import settings


def examples(most, least=3):
    """Return how many examples to try where the thorough form of a test tries `most`."""
    return max(least, most * settings.default.max_examples // 100)
