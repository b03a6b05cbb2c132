"""Golden specifications: what each chart draws, without its data; ``GOLDEN=write`` in the environment renews them."""

import json
import os
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("kind", KINDS)
def test_chart_is_drawn_as_it_was(kind, drawing):
    spec = without_data(spec_of(drawing[kind](("S1", "S2"), title="T", subtitle="S", synthetic=True)))
    text = json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    path = PLACE / f"{kind}.json"
    if os.environ.get("GOLDEN") == "write":
        PLACE.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
