"""Format ``tables``: logs that are tables already, as study.toml describes them or under our own column names.

Delimited text, NDJSON and Parquet, plain, .gz or .zst. One flat file is a results table from which the others are
derived.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sessionkit.contract import TABLES
from sessionkit.errors import DataError
from sessionkit.readers.assembly import assemble
from sessionkit.readers.columns import under_our_names
from sessionkit.readers.config import Config
from sessionkit.readers.delimited import read_delimited
from sessionkit.readers.files import LogFile, open_log
from sessionkit.readers.ndjson import read_ndjson
from sessionkit.readers.parquet import read_parquet
from sessionkit.readers.qrels import QRELS, looks_like_qrels, read_whitespace, without_idle_subtopic
from sessionkit.readers.raw import Raw
from sessionkit.study import Study

WHITESPACE = "whitespace"


def read_tables(config: Config, judgments: Sequence[Path] = (), *, strict: bool = False) -> Study:
    """Return the study a study.toml of format ``tables`` describes.

    Parameters
    ----------
    config
        The description; a lone log file is ``[results]`` with nothing but a path.
    judgments
        Further files of judgments, with our column names or as qrels.
    strict
        Whether to stop at the first record that breaks a rule.

    Raises
    ------
    DataError
        A file or column is missing, or (`strict`) a record breaks a rule.
    """
    if "results" not in config.tables and "queries" not in config.tables:
        raise DataError(f"{config.name} names neither [results] nor [queries]; a study needs the log of one of them")
    with tempfile.TemporaryDirectory(prefix="sessionkit-") as folder:
        workspace = Path(folder)
        raws = {
            name: [read_table(name, config.tables[name], config, workspace)] for name in TABLES if name in config.tables
        }
        for path in judgments:
            raws.setdefault("judgments", []).append(
                read_table("judgments", {"path": str(path)}, replace(config, folder=Path()), workspace)
            )
        return assemble(raws, config.settings, defaults=config.defaults, reader="tables", strict=strict)


def read_table(name: str, options: Mapping[str, Any], config: Config, workspace: Path) -> Raw:
    """Return one table's records under our column names."""
    file = open_log(options["path"], config.folder, workspace, encoding=options.get("encoding"))
    raw, numbered = _records(file, name, options)
    null = options.get("null", "")
    named = under_our_names(
        raw, options.get("columns", {}), nulls=(null,) if isinstance(null, str) else null, numbered=numbered
    )
    if set(QRELS) <= set(raw.frame.collect_schema()):
        named = without_idle_subtopic(named)
    zone = options.get("timezone", config.settings.timezone)
    return replace(named, timezone=zone, empty_list=options.get("empty_list"), base=_base(options))


def _records(file: LogFile, name: str, options: Mapping[str, Any]) -> tuple[Raw, bool]:
    """Return the records of a file of any kind, and whether its columns have numbers only."""
    separator = options.get("separator")
    if separator is None and file.kind != "text":
        return (read_parquet if file.kind == "parquet" else read_ndjson)(file, name), False
    undescribed = not {"separator", "columns", "header", "quote"} & set(options)
    if separator == WHITESPACE or (name == "judgments" and undescribed and looks_like_qrels(file)):
        header = options.get("header", name != "judgments")
        return read_whitespace(file, name, header=header), not header
    header = options.get("header", True)
    return read_delimited(
        file, name, separator=_separator(file, separator), quote=_quote(options), header=header
    ), not header


def _separator(file: LogFile, given: str | None) -> str:
    """Return the separator that was given or that the file's name implies."""
    separator = given or file.separator
    if separator is None:
        raise DataError(
            f"{file.name}: its name does not say what separates its fields; "
            'set separator = "\\t", "," or "whitespace" for it in study.toml'
        )
    return separator


def _base(options: Mapping[str, Any]) -> Mapping[str, int]:
    """Return what each declared column counts from; one number stands for all of them."""
    base = options.get("base", {})
    return base if isinstance(base, Mapping) else dict.fromkeys(("query_position", "rank"), base)


def _quote(options: Mapping[str, Any]) -> str | None:
    """Return the quote character, None when quotes are data."""
    quote = options.get("quote", True)
    if isinstance(quote, bool):
        return '"' if quote else None
    return str(quote)
