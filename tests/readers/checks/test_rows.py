"""Lists that were empty, however the log says so: in place of a rank or a document, in another column, by an empty rank.

What was unusual is said: in notes always, as warnings where scores may change.

The table of rejected rows: complete, in order, and honest about what is not known.

Several files of one log.
"""

import json
import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import from_tables
from sessionkit.readers.read import read
from sessionkit.scoring.score import score
from sessionkit.study.schema import table
from tests.support.messages import match_parts, messages_with

COLUMNS = ["session_id", "query_position", "rank", "doc_id", "title", "clicks"]
ROWS = [
    ("a", 1, 1, "x", "cats", 0),
    ("a", 1, 2, "y", "no hits", 1),
    ("a", 2, None, "no hits", None, None),
    ("a", 3, "no hits", None, None, None),
    ("a", 4, None, None, "No Hits", None),
    ("b", 1, None, None, " no hits ", None),
    ("b", 2, 1, "no hits", None, None),
    ("b", 3, None, "z", "no hits", None),
    ("b", 4, 1, None, "no hits", None),
    ("b", 5, None, None, None, "no hits"),
    ("b", 6, "x", "z", "no hits", None),
    ("b", 7, 1, "z", None, None),
]
STATUSES = {
    "a": ["shown", "empty", "empty", "not_logged"],
    "b": ["empty", "empty", "empty", "empty", "empty", "not_logged", "shown"],
}
"""In a 4 the text is another one; in b 6 a document has something for a rank, though no number."""
TOML = '[results]\npath = "{}"\nempty_list = {}\n'


def statuses(study):
    """Return the status of every query by session."""
    found = study.queries.collect().group_by("session_id", maintain_order=True).agg("results_status")
    return dict(found.rows())


def written(write, kind, rows=ROWS):
    """Write rows as a file of this kind; return its name."""
    text = [["" if value is None else str(value) for value in row] for row in rows]
    if kind == "ndjson":
        lines = [{name: value for name, value in zip(COLUMNS, row, strict=True) if value is not None} for row in rows]
        write("log.ndjson", "".join(json.dumps(line) + "\n" for line in lines))
    elif kind == "parquet":
        columns = {name: [value or None for value in values] for name, *values in zip(COLUMNS, *text, strict=True)}
        pl.DataFrame(columns, schema=dict.fromkeys(COLUMNS, pl.String)).write_parquet(write("log.parquet", ""))
    else:
        separator = {"csv": ",", "tsv": "\t"}[kind]
        write(f"log.{kind}", "".join(separator.join(row) + "\n" for row in [COLUMNS, *text]))
    return f"log.{kind}"


@pytest.mark.few(4)
@pytest.mark.parametrize("parts", [False, True], ids=["whole", "in parts"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "ndjson", "parquet"])
def test_in_any_column_of_a_row_that_is_no_result(write, quiet_read, in_batches, kind, parts):
    name = written(write, kind)
    if parts:
        in_batches(rows=3)
    study = quiet_read(write("study.toml", TOML.format(name, '"no hits"')))
    assert statuses(study) == STATUSES
    assert study.results.collect().select("session_id", "query_position", "rank", "doc_id").rows() == [
        ("a", 1, 1, "x"),
        ("a", 1, 2, "y"),
        ("b", 7, 1, "z"),
    ]
    assert study.rejected.collect().select("record", "rule").rows() == [
        (5, "rank_is_given"),
        (11, "rank_is_an_integer"),
    ]
    (source,) = study.sources
    assert (source.records, source.rows, source.empty_lists, source.rejected) == (12, 3, 7, 2)


def test_a_result_of_that_title_stays_and_is_counted(write, quiet_read):
    study = quiet_read(write("study.toml", TOML.format(written(write, "csv", ROWS[:2]), '"no hits"')))
    assert study.results.collect()["title"].to_list() == ["cats", "no hits"]
    said = "results: 1 row with a rank, a document and, in another column, the text of empty_list; kept as results"
    assert said in study.notes


def test_the_same_of_frames():
    frame = pl.DataFrame({name: [row[at] for row in ROWS[:3]] for at, name in enumerate(COLUMNS)}, strict=False)
    study = sk.from_tables(frame, empty_list="no hits")
    assert statuses(study) == {"a": ["shown", "empty"]}
    nothing = {"session_id": ["a", "a"], "query_position": [1, 2], "rank": [1, None], "doc_id": ["x", None]}
    assert statuses(sk.from_tables(nothing, empty_list="")) == {"a": ["shown", "empty"]}


@pytest.mark.parametrize("null", ["", 'null = ["", "-"]\n', 'null = ["-"]\n'])
@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_no_text_stands_for_an_empty_rank(write, quiet_read, kind, null):
    """Only ranks are looked at: a row with rank whose title or clicks are empty is a result."""
    rows = [("a", 1, 1, "x", None, None), ("a", 2, None, "no hits", None, None), ("a", 3, None, None, "t", 0)]
    name = written(write, kind, rows)
    study = quiet_read(write("study.toml", TOML.format(name, '""') + null))
    assert statuses(study) == {"a": ["shown", "empty", "empty"]}
    assert study.sources[0].empty_lists == 2


