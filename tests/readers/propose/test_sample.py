"""The first rows of files: every encoding, packing and kind; what is no table is refused in a sentence.

How texts are written: separators, quotes and header lines, told from the text alone.
"""

import json
import re

import polars as pl
import pytest

from sessionkit.errors import DataError
from sessionkit.readers.propose import sample
from sessionkit.readers.propose.sample import dialect_of, sample_of

CSV = "session,rank,doc\ns1,1,a\ns1,2,größe\n"
ROWS = [("s1", "1", "a"), ("s1", "2", "größe")]


PROSE = "It was a dark night.\nNobody came, I think.\nThen one did; or two.\n"


@pytest.fixture
def sampled(write, tmp_path):
    """Write a file and return its sample."""

    def sampled(name, content):
        path = write(name, content)
        workspace = tmp_path / f"work-{name}"
        workspace.mkdir()
        return sample_of(path, workspace)

    return sampled


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv", CSV, {}),
        ("a.csv.gz", CSV, {}),
        ("a.csv.zst", CSV, {}),
        ("a", CSV, {"separator": ","}),
        ("a.tsv", CSV.replace(",", "\t"), {"quote": False}),
        ("a.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode(), {}),
        ("a.csv", CSV.encode("utf-16"), {"encoding": "utf-16"}),
        ("a.csv", CSV.encode("utf-16-be"), {"encoding": "utf-16-be"}),
        ("a.txt", CSV.replace(",", "  "), {"separator": "whitespace", "header": True}),
        ("a.ndjson", '{"session":"s1","rank":1,"doc":"a"}\n{"session":"s1","rank":2,"doc":"größe"}\n', {}),
    ],
)
def test_rows_are_the_same_however_they_are_written(sampled, name, content, options):
    found = sampled(name, content)
    assert found.texts.rows() == ROWS
    assert found.columns == ["session", "rank", "doc"]
    assert (found.options, found.whole) == (options, True)
    assert found.doubts == {}


def test_what_is_not_utf_8_is_taken_for_western_and_asked_about(sampled):
    lines = "".join(f"s{at},{at},größe\n" for at in range(20))
    found = sampled("a.csv", f"session,rank,doc\n{lines}".encode("cp1252"))
    assert found.options == {"encoding": "cp1252"}
    assert found.texts["doc"].unique().to_list() == ["größe"]
    assert "'s0,0,größe'" in found.doubts["encoding"]
    lines = b"session,rank,doc\n" + b"s1,1,a\n" * 50
    few = sampled("b.csv", lines + "s2,1,größe\n".encode("cp1252"))
    assert few.options == {"encoding": "cp1252"}  # a sheet with few letters beyond ASCII
    few = sampled("c.csv", lines + "s2,1,größe\n".encode("cp1252") + "s3,1,Maß\n".encode())
    assert few.options == {}
    assert re.match("1 line not .*cp1252 .*'s2,1,größe'", few.doubts["encoding"])


def test_columns_without_header_go_by_number(sampled):
    found = sampled("a.csv", "s1,1,a\ns1,2,b\n")
    assert (found.columns, found.options) == (["1", "2", "3"], {"header": False})


def test_parquet_keeps_its_types(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"session": ["s1", "s1"], "rank": [1, 2], "at": [0.5, 3.0]}).write_parquet(path)
    found = sample_of(path, tmp_path)
    assert found.frame.dtypes == [pl.String, pl.Int64, pl.Float64]
    assert found.texts.rows() == [("s1", "1", "0.5"), ("s1", "2", "3")]


