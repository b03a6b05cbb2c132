"""Doors for others: measures, formats and charts of a function, a program, a file and an installed package."""

import base64
import gzip
import hashlib
import importlib
import json
import os
import pickle
import re
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.display.terminal import guide
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError
from sessionkit.plugins import load
from sessionkit.reports.sections.method import again, plugins
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.registry import FAMILIES, MeasureRegistry
from sessionkit.spark.engine import foreign_modules
from sessionkit.statistics.findings import plugin_words
from tests.support.clinic import saved_clinic

GUIDE = guide("extending")
SQUARES = re.search(r"^\$ cat squares.py\n(.*?)(?=^```|^\$ )", GUIDE, re.MULTILINE | re.DOTALL)[1]
PYPROJECT = re.search(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)[1]
SQUARES_OF_RR = [0.25, 1.0, 0.0]
"""First relevant results at ranks 2, 1 and nowhere."""


def toy():
    """Three lists: <0,1>, <2> and <0>; the document of the last is judged, and not relevant."""
    return sk.from_tables(
        results={"session_id": ["s", "s", "s", "t"], "query_position": [1, 1, 2, 1], "rank": [1, 2, 1, 1], "doc_id": list("abcd")},
        sessions={"session_id": ["s", "t"], "topic_id": ["k", "k"], "system_id": ["A", "B"]},
        judgments={"judgment_key": ["k"] * 3, "doc_id": ["b", "c", "d"], "grade": [1, 2, 0]},
    )  # fmt: skip


@pytest.fixture
def squares(tmp_path):
    """The file of the guide."""
    path = tmp_path / "squares.py"
    path.write_text(SQUARES, encoding="utf-8")
    return path


@pytest.fixture
def offered(tmp_path, monkeypatch):
    """Install a package of one module by hand: its entry points for measures, and the code."""

    def offered(name, points, code):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[sessionkit.measures]\n" + "".join(f"{one}\n" for one in points))
        (tmp_path / f"{name}.py").write_text(code)
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, name, raising=False)
        return MeasureRegistry(FAMILIES)

    return offered


def test_a_function_of_gains_is_a_measure_of_queries():
    seen = []

    def best(gains):
        seen.append(gains.tolist())
        return gains.max() if len(gains) else None

    found = sk.score(toy(), [sk.define("Best", best)(gain="exp2"), sk.define("Best", best) @ 1], per="query")
    assert found.filter(measure="Best(gain=exp2)")["value"].to_list() == [1.0, 3.0, 0.0]
    assert found.filter(measure="Best@1")["value"].to_list() == [0.0, 2.0, 0.0]
    assert seen == [[0.0, 1.0], [3.0], [0.0], [0.0], [2.0], [0.0]]


def test_a_function_of_lists_is_a_measure_of_sessions():
    longest = sk.define("Longest", lambda lists: max(map(len, lists)), level="session", direction="lower")
    total = sk.define("Total", lambda lists: sum(gains.sum() for gains in lists), level="session")
    found = sk.score(toy(), [longest, total(duplicates="first")], per="session")
    assert found["value"].to_list() == [2.0, 3.0, 1.0, 0.0]
    assert (longest.direction, longest.level) == ("lower", "session")


def test_a_function_is_not_asked_of_a_list_without_judgments():
    study = toy()
    unjudged = study.with_tables(judgments=study.judgments.filter(pl.col("judgment_key") == "nobody"))
    never = sk.define("Never", lambda _: 1 / 0)
    with pytest.warns(DataWarning, match="no judgments for their key"):
        assert sk.score(unjudged, never, per="query")["value"].to_list() == [None] * 3
    for nothing in (None, float("nan")):
        none = sk.define("None_", lambda _, value=nothing: value)
        with pytest.warns(DataWarning, match="no value by their function"):
            assert sk.score(study, none, per="query")["value"].null_count() == 3


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            lambda _: 1 / 0,
            r"Bad: .* fails .*\[0.0, 1.0\]: ZeroDivisionError: division",
        ),
        (lambda _: "1", r"Bad: .* gives '1' .*\[0.0, 1.0\]; .*number"),
        (lambda gains: gains, r"Bad: .* gives array\(\[0., 1.\]\) .*; .*number"),
        (lambda _: float("inf"), r"Bad: .* gives inf .*\[0.0, 1.0\]; .*number"),
    ],
)
def test_a_function_that_fails_is_named_with_its_gains(function, says):
    with pytest.raises(MeasureError, match=says):
        sk.score(toy(), sk.define("Bad", function), per="query")


@dataclass
class Unhashed:
    """A function with a field that can change."""

    factor: float = 1.0

    def __call__(self, gains):
        return self.factor * len(gains)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("two words", len), "name that is a word"),
        (("column", len), "name that is a word"),
        (
            ("Good", Unhashed()),
            "Good: .*frozen dataclass: TypeError: unhashable",
        ),
        (("Good", 3), "define takes a function .*not 3"),
        (("Good", len, "group"), "query or session, not 'group'"),
        (("Good", len, "query", "up"), "higher, lower or unknown, .*'up'"),
    ],
)
def test_what_cannot_be_defined_is_said(given, says):
    name, function, *others = given
    with pytest.raises(UsageError, match=says):
        sk.define(name, function, **dict(zip(("level", "direction"), others, strict=False)))


