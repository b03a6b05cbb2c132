"""Measures that are none of sessionkit's go to the workers with their code, which these have not."""

import pytest

import sessionkit as sk
from sessionkit.errors import MeasureError
from sessionkit.plugins import load
from sessionkit.spark import engine
from tests.engines.logs import assert_same

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")]

PLUGIN = """
from dataclasses import dataclass
import polars as pl
import sessionkit as sk

POWER = 2

@sk.register
@dataclass(frozen=True, repr=False, kw_only=True)
class RRpower(sk.bases.TermMeasure):
    name = "RRpower"
    formula = "1 / r^power"
    own_parameters = {"power": sk.bases.Parameter("power", "a number", "how fast it falls", lambda _, value: float(value))}
    power: float = POWER

    def terms(self, lists):
        first = lists.relevant(self.min_grade).filter(pl.col("nth") == 1)
        return first.select("list", "rank", term=1 / pl.col("rank") ** self.power)

def half(gains):
    return float(sum(gains)) / POWER

sk.register(sk.define("Half", half))

class Broken(sk.bases.QueryMeasure):
    name = "Broken"
    formula = "nothing"

    def values(self, lists):
        return lists.nothing

sk.register(Broken)
"""


def test_a_file_is_sent_along_and_what_fails_there_is_named(spark, saved, tmp_path):
    path = tmp_path / "powers.py"
    path.write_text(PLUGIN, encoding="utf-8")
    load(path)
    local = sk.define("Longest", lambda lists: max(map(len, lists)), level="session")
    measures = ["mean(RRpower@3)", "mean(RRpower(power=3.0)@2)", "mean(Half(gain=exp2)@3)", local, "nDCG@3"]
    assert_same(engine.score(saved, measures, spark=spark), sk.score(saved, measures))
    with pytest.raises(MeasureError, match=r"the measure Broken \(module powers\) fails: AttributeError"):
        engine.score(saved, "Broken", per="query", spark=spark)
