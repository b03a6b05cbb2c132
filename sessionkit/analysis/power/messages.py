"""The size of a study in plain language: what varies, what is needed for which claim, and what cannot be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessionkit.analysis.phrases import ends, level_text
from sessionkit.analysis.power.chances import RANGE, PowerEstimate
from sessionkit.analysis.power.ladder import Smallest
from sessionkit.analysis.power.noise import Noise
from sessionkit.analysis.power.sizes import Size
from sessionkit.display.numbers import share_text
from sessionkit.display.words import counted

NAMES = {
    "user": "users", "topic": "topics", "session": "sessions", "group:user": "user-by-group interaction",
    "group:topic": "topic-by-group interaction", "residual": "residual",
}  # fmt: skip
CAVEAT = (
    "Values are simulated as normal, with this study's design and sessions per user. Declare a difference that matters, not the "
    "difference that this study found."
)
UNKNOWN = (
    "Caution: this study cannot separate the topic-by-group interaction from the residual, and it is taken as 0: for claims "
    "about topics the numbers of users are too small."
)


SURE = "95% of the plausible components"
"""What a size is sure for."""
ABSURD = "Caution: the declared difference is larger than the difference of any two sessions of this study."


@dataclass(frozen=True)
class PowerContext:
    """What a reading of one plan needs."""

    measure: str
    design: str
    difference: float
    share: float | None
    target: float
    alpha: float


@dataclass(frozen=True)
class Present:
    """What a study of the present size finds: the claim, the test, the present size, the nearest planned, and its power."""

    population: str
    test: str
    now: Size
    size: Size
    chance: PowerEstimate


def opening(of: PowerContext, noise: Noise, now: Sequence[Present]) -> list[str]:
    """Say what is planned for, from what, and what the present size would find."""
    relative = f" ({share_text(of.share)} of the first group's mean)" if of.share is not None else ""
    told = [
        f"Design: {of.design}.",
        f"Planned for: a true difference of {of.difference:.4g} in {of.measure}{relative}, detected at the "
        f"{level_text(1 - of.alpha)} level with power {of.target:g}. Power is averaged over plausible variance components; "
        f"brackets hold the range for {share_text(RANGE, 0)} of them.",
    ]
    parts = []
    for name in noise.names:
        estimate, draws = noise.of(name)
        ordered = sorted(draws**0.5)
        low, high = (ordered[round(share * (len(ordered) - 1))] for share in ((1 - RANGE) / 2, (1 + RANGE) / 2))
        parts.append(f"{NAMES.get(name, name)} {estimate**0.5:.3g} ({low:.3g} to {high:.3g})")
    told.append(f"Variance components, as sd of a session: {', '.join(parts)}.")
    if noise.sampled:
        told.append(f"Components are estimated from {counted(noise.sampled, 'user')} drawn at random.")
    for each in now:
        like = "a study like this one" if _same(each.size, each.now) else "the balanced study nearest to this one"
        reached = _power(each.chance, of.target)
        told.append(
            f"Claim about {each.population} like these: {like}, {_size(each.size)}, has power {reached}; {each.test}."
        )
    return told


def needed(of: PowerContext, found: Sequence[Smallest]) -> str:
    """Say what reaches the target for one claim, by topics where these are planned beside users, or that nothing does."""
    population = f"Claim about {found[0].population} like these: "
    if found[0].limit is None:
        return population + " ".join(_alone(of, each) for each in found)
    parts = []
    never = [each for each in found if each.limit is not None and each.limit.power < of.target]
    beyond = [each for each in found if each.size is None and each not in never]
    reached = [each for each in found if each.size is not None and each not in never]
    if never:
        limits = ", ".join(_power(each.limit, of.target) for each in never if each.limit is not None)
        parts.append(
            f"with {_listed([_topics(each) for each in never])} topics no number of users reaches power {of.target:g}: with "
            f"infinitely many users, power would be {limits}. Only more topics help."
        )
    if beyond:
        parts.append(
            f"With {_listed([_topics(each) for each in beyond])} topics power {of.target:g} is not reached by {beyond[0].most:,} users."
        )
    if reached:
        parts.append(
            f"Power {of.target:g} is reached by {_listed([_more(each.size, each.now) for each in reached], 'or')}."
        )
        sure = [each for each in reached if each.sure is not None]
        which = _listed([_size(each.sure) for each in sure], "or") if sure else f"Even {reached[0].most:,} users do not"
        parts.append(f"{which} reach it for {SURE}.")
    text = " ".join(parts)
    return population + text[0].lower() + text[1:]


def _alone(of: PowerContext, found: Smallest) -> str:
    """Say what reaches the target where users, topics or sessions alone grow."""
    beside = f"with {_topics(found)} topics " if found.topics and found.population == "topics" else ""
    if found.size is None:
        return f"{beside}power {of.target:g} is not reached by {found.most:,} {found.population}."
    sure = _size(found.sure) if found.sure is not None else f"Even {found.most:,} {found.population} do not"
    return f"{_more(found.size, found.now)} reach power {of.target:g}. {sure} reach it for {SURE}."


def _more(size: Size | None, now: Size) -> str:
    """Say a size, and how many more users and topics that is than now."""
    if size is None:
        return "none"
    parts = []
    for then, before, one in ((size.users, now.users, "user"), (size.topics, now.topics, "topic")):
        if then is not None:
            more = then - before if before is not None else 0
            told = f" ({more:,} more than now)" if more > 0 else f" ({-more:,} fewer than now)" if more < 0 else ""
            parts.append(counted(then, one) + told)
    if size.sessions is not None:
        parts.append(counted(size.sessions, "session"))
    return ", ".join(parts)


def _same(size: Size, now: Size) -> bool:
    """Whether a planned size is the present one."""
    pairs = ((size.users, now.users), (size.topics, now.topics), (size.sessions, now.sessions))
    return all(planned is None or before is None or planned == before for planned, before in pairs)


def _size(size: Size | None) -> str:
    """Say a size."""
    if size is None:
        return "none"
    parts = [(size.users, "user"), (size.topics, "topic"), (size.sessions, "session")]
    return ", ".join(counted(many, what) for many, what in parts if many is not None)


def _topics(found: Smallest) -> str:
    """Say how many topics."""
    return f"{found.topics:,}"


def _power(chance: PowerEstimate, target: float) -> str:
    """Say a power and its range; one that is too low is not rounded up to the target."""
    power = f"{chance.power:.2f}"
    if chance.power < target <= float(power):
        power = f"just below {target:g}"
    return f"{power} ({ends(chance.low, chance.high, digits=2)})"


def _listed(texts: Sequence[str], last: str = "and") -> str:
    """Join texts for a sentence; sizes, which have commas, by semicolons."""
    between = "; " if any(", " in text for text in texts) else ", "
    return (
        texts[0]
        if len(texts) == 1
        else f"{between.join(texts[:-1])}{';' if between == '; ' else ''} {last} {texts[-1]}"
    )