def test_a_definition_goes_through_other_processes_and_names_its_choices():
    made = sk.define("Sum", sum)(gain=(0, 1, 10), min_grade=2) @ 5
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301
    assert str(made) == "Sum(gain=0-1-10,min_grade=2)@5"
    sk.register(sk.define("Sum", sum))
    assert sk.parse_measure("mean(Sum(gain=0-1-10,min_grade=2)@5)") == sk.mean(made)


def test_explain_shows_the_gains_and_says_that_it_is_no_sum():
    with pytest.warns(DataWarning, match="function of the gains shown"):
        found = sk.explain(toy(), sk.mean(sk.define("Best", max)(gain="exp2")), session="s")
    assert found["gain"].to_list() == [0.0, 1.0, 3.0]
    assert found["contribution"].null_count() == 3


def test_a_class_is_a_measure_with_parameters_of_its_own():
    def positive(parameter, value):
        if value <= 0:
            raise parameter.refuse(value)
        return value

    @sk.register
    @dataclass(frozen=True, repr=False, kw_only=True)
    class Scaled(sk.bases.QueryMeasure):
        name = "Scaled"
        formula = "the length of the list times a factor"
        own_parameters = {"factor": sk.bases.Parameter("factor", "a number above 0", "a factor", positive)}  # noqa: RUF012

        factor: float = 2

        def values(self, lists):
            return lists.queries["length"] * self.factor

    assert sk.score(toy(), ["Scaled", "Scaled(factor=0.5)@1"], per="query")["value"].to_list() == [
        4.0,
        0.5,
        2.0,
        0.5,
        2.0,
        0.5,
    ]
    assert str(sk.parse_measure("Scaled( factor=3.0 )@1")) == "Scaled(factor=3.0)@1"
    with pytest.raises(MeasureError, match=r"Scaled: factor .*number above 0, not 0"):
        sk.parse_measure("Scaled(factor=0)")
    with pytest.raises(UsageError, match="silent, which its text"):

        @sk.register
        @dataclass(frozen=True, repr=False, kw_only=True)
        class Silent(Scaled):
            name = "Silent"
            silent: int = 1


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            lambda lists: lists.nothing,
            r"AttributeError: .*test_plugins.py, line \d+\)",
        ),
        (lambda _: [1.0], r"Own .*gives 1 values for 3 lists"),
        (
            lambda _: [float("inf")] * 3,
            r"value inf; .* between -2\^60 and 2\^60",
        ),
        (lambda _: [None, float("nan"), -1e21], "value -1e\\+21; give a number"),
    ],
)
def test_a_class_that_fails_is_named(values, says):
    own = type(
        "Own",
        (sk.bases.QueryMeasure,),
        {"name": "Own", "formula": "", "values": lambda _, lists: values(lists), "__module__": __name__},
    )
    with pytest.raises(MeasureError, match=says):
        sk.score(toy(), own(), per="query")


@pytest.mark.parametrize(("given", "says"), [(3, "int"), (pl.DataFrame({"rank": [1], "term": [1.0]}), "rank, term")])
def test_terms_of_a_class_are_a_frame_of_three_columns(given, says):
    own = {"name": "Own", "formula": "", "terms": lambda *_: given}
    with pytest.raises(MeasureError, match=rf"terms {says}; .*list, rank and term"):
        sk.score(toy(), type("Own", (sk.bases.TermMeasure,), own)(), per="query")


def test_a_class_says_what_bounds_it_has():
    unjudged = toy()
    facts = {"name": "Last", "formula": "", "highest": 1.0, "terms": lambda _, lists: (sk.RR @ 10).terms(lists)}
    last = type("Last", (sk.bases.TermMeasure,), facts | {"bounds": "rising"})()
    study = unjudged.with_tables(judgments=unjudged.judgments.filter(pl.col("doc_id") != "d"))
    found, known = (sk.bounds(study, sk.mean(one)).bounds.drop("measure") for one in (last, sk.RR))
    assert found.equals(known)
    assert found["upper"].max() > found["value"].max()
    for bounds in ("monotone", "linear", "share"):
        with pytest.raises(MeasureError, match=f"bounds = '{bounds}'; .*None, 'fixed', 'rising'$"):
            sk.register(type("Last", (sk.bases.TermMeasure,), facts | {"bounds": bounds}))


