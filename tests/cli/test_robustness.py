"""judgment-loss, judge-noise and discriminate, as commands.

bounds, as a command: how far unjudged results could move scores.

calibrate: a study or a table of counts, every form, and what is refused.

sweep, as a command; and the map as a chart.
"""

import json
import re
import shlex
import sys

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import robustness
from sessionkit.cli.runner import working
from sessionkit.robustness.calibrate import UNMARKED
from sessionkit.robustness.calibrate_counts import SIGNALS
from sessionkit.robustness.judge_noise import JUDGES, SEARCHERS, SPREADS
from tests.support.clinic import read_clinic, saved_clinic
from tests.support.messages import messages_with

LOSS = ("--fractions", "0.2:1:3", "--draws", "2", "--seed", "4")


@pytest.fixture(scope="module")
def clinic():
    """The clinic study, ingested."""
    return saved_clinic()


@pytest.mark.slow
def test_loss_has_the_tables_of_python(call, clinic):
    found = sk.judgment_loss(sk.open_study(clinic), "nsDCG@10", fractions="0.2:1:3", draws=2, seed=4)
    lines = call("judgment-loss", clinic, "nsDCG@10", *LOSS).lines
    assert [line[2:] for line in lines if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert lines[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    rows = [
        json.loads(line)
        for line in call("judgment-loss", clinic, "nsDCG@10", *LOSS, "--table", "pairs", "--format", "jsonl").lines
    ]
    assert pl.DataFrame(rows).equals(found.pairs)


def test_people_get_the_reading_and_the_pair_where_there_is_one(call, clinic):
    shown = call("judgment-loss", clinic, "nsDCG@10", *LOSS, "--format", "table")
    assert shown.err == ""
    said = " ".join(shown.out.split())
    assert "two groups tau is 1 or -1" in said
    assert "same_sign" in said
    assert "true_positive" not in said


def test_the_curve_is_drawn_beside_it(call, clinic, tmp_path):
    place = tmp_path / "curve.json"
    outcome = call("judgment-loss", clinic, "nsDCG@10", *LOSS, "--chart", place, "--table", "knees")
    assert f"written: {place}" in outcome.err
    spec = json.loads(place.read_text())
    assert "judgments are lost" in spec["title"]["text"]
    assert messages_with([spec["title"]["subtitle"]], "groups by system", "mean of 2 draws; seed 4")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--fractions", "5"), ("'5'", "0.1:1:10")),
        (("--fractions", "0.5", "--draws", "0"), ("draws",)),
        (("--fractions", "0.5", "--chart", "no/such/place.svg"), ("no/such",)),
    ],
)
def test_loss_names_what_would_work(refused, clinic, options, names):
    refused(2, "judgment-loss", clinic, "nsDCG@10", *options, names=names)


