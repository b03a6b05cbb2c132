"""Judgments as text for learning to rank: the text of a query behind its documents, or in comments."""

import pytest

from sessionkit.readers.judgments.ltr import holds_ltr

TITLED = (
    "# grade (0-4)\tqueryid\tdocId\ttitle\n#\n# qid:1: desk lamp\n# qid:2: bulb*2.5\n\n"
    "4\tqid:1 #\tA\tThe Lamp\n0\tqid:1 #\tB\tTable: oak\n3\tqid:2\t# A\tThe Lamp\n2 qid:2 1:0.5 2:11 # C\n1 qid:3 # D\tRug\n"
)


def rows(study):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade", "qid", "comment").rows()


def test_texts_of_queries_in_comments_count_and_titles_stay(judged, accounts):
    study = judged("titled.txt", TITLED)
    assert rows(study) == [
        ("desk lamp", "A", 4.0, 1, "The Lamp"),
        ("desk lamp", "B", 0.0, 1, "Table: oak"),
        ("bulb", "A", 3.0, 2, "The Lamp"),
        ("bulb", "C", 2.0, 2, None),
        ("Rug", "D", 1.0, 3, "Rug"),
    ]
    assert accounts(study) == {"ratings": (5, 0, 0, 0), "comments": (0, 0, 4, 0)}


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


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        (TITLED, True),
        ("\n2 qid:7 # A desk lamp\n", True),
        ("2 qid:7 1:0.1 2:0.2\n", False),
        ("# a comment\n7 0 A 2\n", False),
        ("query,docid,rating\n", False),
    ],
)
def test_they_are_recognised(text, fits):
    assert holds_ltr(text) is fits
