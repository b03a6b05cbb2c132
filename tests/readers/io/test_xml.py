"""Rows made of elements: lists that are regular and those that are not give the same.

XML as it streams by: what is refused, raw ampersands, pieces cut anywhere.
"""

import gc
import gzip
import tracemalloc

import polars as pl
import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.errors import DataError
from sessionkit.readers.io import xml
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.xml import ElementRows, Markup, block_of, regular, uncollected
from sessionkit.study.checks import RECORD
from tests.support.messages import match_parts

LEAVES = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y "])), max_size=3)
LISTS = st.lists(st.tuples(st.sampled_from([" rank='1'", " rank='2'", "", " rank='1' k='2'"]), LEAVES), max_size=4)


@given(LISTS)
def test_a_regular_list_says_what_its_elements_say(given_list):
    inside = "".join(
        f"<r{attributes}>{''.join(f'<{tag}>{text}</{tag}>' for tag, text in leaves)}</r>"
        for attributes, leaves in given_list
    )
    parent = fromstring(f"<l>{inside}</l>")
    block = regular(parent)
    one_by_one = block_of([dict(child.attrib) | {leaf.tag: leaf.text for leaf in child} for child in parent])
    assert block is None or block == one_by_one
    same = len({(attributes.split("=")[0], tuple(tag for tag, _ in leaves)) for attributes, leaves in given_list}) == 1
    own = [tag for tag, _ in given_list[0][1]] if given_list else []
    if same and len(set(own)) == len(own) and all(text.count("=") == 1 for text, _ in given_list):
        assert block is not None


def test_elements_within_elements_are_not_regular():
    assert regular(fromstring("<l><r k='1'><a><b>1</b></a></r></l>")) is None


def test_rows_in_memory_and_in_files_are_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.io.xml.MANY", 2)
    frames = []
    for folder in (None, tmp_path):
        rows = ElementRows({"id": pl.String, "n": pl.Int64, "never": pl.String}, ("id",), folder)
        rows.add({RECORD: [1], "id": [" a&amp;b "], "n": [1]})
        rows.add({RECORD: [2, 3], "id": ["", None], "other": [None, "z"]})
        rows.add({RECORD: [4], "n": [4]})
        frames.append(rows.frame(("id", "n")).collect())
    assert frames[0].equals(frames[1])
    assert frames[0].to_dict(as_series=False) == {
        RECORD: [1, 2, 3, 4],
        "id": ["a&b", None, None, None],
        "n": [1, None, None, 4],
        "other": [None, None, "z", None],
    }


def test_columns_come_in_the_order_of_their_types_and_those_required_are_there_though_empty(tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.io.xml.MANY", 1)
    for folder in (None, tmp_path):
        rows = ElementRows({"id": pl.String, "n": pl.Int64, "m": pl.Int32, "never": pl.String}, (), folder)
        rows.add_row({RECORD: 1, "zebra": "z", "id": None, "never": " "})
        rows.add_row({RECORD: 2, "n": 7, "apple": "a"})
        frame = rows.frame(("id", "m")).collect()
        assert frame.schema == {
            **{RECORD: pl.Int64, "id": pl.String, "n": pl.Int64, "m": pl.Int32},
            **{"apple": pl.String, "zebra": pl.String},
        }
        assert frame.rows() == [(1, None, None, None, None, "z"), (2, None, 7, None, "a", None)]


def test_no_rows_are_a_table_of_none():
    frame = ElementRows({"id": pl.String, "n": pl.Int64}, ("id",), None).frame(("id",)).collect()
    assert (frame.height, frame.columns) == (0, [RECORD, "id"])


def test_only_displayed_texts_are_decoded_once_more():
    rows = ElementRows({"shown": pl.String, "address": pl.String}, ("shown",), None)
    rows.add({RECORD: [1, 2, 3], "shown": ["a &amp; b", None, "c"], "address": ["x?a=1&amp;b=2", "y", None]})
    assert rows.frame(()).collect().rows() == [(1, "a & b", "x?a=1&amp;b=2"), (2, None, "y"), (3, "c", None)]


def test_once_closed_nothing_is_on_its_way_and_what_went_wrong_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.io.xml.MANY", 1)
    rows = ElementRows({"n": pl.Int64}, (), tmp_path)
    rows.add_row({RECORD: 1, "n": 1})
    rows.close()
    assert len(list(tmp_path.rglob("*.parquet"))) == 1
    wrong = ElementRows({"n": pl.Int64}, (), tmp_path)
    wrong.add_row({RECORD: 1, "n": "no number"})
    with pytest.raises(TypeError):
        wrong.frame(())


BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY lol "lol">'
    + "".join(f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">' for n in range(1, 10))
    + "]>\n<sessiontrack2013><session num='1'><topic><desc>&lol9;</desc></topic></session></sessiontrack2013>"
)
OUTSIDE = (
    '<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n'
    "<sessiontrack2013><session num='1'><topic><desc>&x;</desc></topic></session></sessiontrack2013>"
)
REMOTE = '<!DOCTYPE s SYSTEM "http://127.0.0.1:9/x.dtd">\n<sessiontrack2013><session num="1"/></sessiontrack2013>'
PARAMETER = '<!DOCTYPE s [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>\n<sessiontrack2013/>'


def opened(path):
    """The markup of a file."""
    return Markup(open_log(path.name, path.parent, path.parent))


def texts(path, tag="s"):
    """The texts of elements."""
    return [element.text for element in opened(path).elements(tag)]


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, REMOTE, PARAMETER], ids=["bomb", "outside", "remote", "parameter"])
@pytest.mark.parametrize("piece", [7, 1 << 16])
def test_document_types_are_refused(write, text, piece, monkeypatch):
    monkeypatch.setattr(xml, "PIECE", piece)
    with pytest.raises(
        DataError, match=match_parts("log.xml: a document type", "(<!DOCTYPE ...>)", "before its elements")
    ):
        texts(write("log.xml", text))


