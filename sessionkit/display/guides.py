"""The guides as texts, and the glossary among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

GUIDES = Path(__file__).parents[1] / "guides"
GLOSSARY = "terms"
"""The guide that says what words mean, an entry for each."""


def guide(topic: str) -> str:
    """Return the text of a guide."""
    return (GUIDES / f"{topic}.md").read_text(encoding="utf-8")


@cache
def glossary() -> Mapping[str, str]:
    """Return what words mean, by each form of the word in lower case."""
    entries = re.findall(r"^- ((?:\*\*.+?\*\*,? ?)+): ((?:.*\n)(?:  .*\n)*)", guide(GLOSSARY), re.MULTILINE)
    return {
        word.casefold(): f"{word}: {' '.join(text.split())}"
        for words, text in entries
        for word in re.findall(r"\*\*(.+?)\*\*", words)
    }