@pytest.mark.slow
def test_noise_has_the_tables_of_python(call, clinic):
    options = ("--noise", "searchers", "--draws", "3", "--seed", "2", "--population", "topics", "--confidence", "0.9")
    found = sk.judge_noise(
        sk.open_study(clinic), "nsDCG@10", noise="searchers", draws=3, seed=2, population="topics", confidence=0.9
    )
    lines = call("judge-noise", clinic, "nsDCG@10", *options).lines
    assert [line[2:] for line in lines if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert lines[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    shown = call("judge-noise", clinic, "nsDCG@10", *options, "--format", "table").out
    assert "Cohen's kappa, quadratic, is 0.92." in shown
    head = next(line for line in lines if line.startswith("measure\ta"))
    assert head.split("\t") == found.table.columns


def test_noise_errors_are_one_line(refused, clinic):
    refused(2, "judge-noise", clinic, "nsDCG@10", "--noise", "judge", names=("did you mean 'judges'",))
    refused(1, "judge-noise", clinic, "nsDCG@10", "--noise", "judges", names=("judge_id", "noise=0.1"))
    refused(2, "judge-noise", clinic, "nsDCG@10", "--spread", "far", names=("adjacent, any",))


def test_discriminate_has_the_tables_of_python(call, clinic):
    found = sk.discriminate(sk.open_study(clinic), ["nsDCG@10", "sDCG@10"], population="topics", draws=99)
    options = ("--population", "topics", "--draws", "99")
    lines = call("discriminate", clinic, "nsDCG@10", "sDCG@10", *options).lines
    assert [line[2:] for line in lines if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    shown = " ".join(call("discriminate", clinic, "nsDCG@10", "sDCG@10", *options, "--format", "table").out.split())
    assert "2 groups make one pair" in shown
    assert messages_with([shown], "smallest possible p", "sign changes is 0.125")


def test_discriminate_names_what_would_work(refused, clinic):
    refused(2, "discriminate", clinic, "nsDCG@10", "--test", "bootstrap", names=("bootstrap", "crossover"))


def test_the_help_names_what_python_knows():
    assert tuple(robustness.SPREADS.split("|")) == SPREADS
    assert robustness.SOURCES.split("|")[:2] == [JUDGES, SEARCHERS]


def test_progress_is_shown_on_a_terminal(monkeypatch, clinic, capsys):
    from sessionkit.cli import runner

    monkeypatch.setattr(runner, "PATIENCE", 0.01)
    monkeypatch.setattr(runner, "OFTEN", 0.005)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with working("removing judgments"):
        sk.judgment_loss(sk.open_study(clinic), "nsDCG@10", fractions=[0.5], draws=8)
    said = capsys.readouterr().err
    assert "removing judgments" in said
    assert " of 9 scorings" in said


def test_agreement_is_that_of_python(call, tmp_path):
    judged = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={
            "judgment_key": ["t"] * 8, "doc_id": list("abcd") * 2, "judge_id": ["ada"] * 4 + ["bob"] * 4,
            "grade": [0, 0, 1, 1, 0, 0, 0, 1],
        },
    )  # fmt: skip
    judged.save(tmp_path / "judged")
    rows = [
        json.loads(line)
        for line in call("agreement", tmp_path / "judged", "--table", "agreement", "--format", "jsonl").lines
    ]
    assert rows == sk.agreement(judged).table.to_dicts()
    assert {"judge_id": "ada", "other": "bob", "measure": "kappa", "value": 0.5, "n": 4} in rows


def test_agreement_says_where_nobody_can_agree(call, clinic):
    done = call("agreement", clinic, "--format", "table")
    (statement,) = sk.agreement(sk.open_study(clinic)).statements
    assert (done.status, done.lines) == (0, [statement.text])
    assert call("agreement", clinic, "--table", "agreement").lines == ["judge_id\tother\tmeasure\tvalue\tn"]


MEASURES = ("sDCG@10", "mean(nDCG@10)")


@pytest.fixture(scope="module")
def found():
    return sk.bounds(read_clinic(), MEASURES)


def test_tables_are_those_of_python(call, found):
    whole = call("bounds", saved_clinic(), *MEASURES).lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [
        "bounds",
        "differences",
        "wanted",
        "judged",
        "provenance",
        "reading",
    ]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    rows = [
        json.loads(line)
        for line in call("bounds", saved_clinic(), *MEASURES, "--table", "bounds", "--format", "jsonl").lines
    ]
    assert rows == found.bounds.to_dicts()


def test_people_get_the_reading_and_the_margins_of_what_is_judged(call, found):
    shown = call("bounds", saved_clinic(), *MEASURES, "--format", "table")
    assert shown.err == ""
    assert " ".join(shown.out.split()).startswith(" ".join(found.reading.split()))
    judged = shown.out.split("\njudged\n")[1].splitlines()
    # ten ranks, the query positions that the study has and the whole, of both systems; and the lines of the heading
    margins = found.judged.filter(pl.col("rank").is_null() | pl.col("query_position").is_null())
    assert sum(line.strip().startswith(("S1", "S2")) for line in judged) == len(margins)


@pytest.mark.slow
def test_options_reach_the_function(call, tmp_path):
    file = tmp_path / "units.parquet"
    asked = (
        "bounds",
        saved_clinic(),
        "mean(P@10)",
        "--by",
        "topic_id",
        "--per",
        "query",
        "--wanted",
        "1",
        "--memory",
        "200MB",
    )
    assert call(*asked, "--table", "units", "--output", file).status == 0
    units = pl.read_parquet(file)
    assert units["measure"].unique().to_list() == ["P@10"]
    assert units["topic_id"].unique().sort().to_list() == ["A", "B", "C", "D"]
    wanted = [json.loads(line) for line in call(*asked, "--table", "wanted", "--format", "jsonl").lines]
    assert [row["place"] for row in wanted] == [1] * 6  # of every pair of topics
    higher = call(
        "bounds", saved_clinic(), "sDCG@10", "--max-grade", "6", "--table", "bounds", "--format", "jsonl"
    ).lines
    usual = call("bounds", saved_clinic(), "sDCG@10", "--table", "bounds", "--format", "jsonl").lines
    residuals = [[json.loads(line)["residual"] for line in lines] for lines in (higher, usual)]
    assert residuals[0] == pytest.approx([2 * value for value in residuals[1]])


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["sDCG@10", "--per", "query"], 2, "per query"),
        (["sDCG@10", "--by", "sistem_id"], 2, "did you mean 'system_id'"),
        (["sDCG@10", "--max-grade", "1"], 2, "above max_grade=1"),
        (["sDCG@10", "--table", "units"], 2, "--table units .*add --per"),
    ],
)
def test_what_is_refused(call, words, status, said):
    done = call("bounds", saved_clinic(), *words)
    assert done.status == status
    assert re.search(said, done.err)
    assert len(done.err.splitlines()) == 1


