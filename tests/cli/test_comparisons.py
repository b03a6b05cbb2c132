"""compare, as a command.

correlate, and breakdown --significance: every form, options that reach the functions, and what is refused.

Mixed models and power: every form, options that reach the functions, and what is refused.
"""

import csv
import json

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import comparisons, curves, options
from sessionkit.privacy.report import Pseudonymized
from sessionkit.sessions.breakdown_tests import CONTRASTS
from sessionkit.statistics.compare import BOTH
from sessionkit.statistics.corrections import CORRECTIONS
from sessionkit.statistics.correlation_matrices import COEFFICIENTS
from sessionkit.statistics.design import POPULATIONS
from sessionkit.statistics.distributions import KINDS, UNITS
from sessionkit.statistics.findings import Finding
from tests.support.clinic import saved_clinic

PAIRS = ("--table", "pairs")


@pytest.fixture(scope="module")
def clinic():
    """The clinic study, ingested."""
    return saved_clinic()


def test_the_table_is_that_of_python(call, clinic):
    found = sk.compare(sk.open_study(clinic), ["nsDCG@10", "last(DCG@100)"])
    head, *rows = (line.split("\t") for line in call("compare", clinic, "nsDCG@10", "last(DCG@100)", *PAIRS).lines)
    assert head == found.table.columns
    assert [row[0] for row in rows] == ["nsDCG@10", "last(DCG@100)"]
    assert [float(row[head.index("p_adjusted")]) for row in rows] == found.table.get_column("p_adjusted").to_list()
    whole = call("compare", clinic, "nsDCG@10", "last(DCG@100)").lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [
        *(name for name in found.tables() if name != "units"),
        "provenance",
        "reading",
    ]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()


def test_people_get_the_reading_and_every_table_that_has_rows(call, clinic):
    shown = call("compare", clinic, "nsDCG@10", "--format", "table")
    assert shown.err == ""
    said = " ".join(shown.out.split())
    for text in (
        "Design: crossover",
        "The claim is about users like these 30 users, searching these 4 topics",
        "A true difference of",
        "carry-over",
    ):
        assert text in said
    assert "dropped" not in said
    head = next(line.split() for line in shown.out.splitlines() if line.startswith("measure "))
    assert head == [
        *("measure", "a", "b", "n_a", "n_b", "estimate", "low", "high", "p_adjusted", "effect"),
        *("mean_a", "mean_b", "raw_difference"),
    ]


def test_every_form_and_table(call, clinic, tmp_path):
    asked = ("compare", clinic, "nsDCG@10", "--population", "topics")
    (row,) = (json.loads(line) for line in call(*asked, *PAIRS, "--format", "jsonl").lines)
    assert (row["n_a"], row["df"]) == (4, 3)
    file = tmp_path / "pairs.parquet"
    assert call(*asked, *PAIRS, "--output", file).status == 0
    assert pl.read_parquet(file).item(0, "p") == row["p"]
    settings = call(*asked, "--table", "made_with", "--format", "csv").out
    assert 'claim,"topics like these 4 topics, ' in settings
    assert call(*asked, "--table", "order").lines[1].split("\t")[1] == "period"


def test_options_are_those_of_python(call, clinic):
    options = {"test": "randomization", "correction": "bonferroni", "confidence": 0.9, "draws": 499, "seed": 7}
    found = sk.compare(sk.open_study(clinic), "nsDCG@10", **options)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    ours = json.loads(call("compare", clinic, "nsDCG@10", *words, *PAIRS, "--format", "jsonl").out)
    assert ours["p"] == found.table.item(0, "p")
    assert ours["low"] == found.table.item(0, "low")
    again = json.loads(call("compare", clinic, "nsDCG@10", *words[:-1], 8, *PAIRS, "--format", "jsonl").out)
    assert again["p"] != ours["p"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["nsDCG@10", "--by", "sistem_id"], ["sistem_id", "did you mean 'system_id'"]),
        (["nsDCG@10", "--by", "user_id"], ["30 values", "2 to 20"]),
        (["nsDCG@10", "--test", "bootstrap"], ["17%", "least-squares"]),
        (["nsDCG@10", "--test", "welch"], ["randomization or least-squares would work"]),
        (["nsDCG@10", "--population", "sessions"], ["population=users or population=topics"]),
        (["nsDCG@10", "--correction", "fdr"], ["bonferroni, holm, bh, none"]),
        (["nsDCG@10", "--table", "pair"], ["did you mean 'pairs'"]),
    ],
)
def test_what_cannot_be_is_one_line(refused, clinic, words, names):
    refused(2, "compare", clinic, *words, names=names)


