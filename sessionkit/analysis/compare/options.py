"""Options that comparisons have in common, checked: level, draws, seed, correction."""

from __future__ import annotations

from dataclasses import dataclass

from sessionkit.analysis.compare.corrections import CORRECTIONS
from sessionkit.errors import UsageError, suggestion
from sessionkit.study.inference_options import FEWEST_RANDOMIZATIONS, error_rate, require_draws, require_seed


@dataclass(frozen=True)
class Options:
    """What a test may need beside its units.

    Parameters
    ----------
    alpha
        The error rate, 1 - confidence.
    draws, seed, correction
        As `sessionkit.compare` has them.
    pairs
        Pairs of groups to test, by their numbers; None, all of them.
    """

    alpha: float = 0.05
    draws: int = 9_999
    seed: int = 0
    correction: str = "none"
    pairs: tuple[tuple[int, int], ...] | None = None


def options_of(correction: str, confidence: float, draws: int, seed: int) -> Options:
    """Check the options of a comparison."""
    if correction not in CORRECTIONS:
        msg = f"correction must be one of {', '.join(CORRECTIONS)}, not {correction!r}{suggestion(str(correction), CORRECTIONS)}"
        raise UsageError(msg)
    alpha = error_rate(confidence)
    require_draws(draws, FEWEST_RANDOMIZATIONS)
    require_seed(seed)
    return Options(alpha, draws, seed, correction)
