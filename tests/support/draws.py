"""Fewer random draws in figures whose commands have no option for them; what is asserted holds for any number of draws."""

from functools import partial
from importlib import import_module

FEWER = {
    ("sessionkit.robustness.judge_noise", "judge_noise"): {"draws": 10},
    ("sessionkit.robustness.judgment_loss", "judgment_loss"): {"draws": 2},
    ("sessionkit.statistics.power", "power"): {"draws": 200, "component_draws": 50},
}
"""Functions that figures import as they draw, and the draws that they then take."""


def draw_less(monkeypatch):
    """Let figures draw less at random for the length of a test."""
    for (home, name), draws in FEWER.items():
        module = import_module(home)
        monkeypatch.setattr(module, name, partial(getattr(module, name), **draws))