@pytest.mark.parametrize(
    ("rows", "divisors", "says"),
    [
        ([(0, 1, float("nan"))], None, "term nan for s query 1, rank 1"),
        ([(0, 2, -1e300)], None, r"term -1e\+300 for s query 1, rank 2"),
        ([(2, 1, None)], None, "term None for t query 1, rank 1"),
        ([(1, 2, 1.0)], None, "term for s query 2, rank 2, where"),
        ([(3, 1, 1.0)], None, "term for list 3, rank 1, where"),
        ([(None, 1, 1.0)], None, "list None, rank 1, where"),
        ([(0, 1, 1.0), (0, 1, 2.0)], None, "two terms for s query 1, rank 1"),
        ([(0, 1.5, 1.0)], None, "rank .*Int64 and Float64"),
        ([], [1.0, 1.0], "2 divisors for 3 lists"),
        ([], [1.0, None, float("inf")], "divisor inf for t query 1"),
    ],
)
def test_terms_of_a_class_are_numbers_in_their_places(rows, divisors, says):
    own = {"name": "Own", "formula": "", "__module__": __name__, "divisor": lambda *_: divisors}
    own["terms"] = lambda *_: pl.DataFrame(rows, ["list", "rank", "term"], orient="row")
    made = type("Own", (sk.bases.TermMeasure,), own)()
    for asked in (lambda: sk.score(toy(), made, per="query"), lambda: sk.explain(toy(), made)):
        with pytest.raises(MeasureError, match=rf"Own \(module .*test_plugins\) gives .*{says}"):
            asked()


@pytest.mark.filterwarnings("ignore:.*looks deeper than was observed")
def test_a_measure_of_gains_takes_discounts_of_its_own():
    facts = {
        "name": "Root",
        "level": "query",
        "formula": "sum of gain / sqrt(i)",
        "source": "here",
        "__module__": __name__,
    }
    root = {"rank_discount": lambda _: 1 / pl.col("rank").cast(pl.Float64).sqrt()}
    sk.register(type("Root", (sk.bases.GainMeasure,), facts | root))
    assert sk.score(toy(), "Root(gain=exp2)", per="query")["value"].to_list() == pytest.approx([1 / 2**0.5, 3, 0])
    assert sk.explain(toy(), "Root", session="s")["contribution"].to_list() == pytest.approx([0, 1 / 2**0.5, 2])
    broken = type("Root", (sk.bases.GainMeasure,), facts | {"rank_discount": lambda _: pl.col("place")})
    with pytest.raises(UsageError, match=r"Root \(module .*\) cannot .*: ColumnNotFoundError"):
        sk.register(broken)
    endless = type("Root", (sk.bases.GainMeasure,), facts | {"rank_discount": lambda _: 1 / pl.col("rank").log()})
    with pytest.raises(UsageError, match=r"adds inf .* 1 and 0 .*ranks 1 and 2"):
        sk.register(endless)
    late = {"rank_discount": lambda _: 1 / (pl.col("rank") - 3)}
    late = type("Late", (sk.bases.GainMeasure,), facts | late | {"name": "Late"})
    study = toy()
    study = study.with_tables(results=study.results.with_columns(rank=pl.col("rank") + 1))
    said = r"the measure Late.* \(module .*test_plugins\) adds inf at rank 3 of query 1; give a number between"
    along = type("Late", (late,), {"level": "session", "__module__": __name__})() @ 3
    for asked in (
        lambda: sk.score(study, sk.mean(late())),
        lambda: sk.explain(study, late(), session="s"),
        lambda: sk.curve(study, along),
        lambda: sk.breakdown(study, along),
        lambda: sk.effort(study, along),
    ):
        with pytest.raises(MeasureError, match=said):
            asked()


def test_what_cannot_be_registered_is_said():
    chart = sk.bases.ChartKind("nothing", max)
    for given, name, says in [
        (sk.nDCG @ 5, None, "measure 'nDCG' itself; "),
        (sk.define("Good", len), "Better", "called 'Good', not 'Better'"),
        (sk.bases.ChartKind("x", "scores"), "mine", "give sk.bases.ChartKind"),
        (chart, "My Chart", "letters, digits and hyphens"),
        (chart, None, "a chart needs a name"),
        (chart, "slopes", "sessionkit has a chart 'slopes' itself"),
        (sk.bases.Format("x", len), "my-log", "letters, digits and underscores"),
        (sk.bases.Format("x", lambda path: path), "mine", "that sk.bases.frames_reader makes"),
        (sk.bases.QueryMeasure, None, "a text, not None: <class"),
        (len, "len", "chart, not <built-in function len>"),
    ]:
        with pytest.raises(UsageError, match=re.escape(says)):
            sk.register(given, name)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nDCG", "measure 'nDCG' itself"),
        ("MAP", "ir_measures calls AP MAP"),
        ("SetP", "ir_measures calls P SetP"),
        ("score", "sk.score is something"),
        ("bases", "sk.bases is something"),
    ],
)
def test_names_that_mean_something_else_are_refused(name, says, offered):
    with pytest.raises(UsageError, match=re.escape(says)):
        sk.define(name, max)
    measure = type(name, (sk.bases.QueryMeasure,), {"name": name, "formula": "nothing"})
    with pytest.raises(UsageError, match=re.escape(says)):
        sk.register(measure)
    if name != "nDCG":
        code = f"import sessionkit as sk\nOwn = type({name!r}, (sk.bases.QueryMeasure,), dict(name={name!r}, formula=''))\n"
        registry = offered("mostly", [f"{name} = mostly:Own"], code)
        with pytest.raises(UsageError, match=re.escape(says)):
            _ = registry[name]


def test_a_chart_has_no_name_of_what_draws_and_saves():
    for name in ("save", "colors-of", "data"):
        with pytest.raises(UsageError, match=r"sessionkit itself; .*chart another name"):
            sk.register(sk.bases.ChartKind("nothing", max), name)