def test_only_the_first_rows_are_looked_at_and_no_quoted_field_is_cut(sampled, monkeypatch):
    monkeypatch.setattr(sample, "ROWS", 4)
    content = 'session,text\ns1,"a, b"\ns2,"c,\nd"\n' + "s3,e\n" * 10
    found = sampled("a.csv", content)
    assert found.texts.rows() == [("s1", "a, b"), ("s2", "c,\nd")]
    assert not found.whole
    cut = sampled("b.csv", 'session,text\ns1,"a, b"\ns2,c\ns4,"d,\ne"\n' + "s3,e\n" * 10)
    assert cut.texts.rows() == [("s1", "a, b"), ("s2", "c")]  # the fourth line ends within quotes


@pytest.mark.parametrize("indent", [None, 1])
def test_the_objects_of_a_json_array_are_rows(sampled, indent):
    rows = [{"session": "s1", "rank": 1}, {"session": "s1", "rank": 2}]
    assert sampled("a.json", json.dumps(rows, indent=indent)).texts.rows() == [("s1", "1"), ("s1", "2")]


def test_lines_that_are_no_json_are_no_rows(sampled):
    assert sampled("a.ndjson", '{"session":"s1","rank":1}\n{broken\n').texts.rows() == [("s1", "1")]


def test_no_more_of_a_line_without_end_is_read_than_is_looked_at(sampled, monkeypatch):
    monkeypatch.setattr(sample, "BYTES", 30)
    found = sampled("a.csv", "session,text\ns1,a\ns2,b\n" + "s3," + "x" * 10_000)
    assert found.texts.rows()[:2] == [("s1", "a"), ("s2", "b")]
    assert not found.whole
    assert found.texts["text"].str.len_chars().max() <= 30


def test_text_in_chinese_is_read_as_gb18030(sampled):
    text = "会话标识排名文档搜索引擎日志分析查询结果用户点击时间相关性判断"
    content = "session,text\n" + "".join(f"s{at},{text[at:]}\n" for at in range(15))
    assert sampled("a.csv", content.encode("gb18030")).options == {"encoding": "gb18030"}


def test_text_in_japanese_is_read_as_shift_jis(sampled):
    content = "番号,文書\n" + "".join(f"s{at},検索エンジンのログをしらべる\n" for at in range(15))
    assert sampled("a.csv", content.encode("cp932")).options == {"encoding": "cp932"}


