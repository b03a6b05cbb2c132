"""A list of commands: each is taken as it is spelled, and prints the numbers that it printed before.

They score by every measure, analyze and draw, on the demo study and on real logs. The numbers stand in
`command_numbers.json`, of a command that prints many those at every n-th place of their order, and a digest of all;
``GOLDEN=write`` in the environment renews them. A new command is added to `MORE`.
"""

import hashlib
import json
import math
import os
import re
import shutil
import textwrap
from collections import Counter
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from typer.main import get_command

import sessionkit as sk
from sessionkit.cli.app import COMMANDS, app_for, name_of

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
PLACE = Path(__file__).with_name("command_numbers.json")
STUDIES = {"clinic.study": "", "jiang.study": " --by performance"}
"""What is scored, and the groups of its sessions where not systems."""
TOML = """format = "tables"
max_grade = 2
unjudged_grades = [-1]
[sessions]
path = "session"
separator = "\\t"
quote = false
columns.session_id = "SessionID"
columns.judgment_key = "SessionID"
columns.topic_id = "Topic"
columns.user_id = "User"
columns.performance = "Performance"
columns.difficulty = "Difficulty"
[results]
path = "results"
separator = "\\t"
quote = false
columns = { session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL" }
empty_list = "no results"
[judgments]
path = "qrels"
separator = "\\t"
quote = false
columns = { judgment_key = "SessionID", doc_id = "URL", grade = "Relevance" }
"""
LOGS = {
    "jiang": "study.toml",
    "core": "DATA/core_sessions/predetermined_queries_Task_A.csv",
    "ubi": "DATA/ubi/ubi_queries_events.chorus.ndjson --judgments DATA/judgments/Chorus_Electronics_basic.csv --session-gap 30m",
    "simiir": "DATA/simiir",
    "trec2011": "DATA/trec_session_2011/one_session.xml",
    "run": "DATA/judgments/trec_eval_results.test --judgments DATA/judgments/trec_eval_qrels.test",
}
"""What `ingest` is given."""
PARAMETERS = {"avgpos": "(sDCG@10)", "RBP": "(p=0.8)@10", "RBP_jiang2016": "(p=0.8)@10", "RBPResidual": "(p=0.8)@10"}
PARAMETERS |= {"sRBP": "(b=0.64,p=0.86)@10", "RSDCG": "(lambda=0.5)@10", "RSRBP": "(b=0.64,p=0.86,lambda=0.5)@10"}
PARAMETERS |= dict.fromkeys(("sum", "mean", "max", "min", "first", "last", "nonlast"), "(nDCG@10)")
PARAMETERS |= {name: "(pdown=0.7,pref=0.9)@10" for name in sk.MEASURES if name.startswith("es")}
KINDS = """last-vs-nonlast session-curve topic-curves single-sessions differences gain-vectors precision-recall
rprecision-histogram score-distribution waterfall session-timeline correlation-forest reformulation-flow"""
ANALYSES = """compare {} nsDCG@10{by} sDCG@10 mean(nDCG@10)
compare {} nsDCG@10{by} --population topics
compare {} nsDCG@10{by} --correction holm
compare {} nsDCG@10{by} --test randomization --seed 3
compare {} nsDCG@10{by} --population users,topics
power {} nsDCG@10 --difference 10% --seed 1
sweep {} nsDCG@10{by} --vary b=1.5:10:6 --vary bq=1.5:10:6
sweep {} sDCG@10{by} --vary gain=linear,exp2 --test none
calibrate {} --model sDCG@10 --model sRBP
bounds {} nsDCG@10 sDCG@10
judgment-loss {} nsDCG@10 --fractions 0.2:1:3 --draws 2 --seed 1
judge-noise {} nsDCG@10{by} --seed 1
discriminate {} nsDCG@10{by} --seed 1
curve {} sDCG@10 --effort
correlate {} nsDCG@10 Queries --with performance --seed 1
correlate {} nsDCG@10 --with years_internet --seed 1""".splitlines()
MORE = """agreement clinic.study
gain-vectors clinic.study DCG@10
precision-recall clinic.study IPrec11(level=2)
precision-recall clinic.study gP
summary clinic.study --by topic_id
export run clinic.study
export qrels clinic.study
help
help compare
demo --out demo""".splitlines()
WRONG = """score clinic.study nDGC@10
score clinic.study sDCG(b=0)@10
score nowhere sDCG@10
score clinic.study nDCG@10 --by colour
compare clinic.study nsDCG@10 --by colour
chart pie clinic.study --output p.svg
ingest nowhere.csv --out x.study""".splitlines()