@pytest.mark.slow
def test_workers_are_sent_what_they_cannot_have(offered):
    made = [sk.define("Most", max), sk.define("Greatest", np.max), sk.define("Own", partial(toy, 1))]
    assert foreign_modules([sk.nDCG, *made]) == ("tests",)
    assert made[-1].formula == toy.__doc__.rstrip(".")
    offered("mostly", ["Most = mostly:Most"], "import sessionkit as sk\nMost = sk.define('Most', lambda gains: 1.0)\n")
    assert foreign_modules([importlib.import_module("mostly").Most]) == ("mostly",)


def test_two_measures_of_one_text_are_not_scored_together():
    with pytest.raises(UsageError, match=r"called Peak@3; .*another name"):
        sk.score(toy(), [sk.define("Peak", max) @ 3, sk.define("Peak", min) @ 3])


def test_a_measure_is_registered_with_its_defaults():
    for changed in (sk.define("Peak", max) @ 3, sk.define("Peak", max)(gain="exp2")):
        with pytest.raises(UsageError, match="not its default; register it"):
            sk.register(changed)


@pytest.mark.parametrize("own", ["rel", "dcg", "gains", "judged_only", "relative"])
def test_a_parameter_of_ones_own_is_not_that_of_ir_measures(own):
    described = {own: sk.bases.Parameter(own, "anything", "it", lambda _, value: value)}
    facts = {
        "name": "Named",
        "formula": "nothing",
        "own_parameters": described,
        "__annotations__": {own: object},
        own: 1.0,
    }
    sk.register(dataclass(frozen=True, repr=False, kw_only=True)(type("Named", (sk.bases.QueryMeasure,), facts)))
    assert sk.parse_measure(f"Named({own}=2)").parameters()[own] == 2.0


def test_what_sessionkit_has_is_found_without_a_look_at_packages(monkeypatch):
    monkeypatch.setattr(metadata, "entry_points", None)
    registry = MeasureRegistry(FAMILIES)
    assert registry["nDCG"] is sk.nDCG
    assert "AP" in registry
    with pytest.raises(TypeError):
        _ = "nothing" in registry


def test_a_package_offers_a_measure_by_its_name(offered):
    code = "import sessionkit as sk\nMost = sk.define('Most', max)\n"
    registry = offered("mostly", ["Most = mostly:Most"], code)
    assert str(registry["Most"] @ 3) == "Most@3"
    assert list(registry)[-1] == "Most"
    assert "Most" not in list(registry.own)
    with pytest.raises(KeyError):
        _ = registry["Least"]
    with pytest.warns(DataWarning, match=r"mostly 1.0 .*measure 'Most'.*; .*module \w+ is"):
        registry.add("Most", sk.define("Most", sum))


@pytest.mark.parametrize(
    ("point", "code", "says"),
    [
        ("Most = mostly:Most", "import nowhere", r"'Most', .*\(mostly:Most\), .*: ModuleNotFoundError"),
        ("Most = mostly:Other", "", "AttributeError: .*'mostly' .*'Other'"),
        ("Most = mostly:Most", "Most = 3", r"mostly 1.0 \(mostly:Most\) .*measure 'Most': 3 "),
        ("Most = mostly:Most", "import sessionkit as sk\nMost = sk.define('most', max)", "called 'most', not 'Most'"),
        ("Most = mostly:Most", "raise SystemExit(3)", "be loaded: SystemExit: 3"),
    ],
)  # fmt: skip
def test_a_broken_package_is_named_and_left_out_of_lists(offered, point, code, says):
    registry = offered("mostly", [point], code)
    with pytest.raises(UsageError, match=says):
        _ = registry["Most"]
    with pytest.warns(DataWarning, match=rf"{says}.*it is left out"):
        assert list(registry) == list(registry.own)


def test_a_broken_package_is_no_attribute(offered, monkeypatch):
    registry = offered("mostly", ["Most = mostly:Most"], "print('loud')\nimport nowhere")
    monkeypatch.setattr("sessionkit.scoring.measures.registry.MEASURES", registry)
    assert not hasattr(sk, "Most")
    with pytest.raises(AttributeError, match=r"package mostly 1.0 .* cannot be loaded"):
        _ = sk.Most


def test_what_a_plugin_prints_is_no_output(offered, tmp_path, capsys):
    code = "import sessionkit as sk\nprint('loud')\nMost = sk.define('Most', max)\n"
    assert str(offered("mostly", ["Most = mostly:Most"], code)["Most"]) == "Most"
    path = tmp_path / "loud.py"
    path.write_text("print('louder')\n")
    with pytest.warns(DataWarning, match="loud.py registers nothing; "):
        load(path)
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "loud\nlouder\n")


