"""What every registered measure keeps to, whatever it is: checked over the whole registry."""

import subprocess
import sys
import warnings
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import GainMeasure, TermMeasure, Wrapper
from sessionkit.scoring.measures.grammar import example_of, parse_measure
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.scoring.measures.session_rank_biased import RecencyMeasure
from tests.scoring.studies import drawn_for, sessions, study_of
from tests.support.clinic import read_clinic
from tests.support.examples import examples
from tests.support.net.answers import tables
from tests.support.score_way import score_way

TABLES = ("sessions", "queries", "results", "judgments")
FEW = settings(max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.too_slow])


OTHERWISE = {"duplicates": "first", "unjudged": "skip"}
DECLARED = {"max_grade": 3, "collection_size": 1000}


def variants(measure):
    """A measure as people use it, and with the parameters that change most."""
    if isinstance(measure, Wrapper):
        inside = (
            ["nsDCG@3", "sDCG@3", "nDCG@3", "nsDCG(normalize=query)@3"]
            if measure.name == "avgpos"
            else ["nDCG@3", "DCG(gain=exp2)@3", "sDCG@3", "nsDCG@3", "AP", "P@3", "avgpos(DCG@3)"]
        )
        return [measure(parse_measure(text)) for text in inside]
    measure = example_of(measure)
    taken = measure.parameters()
    changes = {name: value for name, value in OTHERWISE.items() if name in taken}
    made = [cut(measure, 3), cut(measure(**changes), 2 if isinstance(measure, GainMeasure) else None)]
    if "ideal" in measure.parameters():
        made += [
            measure(duplicates="first", ideal="spread") @ 3,
            measure(ideal="once") @ 2,
            measure(normalize="query") @ 3,
        ]
    if "rank_origin" in measure.parameters():
        made += [measure(rank_origin="session", slots="shown") @ 3]
    return made


def cut(measure, rank):
    """The measure with this cutoff, if it takes one."""
    return replace(measure, cutoff=rank) if "cutoff" in measure.parameters() else measure


EVERY = [variant for measure in MEASURES.values() for variant in dict.fromkeys(variants(measure))]
THIRDS = 3
"""Of the measures one in so many is explained for each log that is drawn: explaining is by far the slowest."""
TOGETHER = 12
"""Measures that are held to the rules in one go, of one level and in need of the same columns."""


def together(measures):
    """Measures that can be scored in one call, some at a time; the first of each names them."""
    alike = {}
    for measure in measures:
        alike.setdefault((measure.level, str(drawn_for([measure.inner]))), []).append(measure)
    several = [group[at : at + TOGETHER] for group in alike.values() for at in range(0, len(group), TOGETHER)]
    return [pytest.param(group, id=f"{group[0]} and {len(group) - 1} more") for group in several]


quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def test_every_measure_is_a_name_of_the_package():
    assert [name for name in MEASURES if name not in dir(sk)] == []
    assert [name for name, measure in MEASURES.items() if getattr(sk, name) is not measure] == []


def scores_of(study, measures):
    """By measure its keys and values, at the level that all of them have."""
    level = measures[0].level
    table = sk.score(study, measures, **score_way(level))
    keys = ["session_id", "query_position"] if level == "query" else ["session_id"]
    values = {str(measure): {} for measure in measures}
    for *unit, measure, value in table.select(*keys, "measure", "value").iter_rows():
        values[measure][tuple(unit)] = value
    return values


@pytest.mark.few(2)
@quiet
@pytest.mark.parametrize("measures", together(EVERY))
@FEW
@given(data=st.data(), shuffle=st.randoms())
def test_contracts(measures, data, shuffle):
    columns = drawn_for([measures[0].inner])
    made, judgments = data.draw(sessions(columns=columns))
    study = study_of(made, judgments, columns=columns, **DECLARED)
    scores = scores_of(study, measures)
    explained = shuffle.randrange(THIRDS)
    for place, measure in enumerate(measures):
        check_values(study, made, measure, scores[str(measure)])
        if place % THIRDS == explained:
            check_explanation(study, measure, scores[str(measure)])

    # the same bits when asked for alone, whatever the order of the rows, and when a session is scored alone
    one = measures[shuffle.randrange(len(measures))]
    assert scores_of(study, [one])[str(one)] == scores[str(one)]
    seed = shuffle.randrange(2**32)
    shuffled = {name: study.table(name).collect().sample(fraction=1, shuffle=True, seed=seed).lazy() for name in TABLES}
    assert scores_of(study.with_tables(**shuffled), measures) == scores
    if made:
        name = sorted(made)[shuffle.randrange(len(made))]
        own = {table: study.table(table).filter(pl.col("session_id") == name) for table in TABLES[:3]}
        for measure, values in scores_of(study.with_tables(**own), measures).items():
            assert values == {unit: value for unit, value in scores[measure].items() if unit[0] == name}


@pytest.mark.few(1)
@pytest.mark.slow
@quiet
@pytest.mark.parametrize("level", ["query", "session"])
def test_every_value_is_explained_and_is_that_of_its_session_alone(level):
    made = tables(3, 2)
    made["sessions"] = made["sessions"].with_columns(expected=pl.lit(2.0))
    study = sk.from_tables(**made, **DECLARED)
    measures = [measure for measure in EVERY if measure.level == level]
    scores, alone = scores_of(study, measures), {str(measure): {} for measure in measures}
    for measure in measures:
        if isinstance(measure.inner, GainMeasure | TermMeasure | RecencyMeasure):
            assert any(scores[str(measure)].values()), measure
            check_explanation(study, measure, scores[str(measure)])
    for name in made["sessions"]["session_id"]:
        own = {table: study.table(table).filter(pl.col("session_id") == name) for table in TABLES[:3]}
        for measure, values in scores_of(study.with_tables(**own), measures).items():
            alone[measure] |= values
    assert alone == scores


