"""The rows of the table: which work is compared with which baseline, on which log, and what it is held to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import commands, ingest, loops, peers, sampled, scoring
from tests.benchmarks.cache import Cache
from tests.benchmarks.targets import Added, AtMost, Faster, Growth, Size, Target, Told
from tests.benchmarks.work import Work


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Parameters
    ----------
    label
        What is timed; ``{sessions}``, ``{queries}`` and ``{results}`` stand for the numbers of the log.
    work, baseline
        What is compared with what; for growth the same work, on a log of ten times and one time the size.
    log
        The method of the cache that has the log.
    size
        The name of the option that says how large it is.
    runs
        Times at least that both are done.
    once
        Whether the baseline is done only once, however often the work is.
    """

    label: str
    work: Work
    baseline: Work
    target: Target
    log: Callable[[Cache, int], Path] = Cache.synthetic
    size: str = "sessions"
    runs: int = 1
    once: bool = False

    @property
    def grows(self) -> bool:
        """Whether it compares two sizes of one work."""
        return isinstance(self.target, Growth)


LOG = "{sessions} sessions ({results} results)"
AOL = "ingest of the AOL log, checked and cut into sessions, {queries} queries ({results} clicks)"
SCAN = "a bare scan"
UNCHECKED = AtMost(3.5, "unchecked scan-to-Parquet")


def _scored(label: str, work: Work, target: Target | None = None, baseline: Work = scoring.scan) -> Row:
    """Work on the synthetic log, compared with the bare scan unless another baseline is named."""
    return Row(label, work, baseline, target or Told(SCAN))


def _grown(label: str, work: Work, target: Growth) -> Row:
    """The same work on a synthetic log of ten times the size."""
    return Row(label, work, work, target)


def _ingested(label: str, work: Work, baseline: Work, target: Target) -> Row:
    """Work on a log as text."""
    return Row(label, work, baseline, target, Cache.texts, "ingest_sessions")