def test_two_packages_of_one_name_and_a_name_of_sessionkit(offered):
    code = "import sessionkit as sk\nMost = sk.define('Most', max)\nnDCG = sk.define('nDCG', max)\n"
    offered("mostly", ["Most = mostly:Most", "nDCG = mostly:nDCG"], code)
    registry = offered("mainly", ["Most = mainly:Most"], code)
    with pytest.raises(UsageError, match=r"package \w+ 1.0 .* package \w+ 1.0 .*both .*measure 'Most'"):
        _ = registry["Most"]
    with pytest.warns(DataWarning) as told:
        assert list(registry) == list(registry.own)
    assert any("measure 'nDCG', which sessionkit has" in str(one.message) for one in told)


@pytest.mark.slow
def test_a_file_gives_a_measure_a_format_and_a_chart(squares, tmp_path, capsys):
    load(squares)
    assert sk.score(toy(), "RRsq@10", per="query")["value"].to_list() == SQUARES_OF_RR
    assert sk.explain(toy(), "RRsq")["contribution"].to_list() == [0.0, 0.25, 1.0, 0.0]
    log = tmp_path / "log.txt"
    log.write_text("s ~ a\ns ~ b\nt ~ c\n")
    study = sk.read(log)
    assert (study.reader, study.results.collect().select("session_id", "rank", "doc_id").rows()) == (
        "pairs",
        [("s", 1, "a"), ("s", 2, "b"), ("t", 1, "c")],
    )
    packed = tmp_path / "log.txt.gz"
    packed.write_bytes(gzip.compress(log.read_bytes()))
    assert sk.read(packed).results.collect().rows() == study.results.collect().rows()
    log.write_bytes(b"\xef\xbb\xbfs ~ a\r\n\r\ns ~ b ~ c\r\nt\r\n")
    with pytest.warns(DataWarning, match=r"2 .*: line_has_two_fields 2"):
        broken = sk.read(log, format="pairs")
    assert broken.rejected.collect().select("line", "record", "raw").rows() == [(3, 3, "s ~ b ~ c"), (4, 4, "t")]
    assert broken.results.collect().select("session_id", "rank", "doc_id").rows() == [("s", 1, "a")]
    log.write_bytes(b"\xff ~ a\n")
    with pytest.raises(DataError, match=r'log.txt .*UTF-8 \(line 1\); .*"latin-1"'):
        sk.read(log, format="pairs")
    assert "mean-bars" in sk.charts.KINDS
    assert sk.charts.mean_bars(toy(), [sk.mean(sk.RRsq)], "system_id").to_dict()["mark"]["type"] == "bar"


@pytest.mark.slow
def test_a_reader_is_told_which_columns_it_lacks(tmp_path):
    log, results = (
        tmp_path / "log.txt",
        {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
    )
    log.write_text("anything\n")

    def read_as(**tables):
        sk.register(sk.bases.Format("made", sk.bases.frames_reader(lambda _: tables)), "made")
        return sk.read(log, format="made")

    said = r"log.txt cannot be read as made \(module .*\): "
    with pytest.raises(DataError, match=said + r"results .*doc_id; .*'docid'\?; .*, docid"):
        read_as(results={"docid" if name == "doc_id" else name: cells for name, cells in results.items()})
    with pytest.raises(DataError, match=said + r".*judgment_key; .*doc_id, grade"):
        read_as(results=results, judgments={"doc_id": ["a"], "grade": [1]})
    study = read_as(results=results, judgments={"topic_id": ["t"], "doc_id": ["a"], "grade": [1]})
    assert sk.score(study, "DCG", per="query")["value"].to_list() == [1.0]
    two = {name: cells * 2 for name, cells in results.items()}
    with pytest.warns(DataWarning, match=r"1 .*: rank_is_at_least_1 1"):
        study = read_as(results=two | {"rank": [1, -1], "line": [6.0, 7.0], "raw": ["a", "s a"], "rule": ["", ""]})
    assert study.rejected.collect().select("line", "rule", "raw").rows() == [(7, "rank_is_at_least_1", "s a")]
    for name, value, words in [
        ("line", pl.Series([2**63]), "column line .* from 1 on"),
        ("line", [1.5], "column line .*no number"),
        ("line", [None], "column line .*no number"),
        ("raw", [b"s a"], "column raw holds Binary; .*text"),
        ("raw", [{"a": 1}], r"column raw holds Struct\({'a': Int64}\); .*text"),
        ("rule", [True], "column rule holds Boolean; .*text"),
    ]:
        with pytest.raises(DataError, match=f"{said}its {words}"):
            read_as(results=pl.DataFrame(results | {name: value}))


def test_a_format_of_sessionkit_goes_before_those_of_others(tmp_path):
    sk.register(sk.bases.Format("all", sk.bases.frames_reader(dict), lambda _: True), "everything")
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 a 1 2.0 tag\n1 Q0 b 2 1.0 tag\n")
    with pytest.warns(DataWarning, match=r"run.txt .* trec_run, .*everything.* --"):
        assert sk.read(run).reader == "trec_run"


def test_a_file_of_an_installed_package_is_no_plugin(offered, tmp_path):
    offered("mostly", ["Most = mostly:Most"], "Most = 3\n")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "mostly.py").write_text("Most = 3\n")
    with pytest.raises(UsageError, match=r"mostly 1.0 \(mostly:Most\) .*--plugin out"):
        load(tmp_path / "source" / "mostly.py")


