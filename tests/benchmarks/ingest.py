"""Ingest works: text tables to a checked study, beside the same tables to Parquet unchecked; and what a study weighs.

Both read and write all four tables of a log. The unchecked way is told the types, checks nothing, keeps no counts and
hashes nothing; ours is `sessionkit ingest` with nothing but the names of the files.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import polars as pl
from defusedxml.ElementTree import iterparse

from sessionkit.cli import main
from tests.benchmarks.logs import TYPES
from tests.benchmarks.work import Done, compiled, work

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic" / "study.toml"
Places = tuple[Path, Path]
AOL = {
    "AnonID": pl.String,
    "Query": pl.String,
    "QueryTime": pl.String,
    "ItemRank": pl.Int32,
    "ClickURL": pl.String,
}
"""The columns of the AOL log."""
LITTLE = ("--memory", "500MB")
"""Memory that holds the records of no log that is ingested here."""


def _places(log: Path, scratch: Path) -> Places:
    """Return the folder of the log and one to write to, after an ingest of the clinic: what is imported is not timed."""
    compiled()
    _ingest(CLINIC, scratch / "clinic")
    shutil.rmtree(scratch / "clinic")
    return log, scratch


@work(_places)
def delimited_unchecked(places: Places) -> int:
    """Delimited text scanned to Parquet, types given, nothing checked."""
    log, scratch = places
    for name, types in TYPES.items():
        _sink(pl.scan_csv(log / f"{name}.tsv", separator="\t", schema=types), scratch / f"{name}.parquet")
    return _rows(scratch)


@work(_places)
def ndjson_unchecked(places: Places) -> int:
    """NDJSON scanned to Parquet, types given, nothing checked."""
    log, scratch = places
    for name, types in TYPES.items():
        _sink(pl.scan_ndjson(log / f"{name}.ndjson", schema=types), scratch / f"{name}.parquet")
    return _rows(scratch)


@work(_places)
def ingest_delimited(places: Places) -> int:
    """Delimited text ingested by `sessionkit ingest`."""
    return _ingested(places, "delimited.toml")


@work(_places)
def ingest_ndjson(places: Places) -> int:
    """NDJSON ingested by `sessionkit ingest`."""
    return _ingested(places, "ndjson.toml")


@work(_places)
def delimited_within(places: Places) -> int:
    """The same within little memory, so that the records are in files while they are checked."""
    return _ingested(places, "delimited.toml", *LITTLE)


@work(_places)
def ndjson_within(places: Places) -> int:
    """The same of NDJSON."""
    return _ingested(places, "ndjson.toml", *LITTLE)


@work(_places)
def aol_unchecked(places: Places) -> int:
    """The AOL log scanned to Parquet, types given, nothing checked."""
    log, scratch = places
    lines = pl.scan_csv(log / "log.txt", separator="\t", quote_char=None, schema=AOL)
    _sink(lines, scratch / "results.parquet")
    return _rows(scratch)


@work(_places)
def ingest_aol(places: Places) -> int:
    """The AOL log ingested by `sessionkit ingest`: sessions cut, lines of one query brought together."""
    return _ingested(places, "log.txt")


@work(_places)
def xml_walked(places: Places) -> int:
    """XML walked element by element as defusedxml does it, every element cleared, nothing read from it."""
    many = 0
    for _, element in iterparse(places[0] / "log.xml"):
        many += 1
        element.clear()
    return many


@work(_places)
def ingest_xml(places: Places) -> int:
    """XML of the TREC Session Track ingested by `sessionkit ingest`."""
    return _ingested(places, "log.xml")


@work(_places)
def size_of_tables(places: Places) -> Done:
    """Bytes of the public columns of results, queries, sessions and judgments, as Parquet by polars' defaults."""
    log, scratch = places
    for name in TYPES:
        _sink(pl.scan_parquet(log / f"{name}.parquet"), scratch / f"{name}.parquet")
    return Done(_bytes(scratch))


@work(_places)
def size_of_study(places: Places) -> Done:
    """Bytes of the saved study, private columns and all."""
    return Done(_bytes(places[0] / "study"))


def _sink(frame: pl.LazyFrame, path: Path) -> None:
    """Write a frame as studies are written, in the order it comes."""
    frame.sink_parquet(path, compression="zstd", statistics=True, row_group_size=2**18, maintain_order=True)


def _ingested(places: Places, config: str, *options: str) -> int:
    """Ingest and return the rows of the results."""
    log, scratch = places
    _ingest(log / config, scratch / "study", *options)
    return _rows(scratch / "study")


def _ingest(source: Path, study: Path, *options: str) -> None:
    """Do what the command does."""
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        status = main(["ingest", str(source), "--out", str(study), *options])
    if status:
        raise SystemExit(status)


def _rows(folder: Path) -> int:
    """Return how many results were written."""
    files = sorted(folder.glob("results*/**/*.parquet")) or [folder / "results.parquet"]
    return pl.scan_parquet(files, glob=False).select(pl.len()).collect().item()


def _bytes(folder: Path) -> int:
    """Return the size of everything in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
