"""The stubs of the package and of its charts: public names as type checkers see them. To write: python -m tests.support.stub"""

import re
from dataclasses import fields
from inspect import Parameter, getdoc, signature
from pathlib import Path

import sessionkit
from sessionkit import arguments, charts
from sessionkit.scoring.measures.registry import FAMILIES

STUB = Path(sessionkit.__file__).with_suffix(".pyi")
CHARTS = Path(charts.__file__).with_suffix(".pyi")
HEAD = """# Generated from the names of __init__.py and the registry of measures: python -m tests.support.stub
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that mypy reads every module before its package
"""


def stub():
    """Its text: imports from where a name is defined, measures with what their calls take, and the names that a star brings."""
    families = {name: family for family, names in FAMILIES.items() for name in names}
    lines, measures = {f"from sessionkit import {room} as {room}" for room in sessionkit._ROOMS}, []
    lines |= {"from typing import Self"}
    for name in dir(sessionkit):
        home = sessionkit._HOME.get(name, "")
        if name in families:
            measure = getattr(sessionkit, name)
            lines.add(f"from sessionkit.scoring.measures.{families[name]} import {type(measure).__name__}")
            measures.append(class_of(name, measure))
        elif home:
            if name not in {"FORMATS", "MEASURES"}:
                home = getattr(sessionkit, name).__module__  # where it is defined
            lines.add(f"from {home} import {name} as {name}")
    words = {*re.findall(r"\w+", "".join(measures))} & {*vars(arguments)}
    lines |= {f"from sessionkit.arguments import {word}" for word in words}
    public = "".join(f'    "{name}",\n' for name in sessionkit.__all__)
    parts = [*(f"    {line}" for line in sorted(lines)), "", "__version__: str", "", *measures]
    return HEAD + "\n".join([*parts, f"__all__ = [\n{public}]", "", "def __dir__() -> list[str]: ...", ""])


def class_of(name, measure):
    """A measure as a class with one call, whose parameters have the types and values that it says itself."""
    kind = type(measure)
    texts = {field.name.rstrip("_"): field.type for field in fields(kind)} | {"like": "Preset | None"}
    takes = ["self"]
    for parameter in signature(measure).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and "*" not in takes:
            takes.append("*")
        wider = [alias for alias, value in vars(arguments).items() if value is parameter.annotation]
        text = next(iter(wider), texts[parameter.name.rstrip("_")])
        takes.append(f"{parameter.name}: {text} = {parameter.default!r}")
    told = getdoc(measure).splitlines()[0]
    call = f"    def __call__({', '.join(takes)}) -> Self: ...  # type: ignore[override]"
    return f'class _{name}({kind.__name__}):\n    """{told}"""\n\n{call}\n\n{name}: _{name}\n'


def chart_stub():
    """That of the charts."""
    homes = {"KINDS": "charts.registry", **charts._HOME}
    lines = sorted(f"    from sessionkit.{home} import {name} as {name}" for name, home in homes.items())
    public = "".join(f'    "{name}",\n' for name in charts.__all__)
    return HEAD + "\n".join([*lines, "", f"__all__ = [\n{public}]", ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    CHARTS.write_text(chart_stub(), encoding="utf-8")
