"""What a log says never acts on the terminal, whichever command shows it, in whichever form."""

import json
import re

import pytest

import sessionkit as sk
from sessionkit.charts.registry import CHARTS
from sessionkit.cli.app import COMMANDS, name_of
from sessionkit.cli.catalog import names
from sessionkit.errors import ACTING
from sessionkit.readers import FORMATS
from sessionkit.scoring.measures.registry import MEASURES
from tests.support.payloads import TERMINAL as HOSTILE

QUICK = ("--users", "8,12", "--topics", "3", "--draws", "200", "--component-draws", "50", "--difference", "20%")
RAW = re.compile(ACTING.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))
"""What acts, but for tabs and the ends of lines, which are a form's own."""


def named(kind, number=""):
    """A name as a hostile log has them."""
    return f"{kind}{HOSTILE}{number}"


SYSTEMS, RATING, TEAM = (named("A"), named("B")), named("rating"), named("team")
SESSION, TOPIC = named("s", 0), named("t", 0)
TOML = f"""
title = {json.dumps(named("Toy"))}
max_grade = 2
[sessions]
path = "sessions.ndjson"
[queries]
path = "queries.ndjson"
[results]
path = {json.dumps(named("results", ".ndjson").replace("/", ""))}
[judgments]
path = "judgments.ndjson"
"""


