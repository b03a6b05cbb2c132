"""Small studies, one with hostile names throughout, and a browser that watches a page."""

import shutil
import warnings

import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    '"};window.hacked=1//',
    "datum.x",
    "{{7*7}} ${window.hacked=1}",
    '{"signal": "window.hacked=1"}',
    "<img src=x onerror=window.hacked=1>",
    "<!--<script>",
    "\u202eesrever \u05e9\u05dc\u05d5\u05dd",
    "line\u2028end",
    "bell\x00\x07\ufffe",
    "]]>&amp;&lt;</style></title>",
    "x" * 2000,
)


@pytest.fixture
def make():
    """Make a study of sessions of 1, 2, ... queries, two results each, of which the second is relevant in last queries."""

    def make(systems=("S1", "S2"), topics=("t",), users=("u1", "u2"), sessions=4, judged=True, **settings):
        rows, known, grades = [], [], {}
        for number in range(sessions):
            name = f"s{number}"
            topic = topics[number % len(topics)]
            known.append((name, users[number % len(users)], systems[number % len(systems)], topic))
            for query in range(1, number + 2):
                for rank in (1, 2):
                    doc = f"{name}.{query}.{rank}"
                    rows.append((name, query, rank, doc))
                    grades[topic, doc] = 2.0 if (query == number + 1 and rank == 2) else 0.0
        results = dict(zip(("session_id", "query_position", "rank", "doc_id"), zip(*rows, strict=True), strict=True))
        described = dict(zip(("session_id", "user_id", "system_id", "topic_id"), zip(*known, strict=True), strict=True))
        given = {key: grade for key, grade in grades.items() if key[0] is not None}
        judgments = {
            "judgment_key": [key for key, _ in given],
            "doc_id": [doc for _, doc in given],
            "grade": list(given.values()),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return sk.from_tables(
                {name: list(column) for name, column in results.items()},
                judgments if judged and given else None,
                sessions={name: list(column) for name, column in described.items() if any(column)},
                **settings,
            )

    return make


@pytest.fixture
def hostile(make):
    """Return a study in which every name, and the title, is hostile."""
    return make(
        systems=HOSTILE, topics=HOSTILE[:2], users=HOSTILE, sessions=len(HOSTILE), title=HOSTILE[0], synthetic=True
    )


@pytest.fixture(scope="module")
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