def test_a_text_that_means_no_value_elsewhere_is_a_marker_in_place_of_a_rank(write, quiet_read):
    rows = [("a", 1, 1, "x", "-", "-"), ("a", 2, "-", "-", "-", "-")]
    name = written(write, "csv", rows)
    study = quiet_read(write("study.toml", TOML.format(name, '"-"') + 'null = ["", "-"]\n'))
    assert statuses(study) == {"a": ["shown", "empty"]}
    assert study.results.collect().select("title", "clicks").row(0) == (None, None)


def test_keys_are_no_place_for_the_text(write, quiet_read):
    """0 stands for no result, and is the name of a session and the number of a query as well."""
    rows = [("0", 0, 1, "x", "t", 0), ("0", 1, 0, None, "t", 0), ("0", 2, None, "y", None, None)]
    name = written(write, "csv", rows)
    study = quiet_read(write("study.toml", TOML.format(name, '"0"') + "base = { query_position = 0 }\n"))
    assert statuses(study) == {"0": ["shown", "empty", "not_logged"]}
    assert study.rejected.collect()["rule"].to_list() == ["rank_is_given"]


def test_scores_count_an_empty_list_that_words_mark(write, quiet_read):
    """nDCG is 1 and 0, so .5 in the mean; were the second query not logged it would be 1."""
    rows = [("t", 1, 1, "x", None, None), ("t", 2, None, "no hits", None, None)]
    path = write("study.toml", TOML.format(written(write, "csv", rows), '""') + '[defaults]\ntopic_id = "t"\n')
    study = quiet_read(path, judgments=write("qrels", "t 0 x 1\n"))
    assert sk.score(study, "mean(nDCG@10)", per="session")["value"].to_list() == [0.5]


def test_a_document_without_a_rank_is_told_of_where_no_rank_means_an_empty_list():
    rows = [("a", 1, 1, "x"), ("a", 2, None, "b"), ("a", 3, None, None), ("a", 4, None, "c")]
    frame = pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row")
    study = sk.from_tables(frame, empty_list="")
    said = "results: 2 rows with an empty rank but a doc_id (first: 'b') are taken as empty lists"
    assert [note for note in study.notes if note.startswith(said)]
    without = frame.with_columns(doc_id=pl.when(pl.col("rank").is_not_null()).then("doc_id"))
    assert not [note for note in sk.from_tables(without, empty_list="").notes if "something in doc_id" in note]


def test_only_rows_that_are_kept_are_called_kept():
    """Three rows have the words in their title; the rank of one is none, and another has no session."""
    rows = [("a", 1, "1", "x", "no hits"), ("a", 1, "two", "y", "no hits"), (None, 1, "1", "z", "no hits")]
    frame = pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id", "title"], orient="row")
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(frame, empty_list="no hits")
    assert study.facts.results == 1
    assert [note[:14] for note in study.notes if "kept as results" in note] == ["results: 1 row"]


RESULTS = {
    "session_id": ["a", "a", "b"],
    "query_position": [1, 1, 1],
    "rank": [1, 3, 1],
    "doc_id": ["x", "y", "x"],
    "topic_id": ["t", "t", "u"],
}
JUDGMENTS = {"judgment_key": ["t", "u"], "doc_id": ["x", "x"], "grade": [1, 2]}


def test_nothing_unusual_nothing_said():
    assert from_tables({**RESULTS, "rank": [1, 2, 1]}, JUDGMENTS).notes == ()


def test_gaps_in_ranks():
    (note,) = from_tables(RESULTS, JUDGMENTS).notes
    assert messages_with([note], "results: 1 list shown", "gaps", "gain 0", "flagged", "session 'a'")


def test_repeats_within_a_list():
    with pytest.warns(DataWarning, match=match_parts("results: 1 row", "shown earlier in the list")):
        from_tables({**RESULTS, "rank": [1, 2, 1], "doc_id": ["x", "x", "x"]}, JUDGMENTS)


