"""What one setting shows: the mean of every group, which of them leads, by how much, and with what p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.judgment_loss.order import kendall
from sessionkit.analysis.numeric_ties import settled
from sessionkit.analysis.sweep.leaders import LeaderTest, LeaderTesting
from sessionkit.analysis.sweep.setting_scores import Ground, SettingMeans
from sessionkit.errors import SessionkitError
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection


@dataclass(frozen=True)
class SettingVerdict:
    """What one setting shows.

    Parameters
    ----------
    means
        By group; None where the setting is refused.
    leader, following
        Numbers of the groups with the best and the next mean; None where there is no single best.
    tied
        Numbers of the groups that share the best mean, where several do.
    sign
        1 where the highest mean leads, -1 where the lowest does.
    tested
        The leader less the next; None where nothing is tested.
    refused
        Why there are no values.
    """

    means: SettingMeans | None
    sign: int = 1
    leader: int | None = None
    following: int | None = None
    tied: tuple[int, ...] = ()
    tested: LeaderTest | None = None
    refused: str = ""

    @property
    def margin(self) -> float | None:
        """By how much the leader's mean is better than the next one's, at least 0."""
        if self.means is None or self.leader is None or self.following is None:
            return None
        return float(self.sign * (self.means.value[self.leader] - self.means.value[self.following]))

    @property
    def raw_difference(self) -> float | None:
        """The leader's mean less the next one's: below 0 where lower is better."""
        return self.signed(self.margin)

    @property
    def relative(self) -> float | None:
        """The margin as a share of the next one's mean; None where that is 0."""
        if self.margin is None or self.means is None or not self.means.value[self.following]:
            return None
        return self.margin / abs(float(self.means.value[self.following]))

    def signed(self, size: float | None) -> float | None:
        """How far the leader is ahead, as the leader less the next."""
        return None if size is None else self.sign * size

    @property
    def against(self) -> bool:
        """Whether the test finds the other side than the means."""
        return self.tested is not None and self.tested.side is not None and self.sign * self.tested.side < 0

    def shown(self, alpha: float) -> bool | None:
        """Whether the test shows that the leader is better; None where there is no p."""
        if self.tested is None or self.tested.p_adjusted is None or self.tested.side is None:
            return None
        return not self.tested.no_verdict and self.tested.p_adjusted <= alpha and self.sign * self.tested.side > 0


@dataclass(frozen=True, eq=False)
class Looking:
    """How settings are looked at."""

    ground: Ground
    testing: LeaderTesting | None
    direction: MeasureDirection

    def looks(
        self, measures: Sequence[Measure | None]
    ) -> tuple[list[SettingVerdict | None], dict[Measure, SessionkitError]]:
        """Look at settings, in order: None where there is no measure. Beside them what the data refused."""
        found: dict[Measure, SettingVerdict] = {}
        refused: dict[Measure, SessionkitError] = {}
        for scored in self.ground.scored([measure for measure in measures if measure is not None]):
            refused |= scored.refused
            found |= {
                measure: SettingVerdict(None, self.direction.order, refused=str(error))
                for measure, error in scored.refused.items()
            }
            for column, (measure, means) in enumerate(scored.means.items()):
                look = led(means, self.direction.order)
                if self.testing is not None and scored.units is not None:
                    look = self._with_test(look, scored.units, column)
                found[measure] = look
        return [None if measure is None else found[measure] for measure in measures], refused

    def _with_test(self, look: SettingVerdict, units: GroupedSessions, column: int) -> SettingVerdict:
        """The same with the test of its leader."""
        if look.leader is None or look.following is None or self.testing is None:
            return look
        return replace(look, tested=self.testing.tested(units, column, look.leader, look.following))


def led(means: SettingMeans, sign: int) -> SettingVerdict:
    """Find who leads.

    >>> found = led(SettingMeans(np.array([1.0, 3.0, 2.0]), np.ones(3), np.zeros(3)), 1)
    >>> found.leader, found.following, found.margin, found.relative
    (1, 2, 1.0, 0.5)
    >>> led(SettingMeans(np.array([1.0, 1.0]), np.ones(2), np.zeros(2)), -1).tied
    (0, 1)
    """
    defined = np.flatnonzero(np.isfinite(means.value))
    if not len(defined):
        return SettingVerdict(means, sign)
    value = settled(means.value)
    order = defined[np.argsort(-sign * value[defined], kind="stable")]
    tied = tuple(int(at) for at in order if value[at] == value[order[0]])
    if len(tied) > 1:
        return SettingVerdict(means, sign, tied=tuple(sorted(tied)))
    return SettingVerdict(means, sign, leader=int(order[0]), following=int(order[1]) if len(order) > 1 else None)


def tau_b(one: np.ndarray, other: np.ndarray) -> float | None:
    """Kendall's tau-b of two sets of means, over the groups that both have; means that are the same tie.

    None where fewer than two are there, or one set has nothing but ties.

    >>> tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))  # two pairs agree, one does not
    0.3333333333333333
    """
    found = kendall(one, other)
    return None if np.isnan(found) else found
