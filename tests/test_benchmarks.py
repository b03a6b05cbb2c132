"""The benchmarks themselves: logs are what they promise, every piece of work runs, ratios and targets are right.

No seconds are asserted: how fast anything is, the benchmarks say.
"""

import json
import platform
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import sessionkit as sk
from sessionkit.scoring.explain import path_variance
from tests.benchmarks import cache as caching
from tests.benchmarks import commands, loops, peers, sampled, scoring
from tests.benchmarks.__main__ import main, measured
from tests.benchmarks.cache import Cache, rows_of
from tests.benchmarks.child import figures
from tests.benchmarks.measuring import Comparison, Figures, WorkFailedError, compared
from tests.benchmarks.rated import MEASURE
from tests.benchmarks.rows import ROWS
from tests.benchmarks.table import HEAD, as_json, as_markdown, machine
from tests.benchmarks.targets import Added, AtMost, Faster, Growth, Size, Told

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
ROOT = Path(__file__).parents[1]
SESSIONS = 50
WORKS = {
    f"{work.module.removeprefix('tests.benchmarks.')}.{work.name}": (row, work)
    for row in ROWS.values()
    for work in (row.work, row.baseline)
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return Cache(tmp_path_factory.mktemp("benchmarks"))


@pytest.mark.slow
def test_the_log_is_clean(cache):
    log = cache.synthetic(SESSIONS)
    facts = sk.open_study(log / "study").facts
    assert (facts.repeats_in_lists, facts.lists_with_gaps, facts.not_logged, facts.empty) == (0, 0, 0, 0)
    assert facts.results == 10 * facts.queries
    assert (
        rows_of(log)
        == {name: getattr(facts, name) for name in ("sessions", "queries", "results", "judgments")}
        == {"sessions": SESSIONS, "queries": facts.queries, "results": facts.results, "judgments": 200 * SESSIONS}
    )


@pytest.mark.slow
def test_the_log_like_ir_metrics_is_clean_and_judged_throughout(cache):
    log = cache.rated(200)
    study = sk.open_study(log / "study")
    assert (study.facts.repeats_in_lists, study.facts.lists_with_gaps) == (0, 0)
    assert study.facts.results == 9 * (study.facts.queries - study.facts.empty)
    assert rows_of(log) == {name: getattr(study.facts, name) for name in rows_of(log)}
    assert study.facts.empty > 0
    assert sk.score(study, MEASURE, per="session").get_column("judged").drop_nulls().unique().to_list() == [1.0]


@pytest.mark.slow
def test_sampled_paths_estimate_our_values(cache):
    log = cache.synthetic(SESSIONS)
    study = sk.open_study(log / "study")
    exact = path_variance(study, sampled.MEASURE).select("session_id", "value", "variance").rows()
    random.seed(16)
    for (session, value, variance), some in zip(exact[::10], sampled.sessions_of(log, 10).items(), strict=True):
        assert some[0] == session
        values = sampled.sampled(some[1])
        assert abs(sum(values) / len(values) - value) <= 5 * (variance / len(values)) ** 0.5


@pytest.mark.few(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WORKS if name != "peers.ranx"])
def test_works_run(cache, name):
    row, work = WORKS[name]
    found = figures(work, row.log(cache, SESSIONS))
    assert found["rows"] > 0
    assert found["peak"] > 0
    assert sum(found["parts"].values()) <= found["seconds"]
    assert work.what


@pytest.mark.slow
def test_the_loop_over_dictionaries_gives_our_values(cache):
    log = cache.rated(200)
    theirs = loops.scores(*loops.load(log))
    ours = dict(sk.score(sk.open_study(log / "study"), MEASURE, per="session").select("session_id", "value").rows())
    assert ours == {session: pytest.approx(value, rel=1e-9) for session, value in theirs.items()}
    assert len(ours) == 200