OWN_ERROR = """from sessionkit.errors import UsageError
class Own(UsageError):
    def __init__(self, one, two):
        super().__init__(one)
raise Own("mine", 2)
"""


def test_files_that_are_no_plugins_are_refused(tmp_path, capsys):
    for name, code, says in [
        ("nothing.py", None, "no such file"),
        ("my-plugin.py", "", "file of Python whose name"),
        ("polars.py", "", "there is a module 'polars' already"),
        ("__init__.py", "", r"\(pip install -e FOLDER\)"),
        ("crooked.py", "\n1 / 0", r"{path} fails: ZeroDivisionError: .* \(crooked.py, line 2\)"),
        (
            "same.py",
            "import sessionkit as sk\nsk.register(sk.define('nDCG', len))",
            "same.py, line 2: sessionkit has .*'nDCG'",
        ),
        ("unclear.py", "def", "the plugin {path} fails: SyntaxError"),
        ("own_error.py", OWN_ERROR, "own_error.py, line 5: mine"),
    ]:
        path = tmp_path / name
        if code is not None:
            path.write_text(code)
        assert main(["measures", "--plugin", str(path)]) == 2
        assert re.search(says.format(path=re.escape(str(path))), capsys.readouterr().err)
    assert "crooked" not in sys.modules
    assert main(["measures", "--plugin"]) == 2
    assert "--plugin is not followed" in capsys.readouterr().err


def test_a_plugin_imports_what_lies_beside_it(tmp_path):
    (tmp_path / "gains_beside.py").write_text("def best(gains):\n    return gains.max()\n")
    (tmp_path / "beside.py").write_text(
        "import sessionkit as sk\nfrom gains_beside import best\nsk.register(sk.define('Best', best))\n"
    )
    before = list(sys.path)
    load(tmp_path / "beside.py")
    assert sk.score(toy(), "Best", per="query")["value"].to_list() == [1.0, 2.0, 0.0]
    assert sys.path == before
    (tmp_path / "other.py").write_text(
        f"import sys\nsys.path[:] = {before}\nimport sessionkit as sk\nsk.register(sk.define('Other', len))\n"
    )
    load(tmp_path / "other.py")
    assert sys.path == before, "which the file itself had set back"
    sys.path.insert(1, str(tmp_path))
    (tmp_path / "third.py").write_text("import sessionkit as sk\nsk.register(sk.define('Third', len))\n")
    load(tmp_path / "third.py")
    assert sys.path.pop(1) == str(tmp_path), "at its place"
    assert sys.path == before


@pytest.mark.parametrize("ending", ["1 / 0", "raise KeyboardInterrupt"])
def test_what_fails_halfway_leaves_nothing_behind(tmp_path, ending):
    half = sk.register(sk.define("Half", lambda gains: gains.sum()))
    code = "import sessionkit as sk\nsk.register(sk.define('Half', lambda gains: 1))\nsk.register(sk.define('Halved', len))\n"
    (tmp_path / "halfway.py").write_text(code + ending)
    with (
        pytest.warns(DataWarning, match="module halfway is used"),
        pytest.raises((UsageError, KeyboardInterrupt)),
    ):
        load(tmp_path / "halfway.py")
    assert "halfway" not in sys.modules
    assert sk.parse_measure("Half") == half
    with pytest.raises(MeasureError, match="there is no measure 'Halved'"):
        sk.parse_measure("Halved")


def test_of_two_files_with_one_name_the_later_is_used(tmp_path):
    for number, name in enumerate(("earlier", "later"), 1):
        code = f"import sessionkit as sk\nsk.register(sk.define('Same', lambda gains: {number}))\n"
        (tmp_path / f"{name}.py").write_text(code * 2)  # one file may, as a cell of a notebook does
    load(tmp_path / "earlier.py")
    with pytest.warns(DataWarning, match=r"earlier .*measure 'Same' .*module later"):
        load(tmp_path / "later.py")
    assert sk.score(toy(), "Same", per="query")["value"].to_list() == [2.0] * 3


@pytest.mark.slow
def test_a_chart_has_the_colors_of_the_groups_and_its_own_config(tmp_path):
    def draw(study, measures, by):
        bars = alt.Chart(sk.score(study, measures, by=by)).mark_bar().encode(x="value:Q", color=f"{by}:N", fill="n:N")
        return (bars + bars.encode(stroke=alt.Stroke(by, scale=None))).configure_axis(labelFontSize=20)

    sk.register(sk.bases.ChartKind("means", draw, "mean(RR)"), "own-means")
    assert (
        main(["chart", "own-means", str(toy().save(tmp_path / "study").path), "--output", str(tmp_path / "x.json")])
        == 0
    )
    made = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert made["config"]["axis"]["labelFontSize"] == 20
    scale = {"domain": ["A", "B"], "range": [*sk.charts.colors_of(["A", "B"]).values()]}
    layers = [layer["encoding"] for layer in made["layer"]]
    assert [layer["color"].get("scale") for layer in layers] == [scale] * 2
    assert "scale" not in layers[0]["fill"], "no colors of groups, which may be fewer"
    assert layers[1]["stroke"]["scale"] is None, "its own"
    numbers = toy().with_tables(sessions=toy().sessions.with_columns(level=pl.Series([10, 2])))
    chart = single_figure(numbers, "own-means", by="level").chart.to_dict()
    layer = chart["layer"][0]
    assert layer["encoding"]["color"]["scale"] == scale | {"domain": [2, 10]}, "numbers, in their order"