def test_a_document_type_after_the_root_began_is_no_xml(write):
    with pytest.raises(DataError, match=match_parts("log.xml, line 2:", "not well-formed XML")):
        texts(write("log.xml", '<r><s>a</s>\n<!DOCTYPE r [<!ENTITY x "y">]><s>&x;</s></r>'))


def test_entities_nobody_declared_are_text(write):
    assert texts(write("log.xml", "<r><s>&nbsp;&lol9;</s></r>")) == ["&nbsp;&lol9;"]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 8, 13, 1 << 16])
def test_raw_ampersands_wherever_pieces_are_cut(write, piece, monkeypatch):
    monkeypatch.setattr(xml, "PIECE", piece)
    text = "<r><s>a & b &amp; c &#38; &#x26; &lt;</s><s><![CDATA[x & y > &amp;]]></s><s>&</s><s k='1&2'>z</s></r>"
    found = opened(write("log.xml", text))
    assert [element.text for element in found.elements("s")] == ["a & b & c & & <", "x & y > &amp;", "&", "z"]
    assert (found.root, found.ampersands) == ("r", 3)


def test_elements_below_others_and_in_several_pieces(write, monkeypatch):
    monkeypatch.setattr(xml, "PIECE", 4)
    assert texts(write("log.xml", "<r><s>1</s><part><s>2</s><s>3</s></part><s>4</s></r>")) == ["1", "2", "3", "4"]
    assert texts(write("log.xml", "<r/>")) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<r>\n<s>\n</r>", "line 3: .*XML .mismatched tag."),
        ("<r>\n<s>a</s>\n", "line 3: .*XML .no element found."),
        ("no xml\n", "line 1: not well-formed XML"),
        ("<r/>\n<r/>", "line 2: .*junk after document element."),
        ("<r>\n\x00</r>", "line 2: not well-formed XML"),
    ],
)
def test_what_is_no_xml_names_the_line(write, text, words):
    with pytest.raises(DataError, match=f"log.xml, {words}"):
        texts(write("log.xml", text))


DECLARED = '<?xml version="1.0" encoding="{}"?>\n<r><s>caf\u00e9 \u5929</s></r>'


@pytest.mark.parametrize(
    ("encoding", "kept"), [("gbk", "\u00e9 \u5929"), ("utf-16", "\u00e9 \u5929"), ("cp1252", "\u00e9 ?")]
)
def test_an_encoding_that_is_given_outweighs_what_the_file_says_of_itself(tmp_path, encoding, kept):
    (tmp_path / "log.xml").write_bytes(DECLARED.format(encoding).encode(encoding, errors="replace"))
    file = open_log("log.xml", tmp_path, tmp_path, encoding=encoding)
    assert [element.text for element in Markup(file).elements("s")] == [f"caf{kept}"]
    assert Markup(file).lines(frozenset("s"), [1]) == {1: 2}


@pytest.mark.parametrize("encoding", ["klingon", "gbk"])
def test_encodings_that_parsers_do_not_know_are_to_be_given(write, encoding):
    with pytest.raises(DataError, match=f"log.xml declares the encoding '{encoding}', .* set encoding = "):
        texts(write("log.xml", DECLARED.format(encoding)))


def test_a_packed_file_cut_short(write):
    path = write("log.xml.gz", "<r>" + "".join(f"<s>{n * 7919}</s>" for n in range(5000)) + "</r>")
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(DataError, match="cannot be unpacked"):
        texts(path)


def test_lines_are_found_again(write):
    found = opened(write("log.xml", "<r>\n<s/><t/>\n\n<s>&</s>\n<t/>\n</r>"))
    assert found.lines(frozenset("s"), [1, 2]) == {1: 2, 2: 4}
    assert found.lines(frozenset("st"), [2, 4]) == {2: 2, 4: 5}