@pytest.mark.slow
def test_peers_give_our_values(cache, monkeypatch):
    log = cache.synthetic(SESSIONS)
    scores = sk.score(sk.open_study(log / "study"), "nDCG@10", per="query")
    ours = {
        f"{session}-{place}": value
        for session, place, value in scores.select("session_id", "query_position", "value").rows()
    }
    near = {query: pytest.approx(value, rel=1e-9, abs=1e-12) for query, value in ours.items()}
    run, qrels = peers.dictionaries(peers.pytrec_eval.ready(log, log))
    assert peers.trec_values(run, qrels) == near
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # the same code, not compiled: that alone takes 20 seconds
    asked = "import json, sys; from tests.benchmarks.peers import ranx_values as v; print(json.dumps(v(*json.load(sys.stdin))))"
    told = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=ROOT,
        check=True,
        input=json.dumps([run, qrels]),
        capture_output=True,
        text=True,
    )
    assert json.loads(told.stdout) == near


def fake(seconds, peaks=None, parts=None):
    """Return a way to measure that gives these seconds in turn, and the list of what was measured."""
    asked = []

    def measure(work, log):
        asked.append((work, log))
        return Figures(seconds[len(asked) - 1], 0, (peaks or [100] * len(seconds))[len(asked) - 1], 1, parts or {})

    return measure, asked


def test_a_ratio_is_the_median_of_the_runs_own_ratios():
    # the first is not counted; then 6/2 = 3, 2/1 = 2, 40/8 = 5: median 3, where the medians' ratio would be 6/2
    measure, asked = fake([9, 2, 6, 1, 2, 8, 40], peaks=[0, 10, 30, 20, 50, 10, 20])
    base, work = (scoring.scan, Path("a")), (scoring.by_system, Path("b"))
    found = compared(base, work, 3, measure=measure)
    assert asked == [base, base, work, base, work, base, work]
    assert (found.ratio, found.added, found.seconds, found.baseline_seconds) == (3, 4, 6, 2)
    assert (found.peak, found.peak_growth) == (50, 2.5)


def test_a_long_baseline_is_done_once():
    measure, asked = fake([100, 2, 1, 4], parts={"evaluate": 80})
    found = compared((peers.ranx, Path("a")), (scoring.per_query, Path("a")), 3, once=True, measure=measure)
    assert [work.name for work, _ in asked] == ["ranx", "per_query", "per_query", "per_query"]
    # 100 s against a median of 2 s; 80 s of it the evaluation
    assert (found.ratio, found.part("evaluate")) == (0.02, 80)
    assert Faster(50, "ranx", "evaluate").measured(found) == "50 x; 40 x its evaluate alone (80.00 s)"
    assert [Faster(times, "ranx", "evaluate").met(found) for times in (50, 51)] == [True, False]
    assert [Faster(times, "ranx", "evaluate", held_to_part=True).met(found) for times in (40, 41)] == [True, False]


def test_growth_compares_ten_times_the_log(tmp_path):
    row = replace(ROWS["score-growth"], log=lambda _cache, sessions: tmp_path / str(sessions))
    measure, asked = fake([3, 2, 22], peaks=[100, 100, 130])
    found, on = measured(row, Cache(tmp_path), 7, 1, measure)
    assert [place.name for _, place in asked] == ["7", "7", "70"]
    assert on.name == "70"
    assert row.target.measured(found) == "time 11.0 x; peak 1.30 x"
    assert row.target.met(found) is True


def one(base, work, base_peak=1, peak=1, *, base_rows=1, rows=1):
    return Comparison([Figures(base, 0, base_peak, base_rows)], [Figures(work, 0, peak, rows)])


