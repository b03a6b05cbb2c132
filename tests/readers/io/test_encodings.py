"""Logs in other encodings, copied to UTF-8 with every line kept."""

import pytest

from sessionkit.readers.io import files
from sessionkit.readers.io.files import in_utf8, open_log

TEXT = "猫\t花园\nplain\n小屋\t1\n"


@pytest.fixture
def copied(write, tmp_path):
    """Write a file of these bytes; return it in UTF-8, and as it lies there."""
    (tmp_path / "copies").mkdir()

    def copied(data, encoding):
        file = open_log(str(write("log.txt", data)), tmp_path, tmp_path, as_is=encoding is not None)
        return in_utf8(file, encoding, tmp_path / "copies"), file

    return copied


@pytest.mark.parametrize("piece", [3, 1 << 20])  # three bytes: characters are cut between pieces
@pytest.mark.parametrize(("encoding", "said"), [("gbk", None), ("gb18030", "gb18030"), ("utf-16-le", "utf-16-le")])
def test_the_text_is_the_same(copied, monkeypatch, piece, encoding, said):
    monkeypatch.setattr(files, "PIECE", piece)
    copy, _ = copied(TEXT.encode(encoding), said)
    assert copy.file.path.read_text(encoding="utf-8") == TEXT
    assert copy.file.head.decode() == TEXT
    assert copy.unreadable == 0


def test_utf8_stays_where_it_is(copied):
    copy, file = copied(TEXT.encode(), None)
    assert copy.file == file


def test_what_cannot_be_read_costs_no_end_of_line(copied):
    copy, _ = copied("猫\n".encode("gbk") + b"a\xff\nb\x81\nc\n", "gbk")
    assert copy.file.path.read_text(encoding="utf-8") == "猫\na\ufffd\nb\ufffd\nc\n"
    assert copy.unreadable == 2
