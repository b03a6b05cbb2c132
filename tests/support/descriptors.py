"""Edits of a saved study's ``datapackage.json``, with or without the digest that fits."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.study.descriptor import digest_of, sha256


def edit_descriptor(folder: Path, edit: Callable[[dict[str, Any]], object], *, is_signed: bool = True) -> None:
    """Edit the descriptor of a study; a signed one has the digest of what it says then, as a forger would work it out."""
    path = folder / "datapackage.json"
    descriptor = json.loads(path.read_text(encoding="utf-8"))
    edit(descriptor)
    if is_signed:
        descriptor["sessionkit"]["digest"] = digest_of(descriptor)
    path.write_text(json.dumps(descriptor), encoding="utf-8")


def sign_file(descriptor: dict[str, Any], folder: Path, table: str) -> None:
    """Give a table of one file the size, hash and rows that the file has now, as far as it can be read."""
    path = folder / f"{table}.parquet"
    (resource,) = (resource for resource in descriptor["resources"] if resource["name"] == table)
    resource.update(filesize=path.stat().st_size, hash=f"sha256:{sha256(path)}")
    with suppress(pl.exceptions.PolarsError):
        resource["rowcount"] = pl.read_parquet(path).height
    for part in descriptor["sessionkit"]["parts"]:
        if table in part["sha256"]:
            part["sha256"][table] = sha256(path)
