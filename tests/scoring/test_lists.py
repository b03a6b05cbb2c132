"""The lists that measures see, against dictionaries and loops; and what measures of lists and of sessions keep to."""

import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring import exact as exact_sums
from sessionkit.scoring.batch import batches
from sessionkit.scoring.filter import Selection
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.score import score_task
from tests.scoring.restated import Session
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples
from tests.support.score_way import score_way

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
READ = ("clicked", "examined", "user_grade", "doc_id")
CHOICES = st.fixed_dictionaries(
    {
        "cutoff": st.sampled_from([None, 1, 2, 4]),
        "depth": st.sampled_from(["all", "last_click", "examined"]),
        "duplicates": st.sampled_from(["all", "first"]),
        "unjudged": st.sampled_from(["zero", "skip"]),
        "grades": st.sampled_from(["judgments", "user"]),
        "queries": st.sampled_from([None, 2]),
    }
)


@dataclass(frozen=True, repr=False, kw_only=True)
class Highest(SessionMeasure):
    """The highest score that a session's results have."""

    name = "Highest"
    reads: ClassVar[Columns] = {"results": ("score",)}

    def values(self, lists):
        """Highest score of the only session."""
        return pl.Series([lists.every["score"].max()])


def lists_of(study, options):
    """The lists of a study that is one batch."""
    have = study.columns("results")
    (batch,) = batches(study, {"results": [name for name in READ if name in have]})
    return Lists(batch, Selection(**options), {"results": ("doc_id",)})


@FEW
@given(data=st.data(), options=CHOICES, per_query=st.booleans(), min_grade=st.sampled_from([1, 2]))
def test_lists_against_loops(data, options, per_query, min_grade):
    made, judgments = data.draw(sessions(keys_per_query=per_query))
    study = study_of(made, judgments, keys_per_query=per_query)
    lists, late = lists_of(study, options), lists_of(study, options)
    every, rows, others, bases, lengths, ids = [], [], [], [], [], []
    for name, session in made.items():
        known = Session(name, session["queries"], session["topic"], judgments, options)
        uncut = Session(name, session["queries"], session["topic"], judgments, options | {"cutoff": None})
        shown_before = set()
        for index, query in enumerate(known.queries):
            number = len(ids)
            ids.append((name, query["position"]))
            base = known.judgments.get(known.key_of(query), {})
            bases.append(sum(grade >= min_grade for grade in base.values()))
            others.append(sum(grade < min_grade for grade in base.values()))
            last = max((row["rank"] for row in uncut.lists[index]), default=0)
            lengths.append(min(last, options["cutoff"] or last))
            if options["duplicates"] == "all":
                shown_before = set()
            nth = 0
            for row in known.lists[index]:
                grade = row["grade"]
                first = row["doc"] not in shown_before
                shown_before.add(row["doc"])
                every.append((number, row["rank"], row["doc"], grade))
                if grade is not None and grade >= min_grade and first:
                    nth += 1
                    rows.append((number, row["rank"], row["doc"], grade, nth))
    session_ids = lists.batch.sessions["session_id"].gather(lists.queries["session"])
    assert [*zip(session_ids, lists.queries["query_position"], strict=True)] == ids
    assert lists.queries["length"].to_list() == lengths
    assert lists.base_size(min_grade).to_list() == bases
    assert lists.base_others(min_grade).to_list() == others
    names = ["list", "rank", "doc_id", "grade"]
    assert lists.relevant(min_grade).select(*names, "nth").rows() == rows
    assert late.every.select(names).rows() == every
    assert late.relevant(min_grade).select(*names, "nth").rows() == rows  # from all results, where these are there


