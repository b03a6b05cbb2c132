"""Leaving out of a report what must not be passed on: people, queries and documents become numbers or dots."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

import polars as pl

from sessionkit.arguments import names_in
from sessionkit.choices import RedactedKind
from sessionkit.errors import DataWarning, UsageError, suggestion
from sessionkit.study import Study

KINDS: tuple[RedactedKind, ...] = get_args(RedactedKind)
QUOTED = re.compile(r"(?<!\w)(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")")
"""What is quoted: an apostrophe behind a letter, as in users' or Holm's, begins no quotation."""


@dataclass(frozen=True)
class Redaction:
    """What is left out.

    Parameters
    ----------
    kinds
        Any of ``"users"`` (ids of users, sessions and judges become ``user 1``, ``session 1``, ``judge 1``, in the order of
        the ids),
        ``"queries"`` (their texts are not there; judgment keys that are no topics become ``key 1``) and ``"documents"``
        (they become ``document 1`` in the order in which the session explorer comes upon them; their titles are not there, nor are
        snippets, which go with queries too). With any of them, what notes
        quote from the log becomes dots. Systems and topics stay.
    """

    kinds: frozenset[str] = frozenset()

    @classmethod
    def of(cls, kinds: str | Iterable[str]) -> Redaction:
        """Return the redaction of these kinds.

        Raises
        ------
        UsageError
            There is no such kind.
        """
        names = names_in("redact", kinds)
        for name in names:
            if name not in KINDS:
                known = ", ".join(KINDS)
                raise UsageError(f"redact can leave out {known}, not {name!r}{suggestion(name, KINDS)}")
        return cls(frozenset(names))

    def frame(self, frame: pl.DataFrame, study: Study) -> pl.DataFrame:
        """Return a frame with the ids in it replaced."""
        if "users" in self.kinds:
            frame = _numbered(frame, "user_id", study.users.select("user_id"), "user")
            sessions = study.sessions.select("session_id")
            frame = _numbered(frame, "session_id", sessions, "session")
            keys = sessions.rename({"session_id": "judgment_key"})  # judgments can be given by session
            frame = _numbered(frame, "judgment_key", keys, "session")
            if "judge_id" in frame.columns:
                judges = study.judgments.select("judge_id").drop_nulls()
                frame = _numbered(frame, "judge_id", judges, "judge")
                frame = _numbered(frame, "other", judges.rename({"judge_id": "other"}), "judge")
        if "queries" in self.kinds and "judgment_key" in frame.columns:
            topics = study.sessions.select(judgment_key="topic_id").drop_nulls()
            keys = frame.lazy().select("judgment_key").join(topics, on="judgment_key", how="anti")
            frame = _numbered(frame, "judgment_key", keys, "key")
        return frame

    def note(self, text: str) -> str:
        """Return a note without what it quotes."""
        return QUOTED.sub("'…'", text) if self.kinds else text

    def warning(self, warning: DataWarning) -> str:
        """Return what a warning says, without the names in it."""
        return self.note(warning.nameless) if self.kinds else str(warning)


def _numbered(frame: pl.DataFrame, column: str, ids: pl.LazyFrame, word: str) -> pl.DataFrame:
    """Replace the ids of a column by their number among all ids, sorted."""
    if column not in frame.columns:
        return frame
    known = ids.unique().sort(column).with_row_index("_number", offset=1).collect()
    names = known.select(column, _name=pl.concat_str(pl.lit(f"{word} "), "_number"))
    joined = frame.join(names, on=column, how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("_name", column).alias(column)).drop("_name")
