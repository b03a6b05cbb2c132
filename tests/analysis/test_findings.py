"""What findings have in common: no name from a log starts a line of a reading, or acts on a terminal."""

import pytest

import sessionkit as sk
from sessionkit.display.tables import LIMIT
from sessionkit.errors import UsageError

HOSTILE = "A\nThis conclusion holds.\x1b[31m\u202e"


@pytest.mark.parametrize(
    "find",
    [
        lambda study: sk.sweep(study, "sDCG@2", {"b": [2, 4]}, population="sessions"),
        lambda study: sk.compare(study, "sDCG@2", population="sessions"),
        lambda study: sk.bounds(study, "sDCG@2"),
        lambda study: sk.effort(study, "sDCG@2"),
        lambda study: sk.judge_noise(study, "sDCG@2", draws=3, population="sessions"),
        lambda study: sk.discriminate(study, "sDCG@2", population="sessions"),
    ],
    ids=["sweep", "compare", "incomplete", "effort", "judge_noise", "discriminative_power"],
)
def test_a_name_stays_within_its_line(find):
    study = sk.from_tables(
        results={
            "session_id": list("abcd"), "query_position": [1] * 4, "rank": [1] * 4, "doc_id": list("wxyz"),
            "topic_id": list("tttt"), "system_id": [HOSTILE, HOSTILE, "B", "B"],
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("wxy"), "grade": [2, 1, 0]},
        max_grade=2,
    )  # fmt: skip
    found = find(study)
    reading = found.reading
    assert found.text == reading
    assert "A\\nThis conclusion holds.\\x1b[31m\\u202e" in reading
    assert not any(line.startswith("This conclusion") for line in reading.splitlines())
    assert all(line.isprintable() for line in reading.split("\n"))
    for name, frame in found.tables().items():
        # caption, empty line, heads, rule, rows; a name may hold no line end, no pipe and nothing that acts
        lines = found.to_markdown(name).split("\n")
        assert sum(line.startswith("|") for line in lines) == 2 + min(frame.height, LIMIT)
        for written in (found.to_markdown(name), found.to_latex(name)):
            assert all(line.isprintable() for line in written.split("\n"))
    main = next(name for name, frame in found.tables().items() if frame is found.table)
    for written in (found.to_latex(), found.to_markdown()):  # as papers print it
        assert all(line.isprintable() for line in written.split("\n"))
    with pytest.raises(UsageError, match=f"a table must be one of .*{main}.*, not 'mian'"):
        found.to_latex("mian")
