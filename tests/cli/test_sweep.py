"""sweep, as a command; and the map as a chart."""

import json

import polars as pl
import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic

VARY = ("--vary", "b=1.5:10:3", "--vary", "gain=linear,exp2")
SETTINGS = ("--table", "settings")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """The clinic study, ingested."""
    place = tmp_path_factory.mktemp("sweep") / "clinic"
    read_clinic().save(place)
    return place


def test_the_tables_are_those_of_python(call, clinic):
    found = sk.sweep(sk.open_study(clinic), "sDCG@10", {"b": "1.5:10:3", "gain": "linear,exp2"})
    head, *rows = (line.split("\t") for line in call("sweep", clinic, "sDCG@10", *VARY, *SETTINGS).lines)
    assert head == found.table.columns
    assert len(rows) == 8  # 1.5, 2 (the base), 5.75, 10; two gains
    assert [float(row[head.index("p_adjusted")]) for row in rows] == found.table["p_adjusted"].to_list()
    whole = call("sweep", clinic, "sDCG@10", *VARY).lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()


def test_people_get_the_reading_and_the_regions(call, clinic):
    shown = call("sweep", clinic, "sDCG@10", *VARY, "--format", "table")
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
def test_options_are_those_of_python(call, clinic):
    options = {"test": "randomization", "confidence": 0.9, "draws": 199, "seed": 7}
    found = sk.sweep(sk.open_study(clinic), "nsDCG@10", {"b": [2, 4]}, **options)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    ours = call("sweep", clinic, "nsDCG@10", "--vary", "b=2,4", *words, *SETTINGS, "--format", "jsonl").lines
    assert [json.loads(line)["p_adjusted"] for line in ours] == found.table["p_adjusted"].to_list()
    topics = call("sweep", clinic, "nsDCG@10", "--vary", "b=2,4", "--population", "topics", "--table", "made_with").out
    assert "topics like these 4 topics" in topics
    plain = call("sweep", clinic, "nsDCG@10", "--vary", "b=2,4", "--test", "none", *SETTINGS, "--format", "csv").out
    assert pl.read_csv(plain.encode())["p_adjusted"].null_count() == 2


@pytest.mark.slow
def test_a_map_is_drawn_beside_the_table(call, clinic, tmp_path):
    place = tmp_path / "map.svg"
    outcome = call("sweep", clinic, "sDCG@10", *VARY, "--test", "none", "--chart", place, "--table", "regions")
    assert outcome.status == 0
    assert outcome.err == f"written: {place}\n"
    svg = place.read_text(encoding="utf-8")
    assert ">Who leads at which setting</text>" in svg
    assert "Synthetic data" in svg


def test_the_chart_command_draws_the_map_too(call, clinic, tmp_path):
    words = ("chart", "sweep-map", clinic, "sDCG@10", *VARY, "--output", tmp_path / "map.json")
    outcome = call(*words)
    assert outcome.status == 0
    assert "Swept: sDCG@10 by system_id, over b (1.5, 2, 5.75, 10) and gain (linear, exp2): 8 settings." in outcome.out
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
def test_what_cannot_be_is_one_line(refused, clinic, words, names):
    refused(2, "sweep", clinic, "sDCG@10", *words, names=names)


def test_only_the_map_varies_something(refused, clinic, tmp_path):
    asked = ("chart", "session-curve", clinic, "--vary", "b=2,3", "--output", tmp_path / "x.svg")
    refused(2, *asked, names=["there is no option --vary", "chart session-curve --help"])


@pytest.mark.slow
def test_names_from_a_log_do_not_act_on_a_terminal(call, study):
    outcome = call("sweep", study, "sDCG@3", "--vary", "b=2,3", "--by", "team", "--format", "table")
    assert outcome.status == 0
    assert "[red]x" in outcome.out
    assert "\x1b" not in outcome.out + outcome.err


def test_numbers_of_settings_are_rounded_for_people_and_exact_for_programs(call, clinic):
    words = ("sweep", clinic, "sDCG@10", "--vary", "b=1.5:10:4", "--table", "ranges")
    shown, stored = (
        call(*words[: -2 if form == "table" else None], "--format", form).out for form in ("table", "jsonl")
    )
    values = [1.5 + step * 8.5 / 3 for step in range(4)]
    assert "4.33333333333" not in shown
    assert f"{values[1]:.6g}, {values[2]:.6g}, 10" in " ".join(shown.split())
    assert f"{values[1]:.12g}, {values[2]:.12g}, 10" in stored