def test_memory_does_not_grow_with_the_file(write, monkeypatch):
    monkeypatch.setattr(xml, "PIECE", 1 << 14)
    monkeypatch.setattr(xml, "FED", 1 << 14)
    peaks = []
    for many in (2_000, 20_000):
        path = write("log.xml", "<r>" + "<s>some text of an element</s>" * many + "</r>")
        tracemalloc.start()
        assert sum(1 for _ in opened(path).elements("s")) == many
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 100_000  # the file grew by 650,000 bytes


def test_garbage_is_collected_again_afterwards():
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), uncollected():
        raise ZeroDivisionError
    assert gc.isenabled()


MEGABYTE = 1 << 20
BOMBS = {
    "a text": (b"<d>", b"x", b"</d>"),
    "an attribute": (b'<d k="', b"x>", b'"/>'),
    "elements": (b"", b"<a/>", b""),
    "attributes": (b"", b'<a b="1"/>', b""),
    "elements inside each other": (b"", b"<a>", b""),
    "a comment": (b"<!--", b"<x> ", b"-->"),
    "an instruction": (b"<?a ", b"x>", b"?>"),
    "CDATA": (b"<![CDATA[", b"x>", b"]]>"),
    "ampersands": (b"<d>", b"&", b"</d>"),
    "an emoji": ("<d>\U0001f600".encode(), b"x", b"</d>"),
}


@pytest.mark.few(5)
@pytest.mark.parametrize("bomb", BOMBS)
def test_an_element_that_is_too_large_is_refused_before_it_is_held(tmp_path, bomb, monkeypatch):
    monkeypatch.setattr(xml, "SMALLEST", MEGABYTE)
    monkeypatch.setattr(xml, "memory_budget", lambda _given: MEGABYTE)
    begin, part, end = BOMBS[bomb]
    path = tmp_path / "log.xml.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"<r>\n<s>first</s>\n<s>" + begin)
        for _ in range(8):
            file.write(part * (MEGABYTE // len(part)))
        file.write(end + b"</s></r>")
    file = opened(path)
    with pytest.raises(DataError, match=match_parts("log.xml.gz, from line 1", "an element is too large", "--memory")):
        list(file.elements("s"))


def test_what_comes_before_the_root_is_limited_too(tmp_path, monkeypatch):
    monkeypatch.setattr(xml, "SMALLEST", MEGABYTE)
    path = tmp_path / "log.xml.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"<!--" + b"x" * 8 * MEGABYTE + b"--><r><s>a</s></r>")
    with pytest.raises(DataError, match=match_parts("from line 1 on", "an element is too large")):
        texts(path)


def test_many_small_elements_are_no_large_one(write, monkeypatch):
    monkeypatch.setattr(xml, "SMALLEST", 4 * MEGABYTE)
    monkeypatch.setattr(xml, "memory_budget", lambda _given: 1)
    assert len(texts(write("log.xml", "<r>" + "<s>abcdefgh</s>\n" * 100_000 + "</r>"))) == 100_000


def test_small_elements_are_read_without_weighing_them(write, monkeypatch):
    monkeypatch.setattr(xml, "_weight", lambda _text: pytest.fail("weighed"))
    assert len(texts(write("log.xml", "<r>" + "<s>abcdefgh</s>\n" * 100_000 + "</r>"))) == 100_000


def test_a_large_element_names_the_line_near_which_it_begins(write, monkeypatch):
    monkeypatch.setattr(xml, "FED", 64)
    monkeypatch.setattr(xml, "SMALLEST", 100_000)
    monkeypatch.setattr(xml, "memory_budget", lambda _given: 1)
    text = "<r>" + "<s>abcdefgh</s>\n" * 500 + f"<s>{'x' * 300_000}</s></r>"
    with pytest.raises(DataError, match=r"from line (49[5-9]|50[01]) on"):
        texts(write("log.xml", text))


def test_marks_that_are_not_written_as_in_ascii_are_not_read(tmp_path):
    path = tmp_path / "log.xml"
    path.write_bytes('<?xml version="1.0" encoding="cp037"?><r><s>a</s></r>'.encode("cp037"))
    with pytest.raises(DataError):
        texts(path)


def test_long_texts_without_marks_stay_as_they_are(write, monkeypatch):
    monkeypatch.setattr(xml, "LONGEST", 16)
    monkeypatch.setattr(xml, "PIECE", 5)
    text = "<r><s>" + "a & b &amp; c ]] &" * 40 + "</s><s><![CDATA[" + "x & y ]] &amp;" * 20 + "]]></s></r>"
    first, second = texts(write("log.xml", text))
    assert first == "a & b & c ]] &" * 40
    assert second == "x & y ]] &amp;" * 20
