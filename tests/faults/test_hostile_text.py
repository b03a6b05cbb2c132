"""Hostile texts in every place of a study, in every output: they are text there, and nothing else.

The texts stand in `tests.support.payloads`. What charts, the explorer and the live page do with them is tested where
they are (tests/charts, tests/reports), what commands print on a terminal in tests/cli/test_terminal.py.
"""

import base64
import csv
import io
import json
import re
import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import save, session_curve
from sessionkit.errors import ACTING
from sessionkit.reports import report
from sessionkit.study.descriptor import digest_of
from tests.support.payloads import CELL, COMMANDS, EACH, FORMULAS, PAYLOADS, TERMINAL
from tests.support.score_way import score_way

LINES = re.compile(ACTING.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))
"""What acts, but for the ends of lines."""
NAMES = [text.replace("/", "\u2215").replace("\x00", "")[:60] for text in EACH]
"""What files can be called."""


def quoted(text):
    """Return a text as TOML has it."""
    return json.dumps(text).replace("\x7f", "\\u007f")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A saved study: all payloads are ids, texts, notes and sources; some are columns, files, and values that were set aside."""
    folder = tmp_path_factory.mktemp("hostile") / NAMES[0]
    folder.mkdir()
    known, asked, shown = [], [], []
    for number, name in enumerate(PAYLOADS):
        session = {"session_id": f"{name}{number}"}
        extra = {column: f"{column}{number % 3}" for column in EACH}
        known.append(
            session
            | {"user_id": PAYLOADS[number // 2], "system_id": EACH[number % 2], "topic_id": EACH[number % 3], **extra}
        )
        for query in (1, 2):
            asked.append(session | {"query_position": query, "query_text": PAYLOADS[-number], "issued_at": name})
            shown += [
                session | {"query_position": query, "rank": rank, "doc_id": PAYLOADS[(number + rank) % len(PAYLOADS)]}
                for rank in (1, 2, 3)
            ]
    broken = [{"session_id": name, "query_position": name, "rank": 1, "doc_id": name} for name in PAYLOADS]
    judged = [{"judgment_key": topic, "doc_id": name, "grade": 1} for topic in EACH[:3] for name in PAYLOADS[::2]]
    tables = {"sessions": known, "queries": asked, "results": [*shown, *broken], "judgments": judged}
    toml = [f"title = {quoted(' '.join(PAYLOADS))}", "synthetic = true"]
    for (name, rows), file in zip(tables.items(), NAMES, strict=False):
        (folder / f"{file}.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        toml += [f"[{name}]", f"path = {quoted(file + '.ndjson')}"]
    (folder / "study.toml").write_text("\n".join(toml), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.DataWarning)
        saved = sk.read(folder / "study.toml").save(folder.parent / "study").path
    descriptor = json.loads((saved / "datapackage.json").read_text(encoding="utf-8"))
    ours = descriptor["sessionkit"]
    ours["notes"] += PAYLOADS
    ours["reader"] = CELL
    ours["sources"] += [{**ours["sources"][0], "path": text, "table": text, "kind": text} for text in EACH]
    descriptor["sessionkit"]["digest"] = digest_of(descriptor)
    (saved / "datapackage.json").write_text(json.dumps(descriptor), encoding="utf-8")
    return sk.open_study(saved)


@pytest.fixture(scope="module")
def page(study):
    """Return the report of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.DataWarning)
        return report(study, ["sDCG@3"])


@pytest.mark.slow
def test_the_page_holds_no_element_and_no_attribute_of_a_log(page):
    markup = re.sub(r"(<script[^>]*>).*?</script>", r"\1</script>", page, flags=re.DOTALL)
    assert not re.search(r"<(img|svg|iframe|object|embed|link|base)\b", markup, re.IGNORECASE)
    assert not re.search(r"""<[^>]*\s(on\w+|src|srcset|formaction)\s*=""", re.sub(r'"[^"]*"', '""', markup))
    assert all(link.startswith(("#", "data:")) for link in re.findall(r'href="([^"]*)"', markup))
    assert re.search(r"&lt;img src=x onerror=[\w.]+=1&gt;", markup)
    assert not set("\x00\x07\x08\x1b\u202e\u2067") & set(markup)


def test_tables_that_are_saved_from_the_page_hold_no_command_formula_or_element(page):
    files = re.findall(r'href="data:([^;]+);charset=utf-8;base64,([^"]*)"', page)
    saved = [(kind, base64.b64decode(text).decode()) for kind, text in files]
    assert {kind for kind, _ in saved} == {"application/x-tex", "text/markdown", "text/csv"}
    for kind, text in saved:
        if kind == "text/csv":
            cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
            assert not [cell for cell in cells if cell[:1] in set("=+@\t\r\n\uff1d") or re.match(r"-[^\d.]", cell)]
        elif kind == "text/markdown":
            assert not re.search(r"(?<!\\)[<`]|(?<!\\)\]\(", text)
            assert not LINES.search(text)
        else:
            assert not re.search(r"\\(input|write|href|url|immediate|catcode)", text)
            assert not LINES.search(text)


