"""A made-up study, answered for: every kind of chart; scores, curves and comparisons, however the study is stored."""

from __future__ import annotations

import contextlib
import io
import json
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

import sessionkit as sk
from tests.support.net.outcomes import outcome
from tests.support.score_way import score_way

SETTINGS = {"max_grade": 3, "collection_size": 1000}
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
QUERY_MEASURES = (
    *("CG@10", "DCG@10", "nCG@10", "nDCG@10", "nDCG(b=10)@5", "nDCG(gain=exp2)@10", "P@5", "P(min_grade=2)@10", "R@10"),
    *("F@10", "E@10", "MaxF@10", "AP", "AP@5", "GAP", "SeenAP", "Rprec", "RR", "Success@3", "AvgP", "IPrec11", "gP@10"),
    *(
        "gR@10",
        "ERR@10",
        "RBP(p=0.8)@10",
        "RBPResidual(p=0.8)@10",
        "bpref",
        "infAP",
        "Coverage@10",
        "ASL",
        "ESL",
        "Rnorm",
    ),
    *("RankRecall", "LogPrecision", "SlidingRatio@10", "Satisfaction@10", "RHL@10", "U(horizon=5000)@10", "TBG@10"),
    *("DCG_jiang2016@10", "nDCG_jiang2016@10", "RBP_jiang2016(p=0.8)@10", "RelevanceCosine@10"),
)
SESSION_MEASURES = (
    *("sDCG@10", "sDCG(b=3,bq=2)@10", "nsDCG@10", "nsDCG(ideal=spread,duplicates=first)@5", "sRBP(b=0.64,p=0.86)@10"),
    *("RSDCG(lambda=0.5)@10", "RSRBP(b=0.64,p=0.86,lambda=0.5)@10", "esDCG(pdown=0.7,pref=0.9)@10"),
    *("esnDCG(pdown=0.7,pref=0.9)@10", "esP(pdown=0.7,pref=0.9)@10", "esAP(pdown=0.7,pref=0.9)@10", "mean(nDCG@5)"),
    *("max(AP)", "min(RR)", "sum(DCG@10)", "first(P@5)", "last(nDCG@10)", "nonlast(nDCG@10)", "avgpos(sDCG@10)"),
    *("Queries", "Results@10", "Clicks", "DeepestClick", "Abandoned", "UniqueDocs@10", "Repeats@10", "Judged@10"),
    *(
        "RelevantSeen@10",
        "Duration",
        "TimeToFirstClick",
        "Dwell",
        "QueryTerms",
        "QueryOverlap",
        "CubeTest@10",
        "ACT@10",
    ),
    *("InstanceRecall@10", "EU@10", "sU(horizon=600)@10", "sTBG@10"),
)
LEVELS = (
    ("query", QUERY_MEASURES),
    ("session", (*SESSION_MEASURES, *(f"mean({text})" for text in QUERY_MEASURES))),
    ("system_id", SESSION_MEASURES),
    ("topic_id,user_id", ("sDCG@10", "nsDCG@10", "mean(AP)")),
    ("all", SESSION_MEASURES),
)
CURVES = ("sDCG@10", "nsDCG@10", "sDCG(like=jiang2016)@10", "sRBP(b=0.64,p=0.86)@10", "nsDCG(ideal=spread)@5")
COMPARISONS = ({}, {"population": "topics"}, {"test": "randomization", "draws": 499, "seed": 3})
CHARTS = {
    "last-vs-nonlast": "", "session-curve": "", "topic-curves": "", "single-sessions": "",
    "sweep-map": "--vary b=1.5:10:3 --vary bq=1.5:10:3", "discount-fit": "", "judgment-loss": "",
    "power-curve": "--difference 20%", "judge-noise": "nsDCG@10",
    "discriminative-power": "sDCG@10 Clicks", "differences": "nsDCG@10 sDCG@10",
    "gain-vectors": "", "precision-recall": "", "rprecision-histogram": "", "score-distribution": "", "waterfall": "",
    "session-timeline": "", "correlation-forest": "--with performance", "reformulation-flow": "",
}  # fmt: skip
"""Every kind of chart, and options with which it does not take long."""


