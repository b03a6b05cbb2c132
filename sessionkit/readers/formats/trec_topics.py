"""Maps from sessions of the TREC Session Track to their topics: fields between blanks, with or without a header.

==== ==============================================================================
2011 ``session topic subtopic``, several rows a session
2012 tabs, a header; session, topic, a column that is not used, product, goal, type of task
2013 ``session topic``, no header
2014 at least two columns
==== ==============================================================================

As in the track's own script a row whose second field is not all digits is skipped, which a header is as well.
"""

from __future__ import annotations

from pathlib import Path

from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import open_log, text_of

TASKS = ("product", "goal", "task_type")
"""What the fourth to sixth column of a map with six columns are."""


def read_topics(path: Path | None, workspace: Path) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return what a map says of each session, by its number, and what was unusual.

    Raises
    ------
    DataError
        The file is missing or unreadable, or no row of it names a session and a topic.
    """
    if path is None:
        return {}, []
    file = open_log(path.name, path.parent, workspace)
    found: dict[str, dict[str, str]] = {}
    skipped: list[str] = []
    several = 0
    for number, line in enumerate(text_of(file).splitlines(), 1):
        fields = [field.strip() for field in line.split("\t")] if line.count("\t") else line.split()
        if not line.strip():
            continue
        if len(fields) < 2 or not fields[1].isdecimal():
            skipped.append(f"{number} ({line.strip()[:60]!r})")
            continue
        session, topic = fields[0], fields[1]
        known = found.setdefault(session, {"topic_id": topic})
        several += known["topic_id"] != topic
        if len(fields) == 3:
            before = known.get("topic_subtopics")
            known["topic_subtopics"] = f"{before} {fields[2]}" if before else fields[2]
        elif len(fields) > 3:
            known |= {f"topic_{name}": field for name, field in zip(TASKS, fields[3:], strict=False) if field}
    if not found:
        raise DataError(
            f"{file.name} maps no session to a topic; a row is the number of a session, then that of a topic"
        )
    notes = [f"{file.name}: topics of {counted(len(found), 'session')}"]
    if skipped:
        notes.append(
            f"{file.name}: skipped as no session with the number of a topic: line {', '.join(skipped[:3])}"
            + (f" and {len(skipped) - 3:,} more" if len(skipped) > 3 else "")
        )
    if several:
        notes.append(f"{file.name}: {several:,} rows give a session another topic than its first, which is kept")
    return found, notes