def one(**columns):
    """A session of one list: two relevant documents, one pooled but unjudged, one unknown."""
    results = {"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 6], "doc_id": list("apuba")}
    judgments = {"judgment_key": ["t"] * 4, "doc_id": list("abpn"), "grade": [1, 2, -2, 0]}
    sessions_ = {"session_id": ["s"], "topic_id": ["t"]}
    return sk.from_tables(results | columns, judgments, sessions=sessions_, unjudged_grades=(-2,), max_grade=2)


def test_pooled_results_repeats_and_gaps():
    lists = lists_of(one(), {})
    assert lists.every.select("rank", "grade", "first", "pooled").rows() == [
        (1, 1.0, True, False),
        (2, None, True, True),
        (3, None, True, False),
        (4, 2.0, True, False),
        (6, 1.0, False, False),
    ]
    assert lists.queries["length"].to_list() == [6]
    assert lists.base_size(1).to_list() == [2]
    assert lists.base_others(1).to_list() == [1]
    assert lists.ideal("linear").select("rank", "gain").rows() == [(1, 2.0), (2, 1.0)]
    assert lists.settings.max_grade == 2
    assert lists.settings.unjudged_grades == (-2.0,)


@FEW
@given(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1000)), max_size=20), st.randoms())
def test_added_is_exact_and_knows_no_order(terms, shuffle):
    study = sk.from_tables(
        {
            "session_id": ["s", "z"],
            "query_position": [1, 1],
            "rank": [1, 1],
            "doc_id": ["a", "a"],
            "topic_id": ["t"] * 2,
        },
        {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    lists = lists_of(study, {})
    shuffled = [*terms]
    shuffle.shuffle(shuffled)
    schema = {"list": pl.UInt32, "term": pl.Float64}
    found, again = (lists.added(pl.DataFrame(rows, schema=schema, orient="row")) for rows in (terms, shuffled))
    assert found.to_list() == again.to_list()
    exact = [
        sum(round(term * exact_sums.SCALE) for number, term in terms if number == n) / exact_sums.SCALE for n in (0, 1)
    ]
    assert found.to_list() == exact


def test_numbers_within_a_list():
    lists = lists_of(one(), {})
    frame = pl.DataFrame({"list": [0, 0, 2, 3, 3, 3]})
    assert lists.nth(frame).to_list() == [1, 2, 1, 1, 2, 3]
    assert lists.nth(frame.head(0)).to_list() == []


@pytest.mark.parametrize("text", ["RBP", "RBP@10", "mean(RBP@10)"])
def test_a_required_parameter_is_asked_for_with_an_example(text):
    level = "session" if text.startswith("mean") else "query"
    with pytest.raises(MeasureError, match=r"RBP(@10)? needs p, for example RBP\(p=0.8\)@10"):
        sk.score(one(), text, **score_way(level))


def test_a_missing_column_is_named():
    with pytest.raises(DataError, match=r"Highest needs .*'score' .*; .*session_id"):
        sk.score(one(), Highest(), per="session")


def test_a_measure_of_ones_own_sees_the_columns_that_it_names():
    scores = sk.score(one(score=[5.0, 7.0, 2.0, 1.0, 0.5]), [Highest(), Highest() @ 1], per="session")
    assert scores.select("measure", "value").rows() == [("Highest", 7.0), ("Highest@1", 5.0)]


def test_parameters_that_a_measure_does_not_take_are_refused():
    with pytest.raises(MeasureError, match=r"Queries .*'min_grade'; .* queries"):
        sk.score(one(), "Queries(min_grade=2)", per="session")
    with pytest.raises(MeasureError, match="Queries takes no cutoff"):
        sk.score(one(), "Queries@3", per="session")
    with pytest.raises(MeasureError, match="mean takes a measure of queries"):
        sk.score(one(), "mean(Queries)", per="session")
    with pytest.raises(MeasureError, match="cannot be explained"):
        sk.explain(one(), "Queries")


def test_a_breakdown_cuts_at_every_rank():
    # relevant at ranks 1 and 4 of the only query
    found = sk.breakdown(one(), "P@4", average="queries")
    assert found.select("part", "rank", "value").rows() == [
        ("last", 1, 1.0),
        ("last", 2, 0.5),
        ("last", 3, 1 / 3),
        ("last", 4, 0.5),
    ]


def test_undefined_becomes_zero_where_asked():
    study = one()
    study = study.with_tables(judgments=study.judgments.filter(pl.col("grade") == 0))
    with pytest.warns(sk.DataWarning, match="R@3 .* 1 of 1: s query 1; no judgments"):
        scores = sk.score(study, ["R@3", "R(undefined=zero)@3", "P@3"], per="query")
    assert scores.get_column("value").to_list() == [None, 0.0, 0.0]


def test_a_task_travels_with_everything():
    task = score_task(one(), ["mean(RBP(p=0.8)@10)", "Results", "mean(AP)"], by="system_id")
    back = pickle.loads(pickle.dumps(task))  # noqa: S301 - our own
    (batch,) = batches(one(), task.columns())
    sent = pickle.loads(pickle.dumps(batch.judged))  # noqa: S301 - our own
    assert sent.settings.max_grade == 2
    assert back.whole([back.part(batch)]).equals(task.whole([task.part(replace(batch, judged=sent))]))