def test_an_unknown_argument_of_read_is_said(tmp_path):
    with pytest.raises(UsageError, match=r"takes no sep; .*study.toml"):
        sk.read(tmp_path, sep="!")


def test_the_command_of_a_finding_names_the_plugin(squares):
    load(squares)
    made = sk.compare(toy(), "mean(RRsq)").provenance
    assert made.command.split()[1:6] == ["--plugin", str(squares), "compare", "STUDY", "'mean(RRsq)'"]
    digest = hashlib.sha256(squares.read_bytes()).hexdigest()
    assert made.table.rows()[1] == ("plugins", f"squares (squares.py, sha256 {digest})")
    assert sk.compare(toy(), "mean(RR)").provenance.plugins == ()


@pytest.fixture
def imported(squares, monkeypatch):
    """The plugin as a module that Python imports, and what a finding says of it."""
    name = f"squares_{os.getpid()}"
    squares.with_name(f"{name}.py").write_text(f"__version__ = '2.1'\n{SQUARES}")
    monkeypatch.syspath_prepend(str(squares.parent))
    monkeypatch.delitem(sys.modules, name, raising=False)  # that of another test
    of = importlib.import_module(name)
    return of, f"{name} 2.1 ({name}.py, sha256 {hashlib.sha256(Path(of.__file__).read_bytes()).hexdigest()})"


def read_by_plugin(squares):
    """A log that the plugin reads."""
    (log := squares.with_name("log.txt")).write_text("s ~ a\n")
    return sk.read(log, format="pairs")


@pytest.mark.slow
def test_findings_name_modules_that_were_imported(squares, imported):
    of, said = imported
    name = of.__name__
    made = sk.compare(toy(), sk.mean(of.RRsq())).provenance
    assert made.plugins == (said,)
    assert f"--plugin {name}.py compare " in made.command
    assert "'mean(RRsq)'" in made.command
    assert read_by_plugin(squares).notes[0] == f"read by the module {said}"
    used = plugins([sk.mean(of.RRsq())])
    assert said in map(str, used)
    assert f"--plugin {name}.py report STUDY" in again([], {}, plugin_words(used))
    alone = sk.compare(toy(), sk.mean(sk.define("Own", lambda gains: gains.sum()))).provenance
    assert (alone.plugins[0].split()[0], alone.command) == ("tests.test_plugins", None), "in no file for --plugin"


@pytest.mark.slow
def test_a_redacted_page_counts_modules_that_were_imported(squares, imported):
    of, _ = imported
    study = replace(toy(), notes=read_by_plugin(squares).notes)
    page = sk.report(study.save(squares.with_name("study")), sk.mean(of.RRsq()), redact="users")
    assert "--plugin PLUGIN report STUDY" in page
    assert "of others: 1 module." in page
    assert of.__name__ not in page


TYPED_WITH_PLUGIN = [
    ("--plugin evil.py sco", "score"),
    ("--plugin=evil.py sco", "score"),
    ("--plugin = evil.py sco", "score"),  # bash takes --plugin=evil.py apart
    ("score study --plugin evil.py nDCG_", "nDCG_jiang2016"),
    ("score --plugin = evil.py study nDCG_", "nDCG_jiang2016"),
    ("chart --plugin evil.py effort-gain study --outp", "--output"),
    ("help --plugin 'evil.py' meas", "measures"),
    ("formats --plugin ./evil.py --plugin evil.py ub", "ubi"),
    ("--plugin evil.py score study RRs", None),
    ("score study RRsq --plugin evil.py", None),
    ("score study RRsq --plugin=", None),
]
"""What is typed, and what a shell offers in place of its last word; None for nothing."""


