"""Definitions of two trees."""
from pathlib import Path
def compare(old: Path, new: Path, mapping: Path, package: str) -> list[str]:
    return []
