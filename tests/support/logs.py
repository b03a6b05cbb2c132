"""A small log of every format that is read, and what in it may be damaged: values whose rows stay, and those a key is made of."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field

import polars as pl

NO_FLAG = "it has no column of yes and no; clicks are records"
NO_LIST = "lists are not logged, or a row is one result"
CUTS = "the time cuts the records of a user into sessions: the keys are made of it"


@dataclass(frozen=True)
class Damage:
    """One text of a log and what stands in its place.

    `value` is what is counted; `missing` are the columns, by table, in which values may be missing then, and are in
    one row at least; of a list the rows are gone, and its query is `not_logged`.
    """

    old: str
    new: str
    value: str
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    is_list: bool = False
    file: str | None = None


@dataclass(frozen=True)
class Needed:
    """A damage to a value that a key is made of: its record is rejected, and counted."""

    old: str
    new: str
    value: str
    why: str


def csv_of(*rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


ROWS = [
    ["session_id", "query_position", "rank", "doc_id", "clicked", "dwell_seconds", "clicked_at", "issued_at"],
    *[
        [
            f"s{s}",
            str(q),
            str(r),
            f"d{r}",
            "true" if r < 3 else "false",
            "31.5" if r == 2 else "",
            at if r == 2 else "",
            at,
        ]
        for s in range(6)
        for q in (1, 2)
        for r in (1, 2, 3)
        for at in [f"2026-01-0{s + 1}T10:0{q}:0{r}Z"]
    ],
]
TABLE = {
    "cell": Damage("31.5", "31.5 s", "31.5 s", {"results": ("dwell_seconds",)}),
    "date": Damage("2026-01-01T10:01:02Z", "a Thursday", "a Thursday", {"results": ("clicked_at",)}),
    "flag": Damage("true", "oui", "oui", {"results": ("clicked",)}),
    "list": NO_LIST,
}
SESSIONS = {
    "cell": Damage("s2,3,", "s2,three,", "three", {"sessions": ("session_order",)}, file="sessions.csv"),
    "date": Damage("2026-01-02T10:00:00Z", "soon", "soon", {"sessions": ("started_at",)}, file="sessions.csv"),
    "flag": "sessions have none",
    "list": "sessions have none",
}
SESSION_ROWS = csv_of(
    ["session_id", "session_order", "started_at"],
    *[[f"s{n}", str(n + 1), f"2026-01-0{n + 1}T10:00:00Z"] for n in range(6)],
)
XML_RESULT = '<result rank="{0}"><url>http://e.org/{0}</url><clueweb12id>D{0}</clueweb12id><title>T</title></result>'
INSIDE = (
    '<interaction num="1" starttime="1.5"><query>trains</query><results>'
    + "".join(XML_RESULT.format(n) for n in (1, 2))
    + '</results><clicked><click num="1" starttime="3.25" endtime="9.75"><rank>2</rank></click></clicked></interaction>'
    '<interaction num="2" starttime="20"><query>night trains</query><results>'
    + XML_RESULT.format(1)
    + "</results></interaction>"
)
CLICKED = {"results": ("dwell_seconds",)}


def ubi(action, object_id, ordinal, at):
    attributes = {"object": {"object_id": object_id}, "position": {"ordinal": ordinal}, "dwell_time": 7}
    record = {"application": "shop", "action_name": action, "query_id": "q1", "session_id": "s1", "client_id": "c1"}
    return {**record, "timestamp": at, "event_attributes": attributes}


UBI_QUERY = {
    "application": "shop",
    "query_id": "q1",
    "user_query": "lamp",
    "client_id": "c1",
    "query_response_hit_ids": ["A", "B"],
}
SIMIIR = """\
ACTION START 900 0 START
ACTION QUERY 900 10 night trains
ACTION SERP 900 15 EXAMINE_SERP
ACTION SNIPPET 900 18 SNIPPET_RELEVANT D-1
ACTION DOC 900 38 EXAMINING_DOCUMENT D-1
ACTION QUERY 900 77 sleeper
ACTION SERP 900 82 EXAMINE_SERP
ACTION SNIPPET 900 85 SNIPPET_RELEVANT D-2
"""
CORE = "".join(
    f'{place},u{session},{session},"query {place}",2025-01-1{session} 08:0{place}:00,"[11, 12]",x{place},'
    f"\"[('12', datetime.datetime(2025, 1, 1{session}, 8, {place}, 20), 'works')]\"\n"
    for session in (1, 2)
    for place in (1, 2)
)
COVEO = (
    "session_id_hash,query_vector,clicked_skus_hash,product_skus_hash,server_timestamp_epoch_ms\n"
    "s1,,\"['b']\",\"['a', 'b', 'c']\",1550885200000\ns1,,,\"['d']\",1550885210881\ns2,,\"['z']\",\"['z', 'a']\",1550885300000\n"
)
EVENT_COLUMNS = ["session_id", "time", "event", "query_text", "doc_id", "rank", "dwell_seconds", "results"]
EVENTS = csv_of(
    EVENT_COLUMNS,
    ["s1", "2026-01-01T10:00:00Z", "query", "cats", "", "", "", "a b c"],
    ["s1", "2026-01-01T10:00:05Z", "click", "", "b", "2", "12.5", ""],
    ["s1", "2026-01-01T10:01:00Z", "query", "dogs", "", "", "", "d e"],
    ["s1", "2026-01-01T10:01:05Z", "click", "", "d", "1", "3.5", ""],
)
NAMES = 'events = { query = "query", click = "click" }\n'
SRW = {
    "type": "PAIRWISE_COMPARISON",
    "results": [
        {
            "snapshots": [
                {"searchConfigurationId": "old", "docIds": ["A", "B"]},
                {"searchConfigurationId": "new", "docIds": ["B", "C"]},
            ],
            "queryText": "lamp",
        }
    ],
}
QUEPID = {
    "id": 3,
    "name": "monday",
    "docs": {"7": [{"id": "A"}, {"id": "C"}], "8": [{"id": "Z"}]},
    "queries": [{"query_id": 7, "query_text": "lamp"}, {"query_id": 8, "query_text": "desk"}],
}
RUN = "301 Q0 b 1 2.5 bm25\n301 Q0 a 2 1.5 bm25\n302 Q0 c 1 2 bm25\n"
DD = "D1\t0\ta\t2\t1\tD1.1:2\nD1\t0\tb\t1.5\t0\nD1\t1\tc\t1\t0\n"
WEBIS = "7\tcat\t2006-03-04 11:00:00\t1\tcats.example\t1\t\n7\tdog\t2006-03-04 11:05:00\t2\tdogs.example\t1\t\n"
AOL = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n7\tcat\t2006-03-04 11:00:00\t1\thttp://cats.example\n7\tdog\t2006-03-04 11:05:00\t\t\n"
SOGOU = "20111230000005\tu1\tcat\t1\t1\thttp://a.example\n20111230000009\tu1\tdog\t2\t1\thttp://b.example\n"
YANDEX_SESSIONS = "0\tM\t3\t15\n0\t0\tQ\t0\t77\t5,6\t101,9\t102,9\n0\t9\tC\t0\t102\n0\t12\tQ\t1\t78\t5\t102,9\t103,8\n"
TICKS = "no time but ticks since the session began"


def toml(text="", **tables):
    return text + "".join(f'[{name}]\npath = "{path}"\n' for name, path in tables.items())


@dataclass(frozen=True)
class Log:
    """A log that is fine: its files, what study.toml says, and what is to be damaged, or why there is nothing to."""

    files: dict[str, str]
    damages: dict[str, Damage | Needed | str]
    toml: str | None = None


FLAT = {"flag": NO_FLAG, "list": NO_LIST, "cell": "ids, texts and ranks: keys, or texts, which are what they are"}
LOGS = {
    "tables": Log({"results.csv": csv_of(*ROWS)}, TABLE, toml(results="results.csv")),
    "tables as tsv": Log(
        {"results.tsv": "".join("\t".join(row) + "\n" for row in ROWS)}, TABLE, toml(results="results.tsv")
    ),
    "tables as ndjson": Log(
        {"results.ndjson": lines(*(dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]))},
        TABLE,
        toml(results="results.ndjson"),
    ),
    **{
        f"tables as ndjson with {value}": Log(
            {
                "results.ndjson": lines(
                    *({**dict(zip(ROWS[0], row, strict=True)), "dwell_seconds": 3} for row in ROWS[1:])
                )
            },
            {
                "cell": Damage(
                    '"dwell_seconds": 3', f'"dwell_seconds": {value}', value, {"results": ("dwell_seconds",)}
                ),
                **dict.fromkeys(("date", "flag", "list"), "as in tables as ndjson"),
            },
            toml(results="results.ndjson"),
        )
        for value in ("NaN", "-Infinity", "1e999", "9" * 400)
    },
    "tables as a json array": Log(
        {
            "results.json": json.dumps(
                [{**dict(zip(ROWS[0], row, strict=True)), "dwell_seconds": 3} for row in ROWS[1:]]
            )
        },
        {
            "cell": Damage('"dwell_seconds": 3', '"dwell_seconds": NaN', "NaN", {"results": ("dwell_seconds",)}),
            **dict.fromkeys(("date", "flag", "list"), "as in tables as ndjson"),
        },
        toml(results="results.json"),
    ),
    "tables as parquet": Log({"results.parquet": csv_of(*ROWS)}, TABLE, toml(results="results.parquet")),
    "tables of sessions": Log(
        {"results.csv": csv_of(*ROWS), "sessions.csv": SESSION_ROWS},
        SESSIONS,
        toml(sessions="sessions.csv", results="results.csv"),
    ),
    "events": Log(
        {"log.csv": EVENTS},
        {
            "cell": Damage("12.5", "12.5 s", "12.5 s", {"results": ("dwell_seconds",)}),
            "date": Damage("2026-01-01T10:00:05Z", "noon", "noon", {"results": ("clicked_at",)}),
            "flag": NO_FLAG,
            "list": "the ids of a list are what stands between blanks and commas: any text is one",
        },
        'format = "events"\npath = "log.csv"\n' + NAMES,
    ),
    "ubi": Log(
        {
            "log.ndjson": lines(
                {**UBI_QUERY, "timestamp": "2025-01-02T10:00:00Z"},
                ubi("click", "A", 1, "2025-01-02T10:00:05Z"),
                {**UBI_QUERY, "query_id": "q2", "user_query": "desk", "timestamp": "2025-01-02T10:02:00Z"},
            )
        },
        {
            "cell": Damage('"dwell_time": 7', '"dwell_time": "7,5"', "7,5", CLICKED),
            "date": Damage("2025-01-02T10:00:05Z", "noon", "noon", {"results": ("clicked_at",)}),
            "flag": NO_FLAG,
            "list": "in JSON a list that cannot be read makes the line no JSON; the next log has one in a cell",
        },
        'format = "ubi"\npath = "log.ndjson"\ndwell_time = "seconds"\n',
    ),
    "ubi as csv": Log(
        {
            "ubi_queries.csv": csv_of(
                [
                    "application",
                    "query_id",
                    "client_id",
                    "user_query",
                    "timestamp",
                    "query_response_hit_ids",
                    "query_attributes",
                ],
                ["shop", "q1", "c1", "lamp", "2025-01-02T10:00:00Z", '["A", "B"]', '{"experiment": "x"}'],
                ["shop", "q2", "c1", "desk", "2025-01-02T10:02:00Z", '["C", "D"]', '{"experiment": "x"}'],
            )
        },
        {
            "cell": Damage(
                '{""experiment"": ""x""}', '{""experiment""', '{"experiment"'
            ),  # the other query says it too
            "date": Damage("2025-01-02T10:00:00Z", "noon", "noon", {"queries": ("issued_at",)}),
            "flag": NO_FLAG,
            "list": Damage('[""A"", ""B""]', '[""A"", {', '["A", {', is_list=True),
        },
        'format = "ubi"\npath = "ubi_queries.csv"\nsystem = "query_attributes.experiment"\n',
    ),
    "trec_session": Log(
        {
            "log.xml": '<sessiontrack2013>\n<session num="1" starttime="0"><topic num="3"><desc>Plan</desc></topic>'
            f"{INSIDE}</session>\n</sessiontrack2013>\n"
        },
        {
            "cell": Damage('endtime="9.75"', 'endtime="late"', "late", CLICKED),
            "date": Damage('starttime="20"', 'starttime="later"', "later", {"queries": ("elapsed_seconds",)}),
            "flag": NO_FLAG,
            "list": "a list is an element with its results",
        },
    ),
    "simiir": Log(
        {"sim-1-u.log": SIMIIR},
        {
            "cell": Damage("DOC 900 38", "DOC 900 3.8.1", "3.8.1", {"results": ("dwell_seconds",)}),
            "date": Damage("QUERY 900 77", "QUERY 900 soon", "soon", {"queries": ("elapsed_seconds",)}),
            "flag": NO_FLAG,
            "list": "snippets are lines of their own",
        },
    ),
    "core": Log(
        {"log.csv": CORE},
        {
            "cell": Damage(
                "[('12', datetime.datetime(2025, 1, 11, 8, 1, 20), 'works')]",
                "[('12', noon)]",
                "[('12', noon)]",
                {"results": ("clicked", "clicks", "clicked_at", "author_clicks")},
            ),
            "date": Damage("2025-01-11 08:01:00", "noon", "noon", {"queries": ("issued_at",)}),
            "flag": NO_FLAG,
            "list": Damage('"[11, 12]"', '"[11, 12"', "[11, 12", is_list=True),
        },
        'format = "core"\npath = "log.csv"\n',
    ),
    "coveo": Log(
        {"search_train.csv": COVEO},
        {
            "cell": Damage("\"['b']\"", "\"['b'\"", "['b'", {"results": ("clicked", "clicks")}),
            "date": Damage("1550885210881", "noon", "noon", {"queries": ("issued_at",)}),
            "flag": NO_FLAG,
            "list": Damage("\"['d']\"", "\"['d'\"", "['d'", is_list=True),
        },
    ),
    "yandex_personalized": Log(
        {"train.tsv": YANDEX_SESSIONS},
        {
            "cell": Damage("0\t12\tQ", "0\ttwelve\tQ", "twelve", {"queries": ("elapsed_seconds",)}),
            "date": TICKS,
            "flag": NO_FLAG,
            "list": "a list is the fields of a line: any of them is a document",
        },
        'format = "yandex_personalized"\npath = "train.tsv"\nseconds_per_tick = 1\n',
    ),
    "aol": Log({"log.txt": AOL}, {**FLAT, "date": Needed("2006-03-04 11:05:00", "noon", "noon", CUTS)}),
    "webis_smc": Log({"log.txt": WEBIS}, {**FLAT, "date": Needed("2006-03-04 11:05:00", "noon", "noon", CUTS)}),
    "sogou": Log(
        {"log.txt": SOGOU}, {**FLAT, "date": Needed("20111230000009", "20111299000009", "20111299000009", CUTS)}
    ),
    "srw": Log(
        {"comparison.json": json.dumps(SRW, indent=1)},
        {
            **dict.fromkeys(("cell", "date", "flag"), "nothing but texts, and lists of ids"),
            "list": Damage(
                '[\n      "B",\n      "C"\n     ]', '{"0": "B"}', '{"searchConfigurationId": "new"', is_list=True
            ),
        },
    ),
    "quepid": Log(
        {"snapshot.json": json.dumps(QUEPID, indent=1)},
        {
            **dict.fromkeys(("cell", "date", "flag"), "nothing but texts, lists of ids, and ratings, which are needed"),
            "list": Damage('"8": [\n   {\n    "id": "Z"\n   }\n  ]', '"8": "Z"', "Z", is_list=True),
        },
    ),
    "trec_run": Log(
        {"run.txt": RUN},
        {
            "cell": Damage("2.5", "2,5", "2,5", {"results": ("score",)}),
            **dict.fromkeys(("date", "flag", "list"), "a line is one result: rank, score and tag"),
        },
        'format = "trec_run"\npath = "run.txt"\norder = "rank"\n',
    ),
    "trec_run by score": Log(
        {"run.txt": RUN},
        {
            "cell": Needed("1.5", "1,5", "1,5", "the score makes the rank"),
            **dict.fromkeys(("date", "flag", "list"), "a line is one result: rank, score and tag"),
        },
    ),
    "trec_dd": Log(
        {"run": DD},
        {
            "cell": Needed("1.5", "1,5", "1,5", "the score makes the rank"),
            "flag": Damage("\t0\nD1\t1", "\tno\nD1\t1", "no", {"results": ("on_topic",)}),
            **dict.fromkeys(("date", "list"), "a line is one result: score, flag and feedback, which is text"),
        },
        'format = "trec_dd"\npath = "run"\n',
    ),
}


def written(folder, log, damage=None):
    folder.mkdir()
    for name, whole in log.files.items():
        text = whole
        if damage is not None and damage.file in (None, name):
            assert damage.old in whole
            text = whole.replace(damage.old, damage.new, 1)
        if name.endswith(".parquet"):
            pl.read_csv(io.StringIO(text), infer_schema=False).write_parquet(folder / name)
        else:
            (folder / name).write_text(text, encoding="utf-8")
    if log.toml is None:
        return folder / next(iter(log.files))
    (folder / "study.toml").write_text(log.toml, encoding="utf-8")
    return folder / "study.toml"
