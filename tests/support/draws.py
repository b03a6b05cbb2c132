"""Fewer random draws in figures and reports that have no option for them; what is asserted holds for any number of draws."""

from functools import partial
from importlib import import_module

FEWER = {
    ("sessionkit.robustness.judge_noise", "judge_noise"): {"draws": 10},
    ("sessionkit.robustness.judgment_loss", "judgment_loss"): {"draws": 2},
    ("sessionkit.statistics.power", "power"): {"draws": 200, "component_draws": 50},
    ("sessionkit.reports.extra_parts", "judge_noise"): {"draws": 10},
    ("sessionkit.reports.extra_parts", "told_apart"): {"draws": 999},
    ("sessionkit.reports.extra_parts", "plan_of"): {"draws": 200, "component_draws": 50},
}
"""Functions that figures import as they draw, and those of the extra parts of a report; the draws that they then take."""


def draw_less(monkeypatch):
    """Let figures and extra parts of reports draw less at random for the length of a test."""
    for (home, name), draws in FEWER.items():
        module = import_module(home)
        monkeypatch.setattr(module, name, partial(getattr(module, name), **draws))
