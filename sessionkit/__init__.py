"""sessionkit: session-level evaluation of interactive search.

Read a log and its judgments, score its sessions, look at their curves, break them down, draw them and report them:

>>> import sessionkit as sk
>>> study = sk.read("examples/clinic/study.toml")
>>> sk.score(study, ["nsDCG@10"]).select("system_id", "measure", "n").rows()
[('S1', 'nsDCG@10', 60), ('S2', 'nsDCG@10', 60)]

**What is public.** The names of ``dir(sessionkit)``, of `sessionkit.bases`, `sessionkit.charts` and `sessionkit.spark`, with the
parameters, attributes and columns that their documentation names; commands, their options and what they print as ``tsv``, ``csv``,
``jsonl``, ``json`` or ``parquet``; the kinds and values of statements; the texts of measures, such as ``nsDCG@10``; ``study.toml``;
studies on disk and their schemas. All else may change with any version: other modules, whatever their names; the wording of messages
and statements; how pages, figures and tables for papers look.

**What is stable.** Versions follow Semantic Versioning. Before 1.0 a minor version (0.2 to 0.3) may change what is public;
its entry in CHANGELOG.md says what, and what to write instead. A patch version (0.2.0 to 0.2.1) only mends. A study that an
older version saved is opened by a newer one; an older one refuses what it cannot read, and says so. A measure of the same
text, on the same study, keeps its value but for a mistake that was mended, which CHANGELOG.md names.

Names are imported when they are first used, so that the command line starts at once. Type checkers and editors read them
in ``__init__.pyi``, which is generated: ``python -m tests.support.stub``. ``python -m tests.support.reference FOLDER`` makes pages of
all of this documentation.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "sessionkit.sessions.record_accounts": ["check"],
    "sessionkit.display.statements": ["Statement"],
    "sessionkit.statistics.agreement": ["Agreement", "agreement"],
    "sessionkit.sessions.breakdown": ["breakdown"],
    "sessionkit.sessions.breakdown_tests": ["BreakdownTests", "breakdown_tests"],
    "sessionkit.robustness.calibrate": ["Calibration", "calibrate"],
    "sessionkit.statistics.compare": ["Comparison", "compare"],
    "sessionkit.statistics.correlate": ["Correlations", "correlate"],
    "sessionkit.sessions.curve": ["curve", "curve_with_stops", "curve_differences"],
    "sessionkit.sessions.describe": ["Description", "describe"],
    "sessionkit.robustness.discriminative_power": ["DiscriminativePower", "discriminate"],
    "sessionkit.sessions.effort": ["Effort", "effort"],
    "sessionkit.sessions.gain_vectors": ["gain_vectors"],
    "sessionkit.robustness.bounds": ["Incompleteness", "bounds"],
    "sessionkit.robustness.judge_noise": ["JudgeNoise", "judge_noise"],
    "sessionkit.robustness.judgment_loss": ["JudgmentLoss", "judgment_loss"],
    "sessionkit.statistics.mixed_model": ["MixedModel"],
    "sessionkit.statistics.power": ["PowerPlan", "power"],
    "sessionkit.sessions.precision_recall": ["precision_recall", "rprecision_histogram", "summary"],
    "sessionkit.sessions.timeline": ["reformulations", "session_survival", "timeline"],
    "sessionkit.robustness.session_table": ["score"],
    "sessionkit.robustness.sweep": ["Sweep", "sweep"],
    "sessionkit.bases": ["register"],
    "sessionkit.errors": ["DataError", "DataWarning", "MeasureError", "SessionkitError", "SpaceError", "UsageError"],
    "sessionkit.readers": ["FORMATS", "from_tables"],
    "sessionkit.readers.read": ["read"],
    "sessionkit.readers.runs": ["from_run"],
    "sessionkit.readers.propose.propose": ["propose"],
    "sessionkit.readers.propose.proposal": ["Proposal"],
    "sessionkit.reports": ["report"],
    "sessionkit.scoring.execution": ["avg_pos", "avg_vect", "norm_vect"],
    "sessionkit.scoring.explain": ["explain", "path_variance"],
    "sessionkit.scoring.measures.base": ["Measure"],
    "sessionkit.scoring.measures.custom": ["define", "column"],
    "sessionkit.scoring.measures.grammar": ["parse_measure"],
    "sessionkit.scoring.measures.registry": ["MEASURES"],
    "sessionkit.study": ["Settings", "Study", "add_partition", "open_study"],
    "sessionkit.privacy.report": ["Pseudonymized"],
    "sessionkit.privacy.pseudonymize": ["pseudonymize"],
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = ("bases", "charts", "engines", "spark")
"""Public modules; `engines` is the earlier name of `spark`."""
_BY_NAME_ONLY = {"max", "min", "sum", "__version__"}
"""Names that ``from sessionkit import *`` does not bring: Python's own functions, and what a module may say of itself."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Import a public name when it is first used; names of measures are those of the registry."""
    if name in _ROOMS:
        return importlib.import_module(f"sessionkit.{name}")
    if name == "__all__":
        return [public for public in __dir__() if public not in _BY_NAME_ONLY]
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    else:
        from sessionkit.errors import UsageError

        try:
            value = None if name.startswith("_") else _measures().get(name)
        except UsageError as error:  # a broken plugin: hasattr must not fail
            raise AttributeError(str(error)) from error
        if value is None:
            msg = f"module 'sessionkit' has no attribute {name!r}"
            raise AttributeError(msg)
        if name not in _measures().own:  # what was registered may be registered anew
            return value
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Every public name."""
    return sorted({"__version__", *_ROOMS, *_HOME, *_measures().own})


def _measures() -> Any:  # noqa: ANN401 - the registry, which is not imported yet
    """Every measure by its name."""
    return importlib.import_module("sessionkit.scoring.measures.registry").MEASURES
