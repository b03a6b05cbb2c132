"""Delimited text: header, quotes, surplus fields, lines and raw text of what is rejected, files that cannot be read.

Lines with bytes that are no text: rejected with number and text, whatever the format and the course; all others are read.
"""

import json

import pytest
from polars.testing import assert_frame_equal

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers.io import json as ndjson
from sessionkit.readers.io.delimited import DECODED, escaped, mended, refuse_other_encoding
from sessionkit.readers.io.files import open_log
from sessionkit.readers.read import read
from tests.support.messages import match_parts

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
    ("text", "parts"),
    [
        ("", ("is empty",)),
        ("\n\n", ("is empty",)),
        ("session_id,rank,rank\n", ("'rank' is named twice",)),
        (HEADER + 's,1,1,"a\n', ("quote = false",)),
        ((HEADER + 's,1,1,\xe9\ns,1,2,"a\n').encode("latin-1"), ("quote is not closed", "line 3: 's,1,2,\"a'")),
        ("session_id,rank\n", ("no columns", "query_position, doc_id", "found session_id, rank")),
        (b"session_id,doc\xe9\n", ("latin-1",)),
        ((HEADER + "s,1,1,\xe9\n").encode("latin-1"), ("not UTF-8", "latin-1")),
        (GOOD.encode("utf-16"), ('encoding = "utf-16"',)),
    ],
)
def test_files_that_cannot_be_read(write, quiet_read, text, parts):
    with pytest.raises(DataError, match=match_parts(*parts)) as caught:
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


