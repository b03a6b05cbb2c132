"""The scripts of pages that are our own."""

from pathlib import Path

import pytest

from sessionkit.charts import files

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