def test_names_from_a_log_do_not_act_on_a_terminal(call, study):
    outcome = call("compare", study, "sDCG@3", "--by", "team", "--format", "table")
    assert outcome.status == 0
    assert "needs at least two" in " ".join(outcome.out.split())
    assert "\x1b" not in outcome.out + outcome.err


def test_the_differences_are_drawn_beside_the_tables(call, clinic, tmp_path):
    place = tmp_path / "differences.json"
    outcome = call("compare", clinic, "nsDCG@10", "--confidence", "0.9", "--chart", place, "--table", "pairs")
    assert f"written: {place}" in outcome.err
    assert "p \\u2264 0.1" in json.dumps(json.loads(place.read_text()))


@pytest.mark.few(4)
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("form", [[], ["--wide"]])
def test_a_file_of_scores_is_compared_as_the_study_is(call, clinic, tmp_path, ending, form):
    file = tmp_path / f"scores.{ending}"
    written = call("score", clinic, "nsDCG@10", "mean(nDCG@10)", "--per", "session", *form, "--output", file)
    assert written.status == 0
    words = ["nsDCG@10", "mean(nDCG@10)", "--table", "pairs"]
    assert call("compare", file, *words).out == call("compare", clinic, *words).out
    where = ["--where", "topic_id <> 'A'"]
    restricted = call("compare", file, *words, *where)
    assert restricted.out == call("compare", clinic, *words, *where).out
    assert "sessions where topic_id <> 'A' (" in restricted.err


def test_covariates_of_a_wide_file_make_groups_and_are_compared(call, clinic, tmp_path):
    file = tmp_path / "scores.csv"
    call("score", clinic, "nsDCG@10", "--per", "session", "--wide", "--output", file)
    words = ["--by", "skill", "--table", "pairs"]
    assert call("compare", file, "nsDCG@10", *words).out == call("compare", clinic, "nsDCG@10", *words).out
    rated = call("compare", file, "column(satisfaction)", "--table", "pairs").out.splitlines()[1]
    wanted = call("compare", clinic, "column(satisfaction)", "--table", "pairs").out.splitlines()[1]
    assert rated == wanted