@pytest.fixture
def counts(tmp_path):
    """Four sessions, five lists, eight looks."""
    path = tmp_path / "my counts.tsv"
    path.write_text("rank\tquery\tcount\n1\t1\t4\n2\t1\t3\n1\t2\t1\n")
    return path


def test_the_help_names_what_the_function_takes():
    assert tuple(robustness.SIGNALS.split("|")) == ("auto", *SIGNALS)
    assert tuple(robustness.UNMARKED.split("|")) == UNMARKED


@pytest.mark.slow
def test_a_table_of_counts_is_fitted(call, counts):
    outcome = call("calibrate", "--counts", counts, "--model", "sRBP", "--table", "parameters")
    assert outcome.status == 0
    head, *rows = [line.split("\t") for line in outcome.lines]
    assert head[:5] == ["model", "form", "criterion", "parameter", "estimate"]
    # p = 1 - 4 / 8, b = (8 - 5) / (8 - 4)
    assert {row[3]: round(float(row[4]), 4) for row in rows if row[2] == "likelihood"} == {"b": 0.75, "p": 0.5}


def test_what_cannot_be_told_is_a_note_and_the_first_line_for_people(call, counts):
    counts.write_text("rank\tquery\tcount\n1\t1\t4\n2\t1\t2\n")
    outcome = call("calibrate", "--counts", counts, "--table", "fits")
    assert "note: NOT IDENTIFIABLE: bq of" in outcome.err
    people = call("calibrate", "--counts", counts, "--format", "table")
    assert people.lines[0].startswith("NOT IDENTIFIABLE: bq of sDCG")
    assert "sessionkit score" not in people.out


@pytest.mark.slow
def test_the_last_line_of_the_reading_is_a_command_that_runs(call, tmp_path):
    study = saved_clinic()
    asked = ["--model", "sDCG@10", "--model", "RBP@10", "--draws", "200", "--chart", tmp_path / "fit.svg"]
    outcome = call("calibrate", study, *asked, "--table", "reading")
    assert outcome.status == 0
    words = shlex.split(outcome.lines[-1])
    assert words[:3] == ["sessionkit", "score", str(study)]
    assert words[3].startswith("sDCG(b=")
    assert words[4].startswith("mean(RBP(p=")
    assert call(*words[1:]).status == 0
    assert "Synthetic data" in (tmp_path / "fit.svg").read_text()