def lines(rows):
    """Rows as NDJSON."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def log():
    """The files of a log: six searchers and three topics, every topic searched by every searcher with one of two systems."""
    known, asked, shown = [], [], []
    for user in range(6):
        for topic in range(3):
            session = named("s", 3 * user + topic)
            known.append(
                {"session_id": session, "user_id": named("u", user), "topic_id": named("t", topic),
                 "system_id": SYSTEMS[(user + topic) % 2], RATING: (5 * user + 3 * topic) % 7, TEAM: named("x", user % 2)}
            )  # fmt: skip
            for query in range(1, 2 + (user + topic) % 3):
                place = {"session_id": session, "query_position": query}
                asked.append({**place, "query_text": named("q", query), "elapsed_seconds": 60.0 * query})
                shown += [
                    {**place, "rank": rank, "doc_id": named("d", (7 * user + 3 * topic + query + rank) % 12),
                     "clicked": (user + rank) % 3 == 0, "user_grade": (user + rank) % 3}
                    for rank in range(1, 6)
                ]  # fmt: skip
    broken = [
        {"session_id": named("s", 0), "query_position": named("no number"), "rank": 9, "doc_id": named("d")},
        {"session_id": named("nobody"), "query_position": 1, "rank": named("no rank"), "doc_id": named("d")},
        {**shown[0], "doc_id": named("twice")},
    ]
    judged = [
        {"judgment_key": named("t", topic), "doc_id": named("d", document), "judge_id": named("j", judge),
         "grade": (topic + document + (judge and document % 4 == 0)) % 3}
        for topic in range(3) for document in range(0, 12, 2) for judge in range(2)
    ]  # fmt: skip
    return {
        "sessions.ndjson": lines(known),
        "queries.ndjson": lines(asked),
        named("results", ".ndjson"): lines([*shown, *broken]),
        "judgments.ndjson": lines(judged),
        "study.toml": TOML,
    }


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The folder of the log, in which STUDY is the study that was made of it."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, text in log().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


FILES = ("sessions.ndjson", "queries.ndjson", named("results", ".ndjson"), "judgments.ndjson")
SHOWN = [
    ("init", *FILES),
    ("ingest", "study.toml", "--out", "OTHER"),
    ("check", "study.toml"),
    ("check", "STUDY", "--verify"),
    ("describe", "STUDY"),
    ("score", "STUDY", "sDCG@5", "mean(nDCG@5)"),
    ("score", "STUDY", "nDCG@5", "--per", "query"),
    ("score", "STUDY", "nsDCG@5", "--by", f"topic_id,{TEAM}"),
    ("explain", "STUDY", "sDCG@5", "--session", SESSION),
    ("curve", "STUDY", "nsDCG@5"),
    ("curve", "STUDY", "sDCG@5", "--per", "session", "--where", f'"{TEAM}" is not null'),
    ("breakdown", "STUDY", "DCG@5", "--by", TEAM),
    ("breakdown", "STUDY", "nDCG@5", "--significance"),
    ("gain-vectors", "STUDY", "DCG@5", "--by", TEAM),
    ("precision-recall", "STUDY", "--by", f"topic_id,{TEAM}"),
    ("summary", "STUDY", "--by", "topic_id"),
    ("compare", "STUDY", "nsDCG@5", "mean(nDCG@5)"),
    ("compare", "STUDY", "nsDCG@5", "--by", TEAM),
    ("compare", "STUDY", "nsDCG@5", "--population", "users,topics"),
    ("correlate", "STUDY", "nsDCG@5", "sDCG@5", "--with", RATING, "--draws", "200"),
    ("sweep", "STUDY", "nsDCG@5", "--vary", "b=2:4:2", "--vary", "bq=2:4:2"),
    ("bounds", "STUDY", "nsDCG@5"),
    ("bounds", "STUDY", "nsDCG@5", "--per", "session", "--wanted", "5"),
    ("judgment-loss", "STUDY", "nsDCG@5", "--fractions", "0.5:1:2", "--draws", "2"),
    ("judge-noise", "STUDY", "nsDCG@5", "--draws", "5"),
    ("agreement", "STUDY"),
    ("discriminate", "STUDY", "nsDCG@5"),
    ("curve", "STUDY", "sDCG@5", "--effort"),
    ("chart", "waterfall", "STUDY", "--output", "a.json"),
    ("pseudonymize", "STUDY", "--out", "SHARED"),
]
"""What shows names of the log."""
REFUSED = [
    ("init", named("results", ".csv")),
    ("export", "run", "STUDY"),
    ("export", named("run"), "STUDY"),
    ("pseudonymize", "STUDY", "--out", "REFUSED", "--keep", named("age")),
    ("ingest", "study.toml", "--out", "STRICT", "--strict"),
    ("score", f"STUDY{HOSTILE}", "sDCG@5"),
    ("score", "STUDY", named("sDCG")),
    ("score", "STUDY", "sDCG@5", "--by", named("sytem")),
    ("explain", "STUDY", "sDCG@5", "--session", named("s")),
    ("curve", "STUDY", "sDCG@5", "--where", f"topic_id = '{TOPIC}!'"),
    ("compare", "STUDY", "sDCG@5", "--by", f"{TEAM}>"),
    ("correlate", "STUDY", "sDCG@5", "--with", TEAM),
    ("calibrate", "STUDY", "--signal", named("clicks")),
    ("chart", "single-sessions", "STUDY", "--where", f"system_id = '{named('C')}'", "--output", "a.json"),
    ("report", "STUDY", "--by", named("team", 1), "--output", "a.html"),
    ("describe", "STUDY", "--table", named("users")),
    ("measures", named("nsDCG")),
    ("help", named("compare")),
    ("formats", named("tables")),
    ("schema", named("results")),
    (named("demo"),),
]
"""What is refused, naming what was asked for and what there is instead."""
NAMELESS = [
    ("calibrate", "STUDY", "--model", "sDCG@5", "--signal", "clicks"),
    ("power", "STUDY", "nsDCG@5", *QUICK),
]
"""What shows no name."""


def test_every_command_is_asked():
    asked = {words[0] for words in (*SHOWN, *REFUSED, *NAMELESS)}
    assert {name_of(command) for command in COMMANDS} - asked == {"demo"}  # which shows a log of its own


@pytest.fixture(scope="module")
def ingested(study):
    """The folder, with the study made of its log."""
    from sessionkit import read

    with pytest.warns():
        read(study / "study.toml").save(study / "STUDY")
    return study


@pytest.mark.few(16)
@pytest.mark.parametrize(
    "words", [*SHOWN, *REFUSED, *NAMELESS], ids=lambda words: " ".join(words).replace(HOSTILE, "*")
)
def test_nothing_acts(words, ingested, call, monkeypatch):
    monkeypatch.chdir(ingested)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "400")
    outcome = call(*words)
    broken = words[:2] in (("check", "study.toml"), ("check", "STUDY"))  # some records of the log are
    assert (outcome.status != 0) == (words in REFUSED or broken), outcome
    shown = outcome.out + outcome.err
    assert not RAW.search(shown)
    assert (words in NAMELESS) or "[31m" in shown


def test_what_plugins_say_of_themselves_does_not_act(call, monkeypatch):
    for registry in (MEASURES, FORMATS, CHARTS):
        monkeypatch.setattr(registry, "_added", dict(registry._added))
    monkeypatch.setattr("sessionkit.cli.catalog.names", names.__wrapped__)  # nothing of it is remembered
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")  # help has no colors of its own there
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("LINES", "400")
    said = named("what it is")
    option = sk.bases.Option(said, default=said)
    sk.register(sk.define("Hostile", len, formula=said, source=said))
    sk.register(sk.bases.Format(said, sk.bases.frames_reader(dict), options={"option": option}, tried=said), "hostile")
    sk.register(sk.bases.ChartKind(said, max, ()), "hostile-chart")
    for words in (
        "measures", "measures Hostile", "formats", "formats hostile", "help Hostile", "help hostile", "help hostile-chart",
        "chart --help", "chart hostile-chart --help",
    ):  # fmt: skip
        outcome = call(*words.split())
        assert outcome.status == 0
        assert not RAW.search(outcome.out + outcome.err), words
        assert "[31m" in outcome.out, words
    assert "<script>" in outcome.out, "help shows what others say as it is, not as markup"
