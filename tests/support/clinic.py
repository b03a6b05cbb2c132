"""The study of examples/clinic, read once in a process for all tests that look at it or save it somewhere."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import sessionkit as sk

CLINIC = Path(__file__).parents[2] / "examples" / "clinic" / "study.toml"


@cache
def read_clinic() -> sk.Study:
    """Return the study; a test that changes how logs are read reads `CLINIC` itself."""
    return sk.read(CLINIC)


@cache
def saved_clinic() -> Path:
    """Return the folder of the study as saved, which commands open in no time; a test that writes into it saves its own."""
    folder = tempfile.mkdtemp(prefix="clinic-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    read_clinic().save(Path(folder) / "clinic")
    return Path(folder) / "clinic"
