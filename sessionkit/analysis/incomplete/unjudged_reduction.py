"""What tasks about unjudged documents are asked beside: which these are, and what they could turn out to be."""

from __future__ import annotations

from dataclasses import dataclass

from sessionkit.analysis.incomplete.document_reduction import OverDocuments
from sessionkit.analysis.incomplete.pool import Pool


@dataclass(frozen=True, eq=False)
class OverUnjudged(OverDocuments):
    """A task that looks at unjudged documents.

    Parameters
    ----------
    pool
        What is unjudged in the whole study.
    top
        Best grade of the scale, if it is known.
    """

    pool: Pool
    top: float | None
