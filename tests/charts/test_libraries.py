"""The script of the libraries is put together once, and believed only where nobody else can have written it."""

import re
from pathlib import Path

import pytest
import vl_convert
from markupsafe import Markup

from sessionkit.charts import files as room
from sessionkit.charts.files import libraries, notices, page


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Count how often the script is put together; forget what this process knows between calls."""
    calls = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(room.sys, "platform", "linux")
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
    assert made == [(None, room.VL_VERSION)]
    (kept,) = tmp_path.rglob("*.js")
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert room.VL_VERSION in kept.name
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
    assert told.index("Redistributions in binary form must reproduce") < told.index("<script>")
    assert told.count("-->") == told.count("<!--\n") == 1
