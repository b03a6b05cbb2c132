"""Files of charts.

The script of the libraries is put together once, and believed only where nobody else can have written it.

The safe page.

The scripts of pages that are our own.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import altair as alt
import polars as pl
import pytest
import vl_convert
from markupsafe import Markup

from sessionkit.charts import KINDS, data, files, save, session_curve
from sessionkit.charts.files import chart_place, libraries, notices, page
from sessionkit.errors import SpaceError, UsageError
from sessionkit.study.files import write_whole
from tests.support.messages import match_parts, messages_with

STARTS = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!doctype html>", ".json": b"{"}


@pytest.mark.parametrize("ending", STARTS)
def test_formats_follow_the_ending_of_the_name(curves, tmp_path, ending):
    path = save(session_curve(curves()), tmp_path / f"figure{ending.upper()}")
    assert path.read_bytes().startswith(STARTS[ending])
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_specification_reads_back_under_the_theme(curves, tmp_path):
    spec = json.loads(save(session_curve(curves()), tmp_path / "spec.json").read_text(encoding="utf-8"))
    assert alt.LayerChart.from_dict(spec).to_dict()["config"]["font"].startswith("Liberation Sans")


@pytest.mark.parametrize(("name", "said"), [("a.svgg", r"\.svgg; .*did you mean '\.svg'"), ("a", "has no ending")])
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
    with pytest.raises(SpaceError, match=match_parts("no space is left", "nothing there was changed")):
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
    assert all(line.startswith("1 ") for line in told[:4])
    assert messages_with(told[:4], "memory", "limited to 8,388,608 KiB") == told[:4]
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


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Count how often the script is put together; forget what this process knows between calls."""
    calls = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(files.sys, "platform", "linux")
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda *given: calls.append(given) or "draw(\u00e4);\n")
    libraries.cache_clear()
    yield calls
    libraries.cache_clear()


def again():
    """What a new process gets."""
    libraries.cache_clear()
    return libraries()


def test_it_is_made_once_and_kept_for_this_version(made, tmp_path):
    assert [again(), again(), libraries()] == ["draw(\u00e4);\n"] * 3
    assert made == [(None, files.VL_VERSION)]
    (kept,) = tmp_path.rglob("*.js")
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert files.VL_VERSION in kept.name
    kept.rename(kept.with_name("vega-lite-1.0-vl-convert-0.1.js"))
    again()
    assert len(made) == 2


@pytest.mark.parametrize("content", [b"", b"evil();", b"0" * 64 + b"\nevil();", b"\xff\xfe\n\xff"])
def test_a_file_that_is_not_what_was_written_is_not_believed(made, tmp_path, content):
    again()
    (kept,) = tmp_path.rglob("*.js")
    kept.write_bytes(content)
    assert again() == "draw(\u00e4);\n"
    assert len(made) == 2
    assert again() == "draw(\u00e4);\n"  # what was wrong was replaced
    assert len(made) == 2


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755])
def test_a_folder_that_others_can_enter_is_not_believed_nor_written(made, tmp_path, mode):
    again()
    (kept,) = tmp_path.rglob("*.js")
    before = kept.read_bytes()
    kept.parent.chmod(mode)
    assert [again(), again()] == ["draw(\u00e4);\n"] * 2
    assert len(made) == 3
    assert kept.read_bytes() == before


def test_without_a_folder_it_is_made_each_time(made, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (str(tmp_path / "file"), "not/absolute"):
        monkeypatch.setenv("XDG_CACHE_HOME", place)
        assert again() == "draw(\u00e4);\n"
    assert len(made) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_page_carries_the_notice_of_every_library_in_its_script():
    (engine,) = Path(vl_convert.__file__).parent.glob("vl_convert.*[od]")
    inlined = {name.decode() for name in re.findall(rb"/npm/([a-z0-9.-]+)@[0-9.]+/", engine.read_bytes())}
    assert {"vega", "vega-lite", "vega-embed", "d3-array"} <= inlined
    named = set(re.findall(r"[a-z0-9.-]+", notices()))
    assert inlined - named == set()
    told = page("Title", Markup("<p>Body</p>"))
    assert told.index("Redistributions in binary form") < told.index("<script>")
    assert told.count("-->") == told.count("<!--\n") == 1


def test_policy_allows_the_two_scripts_and_nothing_from_outside():
    text = page("</title><script>x</script>", Markup("<p>body</p>\n"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    default, scripts, *_ = policy.split("; ")
    assert default == "default-src 'none'"
    assert scripts.startswith("script-src 'sha256-")
    assert policy.count("sha256-") == 2
    assert "unsafe-eval" not in policy
    assert "<title>&lt;/title&gt;" in text
    assert re.findall(r"<script[^>]*>", text) == ["<script>", "<script>"]
    assert not re.search("(?:src|href)=", re.sub("<script>.*?</script>", "", text, flags=re.DOTALL))


def test_place_of_a_chart_needs_an_id():
    with pytest.raises(ValueError, match="is not an id"):
        chart_place('a" onload="x', {})


def test_fractions_of_a_chart_have_seven_digits_and_times_all():
    spec = {
        "datasets": {
            "rows": [{"value": 1 / 3, "small": 2e-9 / 3, "at": 1795000000123.25, "n": 12345678, "text": "0.123456789"}]
        }
    }
    place = str(chart_place("figure-1", spec))
    (rows,) = json.loads(re.search(">({.*})<", place)[1])["datasets"].values()
    assert rows == [
        {"value": 0.3333333, "small": 6.666667e-10, "at": 1795000000123.25, "n": 12345678, "text": "0.123456789"}
    ]


ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.relative_to(ROOT / "sessionkit").as_posix() for path in ROOT.glob("sessionkit/**/*.js"))


def test_all_of_them_can_stand_in_a_page_and_evaluate_nothing():
    assert NAMES == [
        "charts/page.js",
        "reports/drawing.js",
        "reports/explorer/explorer.js",
        "reports/live/discounts.js",
        "reports/sections.js",
    ]
    for name in NAMES:
        text = files.script(name)
        for risky in (
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "eval(",
            "Function(",
            "document.write",
            "fetch(",
            "http://",
        ):
            assert risky not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_script_that_would_end_its_element_is_refused(tmp_path, monkeypatch):
    (tmp_path / "bad.js").write_text("'</SCRIPT>'")
    monkeypatch.setattr(files, "files", lambda _: tmp_path)
    with pytest.raises(ValueError, match=r"bad\.js would end"):
        files.script("bad.js")
