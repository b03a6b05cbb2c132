"""The rules of the house: how modules are named, what they import, where state may be, how much one score runs through.

Each rule finds its violations in the source; those known are listed in `tests/house.toml`, and that list may only shrink.
A new violation is mended, not listed. One that is gone is taken off the list.
"""

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import sessionkit as sk
from tests.support.additions import added, answers, copied

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "sessionkit"
KNOWN = tomllib.loads((ROOT / "tests" / "house.toml").read_text(encoding="utf-8"))
ROOMS = [
    "choices",
    "errors",
    "arguments",
    "plugins",
    "display",
    "contract",
    "study",
    "privacy",
    "readers",
    "scoring",
    "analysis",
    "charts",
    "reports",
    "engines",
    "bases",
    "cli",
]
"""Each imports only from itself and from those before it."""

PARTICIPLES = {"ahead", "apart", "asked", "drawn", "kept", "left", "lost", "said", "shown", "swept", "told"}
"""Words for modules that end neither in -ing nor in -ed and are no nouns either."""
NOUNS = {
    "encoding",
    "embed",
    "feed",
    "finding",
    "findings",
    "rating",
    "scoring",
    "seed",
    "setting",
    "settings",
    "string",
    "timing",
}
TERMS = {
    "biased", "cumulated", "delimited", "discounted", "expected", "generalized", "graded", "judged", "mixed", "oriented",
    "missing", "paired", "personalized", "sliding", "tipping", "unjudged",
}  # fmt: skip
"""Participles that belong to a term of the field, such as cumulated gain, judged share or paired test."""
OLD_WORDS = {"ask", "asked", "coming", "judging", "kept", "passing", "settled", "told"}
"""Words that the glossary of the design replaces."""
LONGEST = 800
SMALL = 150
DEEPEST = 4
REGISTRIES = ("charts/kinds", "cli", "readers/formats", "readers/judgments", "reports/sections", "scoring/measures")
"""Folders whose small files are entries of a registry."""


@cache
def tree_of(path):
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def modules():
    """Every module of the package, by its dotted name."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)
    return {dotted(path): path for path in paths}


def dotted(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path, *, lazy=True):
    """The modules of ours that a file imports, also for type checkers only; in functions too where `lazy`."""
    known = modules()
    found = set()
    pending = [tree_of(path)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and [alias.name for alias in node.names] != ["__version__"]:
            assert node.level == 0, f"{path}: relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else node.module for name in inner}
        if lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)
    return {name for name in found if name in known}


def upward_imports():
    """A module that imports from a room after its own, or from the front door."""
    for name, path in modules().items():
        if name in ("sessionkit", "sessionkit.__main__"):
            continue
        own = ROOMS.index(name.split(".")[1])
        for other in imports(path):
            if other == "sessionkit" or ROOMS.index(other.split(".")[1]) > own:
                yield f"{name} -> {other}"


def import_circles():
    """Modules that import each other when they are loaded or for type checkers, one group a line."""
    graph = {name: imports(path, lazy=False) - {name} for name, path in modules().items()}
    # `from room import name` runs room/__init__, which may import what imports it: only files that are not folders count
    files = {name for name, path in modules().items() if path.name != "__init__.py"}
    reach = {name: reachable(graph, name, files) for name in files}
    groups = {tuple(sorted(other for other in reach[name] if name in reach[other])) for name in files}
    yield from (" <-> ".join(group) for group in groups if group)


def reachable(graph, start, among):
    """What can be reached from a module through modules `among`; itself only through others."""
    seen, pending = set(), [start]
    while pending:
        for other in graph[pending.pop()] & among:
            if other not in seen:
                seen.add(other)
                pending.append(other)
    return seen


def verbs_beside_folders():
    """A module and a folder beside each other that begin with the same six letters."""
    for name, path in modules().items():
        if path.name != "__init__.py":
            folders = {other.name for other in path.parent.iterdir() if (other / "__init__.py").exists()}
            for folder in folders:
                if folder[:6] == path.stem[:6] and len(folder) >= 6:
                    yield f"{name} beside {folder}/"


def busy_fronts():
    """A folder inside a room whose `__init__` imports: inner folders re-export nothing, but for one that users name."""
    for name, path in modules().items():
        inner = path.name == "__init__.py" and name.count(".") >= 2 and name != "sessionkit.engines.spark"
        if inner and imports(path, lazy=False):
            yield name


def names_of_modules():
    """A module whose name is a participle, or a word that the glossary replaces."""
    for name in modules():
        words = name.rsplit(".", 1)[-1].split("_")
        if any(
            (re.fullmatch(r"\w{2,}(ing|ed)", word) or word in PARTICIPLES | OLD_WORDS) and word not in NOUNS | TERMS
            for word in words
        ):
            yield name


def class_names():
    """A name that more than one class has."""
    where = defaultdict(list)
    for name, path in modules().items():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                where[node.name].append(name)
    yield from (f"{name}: {', '.join(places)}" for name, places in where.items() if len(places) > 1)


def long_files():
    """A file of more than 800 lines."""
    yield from (name for name, path in modules().items() if lines_of(path) > LONGEST)


def single_importers():
    """A file of less than 150 lines that one module imports and no test: it belongs into that module."""
    stub = PACKAGE / "__init__.pyi"  # what the front door imports when it is asked
    importers = Counter(other for path in [*modules().values(), stub] for other in imports(path))
    tested = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    for name, path in modules().items():
        entry = path.relative_to(PACKAGE).parent.as_posix().startswith(REGISTRIES)
        if importers[name] == 1 and lines_of(path) < SMALL and path.name != "__init__.py" and not entry:
            parent, own = name.rsplit(".", 1)
            if name not in tested and not re.search(rf"from {re.escape(parent)} import [^\n]*\b{own}\b", tested):
                yield name


def lines_of(path):
    return path.read_text(encoding="utf-8").count("\n")


def hidden_state():
    """A line that writes to `__dict__`, keeps a context variable, stops the garbage collector or replaces a module's class."""
    pattern = re.compile(
        r"__dict__\[.*\] *=[^=]|__dict__\.(update|setdefault|pop)|ContextVar\(|gc\.disable\(|sys\.modules\[.*\]\.__class__"
    )
    yield from counted(pattern)


