"""The stubs of the package and of its charts: public names as type checkers see them. To write: python -m tests.support.stub"""

from pathlib import Path

import sessionkit
from sessionkit import charts
from sessionkit.scoring.measures.registry import FAMILIES

STUB = Path(sessionkit.__file__).with_suffix(".pyi")
CHARTS = Path(charts.__file__).with_suffix(".pyi")
HEAD = """# Generated from the names of __init__.py and the registry of measures: python -m tests.support.stub
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that mypy reads every module before its package
"""


def stub():
    """Its text: imports from where a name is defined, and the names that a star brings."""
    families = {name: family for family, names in FAMILIES.items() for name in names}
    lines, spelled = {"from sessionkit import charts as charts", "from sessionkit import engines as engines"}, []
    for name in dir(sessionkit):
        home = sessionkit._HOME.get(name, "")
        if name in families:
            home = f"sessionkit.scoring.measures.{families[name]}"
        elif home and name not in {"FORMATS", "MEASURES"}:
            home = getattr(sessionkit, name).__module__  # where it is defined
        if name in sessionkit._PYTHONS:
            kind = type(getattr(sessionkit, name)).__name__
            lines.add(f"from {home} import {kind} as _{kind}")
            spelled.append(f"{name}: _{kind}")
        elif home:
            lines.add(f"from {home} import {name} as {name}")
    public = "".join(f'    "{name}",\n' for name in sessionkit.__all__)
    parts = [
        *(f"    {line}" for line in sorted(lines)),
        "",
        "__version__: str",
        *spelled,
        "",
        f"__all__ = [\n{public}]",
        "",
    ]
    return HEAD + "\n".join(parts) + "\ndef __dir__() -> list[str]: ...\n"


def chart_stub():
    """That of the charts."""
    homes = {"KINDS": "registry", **charts._HOME}
    lines = sorted(f"    from sessionkit.charts.{home} import {name} as {name}" for name, home in homes.items())
    public = "".join(f'    "{name}",\n' for name in charts.__all__)
    return HEAD + "\n".join([*lines, "", f"__all__ = [\n{public}]", ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    CHARTS.write_text(chart_stub(), encoding="utf-8")
