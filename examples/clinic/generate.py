"""Make the clinic study: a synthetic log in the shape of the user study of ECIR 2008, with a known true effect.

    python examples/clinic/generate.py --out DIR [--seed 2008]

writes users.csv, sessions.csv, queries.csv, results.tsv.gz, qrels.txt, study.toml and truth.json into DIR. The same
seed gives the same bytes. Needs numpy and nothing of sessionkit. plan.py holds the design, model.py the quality of
queries and what they return, wording.py the query texts, dice.py the draws.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import model
from dice import Dice
from plan import GIVE_UPS, Searcher, Task, searchers, tasks
from wording import first_query, next_query

SEED = 2008
FIRST_DAY = datetime(2007, 3, 5, tzinfo=UTC)  # a Monday; invented
NO_RESULTS = "no results"  # stands in place of the rank of an empty list

Row = tuple[object, ...]


@dataclass
class Log:
    """The rows of the raw files, as they grow."""

    users: list[Row] = field(default_factory=list)
    sessions: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    results: list[Row] = field(default_factory=list)
    qrels: list[Row] = field(default_factory=list)


HEADERS = {
    "users": ("searcher", "years_internet", "years_portal", "skill", "years_medicine"),
    "sessions": ("session", "searcher", "scenario", "system", "task", "began", "ended", "satisfaction"),
    "queries": ("session", "query_no", "text", "issued", "reformulation"),
    "results": ("session", "query_no", "rank", "document", "clicked", "click_time", "dwell", "searcher_grade"),
}


def simulate(seed: int) -> Log:
    """Run the whole study once."""
    dice = Dice(seed)
    log = Log()
    people = searchers(dice)
    log.users = [(p.name, p.years_internet, p.years_portal, p.skill, p.years_medicine) for p in people]
    collection = model.scenarios(dice)
    for name, documents in collection.items():
        log.qrels += [(name, 0, doc, grade) for doc, grade in sorted(documents.grades.items())]
    levels = {person.name: model.searcher_level(dice, person) for person in people}
    clock = FIRST_DAY
    for number, task in enumerate(tasks(dice, people), start=1):
        clock = _arrival(dice, task.searcher) if task.order == 1 else clock + timedelta(seconds=dice.integer(90, 300))
        scenario, level = collection[task.scenario], levels[task.searcher.name]
        clock = _session(dice, log, f"c{number:03}", task, scenario=scenario, level=level, began=clock)
    return log


def _arrival(dice: Dice, searcher: Searcher) -> datetime:
    """Draw when a searcher begins: two searchers each working day, one in the morning, one after noon."""
    index = int(searcher.name[1:]) - 1
    day = index // 2
    date = FIRST_DAY + timedelta(days=day + 2 * (day // 5))
    return date + timedelta(hours=8 + 5 * (index % 2), seconds=dice.integer(0, 3600))


def _session(
    dice: Dice, log: Log, session: str, task: Task, *, scenario: model.Scenario, level: float, began: datetime
) -> datetime:
    """Search one scenario: add the rows of the session and return when it ended."""
    now = began + timedelta(seconds=dice.integer(8, 40))
    query, best = first_query(dice, task.scenario), -9.0
    for position in range(1, task.queries + 1):
        if position > 1:
            query = next_query(dice, task.scenario, query)
        done = task.satisfied and position == task.queries
        value = model.quality(dice, task, level, position)
        best = max(best, value)
        shown = model.ranking(dice, scenario, value, model.list_length(dice, value, query.narrow))
        clicks, seconds = model.clicks(dice, scenario, shown, done)
        log.queries.append((session, position, query.text, _stamp(now), query.move))
        log.results += _list_rows(session, position, shown, clicks, now)
        now += timedelta(seconds=seconds + dice.integer(4, 20))
    rating = min(5, max(1, round(2.8 + best + dice.normal(0.0, 0.8))))
    log.sessions.append(
        (session, task.searcher.name, task.scenario, task.system, task.order, _stamp(began), _stamp(now), rating)
    )
    return now


def _list_rows(
    session: str, position: int, shown: list[str], clicks: list[model.Click], issued: datetime
) -> Iterable[Row]:
    """Write one result list, or the one row that says that there is none."""
    if not shown:
        yield (session, position, NO_RESULTS, "", "", "", "", "")
    clicked = {click.rank: click for click in clicks}
    for rank, doc in enumerate(shown, start=1):
        if click := clicked.get(rank):
            at = _stamp(issued + timedelta(seconds=click.after))
            yield (session, position, rank, doc, "true", at, click.dwell, click.user_grade)
        else:
            yield (session, position, rank, doc, "false", "", "", "")


def _stamp(moment: datetime) -> str:
    """Write a time in UTC to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def truth(seed: int) -> dict[str, object]:
    """Say what is true of the study by construction."""
    return {
        "seed": seed,
        "synthetic": True,
        "system_effect": model.SYSTEM_EFFECT,
        "system_effect_on": "quality of every query searched with S2, in latent units; nothing else differs by system",
        "noise_sd": model.NOISE_SD,
        "searcher_sd": model.SEARCHER_SD,
        "skill_slope": model.SKILL_SLOPE,
        "scenario_base": model.SCENARIO_BASE,
        "reformulation_gain": model.REFORMULATION_GAIN,
        "satisfied_gain": model.SATISFIED_GAIN,
        "sessions_given_up_per_system": GIVE_UPS,
        "expected": "S2 better than S1 in the last query and per session; last queries far better than non-last ones",
    }


def _delimited(header: Sequence[str], rows: Iterable[Row], separator: str) -> bytes:
    """Write a table as text with one header line."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def _gzipped(content: bytes) -> bytes:
    """Compress without name and time, so that the same content gives the same file."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as stream:
        stream.write(content)
    return packed.getvalue()


def files(seed: int) -> dict[str, bytes]:
    """Return the files of the study by name."""
    log = simulate(seed)
    return {
        "users.csv": _delimited(HEADERS["users"], log.users, ","),
        "sessions.csv": _delimited(HEADERS["sessions"], log.sessions, ","),
        "queries.csv": _delimited(HEADERS["queries"], log.queries, ","),
        "results.tsv.gz": _gzipped(_delimited(HEADERS["results"], log.results, "\t")),
        "qrels.txt": "".join(" ".join(map(str, row)) + "\n" for row in log.qrels).encode(),
        "study.toml": (Path(__file__).parent / "study.toml").read_bytes(),
        "truth.json": (json.dumps(truth(seed), indent=2) + "\n").encode(),
    }


def main() -> None:
    """Write the study into the directory asked for."""
    parser = argparse.ArgumentParser(description="Make the synthetic clinic study.")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="directory to write into")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of all chance (default {SEED})")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, content in files(options.seed).items():
        (options.out / name).write_bytes(content)


if __name__ == "__main__":
    main()
