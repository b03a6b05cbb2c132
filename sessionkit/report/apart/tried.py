"""What a measure finds under other settings, under fitted discounts and with judgments lost."""

from __future__ import annotations

import warnings

from sessionkit.analysis.calibrate import calibrate
from sessionkit.analysis.judgment_loss import judgment_loss as lose
from sessionkit.analysis.sweep import sweep
from sessionkit.errors import DataWarning
from sessionkit.report import fitted, lost, swept
from sessionkit.report.apart.drawn import Drawn
from sessionkit.report.choices import Choices
from sessionkit.study import Study

VARIED = {"b": "1.5:10:18", "bq": "1.5:10:18"}
"""What a sweep varies unless something else is asked for."""


def sweep_map(study: Study, choices: Choices) -> Drawn:
    """Who leads at which setting of a measure."""
    measure = choices.exact or choices.ratio
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the reading, which is the caption, says it
        found = sweep(study, measure, choices.vary or VARIED, choices.by)
    chart = swept.drawn(found, colours=choices.colours, synthetic=choices.synthetic)
    return Drawn(swept.TITLE, chart, found.reading.replace("\n", " "))


def discount_surface(study: Study, choices: Choices) -> Drawn:
    """How far searchers looked, and the discount of a measure fitted to it."""
    found = calibrate(study, choices.exact or choices.measure, resamples=fitted.DRAWS)
    chart = fitted.drawn(found, synthetic=choices.synthetic)
    return Drawn(fitted.TITLE, chart, found.reading.replace("\n", " "))


def judgment_loss(study: Study, choices: Choices) -> Drawn:
    """The order of systems as judgments are lost."""
    found = lose(study, choices.exact or choices.ratio, choices.by)
    chart = lost.drawn(found, synthetic=choices.synthetic)
    return Drawn(lost.TITLE, chart, found.reading.replace("\n", " "))
