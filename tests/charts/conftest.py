"""Invented frames in the shapes that sessionkit.breakdown and sessionkit.curve give."""

import polars as pl
import pytest

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    '"};window.hacked=1//',
    "datum.x",
    "{{7*7}} ${window.hacked=1} {% if %}",
    '{"signal": "window.hacked=1", "expr": "1+1"}',
    "<img src=x onerror=window.hacked=1>",
    "<!--<script>",
    "a[b].c\\'d",
    "group:N",
    "\u202eesrever\u202c \u05e9\u05dc\u05d5\u05dd",
    "line\u2028end\u2029",
    "bell\x00\x07\x1b\ufffe",
    "new\nline\ttab",
    "]]>&amp;&lt;",
    "x" * 3000,
)
"""Names that a log can hold; none may run, end its element, or stop the renderer."""


@pytest.fixture
def hostile():
    return HOSTILE


@pytest.fixture
def parts():
    """Return a breakdown of two systems to rank 20: the value is rank / 10 times 4, 1 (S1) or 5, 2 (S2)."""

    def parts(groups=("S1", "S2"), ranks=20):
        scale = {"last": 4, "non-last": 1}
        rows = [
            (group, part, rank, rank / 10 * (scale[part] + place), 60 + place, 30)
            for place, group in enumerate(groups)
            for part in scale
            for rank in range(1, ranks + 1)
        ]
        names = {"group": pl.String, "part": pl.String, "rank": pl.Int32, "value": pl.Float64}
        return pl.DataFrame(rows, schema={**names, "n_queries": pl.Int64, "n_sessions": pl.Int64}, orient="row")

    return parts


@pytest.fixture
def curves():
    """Return curves over `queries` lists of `cutoff` slots; session number p (from 1) stops after query p if `single`."""

    def curves(groups=("S1", "S2"), queries=3, cutoff=10, single=False):
        rows = []
        for place, group in enumerate(groups, 1):
            end = min(place, queries) * cutoff if single else queries * cutoff
            for slot in range(1, queries * cutoff + 1):
                query, rank = (slot - 1) // cutoff + 1, (slot - 1) % cutoff + 1
                rows.append((group, slot, query, rank, float(min(slot, end)) * place, 1.0, place, slot > end))
        names = {
            "group": pl.String,
            "slot": pl.Int32,
            "query_position": pl.Int32,
            "rank": pl.Int32,
            "value": pl.Float64,
        }
        schema = {**names, "ideal": pl.Float64, "n": pl.Int64, "stopped": pl.Boolean}
        return pl.DataFrame(rows, schema=schema, orient="row")

    return curves


@pytest.fixture
def datasets():
    """Return the data of a chart's layers by kind of mark, as lists of rows."""

    def datasets(chart):
        spec = chart.to_dict()
        return [(layer["mark"]["type"], spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"]]

    return datasets