MOST = 100
"""Numbers that are kept of a command."""
MADE = re.compile(r"^# provenance\n.*?^(?=# )", re.MULTILINE | re.DOTALL)
"""The table of how a finding was made, which names the version."""


def measures():
    """Every measure as it is asked for, and what it is a value of."""
    for name, one in sk.MEASURES.items():
        yield name + PARAMETERS.get(name, "@10" if "cutoff" in one.parameters() else ""), one.level


def commands(of):
    """The commands, given each study's measures; TABLES stands for the tables of a saved study."""
    yield from ("measures", "formats", "schema", "measures --start")
    yield from (f"measures {re.split('[(@]', text)[0]}" for text in of["clinic.study"])
    for name, words in LOGS.items():
        yield from (f"ingest {words} --out {name}.study", f"check {name}.study --verify", f"describe {name}.study")
        yield from (f"describe {name}.study --table lengths", f"TABLES {name}.study")
        yield from (f"ingest {words} --out {name}.little --memory 50MB", f"TABLES {name}.little")
        yield f"ingest {words} --out {name}.strict --strict"
    yield "init session results qrels --output proposed.toml"
    yield from ("ingest study.toml --out parted.study --partition-by topic_id", "TABLES parted.study")
    yield from ["score parted.study nsDCG@10 sDCG@10 --per session --cache parted.kept"] * 2
    for form in ("csv", "jsonl", "table"):
        yield f"score clinic.study nsDCG@10 mean(nDCG@10) --per session --format {form}"
    yield "report clinic.study --output redacted.html --redact queries,documents,users"
    yield "report clinic.study --output also.html --also mixed,power,noise,discriminate --difference 10%"
    for study, by in STUDIES.items():
        session = [text for text, level in of[study].items() if level == "session"]
        query = [text for text, level in of[study].items() if level == "query"]
        yield from (f"score {study} {text} --per query" for text in query)
        for rows in ("--per session", "--by system_id", "--by topic_id,user_id", "--by all"):
            yield f"score {study} {rows} {' '.join(session)}"
            yield f"score {study} {rows} {' '.join(f'mean({text})' for text in query)}"
        yield from (f"score {study} nsDCG@10 Queries --by {rows} --spread" for rows in ("all", "user_id"))
        for measure in (
            "sDCG@10",
            "nsDCG@10",
            "sDCG(like=jiang2016)@10",
            "sRBP(b=0.64,p=0.86)@10",
            "mean(AP)",
            "nsDCG(ideal=spread,duplicates=first)@5",
        ):
            yield f"explain {study} {measure} --session {'22' if by else 'c001'}"
            yield f"curve {study} {measure}"
        for measure in ("DCG@10", "nDCG@10", "RBP(p=0.8)@10", "sDCG@10"):
            yield from (
                f"breakdown {study} {measure} --parts {parts}" for parts in ("last", "position", "best", "first")
            )
        yield from (
            f"breakdown {study} {measure} --significance --parts last,last-first" for measure in ("nDCG@10", "AP")
        )
        yield from (words.format(study, by=by) for words in ANALYSES)
        yield from (f"chart {kind} {study} --output {study}-{kind}.json" for kind in KINDS.split())
        yield f"report {study} --output {study}.html"
        yield f"pseudonymize {study} --out {study}.shared --seed 5"
    yield from MORE


@pytest.mark.slow
def test_every_command_is_taken_as_it_is_spelled():
    """Its words fit its arguments and options; none is run."""
    program = cache(lambda name: get_command(app_for(name)))
    asked = set()
    for words in commands({study: dict(measures()) for study in STUDIES}):
        name, *rest = words.split()
        if name != "TABLES":
            command = program(name).commands[name]
            if name == "chart":
                command = command.commands[rest.pop(0)]
            command.make_context(name, rest)
            asked.add(name)
    assert asked == set(map(name_of, COMMANDS))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("score toy nDCG@10 --per system", "system"),
        ("score toy nDCG@10 --by system", "system"),
        ("score toy nDCG@10 --per all", "all"),
        ("score toy nDCG@10 --per topic,user", "topic,user"),
        ("score toy nDCG@10 --partials kept", "--partials"),
        ("score toy nDCG@10 --topic t", "--topic"),
        ("curve toy nDCG@10 --min-queries 2", "--min-queries"),
        ("breakdown toy nDCG@10 --by last", "last"),
        ("breakdown toy nDCG@10 --group topic_id", "--group"),
        ("breakdown toy nDCG@10 --test", "--test"),
        ("compare toy nDCG@10 --generalise topics", "--generalise"),
        ("compare toy nDCG@10 --test randomisation", "randomisation"),
        ("compare toy nDCG@10 --alpha 0.1", "--alpha"),
        ("compare toy nDCG@10 --resamples 99", "--resamples"),
        ("correlate toy nDCG@10 --with Queries --partial Results", "--partial"),
        ("mixed toy nDCG@10", "mixed"),
        ("incomplete toy nDCG@10", "incomplete"),
        ("judgment-loss toy nDCG@10 --loss 0.2:1:3", "--loss"),
        ("judge-noise toy nDCG@10 --repeats 2", "--repeats"),
        ("noise toy nDCG@10", "noise"),
        ("effort toy nDCG@10", "effort"),
        ("chart toy session-curve --output curve.svg", "toy"),
    ],
)
def test_an_earlier_spelling_is_refused(refused, toy, monkeypatch, words, name):
    monkeypatch.chdir(toy.parent)
    refused(2, *words.split(), names=[name])


