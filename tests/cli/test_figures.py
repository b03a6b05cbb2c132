"""A figure for each session, user or topic from the command line."""

import re

import pytest


@pytest.mark.slow
def test_a_folder_of_figures_is_written(call, study, tmp_path):
    folder = tmp_path / "all"
    outcome = call("chart", "waterfall", study, "--each", "session", "--output", folder, "--format", "json")
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == f"written: 2 figures and {folder / 'index.html'}\n"
    assert {path.name for path in folder.iterdir()} == {"s1.json", "s2.json", "index.html", "thumbnails"}


@pytest.mark.slow
def test_what_is_not_drawn_is_named(call, study, tmp_path):
    outcome = call("chart", "session-survival", study, "--each", "user", "--output", tmp_path / "all")
    assert outcome.status == 0
    assert "note: not drawn: u2: " in outcome.err
    assert "two queries or more" in outcome.err
    page = (tmp_path / "all" / "index.html").read_text("utf-8")
    assert "1 of 2 users are drawn" in page
    assert re.search(">u2</bdi>.*>1</td><td>session-", page)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("waterfall --each session --session s1 --output {}/all", ["--session and --each contradict", "--where"]),
        ("waterfall --each session --output {}/all.svg", ["a folder", "--output {}/all --format svg"]),
        ("waterfall --each user --output {}/all", ["for each session, not", "'user'"]),
        ("waterfall --output {}", ["is a directory", "--each session"]),
        ("waterfall --format png --output {}/one.svg", ["--format belongs to --each", "one.png"]),
        ("sweep-map --each session --output {}/all", ["sweep-map has no --each", "waterfall (session)"]),
        ("waterfall --each session --output {}", ["(mine.txt)", "left alone"]),
    ],
)
def test_what_cannot_be(refused, study, tmp_path, words, names):
    place = tmp_path / "place"
    place.mkdir()
    (place / "mine.txt").write_text("mine")
    kind, *options = words.format(place).split()
    refused(2, "chart", kind, study, *options, names=[name.format(place) for name in names])
    assert [path.name for path in place.iterdir()] == ["mine.txt"]
