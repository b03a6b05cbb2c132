"""Golden specifications: what each chart draws, without its data; ``GOLDEN=write`` in the environment renews them."""

import json
import os
from pathlib import Path

import pytest

from sessionkit import charts
from sessionkit.charts import KINDS, spec_of

PLACE = Path(__file__).with_name("golden")


def without_data(value):
    """A specification without the data and the names that they are under."""
    if isinstance(value, dict):
        return {
            key: {} if key == "data" else without_data(inner)
            for key, inner in value.items()
            if key not in ("datasets", "config", "$schema")
        }
    return [without_data(inner) for inner in value] if isinstance(value, list) else value


@pytest.fixture
def drawing(parts, curves, apart, swept, surface, losing):  # noqa: PLR0917 - a fixture for each kind
    """Return functions that draw each chart for some groups, by kind."""
    return apart | {
        "last-vs-nonlast": lambda groups, **options: charts.last_vs_nonlast(parts(groups), **options),
        "session-curve": lambda groups, **options: charts.session_curve(curves(groups), **options),
        "topic-curves": lambda groups, **options: charts.topic_curves(curves(groups), None, **options),
        "single-sessions": lambda groups, **options: charts.single_sessions(curves(groups, single=True), **options),
        "sweep-map": lambda groups, **options: charts.sweep_map(swept(groups), x="b", y="bq", **options),
        "discount-fit": lambda groups, **options: charts.discount_fit(surface(len(groups)), **options),
        "discount-surface": lambda groups, **options: charts.discount_surface(surface(len(groups)), **options),
        "judgment-loss": lambda groups, **options: charts.judgment_loss(*losing(groups), **options),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_chart_is_drawn_as_it_was(kind, drawing):
    spec = without_data(spec_of(drawing[kind](("S1", "S2"), title="T", subtitle="S", synthetic=True)))
    text = json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    path = PLACE / f"{kind}.json"
    if os.environ.get("GOLDEN") == "write":
        PLACE.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
