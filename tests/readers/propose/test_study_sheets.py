"""Twelve sheets of studies as colleagues keep them: how many are proposed with every value right, and what is asked of the others.

A sheet is right where the proposal, once ``max_grade`` is answered, reads with every value of the truth.
"""

from collections import Counter

import pytest

pytest.importorskip("xlsxwriter", reason="writes workbooks")
pytest.importorskip("fastexcel", reason="reads workbooks")

from sessionkit.readers.propose.draft import propose
from tests.support.study_sheets import SHEETS

ANSWERS: dict[str, list[tuple[str, str]]] = {}
"""By sheet the lines of the proposal that its questions ask to change, and what they become; none but ``max_grade`` elsewhere."""
AT_ONCE = [sheet.name for sheet in SHEETS if sheet.name not in ANSWERS]
KNOWN = ("user", "topic", "session", "system", "started_at")
"""What the truth says of a session; all else are answers of its participant."""


@pytest.fixture
def answered(tmp_path, quiet_read):
    """Propose a study.toml for a sheet, answer its questions, and read it."""

    def answered(sheet):
        made = propose(sheet.write(tmp_path), folder=tmp_path)
        answers = [
            (line, f"max_grade = {sheet.max_grade}") for line in made.text.split("\n") if "# max_grade =" in line
        ]
        text = made.text
        for line, answer in [*answers, *ANSWERS.get(sheet.name, [])]:
            assert text.count(f"{line}\n") == 1, f"no line {line!r} in\n{text}"
            text = text.replace(f"{line}\n", f"{answer}\n")
        (tmp_path / "study.toml").write_text(text, encoding="utf-8")
        return made, quiet_read(tmp_path / "study.toml")

    return answered


def rows(found):
    """Return rows as what can be counted."""
    return Counter(tuple(sorted(row.items())) for row in found)


def told(study, sheet):
    """Return what a study says, as the truth says it: answers among the columns of sessions and of users."""
    truth, own = sheet.truth, sheet.truth.sessions[0]
    people = study.users.collect().to_dicts()
    sessions = [
        {**next((user for user in people if user["user_id"] == row["user_id"]), {}), **row}
        for row in study.sessions.collect().to_dicts()
    ]
    key = {
        row["session_id"]: {
            "user": row["user_id"],
            "topic": row["topic_id"],
            "session": row["session_id"] if own["session"] else None,
        }
        for row in sessions
    }
    said = {
        "sessions": [
            {
                **key[row["session_id"]],
                **({"system": row["system_id"]} if "system" in own else {}),
                **({"started_at": plain(row["started_at"])} if "started_at" in own else {}),
                **{item: row[item] for item in own if item not in KNOWN},
            }
            for row in sessions
        ],
        "queries": [
            {
                **key[row["session_id"]],
                "position": row["query_position"],
                "text": row["query_text"],
                **({"issued_at": plain(row["issued_at"])} if "issued_at" in truth.queries[0] else {}),
            }
            for row in study.queries.collect().to_dicts()
        ],
        "results": [
            {
                **key[row["session_id"]],
                "position": row["query_position"],
                **{name: row[name] for name in ("rank", "doc_id")},
                "clicks": row["clicks"] if "clicks" in row else int(row["clicked"]),
                "dwell_seconds": row["dwell_seconds"],
                **({"user_grade": row["user_grade"]} if "user_grade" in truth.results[0] else {}),
            }
            for row in study.results.collect().to_dicts()
        ],
        "judgments": [
            {"topic": row["judgment_key"], "doc_id": row["doc_id"], "grade": row["grade"]}
            for row in study.judgments.collect().unique(["judgment_key", "doc_id", "grade"]).to_dicts()
        ],
    }
    return {name: rows(found) for name, found in said.items()}


def plain(time):
    """Return a time without its zone, which no sheet names."""
    return time and time.replace(tzinfo=None)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_value_of_a_sheet_is_right(sheet, answered):
    _, study = answered(sheet)
    for name, found in told(study, sheet).items():
        truth = rows(getattr(sheet.truth, name))
        assert [*truth - found][:3] == [*found - truth][:3] == [], name
    bad = study.rejected.collect().filter("row_kept").select("table", "record", "value").rows()
    assert sorted(bad) == sorted((table, record, value) for table, record, _, value in sheet.truth.bad_cells)


def test_so_many_are_right_once_the_top_of_the_scale_is_said():
    assert len(AT_ONCE) == 12