def test_sessions_that_no_judgment_belongs_to():
    with pytest.warns(DataWarning, match=match_parts("none", "judgment_key of 1 session", "first: 'b'")):
        from_tables(RESULTS, {"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]})


def test_judgments_of_documents_that_were_not_shown_for_their_key():
    said = match_parts("judgments: none", "2 judged documents", "first: 't', 'http://x'", "document ids")
    with pytest.warns(DataWarning, match=said):
        study = from_tables(
            {**RESULTS, "rank": [1, 2, 1]}, {**JUDGMENTS, "doc_id": ["http://x", "y"]}
        )  # y is shown for t
    with pytest.warns(DataWarning, match=match_parts("no result", "is judged")):
        assert score(study, ["sDCG@10", "Queries"])["judged"].to_list() == [0, 0]
    score(study, "Queries")  # which needs no judgment


def test_queries_with_a_key_of_their_own_are_looked_up_by_it():
    results = {**RESULTS, "judgment_key": ["p", "p", "u"], "rank": [1, 2, 1]}
    queries = {"session_id": ["a", "b"], "query_position": [1, 1], "judgment_key": ["p", "u"]}
    judgments = {"judgment_key": ["p", "u"], "doc_id": ["x", "x"], "grade": [1, 1]}
    plain = {name: results[name] for name in ("session_id", "query_position", "rank", "doc_id")}
    assert from_tables(plain, judgments, queries).notes == ()


def test_grades_above_the_scale():
    with pytest.warns(DataWarning, match=match_parts("judgments: 1 grade", "max_grade = 1", "highest 2")):
        from_tables(RESULTS, JUDGMENTS, max_grade=1)
    assert not any("above" in note for note in from_tables(RESULTS, JUDGMENTS, max_grade=2).notes)


def test_negative_grades():
    notes = from_tables(RESULTS, {**JUDGMENTS, "grade": [-1, 2]}).notes
    assert any(note.startswith("judgments: 1 grade below 0") for note in notes)
    notes = from_tables(RESULTS, {**JUDGMENTS, "grade": [-1, 2]}, unjudged_grades=(-1,)).notes
    assert not any("below 0" in note for note in notes)
    study = from_tables(RESULTS, {**JUDGMENTS, "grade": [-1, 2]}, unjudged_grades=())
    assert not any("below 0" in note for note in study.notes)  # confirmed: they are judged
    assert study.settings.unjudged_grades == ()


@pytest.mark.parametrize("finer", ["subtopic_id", "passage_id", "judge_id"])
def test_repeated_judgments_unless_something_tells_them_apart(finer):
    repeated = {"judgment_key": ["t", "t", "u"], "doc_id": ["x", "x", "x"], "grade": [1, 2, 1]}
    with pytest.warns(DataWarning, match="1 document judged more than once"):
        from_tables(RESULTS, repeated)
    assert not any(
        "more than once" in note for note in from_tables(RESULTS, {**repeated, finer: ["1", "2", "1"]}).notes
    )


def test_no_judgments():
    (note,) = from_tables({**RESULTS, "rank": [1, 2, 1]}).notes
    assert messages_with([note], "no judgments", "relevance")


HEADER = "session_id,query_position,rank,doc_id\n"


def test_columns_are_the_schemas_even_without_rows():
    rejected = from_tables(
        {"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["x"]}
    ).rejected.collect()
    assert rejected.schema == {field.name: field.dtype for field in table("rejected").fields}


def test_rows_stand_in_the_order_of_the_source(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", HEADER + "a,1,1,x\na,1,1,y\na,1,-1,w\na,1,z,v\na,1,1,u\n"))
    assert [(record, rule) for record, _, rule, _, _ in rejects(study)] == [
        (2, "rank_is_unique_in_list"),
        (3, "rank_is_at_least_1"),
        (4, "rank_is_an_integer"),
        (5, "rank_is_unique_in_list"),
    ]


def test_the_note_counts_rules(write):
    with pytest.warns(
        DataWarning, match=match_parts("log.csv (results): 3 records", "rank_is_unique_in_list 2", "doc_id_is_given 1")
    ):
        read(write("log.csv", HEADER + "a,1,1,x\na,1,1,y\na,1,1,z\na,1,2,\n"))


def test_strict_reading_of_sources_without_lines(tmp_path):
    frame = pl.DataFrame({"session_id": ["a"], "query_position": [1], "rank": [-1], "doc_id": ["x"]})
    frame.write_parquet(tmp_path / "log.parquet")
    with pytest.raises(DataError, match=match_parts("log.parquet, record 1:", "rank_is_at_least_1", "'-1'")):
        read(tmp_path / "log.parquet", strict=True)


def test_hostile_text_comes_through_as_it_is(write, quiet_read, rejects):
    raw = "a,1,<script>alert(1)</script>,x"
    assert rejects(quiet_read(write("log.csv", HEADER + raw + "\na,1,2,y\n")))[0][3:] == (
        "<script>alert(1)</script>",
        raw,
    )


AOL = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\tcats\t2006-03-01 10:00:00\t1\thttp://a\n"
RUN = "1 Q0 d 1 2.5 tag\n"


@pytest.mark.parametrize("text", [AOL, RUN])
def test_a_file_given_twice_under_two_names_is_told(write, text):
    one, other, third = write("one", text), write("other", text), write("third", text.replace("1", "2"))
    with pytest.warns(DataWarning) as caught:
        study = read([one, other, third])
    (text,) = messages_with([warning.message for warning in caught], "are identical")
    assert messages_with([text], "one and other")
    assert text in study.notes


def test_files_of_one_size_are_not_the_same(write):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read([write("one", RUN), write("other", RUN.replace("d", "e"))])
    assert not [warning for warning in caught if "are identical" in str(warning.message)]