def check_values(study, made, measure, values):
    """Every unit has a value or none, in the declared range."""
    logged = [
        (s, q["position"]) for s, session in made.items() for q in session["queries"] if q["status"] != "not_logged"
    ]
    assert set(values) == (set(logged) if measure.level == "query" else {(s,) for s in made}), measure

    defined = [value for value in values.values() if value is not None]
    if measure.lowest is not None:
        assert all(value >= measure.lowest for value in defined), measure
    if measure.highest is not None:
        assert all(value <= measure.highest for value in defined), measure


def check_explanation(study, measure, values):
    """Where a value is a sum, it is that of what is explained."""
    if not isinstance(measure.inner, (GainMeasure, TermMeasure, RecencyMeasure)):
        with pytest.raises(MeasureError, match="cannot be explained"):
            sk.explain(study, measure)
        return
    table = sk.explain(study, measure)
    keys = ["session_id", "query_position"] if measure.level == "query" else ["session_id"]
    sums = {tuple(row[:-1]): row[-1] for row in table.group_by(keys).agg(pl.col("contribution").sum()).rows()}
    for unit, value in values.items():
        if value is not None:
            assert sums.get(unit, 0.0) == pytest.approx(value, rel=1e-9, abs=1e-12), measure


@pytest.mark.few(4)
@quiet
@pytest.mark.parametrize("measures", together([measure for measure in EVERY if not measure.higher_grade_can_lower]))
@FEW
@given(data=st.data())
def test_a_higher_grade_makes_nothing_worse_where_that_is_declared(measures, data):
    columns = drawn_for([measures[0].inner])
    made, judgments = data.draw(sessions(columns=columns))
    pairs = [(key, doc) for key, docs in judgments.items() for doc in docs]
    if not pairs:
        return
    key, doc = data.draw(st.sampled_from(pairs))
    raised = {k: dict(docs) for k, docs in judgments.items()}
    raised[key][doc] = 3
    studies = [study_of(made, graded, columns=columns, **DECLARED) for graded in (judgments, raised)]
    before, after = (scores_of(study, measures) for study in studies)
    for measure in measures:
        sign = -1 if measure.direction == "lower" else 1
        pairs = [(after[str(measure)][unit], value) for unit, value in before[str(measure)].items()]
        assert all(sign * later >= sign * value for later, value in pairs if value is not None), measure


@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_documented(measure):
    assert measure.formula
    assert measure.source
    assert measure.__doc__.strip()
    assert measure.direction in {"higher", "lower", "unknown"}
    assert str(example_of(measure)) == (measure.example or str(example_of(measure)))
    bare = {name for name in measure.required if measure.parameters()[name] is None}
    assert bare == set(measure.required)
    assert parse_measure(str(variants(measure)[0])) == variants(measure)[0]


@pytest.mark.slow
@quiet
def test_threads_and_batches_do_not_change_a_bit(tmp_path):
    """The same study scored with one thread, with four, and in slices of sessions gives the bits of the whole."""
    study = read_clinic()
    saved = study.save(tmp_path / "study")
    asked = ["sDCG(gain=0-1-10-100)@10", "nsDCG@10", "mean(nDCG@10)", "avgpos(nsDCG@10)", "mean(AP)", "Results"]
    whole = sk.score(saved, asked, per="session")
    for threads in ("1", "4"):
        scores = tmp_path / f"{threads}.parquet"
        script = f"""
import sessionkit as sk
sk.score(sk.open_study({str(tmp_path / "study")!r}), {asked!r}, per="session").write_parquet({str(scores)!r})
"""
        subprocess.run([sys.executable, "-c", script], check=True, env={"POLARS_MAX_THREADS": threads, "PATH": ""})
        assert pl.read_parquet(scores).equals(whole)
    halves = []
    for rest in (0, 1):
        mine = pl.col("session_id").hash(0) % 2 == rest
        cut = {name: saved.table(name).filter(mine) for name in ("sessions", "queries", "results")}
        halves.append(sk.score(saved.with_tables(**cut), asked, per="session"))
    assert pl.concat(halves).sort("session_id", maintain_order=True).equals(whole)


@quiet
def test_warnings_are_named_once():
    study = sk.from_tables(
        results={
            "session_id": ["s", "z"],
            "query_position": [1, 1],
            "rank": [1, 1],
            "doc_id": ["a", "b"],
            "topic_id": ["t", "u"],
        },
        judgments={"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [0, 0]},
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = sk.score(study, ["sDCG@10", "nsDCG@10"], per="session")
    told = [str(warning.message) for warning in caught if "undefined for" in str(warning.message)]
    assert len(told) == 1
    assert "s, z" in told[0]
    # s: judged, but nothing relevant; z: no judgments at all
    assert table.select("session_id", "measure", "value").rows() == [
        ("s", "sDCG@10", 0.0),
        ("s", "nsDCG@10", None),
        ("z", "sDCG@10", None),
        ("z", "nsDCG@10", None),
    ]
    grouped = sk.score(study, ["sDCG@10"], by="system_id")
    assert grouped.select("value", "n", "undefined", "judged").rows() == [(0.0, 1, 1, 0.5)]
