"""Which columns count: told by how they run where names say nothing, by names where both run alike."""

from pathlib import Path

import polars as pl

from sessionkit.readers.propose.contents import columns_of
from sessionkit.readers.propose.kinds import layout_of
from sessionkit.readers.propose.sample import Sample

ROWS = [
    (f"{9000 + s}", f"{q}", f"{r}", f"{s * 7 + r * 3 % 5}") for s in range(5) for q in range(1, 4) for r in range(1, 6)
]


def columns(rows, names):
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return columns_of(Sample(Path("x"), "x", "text", {}, frame, frame, whole=True, doubts={}))


def test_columns_without_names_are_told_by_how_they_run():
    found = layout_of(columns(ROWS, "1234"), ranked=True, named=False)
    assert (found.session, found.position, found.rank, found.gaps, found.twice) == ("1", "2", "3", 0, 0)
    turned = [(doc, rank, position, session) for session, position, rank, doc in ROWS]
    found = layout_of(columns(turned, "1234"), ranked=True, named=False)
    assert (found.session, found.position, found.rank) == ("4", "3", "2")


def test_of_two_columns_that_run_alike_that_with_more_values_is_the_session():
    rows = [(d, r, q, f"00{int(s) - 9000}") for s, q, r, d in ROWS]
    found = layout_of(columns(rows, "1234"), ranked=True, named=False)
    assert (found.session, found.position, found.rank) == ("4", "3", "2")


def test_of_two_ranks_the_likelier_name_is_taken():
    rows = [(*row, row[2]) for row in ROWS]
    for names in (["session", "qno", "slot", "doc", "rank"], ["session", "qno", "rank", "doc", "slot"]):
        assert layout_of(columns(rows, names), ranked=True, named=True).rank == "rank"


def test_a_column_with_another_name_is_no_rank_for_its_values():
    assert layout_of(columns(ROWS, ["session", "qno", "age", "doc"]), ranked=True, named=True) is None


def test_a_global_counter_is_no_position_of_a_query():
    rows = [(s, f"{int(s) * 100 + int(q)}", r, d) for s, q, r, d in ROWS]
    assert layout_of(columns(rows, ["session", "search", "rank", "doc"]), ranked=True, named=True) is None


def test_gaps_and_ranks_that_come_twice_are_counted():
    gap = [row for row in ROWS if not (row[0] == "9000" and row[1] == "2")]
    assert round(layout_of(columns(gap, ["session", "qno", "rank", "doc"]), ranked=True, named=True).gaps, 9) == 1 / 5
    twice = [*ROWS, ROWS[0], ROWS[40]]
    found = layout_of(columns(twice, ["session", "qno", "rank", "doc"]), ranked=True, named=True)
    assert round(found.twice, 9) == round(2 / 15, 9)


def test_queries_are_laid_out_without_ranks():
    rows = sorted({(session, position) for session, position, _, _ in ROWS})
    found = layout_of(columns(rows, ["session", "position"]), ranked=False, named=True)
    assert (found.session, found.position, found.rank) == ("session", "position", None)


def test_answers_are_no_ids_of_sessions():
    """As in runs of QReCC, whose only texts are answers; another column has a name that says nothing."""
    answers = [f"He was the second of {n} men who walked on the moon" for n in ("ten", "eleven", "twelve")]
    rows = [*zip(answers, ("1", "1", "2"), ("1", "2", "1"), strict=True)]
    for name in ("Conversation_no", "nonsense"):
        layout = layout_of(columns(rows, ("Model_answer", name, "Turn_no")), ranked=False, named=True)
        assert (layout.session, layout.position) == (name, "Turn_no")
    pairs = [(answer, turn) for answer, _, turn in rows]
    assert layout_of(columns(pairs, ("Model_answer", "Turn_no")), ranked=False, named=True) is None
