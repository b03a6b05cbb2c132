"""One small study written in every format that can express it: the same tables, as far as the format can tell.

A format is one writer in ``WRITERS``: from the study below to a file or folder, with what the format cannot tell.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sessionkit.readers import FORMATS

START = datetime(2024, 3, 2, 10, tzinfo=UTC)


@dataclass(frozen=True)
class Query:
    """A query: when it was asked after its session began, its list, and clicks as (rank, seconds since the session began)."""

    text: str
    seconds: int
    documents: tuple[str, ...] = ()
    clicks: tuple[tuple[int, int], ...] = ()


STUDY = {
    ("1", "7"): (
        Query("cat", 0, ("11", "12", "13"), ((2, 5), (3, 20))),
        Query("cat food", 60, ("12", "14"), ((1, 65),)),
    ),
    ("2", "8"): (Query('a "tin" of, food', 0, ("14",)), Query("dog", 90, ("15", "16", "17"), ((1, 95), (1, 100)))),
    ("3", "9"): (Query("fish", 0),),
}
"""Queries by session and user: lists of any length, one of them empty, a result clicked twice."""


@dataclass(frozen=True)
class Written:
    """A study in one format.

    Parameters
    ----------
    write
        Writes it into an empty folder; returns what to read.
    cannot
        What the format cannot tell, among texts, users, lists (only clicked results), clicks, times, and click times; ``ids``: its
        sessions have names of its own.
    config
        What study.toml would say.
    """

    write: Callable[[Path], Path]
    cannot: frozenset[str] = frozenset()
    config: dict = field(default_factory=dict)


def asked():
    """Return (number, session, user, position, query, when it was asked) of every query."""
    for number, ((session, user), queries) in enumerate(STUDY.items()):
        start = START + timedelta(hours=number)
        for position, query in enumerate(queries, 1):
            yield session, user, position, query, start + timedelta(seconds=query.seconds)


def began(session):
    """Return when a session began."""
    return START + timedelta(hours=[name for name, _ in STUDY].index(session))


def naive(time):
    """Return a time without its zone."""
    return f"{time:%Y-%m-%d %H:%M:%S}"


def tables(folder):
    """Tables of our own."""
    queries, results = ["session_id\tuser_id\tquery_position\tquery_text\tissued_at\tresults_status"], []
    for session, user, position, query, time in asked():
        status = "shown" if query.documents else "empty"
        queries.append("\t".join([session, user, str(position), query.text, time.isoformat(), status]))
        for rank, document in enumerate(query.documents, 1):
            times = [began(session) + timedelta(seconds=at) for place, at in query.clicks if place == rank]
            at = times[0].isoformat() if times else ""
            results.append(f"{session}\t{position}\t{rank}\t{document}\t{bool(times)}\t{len(times)}\t{at}")
    header = "session_id\tquery_position\trank\tdoc_id\tclicked\tclicks\tclicked_at"
    (folder / "queries.tsv").write_text("\n".join(queries) + "\n")
    (folder / "results.tsv").write_text("\n".join([header, *results]) + "\n")
    described = [f'[{name}]\npath = "{name}.tsv"\nquote = false\n' for name in ("queries", "results")]
    (folder / "study.toml").write_text("".join(described))
    return folder / "study.toml"


def core(folder):
    """CSV without header, lists and clicks as text."""
    lines = []
    for session, user, position, query, time in asked():
        times = [(query.documents[rank - 1], began(session) + timedelta(seconds=at)) for rank, at in query.clicks]
        clicks = ", ".join(
            f"('{document}', datetime.datetime({at.year}, {at.month}, {at.day}, {at.hour}, {at.minute}, {at.second}), 'works')"
            for document, at in times
        )
        text = query.text.replace('"', '""')
        listed = ", ".join(query.documents)
        lines.append(f'{position},{user},{session},"{text}",{naive(time)},"[{listed}]",{"0" * 32},"[{clicks}]"')
    (folder / "core.csv").write_text("\n".join(lines) + "\n")
    return folder / "core.csv"


def yandex_personalized(folder):
    """Sessions, queries and clicks by list and document."""
    lines = []
    for session, user, position, query, _ in asked():
        lines += [f"{session}\tM\t1\t{user}"] * (position == 1)
        listed = [f"{document},1" for document in query.documents]
        lines.append("\t".join([session, str(query.seconds), "Q", str(position), str(position), "1,2", *listed]))
        lines += [f"{session}\t{at}\tC\t{position}\t{query.documents[rank - 1]}" for rank, at in query.clicks]
    (folder / "log.tsv").write_text("\n".join(lines) + "\n")
    return folder / "log.tsv"


def aol(folder):
    """A line per click, or one without."""
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for _, user, _, query, time in asked():
        ask = f"{user}\t{query.text}\t{naive(time)}"
        lines += [f"{ask}\t{rank}\t{query.documents[rank - 1]}" for rank, _ in query.clicks] or [f"{ask}\t\t"]
    (folder / "log.txt").write_text("\n".join(lines) + "\n")
    return folder / "log.txt"


def webis_smc(folder):
    """The same with missions."""
    lines = []
    for session, user, _, query, time in asked():
        ask = f"{user}\t{query.text}\t{naive(time)}"
        clicks = [f"{rank}\t{query.documents[rank - 1]}" for rank, _ in query.clicks] or ["\t"]
        lines += [f"{ask}\t{click}\t{session}\t" for click in clicks]
    (folder / "log.txt").write_text("\n".join(lines) + "\n")
    return folder / "log.txt"


def coveo(folder):
    """A row per query."""
    lines = ["session_id_hash,query_vector,clicked_skus_hash,product_skus_hash,server_timestamp_epoch_ms"]
    for session, _, _, query, time in asked():
        clicked = [query.documents[rank - 1] for rank, _ in query.clicks]
        lines.append(f'{session},,"{clicked}","{list(query.documents)}",{int(time.timestamp() * 1000)}')
    (folder / "search_train.csv").write_text("\n".join(lines) + "\n")
    return folder / "search_train.csv"


def trec_session(folder):
    """XML as of 2013, with seconds for times."""
    sessions = []
    for session, _, position, query, _ in asked():
        listed = "".join(
            f'<result rank="{rank}"><url>u</url><clueweb12id>{document}</clueweb12id></result>'
            for rank, document in enumerate(query.documents, 1)
        )
        clicks = "".join(f'<click num="1" starttime="{at}"><rank>{rank}</rank></click>' for rank, at in query.clicks)
        clicked = f"<clicked>{clicks}</clicked>" if clicks else ""
        begins = (
            f'<session num="{session}" starttime="0"><topic num="1"><desc>d</desc></topic>' if position == 1 else ""
        )
        ends = (
            "</session>"
            if position == len(next(queries for (name, _), queries in STUDY.items() if name == session))
            else ""
        )
        sessions.append(
            f'{begins}<interaction num="{position}" starttime="{query.seconds}"><query>{query.text}</query>'
            f"<results>{listed}</results>{clicked}</interaction>{ends}"
        )
    (folder / "log.xml").write_text(f"<sessiontrack2013>{''.join(sessions)}</sessiontrack2013>\n")
    return folder / "log.xml"


def ubi(folder):
    """Records of queries with their hits, and of events."""
    lines = []
    for session, user, position, query, time in asked():
        asks = {"application": "shop", "query_id": f"q{session}-{position}", "client_id": f"c{user}"}
        hits = {"user_query": query.text, "query_response_hit_ids": query.documents, "timestamp": time.isoformat()}
        lines.append({**asks, **hits, "query_attributes": {}})
        who = {**asks, "session_id": session, "user_id": user}
        lines.append({**who, "action_name": "scroll", "timestamp": time.isoformat(), "event_attributes": {}})
        for rank, seconds in query.clicks:
            at = (began(session) + timedelta(seconds=seconds)).isoformat()
            what = {"object": {"object_id": query.documents[rank - 1]}, "position": {"ordinal": rank}}
            lines.append({**who, "action_name": "click", "timestamp": at, "event_attributes": what})
    (folder / "log.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "log.ndjson"


TICKS = {"seconds_per_tick": 1}
CLICK_ONLY = frozenset({"ids", "lists", "click times"})
WRITERS = {
    "tables": Written(tables),
    "core": Written(core),
    "yandex_personalized": Written(yandex_personalized, frozenset({"texts", "dates"}), TICKS),
    "aol": Written(aol, CLICK_ONLY),
    "webis_smc": Written(webis_smc, CLICK_ONLY),
    "trec_session": Written(trec_session, frozenset({"ids", "users", "dates"})),
    "ubi": Written(ubi),
    "coveo": Written(coveo, frozenset({"users", "texts", "click times"})),
}
"""By the name of the format. Formats that cannot express the study: sogou, which tells of queries by their clicks alone; simiir,
which tells of what was examined."""


def due(cannot):
    """Return the queries and the results that are to be read."""
    queries, results = [], []
    for session, user, position, query, time in asked():
        queries.append(
            {
                "user": None if "users" in cannot else user,
                "session": None if "ids" in cannot else session,
                "position": position,
                "text": None if "texts" in cannot else query.text,
                "asked": query.seconds if "dates" in cannot else time,
                "status": "partly_observed" if "lists" in cannot else "shown" if query.documents else "empty",
            }
        )
        for rank, document in enumerate(query.documents, 1):
            times = [at for place, at in query.clicks if place == rank]
            at = times[0] if times and "click times" not in cannot else None
            if times or "lists" not in cannot:
                results.append(
                    {
                        "place": (session, position, rank, document),
                        "clicks": (bool(times), len(times)),
                        "at": at if at is None or "dates" in cannot else began(session) + timedelta(seconds=at),
                    }
                )
    return queries, results


def found(study, cannot):
    """Return the queries and the results that were read."""
    sessions = study.sessions.sort("session_id").collect()
    names = dict(zip(sessions["session_id"], (session for session, _ in STUDY), strict=True))
    users = dict(sessions.select("session_id", "user_id").rows())
    asked_at, clicked_at = (
        ("elapsed_seconds", "click_elapsed_seconds") if "dates" in cannot else ("issued_at", "clicked_at")
    )
    queries = [
        {
            "user": users[row["session_id"]],
            "session": None if "ids" in cannot else row["session_id"],
            "position": row["query_position"],
            "text": row.get("query_text"),
            "asked": row[asked_at],
            "status": row["results_status"],
        }
        for row in study.queries.collect().rows(named=True)
    ]
    results = [
        {
            "place": (names[row["session_id"]], row["query_position"], row["rank"], row["doc_id"]),
            "clicks": (row["clicked"], row["clicks"]),
            "at": row.get(clicked_at),
        }
        for row in study.results.collect().rows(named=True)
    ]
    return queries, results


@pytest.mark.few(4)
@pytest.mark.parametrize("name", WRITERS)
def test_the_same_tables(tmp_path, quiet_read, name):
    written = WRITERS[name]
    source = written.write(tmp_path)
    config = {"format": name, **written.config} if written.config else None
    study = quiet_read(source, config=config)
    assert study.reader == name  # recognized by its content, where nothing had to be said
    assert found(study, written.cannot) == due(written.cannot)
    assert study.rejected.collect().is_empty()


def test_every_writer_is_of_a_format():
    assert set(WRITERS) <= set(FORMATS)
