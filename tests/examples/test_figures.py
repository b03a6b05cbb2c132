"""The script of each figure: the figure shows its series, and the numbers said are the measures' values.

Numbers are held against `sessionkit.score`, which no figure of the clinic study is drawn from, or worked out in view.
"""

import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.numbers import share_text

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FIGURES = sorted(path.name for path in (EXAMPLES / "figures").glob("*.py") if path.name != "ranked_runs.py")
WEIGHTS = "gain=0-1-10-100"
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")


def mean_of(frame):
    return frame.get_column("value").mean()


def test_figure_1_of_ecir_2008(run, clinic):
    ran = run("figures/ecir2008_figure1_last_queries.py")
    figure = "ecir2008_figure1.svg"
    # a last query counts as in the session: sDCG of the session less that of the session without its last query
    last = sk.score(clinic, f"last(DCG({WEIGHTS},discount=log)@100)", per="session")
    queries = clinic.queries.group_by("session_id").agg(q=pl.len()).collect()
    with_factor = last.join(queries, on="session_id").with_columns(pl.col("value") / (1 + pl.col("q").log(4)))
    for system, group in with_factor.group_by("system_id"):
        shown = ran.value(figure, "value", f"System: {system[0]}", "Query: Last", "Rank: 100")
        assert shown == pytest.approx(mean_of(group), abs=1e-6)
        assert re.search(rf"{system[0]} last +{shown:.3f} .*\(60 queries in 60 sessions\)", ran.said)
    # ECIR 2008, section 3.2: 92 and 131 non-last queries
    assert ran.said.count("(92 queries in 32 sessions)") == ran.said.count("(131 queries in 39 sessions)") == 2
    assert ran.count(figure, "line mark") == 4


@pytest.mark.slow
def test_figure_2_of_ecir_2008(run, clinic):
    ran = run("figures/ecir2008_figure2_sessions.py")
    means = sk.score(clinic, f"nsDCG({WEIGHTS})@10", by="system_id").select("system_id", "value").rows()
    for system, value in means:
        assert f"{system} {value:.4f}" in ran.said.splitlines()[-1]
        shown = ran.value("ecir2008_figure2.svg", "value", f"System: {system}", "slot: 110")
        assert shown == pytest.approx(value, abs=1e-9)
    assert means[0][1] < means[1][1]
    assert "System 2 is ahead" in ran.said
    assert ran.count("ecir2008_figure2.svg", "line mark") == 2


@pytest.mark.slow
def test_figure_3_of_ecir_2008(run, clinic):
    ran = run("figures/ecir2008_figure3_one_scenario.py")
    scores = sk.score(clinic, f"sDCG({WEIGHTS})@10", per="session").filter(topic_id="D")
    ends = scores.group_by("system_id").agg(pl.col("value").mean())
    for system, value in ends.rows():
        shown = ran.value("ecir2008_figure3.svg", "value", f"System: {system}", "slot: 60", "Sessions: All")
        assert shown == pytest.approx(value, abs=1e-6)
    assert ran.count("ecir2008_figure3.svg", "line mark") == 4
    firsts = dict(re.findall(r"  (S\d, [\w ]+) \(n=\d+\): ([\d.]+) after", ran.said))
    assert all(float(firsts[f"{s}, at least 4 queries"]) < float(firsts[f"{s}, all sessions"]) for s in ("S1", "S2"))


@pytest.mark.slow
def test_figure_4_of_ecir_2008(run, clinic):
    ran = run("figures/ecir2008_figure4_single_sessions.py")
    own = sk.score(clinic, f"sDCG({WEIGHTS})@10", per="session").filter(topic_id="D", system_id="S1")
    best = own.sort("value").row(-1, named=True)
    assert f"15 sessions end between {own['value'].min():.3f} and {best['value']:.3f}" in ran.said
    assert f"  {best['session_id']} gained {best['value']:.3f}" in ran.said
    assert ran.value("ecir2008_figure4.svg", "value", f"Session: {best['session_id']}") == pytest.approx(best["value"])


@pytest.mark.slow
def test_figures_1_to_4_of_tois_2002(run):
    ran = run("figures/tois2002_figures1to4_gain_vectors.py")
    # 10, 20, 30 documents of grades 3, 2, 1: 60 relevant ones; 10 x 100 + 20 x 10 + 30 = 1230
    for measure, ideal in (("CG(gain=binary)@100", "60.00"), ("CG(gain=0-1-10-100)@100", "1230.00")):
        line = next(line for line in ran.said.splitlines() if line.startswith(f"  {measure} "))
        assert line.endswith(f"ideal {ideal}")
        runs = [float(number) for number in re.findall(r"[A-E] ([\d.]+)", line)]
        assert runs == sorted(runs, reverse=True)
        said = ran.value("tois2002_figure1.svg", "value", f"Measure: {measure}", "Rank: 100", "Run: A", "Vector: Shown")
        assert said == runs[0]
    # in each of 4 figures two panels of 5 runs, and the ideal that they share, once
    assert sum(ran.count(f"tois2002_figure{number}.svg", "line mark") for number in range(1, 5)) == 4 * 2 * (5 + 1)
    assert re.search(r"nCG\(gain=binary\)@100 .* 100: .*ideal 1.00", ran.said)