def test_a_file_without_such_scores_says_which_it_has_or_is_read_as_a_log(refused, tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("session_id,system_id,nsDCG@10\n1,A,0.5\n")
    refused(2, "compare", file, "sDCG@10", names=["no column 'sDCG@10'", "did you mean 'nsDCG@10'"])
    file.write_text("session_id,system_id,gain\n1,A,0.5\n")
    refused(1, "compare", file, "sDCG@10", names=["scores.csv"])


@pytest.mark.parametrize("form", [[], ["--wide"]])
def test_other_commands_say_that_a_file_holds_scores(refused, call, clinic, tmp_path, form):
    file = tmp_path / "scores.csv"
    call("score", clinic, "nsDCG@10", "--per", "session", *form, "--output", file)
    for words in (["describe"], ["breakdown", "nDCG@10"], ["correlate", "nsDCG@10", "--with", "satisfaction"]):
        refused(
            2, words[0], file, *words[1:], names=["scores.csv holds scores per session, which compare and power take"]
        )


@pytest.mark.slow
def test_a_paper_gets_the_table_that_papers_print(call, clinic, tmp_path):
    found = sk.compare(sk.open_study(clinic), ["nsDCG@10", "mean(nDCG@10)"])
    words = ["compare", clinic, "nsDCG@10", "mean(nDCG@10)"]
    assert call(*words, "--format", "latex").out == found.to_latex()
    assert call(*words, "--format", "markdown").out == found.to_markdown()
    assert call(*words, "--output", tmp_path / "table.tex").status == 0
    assert (tmp_path / "table.tex").read_text(encoding="utf-8") == found.to_latex()
    pairs = call(*words, "--format", "latex", "--table", "pairs").out
    assert r"Raw\\difference" in pairs  # folded, as the table is wide
    scores = call("score", clinic, "nsDCG@10", "--format", "latex").out
    assert "\\toprule" in scores
    assert "S1 & 0.3248 & 60 \\\\" in scores
    assert "Judged results: 33.4\\% (S1), 40.7\\% (S2)." in scores


def test_scores_of_groups_are_named_as_such(refused, call, clinic, tmp_path):
    place = tmp_path / "means.csv"
    assert call("score", clinic, "nDCG@10", "--output", place).status == 0
    refused(2, "compare", place, "nsDCG@10", names=("scores have no session_id", "per='session'"))


def test_cut_divides_the_column_within_which_systems_are_compared(call, clinic):
    answer = call("compare", clinic, "nsDCG@10", "--within", "years_medicine", "--cut", 2, *PAIRS, "--format", "jsonl")
    assert [json.loads(line)["years_medicine"] for line in answer.lines] == ["6 to 21", "22 to 36"]


@pytest.fixture
def rated(tmp_path):
    """Twelve sessions of six users, two queries each, rated 1 to 5; the second query of most is better."""
    folder = tmp_path / "rated"
    folder.mkdir()
    grades = [(0, 2), (1, 2), (0, 1), (2, 0), (0, 0), (1, 2), (0, 2), (1, 0), (0, 1), (2, 2), (0, 2), (1, 1)]
    ratings = [4, 5, 3, 2, 1, 5, 3, 2, 3, 4, 5, 2]
    sessions = [f"s{n:02},u{n % 6},t,{rating},so" for n, rating in enumerate(ratings)]
    results = [f"s{n:02}\t{q}\t1\td{g}" for n, pair in enumerate(grades) for q, g in enumerate(pair, 1)]
    files = {
        "sessions.csv": ["session_id,user_id,topic_id,performance,mood", *sessions],
        "results.tsv": ["session_id\tquery_position\trank\tdoc_id", *results],
        "qrels": ["t 0 d0 0", "t 0 d1 1", "t 0 d2 2"],
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    study = folder / "study.toml"
    study.write_text(
        '[sessions]\npath = "sessions.csv"\n[results]\npath = "results.tsv"\n[judgments]\npath = "qrels"\n'
    )
    return study


def test_the_help_names_what_the_functions_take():
    named = (comparisons.COEFFICIENTS, options.INTERVALS, options.UNITS, curves.TESTED)
    assert [tuple(text.split("|")) for text in named] == [COEFFICIENTS, KINDS, UNITS, tuple(CONTRASTS)]


@pytest.mark.slow
def test_correlate_in_every_form(call, rated, tmp_path):
    words = ["correlate", rated, "sDCG@1", "Queries", "last(CG@1)", "--with", "performance", "--draws", "300"]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == [
        "# correlations",
        "# differences",
        "# provenance",
        "# reading",
    ]
    table = call(*words, "--format", "table", "--chart", tmp_path / "forest.json").out
    assert "Pearson's r" in (tmp_path / "forest.json").read_text()
    assert table.startswith("12 sessions of 6 users.")
    assert "differences\n" in table
    rows = [json.loads(line) for line in call(*words, "--format", "jsonl").lines]
    assert {row["table"] for row in rows} == {"correlations", "differences", "provenance", "reading"}
    assert all(row["value"] is None or -1 <= row["value"] <= 1 for row in rows if row["table"] == "correlations")
    one = call(*words, "--table", "correlations", "--format", "csv").lines
    assert one[0].startswith(
        "measure,covariate,coefficient,n,units,dropped,value,low,high,p,p_independent,interval,note"
    )
    file = tmp_path / "found.parquet"
    assert call(*words, "--table", "differences", "--output", file).status == 0
    assert pl.read_parquet(file).height == 9
    assert "\tnan" not in tsv.out.lower()


@pytest.mark.slow
def test_options_of_correlate_reach_the_function(call, rated):
    words = ["correlate", rated, "sDCG@1", "--with", "performance", "--table", "correlations", "--draws", "300"]
    plain = call(*words).out
    assert call(*words).out == plain
    for changed in (
        ["--seed", "7"],
        ["--control", "last(CG@1)"],
        ["--coefficients", "pearson"],
        ["--units", "sessions"],
        ["--interval", "bca"],
        ["--confidence", "0.9"],
    ):
        outcome = call(*words, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.slow
def test_breakdown_with_tests(call, rated):
    words = ["breakdown", rated, "CG@1", "--significance", "--by", "all", "--draws", "300"]
    rows = [line.split("\t") for line in call(*words, "--parts", "last,last-first", "--table", "tests").lines]
    assert rows[0][:5] == ["part", "against", "test", "sessions", "users"]
    assert [row[:3] for row in rows[1:]] == [
        ["last", against, test]
        for against in ("non-last", "first")
        for test in ("user means", "users drawn", "sessions")
    ]
    # 24 grades: last 15, first 8, of 12 sessions
    assert float(rows[1][9]) == pytest.approx((15 - 8) / 12)
    shown = call(*words, "--format", "table").out
    assert " between the last query and " in " ".join(shown.split())
    assert call(*words).lines[0] == "# tests"
    assert [json.loads(line)["table"] for line in call(*words, "--format", "jsonl").lines][-1] == "reading"
    drawn = csv.DictReader(call(*words, "--table", "tests", "--interval", "bca", "--format", "csv").lines)
    assert "BCa bootstrap" in {row["interval"] for row in drawn}


@pytest.mark.parametrize(
    ("status", "arguments", "names"),
    [
        (2, ["correlate", "sDCG@1"], ["--with"]),
        (2, ["correlate", "sDCG@1", "--with", "performanse"], ["did you mean 'performance'"]),
        (1, ["correlate", "sDCG@1", "--with", "mood"], ["not numeric", "'so'"]),
        (1, ["correlate", "Queries", "--with", "performance"], ["Queries is 2 in all 12 sessions"]),
        (2, ["correlate", "sDCG@1", "--with", "performance", "--control", "Querys"], ["control=Querys"]),
        (2, ["correlate", "sDCG@1", "--with", "performance", "--interval", "basic"], ["percentile"]),
        (2, ["correlate", "sDCG@1", "--with", "performance", "--confidence", "95"], ["0.95"]),
        (2, ["breakdown", "CG@1", "--significance", "--parts", "position"], ["last-first"]),
        (2, ["breakdown", "CG@1", "--seed", "4"], ["--seed", "--significance"]),
        (2, ["breakdown", "CG@1", "--interval", "bca"], ["--interval", "--significance"]),
        (2, ["breakdown", "CG@1", "--significance", "--interval", "basic"], ["percentile"]),
        (2, ["breakdown", "CG@1", "--parts", "last-first"], ["last"]),
    ],
)
def test_what_cannot_be(refused, rated, status, arguments, names):
    command, measure, *options = arguments
    refused(status, command, rated, measure, *options, names=names)


QUICK = ["--difference", "0.065", "--draws", "300", "--component-draws", "50", "--users", "30,60", "--topics", "4,8"]


def test_power_help_names_what_the_functions_take():
    assert tuple(options.CORRECTIONS.split("|")) == CORRECTIONS
    assert tuple(options.POPULATIONS.split("|")) == (*POPULATIONS, BOTH)


@pytest.mark.slow
def test_mixed_in_every_form(call):
    words = ["compare", saved_clinic(), "nsDCG@10", "--population", "users,topics"]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == [
        "# effects",
        "# components",
        "# fits",
        "# provenance",
        "# reading",
    ]
    shown = call(*words, "--format", "table").out
    assert shown.startswith("The claim is about ")
    assert "these 30 and topics like these 4." in shown
    assert "components\n" in shown
    rows = [json.loads(line) for line in call(*words, "--format", "jsonl").lines]
    assert {row["table"] for row in rows} == {"effects", "components", "fits", "provenance", "reading"}
    one = call(*words, "--table", "components", "--format", "csv").lines
    assert one[0] == "measure,component,levels,variance,low,high,sd,share"
    assert len(one) == 5
    assert "\tnan" not in tsv.out.lower()


@pytest.mark.slow
def test_options_of_mixed_reach_the_function(call):
    words = ["compare", saved_clinic(), "nsDCG@10", "sDCG@10", "--population", "users,topics", "--table", "effects"]
    plain = call(*words).out
    for changed in (
        ["--by", "skill"],
        ["--random", "user_id,topic_id"],
        ["--correction", "none"],
        ["--confidence", "0.9"],
    ):
        given = list(words)
        if changed[0] in given:  # an option of one value is given once
            place = given.index(changed[0])
            del given[place : place + 2]
        outcome = call(*given, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--wide"]])
def test_power_of_a_file_of_scores_is_that_of_the_study(call, tmp_path, form):
    file = tmp_path / "scores.csv"
    assert call("score", saved_clinic(), "nsDCG@10", "--per", "session", *form, "--output", file).status == 0
    of_study, of_scores = (
        call("power", source, "nsDCG@10", *QUICK, "--table", "power", "--where", "topic_id <> 'A'")
        for source in (saved_clinic(), file)
    )
    assert of_scores.out == of_study.out
    assert "topic_id <> 'A' (90 of 120 sessions)" in of_scores.err
    told = call("power", file, "nsDCG@10", *QUICK, "--table", "provenance").out
    assert "sessionkit power SCORES nsDCG@10 --difference 0.065" in told


@pytest.mark.slow
def test_power_in_every_form(call, tmp_path):
    words = ["power", saved_clinic(), "nsDCG@10", *QUICK]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == [
        "# smallest",
        "# power",
        "# components",
        "# provenance",
        "# reading",
    ]
    assert call(*words).out == tsv.out
    shown = call(*words, "--format", "table", "--chart", tmp_path / "power.json").out
    assert "Number of users" in (tmp_path / "power.json").read_text()
    assert shown.startswith("Design: crossover")
    assert "power\n" in shown
    rows = [json.loads(line) for line in call(*words, "--format", "jsonl").lines]
    assert {(row["users"], row["topics"]) for row in rows if row["table"] == "power"} == {
        (30, 4), (60, 4), (30, 8), (60, 8), (None, 4), (None, 8)
    }  # fmt: skip


@pytest.mark.slow
def test_options_of_power_reach_the_function(call):
    words = ["power", saved_clinic(), "nsDCG@10", *QUICK]
    plain = call(*words).out
    for changed in (
        ["--population", "users"],
        ["--target", "0.2"],
        ["--users", "30"],
        ["--topics", "4"],
        ["--confidence", "0.9"],
        ["--seed", "3"],
        ["--difference", "10%"],
        ["--by", "skill"],
    ):
        given = list(words)
        if changed[0] in given:  # an option of one value is given once
            place = given.index(changed[0])
            del given[place : place + 2]
        outcome = call(*given, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.parametrize(
    ("status", "arguments", "names"),
    [
        (2, ["compare", "nsDCG@10", "--population", "users,topics", "--random", "user"], ["did you mean 'user_id'"]),
        (2, ["compare", "nsDCG@10", "--random", "user_id"], ["add population=users,topics"]),
        (2, ["power", "nsDCG@10"], ["--difference"]),
        (2, ["power", "nsDCG@10", "--difference", "x"], ["10%"]),
        (2, ["power", "nsDCG@10", "--difference", "1", "--users", "many"], ["30,60,90"]),
        (2, ["power", "nsDCG@10", "--difference", "1", "--users", "1"], ["from 2 to 5,000"]),
    ],
)
def test_power_what_cannot_be(refused, status, arguments, names):
    command, *options = arguments
    refused(status, command, saved_clinic(), *options, names=names)


def test_json_has_the_tables_the_statements_and_what_made_them(call):
    study = saved_clinic()
    finding = sk.agreement(sk.open_study(study))
    answer = call("agreement", study, "--format", "json")
    document = json.loads(answer.out)
    assert answer.out == finding.to_json()
    assert document["finding"] == "Agreement"
    assert document["tables"] == {name: frame.to_dicts() for name, frame in finding.tables().items()}
    assert document["statements"] == [
        {"kind": each.kind, "text": each.text, "values": dict(each.values)} for each in finding.statements
    ]
    assert document["made_with"]["command"] == "sessionkit agreement STUDY"
    for name in ("grades", "provenance", "reading"):
        assert [*json.loads(call("agreement", study, "--format", "json", "--table", name).out)["tables"]] == [name]
    assert "no table 'grade'" in call("agreement", study, "--format", "json", "--table", "grade").err


def test_json_of_a_study_in_which_some_sessions_take_part(call):
    words = ["compare", saved_clinic(), "Queries", "--where", "queries >= 2", "--format", "json"]
    first, *_ = json.loads(call(*words).out)["statements"]
    assert (first["kind"], first["values"]) == ("sessions", {"condition": "queries >= 2", "sessions": 71, "of": 120})


def test_the_schema_lists_every_kind_of_statement(call):
    rows = [json.loads(line) for line in call("schema", "statements", "--format", "jsonl").lines]
    listed = {tuple(row[name] for name in ("finding", "kind", "meaning", "value", "holds")) for row in rows}
    findings = [getattr(sk, name) for name in dir(sk)]
    classes = [each for each in findings if isinstance(each, type) and issubclass(each, Finding | Pseudonymized)]
    assert len(classes) == 15
    assert listed == {
        (each.__name__, kind, declared.meaning, value, holds)
        for each in classes
        for kind, declared in each.KINDS.items()
        for value, holds in declared.values.items() or [(None, None)]
    }
    assert all(row["meaning"] for row in rows)
    assert all((row["holds"] is None) == (row["value"] is None) for row in rows)
