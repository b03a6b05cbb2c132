"""Delimited text: header, quotes, surplus fields, lines and raw text of what is rejected, files that cannot be read."""

import pytest

from sessionkit.errors import DataError

HEADER = "session_id,query_position,rank,doc_id\n"
GOOD = HEADER + "s,1,1,a\ns,1,2,b\n"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.removesuffix("\n"),
        "\n\n" + GOOD + "\n\n",
        GOOD.replace("s,1,2,b", "\ns,1,2,b"),
        GOOD.replace("a\n", '"a"\n'),
        GOOD.replace("rank", " rank "),
    ],
)
def test_the_same_table_however_it_is_written(write, quiet_read, text):
    study = quiet_read(write("log.csv", text))
    assert study.results.collect().rows() == [("s", 1, 1, "a"), ("s", 1, 2, "b")]
    assert study.sources[0].records == 2


def test_surplus_fields_are_rejected_not_cut(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", HEADER + "s,1,1,a,more\ns,1,2,b\ns,1,3,c,,,,deep\n"))
    assert rejects(study) == [
        (1, 2, "record_fits_the_columns", "more", "s,1,1,a,more"),
        (3, 4, "record_fits_the_columns", "deep", "s,1,3,c,,,,deep"),
    ]


def test_missing_fields_are_nulls_of_which_the_rules_speak(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", HEADER + "s,1,1\ns,1,2,b\n"))
    assert rejects(study) == [(1, 2, "doc_id_is_given", None, "s,1,1")]


def test_lines_count_blank_ones(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", "\n" + HEADER + "\ns,1,x,a\ns,1,2,b\n"))
    assert rejects(study) == [(2, 4, "rank_is_an_integer", "x", "s,1,x,a")]


def test_no_line_number_where_quoted_fields_run_over_lines(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", HEADER + 's,1,1,"a\nb"\ns,1,x,c\n'))
    assert rejects(study) == [(2, None, "rank_is_an_integer", "x", "s,1,x,c")]
    assert study.results.collect()["doc_id"].to_list() == ["a\nb"]


def test_quotes_that_are_data(write, quiet_read):
    path = write("log.tsv", HEADER.replace(",", "\t") + 's\t1\t1\t"a\ns\t1\t2\tb"c"\n')
    study = quiet_read(path, config={"results": {"quote": False}})
    assert study.results.collect()["doc_id"].to_list() == ['"a', 'b"c"']


@pytest.mark.parametrize("separator", [",", "\t"])
def test_lines_of_blanks_are_none(write, quiet_read, in_batches, same_study, separator):
    text = (HEADER + "s,1,1,a\n  \ns,1,2,b\n \t \r\n\n   ").replace(",", separator)
    if separator == "\t":
        text = text.replace(" \t ", "  ")
    path = write("log.csv", text)
    study = quiet_read(path, config={"results": {"separator": separator}})
    assert study.results.collect()["doc_id"].to_list() == ["a", "b"]
    assert study.sources[0].records == 2
    in_batches()
    same_study(quiet_read(path, config={"results": {"separator": separator}}), study)


def test_another_quote_character(write, quiet_read):
    study = quiet_read(write("log.csv", HEADER + "s,1,1,'a,b'\n"), config={"results": {"quote": "'"}})
    assert study.results.collect()["doc_id"].to_list() == ["a,b"]


def test_without_header_columns_have_numbers(write, quiet_read):
    columns = {"session_id": 2, "query_position": "1", "rank": 3, "doc_id": "5"}
    study = quiet_read(write("log.tsv", "1\ts\t1\tx\ta\n"), config={"results": {"header": False, "columns": columns}})
    assert study.results.collect().to_dicts() == [
        {"session_id": "s", "query_position": 1, "rank": 1, "doc_id": "a", "column_4": "x"}
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("session_id,rank,rank\n", "'rank' is named twice"),
        (HEADER + 's,1,1,"a\n', "quote = false"),
        ((HEADER + 's,1,1,\xe9\ns,1,2,"a\n').encode("latin-1"), r"a quote is not closed \(line 3: 's,1,2,\"a'\)"),
        ("session_id,rank\n", "has no columns query_position, doc_id; .*found session_id, rank"),
        (b"session_id,doc\xe9\n", "latin-1"),
        ((HEADER + "s,1,1,\xe9\n").encode("latin-1"), "not UTF-8.*latin-1"),
        (GOOD.encode("utf-16"), 'encoding = "utf-16"'),
    ],
)
def test_files_that_cannot_be_read(write, quiet_read, text, words):
    with pytest.raises(DataError, match=words) as caught:
        quiet_read(write("log.csv", text))
    assert "log.csv" in str(caught.value)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_other_encodings(write, quiet_read, encoding):
    path = write("log.csv", (HEADER + "s,1,1,caf\xe9\n").encode(encoding))
    study = quiet_read(path, config={"results": {"encoding": encoding}})
    assert study.results.collect()["doc_id"].to_list() == ["caf\xe9"]


@pytest.mark.parametrize("separator", ["||", "\u00a6"])
def test_separators_are_one_plain_character(write, quiet_read, separator):
    with pytest.raises(DataError, match="one plain character"):
        quiet_read(write("log.csv", GOOD), config={"results": {"separator": separator}})


def test_the_raw_text_of_records_over_several_lines_keeps_its_quotes(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", HEADER + 's,1,x,"a\nb"\ns,1,y,"say ""z"", now"\ns,1,1,c\n'))
    assert [raw for *_, raw in rejects(study)] == ['s,1,x,"a\nb"', 's,1,y,"say ""z"", now"']


def test_a_first_record_with_many_fields_too_many(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", HEADER + "s,1,1,a,more,and,more\ns,1,2,b\n"))
    assert rejects(study) == [(1, 2, "record_fits_the_columns", "more,and,more", "s,1,1,a,more,and,more")]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_line_end_inside_a_name_of_a_column_costs_no_row(write, quiet_read, end):
    rows = "".join(f"s{number},1,1,d{number},x\n" for number in range(3))
    log = write("log.csv", f'session_id,query_position,rank,doc_id,"a{end}b"\n{rows}')
    assert quiet_read(log).results.collect()["doc_id"].to_list() == ["d0", "d1", "d2"]