ROWS: dict[str, Row] = {
    "score": _scored(f"sDCG@10 per session, {LOG}", scoring.one_measure, AtMost(3, SCAN, peak=1024)),
    "score-growth": _grown(
        f"the same to a file, {LOG} beside a tenth", scoring.one_measure_to_file, Growth(seconds=11, peak=1.3)
    ),
    "ten": _scored(
        "ten plain-sum session measures + nsDCG + curves in one call",
        scoring.ten_and_curves,
        AtMost(3, "one measure"),
        scoring.one_measure,
    ),
    "ten-by-system": _scored(
        "the same by system", scoring.ten_and_curves_by_system, AtMost(3, "one measure"), scoring.by_system
    ),
    "windows": _scored(
        "measures with windows (duplicates=first, unjudged=skip, AP, ERR) beside a plain one",
        scoring.windows,
        AtMost(8, "one measure"),
        scoring.one_measure,
    ),
    "expected": _scored(
        "esnDCG@10 per session, exact over all paths", scoring.expected, AtMost(60, "one measure"), scoring.one_measure
    ),
    "expected-sampled": _scored(
        "the same, judgments at hand, beside sampling a thousandth of the sessions",
        sampled.exact,
        AtMost(1, "1,000 sampled paths of every thousandth session in plain Python"),
        sampled.paths,
    ),
    "compare": _scored(
        "systems compared by sDCG@10, paired by topic",
        scoring.comparison,
        AtMost(3, "one scoring"),
        scoring.one_measure,
    ),
    "pytrec-eval": Row(
        "nDCG@10 per query, {queries} queries",
        scoring.per_query,
        peers.pytrec_eval,
        Faster(100, "pytrec-eval", part="evaluate"),
        size="query_sessions",
        once=True,
    ),
    "ranx": Row(
        "the same",
        scoring.per_query,
        peers.ranx,
        Faster(300, "ranx", part="evaluate"),
        size="query_sessions",
        once=True,
    ),
    "loop": Row(
        "sDCG on an ir_metrics-like log, {results} results, {judgments} judgments",
        loops.study,
        loops.loop,
        Faster(100, "a plain Python loop over dictionaries", part="score", held_to_part=True),
        Cache.rated,
        "rated_sessions",
    ),
    "loop-scan": Row(
        "the same beside a bare scan of its results and judgments",
        loops.study,
        loops.scan,
        Told(SCAN),
        Cache.rated,
        "rated_sessions",
    ),
    "settings": _scored(
        f"sweep of {scoring.SETTINGS} settings of b and bq by system",
        scoring.settings_by_system,
        AtMost(3, "one scoring"),
        scoring.by_system,
    ),
    "settings-tested": _scored(
        "the same, each setting tested over topics",
        scoring.settings_tested,
        Told("one scoring"),
        scoring.by_system,
    ),
    "ingest-delimited": _ingested(
        f"ingest of delimited tables, checked, {LOG}", ingest.ingest_delimited, ingest.delimited_unchecked, UNCHECKED
    ),
    "ingest-ndjson": _ingested(
        "ingest of NDJSON tables, checked", ingest.ingest_ndjson, ingest.ndjson_unchecked, UNCHECKED
    ),
    "ingest-delimited-growth": _ingested(
        f"ingest of delimited tables within 500 MB, {LOG} beside a tenth",
        ingest.delimited_within,
        ingest.delimited_within,
        Growth(peak=1.5),
    ),
    "ingest-ndjson-growth": _ingested(
        f"ingest of NDJSON tables within 500 MB, {LOG} beside a tenth",
        ingest.ndjson_within,
        ingest.ndjson_within,
        Growth(peak=1.5),
    ),
    "ingest-aol": Row(
        AOL, ingest.ingest_aol, ingest.aol_unchecked, AtMost(8, UNCHECKED.of), Cache.aol, "ingest_sessions"
    ),
    "ingest-aol-growth": Row(
        f"{AOL} beside a tenth", ingest.ingest_aol, ingest.ingest_aol, Growth(peak=1.3), Cache.aol, "ingest_sessions"
    ),
    "ingest-xml": Row(
        "ingest of TREC Session Track XML, checked, {sessions} sessions ({results} results)",
        ingest.ingest_xml,
        ingest.xml_walked,
        AtMost(2.5, "a bare defusedxml walk", peak=400),
        Cache.track,
        "track_sessions",
    ),
    "command": Row(
        "`sessionkit score` of one measure on the clinic study, start to finish",
        commands.score,
        commands.import_polars,
        AtMost(3, '`python -c "import polars"`'),
        Cache.clinic,
        runs=7,
    ),
    "report": Row(
        "`sessionkit report` of the clinic study, start to finish, a page under 2 MB",
        commands.report,
        commands.import_altair,
        AtMost(7, '`python -c "import altair"`'),
        Cache.clinic,
        runs=7,
    ),
    "figure-of-each": Row(
        "`sessionkit chart session-card --each session` of the clinic study, 120 figures",
        commands.figure_of_each,
        commands.figure,
        AtMost(20, "the figure of one session"),
        Cache.clinic,
    ),
    "wall": Row(
        "`sessionkit chart session-wall` of the clinic study, 120 sessions",
        commands.wall,
        commands.figure,
        AtMost(4, "the figure of one session"),
        Cache.clinic,
    ),
    "wall-growth": Row(
        "`sessionkit chart session-wall`, {sessions} sessions beside a tenth",
        commands.wall,
        commands.wall,
        Growth(seconds=10, peak=2),
        size="wall_sessions",
    ),
    "report-large": _scored(
        f"a report, a page under 5 MB, {LOG}; the target is meant for 1,000,000 sessions",
        scoring.report,
        AtMost(3, "one scoring of its measures"),
        scoring.measures_of_report,
    ),
    "version": Row(
        "`sessionkit --version`",
        commands.version,
        commands.nothing,
        Added(150, "`python -c pass`"),
        Cache.clinic,
        runs=7,
    ),
    "nsdcg": _scored("nsDCG@10 per session", scoring.normalized),
    "system": _scored("mean sDCG@10 by system", scoring.by_system),
    "spread": _scored(
        "the same with SD, median, quartiles and range", scoring.spread_by_system, Told("the means"), scoring.by_system
    ),
    "session-table": _scored(
        f"the table of sessions, {LOG}", scoring.session_table, Told("one measure"), scoring.one_measure
    ),
    "curves": _scored("mean curves of sDCG@10 by system (normalize=none)", scoring.curves),
    "curves-each": _scored("mean curves of nsDCG@10 by system (normalize=each)", scoring.normalized_curves),
    "breakdown": _scored("DCG@10 of last and earlier queries by rank", scoring.last_and_earlier),
    "system-growth": _grown(f"mean sDCG@10 by system, {LOG} beside a tenth", scoring.by_system, Growth()),
    "curves-growth": _grown("mean curves of nsDCG@10, the same log", scoring.normalized_curves, Growth()),
    "breakdown-growth": _grown("DCG@10 of last and earlier queries, the same log", scoring.last_and_earlier, Growth()),
    "size": Row(
        f"size of the saved study, {LOG}", ingest.size_of_study, ingest.size_of_tables, Size("the public columns alone")
    ),
}
"""By the name that `--works` takes, in the order of the table."""
