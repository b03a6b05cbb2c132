"""Fields of lines: each line with an allowed number of fields is a record, any other breaks the rule."""

import pytest

from sessionkit.readers.events.flat_logs import fields_of
from sessionkit.readers.io.files import open_log

NAMES = ("user", "text", "rank")
RULE = "line_has_three_fields"
HEADER = "user\ttext"


@pytest.mark.parametrize(
    ("line", "fields", "broken"),
    [
        ("1\ta\t3", ("1", "a", "3"), None),
        ("1\ta\t", ("1", "a", None), None),
        (" \t\t3", (" ", None, "3"), None),
        ("\ufeff1\ta\t3\r", ("1", "a", "3"), None),
        ('"\t"\t#', ('"', '"', "#"), None),
        ("1\ta", ("1", "a", None), "2 fields"),
        ("1\ta\t3\t", ("1", "a", "3"), "4 fields"),
        ("1\ta\t3\t4\t5", ("1", "a", "3"), "5 fields"),
    ],
)
def test_a_line_is_a_record(tmp_path, line, fields, broken):
    (tmp_path / "a.txt").write_text(f"{HEADER}\tx\n \n{line}\n", encoding="utf-8", newline="")
    read = fields_of(open_log("a.txt", tmp_path, tmp_path), NAMES, (3,), RULE, header=HEADER).collect()
    assert read.rows() == [(3, *fields, RULE if broken else None, broken)]