@pytest.mark.browser
def test_a_browser_runs_nothing_of_it(page, tmp_path, opened):
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    shown, said, asked = opened(path)
    assert shown.evaluate("window.hacked") is None
    assert (said, asked) == ([], [path.as_uri()])


@pytest.mark.parametrize("ending", ["html", "svg", "json"])
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_a_chart_draws_names_as_text(study, tmp_path, ending):
    chart = session_curve(sk.curve(study, "sDCG@3", per="session"))
    text = save(chart.properties(width=300), tmp_path / f"chart.{ending}").read_text(encoding="utf-8")
    if ending == "json":
        names = json.dumps(json.loads(text)["datasets"])
        assert "window.hacked" in names
        assert "signal" not in re.sub(
            r'"(?:[^"\\]|\\.)*"', lambda found: found[0] if found[0] == '"signal"' else '""', text
        )
        return
    markup = re.sub(r"(<script[^>]*>).*?</script>", r"\1</script>", text, flags=re.DOTALL)
    assert not re.search(r"<(img|iframe|script\s+src)|<svg/", markup, re.IGNORECASE)
    assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', markup))
    assert "hacked=1</script>" not in text


SHOWN = {
    "study": lambda study: study,
    "settings": lambda study: study.settings,
    "source": lambda study: study.sources[-1],
    "check": sk.check,
    "description": sk.describe,
    "scores": lambda study: sk.score(study, ["sDCG@3"], per="session"),
    **{
        f"check, {name}": lambda study, name=name: sk.check(study)[name]
        for name in ("sources", "rejected", "cells", "notes")
    },
    **{
        f"description, {name}": lambda study, name=name: getattr(sk.describe(study), name)
        for name in ("systems", "crossing", "recall_base")
    },
}


@pytest.mark.parametrize("kind", SHOWN)
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_notebooks_and_terminals_are_shown_text(study, kind):
    value = SHOWN[kind](study)
    with pl.Config(tbl_rows=-1, fmt_str_lengths=100):
        assert not LINES.search(repr(value) + str(value))
    if hasattr(value, "_repr_html_"):
        page = value._repr_html_()
        assert not re.search(r"<(script|img|svg|a|iframe)\b", page)
        assert not LINES.search(page)


REFUSED = {
    "a source": lambda name, _: sk.read(name),
    "a study": lambda name, _: sk.open_study(name),
    "a measure": lambda name, study: sk.score(study, f"sDCG{name}", per="session"),
    "a level": lambda name, study: sk.score(study, "sDCG@3", **score_way(name)),
    "a session": lambda name, study: sk.explain(study, "sDCG@3", session=name),
    "a group": lambda name, study: sk.compare(study, "sDCG@3", by=name),
    "a format": lambda name, _: sk.read("log", format=name),
    "a file": lambda name, study: sk.charts.save(session_curve(sk.curve(study, "sDCG@3")), f"chart.{name}"),
    "a setting": lambda name, _: sk.read({name: 1}),
    "a column": lambda name, study: sk.correlate(study, "sDCG@3", with_=name),
    "settings": lambda name, _: sk.Settings(merge=name, title=name),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_errors_name_what_was_asked_for_and_do_nothing(study, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sk.SessionkitError) as caught:
        REFUSED[kind](TERMINAL.replace("\x00", ""), study)
    assert "31m" in str(caught.value)
    assert not LINES.search(str(caught.value))


def test_warnings_do_nothing():
    rows = [{"session_id": TERMINAL, "query_position": 1, "rank": rank, "doc_id": TERMINAL} for rank in (1, TERMINAL)]
    judged = [
        {"judgment_key": TERMINAL, "doc_id": TERMINAL, "grade": grade, "judge_id": str(grade)} for grade in (0, 3)
    ]
    sessions = {"session_id": [TERMINAL], "topic_id": [TERMINAL]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = sk.from_tables(
            pl.DataFrame(rows, strict=False), pl.DataFrame(judged), sessions=sessions, merge="alternate"
        )
        sk.score(made, "sDCG@3", per="session")
    assert any("31m" in str(one.message) for one in caught)
    assert not any(LINES.search(str(one.message)) for one in caught)


def test_every_kind_of_payload_is_there():
    assert {*EACH, *FORMULAS, *COMMANDS} <= {*PAYLOADS}
