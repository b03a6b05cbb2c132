"""Components and habits as tests want them."""

import numpy as np

from sessionkit.statistics.power_simulation import Habits, Noise, PlannedDesign

CLINIC = Habits(per_user=4, per_cell=4, users=30, topics=4, sessions=120)


def known(**sds):
    """Components known without error; an underscore stands for the colon."""
    names = tuple(name.replace("_", ":") for name in sds)
    variances = np.array(list(sds.values())) ** 2
    return Noise(names, variances, np.repeat(variances[:, None], 3, axis=1))


def planned(design, population, layout, habits, *, groups=2, studies=6_000, alpha=0.05, seed=1):
    """A plan."""
    return PlannedDesign(design, population, layout, groups, habits, alpha, studies, seed)
