"""What a run of SimIIR simulated: topic, system and searcher, from its .cfg or from its name."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.formats.simiir_lines import RUN
from sessionkit.readers.io.log_files import DAMAGED, PACKED, cut_short, unpacked

NAME = re.compile(r"(?P<system_id>.+?)-(?P<topic_id>\d+)-(?P<user_id>.+)")
"""A run is named after its simulation, its topic and its searcher."""
SAID = {
    "simulation": re.compile(r"^\s*SIMULATION '([^'\n]*)'", re.MULTILINE),
    "topic_id": re.compile(r"\bTopic: *(\S+)"),
    "user_id": re.compile(r"^\s*User Configuration \(([^)\n]*)\)", re.MULTILINE),
    "search_interface": re.compile(r"^\s*Search Interface: *(\S+)", re.MULTILINE),
    "wmodel": re.compile(r"^\s*wmodel: *(\S+)", re.MULTILINE),
    "stopping_decision_maker": re.compile(r"^\s*Stopping Decision Maker: *(\S+)", re.MULTILINE),
}
"""What is taken from a .cfg; the last three are kept as they are."""


def run_of(path: Path, name: str, lines: pl.DataFrame) -> pl.DataFrame:
    """Return the session that a run is, one row.

    Parameters
    ----------
    path
        Of the .log; the .cfg is looked for beside it.
    name
        Of the run.
    lines
        Those of runs, of which this is one.
    """
    said = configured(_text(path))
    limit = lines.filter(pl.col(RUN) == name)["limit"].drop_nulls().head(1)
    row = {RECORD: 1, "session_id": name, **named(name.rsplit("/", 1)[-1]), **said}
    row["time_limit"] = limit[0] if len(limit) else None
    return pl.DataFrame([row], schema={key: pl.Int64 if key == RECORD else pl.String for key in row})


def named(name: str) -> dict[str, str | None]:
    """Return system, topic and searcher from the name of a run.

    >>> named("bm25-303-patient")
    {'system_id': 'bm25', 'topic_id': '303', 'user_id': 'patient'}
    """
    match = NAME.fullmatch(name)
    return match.groupdict() if match else dict.fromkeys(("system_id", "topic_id", "user_id"))


def configured(text: str) -> dict[str, str]:
    """Return what a .cfg says of a run; the system is the simulation without topic and searcher.

    >>> configured("SIMULATION 'bm25-7-eager'\\n Topic: 7\\n User Configuration (eager):\\n wmodel: BM25")
    {'topic_id': '7', 'user_id': 'eager', 'wmodel': 'BM25', 'system_id': 'bm25'}
    """
    said = {key: match[1] for key, pattern in SAID.items() if (match := pattern.search(text)) and match[1]}
    simulation = said.pop("simulation", "")
    ending = f"-{said.get('topic_id')}-{said.get('user_id')}"
    if simulation.endswith(ending) and simulation != ending:
        said["system_id"] = simulation.removesuffix(ending)
    return said


def _text(log: Path) -> str:
    """Return the text of the .cfg beside a .log; nothing where there is none."""
    bare = log.with_suffix("") if log.suffix in PACKED else log
    for path in (bare.with_suffix(".cfg"), *(bare.with_suffix(f".cfg{packed}") for packed in PACKED)):
        if not path.is_file():
            continue
        try:
            with unpacked(path) as stream:
                return stream.read().decode("utf-8", errors="replace")
        except DAMAGED as error:
            raise cut_short(path.name, error) from None
    return ""