def test_every_table_is_there(call, counts):
    lines = call("calibrate", "--counts", counts).lines
    named = [line for line in lines if line.startswith("# ")]
    assert named == ["# parameters", "# fits", "# grids", "# expected", "# examined", "# provenance", "# reading"]


@pytest.mark.parametrize(
    ("status", "words", "names"),
    [
        (2, [], ["STUDY, or a table of counts", "give one of them"]),
        (2, ["{study}", "--counts", "{counts}"], ["give only one"]),
        (2, ["--counts", "{counts}", "--model", "AP"], ["AP cannot be fitted"]),
        (2, ["--counts", "{counts}", "--chart", "no/where.svg"], ["does not exist; create it"]),
        (1, ["--counts", "none.tsv"], ["there is no such file", "rank, query and count"]),
        (1, ["{study}"], ["shows how far searchers looked", "table of counts"]),
    ],
)
def test_calibrate_what_is_refused(refused, request, status, words, names):
    paths = {name: request.getfixturevalue(name) for name in ("study", "counts")}
    refused(status, "calibrate", *(word.format(**paths) for word in words), names=names)


@pytest.mark.parametrize("table", ["expected", "examined", "fits"])
def test_every_table_can_be_set_in_a_paper(call, table):
    shown = call("calibrate", saved_clinic(), "--table", table, "--format", "markdown", "--draws", "200")
    assert shown.status == 0
    assert f"**{table.capitalize()}**" in shown.out


VARY = ("--vary", "b=1.5:10:3", "--vary", "gain=linear,exp2")
SETTINGS = ("--table", "settings")


@pytest.fixture(scope="module")
def sweep_clinic():
    """The clinic study, ingested."""
    return saved_clinic()


def test_the_tables_are_those_of_python(call, sweep_clinic):
    found = sk.sweep(sk.open_study(sweep_clinic), "sDCG@10", {"b": "1.5:10:3", "gain": "linear,exp2"})
    head, *rows = (line.split("\t") for line in call("sweep", sweep_clinic, "sDCG@10", *VARY, *SETTINGS).lines)
    assert head == found.table.columns
    assert len(rows) == 8  # 1.5, 2 (the base), 5.75, 10; two gains
    assert [float(row[head.index("p_adjusted")]) for row in rows] == found.table["p_adjusted"].to_list()
    whole = call("sweep", sweep_clinic, "sDCG@10", *VARY).lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()


def test_people_get_the_reading_and_the_regions(call, sweep_clinic):
    shown = call("sweep", sweep_clinic, "sDCG@10", *VARY, "--format", "table")
    assert shown.err == ""
    said = " ".join(shown.out.split())
    for text in (
        "Base setting (b=2, gain=linear)",
        "users like these 30 users",
        "S2 leads in 8 of 8 settings",
        "regions",
        "ranges",
    ):
        assert text in said
    assert "made_with" not in said


@pytest.mark.slow
def test_options_are_those_of_python(call, sweep_clinic):
    options = {"test": "randomization", "confidence": 0.9, "draws": 199, "seed": 7}
    found = sk.sweep(sk.open_study(sweep_clinic), "nsDCG@10", {"b": [2, 4]}, **options)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    ours = call("sweep", sweep_clinic, "nsDCG@10", "--vary", "b=2,4", *words, *SETTINGS, "--format", "jsonl").lines
    assert [json.loads(line)["p_adjusted"] for line in ours] == found.table["p_adjusted"].to_list()
    topics = call(
        "sweep", sweep_clinic, "nsDCG@10", "--vary", "b=2,4", "--population", "topics", "--table", "made_with"
    ).out
    assert "topics like these 4 topics" in topics
    plain = call(
        "sweep", sweep_clinic, "nsDCG@10", "--vary", "b=2,4", "--test", "none", *SETTINGS, "--format", "csv"
    ).out
    assert pl.read_csv(plain.encode())["p_adjusted"].null_count() == 2


