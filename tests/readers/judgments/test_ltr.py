"""Judgments as text for learning to rank: the text of a query behind its documents, or in comments."""

import gzip

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.judgments.quepid import holds_ltr

TITLED = (
    "# grade (0-4)\tqueryid\tdocId\ttitle\n#\n# qid:1: desk lamp\n# qid:2: bulb*2.5\n\n"
    "4\tqid:1 #\tA\tThe Lamp\n0\tqid:1 #\tB\tTable: oak\n3\tqid:2\t# A\tThe Lamp\n2 qid:2 1:0.5 2:11 # C\n1 qid:3 # D\tRug\n"
)


def rows(study):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade", "qid", "comment").rows()


def test_texts_of_queries_in_comments_count_and_titles_stay(judged, accounts, rejects):
    study = judged("titled.txt", TITLED)
    assert rejects(study) == [(10, 10, "qid_has_one_text", "1 qid:3 # D\tRug", "1 qid:3 # D\tRug")]
    assert rows(study) == [
        ("desk lamp", "A", 4.0, 1, "The Lamp"),
        ("desk lamp", "B", 0.0, 1, "Table: oak"),
        ("bulb", "A", 3.0, 2, "The Lamp"),
        ("bulb", "C", 2.0, 2, None),
    ]
    assert accounts(study) == {"ratings": (4, 0, 0, 1), "comments": (0, 0, 4, 0)}


def test_a_number_with_several_texts_has_none_that_is_its_querys(judged, rejects):
    study = judged(
        "bare.txt", "4 qid:1 # A The Lamp\n0 qid:1 # B Table\n3 qid:2 # A bulb\n2 qid:2 # C bulb\n1 qid:3 # D\n"
    )
    assert study.judgments.collect().select("judgment_key", "doc_id").rows() == [("bulb", "A"), ("bulb", "C")]
    assert [row[1:4] for row in rejects(study)] == [
        (1, "qid_has_one_text", "4 qid:1 # A The Lamp"),
        (2, "qid_has_one_text", "0 qid:1 # B Table"),
        (5, "rating_can_be_read", "1 qid:3 # D"),
    ]


def test_a_number_that_comments_do_not_name_has_the_text_behind_where_that_is_the_text_of_others(judged):
    study = judged("mixed.txt", "# qid:1: desk lamp\n4 qid:1 # A desk lamp\n3 qid:2 # B bulb\n")
    assert study.judgments.collect()["judgment_key"].to_list() == ["desk lamp", "bulb"]


def test_a_mark_of_byte_order_is_no_part_of_the_first_comment(judged, accounts):
    study = judged("marked.txt", "\ufeff# qid:1: desk lamp\r\n4 qid:1 # A The Lamp\r\n")
    assert study.judgments.collect()["judgment_key"].to_list() == ["desk lamp"]
    assert accounts(study) == {"ratings": (1, 0, 0, 0), "comments": (0, 0, 1, 0)}


def test_lines_that_name_no_document_and_text_are_refused(judged):
    said = r"mslr\.txt: no line of it says '# document text of the query'.*line 1: '2 qid:10"
    with pytest.raises(DataError, match=said):
        judged("mslr.txt", "2 qid:10 1:0.3 2:0.1\n")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        (TITLED, True),
        ("\n2 qid:7 # A desk lamp\n", True),
        ("2 qid:7 1:0.1 2:0.2\n", True),  # recognized, to be refused by name
        ("2 1:0.1 2:0.2\n", False),
        ("# a comment\n7 0 A 2\n", False),
        ("query,docid,rating\n", False),
    ],
)
def test_they_are_recognized(text, fits):
    assert holds_ltr(text) is fits


def test_text_that_is_cut_short_is_named(judged, tmp_path):
    """As every other file of judgments is."""
    text = "".join(f"{n % 4} qid:{n} # d{n * 7919}{n * n} text {n * 31}\n" for n in range(40_000))
    with pytest.raises(DataError, match=r"j\.txt cannot be unpacked; it is cut short or damaged"):
        judged("j.txt", gzip.compress(text.encode())[:-5000])