@pytest.mark.parametrize("title", ["# from the lab\n# in May\n", "From the lab;;\n\n;;\n"])
def test_lines_above_the_header_are_not_looked_at(title, sampled):
    found = sampled("a.csv", f"{title}session;rank;doc\ns1;1;a\ns1;2;b\ns1;3;c\n".encode())
    assert found.options == {"separator": ";", "skip": title.count("\n")}
    assert found.columns == ["session", "rank", "doc"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv", "\n\n \n", "is empty"),
        ("a.csv", "session,rank,doc\n", "has only a header"),
        ("a.dat", bytes(range(256)) * 20, "is binary"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "Excel"),
        ("a.txt", PROSE, "look like a table"),
        ("a.json", '[["session", "rank"], ["s1", 1]]\n', "JSON array of lists"),
        ("a.json", '{"session":{"0":"s1","1":"s1"},"rank":{"0":1,"1":2}}\n', "JSON by columns"),
        ("a.csv", "session,rank,rank\ns1,1,1\n", "named twice"),
        ("a.csv", "session,rank\n1,s1,1\n2,s1,2\n", "names 2 columns .*3 fields, .*R writes"),
        (
            "a.txt",
            '"session" "rank"\n"1" "s1" 1\n"2" "s1" 2\n',
            "names 2 columns .*3 fields, .*R ",
        ),
        ("a.csv", "session,rank\rs1,1\r", "carriage returns"),
        ("a.parquet", b"PAR1" + b"x" * 50, "Parquet"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(sampled, name, content, said):
    with pytest.raises(DataError, match=said) as refused:
        sampled(name, content)
    assert str(refused.value).count("\n") == 0
    assert name in str(refused.value)


def test_a_packed_file_that_is_cut_short_is_refused(write, tmp_path):
    whole = write("whole.csv.gz", "".join(f"{at},{at * at}\n" for at in range(5000))).read_bytes()
    path = tmp_path / "a.csv.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="cut short or damaged"):
        sample_of(path, tmp_path)


def test_columns_without_a_name_get_names_that_no_column_has(sampled):
    """The second column would be called column_2, as the first is."""
    found = sampled("a.csv", "column_2,,session,rank\nx,0,s1,1\nx,1,s1,2\nx,2,s2,1\n")
    assert found.columns == ["column_2", "column_2_", "session", "rank"]
    assert found.texts["column_2_"].to_list() == ["0", "1", "2"]


DIALECTS_ROWS = [("s1", "1", "1", "a"), ("s1", "1", "2", "b"), ("s2", "1", "1", "c")]
HEADER = ("session", "query_no", "rank", "doc")


def text(separator, *, header=True, rows=DIALECTS_ROWS, quote=""):
    lines = [HEADER, *rows] if header else rows
    return "".join(separator.join(f"{quote}{field}{quote}" for field in row) + "\n" for row in lines)


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("implied", [None, ",", "\t"])
def test_the_separator_and_the_header_are_found_whatever_the_name_implies(separator, header, implied):
    found = dialect_of(text(separator, header=header), implied)
    assert (found.separator, found.header) == (separator, header)
    assert found.names == (HEADER if header else DIALECTS_ROWS[0])


def test_blanks_separate_where_nothing_else_does():
    assert dialect_of("q1  0\td1 1\nq1 0 d2   0\n", None).separator == "whitespace"
    assert dialect_of("s1 1 1 http://x?a=1,2\ns1 1 2 http://x?a=2,3\n", None).separator == "whitespace"
    assert dialect_of("s1 1,x\ns1 2,y\n", ",").separator == ","
    assert dialect_of("q1 a\t0\nq2 b c\t0\n", None).separator == "\t"


def test_commas_in_numbers_and_in_texts_separate_nothing():
    assert dialect_of("session;score\ns1;0,5\ns2;1,25\n", ",").separator == ";"
    assert dialect_of("session\ttext\ns1\ta, b\ns2\tc, d\n", None).separator == "\t"


def test_what_has_no_even_fields_is_no_table():
    assert dialect_of(PROSE, None) is None
    assert dialect_of("one\ntwo\nthree\n", ",") is None


@pytest.mark.parametrize(
    ("content", "quoted"),
    [
        ("session,query\ns1,plain\n", None),
        ('session,query\ns1,"a, b"\ns2,c\n', True),  # a separator within
        ('session,query\ns1,"say ""hi"""\ns2,c\n', True),  # doubled quotes
        ('"session","query"\n"s1","a"\n', True),  # all between quotes
        ('session\tquery\ns1\t"exact phrase"\ns2\tplain\n', False),  # a query as typed
        ('session\tquery\ns1\t"unclosed\ns2\tplain\ns3\tx" y\n', False),
        ('session,query\ns1,5" disk\ns2,plain\n', False),
    ],
)
def test_quotes_keep_fields_together_only_where_something_shows_it(content, quoted):
    assert dialect_of(content, None).quoted is quoted


def test_quotes_far_down_are_seen():
    assert dialect_of("session,query\n" + "s1,a\n" * 1000 + 's1,"b, c"\n', None).quoted is True


def test_a_first_line_of_words_alone_leaves_it_open_whether_it_names_columns():
    assert dialect_of("alpha,beta\nred,blue\ngreen,\n", None).header is None
    assert dialect_of("red,blue\nred,white\n", None).header is False  # its first comes again


def test_a_line_with_numbers_in_it_names_columns_only_if_most_are_known():
    assert dialect_of("session,rank,doc,2019\ns1,1,a,5\n", None).header is True
    assert dialect_of("click,2024-01-01 10:00:00,s1\nquery,2024-01-01 10:00:01,s2\n", None).header is False
