"""What others take for nDCG@10 of every query, from frames in memory.

Inside the timing: ``build``, from the frames to the dictionaries (pytrec-eval) or the `Qrels` and `Run` (ranx) that the
library takes, the queries of a topic sharing one dictionary of judgments; ``evaluate``, the library's own work. Reading
the frames from disk and, for ranx, compiling its code are not timed. Ours (`scoring.per_query`) is timed from the saved
study on disk to the frame of values.
"""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl

from tests.benchmarks.work import Done, work

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
Frames = tuple[pl.DataFrame, pl.DataFrame]
"""Results with the topic of their query, and judgments."""


def _frames(log: Path, _scratch: Path) -> Frames:
    """Return results with the name and topic of their query, and judgments."""
    sessions = pl.scan_parquet(log / "sessions.parquet").select("session_id", "topic_id")
    results = (
        pl.scan_parquet(log / "results.parquet")
        .join(sessions, on="session_id", how="left", maintain_order="left")
        .select("topic_id", "doc_id", "rank", query=pl.format("{}-{}", "session_id", "query_position"))
    )
    return results.collect(), pl.read_parquet(log / "judgments.parquet")


def _compiled(log: Path, scratch: Path) -> Frames:
    """Return the frames after ranx has compiled its code, which it does anew for every length of the longest name."""
    results, judgments = _frames(log, scratch)
    longest = [frame["doc_id"][int(frame["doc_id"].str.len_chars().arg_max())] for frame in (results, judgments)]
    _evaluated(*_typed({"q": {longest[0]: 1.0}}, {"q": {longest[1]: 1}}))
    return results, judgments


def dictionaries(frames: Frames) -> tuple[Run, Qrels]:
    """Return results and judgments as dictionaries by query."""
    results, judgments = frames
    judged: Qrels = defaultdict(dict)
    for topic, document, grade in judgments.select("judgment_key", "doc_id", pl.col("grade").cast(pl.Int64)).rows():
        judged[topic][document] = grade
    run: Run = defaultdict(dict)
    topics: dict[str, str] = {}
    for query, topic, document, rank in zip(
        *(results[name] for name in ("query", "topic_id", "doc_id", "rank")), strict=True
    ):
        run[query][document] = 1 / rank
        topics[query] = topic
    return dict(run), {query: judged[topic] for query, topic in topics.items()}


@work(_frames)
def pytrec_eval(frames: Frames) -> Done:
    """nDCG@10 of every query by pytrec-eval."""
    began = time.perf_counter()
    run, qrels = dictionaries(frames)
    built = time.perf_counter()
    values = trec_values(run, qrels)
    return Done(len(values), {"build": built - began, "evaluate": time.perf_counter() - built})


@work(_compiled)
def ranx(frames: Frames) -> Done:
    """nDCG@10 of every query by ranx."""
    began = time.perf_counter()
    run, qrels = _typed(*dictionaries(frames))
    built = time.perf_counter()
    values = _evaluated(run, qrels)
    return Done(len(values), {"build": built - began, "evaluate": time.perf_counter() - built})


def trec_values(run: Run, qrels: Qrels) -> dict[str, float]:
    """Return nDCG@10 by query as pytrec-eval computes it."""
    import pytrec_eval as library

    found = library.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
    return {query: values["ndcg_cut_10"] for query, values in found.items()}


def ranx_values(run: Run, qrels: Qrels) -> dict[str, float]:
    """Return nDCG@10 by query as ranx computes it."""
    typed, judged = _typed(run, qrels)
    _evaluated(typed, judged)
    return dict(typed.scores["ndcg@10"])


def _typed(run: Run, qrels: Qrels) -> tuple[Any, Any]:
    """Return results and judgments as ranx takes them."""
    import ranx as library

    return library.Run(run), library.Qrels(qrels)


def _evaluated(run: Any, qrels: Any) -> Any:
    """Return nDCG@10 of every query by ranx."""
    import ranx as library

    return library.evaluate(qrels, run, "ndcg@10", return_mean=False)
