"""The size of a study in plain language: what varies, what is needed for which claim, and what cannot be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessionkit.analysis.planning.chances import RANGE, Chance
from sessionkit.analysis.planning.ladder import Smallest
from sessionkit.analysis.planning.noise import Noise
from sessionkit.analysis.planning.sizes import Size

NAMES = {
    "user": "users", "topic": "topics", "session": "sessions", "group:user": "what groups do to users",
    "group:topic": "what groups do to topics", "residual": "the rest",
}  # fmt: skip
CAVEAT = (
    "Values are simulated as normal, of the same design and with as many sessions per user as now; a difference that this study "
    "found is no reason to declare it."
)
UNKNOWN = (
    "Mind: the study cannot tell what topics do to groups apart from the rest, and it is taken as nothing: for claims about "
    "topics the numbers of users are too small."
)


@dataclass(frozen=True)
class Told:
    """What a reading of one plan needs."""

    measure: str
    design: str
    difference: float
    share: float | None
    target: float
    alpha: float


def opening(of: Told, noise: Noise, now: Sequence[tuple[str, str, Size, Chance]]) -> list[str]:
    """Say what is planned for, from what, and what the present size would find."""
    relative = f" ({of.share:.1%} of the first group's mean)" if of.share is not None else ""
    told = [
        f"Design: {of.design}.",
        f"Planned for: a true difference of {of.difference:.4g} in {of.measure}{relative}, found at {100 * of.alpha:g} % with a chance "
        f"of {of.target:g}. Power is averaged over what the components may be; in brackets stands the range that holds "
        f"{RANGE:.0%} of them.",
    ]
    parts = []
    for name in noise.names:
        estimate, draws = noise.of(name)
        ordered = sorted(draws**0.5)
        low, high = (ordered[round(share * (len(ordered) - 1))] for share in ((1 - RANGE) / 2, (1 + RANGE) / 2))
        parts.append(f"{NAMES.get(name, name)} {estimate**0.5:.3g} ({low:.3g} to {high:.3g})")
    told.append(f"What varies, as sd of a session: {', '.join(parts)}.")
    if noise.sampled:
        told.append(f"Components are estimated from {noise.sampled:,} users taken at random.")
    for claim, test, size, chance in now:
        told.append(
            f"Claim about {claim} like these: a study like this one, {_size(size)}, has power {_power(chance)}; {test}."
        )
    return told


def needed(of: Told, found: Smallest) -> str:
    """Say what reaches the target for one claim and number of topics, or that nothing does."""
    beside = f" with {found.topics:,} topics" if found.topics and found.claim == "topics" else ""
    claim = f"Claim about {found.claim} like these{beside}"
    if found.limit is not None and found.limit.power < of.target:
        return (
            f"{claim}: no number of users reaches {of.target:g}: were there users without end, power would be "
            f"{_power(found.limit)}. Only more topics help."
        )
    axis = "users" if found.limit is not None else found.claim
    if found.size is None:
        return f"{claim}: {of.target:g} is not reached with up to {found.most:,} {axis}."
    sure = f"it takes {_size(found.sure)}" if found.sure is not None else f"up to {found.most:,} {axis} do not do"
    return f"{claim}: {_size(found.size)} reach {of.target:g}. For 19 in 20 of what the components may be {sure}."


def _size(size: Size | None) -> str:
    """Say a size."""
    if size is None:
        return "none"
    parts = [(size.users, "users"), (size.topics, "topics"), (size.sessions, "sessions")]
    return ", ".join(f"{many:,} {what}" for many, what in parts if many is not None)


def _power(chance: Chance) -> str:
    """Say a power and its range."""
    return f"{chance.power:.2f} ({chance.low:.2f} to {chance.high:.2f})"
