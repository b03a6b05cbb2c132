"""From unchecked sources to a Study on disk, part by part, for logs that do not fit in memory.

A part is all records of a range of sessions; it goes the way a whole log goes in memory, and its tables go to files of
their own. What depends on the whole log is decided before (``checks/decisions.py``, the types of extras); what is counted adds
up (``totals.py``). Users and judgments are taken to fit in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import TABLES
from sessionkit.readers.checks.assembly import Assembled, assemble
from sessionkit.readers.checks.completion import counts_of, finished, judged_keys, sources_of
from sessionkit.readers.checks.counts import AnomalyCounts
from sessionkit.readers.checks.decisions import Parts
from sessionkit.readers.checks.derive import with_users
from sessionkit.readers.checks.log_schemas import LOG
from sessionkit.readers.checks.notes import notice, notice_parts
from sessionkit.readers.checks.rejection import note_rejected, refuse_first
from sessionkit.readers.checks.set_aside import NOTHING, Aside
from sessionkit.readers.checks.small_log import Raws, log_of, notice_empty
from sessionkit.readers.checks.source_checks import CheckedSource, plain_part
from sessionkit.readers.checks.unusual import notice_unusual
from sessionkit.readers.large.routes import Course, Staged, Streamed
from sessionkit.readers.large.sizes import ENOUGH
from sessionkit.readers.large.totals import Gathered, Types
from sessionkit.readers.stream import StreamedLog
from sessionkit.study import Settings, Study, open_study
from sessionkit.study.package_writer import write_package
from sessionkit.study.prefetch import Ahead, in_turn
from sessionkit.study.storage import Storage, StudyBatch
from sessionkit.study.temporary import TemporaryFolder


class OtherTypesError(Exception):
    """Extras turned out to have other types once all rows were checked; carries these."""

    def __init__(self, types: Types) -> None:
        super().__init__()
        self.types = types


@dataclass(frozen=True)
class Beside:
    """What stands beside the log: users and judgments, checked, and what was declared."""

    users: CheckedSource | None
    judgments: list[CheckedSource]
    settings: Settings
    reader: str
    strict: bool
    aside: Callable[[], Aside]

    @property
    def judged(self) -> pl.DataFrame:
        """The table of judgments."""
        return finished("judgments", *(part.rows.accepted for part in self.judgments))


def large_study(
    raws: Raws,
    settings: Settings,
    *,
    defaults: Mapping[str, Any],
    reader: str,
    strict: bool,
    budget: int,
    workspace: Path,
    aside: Callable[[], Aside] = lambda: NOTHING,
    coming: StreamedLog | None = None,
) -> Study:
    """Return the study of these sources, written to a temporary folder that is there as long as the study is.

    Parameters
    ----------
    budget
        Bytes of memory that may be used.
    workspace
        A directory for files that are needed until the study is written.
    aside
        Asked for what the format found out beside the tables, once all of the log has come.
    coming
        Where the log comes from, which then is not in `raws`.

    Raises
    ------
    NotAsItComesError
        Its records cannot be taken as they come.
    """
    log = log_of(raws)
    course = Staged(log, budget, workspace) if coming is None else Streamed(coming, budget)
    at_once = coming.at_once if coming is not None and budget >= ENOUGH else 1
    users = plain_part(raws["users"][0]) if "users" in raws else None
    judgments = [plain_part(raw) for raw in raws.get("judgments", ())]
    beside = Beside(users, judgments, settings, reader, strict=strict, aside=aside)
    held = TemporaryFolder()
    types: Types | None = None
    with held.kept_on_success():
        while True:
            try:
                writing = Writing(course, beside, defaults, types, workspace / "rejected", at_once=at_once)
                writing.write(held.path / "study")
            except OtherTypesError as error:
                types = error.types
            else:
                break
    writing.notes.give_warnings()
    opened = open_study(held.path / "study")
    storage = replace(opened.storage, depths=writing.gathered.depths, package=opened.path, tables=None)
    return replace(opened, path=None, storage=storage)


class Writing:
    """A study on its way to a directory, part by part.

    Parameters
    ----------
    course
        Where the parts come from.
    types
        The types of extras that are text in the source; None for those that the first part says.
    folder
        A directory for rejected records.
    at_once
        How many parts are put together at a time.
    """

    def __init__(
        self,
        course: Staged | Streamed,
        beside: Beside,
        defaults: Mapping[str, Any],
        types: Types | None,
        folder: Path,
        *,
        at_once: int = 1,
    ) -> None:
        self.course, self.beside, self.defaults, self.types = course, beside, defaults, types
        self.judged = beside.judged
        self._keys = judged_keys(self.judged)
        shutil.rmtree(folder, ignore_errors=True)
        self.gathered, self.at_once = Gathered(folder), at_once

    def write(self, directory: Path) -> None:
        """Write the study."""
        # what runs in threads of its own is ended here, the last first, and not whenever it is forgotten
        with (
            closing(self.course.parts()) as parts,
            closing(self._made(parts)) as made,
            closing(Ahead(made)) as slices,
        ):
            write_package(
                _without_log(self.judged), directory, slices, lambda: self._study, seen=self.gathered.add_depths
            )

    def _made(self, parts: Course) -> Generator[StudyBatch, None, None]:
        """Return the finished tables of each part."""
        empty = None
        with closing(self._assembled(parts)) as assembled:
            for made, counts in assembled:
                self.gathered.add(made, counts)
                types = self.types = self.gathered.types if self.types is None else self.types
                tables = {name: finished(name, getattr(made, name), types=types.get(name, {})) for name in LOG}
                if made.sessions.height:
                    yield StudyBatch(tables["sessions"], tables["queries"], tables["results"], starts=made.starts)
                empty = StudyBatch(tables["sessions"].clear(), tables["queries"].clear(), tables["results"].clear())
        if not self.gathered.counts.facts.sessions and empty is not None:
            yield empty
        self._study = self._whole()  # while the last part is being written

    def _assembled(self, parts: Course) -> Generator[tuple[Assembled, AnomalyCounts], None, None]:
        """Return what each part becomes."""
        one_by_one = (self._put_together(part) for part in parts)
        with closing(in_turn(self._put_together, parts, self.at_once) if self.at_once > 1 else one_by_one) as made:
            for some in made:
                yield from some

    def _put_together(self, parts: Callable[[], Sequence[Parts]]) -> list[tuple[Assembled, AnomalyCounts]]:
        """Return the tables of some parts, and what is counted in each."""
        missing = self.beside.settings.missing_positions
        made = [assemble(part, self.course.decided, self.defaults, missing) for part in parts()]
        return [(one, counts_of(one, self._keys)) for one in made]

    def _whole(self) -> Study:
        """Return the study but for its log, all of which has come by now; note what was unusual."""
        gathered, beside, aside = self.gathered, self.beside, self.beside.aside()
        if gathered.types != self.types:
            raise OtherTypesError(gathered.types)
        notes = self.notes = aside.noticed()
        raws = [part.raw for part in (beside.users, *beside.judgments) if part is not None]
        notice_empty(sorted([*self.course.log.values(), *raws], key=lambda raw: TABLES.index(raw.table)), notes)
        self.course.notice(notes)
        frames = not all(raw.is_file for raw in self.course.log.values())
        notice_parts(gathered.counts, beside.settings, notes, frames=frames)
        rejected = gathered.all_rejected(beside.users, self.course.log.values(), beside.judgments, aside.cells)
        if beside.strict:
            refuse_first(rejected)
        note_rejected(rejected, notes)
        users = with_users(beside.users.rows.accepted if beside.users else None, gathered.users, notes)
        counts = replace(gathered.counts, facts=replace(gathered.counts.facts, judgments=self.judged.height))
        notice(counts, self.judged, beside.settings, notes)
        notice_unusual(counts.unusual, notes)
        log = [
            replace(source, records=member.records)
            for name, raw in self.course.log.items()
            for source, (_, member) in zip(gathered.sources[name], raw.parted, strict=True)
        ]
        return replace(
            _without_log(self.judged).with_tables(users=finished("users", users).lazy(), rejected=rejected),
            settings=beside.settings,
            sources=(
                *(sources_of(beside.users) if beside.users else ()),
                *log,
                *(source for part in beside.judgments for source in sources_of(part)),
                *aside.sources,
            ),
            reader=beside.reader,
            notes=tuple(notes.told),
            storage=Storage(facts=counts.facts),
        )


def _without_log(judgments: pl.DataFrame) -> Study:
    """Return a study of which only the judgments are there."""
    none = pl.LazyFrame()
    return Study(users=none, sessions=none, queries=none, results=none, judgments=judgments.lazy())
