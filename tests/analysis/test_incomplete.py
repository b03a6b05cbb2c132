"""incomplete: what is judged, bounds with their arithmetic, conclusions that hold, and the documents that would tell most."""

import warnings
from math import log2
from pathlib import Path

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning, MeasureError, UsageError
from sessionkit.scoring import tasks

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic" / "study.toml"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"


def study(lists, judgments, *, topics=None, **settings):
    """A study of sessions A1, A2, B1...: system and number; one list each, on topic t or as `topics` says."""
    results = [(session, 1, rank, doc) for session, docs in lists.items() for rank, doc in enumerate(docs, 1)]
    sessions = [(session, session[0], (topics or {}).get(session, "t")) for session in lists]
    return sk.from_tables(
        results=pl.DataFrame(results, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        sessions=pl.DataFrame(sessions, schema=["session_id", "system_id", "topic_id"], orient="row"),
        judgments=pl.DataFrame(judgments, schema=["judgment_key", "doc_id", "grade"], orient="row"),
        **{"max_grade": 2, **settings},
    )


@pytest.fixture(scope="module")
def clinic():
    return sk.read(CLINIC)


def test_judged_shares_by_place():
    made = study({"A1": "ax", "A2": "a", "B1": "xy"}, [("t", "a", 1), ("t", "y", -2)], unjudged_grades=(-2,))
    judged = sk.incomplete(made, "mean(P@2)").judged
    found = {row[:3]: row[3:] for row in judged.rows()}
    # A: three results in two lists, a twice judged; B: x in no judgments, y pooled but unjudged
    assert found["A", None, None] == (2, 3, 2, 0, 2 / 3)
    assert found["A", None, 2] == (1, 1, 0, 0, 0.0)
    assert found["A", 1, 1] == (2, 2, 2, 0, 1.0)
    assert found["B", 1, None] == (1, 2, 0, 1, 0.0)


def test_lists_without_results_are_counted():
    made = sk.from_tables(
        queries={"session_id": ["s", "s"], "query_position": [1, 2], "results_status": ["shown", "empty"]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [1]},
        max_grade=1,
    )
    judged = sk.incomplete(made, "sDCG@3", by=None).judged
    assert judged.filter(pl.col("rank").is_null()).select("query_position", "lists", "results").rows() == [
        (None, 2, 1),
        (1, 1, 1),
        (2, 1, 0),
    ]


def test_a_plain_sum_lies_between_nothing_and_the_best_grade():
    # x and y unjudged at ranks 2, 3, grades up to 2: RBP(p=.5) = .5 (1 + .5 + .25), gain 1 or 1/2 of the top
    made = study({"A1": "axy"}, [("t", "a", 1)])
    bounds = sk.incomplete(made, ["mean(RBP(p=0.5))", "mean(RBP(gain=linear,p=0.5))", "sum(DCG@2)"], by=None).bounds
    found = bounds.select("measure", "score", "lower", "upper", "residual", "bound").rows()
    assert found[0] == ("mean(RBP(p=0.5))", 0.5, 0.5, 0.875, 0.375, "attained")
    assert found[1] == ("mean(RBP(gain=linear,p=0.5))", 0.25, 0.25, 0.625, 0.375, "attained")
    assert found[2][:3] == ("sum(DCG@2)", 1.0, 1.0)
    assert found[2][3] == pytest.approx(1 + 2 / log2(3))


def test_documents_of_other_sessions_raise_the_ideal():
    # A1 shows a (grade 2) alone: nDCG@2 = 1; x, which B1 shows, could have grade 2 too: 2 / (2 + 2 / log2 3)
    made = study({"A1": "a", "B1": "x"}, [("t", "a", 2)])
    found = sk.incomplete(made, "mean(nDCG@2)", per="query")
    lower, upper = found.units.filter(session_id="A1").select("lower", "upper").row(0)
    assert lower == pytest.approx(2 / (2 + 2 / log2(3)))
    assert upper == 1.0


def test_a_document_that_both_systems_show_decides_nothing():
    # both show x at rank 2: A has a (1) first, B n (0): the difference is -1 whatever x is, though each score may move
    made = study({"A1": "ax", "B1": "nx"}, [("t", "a", 1), ("t", "n", 0)])
    found = sk.incomplete(made, "mean(DCG@2)")
    assert found.bounds["residual"].min() > 1
    row = found.differences.row(0, named=True)
    assert (row["difference"], row["lower"], row["upper"], row["holds"]) == (-1.0, -1.0, -1.0, True)
    assert row["open_documents"] == 0
    assert found.wanted.is_empty()
    assert "This conclusion holds whatever the unjudged documents are" in found.reading


def test_what_could_turn_a_conclusion_is_named_by_how_much_it_moves():
    # A shows x, y unjudged at ranks 1, 2 (DCG up to 2 + 2 / 1.585 = 3.2619), B a (grade 2) and z at rank 2: 2 up to 3.2619.
    # Now B is ahead by 2: x could take 2 from that, y 1.2619; z could add 1.2619. Against stand 3.2619: x alone settles it,
    # as -2 + 3.2619 = 1.2619 are then left against 2
    made = study({"A1": "xy", "B1": "az"}, [("t", "a", 2)])
    found = sk.incomplete(made, "mean(DCG@2)")
    row = found.differences.row(0, named=True)
    assert (row["difference"], row["holds"], row["needed"], row["open_documents"]) == (2.0, False, 1, 3)
    assert (row["lower"], row["upper"]) == pytest.approx((2 - 2 - 2 / log2(3), 2 + 2 / log2(3)))
    assert found.wanted.select("place", "doc_id", pl.col("move").round(4)).rows() == [
        (1, "x", -2.0),
        (2, "y", -1.2619),
        (3, "z", 1.2619),
    ]
    assert "At least 1 must be judged" in found.reading
    assert "t/x (-2)" in found.reading
    assert sk.incomplete(made, "mean(DCG@2)", wanted=1).wanted.height == 1


def test_pooled_documents_that_nobody_saw_count_in_ideals():
    made = study({"A1": "a"}, [("t", "a", 2), ("t", "p", -2)], unjudged_grades=(-2,))
    bounds = sk.incomplete(made, "mean(nDCG@2)", by=None).bounds
    assert bounds["lower"].item() == pytest.approx(2 / (2 + 2 / log2(3)))


def test_sessions_that_judgments_could_give_a_score():
    # topic u has no judgment: A2 has no score now; judged, x could make it 0 to 2
    with pytest.warns(DataWarning, match="none for the judgment_key"):
        made = study({"A1": "a", "A2": "x"}, [("t", "a", 1)], topics={"A2": "u"})
    row = sk.incomplete(made, "mean(DCG@1)").bounds.row(0, named=True)
    assert (row["n"], row["open"], row["undefined"], row["score"]) == (1, 1, 0, 1.0)
    assert (row["lower"], row["upper"], row["bound"]) == (0.5, 1.5, "safe")


def test_sessions_without_a_topic_cannot_be_judged():
    with pytest.warns(DataWarning, match="judgment_key"):
        made = study({"A1": "ax", "A2": "ay"}, [("t", "a", 1)], topics={"A2": None})
    found = sk.incomplete(made, ["mean(DCG@2)", "mean(nDCG@2)", "nsDCG@2", "mean(AP)"], per="session")
    assert found.bounds["undefined"].to_list() == [1] * 4
    assert found.bounds["open"].to_list() == [0] * 4
    assert found.units.filter(session_id="A2").select(pl.col("score", "lower", "upper").null_count()).row(0) == (
        4,
        4,
        4,
    )


def test_nothing_unjudged_is_said_and_bounds_are_the_scores():
    made = study({"A1": "ab", "B1": "ba"}, [("t", "a", 2), ("t", "b", 0)])
    found = sk.incomplete(made, ["mean(nDCG@2)", "mean(bpref)"])
    both = found.bounds.filter(measure="mean(nDCG@2)")
    assert both.select((pl.col("score") == pl.col("lower")) & (pl.col("score") == pl.col("upper"))).to_series().all()
    assert "Every document that was shown is judged" in found.reading
    assert "mean(bpref) has no bounds" in found.reading
    without = found.bounds.filter(measure="mean(bpref)")
    assert without["score"].null_count() == 0
    assert without["lower"].null_count() == without["upper"].null_count() == 2


def test_scores_are_those_of_score_and_blocks_do_not_matter(clinic, tmp_path, monkeypatch):
    measures = ["sDCG@10", "nsDCG@10", "mean(nDCG@10)", "mean(AP@10)", "mean(RR@10)", "sRBP(b=0.64,p=0.86)@10"]
    found = sk.incomplete(clinic, measures, per="session")
    scores = sk.score(clinic, measures, per="system")
    assert found.bounds["score"].to_list() == scores["value"].to_list()
    assert found.bounds["n"].to_list() == scores["n"].to_list()
    inside = found.bounds.filter(pl.col("lower") <= pl.col("score"), pl.col("score") <= pl.col("upper"))
    assert len(inside) == len(found.bounds) == 12
    clinic.save(tmp_path / "clinic")
    monkeypatch.setattr(tasks, "ROWS", 1_000)
    again = sk.incomplete(sk.open_study(tmp_path / "clinic"), measures, per="session")
    assert again.reading == found.reading
    for name, table in found.tables().items():
        assert table.equals(again.tables()[name]), name


def test_moves_are_those_of_the_scores_with_one_judgment_more(clinic):
    measures = ["sDCG@10", "nsDCG@10", "mean(nDCG@10)"]
    found = sk.incomplete(clinic, measures, wanted=1)
    before = sk.score(clinic, measures, per="system")
    for row in found.wanted.iter_rows(named=True):
        more = {"judgment_key": row["judgment_key"], "doc_id": row["doc_id"], "grade": 3.0}
        frames = {name: getattr(clinic, name).collect() for name in ("sessions", "queries", "results")}
        judgments = pl.concat([clinic.judgments.collect(), pl.DataFrame([more])], how="diagonal_relaxed")
        after = sk.score(sk.from_tables(**frames, judgments=judgments, max_grade=3), [row["measure"]], per="system")
        one = before.filter(measure=row["measure"])["value"]
        moved = (after["value"][1] - after["value"][0]) - (one[1] - one[0])
        assert row["move"] == pytest.approx(moved, abs=1e-9)


def test_one_group_and_many():
    made = study({f"{letter}1": "x" for letter in "ABCDEFGHIJKLMNOPQRSTUVW"}, [("t", "a", 1)])
    alone = sk.incomplete(made, "mean(DCG@1)", by=None)
    assert alone.differences.is_empty()
    assert alone.wanted.select("a", "b", "doc_id", "sessions", "move").rows() == [(None, "all sessions", "x", 23, 2.0)]
    many = sk.incomplete(made, "mean(DCG@1)")
    assert many.differences.is_empty()
    assert "system_id has 23 values" in many.reading


def test_findings_show_themselves():
    found = sk.incomplete(study({"A1": "ax"}, [("t", "a", 1)]), "mean(DCG@2)", by=None)
    assert found.table is found.bounds
    assert str(found).startswith("1 of 2 results shown")
    assert "<h4>bounds</h4>" in found._repr_html_()
    assert list(found.tables()) == ["bounds", "differences", "wanted", "judged"]


@pytest.mark.parametrize(
    ("measures", "options", "error", "said"),
    [
        ("nDCG@2", {}, MeasureError, r"mean\(nDCG@2\)"),
        ("sDCG@2", {"per": "query"}, MeasureError, "per query"),
        ("sDCG@2", {"per": "querys"}, UsageError, "did you mean 'query'"),
        ("sDCG@2", {"by": "sistem_id"}, UsageError, "system_id"),
        ("sDCG@2", {"wanted": -1}, UsageError, "wanted"),
        ("sDCG@2", {"max_grade": 0.5}, UsageError, "grade 1, above max_grade=0.5"),
        ([], {}, MeasureError, "no measure was named"),
    ],
)
def test_what_is_refused(measures, options, error, said):
    with pytest.raises(error, match=said):
        sk.incomplete(study({"A1": "ax"}, [("t", "a", 1)]), measures, **options)


def test_a_study_without_a_scale():
    made = study({"A1": "ax"}, [("t", "a", 1)], max_grade=None)
    with pytest.raises(MeasureError, match="max_grade=1"):
        sk.incomplete(made, "sDCG@2")
    assert sk.incomplete(made, "mean(P@2)").bounds["upper"].item() == 1.0
    assert sk.incomplete(made, "sDCG@2", max_grade=3).bounds["upper"].item() == 2.5  # 1 + 3 / 2


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_the_full_scores_of_ir_metrics_lie_within_the_bounds_of_judgments_with_gaps():
    read = {
        name: pl.read_csv(DATA / name, separator="\t", quote_char=None, infer_schema=False)
        for name in ("session", "results", "qrels")
    }
    results = (
        read["results"]
        .filter(pl.col("rank") != "no results")
        .select(
            session_id="SessionID",
            query_position=pl.col("Qno").cast(pl.Int32),
            rank=pl.col("rank").cast(pl.Int32),
            doc_id="URL",
        )
    )
    sessions = read["session"].select(session_id="SessionID", topic_id="SessionID")
    judgments = read["qrels"].select(judgment_key="SessionID", doc_id="URL", grade=pl.col("Relevance").cast(pl.Float64))
    frames = {"results": results, "sessions": sessions, "max_grade": 2}
    measures = ["sDCG@9", "nsDCG@9", "mean(nDCG@9)", "mean(AP@9)", "mean(RBP(p=0.8)@9)", "mean(RR@9)", "mean(F@9)"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        full = sk.score(sk.from_tables(**frames, judgments=judgments), measures, per="session")
        # every fifth of what somebody was shown; what nobody was shown stays judged, as the bounds take it to be
        shown = judgments.join(
            results, left_on=["judgment_key", "doc_id"], right_on=["session_id", "doc_id"], how="semi"
        )
        kept = judgments.join(shown.gather_every(5), on=["judgment_key", "doc_id"], how="anti")
        found = sk.incomplete(sk.from_tables(**frames, judgments=kept), measures, by=None, per="session")
    both = found.units.join(full, on=["session_id", "measure"])
    assert len(both) == len(full) == 80 * len(measures)
    outside = both.filter((pl.col("value") < pl.col("lower") - 1e-9) | (pl.col("value") > pl.col("upper") + 1e-9))
    assert outside.is_empty()
    assert both.filter(pl.col("value") != pl.col("score")).height > 100


def test_a_tie_that_judgments_can_make_is_no_difference_that_holds():
    # B has ranks 1 to 3 relevant, A ranks 1 and 2, and rank 3 is open: were it relevant both would have the same; in floating
    # point B's value less A's less the step is 7e-18
    made = study({"A1": "xyz", "B1": "pqr"}, [("t", doc, 1) for doc in "xypqr"], max_grade=1)
    row = sk.incomplete(made, "sRBP(b=0.6,p=0.8)@3").differences.row(0, named=True)
    assert (row["lower"], row["holds"], row["needed"]) == (0.0, False, 1)


def test_of_many_groups_the_reading_counts_what_holds():
    lists = {f"{name}1": "x" if name < "G" else "y" for name in "ABCDEFGHIJKLMN"}
    found = sk.incomplete(study(lists, [("t", "x", 1), ("t", "z", 0)]), "sDCG@1")
    assert found.differences.height == 91
    # six have x (1), eight y (0 to 2): 6 x 8 pairs can turn, and so can none of the 15 and 28 that have the same document
    held = int(found.differences["holds"].sum())
    assert f"of 91 differences between groups the sign of {held} holds" in found.reading
    assert "The other 2 of 14 groups are in the table bounds." in found.reading
    assert len(found.reading.splitlines()) < 25


def test_lists_have_a_score_where_their_measure_has_no_bounds():
    lists = {"A1": "abx", "B1": "xa", "B2": "b"}
    made = study(lists, [("t", "a", 1), ("t", "b", 0)])
    units = sk.incomplete(made, ["mean(bpref)", "mean(P@1)"], per="query").units
    # of the two judged documents a is relevant; nothing judged stands above it; B2 does not show it
    assert units.filter(measure="bpref").select("session_id", "score", "lower", "upper").rows() == [
        ("A1", 1.0, None, None),
        ("B1", 1.0, None, None),
        ("B2", 0.0, None, None),
    ]
    assert units.filter(measure="P@1").select("score", "lower", "upper").rows() == [(1, 1, 1), (0, 0, 1), (0, 0, 0)]
