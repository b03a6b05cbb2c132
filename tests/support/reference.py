"""The reference of the Python interface as web pages, from docstrings. To write: python -m tests.support.reference build/reference"""

import sys
import warnings
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path

import pdoc

import sessionkit
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.describe import about, facts_of, parameters_of

MODULES = ("sessionkit", "sessionkit.bases", "sessionkit.charts", "sessionkit.engines", "sessionkit.spark")
REGISTRIES = {
    "FORMATS": "sessionkit.readers.formats.registry",
    "KINDS": "sessionkit.charts.registry",
    "MEASURES": "sessionkit.scoring.measures.registry",
}
"""Where constants are documented."""


def write(folder):
    """Write the pages; what pdoc warns of is an error."""
    warnings.simplefilter("error")
    for module in map(import_module, MODULES):
        names = dir(module) if module is sessionkit else module.__all__
        public = {name: getattr(module, name) for name in names}  # some are imported when they are first used
        vars(module).update(public, __all__=sorted(public, key=lambda name: place(public[name])))
    pdoc.doc_pyi.find_stub_file = lambda _: None  # stubs are for type checkers; pdoc would run them
    pdoc.render.configure(docformat="numpy", show_source=False, footer_text=f"sessionkit {sessionkit.__version__}")
    for page in (pages := {name: pdoc.doc.Module(sys.modules[name]) for name in MODULES}).values():
        for member in page.members.values():
            complete(member)
    for name, page in pages.items():
        path = folder.joinpath(*name.split(".")).with_suffix(".html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pdoc.render.html_module(page, pages), encoding="utf-8")
    (folder / "index.html").write_text(pdoc.render.html_index(pages), encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(pages), encoding="utf-8")


def place(value):
    """Functions come first, then classes, then constants, then measures."""
    return 3 if isinstance(value, Measure) else 0 if isroutine(value) else 1 if isclass(value) else 2


def complete(member):
    """Say what a measure is; leave out what only the package calls."""
    if isinstance(value := getattr(member, "default_value", None), Measure):
        member.docstring = text_of(value)
    elif member.name in REGISTRIES:
        member.docstring = pdoc.doc.Module(import_module(REGISTRIES[member.name])).get(member.name).docstring
    elif member.kind == "function":
        member.decorators = []
    elif member.kind == "class" and hasattr(member.obj, "paper_table"):
        member.members.pop("__init__")  # a finding is made by its verb


def text_of(measure):
    """The documentation of a measure with its facts and parameters."""
    facts = [f"- {name}: `{value}`" for name, value in facts_of(measure).items()]
    parameters = [
        f"- `{name}={default}`: {meaning} ({allowed})"
        for name, default, allowed, meaning in parameters_of(measure).rows()
    ]
    lists = ["\n".join(facts), *(["Parameters, with their defaults:", "\n".join(parameters)] if parameters else [])]
    return "\n\n".join([about(measure), *lists])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