INVALID_HEADER = b"session_id,query_position,rank,doc_id,query_text\n"
ROWS = [b"%s%d,%d,%d,d%d,cats" % (b"s", n // 6, n % 6 // 3 + 1, n % 3 + 1, n) for n in range(60)]
BAD = b"s3,1,2,d19,c\xe4ts \xe4\xff"


def log(*, ending=b"\n", bad=BAD, quoted=False):
    """A table of sixty results, the 20th of which cannot be decoded; `quoted`: another runs over two lines."""
    rows = [*ROWS[:19], bad, *ROWS[20:]]
    if quoted:
        rows[4] = rows[4].replace(b"cats", b'"cats\nand"')
    return INVALID_HEADER + ending.join(rows) + ending


def as_json(rows):
    names = INVALID_HEADER.decode().strip().split(",")
    lines = [json.dumps(dict(zip(names, row.decode(errors="surrogateescape").split(","), strict=True))) for row in rows]
    return (
        ("\n".join(lines) + "\n")
        .replace("\\udcff", "\udcff")
        .replace("\\udce4", "\udce4")
        .encode(errors="surrogateescape")
    )


@pytest.mark.few(3)
@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.csv.zst"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_line_of_a_table(write, quiet_read, rejects, name, ending):
    study = quiet_read(write(name, log(ending=ending)))
    without = quiet_read(write("good.csv", INVALID_HEADER + b"\n".join([*ROWS[:19], *ROWS[20:]])))
    assert rejects(study) == [(20, 21, DECODED, r"\xe4", r"s3,1,2,d19,c\xe4ts \xe4\xff")]
    assert_frame_equal(study.results.collect(), without.results.collect())
    assert_frame_equal(study.queries.collect(), without.queries.collect())
    (source,) = study.sources
    assert (source.records, source.rows, source.rejected) == (60, 59, 1)


def test_a_query_keeps_its_place(tmp_path, quiet_read, rejects):
    (tmp_path / "study.toml").write_text('format = "tables"\n[queries]\npath = "q.csv"\n[results]\npath = "r.csv"\n')
    (tmp_path / "q.csv").write_bytes(b"session_id,query_position,query_text\ns,1,a\ns,2,\xe4\ns,3,c\n")
    (tmp_path / "r.csv").write_text("session_id,query_position,rank,doc_id\ns,1,1,x\ns,3,1,y\n")
    study = quiet_read(tmp_path / "study.toml")
    assert study.queries.collect().select("query_text", "results_status").rows() == [
        ("a", "shown"),
        (None, "not_logged"),
        ("c", "shown"),
    ]
    assert len(rejects(study)) == 1


@pytest.mark.slow
def test_a_name_that_cannot_be_decoded_is_nobodys(write, quiet_read, rejects):
    rows = [*ROWS[:19], b"s\xe43,1,2,d19,cats", *ROWS[20:]]
    study = quiet_read(write("log.csv", INVALID_HEADER + b"\n".join(rows)))
    assert set(study.sessions.collect()["session_id"]) == {f"s{n}" for n in range(10)}
    assert len(rejects(study)) == 1
    core = [line.encode() for line in CORE]
    core[7] = core[7].replace(b",8,", b",\xe48,")
    study = quiet_read(write("core.csv", b"\n".join(core)))
    assert set(study.sessions.collect()["session_id"]) == {str(n) for n in range(1, 30) if n != 8}


def test_a_record_over_several_lines(write, quiet_read, rejects):
    rows = [b's,1,1,a,"one\nt\xe4o\nthree"', b"s,1,2,b,", b's,1,3,c,"\xe4\n\xe4"', b"s,1,x,d,", b"s,1,5,e,"]
    study = quiet_read(write("log.csv", INVALID_HEADER + b"\n".join(rows)))
    assert rejects(study) == [
        (1, None, DECODED, r"\xe4", 's,1,1,a,"one\nt\\xe4o\nthree"'),
        (3, None, DECODED, r"\xe4", 's,1,3,c,"\\xe4\n\\xe4"'),
        (4, None, "rank_is_an_integer", "x", "s,1,x,d"),
    ]
    assert study.results.collect()["doc_id"].to_list() == ["b", "e"]


@pytest.mark.few(1)
@pytest.mark.parametrize("many", [1, 2, 40, 3_000])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_line_that_is_too_long_as_well(write, quiet_read, rejects, many, quoted):
    study = quiet_read(write("log.csv", log(bad=BAD + b",x" * many, quoted=quoted)))
    ((record, line, rule, value, raw),) = rejects(study)
    assert (record, line, rule, value) == (20, None if quoted else 21, DECODED, r"\xe4")
    assert raw.startswith(r"s3,1,2,d19,c\xe4ts \xe4\xff,x")
    assert study.results.collect().height == 59


@pytest.mark.slow
@pytest.mark.parametrize("many", [1, 2, 40, 3_000])
def test_a_line_that_is_too_long_alone(write, quiet_read, rejects, many):
    study = quiet_read(write("log.csv", log(bad=ROWS[19] + b",x" * many, quoted=True)))
    assert [row[:3] for row in rejects(study)] == [(20, None, "record_fits_the_columns")]
    assert study.results.collect().height == 59


@pytest.mark.slow
def test_a_text_that_speaks_of_encodings_is_no_such_line(write, quiet_read, rejects, same_study, in_batches):
    quote = [*ROWS[:19], b's3,1,2,d19,"how to read invalid utf8', *ROWS[20:]]
    with pytest.raises(DataError, match="a quote is not closed"):
        quiet_read(write("quote.csv", INVALID_HEADER + b"\n".join(quote)))
    path = write("number.csv", log(bad=b"s3,1,utf-8,d19,cats"))
    whole = quiet_read(path)
    assert rejects(whole) == [(20, 21, "rank_is_an_integer", "utf-8", "s3,1,utf-8,d19,cats")]
    in_batches()
    same_study(quiet_read(path), whole)


@pytest.mark.slow
@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("kind", ["csv", "ndjson", "uneven.ndjson"])
def test_large_as_small(write, quiet_read, request, kind, quoted):
    same_study, in_batches = (request.getfixturevalue(name) for name in ("same_study", "in_batches"))
    rows = [*ROWS[:19], BAD, *ROWS[20:40], ROWS[40] + b"\xff", *ROWS[41:]]
    content = INVALID_HEADER + b"\n".join(rows) + b"\n" if kind == "csv" else as_json(rows)
    if quoted and kind == "csv":
        content = content.replace(b"d4,cats", b'd4,"cats\nand"')
    if kind.startswith("uneven"):
        content += b'{"session_id": "t", "query_position": 1, "rank": 1, "doc_id": "a", "late": "x"}\n'
        request.getfixturevalue("monkeypatch").setattr(ndjson, "FIRST_LOOK", 5)
    path = write(f"log.{kind}", content)
    whole = quiet_read(path)
    assert whole.rejected.collect()["rule"].to_list() == [DECODED, DECODED]
    in_batches()
    same_study(quiet_read(path), whole)


def test_a_line_of_json(write, quiet_read, rejects):
    study = quiet_read(write("log.ndjson", as_json([BAD, *ROWS[20:]])))
    ((record, line, rule, value, raw),) = rejects(study)
    assert (record, line, rule, value) == (1, 1, DECODED, r"\xe4")
    assert raw == as_json([BAD]).decode(errors="backslashreplace").rstrip()
    assert study.facts.results == 40


BLANKS = [f"{n % 3} Q0 d{n} {n} {50 - n} tag" for n in range(1, 30)]
AOL = [f"{n}\tcats {n}\t2006-03-04 11:00:00\t\t" for n in range(1, 30)]
UBI = [
    f'{{"user_query":"cats","query_id":"{n}","client_id":"c{n}","timestamp":"2025-01-02T10:00:00Z"}}' for n in range(30)
]
SMC = [f"{n}\tcats {n}\t2006-03-04 11:00:00\t\t\t1\t" for n in range(1, 30)]
PERSONAL = [line for n in range(1, 30) for line in (f"{n}\tM\t1\t3", f"{n}\t0\tQ\t0\t5\t1\t101,9")]
CORE = [f'1,test_user,{n},cats,2025-01-10 08:00:00,"[11]",{"0" * 32},"[]"' for n in range(1, 30)]
COVEO = ["session_id_hash,query_vector,clicked_skus_hash,product_skus_hash,server_timestamp_epoch_ms"]
COVEO += [f"s{n},,,\"['a']\",1550885200000" for n in range(30)]


FORMATS = {
    "trec_run": (BLANKS, 7, b"d8"),
    "aol": (AOL, 7, b"cats"),
    "ubi": (UBI, 7, b"cats"),
    "webis_smc": (SMC, 7, b"cats"),
    "yandex_personalized": (PERSONAL, 9, b"101"),
    "core": (CORE, 7, b"cats"),
    "coveo": (COVEO, 7, b"a"),
}
"""Lines of formats, which of them cannot be decoded, and where."""


@pytest.mark.few(1, slow=3)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("parts", [False, True])
def test_every_format_by_lines(write, quiet_read, request, name, parts):
    lines, place, where = [line.encode() for line in FORMATS[name][0]], *FORMATS[name][1:]
    bad = lines[place].replace(where, b"\xe4")
    clean = quiet_read(write("clean", b"\n".join(lines)), config={"format": name})
    path = write("log", b"\n".join([*lines[:place], bad, *lines[place + 1 :]]))
    if parts:
        request.getfixturevalue("in_batches")()
    study = quiet_read(path, config={"format": name})
    rejected = study.rejected.collect().select("record", "line", "rule", "value", "raw").rows()
    record = place + (name != "coveo")  # which has a header
    assert rejected == [(record, place + 1, DECODED, r"\xe4", bad.decode(errors="backslashreplace"))]
    assert study.facts.queries + study.facts.results < clean.facts.queries + clean.facts.results
    assert set(study.queries.collect()["session_id"]) <= set(clean.queries.collect()["session_id"])
    with pytest.raises(DataError, match=rf"log, (line {place + 1}|record {record}): {DECODED} "):
        read(path, config={"format": name}, strict=True)


QRELS = [f"t 0 d{n} 1" for n in range(20)]
TABLE = ["judgment_key,doc_id,grade", *(f"t,d{n},1" for n in range(20))]
GRADED = ["query,docid,rating", *(f"lamp,d{n},1" for n in range(20))]
LTR = [f"1 qid:1 # d{n} lamp" for n in range(20)]
LINES = [f'{{"query":"lamp","docid":"d{n}","rating":1}}' for n in range(20)]
SRW = [f'{{"judgmentRatings":[{{"query":"lamp","ratings":[{{"docId":"d{n}","rating":"1"}}]}}]}}' for n in range(20)]


@pytest.mark.parametrize(
    "lines", [QRELS, TABLE, GRADED, LTR, LINES, SRW], ids=["qrels", "table", "graded", "ltr", "json", "srw"]
)
def test_judgments(judged, rejects, lines):
    content = "\n".join(lines).encode().replace(b"d7", b"d\xe97")
    study = judged("judgments.txt" if lines[0][0] != "{" else "judgments.ndjson", content)
    assert study.judgments.collect()["doc_id"].to_list() == [f"d{n}" for n in range(20) if n != 7]
    ((_, line, rule, _, raw),) = rejects(study)
    assert (line, rule) == (8 + ("," in lines[0] and lines[0][0] != "{"), DECODED)
    assert r"\xe97" in raw


@pytest.mark.parametrize(
    ("rows", "bad", "is_refused"),
    [(2, 1, False), (1, 1, True), (3, 2, True), (90, 9, False), (90, 10, True), (400, 40, False), (400, 41, True)],
)
def test_a_file_that_is_in_another_encoding_is_refused(write, rows, bad, is_refused):
    path = write(
        "log.csv", INVALID_HEADER + b"".join(b"s,1,%d,%d,%s\n" % (n + 1, n, b"\xe9" * (n < bad)) for n in range(rows))
    )
    if is_refused:
        with pytest.raises(DataError, match=match_parts("log.csv is not UTF-8", "line 2", 'encoding = "latin-1"')):
            read(path)
    else:
        with pytest.warns(DataWarning, match=match_parts(DECODED, "not in UTF-8", "set encoding")):
            read(path)


def test_a_log_mostly_of_other_letters_that_can_be_read_is_not(tmp_path, write):
    lines = ["猫"] * 50 + ["\udce9"] * 20
    path = write("log.txt", "\n".join(lines).encode(errors="surrogateescape"))
    assert len(mended(open_log(path.name, tmp_path, tmp_path)).undecoded) == 20


@pytest.mark.parametrize("piece", [b"\xe9", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"])
def test_no_byte_is_lost(piece):
    text, found = escaped(b"ok \xc3\xa9\na" + piece + b"b\n" + piece, 5)
    spelled = "".join(f"\\x{byte:02x}" for byte in piece)
    assert text.decode() == f"ok é\na{spelled}b\n{spelled}"
    assert found == {6: spelled, 7: spelled}


def test_the_header_must_be_text(write):
    with pytest.raises(DataError, match=match_parts("log.csv is not UTF-8", "line 1")):
        read(write("log.csv", b"session_id,query_position,rank,doc_id,\xe9\n" + b"\n".join(ROWS)))


def test_bytes_that_an_encoding_does_not_have(write, quiet_read, rejects):
    rows = [*ROWS[:19], b"s3,1,2,d19,\x81", *ROWS[20:], b"z,1,1,\x80,"]
    study = quiet_read(write("log.csv", INVALID_HEADER + b"\n".join(rows)), config={"results": {"encoding": "cp1252"}})
    assert rejects(study) == [(20, 21, DECODED, r"\x81", r"s3,1,2,d19,\x81")]
    assert study.results.collect()["doc_id"][-1] == "€"
    with pytest.raises(DataError, match=match_parts("log.csv", "encoding 'ascii'", "study.toml", "line 2")):
        read(write("log.csv", INVALID_HEADER + b"s,1,1,\xe9,\n"), config={"results": {"encoding": "ascii"}})


def test_a_file_that_can_be_decoded_is_refused_by_nobody(tmp_path, write):
    path = write("log.csv", INVALID_HEADER + b"\n".join(ROWS))
    assert refuse_other_encoding(open_log(path.name, tmp_path, tmp_path)) is None