@pytest.mark.slow
def test_judgments_that_are_lost(run):
    ran = run("figures/sigir2007_figure1_lost_judgments.py")
    figure = "sigir2007_figure1.svg"
    for measure in ("mean(bpref)", "mean(infAP)", "mean(nDCG(gain=binary))"):
        knee = float(re.search(rf"  {re.escape(measure)}: ([\d.]+)\n", ran.said)[1])
        # with all judgments the order is itself; at the knee tau is .9 or above
        assert ran.value(figure, "value", f"Measure: {measure}", "Share kept: 100.0%") == 1
        assert ran.value(figure, "value", f"Measure: {measure}", f"Share kept: {share_text(knee)}") >= 0.9
        assert ran.value(figure, "value", f"Measure: {measure}", "Share kept: 1.0%") < 0.9
    assert ran.count(figure, "line mark") == 3


@pytest.mark.slow
def test_eleven_points(run):
    ran = run("figures/slides_eleven_points.py")
    # relevant at 3, 8, 15 of 3: 1/3, 2/8, 3/15; at 1, 3, 6, 10, 15 of 10: 1, 2/3, 3/6, 4/10, 5/15
    rows = {line.split()[0]: line.split()[1:] for line in ran.said.splitlines() if "mean" in line}
    assert rows["q1"] == [*(f"{p:.4f}" for p in [1, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 0, 0, 0, 0, 0]), "mean", "0.3545"]
    assert rows["q2"] == [*(f"{p:.4f}" for p in [1 / 3] * 4 + [1 / 4] * 3 + [1 / 5] * 4), "mean", "0.2621"]
    assert rows["average"][2] == f"{(2 / 3 + 1 / 3) / 2:.4f}"
    assert ran.value("slides_eleven_points.svg", "precision", "recall: 0.5", "Averaged: 2") == pytest.approx(
        (1 / 3 + 1 / 4) / 2
    )


def test_rprecision_by_topic(run):
    ran = run("figures/slides_rprecision_histogram.py")
    # 4 of 10 against 2 of 10, 1 of 3 each, 2 of 4 against 3 of 4
    assert [line.split()[-1] for line in ran.said.splitlines()[:3]] == ["+0.2000", "+0.0000", "-0.2500"]
    assert ran.value("slides_rprecision_histogram.svg", "difference", "topic: t3") == -0.25
    assert ran.count("slides_rprecision_histogram.svg", "bar") == 3


@pytest.mark.slow
def test_where_searchers_look(run):
    ran = run("figures/ictir2019_discount_fit.py")
    found = {name: float(value) for name, value in re.findall(r"sRBP: (\w) = ([\d.]+)", ran.said)}
    assert found == {"b": pytest.approx(0.64, abs=0.02), "p": pytest.approx(0.86, abs=0.02)}  # what made the looks
    for model in ("sRBP", "sDCG"):
        assert ran.count(f"ictir2019_{model}.svg", "point") == 15 * 6  # of 8 queries the first six


@pytest.mark.slow
def test_measures_and_satisfaction(run, clinic):
    ran = run("figures/chiir2016_correlations.py")
    ratings = clinic.sessions.select("session_id", "satisfaction").collect()
    pairs = sk.score(clinic, "nsDCG@10", per="session").join(ratings, on="session_id")
    pearson = pairs.select(pl.corr("value", "satisfaction")).item()
    assert re.search(rf"nsDCG@10 +{re.escape(f'{pearson:+.3f}')} ", ran.said)
    assert ran.value("chiir2016_correlations.svg", "Value", "Measure: nsDCG@10") == pytest.approx(pearson, abs=5e-4)
    assert ran.count("chiir2016_correlations.svg", "point") == 8


def test_every_figure_has_a_line_in_the_table_and_says_what_it_is():
    for name in FIGURES:
        assert f"`{name}`" in README
        said = (EXAMPLES / "figures" / name).read_text(encoding="utf-8")
        assert f": python examples/figures/{name} [--out FOLDER]" in said
        assert "import sessionkit as sk" in said
        assert "from sessionkit" not in said
    tested = (EXAMPLES.parent / "tests" / "examples" / "test_figures.py").read_text(encoding="utf-8")
    assert [name for name in FIGURES if f'run("figures/{name}")' not in tested] == []


@pytest.mark.slow
def test_a_script_runs_on_its_own_without_a_warning(tmp_path):
    words = [sys.executable, "-W", "error", str(EXAMPLES / "figures" / "slides_rprecision_histogram.py")]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["slides_rprecision_histogram.svg"]
