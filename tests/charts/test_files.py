"""Files of charts."""

import json
import os
import subprocess
import sys

import altair as alt
import polars as pl
import pytest

from sessionkit.charts import KINDS, data, save, session_curve
from sessionkit.errors import SpaceError, UsageError
from sessionkit.study.files import write_whole

STARTS = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!doctype html>", ".json": b"{"}


@pytest.mark.parametrize("ending", STARTS)
def test_formats_follow_the_ending_of_the_name(curves, tmp_path, ending):
    path = save(session_curve(curves()), tmp_path / f"figure{ending.upper()}")
    assert path.read_bytes().startswith(STARTS[ending])
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_specification_reads_back_under_the_theme(curves, tmp_path):
    spec = json.loads(save(session_curve(curves()), tmp_path / "spec.json").read_text(encoding="utf-8"))
    assert alt.LayerChart.from_dict(spec).to_dict()["config"]["font"].startswith("Liberation Sans")


@pytest.mark.parametrize(
    ("name", "said"), [("a.svgg", r"ends in .svgg; .* did you mean '.svg'"), ("a", "has no ending")]
)
def test_unknown_endings_are_refused_with_what_is_possible(curves, tmp_path, name, said):
    with pytest.raises(UsageError, match=said) as refused:
        save(session_curve(curves()), tmp_path / name)
    assert ".svg, .png, .pdf, .html, .json" in str(refused.value)


def test_what_is_no_chart_is_refused(tmp_path):
    with pytest.raises(UsageError, match="save takes a chart, not int"):
        save(1, tmp_path / "a.svg")


def test_places_that_cannot_be_written_are_refused(curves, tmp_path):
    with pytest.raises(UsageError, match="does not exist; create it"):
        save(session_curve(curves()), tmp_path / "none" / "a.svg")
    (tmp_path / "dir.svg").mkdir()
    with pytest.raises(UsageError, match="it is a directory"):
        save(session_curve(curves()), tmp_path / "dir.svg")


def test_what_stood_there_stays_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "a.svg"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(SpaceError, match="no space is left on the disk; nothing there was changed"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.svg"]


def test_a_specification_never_loads_from_the_network(tmp_path):
    remote = alt.Chart(alt.UrlData("https://sessionkit.invalid/data.json")).mark_point().encode(x="a:Q")
    with pytest.raises(UsageError, match=r"cannot draw remote\.svg"):
        save(remote, tmp_path / "remote.svg")


def test_row_limit_and_transformers_of_the_caller_do_not_matter(curves, tmp_path):
    with alt.data_transformers.enable("default", max_rows=1):
        save(session_curve(curves()), tmp_path / "a.svg")


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), resource.RLIM_INFINITY))
import altair as alt
from sessionkit.charts import save
from sessionkit.errors import SessionkitError
chart = alt.Chart(alt.Data(values=[{"a": 1}])).mark_point().encode(x="a:Q")
for name in sys.argv[2:]:
    try:
        print(save(chart, name))
    except SessionkitError as error:
        print(error.exit_status, error)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no limit of addresses")
def test_limited_memory_is_said_instead_of_a_crash(tmp_path):
    names = ["a.svg", "a.png", "a.pdf", "a.html", "a.json"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(8 << 30), *names],
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    assert all(line.startswith("1 the memory of this process is limited to 8,388,608 KiB") for line in told[:4])
    assert told[4:] == ["a.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.few(6)
@pytest.mark.parametrize("kind", KINDS)
def test_data_are_what_a_reader_would_draw_again(kind, drawing):
    chart = drawing[kind](("S1", "S2"), title="T")
    tables = data(chart)
    assert all(len(table) for table in tables)
    assert len(tables) == 1 or all("part" in table.columns for table in tables)
    assert not {"beside", "told", "step"} & {name for table in tables for name in table.columns}
    for again in (data(chart.properties(title="again")), data(alt.vconcat(chart, chart))):
        assert [table.to_dicts() for table in again] == [table.to_dicts() for table in tables]


def test_data_of_other_charts_are_those_of_their_layers(curves):
    mine = alt.Chart(pl.DataFrame({"slot": [1, 2], "value": [0.1, 0.2]})).mark_line().encode(x="slot:Q", y="value:Q")
    assert [table.shape for table in data(mine)] == [(2, 2)]
    assert [table.height for table in data(alt.hconcat(session_curve(curves()), mine))] == [60, 2]