@pytest.mark.parametrize(
    ("target", "found", "measured_", "met"),
    [
        (AtMost(3, "a scan"), one(2, 6), "3.00 x", True),
        (AtMost(3, "a scan"), one(2, 6.1), "3.05 x", False),
        (AtMost(3, "a scan", peak=1024), one(2, 6, peak=1024), "3.00 x", False),
        (Growth(seconds=11, peak=1.3), one(1, 11.5, 100, 120), "time 11.5 x; peak 1.20 x", False),
        (Growth(peak=1.3), one(1, 11.5, 100, 130), "time 11.5 x; peak 1.30 x", True),
        (Growth(peak=1.3), one(1, 11.5, 100, 140), "time 11.5 x; peak 1.40 x", False),
        (Growth(), one(1, 10, 100, 500), "time 10.0 x; peak 5.00 x", None),
        (Added(150, "pass"), one(0.5, 0.625), "+ 125 ms", True),
        (Added(150, "pass"), one(0.5, 0.75), "+ 250 ms", False),
        (Told("a scan"), one(2, 5), "2.50 x a scan", None),
        (Size("less"), one(1, 1, base_rows=2**20, rows=3 * 2**19), "1.50 x less (1.5 of 1.0 MiB)", None),
    ],
    ids=str,
)
def test_targets(target, found, measured_, met):
    assert target.measured(found) == measured_
    assert target.met(found) is met


@pytest.mark.parametrize("name", ROWS)
def test_every_row_can_be_told(name):
    counts = {"sessions": 1000, "queries": 2830, "results": 28300, "judgments": 7}
    run = Figures(1.0, 1.0, 50.0, 1, {"evaluate": 0.5, "score": 0.5})
    found = Comparison([run], [run])
    line = as_markdown(ROWS[name], found, counts)
    assert line.count("|") == HEAD.splitlines()[0].count("|")
    assert "{" not in line
    assert as_json(name, ROWS[name], found, counts)["name"] == name


@pytest.mark.proof
def test_the_command_prints_a_table_and_writes_figures_that_name_no_machine(tmp_path, capsys):
    figures_ = tmp_path / "figures.json"
    options = ["--sessions", "40", "--runs", "1", "--works", "score", "size", "--cache", str(tmp_path / "logs")]
    assert main([*options, "--json", str(figures_)]) == 0
    facts, _, *table = capsys.readouterr().out.splitlines()
    assert facts.startswith("cores ")
    assert "\n".join(table[:2]) == HEAD
    assert [line.split(" | ")[0] for line in table[2:]] == [
        f"| sDCG@10 per session, 40 sessions ({10 * rows_of(tmp_path / 'logs' / 'synthetic-40')['queries']:,} results)",
        f"| size of the saved study, 40 sessions ({rows_of(tmp_path / 'logs' / 'synthetic-40')['results']:,} results)",
    ]
    written = figures_.read_text()
    assert [row["name"] for row in json.loads(written)["rows"]] == ["score", "size"]
    assert set(json.loads(written)["machine"]) == set(machine())
    assert str(tmp_path) not in written
    assert not platform.node() or platform.node() not in written


def test_work_that_fails_does_not_stop_the_rest(tmp_path, capsys, monkeypatch):
    def measure(row, cache, sessions, runs):
        if row is ROWS["score"]:
            raise WorkFailedError("one_measure: why")
        return one(1, 1), tmp_path

    monkeypatch.setattr("tests.benchmarks.__main__.measured", measure)
    assert main(["--works", "score", "version", "--cache", str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert told.err == "score failed: one_measure: why\n"
    assert [line.split(" | ")[0] for line in told.out.splitlines()[4:]] == ["| `sessionkit --version`"]


def test_what_is_kept_is_made_again_when_what_it_was_made_by_has_changed(tmp_path):
    made = []
    for key in ("one", "one", "two"):
        caching._made(tmp_path, "log", key, lambda key=key: made.append(key))
    assert made == ["one", "two"]


def test_commands_import_nothing_heavy():
    asked = "import sys, tests.benchmarks.commands, tests.benchmarks.child; print('polars' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, check=True, capture_output=True, text=True)
    assert told.stdout == "False\n"
    assert commands.score.module == "tests.benchmarks.commands"


@pytest.mark.slow
def test_scoring_from_the_command_line_imports_no_more_than_it_needs(cache):
    study = str(cache.clinic() / "study")
    heavy = "altair", "jsonschema", "pandas", "pyarrow", "rich", "scipy", "sessionkit.readers"
    asked = f"import sys; from sessionkit.cli import main; main(['score', {study!r}, 'sDCG@10']); print({set(heavy)} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, check=True, capture_output=True, text=True)
    assert told.stdout.splitlines()[-1] == "set()"
