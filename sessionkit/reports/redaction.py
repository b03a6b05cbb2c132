"""Leaving out of a report what must not be passed on: people, queries and documents become numbers or dots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import get_args

import polars as pl

from sessionkit.arguments import names_in
from sessionkit.choices import RedactedKind
from sessionkit.display.words import counted, listed
from sessionkit.errors import DataWarning, UsageError, suggestion
from sessionkit.privacy.options import Column, PrivacyOptions, extras_of
from sessionkit.privacy.repeats import VALUES, Repeats, find_repeats
from sessionkit.readers.raw import OF_SHEET, READ_BY
from sessionkit.study import Study

KINDS: tuple[RedactedKind, ...] = get_args(RedactedKind)
QUOTED = re.compile(r"(?<!\w)(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")")
"""What is quoted: an apostrophe behind a letter, as in users' or Holm's, begins no quotation."""

HINT = re.compile(r"(?:[;,] [\w ,]+: sessionkit [\w -]+| \(sessionkit [\w -]+\))(?=\.?$)")
"""A hint for an author, such as ``; see: sessionkit check`` at the end of a note: a reader of the page has no command line."""


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
        quote from the log becomes dots, and the files that the log was read from become ``source 1``.
        Systems and topics stay, unless one of them repeats a redacted id or text: then all become ``topic 1``.
    sources
        The numbered names of the files, by the names that notes may call them; the longest names first.
    repeats
        The columns of sessions that are numbered as their values repeat redacted ids or texts.
    """

    kinds: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict)
    repeats: Mapping[str, Repeats] = field(default_factory=dict)

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

    def for_study(self, study: Study) -> Redaction:
        """Return the same, which also knows the source files of a study, and its topics and systems that repeat what is redacted."""
        if not self.kinds:
            return self
        return replace(
            self, sources=names_of_files(study), repeats=find_redacted(study.unrestricted or study, self.kinds)
        )

    def without_repeats(self, study: Study) -> Study:
        """Return the study with numbers for topics or systems that repeat what is redacted, and with a note on it."""
        if not self.repeats:
            return study
        whole, sessions, notes = study.unrestricted or study, study.sessions, []
        for column, counts in self.repeats.items():
            word = column.removesuffix("_id")
            names = whole.sessions.select(pl.col(column).drop_nulls().unique().sort()).collect()[column]
            # leading zeros keep the order of the names, and so which system is subtracted
            numbers = pl.Series(range(1, len(names) + 1)).cast(pl.String).str.zfill(len(str(len(names))))
            sessions = sessions.with_columns(pl.col(column).replace(names, f"{word} " + numbers))
            repeat = "repeats" if counts.certain == 1 else "repeat"
            values = listed([VALUES.get(name, f"values of {name}") for name in counts.columns])
            notes.append(f"{counted(counts.certain, word)} {repeat} {values}, so all {word}s are numbered")
        unrestricted = None if study.unrestricted is None else self.without_repeats(study.unrestricted)
        numbered = study.with_tables(sessions=sessions)
        return replace(numbered, notes=(*study.notes, *notes), unrestricted=unrestricted)

    def frame(self, frame: pl.DataFrame, study: Study) -> pl.DataFrame:
        """Return a frame with the ids in it replaced."""
        if "users" in self.kinds:
            for table, column, word in ((study.sessions, "session_id", "session"), (study.users, "user_id", "user")):
                ids = table.select(column)
                frame = _numbered(frame, column, ids, word)
                # judgments can be given by session or by user
                frame = _numbered(frame, "judgment_key", ids.rename({column: "judgment_key"}), word)
            if "judge_id" in frame.columns:
                judges = study.judgments.select("judge_id").drop_nulls()
                frame = _numbered(frame, "judge_id", judges, "judge")
                frame = _numbered(frame, "other", judges.rename({"judge_id": "other"}), "judge")
        if ("queries" in self.kinds or "topic_id" in self.repeats) and "judgment_key" in frame.columns:
            topics = study.sessions.select(judgment_key="topic_id").drop_nulls()
            keys = frame.lazy().select("judgment_key").join(topics, on="judgment_key", how="anti")
            frame = _numbered(frame, "judgment_key", keys, "key")
        return frame

    def note(self, text: str) -> str:
        """Return a note without the command it ends with; where anything is redacted, also without what it quotes and names."""
        text = HINT.sub("", text)
        if not self.kinds:
            return text
        if text.startswith(READ_BY):
            return f"{READ_BY}'…'"
        unquoted = QUOTED.sub("'…'", text)
        return self._files.sub(lambda match: self.sources[match[0]], unquoted) if self.sources else unquoted

    @cached_property
    def _files(self) -> re.Pattern[str]:
        """The names of files where they are words."""
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, self.sources))})(?:(?<=/)|(?!\w))")

    def warning(self, warning: DataWarning) -> str:
        """Return what a warning says, without the names in it."""
        return self.note(warning.nameless) if self.kinds else str(warning)


def find_redacted(study: Study, kinds: frozenset[str]) -> dict[str, Repeats]:
    """Return what topics and systems certainly repeat of redacted ids and texts, by the rules of `sessionkit.pseudonymize`."""
    replaced = {"queries"} & kinds | ({"users", "sessions", "judges"} if "users" in kinds else set())
    if not replaced:
        return {}
    # names and addresses beside users are redacted with the users alone
    kept: list[Column] = [("users", column) for column in extras_of(study)["users"] if "users" not in kinds]
    repeats = find_repeats(study, PrivacyOptions(frozenset(replaced), keep=frozenset(kept)))
    columns = ("topic_id", "system_id")
    return {column: counts for (_, column), counts in repeats.items() if column in columns and counts.certain}


def numbers_of_sources(study: Study) -> dict[str, str]:
    """Return ``source 1`` and so on by the paths of a study's sources."""
    return {path: f"source {number}" for number, path in enumerate(dict.fromkeys(one.path for one in study.sources), 1)}


def names_of_files(study: Study) -> dict[str, str]:
    """Return what stands in place of each name by which a note can call the study or one of its files, the longest first.

    A note may leave out the sheet or the folders. Sources that are tables in memory have names of sessionkit's own.
    """
    numbers = numbers_of_sources(study)
    names: dict[str, str] = {}
    for path in [source.path for source in study.sources if source.sha256 is not None]:
        file = path.partition(OF_SHEET)[0]
        parts = PurePath(file).parts
        shorter = (str(PurePath(*parts[first:])) for first in range(len(parts)))
        folders = (f"{PurePath(*parts[:last])}/" for last in range(1, len(parts)))
        for name in (path, *shorter):
            names.setdefault(name, numbers[path])
        for name in folders:
            names.setdefault(name, "a folder ")
    for place in (str(study.path or ""), study.address or ""):
        names |= {place: "the study"} if place else {}
    return dict(sorted(names.items(), key=lambda entry: -len(entry[0])))


def _numbered(frame: pl.DataFrame, column: str, ids: pl.LazyFrame, word: str) -> pl.DataFrame:
    """Replace the ids of a column by their number among all ids, sorted."""
    if column not in frame.columns:
        return frame
    known = ids.unique().sort(column).with_row_index("_number", offset=1).collect()
    names = known.select(column, _name=pl.concat_str(pl.lit(f"{word} "), "_number"))
    joined = frame.join(names, on=column, how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("_name", column).alias(column)).drop("_name")
