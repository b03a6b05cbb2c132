"""What calibrate says: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from tests.robustness.test_calibrate import TABLE
from tests.robustness.test_calibrate_counts import study
from tests.support.statements import check_sessions, require_golden, require_noticed

SINGLE = {"rank": [1, 2, 3], "query": [1, 1, 1], "count": [40, 20, 9]}
RISING = {**TABLE, "count": [4, 5, 1, 1]}
FEW = {"rank": [1, 2, 3], "query": [1, 1, 1], "count": [5, 4, 3]}
LOG = {"sessions": 3, "lists": 5, "ended": 2, "without_click": 1, "empty": 1}
"""What the small log has."""


@cache
def findings():
    """Counts that tell both bases, one, or nothing; two models that can be compared; a log by last click and by clicks."""
    tables = [(TABLE, ["sDCG@10", "sDCG(like=srbp2019)@10"]), (SINGLE, "sDCG@10"), (RISING, "sDCG"), (FEW, "sDCG@3")]
    of_tables = [sk.calibrate(pl.DataFrame(table), model) for table, model in tables]
    of_log = [sk.calibrate(study(), "sDCG", draws=200), sk.calibrate(study(), "sDCG", signal="clicks", draws=200)]
    cut = study(sessions={"timed_out": [False, True, None]}, status=[(("s3", 4), "not_logged")])
    options = {"where": "session_id <> 's1'", "cut_short": "timed_out", "draws": 200}
    return [*of_tables, *of_log, sk.calibrate(cut, "RBP", units="sessions", **options)]


def check(finding, statement):  # noqa: C901, PLR0912, PLR0915 - a case for each kind
    """Assert that the values of a statement are those of the tables."""
    values = statement.values
    number = next(number for number, each in enumerate(findings()) if each is finding)
    fit = {name: values.get(name) for name in ("model", "criterion")}
    rows = finding.table.filter(pl.col(name).eq_missing(pl.lit(value, pl.String)) for name, value in fit.items())
    likelihood = finding.fits.filter(criterion="likelihood", model=str(values.get("model")))
    match statement.kind:
        case "not_identified":
            one_query = finding.expected["query_position"].max() == 1
            assert values["one_query"] == one_query
            if values["criterion"] is None:
                rows = finding.table.filter(model=values["model"], criterion="KL")
            (row,) = rows.filter(parameter=values["parameter"]).rows(named=True)
            notes = {
                "canceled": "cancels", "flat": "other values", "open": "no end", "lower_end": "lower end",
                "upper_end": "upper end",
            }  # fmt: skip
            assert not row["identified"]
            assert notes.get(values["reason"], "?") in row["note"]
            assert values["estimate"] == (row["estimate"] if values["reason"].endswith("_end") else None)
        case "bounded":
            (row,) = rows.filter(parameter=values["parameter"]).rows(named=True)
            assert values["limit"] == ("lower" if row["low"] is None else "upper")
            assert row["low" if values["limit"] == "lower" else "high"] is None
        case "depends_on_grid":
            grids = finding.grids.filter(model=values["model"], criterion=values["criterion"])
            sizes = sorted(grids.select("ranks", "queries").unique().rows(), key=lambda size: -size[0] * size[1])
            assert values["grids"] == [list(size) for size in sizes]
            ranges = {
                name: [part["estimate"].min(), part["estimate"].max()]
                for (name,), part in grids.group_by("parameter", maintain_order=True)
            }
            assert values["ranges"] == ranges
        case "counts":
            expected = {"signal": finding.signal, "min_dwell": finding.min_dwell, "unmarked": finding.unmarked}
            if finding.signal == "counts":
                table = pl.DataFrame([TABLE, SINGLE, RISING, FEW][number])
                first = table.filter(rank=1)
                expected |= {
                    "min_dwell": None, "unmarked": None, "looks": table["count"].sum(), "lists": first["count"].sum(),
                    "sessions": first.filter(query=1)["count"].sum(), "without": None,
                }  # fmt: skip
            else:
                left_out = {"sessions": 1, "lists": 2} if number == len(findings()) - 1 else {"sessions": 0, "lists": 0}
                n_lists = LOG["lists"] - left_out["lists"]
                expected |= {
                    "looks": None, "lists": n_lists, "sessions": LOG["sessions"] - left_out["sessions"],
                    "without": LOG["without_click"],
                }  # fmt: skip
            assert dict(values) == expected
        case "rising_counts":
            places = {row[:2]: row[2] for row in pl.DataFrame(RISING).rows()}
            assert values["looks"] == sum(places.values())
            rank, query = values["rank"], values["query_position"]
            assert (places.get((rank, query)), places.get((rank - 1, query))) == (values["count"], values["before"])
            assert values["count"] > values["before"]
        case "censored":
            last = {"lists": 2, "continued": 1, "cut_short": 1, "column": "timed_out"}
            none = {"lists": 0, "continued": 0, "cut_short": 0, "column": None}
            of_log = {**none, "lists": LOG["ended"]}
            assert dict(values) == (none if finding.signal == "counts" else of_log if number < 6 else last)
        case "caution":
            assert values["signal"] == finding.signal == "last_click"
        case "without_results":
            assert values["queries"] == LOG["empty"]
        case "intervals":
            expected = {"": "table", "users": "several_sessions", "sessions": "sessions"}
            assert values["reason"] == expected[finding.units]
        case "observed":
            looks = finding.examined.filter(rank=1)["looks"].to_list()
            second = finding.examined.filter(rank=2)["looks"].sum()
            if finding.signal == "counts":
                on_query_2 = looks[1] / looks[0] if len(looks) > 1 else 0
                assert values["reach_rank_2"] == pytest.approx(second / sum(looks), abs=1e-6)
                assert values["reach_query_2"] == pytest.approx(on_query_2, abs=1e-6)
            elif number < 6:  # of four lists that had a second rank three were looked at there
                assert values["reach_rank_2"] == pytest.approx(3 / 4)
                assert values["reach_query_2"] == pytest.approx(2 / 3, abs=1e-6)
            else:
                assert (values["reach_rank_2"], values["reach_query_2"]) == (1.0, 1.0)
        case "fit":
            rows = finding.table.filter(model=values["model"], criterion="likelihood", identified=True)
            names = ("parameter", "estimate", "low", "high", "interval")
            assert values["parameters"] == rows.select(names).to_dicts()
            assert likelihood.select("reach_rank_2", "reach_query_2").row(0) == (
                values["reach_rank_2"],
                values["reach_query_2"],
            )
            assert values["form"] == likelihood["form"].item()
        case "misfit":
            (seen,) = finding.of_kind("observed")
            missed = [
                name
                for name, column in (("rank 2", "reach_rank_2"), ("query 2", "reach_query_2"))
                if (expected := likelihood[column].item()) is not None
                and abs(expected - seen.values[column]) > values["gap"]
            ]
            assert (values["places"], values["gap"]) == (missed, 0.05)
        case "other_criteria":
            others = finding.fits.filter(pl.col("criterion") != "likelihood", pl.col("measure").is_not_null())
            fits = [
                {"criterion": row["criterion"], "measure": row["measure"], "distance": row[row["criterion"]]}
                for row in others.iter_rows(named=True)
            ]
            assert values["count"] == len(fits)
            assert [{**fit, "distance": pytest.approx(fit["distance"], abs=1e-9)} for fit in fits] == values["fits"]
        case "best_model":
            aic = dict(finding.fits.filter(criterion="likelihood").sort("aic").select("model", "aic").rows())
            assert values["model"] == next(iter(aic))
            behind = {model: aic[model] - min(aic.values()) for model in [*aic][1:]}
            assert values["aic"] == pytest.approx(behind, abs=1e-5)
        case "measures":
            assert values["measures"] == list(finding.measures)
        case "scope":
            assert statement is finding.statements[-1]
        case "sessions":
            check_sessions(finding, statement, 2, 3)


def test_says_every_kind():
    require_golden("calibrate", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