@pytest.mark.slow
def test_a_map_is_drawn_beside_the_table(call, sweep_clinic, tmp_path):
    place = tmp_path / "map.svg"
    outcome = call("sweep", sweep_clinic, "sDCG@10", *VARY, "--test", "none", "--chart", place, "--table", "regions")
    assert outcome.status == 0
    assert outcome.err == f"written: {place}\n"
    svg = place.read_text(encoding="utf-8")
    assert ">Who leads at which setting<" in svg
    assert "Synthetic data" in svg


def test_the_chart_command_draws_the_map_too(call, sweep_clinic, tmp_path):
    words = ("chart", "sweep-map", sweep_clinic, "sDCG@10", *VARY, "--output", tmp_path / "map.json")
    outcome = call(*words)
    assert outcome.status == 0
    settings = ("b (1.5, 2, 5.75, 10) and gain (linear, exp2)", "8 settings")
    assert messages_with([outcome.out], "sDCG@10 by system_id", *settings)
    spec = json.loads((tmp_path / "map.json").read_text(encoding="utf-8"))
    assert spec["layer"][0]["encoding"]["x"]["sort"] == ["1.5", "2", "5.75", "10"]
    assert len(next(rows for rows in spec["datasets"].values() if len(rows) > 2)) == 8


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], ["--vary"]),
        (["--vary", "b"], ["'b'", "NAME=low:high:steps", "gain=linear,exp2"]),
        (["--vary", "b=2:3"], ["2:3", "1.5:10:18"]),
        (["--vary", "b=1:3:3"], ["above 1"]),
        (["--vary", "b=2,3", "--vary", "b=4"], ["b is given twice"]),
        (["--vary", "bb=2,3"], ["did you mean 'b'"]),
        (["--vary", "b=2,3", "--by", "sistem"], ["system_id"]),
        (["--vary", "b=2,3", "--test", "welch"], ["least-squares would work"]),
        (["--vary", "b=2,3", "--table", "setting"], ["did you mean 'settings'"]),
        (["--vary", "b=2,3", "--chart", "map.tiff"], ["map.tiff"]),
    ],
)
def test_what_cannot_be_is_one_line(refused, sweep_clinic, words, names):
    refused(2, "sweep", sweep_clinic, "sDCG@10", *words, names=names)


def test_only_the_map_varies_something(refused, sweep_clinic, tmp_path):
    asked = ("chart", "session-curve", sweep_clinic, "--vary", "b=2,3", "--output", tmp_path / "x.svg")
    refused(2, *asked, names=["there is no option --vary", "chart session-curve --help"])


@pytest.mark.slow
def test_names_from_a_log_do_not_act_on_a_terminal(call, study):
    outcome = call("sweep", study, "sDCG@3", "--vary", "b=2,3", "--by", "team", "--format", "table")
    assert outcome.status == 0
    assert "[red]x" in outcome.out
    assert "\x1b" not in outcome.out + outcome.err


def test_numbers_of_settings_are_rounded_for_people_and_exact_for_programs(call, sweep_clinic):
    words = ("sweep", sweep_clinic, "sDCG@10", "--vary", "b=1.5:10:4", "--table", "ranges")
    shown, stored = (
        call(*words[: -2 if form == "table" else None], "--format", form).out for form in ("table", "jsonl")
    )
    values = [1.5 + step * 8.5 / 3 for step in range(4)]
    assert "4.33333333333" not in shown
    assert f"{values[1]:.6g}, {values[2]:.6g}, 10" in " ".join(shown.split())
    assert f"{values[1]:.12g}, {values[2]:.12g}, 10" in stored
