"""A browser that watches a page, for tests of anything that is opened in one; where tests that share things run."""

import gc
import os
import shutil
import sys
import zlib
from pathlib import Path

# beside other processes of tests, a thread of polars only takes a core from them; read when polars is imported
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("POLARS_MAX_THREADS", "1")

import pytest
from hypothesis import Phase, settings

from sessionkit.charts.registry import CHARTS
from sessionkit.plugins import FILES
from sessionkit.readers import FORMATS
from sessionkit.scoring.measures.registry import MEASURES

# ranx as Python runs it: to compile it takes longer than all that it is asked
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
# --hypothesis-profile=quick: say at once that something fails, without looking for the smallest example
settings.register_profile("quick", deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
# a busy machine is no failure; all else as it was chosen (hypothesis chooses by itself in CI)
settings.register_profile("thorough", parent=settings(), deadline=None)
# by default a twelfth of the examples, see tests/support/examples.py
settings.register_profile("patient", parent=settings(), deadline=None, max_examples=12)
settings.load_profile("patient")
SPARK = "tests/spark/"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a test marked `few` that many cases, spread over all, run where it runs; the others are slow, so many of them as
    `slow` says, and the rest proofs; proofs altogether if the test runs in CI alone.
    """
    cases = {}
    for item in items:
        if item.get_closest_marker("few"):
            cases.setdefault(item.nodeid.split("[")[0], []).append(item)
    for name, several in cases.items():
        start = zlib.crc32(name.encode()) / 2**32  # tests of one matrix take different cases
        few = several[0].get_closest_marker("few")
        (most,) = few.args
        late = any(several[0].get_closest_marker(mark) for mark in ("slow", "browser", "spark"))
        slow = 0 if late else few.kwargs.get("slow", most)
        # steps of the golden ratio fall into no rhythm with the rows or columns of a matrix
        order = list(
            dict.fromkeys(int(len(several) * ((start + step * 0.618034) % 1)) for step in range(4 * len(several)))
        )
        ranks = {place: rank for rank, place in enumerate(order)}
        for place, item in enumerate(several):
            rank = ranks.get(place, len(several))
            if rank >= most:
                item.add_marker(pytest.mark.slow if rank < most + slow else pytest.mark.proof)


def pytest_collection_finish(session):
    """Spare the garbage collector what all tests share: some 14,000 of them and the libraries, a tenth of the time.

    Without a browser and Spark it also runs 30 times less often. With both in one process and
    a threshold of 50,000, a process of tests crashed once; nobody knows why.
    """
    gc.collect()
    gc.freeze()
    if not any(item.get_closest_marker(mark) for item in session.items for mark in ("browser", "spark")):
        gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Where tests run side by side, those of a file run in one process, which makes once what they share; so do all of Spark.

    The mark xdist_group would say the same, but pytest 9.2 does not hear it (pytest-xdist, issue 1386).
    """
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return SPARK if nodeid.startswith(SPARK) else super()._split_scope(nodeid)

    return ByFile(config, log)


@pytest.fixture(autouse=True)
def only_sessionkits_own(monkeypatch):
    """Registries without what another test registered, and without modules that it loaded as plugins."""
    for registry in (CHARTS, FORMATS, MEASURES):
        monkeypatch.setattr(registry, "_added", {})
    yield
    for file in FILES:
        sys.modules.pop(Path(file).stem, None)
    FILES.clear()


@pytest.fixture(scope="session")
def browser():
    """Return a Chromium; its pages may ask for nothing but the file that is opened."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser):
    """Open a file; return the page, what it said on the console and the addresses it asked for."""
    pages = []

    def opened(path, *, charts=True):
        page = browser.new_page()
        pages.append(page)
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(path.as_uri())
        if charts:
            page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=20_000)
        page.wait_for_timeout(200)
        return page, said, asked

    yield opened
    for page in pages:
        page.close()
