"""Fields of lines: a piece of a file is read as its lines are, whichever way it goes."""

from dataclasses import fields

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from sessionkit.contract import RECORD
from sessionkit.readers.flat import lines
from sessionkit.readers.flat.bands import Piece
from sessionkit.readers.flat.lines import fields_of
from sessionkit.readers.io.log_files import LogFile, open_log

NAMES = ("user", "text", "rank")
RULE = "line_has_three_fields"
HEADER = "user\ttext"
WHOLE = st.tuples(
    st.sampled_from(["1", "u", "ü", '"', "#"]), st.sampled_from(["", "a b", '"', "\ufeff"]), st.sampled_from(["", "3"])
)
ODD = st.sampled_from(
    [
        "",
        " ",
        "\t\t",
        " \t\t",
        "1",
        "1\ta",
        "1\ta\t",
        "1\ta\t3\t",
        "1\ta\t3\t4\t5",
        "\ta\t3",
        "1\ta\t3\r",
        "1\ta\t3\r\r",
        "\ufeff1\ta\t",
        HEADER,
        f"{HEADER}\tx",
    ]
)


def piece_of(file, text, first):
    """A piece of a file with this text."""
    return Piece(**{one.name: getattr(file, one.name) for one in fields(LogFile)}, text=text, first=first)


@given(
    st.lists(st.one_of(WHOLE.map("\t".join), WHOLE.map("\t".join), ODD), min_size=1, max_size=7),
    st.sampled_from(["", "\n"]),
    st.sampled_from([None, HEADER]),
)
@example(["1\ta", "1\ta\t3\t"], "", None)  # a field too few and one too many
def test_a_piece_is_read_as_its_lines_are(tmp_path_factory, found, ending, header):
    folder = tmp_path_factory.mktemp("lines")
    text = "x\n" + "\n".join(found) + ending
    (folder / "a.txt").write_text(text, encoding="utf-8", newline="")
    file = open_log("a.txt", folder, folder)
    piece = piece_of(file, text.encode().removeprefix(b"x\n"), 2)
    read = [fields_of(one, NAMES, (3,), RULE, header=header).collect() for one in (file, piece)]
    assert_frame_equal(read[1], read[0].filter(pl.col(RECORD) > 1))


def test_whole_lines_are_not_split_by_hand(tmp_path, monkeypatch):
    """Else reading is several times as slow, and nothing says so."""
    monkeypatch.setattr(lines, "lines_of", lambda file: pytest.fail(f"{file.name} was split line by line"))
    (tmp_path / "a.txt").write_text("1\ta\t\n")
    file = open_log("a.txt", tmp_path, tmp_path)
    text = b"user\ttext\trank\n1\ta\t\n2\t\t3\n"
    read = fields_of(piece_of(file, text, 1), NAMES, (2, 3), RULE, header=HEADER).collect()
    assert read.rows() == [(2, "1", "a", None, None, None), (3, "2", None, "3", None, None)]
