"""Each setting beside the base setting: does its conclusion hold there, and do the groups keep their order?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sessionkit.analysis.sweep.verdicts import SettingVerdict

LEAD, VERDICT = "lead", "verdict"
"""The two conclusions: which group has the best mean, and what the test shows."""
OUTCOMES = {
    "holds": "the same group leads, and the test says the same",
    "weaker": "the same group leads, but the test no longer shows it",
    "stronger": "the same group leads, and now the test shows it",
    "overturned": "another group leads",
    "tied": "several groups tie for the best mean",
    "undefined": "no group, or only one, has a value",
    "refused": "the values exclude each other, or the data do not support the setting",
}


@dataclass(frozen=True)
class Conclusion:
    """What the base setting says.

    Parameters
    ----------
    base
        What it shows.
    alpha
        Error rate of the test.
    """

    base: SettingVerdict
    alpha: float

    def outcome(self, look: SettingVerdict | None) -> str:
        """One of `OUTCOMES`."""
        if look is None or look.refused:
            return "refused"
        if look.tied:
            return "tied"
        if look.leader is None or look.following is None:
            return "undefined"
        if look.leader != self.base.leader:
            return "overturned"
        was, shown = self.base.shown(self.alpha), look.shown(self.alpha)
        if was is None or was == shown:
            return "holds"
        return "stronger" if shown else "weaker"

    def leads(self, look: SettingVerdict | None) -> bool | None:
        """Whether the base setting's leader leads; None where nothing can be said."""
        if self.base.leader is None or self.base.following is None or look is None:
            return None
        if look.tied:
            return False
        return None if look.following is None else look.leader == self.base.leader

    def agrees(self, look: SettingVerdict | None) -> bool | None:
        """Whether the test says what it says at the base setting: that the same group is ahead, or that none is."""
        was = self._verdict(self.base)
        now = self._verdict(look)
        return None if was is None or now is None else was == now

    def checks(self) -> dict[str, Callable[[SettingVerdict | None], bool | None]]:
        """The conclusions that the base setting allows, by name."""
        found: dict[str, Callable[[SettingVerdict | None], bool | None]] = {}
        if self.leads(self.base) is not None:
            found[LEAD] = self.leads
        if self.agrees(self.base) is not None:
            found[VERDICT] = self.agrees
        return found

    def _verdict(self, look: SettingVerdict | None) -> int | None:
        """Number of the group shown to be ahead, -1 where none is; None where there is no test."""
        if look is None or self.base.tested is None:
            return None
        if look.tied:
            return -1
        shown = look.shown(self.alpha)
        if shown is None or look.leader is None:
            return None
        return look.leader if shown else -1
