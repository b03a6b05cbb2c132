"""The registry names what the files of the measures hold, and reads a file only when it is asked for one of its measures."""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from sessionkit.scoring.measures import registry
from sessionkit.scoring.measures.registry import FAMILIES, MEASURES

FOLDER = Path(registry.__file__).parent


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_registered_as_its_file_has_it(family):
    held = import_module(f"sessionkit.scoring.measures.{family}").FAMILY
    assert FAMILIES[family] == tuple(measure.name for measure in held)
    assert [MEASURES[name] for name in FAMILIES[family]] == list(held)


def test_a_measure_with_a_formula_of_its_own_is_not_credited_to_another():
    kinds = {type(MEASURES[name]) for name in MEASURES.own}
    owners = [
        [next(one for one in kind.__mro__ if fact in vars(one)) for fact in ("formula", "source")] for kind in kinds
    ]
    assert [formula.name for formula, source in owners if source is not formula and source in kinds] == []


def test_every_measure_has_a_meaning_of_a_few_words_that_no_other_has():
    meanings = {name: MEASURES[name].meaning for name in MEASURES.own}
    assert [name for name, text in meanings.items() if not 1 < len(text.split()) <= 12] == []
    assert sorted(set(meanings.values())) == sorted(meanings.values())


def test_a_measure_named_anew_takes_no_meaning_from_the_measure_that_it_derives_from():
    class Renamed(type(MEASURES["RR"])):
        name = "RR2"
        formula = "1 / i^2"

    class Described(Renamed):
        name = "RR3"
        meaning = "cube of the reciprocal rank"

    assert [kind().in_words for kind in (Renamed, Described)] == ["1 / i^2", "cube of the reciprocal rank"]


def test_every_file_with_a_family_is_registered():
    held = {path.stem for path in FOLDER.glob("*.py") if "\nFAMILY = " in path.read_text(encoding="utf-8")}
    assert held == set(FAMILIES)


def test_a_name_that_is_no_measure_is_a_key_error():
    with pytest.raises(KeyError):
        MEASURES["nothing"]


def test_names_are_known_before_polars_is_loaded():
    script = """
import sys
import sessionkit as sk
from sessionkit import errors
assert "nDCG" in sk.__all__ and not hasattr(sk, "nothing")
print("polars" in sys.modules, sk.nDCG @ 10)
"""
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert found.strip() == "False nDCG@10"


def test_one_measure_does_not_read_the_files_of_the_others():
    script = """
import sys
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.measures.registry import MEASURES
parse_measure("ERR@10")
assert "ERR" in MEASURES and len(list(MEASURES)) > 80
files = ("generalized_precision", "subtopics", "expected", "jiang2016")
print([name for name in files if f"sessionkit.scoring.measures.{name}" in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert found.strip() == "['generalized_precision']"


SQUARED = '''"""Reciprocal rank squared: how early the first relevant result comes, the late ones hardly counting."""

from dataclasses import dataclass

from sessionkit.scoring.measures.average_precision import ReciprocalRank


@dataclass(frozen=True, repr=False, kw_only=True)
class ReciprocalRankSquared(ReciprocalRank):
    """RR2: the square of the reciprocal rank. Relevant at rank 2: 1/4."""

    name = "RR2"
    formula = "1 / i^2, i the rank of the first relevant result"

    def terms(self, lists):
        """The square of what RR adds."""
        terms = super().terms(lists)
        return terms.with_columns(term=terms["term"] ** 2)


FAMILY = (ReciprocalRankSquared(),)
'''
SCORED = """
import sessionkit as sk
from tests.support.stub import stub

study = sk.from_tables(
    {"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    {"judgment_key": ["t"], "doc_id": ["b"], "grade": [1]},
)
print(sk.__file__, sk.score(study, ["RR2@10", sk.RR2], per="query")["value"].to_list(), sk.score(study, sk.mean(sk.RR2))["value"].item())
print(sk.explain(study, "RR2")["contribution"].sum(), sk.bounds(study, "mean(RR2)", by=None).bounds["bound"].to_list())
print("RR2" in sk.__all__, "RR2" in dir(sk), "RR2" in sk.MEASURES, "RR2: _RR2" in stub())
"""


@pytest.mark.slow
def test_a_new_measure_is_a_class_and_a_line(tmp_path):
    """In a copy of the tree: its file and its name in the registry, and it is scored, explained, bounded and named."""
    package = FOLDER.parents[1]
    ignored = shutil.ignore_patterns("__pycache__", "clinic")
    shutil.copytree(package, tmp_path / "sessionkit", ignore=ignored)
    shutil.copytree(package.parent / "schemas", tmp_path / "schemas")
    shutil.copytree(package.parent / "tests" / "support", tmp_path / "tests" / "support", ignore=ignored)
    own = tmp_path / "sessionkit" / "scoring" / "measures"
    (own / "squared_rank.py").write_text(SQUARED, encoding="utf-8")
    registry = (own / "registry.py").read_text(encoding="utf-8")
    line = '    "generalized_precision": ("gP", "gR", "ERR"),\n'
    assert line in registry
    (own / "registry.py").write_text(registry.replace(line, line + '    "squared_rank": ("RR2",),\n'), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", SCORED], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert first == f"{tmp_path / 'sessionkit' / '__init__.py'} [0.25, 0.25] 0.25"
    assert second == "0.25 ['attained']"
    assert third == "True True True True"
