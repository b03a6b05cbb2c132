"""[judgments] in study.toml: whatever the formats of judgments and log, every option is taken as documented, or refused by name."""

import json
import re

import polars as pl
import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.readers import JUDGMENTS
from sessionkit.readers.format import TEXT, TOPIC
from sessionkit.study.schema import document

LOG = "session_id,query_position,rank,doc_id,query_text,topic_id\ns,1,1,A,lamp,t1\ns,2,1,A,desk,t1\n"
RUN = "".join(
    f"ACTION QUERY {at} 10 {text}\nACTION SERP {at} 15 EXAMINE_SERP\nACTION SNIPPET {at} 18 SNIPPET_RELEVANT A\n"
    for at, text in ((1200, "lamp"), (1300, "desk"))
)
TABULAR = {
    "tables": ("j.csv", "judgment_key,doc_id,grade\nlamp,café,2\n"),
    "graded": ("j.csv", "query,doc,rating\nlamp,café,2\n"),
    "graded_topics": ("j.csv", "topic,doc,rating\nlamp,café,2\n"),
}
OTHERS = {
    "qrels": ("j.txt", "lamp 0 café 2\n"),
    "quepid": ("j.csv", "query,docid,rating\nlamp,café,2\n"),
    "srw": (
        "j.json",
        '{"name": "l", "judgmentRatings": [{"query": "lamp", "ratings": [{"docId": "café", "rating": "2"}]}]}',
    ),
    "rre": ("j.json", '{"queries": [{"placeholders": {"$query": "lamp"}, "relevant_documents": {"2": ["café"]}}]}'),
    "dd_qrels": ("j.txt", "lamp 1 café 7 2\n"),
    "dd_topics": (
        "j.xml",
        '<trec_dd><domain id="1"><topic id="lamp"><subtopic id="1"><passage id="7"><docno>café</docno>'
        "<rating>2</rating></passage></subtopic></topic></domain></trec_dd>",
    ),
}
SAMPLES = TABULAR | OTHERS
OF_OTHER_LIBRARIES = ("ntcir_qrels", "json_qrels", "rank_eval", "letor")
"""Formats without words for grades, tested in judgments/test_other_libraries.py."""
OF_TABLES = {
    "separator": "|",
    "quote": "'",
    "header": False,
    "skip": 1,
    "sheet": "s",
    "name_pattern": "(?P<judge_id>j)",
    "constants": {"judge_id": "ada"},
    "null": "-",
    "trim": True,
    "fill_down": ["doc"],
    "list": "docs",
    "list_separator": "|",
    "values": {"grade": {"two": 2}},
    "decimal": ",",
    "thousands": ".",
    "columns": {"doc_id": "doc"},
}


EXPECTED = [("lamp", "café", 2.0)]


def rows(study):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade").rows()


@pytest.fixture(params=["tables", "large tables", "simiir"])
def described(request, write, quiet_read, in_batches):
    """Read a log of some format with judgments that [judgments] describes; return the study."""

    def described(name, content, **said):
        log = write(*(("run.log", RUN) if request.param == "simiir" else ("log.csv", LOG)))
        write(name, content)
        if request.param == "large tables":
            in_batches()
        return quiet_read(log, config={"judgments": {"path": name, **said}})

    return described


def test_every_option_and_every_format_is_in_this_matrix():
    assert set(document("study.schema")["properties"]["judgments"]["properties"]) == {
        *("path", "format", "encoding", "keys", "grade_values"),
        *("list", "list_separator"),
        *OF_TABLES,
    }
    assert set(JUDGMENTS) == {*SAMPLES, *OF_OTHER_LIBRARIES, "prefs", "prels", "participant_qrels"}


@pytest.mark.few(10)
@pytest.mark.parametrize("name", SAMPLES)
def test_the_format_is_taken(described, name):
    assert rows(described(*SAMPLES[name], format=name)) == EXPECTED


