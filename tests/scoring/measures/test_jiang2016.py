"""DCG, nDCG, P, RBP and GAP of Jiang & Allan's code: restated, and on their own logs against what their code prints."""

import csv
import math
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.drawn import OPTIONS, counted, sessions, values, worth, written
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "ir_metrics"
REAL = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine"),
]


@quiet
def test_short_lists_are_flattered():
    # one relevant document, all that is shown: a mean of 1, and more than the ideal list's (3 + 0 + 0) / (1 + .63 + .5)
    short = written([2], more=[0, 0])
    found = values(short, "P_jiang2016@10", "RBP_jiang2016(p=0.8)@10", "nDCG_jiang2016@3")
    assert found == [1.0, 1.0, pytest.approx(1 + 1 / math.log2(3) + 1 / 2)]
    assert values({**short, "lists": [[]]}, "P_jiang2016@10", "RBP_jiang2016(p=0.8)", "nDCG_jiang2016") == [
        0.0,
        0.0,
        0.0,
    ]
    assert values(written([0, -1]), "P_jiang2016@10", "nDCG_jiang2016@10") == [0.0, None]
    assert values(written([None]), "P_jiang2016@10", "nDCG_jiang2016@10") == [None, None]


@quiet
def test_a_grade_of_minus_one_gains_nothing():
    # that code would have it gain 2^-1 - 1 = -.5; it holds its place in the ideal list all the same
    ideal = (1 + 0 + 0) / (1 + 1 / math.log2(3) + 1 / 2)
    found = values(written([-1, 1, 0]), "nDCG_jiang2016@3")
    assert found == [pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2) / ideal)]


@quiet
@settings(max_examples=examples(40), deadline=None)
@given(session=sessions(), options=OPTIONS, gain=st.sampled_from(["linear", "exp2", "binary"]))
def test_restated(session, options, gain):
    forms = (
        "P_jiang2016({})",
        "RBP_jiang2016({},p=0.6)",
        "DCG_jiang2016({})",
        "GAP_jiang2016({})",
        "nDCG_jiang2016({})",
    )
    texts = [form.format(f"gain={gain}") for form in forms]
    found = values(session, *(sk.parse_measure(text)(**options) for text in texts))
    best = sorted(
        ({"grade": grade, "first": True} for grade in session["judgments"].values()), key=lambda row: -row["grade"]
    )
    ideal = [{**row, "rank": rank} for rank, row in enumerate(best, 1) if rank <= (options["cutoff"] or 99)]

    def mean(rows, weight):
        """Weighted mean of the gains, 0 over nothing."""
        whole = sum(weight(row["rank"]) for row in rows)
        return sum(worth(row, gain) * weight(row["rank"]) for row in rows) / whole if whole else 0.0

    def graded(rows):
        """At every result that gains, the gains down to it by its rank; by all gains there are."""
        all_gains = sum(worth(row, gain) for row in best)
        gains = [(row["rank"], worth(row, gain)) for row in rows]
        reached = sum(sum(g for r, g in gains if r <= rank) / rank for rank, own in gains if own > 0)
        return reached / all_gains if all_gains else None

    for number, (rows, _) in enumerate(counted(session, options)):
        expected = [None] * 5
        if ideal:
            most = mean(ideal, lambda rank: 1 / math.log2(rank + 1))
            own = mean(rows, lambda rank: 1 / math.log2(rank + 1))
            expected = [
                mean(rows, lambda _: 1),
                mean(rows, lambda rank: 0.6 ** (rank - 1)),
                own,
                graded(rows),
                own / most if most else None,
            ]
        assert found[5 * number : 5 * number + 5] == [
            None if value is None else pytest.approx(value) for value in expected
        ]


def tsv(name):
    """Rows of a file of the logs."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """The study, with what searchers said of their performance."""
    config = tmp_path_factory.mktemp("ir_metrics") / "study.toml"
    tables = {
        "sessions": (
            "session",
            'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User"',
        ),
        "results": ("results", 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"'),
        "judgments": ("qrels", 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"'),
    }
    text = 'format = "tables"\nmax_grade = 2\n'
    for table, (name, columns) in tables.items():
        text += f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns} }}\n'
        text += 'empty_list = "no results"\n' if table == "results" else ""
    config.write_text(text)
    return sk.read(config)


class TestOnTheLogs:
    """All 80 sessions of Jiang & Allan's user study."""

    pytestmark = REAL

    def test_session_80_query_5(self, logs):
        measures = ["nDCG_jiang2016@9", "nDCG(gain=exp2)@9"]
        found = sk.score(logs, measures, per="query").filter(session_id="80", query_position=5)
        assert found.get_column("value").round(4).to_list() == [0.6043, 0.4188]

    def test_where_they_differ_from_the_standard_forms(self, logs):
        measures = ["nDCG_jiang2016@9", "nDCG(gain=exp2)@9", "P_jiang2016@9", "P@9"]
        table = sk.score(logs, measures, per="query").pivot(
            "measure", index=["session_id", "query_position"], values="value"
        )
        assert len(table) == 388
        for own, standard, most in ((0, 1, 0.1855), (2, 3, 0.3556)):
            beyond = (table[measures[own]] - table[measures[standard]]).abs()
            assert (beyond > 1e-9).sum() == 12
            assert beyond.max() == pytest.approx(most, abs=5e-5)

    @pytest.mark.parametrize(
        ("measure", "printed"),
        [
            ("P_jiang2016@9", 0.326),
            ("P_jiang2016(gain=0-0.4-1)@9", 0.371),
            ("RBP_jiang2016(p=0.8)@9", 0.331),
            ("RBP_jiang2016(p=0.6)@9", 0.305),
            ("RBP_jiang2016(gain=0-0.4-1,p=0.8)@9", 0.405),
            ("RBP_jiang2016(gain=0-0.4-1,p=0.6)@9", 0.402),
            ("DCG_jiang2016@9", 0.398),
            ("nDCG_jiang2016@9", 0.352),
            ("GAP_jiang2016(gain=0-0.4-1)@9", 0.062),
            ("TBG(click=0.26-0.5-0.55,save=0-0.2-0.8,seconds=9.8-23-37.6,halflife=31)@9", 0.440),
            ("U(gain=exp2,horizon=99,seconds=9.8-23-37.6)@9", 0.445),
        ],
    )
    def test_correlations_with_performance_that_their_code_prints(self, logs, measure, printed):
        said = {row["SessionID"]: float(row["Performance"]) for row in tsv("session")}
        scores = sk.score(logs, [f"mean({measure})"], per="session")
        with_said = scores.with_columns(said=pl.col("session_id").replace_strict(said, return_dtype=pl.Float64))
        assert with_said.select(pl.corr("value", "said")).item() == pytest.approx(printed, abs=5.1e-4)