@pytest.mark.few(11)
@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(("typed", "offered"), TYPED_WITH_PLUGIN)
def test_completing_a_line_does_not_run_its_plugin(typed, offered, shell, tmp_path, *, capsys, monkeypatch):
    ran = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(
        f"open({str(ran)!r}, 'w')\nimport sessionkit as sk\nRRsq = sk.define('RRsq', max)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_SESSIONKIT_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS"):
        monkeypatch.setenv(name, f"sessionkit {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    main([])
    printed = capsys.readouterr()
    assert not ran.exists()
    assert printed.err == ""
    assert offered in printed.out if offered else "RRsq" not in printed.out


def wheel(folder):
    """Build a wheel of the package in a folder, as a build backend would: its file, its metadata and its entry points."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    info = f"{name}-{version}.dist-info"
    points = "".join(
        f"[{group}]\n" + "".join(f"{one} = {where}\n" for one, where in found.items())
        for group, found in project["entry-points"].items()
    )
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: sessionkit tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/entry_points.txt"] = points
    digests = {path: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()) for path, text in files.items()}
    rows = [
        f"{path},sha256={digest.decode().rstrip('=')},{len(files[path].encode())}" for path, digest in digests.items()
    ]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""])
    made = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made


INSTALLED = """
import contextlib, io, json, os, pathlib, sys
from importlib import metadata
import sessionkit as sk
from sessionkit.cli import main

def run(*words, **environment):
    os.environ.update(environment)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as err:
        status = main([*map(str, words)])
        out.flush()
    for name in environment:
        del os.environ[name]
    return [status, out.buffer.getvalue().decode() if status == 0 else err.getvalue()]

def completed(line):
    return run(_SESSIONKIT_COMPLETE="complete_bash", COMP_WORDS=f"sessionkit {line}", COMP_CWORD=str(len(line.split())))[1].split()

study, log = sys.argv[1:3]
looked = []
every = metadata.entry_points
metadata.entry_points = lambda group: looked.append(group) or every(group=group)
known = [run("score", study, "nsDCG@10")[0], run("chart", "session-curve", study, "--output", "curve.json")[0]]
known.append([group for group in looked if group.startswith("sessionkit")])
print(json.dumps({
    "known": known,
    "score": run("score", study, "mean(RRsq@10)", "--format", "csv"),
    "explain": run("explain", study, "RRsq@10", "--session", "c002", "--format", "csv"),
    "compare": run("compare", study, "mean(RRsq@10)")[0],
    "provenance": run("compare", study, "mean(RRsq@10)", "--table", "provenance", "--format", "csv"),
    "ingest": run("ingest", log, "--out", "pairs"),
    "chart": [run("chart", "mean-bars", study, "--output", "bars.svg"), pathlib.Path("bars.svg").exists()],
    "listed": ["RRsq" in run("measures")[1], "pairs" in run("formats")[1], "mean-bars" in run("chart", "--help")[1]],
    "described": ["Squares:" in run("formats", "pairs")[1], "1 / r^2" in run("measures", "RRsq")[1]],
    "help": run("help", "mean-bars")[1],
    "completed": [completed("score study RRs"), completed("formats pai"), completed("chart mean-")],
    "report": [
        run("report", study, "mean(RRsq@10)", "--output", "page.html")[0],
        pathlib.Path("page.html").read_text().count("RRsq@10) by the module"),
        pathlib.Path("page.html").read_text().count("Measures and charts of others: squares 0.1 (squares.py, sha256"),
    ],
    "python": [str(sk.RRsq @ 3), "pairs" in sk.FORMATS, "mean-bars" in sk.charts.KINDS, "RRsq" in sk.__all__],
}))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the package of the guide does once it is built and installed, beside nothing that was registered."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "squares.py").write_text(SQUARES, encoding="utf-8")
    (folder / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (folder / "log.txt").write_text("s ~ a\ns ~ b\nt ~ c\n")
    target = folder / "installed"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-index",
        "--no-deps",
        "--target",
        str(target),
        str(wheel(folder)),
    ]
    subprocess.run(pip, check=True, capture_output=True)
    words = [sys.executable, "-W", "ignore", "-c", INSTALLED, str(saved_clinic()), str(folder / "log.txt")]
    root = Path(sk.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), str(root)])}
    (folder / "elsewhere").mkdir()
    done = subprocess.run(words, cwd=folder / "elsewhere", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_a_package_of_some_lines_works_once_it_is_installed(answers):
    assert len([line for line in SQUARES.splitlines() if line.strip()]) < 35
    assert answers["known"] == [0, 0, []], "what sessionkit has itself needs no look at packages"
    status, scores = answers["score"]
    squares = sk.score(sk.open_study(saved_clinic()), "RR@10", per="query").with_columns(pl.col("value") ** 2)
    means = (
        squares.group_by("system_id", "session_id")
        .agg(pl.col("value").mean())
        .group_by("system_id")
        .agg(pl.col("value").mean())
    )
    found = pl.read_csv(scores.encode()).select("system_id", "value").sort("system_id")
    assert status == 0
    assert found["value"].to_list() == pytest.approx(means.sort("system_id")["value"].to_list(), abs=1e-12)
    status, terms = answers["explain"]
    assert status == 0
    assert set(pl.read_csv(terms.encode())["contribution"].round(6)) <= {
        0.0,
        *(round(1 / rank**2, 6) for rank in range(1, 11)),
    }
    assert answers["compare"] == 0
    told = dict(pl.read_csv(answers["provenance"][1].encode()).rows())
    assert told["plugins"].startswith("squares 0.1 (squares.py, sha256 ")
    assert told["command"] == "sessionkit compare STUDY 'mean(RRsq@10)'"
    assert answers["ingest"][0] == 0
    (status, caption), is_drawn = answers["chart"]
    assert (status, is_drawn) == (0, True)
    assert "mean(RRsq@10)" in caption
    assert caption.endswith("by the module squares.\n")
    assert answers["listed"] == [True] * 3
    assert answers["described"] == [True, True]
    assert answers["help"].startswith("mean-bars, a kind of chart: ")
    assert answers["completed"] == [["RRsq"], ["pairs"], ["mean-bars"]]
    assert answers["report"][0] == 0
    assert answers["report"][1] > 0
    assert answers["report"][2] == 1
    assert answers["python"] == ["RRsq@3", True, True, False]