def tables(users: int = 8, topics: int = 4, seed: int = 7) -> dict[str, pl.DataFrame]:
    """Return tables of a study in which users searched topics with two systems: with repeats, gaps, empty and unknown lists."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    sessions, queries, results = [], [], []
    for number in range(users * topics):
        user, topic = number // topics, number % topics
        name, began = f"s{number:03}", START + timedelta(hours=number)
        many = draw.randint(1, 5)
        system = "AB"[(user + topic) % 2]
        sessions.append(
            (name, f"u{user}", system, f"t{topic}", began, began + timedelta(minutes=9), draw.randint(1, 5))
        )
        for position in range(1, many + 1):
            status = draw.choice(["shown"] * 6 + ["empty", "not_logged"])
            asked = began + timedelta(seconds=100 * position)
            text = " ".join(draw.choices(["lamp", "desk", "Desk", "cheap", "ü"], k=draw.randint(1, 3)))
            queries.append((name, position, text, asked, status))
            for rank in range(1, draw.randint(2, 13)) if status == "shown" else ():
                clicked = draw.random() < 0.3
                at = asked + timedelta(seconds=5 * rank) if clicked else None
                dwell = draw.choice([None, 2.5, 30.0]) if clicked else None
                results.append(
                    (
                        *(name, position, rank, f"d{draw.randrange(24)}", clicked, at, dwell),
                        *(draw.choice([None, 80, 900]), draw.random() < 0.4, draw.random() < 0.2, draw.random()),
                    )
                )
    judged = [
        (f"t{topic}", f"d{document}", float(draw.choice([0, 0, 1, 2, 3])), draw.choice("xyz"))
        for topic in range(topics) for document in range(24) if draw.random() < 0.8
    ]  # fmt: skip
    frames = {
        "sessions": (sessions, "session_id user_id system_id topic_id started_at ended_at performance"),
        "queries": (queries, "session_id query_position query_text issued_at results_status"),
        "results": (
            results,
            "session_id query_position rank doc_id clicked clicked_at dwell_seconds words saved known score",
        ),
        "judgments": (judged, "judgment_key doc_id grade subtopic_id"),
    }
    return {
        name: pl.DataFrame(rows, names.split(), orient="row", infer_schema_length=None)
        for name, (rows, names) in frames.items()
    }


def _study() -> sk.Study:
    """Return the study of these tables; of its warnings the study's notes are recorded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sk.from_tables(**tables(), **SETTINGS)


def charts(work: Path, kinds: Sequence[str] = (*CHARTS,), more: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Give the specification of every kind of chart, by the command that draws it; `more` are further options."""
    _study().save(work / "study")
    for kind in kinds:
        file = work / f"{kind}.json"
        words = ["chart", kind, str(work / "study"), "--output", str(file), *CHARTS[kind].split(), *more]
        yield kind, outcome(lambda: _drawn(words, file), work)  # noqa: B023


def _drawn(words: list[str], file: Path) -> list[object]:
    """Return the exit status of a command, what it prints, and the specification that it writes."""
    from sessionkit.cli import main

    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        status = main(words)
    printed = f"exit {status}\n--- out\n{out.getvalue()}--- errors\n{errors.getvalue()}"
    if not file.exists():
        return printed
    return printed + json.dumps(json.loads(file.read_text(encoding="utf-8")), indent=1, ensure_ascii=False)


def scores(
    work: Path, levels: Sequence[tuple[str, Sequence[str]]] = LEVELS, *, curves: bool = True, spark: bool = True
) -> Iterator[tuple[str, str]]:
    """Give scores, curves and comparisons of one study, in memory and stored in many ways."""
    study = _study()
    yield "study", outcome(lambda: study)
    saved = study.save(work / "plain")
    parted = study.save(work / "parted", partition_by="topic_id")
    cached = {"cache": work / "cache"}
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        "memory": (study, {}), "saved": (saved, {}), "parted": (parted, {}), "cached": (parted, cached), "cached again": (parted, cached),
    }  # fmt: skip
    for per, measures in levels:
        yield (
            f"scores {per}",
            _ways(work, ways, lambda on, **named: sk.score(on, [*measures], **score_way(per), **named)),  # noqa: B023
        )
        for measure in measures:
            yield f"score {measure} {per}", outcome(lambda: sk.score(study, measure, **score_way(per)))  # noqa: B023
    for measure in CURVES if curves else ():
        yield f"curve {measure}", _ways(work, ways, lambda on, **named: sk.curve(on, measure, **named))  # noqa: B023
    for number, options in enumerate(COMPARISONS if curves else ()):
        compared = ["nsDCG@10", "sDCG@10", "mean(nDCG@10)"]
        yield f"compare {number}", _ways(work, ways, lambda on, **named: sk.compare(on, compared, **named, **options))  # noqa: B023
    if spark:
        with _spark() as running:
            by_spark = {"spark": (saved, {"spark": running}), "spark, parted": (parted, {"spark": running})}
            for per, measures in levels:
                yield (
                    f"spark {per}",
                    _ways(
                        work,
                        {"memory": (study, {}), **by_spark},
                        lambda on, spark=None: (
                            sk.score(on, [*measures], **score_way(per))  # noqa: B023
                            if spark is None
                            else sk.spark.score(on, [*measures], **score_way(per), spark=spark)  # noqa: B023
                        ),
                    ),
                )


def _ways(work: Path, ways: dict[str, tuple[Any, dict[str, Any]]], call: Callable[..., object]) -> str:
    """Return the outcome of a call for a study stored in many ways: the first, and of the others what is not the same."""
    found = {way: outcome(lambda: call(on, **named), work) for way, (on, named) in ways.items()}  # noqa: B023
    first = next(iter(found))
    others = [
        f"--- {way}: {'the same' if text == found[first] else text}" for way, text in found.items() if way != first
    ]
    return found[first] + "\n".join(others) + "\n"


@contextlib.contextmanager
def _spark() -> Iterator[Any]:
    """Start a Spark on this machine, and stop it."""
    running = sk.spark.session("local[2]", {"spark.sql.shuffle.partitions": "3", "spark.driver.memory": "1g"})
    yield running
    running.stop()