@pytest.mark.few(1, slow=4)
@pytest.mark.parametrize("name", SAMPLES)
def test_the_encoding_is_taken_with_the_format_and_without(described, name):
    file, text = SAMPLES[name]
    latin = text.encode("latin-1")
    assert rows(described(file, latin, format=name, encoding="latin-1")) == EXPECTED
    assert rows(described(file, text.encode("utf-16"), format=name, encoding="utf-16")) == EXPECTED
    assert rows(described(file, latin, encoding="latin-1")) == EXPECTED
    with pytest.raises(DataError):
        described(file, latin, format=name)


@pytest.mark.few(1, slow=4)
@pytest.mark.parametrize("name", SAMPLES)
def test_grade_values_are_taken(described, name):
    file, text = SAMPLES[name]
    words = re.sub(r'2(\W*$|"|<)', r"two\1", text)
    assert "two" in words
    study = described(file, words, format=name, grade_values={"two": 2})
    assert rows(study) == EXPECTED
    assert study.judgments.collect()["raw_grade"].to_list() == ["two"]
    numbers = described(file, text, format=name, grade_values={"2": 0.5})
    assert [grade for _, _, grade in rows(numbers)] == [0.5]
    assert [str(grade) for grade in numbers.judgments.collect()["raw_grade"]] == ["2"]


@pytest.mark.few(10)
@pytest.mark.parametrize("keys", [TEXT, TOPIC])
@pytest.mark.parametrize("name", SAMPLES)
def test_what_keys_are_is_taken(described, name, keys):
    queries = described(*SAMPLES[name], format=name, keys=keys).queries.collect()
    if keys == TEXT:
        assert queries["judgment_key"].to_list() == ["lamp", "desk"]
    else:
        assert "judgment_key" not in queries.columns


@pytest.mark.few(9)
@pytest.mark.parametrize("name", [*(name for name in OTHERS if name != "qrels"), "prefs"])
def test_what_is_said_of_a_table_is_refused_of_others(described, name):
    file, text = SAMPLES.get(name, ("j.txt", "t j g café 1\n"))
    words = r"config: \[judgments\] sets {0} for {1}, which is read as {2} and takes no {0}\. Leave it out"
    for option, value in OF_TABLES.items():
        with pytest.raises(DataError, match=words.format(option, file, name) + "$"):
            described(file, text, format=name, **{option: value})
    if name == "quepid":  # recognized; what separator, quote, header or columns describe is a table
        with pytest.raises(DataError, match=words.format("null", file, name) + ', or say format = "tables"'):
            described(file, text, null="-")


