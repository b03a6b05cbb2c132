"""What a measure finds under other settings, under fitted discounts and with judgments lost."""

from __future__ import annotations

import warnings

from sessionkit.analysis.calibrate.calibrate import calibrate
from sessionkit.analysis.judgment_loss.judgment_loss import judgment_loss as lose
from sessionkit.analysis.sweep.sweep import sweep
from sessionkit.errors import DataWarning
from sessionkit.reports import discount_figure, loss_figure, sweep_figure
from sessionkit.reports.choices import Choices
from sessionkit.reports.on_demand.figure import CaptionedChart
from sessionkit.study import Study

VARIED = {"b": "1.5:10:18", "bq": "1.5:10:18"}
"""What a sweep varies unless something else is asked for."""


def sweep_map(study: Study, choices: Choices) -> CaptionedChart:
    """Who leads at which setting of a measure."""
    measure = choices.exact or choices.ratio
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the reading, which is the caption, says it
        found = sweep(study, measure, choices.vary or VARIED, choices.by)
    chart = sweep_figure.drawn(found, colours=choices.colours, synthetic=choices.synthetic)
    return CaptionedChart(sweep_figure.TITLE, chart, found.reading.replace("\n", " "))


def discount_surface(study: Study, choices: Choices) -> CaptionedChart:
    """How far searchers looked, and the discount of a measure fitted to it."""
    found = calibrate(study, choices.exact or choices.measure, resamples=discount_figure.DRAWS)
    chart = discount_figure.drawn(found, synthetic=choices.synthetic)
    return CaptionedChart(discount_figure.TITLE, chart, found.reading.replace("\n", " "))


def judgment_loss(study: Study, choices: Choices) -> CaptionedChart:
    """The order of systems as judgments are lost."""
    found = lose(study, choices.exact or choices.ratio, choices.by)
    chart = loss_figure.drawn(found, synthetic=choices.synthetic)
    return CaptionedChart(loss_figure.TITLE, chart, found.reading.replace("\n", " "))
