"""A list of commands: each is taken as it is spelled.

They score by every measure, analyze and draw, on the demo study and on real logs. A new command is added to `MORE`.
"""

import re
from functools import cache

import pytest
from typer.main import get_command

import sessionkit as sk
from sessionkit.cli.app import COMMANDS, app_for, name_of

STUDIES = {"clinic.study": "", "jiang.study": " --by performance"}
"""What is scored, and the groups of its sessions where not systems."""
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
help
help compare
demo --out demo""".splitlines()


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
        yield from (f"breakdown {study} {measure} --test --parts last,last-first" for measure in ("nDCG@10", "AP"))
        yield from (words.format(study, by=by) for words in ANALYSES)
        yield from (f"chart {kind} {study} --output {study}-{kind}.json" for kind in KINDS.split())
        yield f"report {study} --output {study}.html"
        yield f"pseudonymize {study} --out {study}.shared --seed 5"
    yield from MORE


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
