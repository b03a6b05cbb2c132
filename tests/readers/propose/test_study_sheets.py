"""Twelve sheets of studies as colleagues keep them: all are proposed so that every value is right once ``max_grade`` is said."""

import random
import re
from collections import Counter

import pytest

pytest.importorskip("xlsxwriter", reason="writes workbooks")
pytest.importorskip("fastexcel", reason="reads workbooks")

from sessionkit.readers.propose.propose import propose
from tests.support import study_sheets
from tests.support.study_sheets import SHEETS

WORDS = "judgments.grade_values"
EMPTY = "results.empty_list"
SESSION = "results.columns.session_id"
ASKED = {
    "german_semicolons": ["results.encoding", WORDS],
    "us_three_sheets": ["timezone", EMPTY],
    "french_per_participant": [WORDS],
    "dutch_file_per_session": [EMPTY, "results.base"],
    "spanish_two_weeks": ["timezone"],
    "finnish_unicode_text": [EMPTY],
    "portuguese_pipes": [EMPTY, WORDS, "questionnaires.values"],
    "italian_ods": ["timezone"],
    "uk_long_questionnaire": ["timezone", EMPTY, WORDS],
    "german_merged_headers": [SESSION],
    "us_everything": ["timezone", EMPTY],
    "german_messy": ["results.encoding", "results.number_queries", SESSION, WORDS],
}
"""What is asked of a sheet beside the top of the scale; what is proposed there is right already."""
KNOWN = ("user", "topic", "session", "system", "started_at")
"""What the truth says of a session; all else are answers of its participant."""


@pytest.fixture
def answered(tmp_path, quiet_read):
    """Propose a study.toml for a sheet, say the top of its scale, and read it."""

    def answered(sheet):
        made = propose(sheet.write(tmp_path), folder=tmp_path)
        text, many = re.subn(r"(?m)^# max_grade = .*$", f"max_grade = {sheet.max_grade}", made.text)
        assert many == 1
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


def require_right(sheet, study):
    """Check that a study says what the truth says."""
    for name, found in told(study, sheet).items():
        truth = rows(getattr(sheet.truth, name))
        assert [*truth - found][:3] == [*found - truth][:3] == [], name
    bad = study.rejected.collect().filter("row_kept").select("table", "record", "value").rows()
    assert sorted(bad) == sorted((table, record, value) for table, record, _, value in sheet.truth.bad_cells)


@pytest.mark.few(3, slow=6)
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_value_of_a_sheet_is_right(sheet, answered):
    made, study = answered(sheet)
    assert [question.place for question in made.questions] == ["max_grade", *ASKED[sheet.name]]
    require_right(sheet, study)
    assert not [note for note in study.notes if "are identical" in note or "kept as results" in note]


@pytest.mark.few(4)
@pytest.mark.slow
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_the_order_of_columns_does_not_matter(sheet, answered, monkeypatch):
    write = study_sheets.write_text

    def written(path, table, *args, **options):
        lines = [list(row) for row in table]
        order = random.Random(len(lines[0])).sample(range(len(lines[0])), len(lines[0]))  # noqa: S311
        return write(path, [[row[at] for at in order] for row in lines], *args, **options)

    monkeypatch.setattr(study_sheets, "write_text", written)
    require_right(sheet, answered(sheet)[1])
