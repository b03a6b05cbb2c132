"""What DESIGN promises of the whole: rooms and their order, one place for names, nothing of this machine in the tree."""

import ast
import builtins
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sessionkit
from sessionkit.reports import MEASURES as REPORTED
from tests.support.stub import CHARTS, STUB, chart_stub, stub

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "sessionkit"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)
TOP = {"sessionkit", "schemas", "tests", "examples", "pyproject.toml", "uv.lock"}
TOP |= {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"}


def tracked():
    """The files of the project: those git knows or would take."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail("the project is not in git")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.slow
def test_a_module_says_what_it_is_in_its_first_lines():
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), path
        assert tree.body[0].lineno == 1, path
        assert path.stem not in {"utils", "util", "core", "common", "helpers", "misc"}


def test_a_folder_lists_only_files_that_exist():
    """In its docstring, by a path from the folder itself or from the package."""
    for path in MODULES:
        if path.name == "__init__.py":
            told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
            listed = re.findall(r"[\w./]*\w\.(?:py|js|css)\b", told)
            missing = [name for name in listed if not (path.parent / name).exists() and not (PACKAGE / name).exists()]
            assert missing == [], path


def test_every_public_name_is_there_and_is_typed():
    for name in dir(sessionkit):
        assert getattr(sessionkit, name) is not None
    assert STUB.read_text(encoding="utf-8") == stub(), "write it: python -m tests.support.stub"
    assert CHARTS.read_text(encoding="utf-8") == chart_stub(), "write it: python -m tests.support.stub"


@pytest.mark.slow
def test_the_earlier_name_of_spark_is_the_same_module():
    code = """
import sessionkit as sk
from sessionkit.engines.spark import score, score_frame, session
from sessionkit.engines import spark
import sessionkit.engines.spark as imported, sessionkit.spark as room
assert room is spark is imported is sk.engines.spark
assert (score, score_frame, session) == (room.score, room.score_frame, room.session)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_spark_is_imported_when_it_is_first_used_and_pyspark_is_not():
    code = """
import sys
import sessionkit as sk
assert "sessionkit.spark" not in sys.modules
assert sk.spark.__name__ == "sessionkit.spark"
assert "spark" in dir(sk)
assert not [name for name in sys.modules if name.partition(".")[0] == "pyspark"]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_everything_replaces_nothing_of_pythons():
    taken = {}
    exec("from sessionkit import *", taken)  # noqa: S102
    assert set(taken) & set(dir(builtins)) == set()
    assert set(taken) - {"__builtins__"} == set(dir(sessionkit)) - {"max", "min", "sum", "__version__"}


def test_measures_named_as_pythons_own_functions_are_there_by_name():
    inside = sessionkit.P @ 3
    assert [str(made(inside)) for made in (sessionkit.max, sessionkit.min, sessionkit.sum)] == [
        "max(P@3)",
        "min(P@3)",
        "sum(P@3)",
    ]


def test_nothing_else_is_at_top_level():
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} <= TOP
    assert names >= TOP - {"uv.lock"}


def test_no_path_of_a_machine_is_in_the_tree():
    patterns = [f"/{name}/" for name in ("home", "Users", "root")] + [f"{ROOT.parent}/"]
    for path in tracked():
        content = path.read_bytes()
        for pattern in patterns:
            if len(pattern) > 2:
                assert pattern.encode() not in content, f"{pattern} in {path.relative_to(ROOT)}"


def test_the_version_is_the_same_everywhere():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert importlib.metadata.version("sessionkit-ir") == declared == sessionkit.__version__
    assert f"\nversion: {declared}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## [{declared}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_citation_is_valid():
    words = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.citation-file-format",
        "CITATION.cff",
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_readme_on_a_package_index_leads_to_no_file():
    """Beside it lie no files there, and its readers have no clone."""
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["metadata"]["hooks"]
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    for change in hook["fancy-pypi-readme"]["substitutions"]:
        page, times = re.subn(change["pattern"], change["replacement"], page)
        assert times
    assert re.findall(r"\]\((?!https:)[^)]*\)", page) == []
    assert "pip install sessionkit-ir" in page
    assert "pytest" not in page


SOMEBODY_ELSES = re.compile(
    r"""\bsessionkit\[[a-z]                                        # extras of it
    |\b(?:install|add|upgrade)\b[^\n;&|.:]*[\s"'`=]sessionkit(?:["'`]|\s|[=<>~!]=|$)   # a command that gets it
    |\b(?:version|distribution|metadata|requires)\(["']sessionkit["']\)        # what is installed under the name
    """,
    re.VERBOSE | re.MULTILINE,
)


@pytest.mark.slow
def test_the_package_of_that_name_which_is_not_ours_is_never_installed():
    """The distribution is sessionkit-ir: on the public index, sessionkit is a tool that has nothing to do with this."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert declared["name"] == "sessionkit-ir"
    assert declared["scripts"] == {"sessionkit": "sessionkit.cli:main"}
    assert 'name = "sessionkit"\n' not in (ROOT / "uv.lock").read_text(encoding="utf-8")
    found = {
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked()
        if path != Path(__file__).resolve() and path.suffix not in {".gz", ".png", ".parquet"}
        for match in SOMEBODY_ELSES.finditer(path.read_text(encoding="utf-8", errors="replace"))
    }
    assert found == set()


@pytest.mark.parametrize(
    "text",
    [
        "pip install sessionkit",
        'pip install "sessionkit"',
        "pip install 'sessionkit[spark]'",
        "pip install -U sessionkit==0.1.0 polars",
        "uv add sessionkit",
        'metadata.version("sessionkit")',
    ],
)
def test_the_other_form_would_be_noticed(text):
    assert SOMEBODY_ELSES.search(text)
    assert not SOMEBODY_ELSES.search(text.replace("sessionkit", "sessionkit-ir"))


def test_what_is_reported_by_default_is_a_measure():
    assert [str(sessionkit.parse_measure(text)) for text in REPORTED] == list(REPORTED)
