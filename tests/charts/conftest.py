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
def swept():
    """Return the map of a sweep of b (2, 20) and bq (1.5, 4, as many as there are groups): each group leads in a row."""

    def swept(groups=("S1", "S2")):
        ups = [str(number) for number in range(2, 2 + len(groups))]
        rows = [
            (
                x,
                up,
                group,
                0.1,
                0.25,
                0.04 if x == "2" else 0.5,
                x == "2",
                "holds",
                x == "2" and up == "2",
                group == groups[0],
            )
            for x in ("2", "20")
            for up, group in zip(ups, groups, strict=True)
        ]
        names = ["x", "y", "group", "margin", "relative", "p_value", "shown", "outcome", "base", "holds"]
        return pl.DataFrame(rows, schema=names, orient="row")

    return swept


@pytest.fixture
def surface():
    """Return looks of 20 ranks of some queries: expected 1000 / (rank x query), observed the same, none below rank 15."""

    def surface(queries=2):
        rows = [
            (rank, query, 1000 // (rank * query) if rank <= 15 else 0, 1000 / (rank * query))
            for query in range(1, queries + 1)
            for rank in range(1, 21)
        ]
        return pl.DataFrame(rows, schema=["rank", "query_position", "observed", "expected"], orient="row")

    return surface


@pytest.fixture
def datasets():
    """Return the data of a chart's layers by kind of mark, as lists of rows."""

    def datasets(chart):
        spec = chart.to_dict()
        return [(layer["mark"]["type"], spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"]]

    return datasets


@pytest.fixture
def losing():
    """Return the agreement and the knees of judgment loss of two measures: tau 0.7 or 0.6, 0.9 or 0.8, and 1."""

    def losing(measures=("P@5", "AP")):
        rows = [
            (
                measure,
                fraction,
                fraction,
                tau - 0.1 * place,
                tau - 0.1 * place - 0.05,
                min(1.0, tau - 0.1 * place + 0.05),
            )
            for place, measure in enumerate(measures)
            for fraction, tau in ((0.1, 0.7), (0.5, 0.9), (1.0, 1.0 + 0.1 * place))
        ]
        names = ["measure", "fraction", "judged", "tau", "tau_low", "tau_high"]
        knees = [(measure, 0.5 if place == 0 else 1.0) for place, measure in enumerate(measures)]
        return pl.DataFrame(rows, schema=names, orient="row"), pl.DataFrame(
            knees, schema=["measure", "knee"], orient="row"
        )

    return losing
