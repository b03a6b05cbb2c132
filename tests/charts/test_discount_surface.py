"""The fitted discount with what was looked at over it."""

import polars as pl
import pytest

from sessionkit.charts import discount_surface
from sessionkit.charts.kinds.discount_surface import MOST_QUERIES, MOST_RANKS
from sessionkit.errors import UsageError


def test_cells_are_what_is_expected_and_circles_what_was_seen(surface, datasets):
    (_, cells), (_, seen), (_, nobody) = datasets(discount_surface(surface(2)))
    assert len(cells) == 40
    assert {(row["rank"], row["query_position"]) for row in nobody} == {(r, q) for r in range(16, 21) for q in (1, 2)}
    assert len(seen) == 30
    at = {(row["rank"], row["query_position"]): row for row in cells}
    assert at[1, 1]["value"] == at[1, 1]["number"] == 1.0
    assert at[2, 2]["value"] == pytest.approx(0.25)  # 1000 / (2 x 2) of 1000


def test_only_so_many_places_are_drawn(datasets):
    rows = [(rank, query, 5, 5.0) for rank in range(1, 61) for query in range(1, 31)]
    frame = pl.DataFrame(rows, schema=["rank", "query_position", "observed", "expected"], orient="row")
    cells = datasets(discount_surface(frame))[0][1]
    assert len(cells) == MOST_RANKS * MOST_QUERIES


def test_several_fits_are_refused(surface):
    with pytest.raises(UsageError, match="one fit: filter the frame"):
        discount_surface(pl.concat([surface(), surface()]))