def tables(study):
    """Rows and columns of every table of a saved study, and digests as numbers; columns of the program's own left out."""
    for path in sorted(study.iterdir()):
        files = sorted(path.glob("**/*.parquet")) if path.is_dir() else [path] if path.suffix == ".parquet" else []
        if files:
            frame = pl.concat(map(pl.read_parquet, files), how="diagonal_relaxed")
            frame = frame.select(sorted(name for name in frame.columns if not name.startswith("__")))
            digest = hashlib.sha256(frame.write_ndjson().encode()).hexdigest()
            yield f"{path.stem} {frame.height} {frame.columns} {int(digest[:7], 16)}"


def numbers(text):
    """The numbers of a text in their order by size, with nine digits."""
    texts = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)", text)
    return [f"{number:.9g}" for number in sorted(map(float, texts))]


def entry(status, text):
    """What is kept of a command: its exit status, how many numbers it printed, some of them, and a digest of all."""
    printed = numbers(text)
    step = max(1, math.ceil(len(printed) / MOST))
    digest = hashlib.sha256(" ".join(printed).encode()).hexdigest()[:12]
    return {"status": status, "n": len(printed), "numbers": " ".join(printed[::step]), "digest": digest}


def difference(before, now):
    """What has changed of one command, in words for whoever reviews it."""
    if before is None or now is None:
        return "a new command" if before is None else "not run any more"
    if before["status"] != now["status"]:
        return f"ends with {now['status']}, not {before['status']}"
    gone = Counter(before["numbers"].split())
    gone.subtract(now["numbers"].split())
    fewer, more = ([number for number, n in gone.items() if n * sign > 0][:8] for sign in (1, -1))
    return f"{before['n']} -> {now['n']} numbers; without {' '.join(fewer) or 'none'}; with {' '.join(more) or 'none'}"


def test_a_changed_number_is_named():
    before, now = entry(0, "nsDCG@10 of 120 sessions: 0.25, 0.5"), entry(0, "nsDCG@10 of 120 sessions: 0.25, 0.75")
    assert difference(before, now) == "4 -> 4 numbers; without 0.5; with 0.75"
    assert difference(before, entry(2, "")) == "ends with 2, not 0"
    assert difference(None, now) == "a new command"
    long = entry(0, " ".join(map(str, range(10 * MOST))))
    assert (long["n"], len(long["numbers"].split())) == (10 * MOST, MOST)
    assert long["digest"] != entry(0, " ".join(map(str, range(1, 10 * MOST + 1))))["digest"]


@pytest.mark.proof
@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_the_numbers_are_as_they_were(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("study.toml").write_text(TOML)
    for name in ("session", "results", "qrels"):
        shutil.copy(DATA / "ir_metrics" / name, name)
    assert call("demo", "--out", "demo").status == call("ingest", "study.toml", "--out", "jiang.study").status == 0
    shutil.copytree("demo/study", "clinic.study")
    # some measures need columns that a study lacks
    of = {
        study: {text: level for text, level in measures() if call("score", study, text, "--per", level).status == 0}
        for study in STUDIES
    }
    recorded = {}
    for words in [*commands(of), *WRONG]:
        if words.startswith("TABLES"):
            status, out = 0, "\n".join(tables(tmp_path / words.split()[1]))
        else:
            done = call(*words.replace("DATA", str(DATA)).split())
            status, out = done.status, MADE.sub("", done.out)
            if words.startswith("chart") and status == 0:
                out += str(json.loads(Path(words.split()[-1]).read_text())["datasets"])
        recorded[textwrap.shorten(words, 150)] = entry(status, out)
    if os.environ.get("GOLDEN") == "write":
        PLACE.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    before = json.loads(PLACE.read_text(encoding="utf-8"))
    assert {
        words: difference(before.get(words), recorded.get(words))
        for words in before.keys() | recorded.keys()
        if before.get(words) != recorded.get(words)
    } == {}