@pytest.mark.few(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", TABULAR)
def test_tables_take_all_that_is_said_of_tables(described, name):
    file, text = TABULAR[name]
    header, row = text.splitlines()
    numbered = {"judgment_key": 1, "doc_id": 2, "grade": 3}
    for content, said in [
        (text.replace(",", "^"), {"separator": "^"}),
        (f"{header}\n'lamp','café',2\n", {"quote": "'"}),
        (f"{row}\n", {"header": False, "columns": numbered}),
        (f"{text}-,B,2\n", {"null": "-"}),
        (f"{text}-,B,2\n?,C,2\n", {"null": ["-", "?"]}),
        (f"Our grades\n{text}", {"skip": 1}) if name == "tables" else (text, {}),
        (f"{header}\n lamp , café,2\n", {"trim": True}),
        (f"{header}\nlamp,café,Two\n", {"values": {text.splitlines()[0].split(",")[2]: {"two": 2}}})
        if name == "tables"
        else (text, {}),
        (text.replace(",", ";").replace("2", "2,0"), {"separator": ";", "decimal": ","}),
        (text, {"name_pattern": r"(?P<judge_id>\w)\.csv", "constants": {"note": "x"}}),
        ("a,b,c\nlamp,café,2\n", {"columns": {"judgment_key": "a", "doc_id": "b", "grade": "c"}}),
        (f"{row}\n".replace(",", "^"), {"header": False, "separator": "^", "columns": numbered}),
    ]:
        assert rows(described(file, content, format=name, **said)) == EXPECTED, said
    assert rows(described(file, f'{header}\n"lamp",café,2\n', format=name, quote=False)) == [('"lamp"', "café", 2.0)]


def test_columns_that_are_not_said_are_found_by_their_names(described):
    text = "query,qid,sku,note,rating\nlamp,t1,A,B,2\n"
    assert rows(described("j.csv", text, format="graded", columns={"doc_id": "note"})) == [("lamp", "B", 2.0)]
    assert rows(described("j.csv", text, format="graded_topics")) == [("t1", "A", 2.0)]
    assert rows(described("j.csv", text, keys="topic")) == [("t1", "A", 2.0)]


@pytest.mark.few(6)
@pytest.mark.parametrize(
    ("kind", "options"), [("ndjson", ("quote", "header")), ("parquet", ("separator", "quote", "header", "encoding"))]
)
@pytest.mark.parametrize("name", TABULAR)
def test_what_other_kinds_of_tables_do_not_have_is_refused(described, tmp_path, name, options, kind):
    header, row = (line.split(",") for line in TABULAR[name][1].splitlines())
    frame = pl.DataFrame(dict(zip(header, ([text] for text in row), strict=True)))
    frame.write_parquet(tmp_path / "made") if kind == "parquet" else frame.write_ndjson(tmp_path / "made")
    content = (tmp_path / "made").read_bytes()
    assert rows(described(f"j.{kind}", content, format=name)) == EXPECTED
    for option in options:
        said = {**OF_TABLES, "encoding": "latin-1"}[option]
        with pytest.raises(
            DataError, match=rf"\[judgments\] sets {option} for j\.{kind}, which is .*leave {option} out"
        ):
            described(f"j.{kind}", content, format=name, **{option: said})


def test_qrels_take_what_fields_between_blanks_have(described):
    text = SAMPLES["qrels"][1]
    for content, said in [
        (text, {"separator": "whitespace"}),
        (text + "- 0 B 1\n", {"null": "-"}),
        ("key it doc g\n" + text, {"header": True, "columns": {"judgment_key": "key", "doc_id": "doc", "grade": "g"}}),
        (text, {"header": False, "quote": False}),
    ]:
        assert rows(described("j.txt", content, format="qrels", **said)) == EXPECTED, said
    with pytest.raises(DataError, match=r"\[judgments\] .*separator .* j\.txt, .*qrels"):
        described("j.txt", text, format="qrels", separator=",")
    with pytest.raises(DataError, match=r"\[judgments\] .*quote .* j\.txt, .*blanks"):
        described("j.txt", text, format="qrels", quote="'")


def test_what_is_no_qrels_is_not_read_as_such(described):
    with pytest.raises(DataError, match=r"qrels.*'judgment_key,doc_id,"):
        described(*SAMPLES["tables"], format="qrels")


def test_a_table_is_described_rather_than_recognized(described):
    """What looks like ratings of Quepid is what columns say: a key and a document of other columns."""
    columns = {"judgment_key": "docid", "doc_id": "query", "grade": "rating"}
    assert rows(described("j.csv", "query,docid,rating\nA,lamp,1\n", columns=columns)) == [("lamp", "A", 1.0)]


def test_a_format_or_a_file_that_is_not_there(described):
    with pytest.raises(UsageError, match=r"'qrel' of judgments; .*'qrels'"):
        described("j.txt", "lamp 0 A 1\n", format="qrel", encoding="latin-1")
    with pytest.raises(DataError, match=r"none\.txt: no such file"):
        described("j.txt", "lamp 0 A 1\n", **{"path": "none.txt"})


def test_times_are_no_matter_of_judgments_or_users(write, quiet_read):
    log = write("log.csv", LOG)
    for table in ("users", "judgments"):
        with pytest.raises(DataError, match=rf"\[{table}\]: unknown key 'timezone'"):
            quiet_read(log, config={table: {"path": "x", "timezone": "Europe/Vienna"}})


def test_a_file_beside_the_log_is_told_where_its_encoding_is_said(write, quiet_read):
    log, judged = write("log.csv", LOG), write("j.txt", "lamp 0 café 1\n".encode("latin-1"))
    with pytest.raises(DataError, match=r'encoding = "latin-1" .*\[judgments\]'):
        quiet_read(log, judgments=judged)
    with pytest.raises(DataError, match=r'UTF-16; .*encoding = "utf-16" .*\[judgments\]'):
        quiet_read(log, judgments=write("k.txt", "lamp 0 A 1\n".encode("utf-16")))


def test_what_is_said_of_one_file_is_not_said_of_those_beside_the_log(write, quiet_read):
    log, beside = write("log.csv", LOG), write("b.csv", "query,docid,rating\nlamp,-,two\n")
    write("own.csv", "a;b;c\nlamp;A;two\n-;B;two\n")
    columns = {"judgment_key": "a", "doc_id": "b", "grade": "c"}
    said = {"path": "own.csv", "separator": ";", "null": "-", "columns": columns, "grade_values": {"two": 2}}
    study = quiet_read(log, config={"judgments": said}, judgments=beside)
    assert sorted(rows(study)) == [("lamp", "-", 2.0), ("lamp", "A", 2.0)], "but grade_values hold for all"
    assert [source.path for source in study.sources if source.table == "judgments"] == ["own.csv", "b.csv"]


TREC = "1 Q0 A 1 2.5 tag\n"


@pytest.mark.parametrize(("option", "value"), [("qrels_column", "judge"), ("grades", "official2012")])
def test_what_is_said_of_qrels_needs_qrels(write, quiet_read, option, value):
    run = write("run.txt", TREC)
    said = {"format": "trec_run", option: value}
    for judged in (
        {"path": "q.txt"},
        {"path": "q.txt", "separator": "whitespace"},
        {"path": "q.txt", "format": "qrels"},
    ):
        write("q.txt", "1 ada A 4\n")
        judgments = quiet_read(run, config={**said, "judgments": judged}).judgments.collect()
        assert judgments.row(0, named=True).get("judge_id") == ("ada" if option == "qrels_column" else None)
        assert judgments["grade"].to_list() == [4.0 if option == "qrels_column" else 2.0]
    write("g.csv", "topic,doc,grade\n1,A,4\n")
    words = rf"config: {option} = '{value}' applies to qrels, but the judgments are g\.csv \(graded_topics\); leave {option}"
    with pytest.raises(DataError, match=words):
        quiet_read(run, config={**said, "judgments": {"path": "g.csv"}})
    with pytest.raises(DataError, match=rf"{option} = .*no judgments .*{option} out"):
        quiet_read(run, config=said)


def test_every_table_of_the_log_refuses_what_its_kind_of_file_does_not_have(write, quiet_read):
    header, *records = (line.split(",") for line in LOG.splitlines())
    lines = [dict(zip(header, record, strict=True)) for record in records]
    write("log.ndjson", "".join(json.dumps(line) + "\n" for line in lines))
    write("log.txt", LOG.replace(",", " "))
    for option, value in (("quote", False), ("header", True)):
        with pytest.raises(DataError, match=rf"\[results\] .*{option} .* log\.ndjson, .*JSON"):
            quiet_read(write("study.toml", f'[results]\npath = "log.ndjson"\n{option} = {json.dumps(value)}\n'))
    with pytest.raises(DataError, match=r"\[results\] .*quote .* log\.txt, .*blanks"):
        quiet_read(write("study.toml", '[results]\npath = "log.txt"\nseparator = "whitespace"\nquote = true\n'))
    with pytest.raises(DataError, match=r"key 'encoding'; .*format tables .*table"):
        quiet_read(write("study.toml", 'path = "log.ndjson"\nformat = "tables"\nencoding = "latin-1"\n'))