def broad_handlers():
    """A line that suppresses every error."""
    yield from counted(re.compile(r"suppress\((Exception|BaseException)\)|except (Exception|BaseException)\b|except:"))


def questions_to_measures():
    """A question outside of `scoring` whether a measure is of a class."""
    families = {
        node.name
        for name, path in modules().items()
        if name.startswith("sessionkit.scoring.measures")
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    }
    found = Counter()
    for name, path in modules().items():
        if not name.startswith("sessionkit.scoring"):
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.Call) and getattr(node.func, "id", None) in {"isinstance", "issubclass"}:
                    asked = {inner.id for inner in ast.walk(node.args[1]) if isinstance(inner, ast.Name)}
                    found[name] += bool(asked & families)
    yield from (f"{name}: {many}" for name, many in found.items() if many)


def deep_inheritance():
    """A measure of more than four levels of inheritance, `Measure` included; a wrapper composes."""
    for name, measure in sk.MEASURES.items():
        if levels_of(type(measure)) > DEEPEST:
            yield f"{name}: {levels_of(type(measure))}"


def levels_of(kind):
    """The longest way from a class up to `Measure`, both counted."""
    return 1 + max((levels_of(base) for base in kind.__bases__ if issubclass(base, sk.Measure)), default=0)


def counted(pattern):
    """The modules with lines in which a pattern is found, and how many."""
    for name, path in modules().items():
        many = len(pattern.findall(path.read_text(encoding="utf-8")))
        if many:
            yield f"{name}: {many}"


RULES = [
    upward_imports,
    import_circles,
    verbs_beside_folders,
    busy_fronts,
    names_of_modules,
    class_names,
    long_files,
    single_importers,
    hidden_state,
    broad_handlers,
    questions_to_measures,
    deep_inheritance,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_is_broken_only_where_it_was_and_less_and_less(rule):
    found, known = set(rule()), set(KNOWN[rule.__name__])
    assert found - known == set(), f"new, to be mended: {rule.__doc__}"
    assert known - found == set(), f"gone, to be taken off tests/house.toml under {rule.__name__}"


def test_the_list_names_no_rule_that_is_not_held():
    assert set(KNOWN) == {rule.__name__ for rule in RULES} | {"score", "edits"}


def test_the_rules_can_see():
    seen = imports(PACKAGE / "analysis" / "curve.py")
    assert {"sessionkit.scoring.curves", "sessionkit.study", "sessionkit.errors"} <= seen
    assert {name for name in imports(PACKAGE / "study" / "study.py") if name.startswith("sessionkit.study.")}
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}}
    assert reachable(graph, "b", {"a", "b", "c"}) == {"b", "c"}
    assert reachable(graph, "a", {"a", "b", "c"}) == {"b", "c"}


def test_a_score_runs_through_few_files_and_functions(tmp_path):
    """Of a saved study, by a measure of sessions, averaged by system."""
    results = {"session_id": ["s", "t"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]}
    judgments = {"judgment_key": ["k", "k"], "doc_id": ["a", "b"], "grade": [1, 2]}
    sessions = {"session_id": ["s", "t"], "topic_id": ["k", "k"], "system_id": ["A", "B"]}
    study = sk.from_tables(results, judgments, sessions=sessions).save(tmp_path / "study")
    sk.score(study, "nsDCG@10", by="system_id")  # what is loaded and cached once
    study = sk.open_study(study.path)
    run = set()

    def watch(frame, event, _):
        code = frame.f_code
        own = code.co_filename.startswith(str(PACKAGE)) and not code.co_qualname.endswith(">")  # no comprehension
        if event == "call" and own:
            run.add((code.co_filename, code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        sk.score(study, "nsDCG@10", by="system_id")
    finally:
        sys.setprofile(before)
    files, functions = len({file for file, _ in run}), len(run)
    assert {"files": files, "functions": functions} == KNOWN["score"]


@pytest.fixture(scope="module")
def one_more(tmp_path_factory):
    """Add one of each kind to a copy of the package; return the places of each, and what they do there."""
    folder = tmp_path_factory.mktemp("copy")
    places = added(copied(PACKAGE, folder))
    return places, answers(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("measure", {"values": [0.5, 0.25, 1.0, 1.0], "name": "RRsq", "public": True}),
        ("format", {"rows": [["s", 1, "a"], ["s", 2, "b"], ["t", 1, "c"]]}),
        ("chart", {"status": 0, "drawn": True, "listed": True, "public": True}),
        ("section", {"status": 0, "written": True}),
        ("command", {"status": 0, "printed": "2 sessions\n"}),
    ],
)
def test_one_more_takes_few_places_and_works(one_more, kind, answer):
    """`edits` may only shrink; three are enough: its own file, and two lines."""
    places, found = one_more
    assert found[kind] == answer
    assert len(places[kind]) == KNOWN["edits"][kind], places[kind]
