"""No code reads a value back out of a sentence: what sentences say is there as kinds and values of statements, or as data."""

import ast
import re
from pathlib import Path

import pytest

import sessionkit as sk

PACKAGE = Path(sk.__file__).parent
MATCHING = {
    *("startswith", "endswith", "removeprefix", "removesuffix", "replace", "index", "find", "rindex", "rfind", "count"),
    *(
        "split",
        "rsplit",
        "splitlines",
        "partition",
        "rpartition",
        "starts_with",
        "ends_with",
        "strip_prefix",
        "strip_suffix",
    ),
    *("contains", "contains_any", "count_matches", "extract", "extract_all", "replace_all", "replace_many"),
}
"""Methods of texts, and of columns of texts, that match them on a text."""
PATTERNS = {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
"""Functions of the module ``re``."""
SENTENCES = {"reading", "sentence", "design", "design_note", "estimand", "why"}
"""Attributes that hold sentences, of which not even one character is looked for."""
NUMBER_OF_WORDS = 5
"""Words of a text that is no value such as "not shown after correction", so that nothing should equal it."""
PROSE = re.compile(r"(?<![\\<\w])[A-Za-z]{2,}[:;,.)\]]? [(\[]?[A-Za-z]{2,}")
"""Two words."""
DECLARED = "a plugin's measure declares its reasons as one text too"
FOREIGN = "a library's or the system's message"
CONTENT = "what stands in a file"
ALLOWED = {
    "charts/encodings.py: lines[:1] == [SYNTHETIC]": "the mark of a figure, which the same module puts first",
    "errors.py: f'(os error {number})' in text": FOREIGN,
    "readers/config.py: error.message.replace(' is a required property', '')": FOREIGN,
    "readers/formats/simiir.py: re.compile('^\\\\s*Search Interface: *(\\\\S+)', re.MULTILINE)": CONTENT,
    "readers/formats/simiir.py: re.compile('^\\\\s*Stopping Decision Maker: *(\\\\S+)', re.MULTILINE)": CONTENT,
    "readers/formats/simiir.py: re.compile('^\\\\s*User Configuration \\\\(([^)\\\\n]*)\\\\)', re.MULTILINE)": CONTENT,
    "readers/io/delimited.py: 'more fields' in str(error)": FOREIGN,
    "readers/io/delimited.py: 'not specified in schema' not in str(error)": FOREIGN,
    "readers/io/delimited.py: re.match('invalid utf-?8', str(error), re.IGNORECASE)": FOREIGN,
    "readers/judgments/ratings.py: 'Extra data' not in error.msg": FOREIGN,
    "reports/single_figures.py: GENERATOR in text": CONTENT,
    "scoring/measures/base.py: self.undefined_where.removeprefix(f'{NO_JUDGMENTS}, or ')": DECLARED,
    "scoring/measures/parameters.py: self.allowed == _SHARE": "the constant that parameters are declared with",
    "spark/worker.py: 'Traceback (most recent call last)' in text": FOREIGN,
    "spark/worker.py: CRASHED in text": FOREIGN,
    "spark/worker.py: re.compile('Lost task .*? executor [^()]*\\\\): (\\\\S.*)')": FOREIGN,
    "spark/worker.py: re.compile('stage failure: (\\\\S.*)')": FOREIGN,
    "spark/worker.py: re.search(\"ModuleNotFoundError: No module named '([\\\\w.]+)'\", text)": FOREIGN,
    "spark/worker.py: text.find(MARK)": "what another process of Spark printed",
    "spark/worker.py: text.rindex('Traceback (most recent call last)')": FOREIGN,
    "spark/worker.py: text[text.rindex('Traceback (most recent call last)'):]": FOREIGN,
    "study/files.py: re.compile('sessionkit process (\\\\d+) on (\\\\S+): (.*)')": CONTENT,
    "study/restriction.py: 'string with numeric' in str(error)": FOREIGN,
    "study/restriction.py: _first_line(error).removeprefix('sql parser error: ')": FOREIGN,
    "study/restriction.py: said.startswith('unable to parse')": FOREIGN,
    "study/study.py: self.kind.endswith(EXCLUDED)": "the kind of a source, as studies store it",
}
"""Places that match a text on two words or more, with the reason."""
PATTERNS_OF_WORDS = {
    "readers/propose/table_sections.py": "words of languages in columns of a log",
    "study/restriction.py": "the syntax of SQL",
}
"""Modules in which `re.compile` with ``|`` between words is no sentence."""


def constants_of(tree):
    """Return the texts that names stand for: constants of a module, alone or several, and the variables of comprehensions."""
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    pairs = [(target, node.value) for node in assigned for target in node.targets]
    pairs += [(node.target, node.iter) for node in ast.walk(tree) if isinstance(node, ast.comprehension)]
    return {target.id: texts_of(value) for target, value in pairs if isinstance(target, ast.Name) and is_literal(value)}


def is_literal(node):
    """Return whether an expression is a text, or texts."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return bool(parts) and all(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts)


def texts_of(node):
    """Return the texts in an expression."""
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def holds_prose(node, constants):
    """Return whether an expression has a text of two words in it."""
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    return any(map(PROSE.search, [*texts_of(node), *(text for name in names for text in constants.get(name, []))]))


def is_whole_sentence(node, constants):
    """Return whether an expression is a text of many words."""
    texts = constants.get(node.id, []) if isinstance(node, ast.Name) else texts_of(node) if is_literal(node) else []
    return any(len(text.split()) >= NUMBER_OF_WORDS for text in texts)


def is_slice(node):
    """Return whether an expression is a part of another."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def is_of_alternatives(node):
    """Return whether an expression compiles a pattern of alternatives."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and "|" in ast.unparse(node.args[0])


def is_blank(arguments):
    """Return whether all arguments are texts without a character that can be seen, such as the end of a line."""
    return bool(arguments) and all(isinstance(each, ast.Constant) and not str(each.value).strip() for each in arguments)


def is_sentence(node):
    """Return whether an expression is an attribute that holds a sentence: the text of a statement, or a reading."""
    if not isinstance(node, ast.Attribute):
        return False
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    return node.attr in SENTENCES or (node.attr == "text" and (name in ("statement", "each") or name.isupper()))


def matches(tree):
    """Yield the expressions of a module that match a sentence."""
    constants = constants_of(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=value)):
                of_module_re = isinstance(value, ast.Name) and value.id == "re"
                arguments = node.args[:1] if of_module_re or name == "replace" else node.args
                of_sentence = is_sentence(value) and not is_blank(arguments)
                is_match = name in (PATTERNS if of_module_re else MATCHING | PATTERNS)
                is_found = of_sentence or any(holds_prose(each, constants) for each in arguments)
            case ast.Call(func=ast.Name(id=name)):
                is_match = name in PATTERNS - {"compile"}
                is_found = any(holds_prose(each, constants) for each in node.args[:1])
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                among = isinstance(right, ast.Tuple | ast.List | ast.Set | ast.Dict) or ast.unparse(right).endswith(
                    ".columns"
                )
                is_match = isinstance(left, ast.Constant | ast.JoinedStr | ast.Name) and not among
                is_found = holds_prose(left, constants) or is_sentence(right)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                is_match = True
                sides = ((left, right), (right, left))
                is_found = any(
                    (is_sentence(one) and one.attr in ("text", "reading"))
                    or is_whole_sentence(one, constants)
                    or (is_slice(other) and holds_prose(one, constants))
                    for one, other in sides
                )
            case ast.Subscript(slice=ast.Slice()):
                is_match = True
                is_found = is_sentence(node.value) or holds_prose(node.slice, constants)
            case ast.MatchValue(value=value):
                is_match = True
                is_found = is_whole_sentence(value, constants)
            case _:
                continue
        if is_match and is_found:
            yield node


@pytest.fixture(scope="module")
def places():
    """Every place of the package that matches a sentence: its file and the expression."""
    return {
        f"{path.relative_to(PACKAGE).as_posix()}: {ast.unparse(node)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in matches(ast.parse(path.read_text("utf-8")))
        if not (path.relative_to(PACKAGE).as_posix() in PATTERNS_OF_WORDS and is_of_alternatives(node))
    }


@pytest.mark.slow
def test_nothing_matches_on_a_sentence_of_its_own(places):
    assert places - {*ALLOWED} == set(), "select statements by kind, or keep what was worded as data"
    assert {*ALLOWED} - places == set(), "these match nothing any more"


@pytest.mark.parametrize(
    "code",
    [
        'line.startswith("left out ")',
        'note.removeprefix(f"{measure}: not tested")',
        'text.partition("within rank ")',
        '" holds in " in line',
        'line.split(". The claim")',
        'text.replace("; no setting", "")',
        'finding.reading.split(".")',
        '"p = " in finding.reading',
        'statement.text.partition(":")',
        're.split("left out|not tested", text)',
        'LEFT_OUT = "left out "\nline.startswith(LEFT_OUT)',
        'pl.col("why").str.starts_with("No verdict")',
        'pl.col("why").str.replace_all("No verdict: ", "")',
        'line == "These results hold for these sessions."',
        "line == statement.text",
        "line == COMPLETE.text",
        'each.text.split(":")',
        "finding.reading.splitlines()",
        'line[:9] == "left out "',
        'line[len("left out ") :]',
        'PREFIXES = ("left out ", "no verdict")\nline.startswith(PREFIXES)',
        'any(line.startswith(prefix) for prefix in ("left out ", "no verdict"))',
        'from re import search\nsearch("holds in all", text)',
        'pattern.sub("holds in all", text)',
        'match line:\n    case "No pair of them can be tested.":\n        pass',
    ],
)
def test_a_sentence_that_is_matched_is_noticed(code):
    assert [*matches(ast.parse(code))]


@pytest.mark.parametrize(
    "code",
    [
        'kind in ("left out", "more rows")',
        'verdict == "not shown after correction"',
        'name.startswith("mean_")',
        'f"{a} is higher"',
    ],
)
def test_other_code_is_none(code):
    assert not [*matches(ast.parse(code))]
