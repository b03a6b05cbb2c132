"""The first rows of files: every encoding, packing and kind; what is no table is refused in a sentence."""

import json

import polars as pl
import pytest

from sessionkit.errors import DataError
from sessionkit.readers.propose import sample
from sessionkit.readers.propose.sample import sample_of

CSV = "session,rank,doc\ns1,1,a\ns1,2,größe\n"
ROWS = [("s1", "1", "a"), ("s1", "2", "größe")]


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
    assert few.doubts["encoding"].startswith(
        "1 line not in UTF-8, rejected as they are; in cp1252 the first is 's2,1,größe'"
    )


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
    assert found.texts.rows() == [("s1", "a, b"), ("s2", "c,\nd")][: found.texts.height]
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
        ("a.txt", "It was a dark night.\nNobody came, I think.\nThen one did; or two.\n", "does not look like a table"),
        ("a.json", '[["session", "rank"], ["s1", 1]]\n', "a JSON array of lists, without names"),
        ("a.json", '{"session":{"0":"s1","1":"s1"},"rank":{"0":1,"1":2}}\n', "JSON by columns"),
        ("a.csv", "session,rank,rank\ns1,1,1\n", "named twice"),
        ("a.csv", "session,rank\n1,s1,1\n2,s1,2\n", "names 2 columns and its lines have 3 fields, as where R writes"),
        (
            "a.txt",
            '"session" "rank"\n"1" "s1" 1\n"2" "s1" 2\n',
            "names 2 columns and its lines have 3 fields, as where R",
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
