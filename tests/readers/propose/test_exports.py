"""Exports of events and of lists inside records, made without sight of `init`: what it proposes is right, or it asks.

Exports of studies as their tools write them, from `init` to a study: every value, or a question that names what is missing.

Exports with habits of their own, as tools write them: what `init` makes of them, and the values that come of it.
"""

import json
import re
import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from sessionkit.readers.propose.propose import propose
from sessionkit.readers.read import read
from tests.readers.propose.studies import delimited

SHOWN = {"a": ["d1", "d2"], "b": ["d3"]}


def lines(records):
    """Return records as NDJSON."""
    return "".join(f"{json.dumps(one)}\n" for one in records)


def results_of(study):
    """Return the results of a study in short."""
    return study.results.select("session_id", "query_position", "rank", "doc_id", "clicks").collect().rows()


@pytest.mark.parametrize(
    ("of_query", "of_result", "other"),
    [
        ({"clicks": ["d2"], "visited": [{"doc": "d1"}]}, {}, "queries.visited"),
        ({"clicks": ["d2"]}, {"clicks": [{"at": 7}]}, "queries.results.clicks"),
    ],
)
def test_several_lists_of_clicks_are_asked_about(write, of_query, of_result, other):
    queries = [
        {"query": text, "results": [{"doc": one, **of_result} for one in shown], **of_query}
        for text, shown in SHOWN.items()
    ]
    log = write("log.json", json.dumps([{"session": name, "queries": queries} for name in ("s1", "s2")]))
    proposal = sk.propose(log, folder=log.parent)
    (question,) = [one.text for one in proposal.questions if one.place == "clicks.list"]
    assert {proposal.settings["clicks"]["list"], other} == {"queries.clicks", other}
    assert f"'{other}': not used" in question


def test_clicks_inside_a_result_are_on_it(write, quiet_read):
    shown = [{"doc": "d1", "clicks": []}, {"doc": "d2", "clicks": [{"at": 7}, {"at": 9}]}]
    log = write("log.json", json.dumps([{"session": "s1", "queries": [{"query": "a", "results": shown}]}]))
    proposal = sk.propose(log, folder=log.parent)
    assert results_of(quiet_read(write("study.toml", proposal.text))) == [("s1", 1, 1, "d1", 0), ("s1", 1, 2, "d2", 2)]


def test_a_second_column_of_lists_is_asked_about(write):
    rows = "s1,1,a,\"['d1', 'd2']\",\"['d2', 'd1']\"\ns1,2,b,\"['d3']\",\"['d3']\"\n"
    log = write("log.csv", f"session,qno,query,results,shown\n{rows}")
    (question,) = [one.text for one in sk.propose(log, folder=log.parent).questions if one.place == "results.list"]
    assert "not used, as" in question
    assert {"results", "shown"} <= set(question.split("'"))


def front_end(user, task, queries):
    """Return the events of a session; queries are a text, the documents shown and those clicked."""
    events = [("load", {"agent": "x", "began": "2026-03-02T09:00:00Z"})]
    for text, shown, clicked in queries:
        events += [
            ("query", {"q": text}),
            ("serp", {"q": text, "hits": [{"id": one, "rank": at} for at, one in enumerate(shown)]}),
        ]
        events += [("click", {"id": one}) for one in clicked]
    return [
        {"type": name, "ms": 1_000 * at, "participant": user, "task": task, "data": data}
        for at, (name, data) in enumerate(events)
    ]


@pytest.mark.slow
def test_a_folder_of_event_logs_with_different_events(write, tmp_path, quiet_read):
    """The first participant never searched, the second never clicked; one sends a query again and gets another list."""
    (tmp_path / "logs").mkdir()
    write("logs/P0_A.ndjson", lines(front_end("P0", "A", [])))
    write("logs/P1_A.ndjson", lines(front_end("P1", "A", [("a", ["d1", "d2"], [])])))
    write(
        "logs/P2_A.ndjson", lines(front_end("P2", "A", [("a", ["d1", "d2"], ["d2"]), ("a", ["d3"], []), ("a", [], [])]))
    )
    qrels = write("qrels", "A 0 d1 1\nA 0 d2 1\n")
    proposal = sk.propose([tmp_path / "logs", qrels], folder=tmp_path)
    settings = proposal.settings
    assert settings["path"] == "logs"
    assert settings["units"] == {"elapsed_seconds": "milliseconds"}
    assert settings["events"] == {"query": "serp", "click": "click"}
    assert settings["columns"]["session_id"] == ["participant", "task"]
    (asked,) = [one.text for one in proposal.questions if one.place == "events.query"]
    assert re.search(r"'serp' \(4 .*query_text and results\)", asked)
    assert re.search(r"'serp' .* for query\b", asked)
    study = quiet_read(write("study.toml", proposal.text))
    assert study.queries.select("session_id", "query_position", "results_status").collect().rows() == [
        ("P1/A", 1, "shown"),
        ("P2/A", 1, "shown"),
        ("P2/A", 2, "shown"),
        ("P2/A", 3, "empty"),
    ]
    assert results_of(study) == [
        ("P1/A", 1, 1, "d1", 0),
        ("P1/A", 1, 2, "d2", 0),
        ("P2/A", 1, 1, "d1", 0),
        ("P2/A", 1, 2, "d2", 1),
        ("P2/A", 2, 1, "d3", 0),
    ]


def test_lists_in_events_without_the_text_of_the_query_are_asked_about(write):
    events = front_end("P1", "A", [("a", ["d1", "d2"], ["d2"])])
    for one in events:
        if one["type"] == "serp":
            del one["data"]["q"]
    log = write("log.ndjson", lines(events))
    questions = [one.text for one in sk.propose(log, folder=log.parent).questions]
    assert any("'serp' (1 with results) are not" in one for one in questions)


def analytics(name, at, items, **params):
    """Return an event of Google Analytics."""
    return {
        "event_timestamp": str(1_772_442_000_000_000 + at * 1_000_000),
        "event_name": name,
        "event_params": [{"key": key, "value": {"string_value": value}} for key, value in params.items()],
        "user_pseudo_id": "513653999.1771000000",
        "user_properties": [
            {"key": "variant", "value": {"string_value": "new", "set_timestamp_micros": "1771000000000000"}}
        ],
        "items": [{"item_id": one} for one in items],
    }


def test_analytics_with_a_property_of_users_and_an_empty_list(write, quiet_read):
    """The second query returned nothing; it has the text of the first, and is another one."""
    session = {"ga_session_id": "77"}
    events = [
        analytics("page_view", 0, [], **session),
        analytics("view_search_results", 1, ["d1", "d2"], search_term="a", **session),
        analytics("select_item", 2, ["d2"], search_term="a", **session),
        analytics("view_search_results", 3, [], search_term="a", **session),
    ]
    log = write("events.ndjson", lines(events))
    proposal = sk.propose(log, folder=log.parent)
    assert proposal.settings["columns"]["system_id"] == "user_properties.variant"
    study = quiet_read(write("study.toml", proposal.text))
    assert study.queries.collect()["results_status"].to_list() == ["shown", "empty"]
    assert [row[2:] for row in results_of(study)] == [(1, "d1", 0), (2, "d2", 1)]
    assert study.sessions.select("user_id", "system_id").collect().rows() == [("513653999.1771000000", "new")]


def test_lists_that_are_called_as_judgments_are_asked_about(write):
    """The ground truth of QReCC: passages that are relevant to a turn, which are no list that was shown."""
    turns = [
        {"Conversation_no": 1, "Turn_no": n, "Truth_passages": [f"http://a/{n}", f"http://b/{n}"]} for n in (1, 2, 3)
    ]
    log = write("ground-truth.json", json.dumps(turns))
    (question,) = sk.propose(log, folder=log.parent).questions
    assert (question.place, "called as judgments are" in question.text) == ("results.list", True)


def answered(made, *uncommented):
    """Return the text of a proposal with its questions taken as right, and lines of these keys no longer comments."""
    text = "\n".join(line for line in made.text.splitlines() if not line.startswith("# ?"))
    for key in uncommented:
        text, many = re.subn(rf"(?m)^# (?={key} = )", "", text)
        assert many, key
    return text


def read_export(path):
    """Return a study, whatever it warns about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sk.read(path)


def lists_of(study):
    """Return for each session and query its documents in order, and the ranks that were clicked."""
    queries = study.queries.collect().select("session_id", "query_position").rows()
    results = study.results.collect().sort("rank")
    return {
        query: (
            results.filter((pl.col("session_id") == query[0]) & (pl.col("query_position") == query[1]))["doc_id"].to_list(),
            results.filter(
                (pl.col("session_id") == query[0]) & (pl.col("query_position") == query[1]) & pl.col("clicked")
            )["rank"].to_list(),
        )
        for query in queries
    }  # fmt: skip


CHINESE_LOG = """用户编号,任务,实验条件,查询序号,查询词,查询时间,排名,文档编号,是否点击
01,任务一,基线,0,天气,2026年03月02日 09:06:58,0,W1,否
01,任务一,基线,0,天气,2026年03月02日 09:06:58,1,W2,是
01,任务一,基线,1,北京天气,2026年03月02日 09:08:00,,,
01,任务二,基线,0,票价,2026年03月02日 09:20:00,0,W3,否
用户编号,任务,实验条件,查询序号,查询词,查询时间,排名,文档编号,是否点击
02,任务一,推荐,0,公园,2026年03月02日 10:00:00,0,W2,是
02,任务一,推荐,0,公园,2026年03月02日 10:00:00,1,W4,是
02,任务二,推荐,0,高铁,2026年03月02日 10:30:00,0,W5,否
02,任务二,推荐,1,高铁票价,2026年03月02日 10:31:00,0,W3,否
"""
CHINESE_JUDGMENTS = """用户编号,任务,文档编号,评审员,相关性
01,任务一,W1,甲,不相关
01,任务一,W1,乙,部分相关
01,任务一,W2,甲,相关
02,任务一,W2,甲,部分相关
02,任务一,W4,甲,不相关
01,任务二,W3,甲,相关
02,任务二,W3,乙,不相关
02,任务二,W5,乙,相关
"""
CHINESE_ANSWERS = "用户编号,题目,得分\n01,满意度,5\n01,易用性,3\n02,满意度,2\n02,易用性,7\n"
CHINESE_LISTS = {
    ("01/任务一", 1): (["W1", "W2"], [2]),
    ("01/任务一", 2): ([], []),
    ("01/任务二", 1): (["W3"], []),
    ("02/任务一", 1): (["W2", "W4"], [1, 2]),
    ("02/任务二", 1): (["W5"], []),
    ("02/任务二", 2): (["W3"], []),
}


@pytest.mark.slow
def test_chinese_study_with_a_header_that_comes_again(tmp_path):
    texts = {"日志.csv": CHINESE_LOG, "标注.csv": CHINESE_JUDGMENTS, "问卷.csv": CHINESE_ANSWERS}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode("gb18030"))
    made = sk.propose([tmp_path / name for name in texts], folder=tmp_path)
    columns = made.settings["results"]["columns"]
    assert (columns["user_id"], columns["topic_id"], columns["system_id"]) == ("用户编号", "任务", "实验条件")
    assert columns["issued_at"] == "查询时间"
    assert "record_is_not_the_header" in made.text
    (tmp_path / "study.toml").write_text(answered(made, "max_grade"), encoding="utf-8")
    study = read_export(tmp_path / "study.toml")
    assert lists_of(study) == CHINESE_LISTS
    # the header comes again on line 6, which is record 5
    assert study.rejected.collect().select("record", "rule").rows() == [(5, "record_is_not_the_header")]
    grades = study.judgments.collect().select("judgment_key", "doc_id", "judge_id", "grade")
    assert ("01/任务一", "W1", "乙", 1) in grades.rows()
    assert study.users.collect().sort("user_id")["满意度"].to_list() == [5, 2]


JAPANESE = {
    "ユーザーID": "user_id",
    "課題番号": "topic_id",
    "実験条件": "system_id",
    "クエリ番号": "query_position",
    "検索キーワード": "query_text",
    "順位": "rank",
    "文書ID": "doc_id",
    "クリックの有無": "clicked",
}


def test_japanese_names_of_columns_are_known(tmp_path):
    rows = [
        f"u{user},t{topic},{'新' if user % 2 else '旧'},{query},検索{query},{rank},d{query}{rank},{'はい' if rank == user else 'いいえ'}"
        for user in (1, 2)
        for topic in (1, 2)
        for query in (1, 2)
        for rank in (1, 2, 3)
    ]
    (tmp_path / "log.csv").write_bytes("\n".join([",".join(JAPANESE), *rows]).encode("cp932"))
    made = sk.propose(tmp_path / "log.csv", folder=tmp_path)
    columns = made.settings["results"]["columns"]
    assert columns["session_id"] == ["ユーザーID", "課題番号"]
    assert {ours: columns[ours] for ours in JAPANESE.values()} == {ours: name for name, ours in JAPANESE.items()}
    assert made.settings["results"]["values"] == {"clicked": {"はい": True, "いいえ": False}}


@pytest.mark.parametrize(
    ("header", "repeated", "rejected"),
    [
        ("session,user,system", "session,user,system", [(2, "record_is_not_the_header")]),
        ("session,user,system", " session , user,system", [(2, "record_is_not_the_header")]),
        # one value that is called as its column is, and a header of one field, are data
        ("session,user,system", "session,u9,b", []),
        ("session", "session", []),
    ],
)
def test_header_within_a_table_is_no_session(tmp_path, header, repeated, rejected):
    width = header.count(",") + 1
    rows = [",".join(("s1", "u1", "a")[:width]), repeated, ",".join(("s2", "u2", "b")[:width])]
    (tmp_path / "sessions.csv").write_text("\n".join([header, *rows]))
    (tmp_path / "results.csv").write_text("session,query,rank,doc\ns1,1,1,d\ns2,1,1,e\n")
    columns = (
        {"session_id": "session", "user_id": "user", "system_id": "system"} if width > 1 else {"session_id": "session"}
    )
    described = "".join(f'columns.{ours} = "{name}"\n' for ours, name in columns.items())
    (tmp_path / "study.toml").write_text(
        f'format = "tables"\n[sessions]\npath = "sessions.csv"\n{described}[results]\npath = "results.csv"\n'
        'columns = { session_id = "session", query_position = "query", doc_id = "doc" }\n'
    )
    study = read_export(tmp_path / "study.toml")
    assert study.rejected.collect().select("record", "rule").rows() == rejected
    assert study.sessions.collect().height == 3 - len(rejected)


FRENCH_LOG = """N° participant\tTâche\tInterface\tN° requête\tRequête\tRésultat 1\tRésultat 2\tRésultat 3\tRang cliqué\tRemarque
1\tMusées\tliste\t1\tmusée\td1\td2\td3\t{first}\t
1\tMusées\tliste\t2\tmusée gratuit\t\t\t\t\t
1\tTrains\tgrille\t1\ttrain\td4\td5\t\t1\t
2\tMusées\tgrille\t1\tmusée Lyon\td2\td6\td1\t\t
2\tTrains\tliste\t1\ttrain nuit\td5\td7\td8\t3\t
2\tTrains\tliste\t2\ttrain nuit Vienne\td5\td4\t\t2\t
"""
FRENCH_FORM = """Horodateur,Votre numéro de participant,Quelle tâche venez-vous de terminer ?,Êtes-vous d'accord : « J'ai trouvé »
02/03/2026 09:17:40,{0}1,Musées,Tout à fait d'accord
02/03/2026 09:27:54,{0}1,Trains,Pas du tout d'accord
03/03/2026 09:17:40,{0}2,Musées,Plutôt d'accord
03/03/2026 09:27:54,{0}2,Trains,Plutôt pas d'accord
"""


@pytest.mark.few(2, slow=1)
@pytest.mark.parametrize(("first", "clicked"), [("1;3", [1, 3]), ("3", [3])])
@pytest.mark.parametrize("zero", ["", "0"])
def test_a_row_per_page_with_ranks_that_were_clicked_and_a_form(tmp_path, first, clicked, zero):
    (tmp_path / "journal.txt").write_bytes(FRENCH_LOG.format(first=first).encode("utf-16"))
    (tmp_path / "form.csv").write_text(FRENCH_FORM.format(zero), encoding="utf-8")
    made = sk.propose([tmp_path / "journal.txt", tmp_path / "form.csv"], folder=tmp_path)
    (tmp_path / "study.toml").write_text(answered(made, "values"), encoding="utf-8")
    study = read_export(tmp_path / "study.toml")
    assert lists_of(study) == {
        ("1/Musées", 1): (["d1", "d2", "d3"], clicked),
        ("1/Musées", 2): ([], []),
        ("1/Trains", 1): (["d4", "d5"], [1]),
        ("2/Musées", 1): (["d2", "d6", "d1"], []),
        ("2/Trains", 1): (["d5", "d7", "d8"], [3]),
        ("2/Trains", 2): (["d5", "d4"], [2]),
    }
    answers = study.sessions.collect().sort("session_id").select("session_id", "Êtes-vous d'accord : « J'ai trouvé »")
    assert answers.rows() == [("1/Musées", 5), ("1/Trains", 1), ("2/Musées", 4), ("2/Trains", 2)]
    questions = " ".join(question.text for question in made.questions)
    assert re.search("participant' .*for user_id", questions)
    assert re.search("'Rang cliqué' .*the rank", questions)


def test_rating_in_a_question_about_the_participant_is_no_id(tmp_path):
    (tmp_path / "journal.txt").write_bytes(FRENCH_LOG.format(first="1").encode("utf-16"))
    # both have the ids of the log among their values; the first column says who answers
    form = "Votre numéro de participant ?,Votre tâche ?,Le participant était attentif ?\n"
    form += "1,Musées,2\n1,Trains,1\n2,Musées,1\n2,Trains,2\n"
    (tmp_path / "form.csv").write_text(form, encoding="utf-8")
    made = sk.propose([tmp_path / "journal.txt", tmp_path / "form.csv"], folder=tmp_path)
    assert made.settings["questionnaires"][0]["columns"] == {
        "user_id": "Votre numéro de participant ?",
        "topic_id": "Votre tâche ?",
    }


@pytest.mark.slow
def test_export_of_elasticsearch_with_a_bucket_and_sessions_to_be_cut(tmp_path):
    """Newest first, events inside `_source`; user a pauses for 50 minutes between the second and the third query."""
    a = {"anonymous_id": "00a1", "ab_bucket": "A"}
    b, c, d = (
        {"anonymous_id": f"00{one}2", "ab_bucket": bucket} for one, bucket in (("b", "B"), ("c", "A"), ("d", "B"))
    )
    events = [
        {"@timestamp": "2026-02-05T08:00:00.120Z", "event": "search", **a, "query_id": "q1", "query": "shoes", "hits": ["K1", "K2"]},
        {"@timestamp": "2026-02-05T08:00:09.500Z", "event": "click", **a, "query_id": "q1", "doc_id": "K2", "position": 2},
        {"@timestamp": "2026-02-05T08:10:00.000Z", "event": "search", **a, "query_id": "q2", "query": "red shoes", "hits": []},
        {"@timestamp": "2026-02-05T09:00:00.000Z", "event": "search", **a, "query_id": "q3", "query": "boots", "hits": ["K3"]},
        {"@timestamp": "2026-02-06T08:00:00.000Z", "event": "search", **b, "query_id": "q4", "query": "shoes", "hits": ["K2", "K4"]},
        {"@timestamp": "2026-02-06T08:00:05.000Z", "event": "click", **b, "query_id": "q4", "doc_id": "K2", "position": 1},
        {"@timestamp": "2026-02-07T08:00:00.000Z", "event": "search", **c, "query_id": "q5", "query": "boots", "hits": ["K4"]},
        {"@timestamp": "2026-02-08T08:00:00.000Z", "event": "search", **d, "query_id": "q6", "query": "boots", "hits": ["K3"]},
    ]  # fmt: skip
    hits = [
        {"_index": "search-log", "_id": f"x{at}", "_source": {**one, "agent": {"name": "F"}}}
        for at, one in enumerate(events)
    ]
    (tmp_path / "log.ndjson").write_text("".join(json.dumps(one) + "\n" for one in reversed(hits)))
    labels = [("shoes", "K1", "Relevant"), ("shoes", "K2", "Irrelevant"), ("boots", "K3", "Highly relevant")]
    (tmp_path / "labels.csv").write_text("query,sku,label\n" + "".join(",".join(row) + "\n" for row in labels))
    made = sk.propose([tmp_path / "log.ndjson", tmp_path / "labels.csv"], folder=tmp_path)
    assert "Is it '_source.ab_bucket' ('B', 'A')?" in made.text
    (tmp_path / "study.toml").write_text(answered(made, "max_grade", "system_id"))
    study = read_export(tmp_path / "study.toml")
    sessions = study.sessions.collect().sort("session_id")
    assert sessions.select("user_id", "system_id").rows() == [
        ("00a1", "A"), ("00a1", "A"), ("00b2", "B"), ("00c2", "A"), ("00d2", "B"),
    ]  # fmt: skip
    lists = [(["K1", "K2"], [2]), ([], []), (["K3"], []), (["K2", "K4"], [1]), (["K4"], []), (["K3"], [])]
    assert list(lists_of(study).values()) == lists
    # judged by the text of the query, which is not judged at all for q2
    with pytest.warns(DataWarning, match="no judgments for their key"):
        scores = sk.score(study, ["P@1"], per="query").sort("session_id", "query_position")
    assert scores["value"].to_list() == [1, None, 1, 0, 0, 1]


QUERIES = (
    ("1001", "VP01", "A1", "alt", "Wärme Kosten", "02.03.2026 08:45", ("007", "012")),
    ("1002", "VP01", "A2", "neu", "Wärme", "02.03.2026 08:50", ("012",)),
    ("1003", "VP01", "A2", "neu", "Wärme Gas", "02.03.2026 08:51", ()),
    ("1004", "VP02", "A1", "neu", "Gas", "02.03.2026 11:41", ("031", "007", "016")),
    ("1005", "VP02", "A1", "neu", "Gas Preis", "02.03.2026 11:42", ("016", "012")),
    ("1006", "VP02", "A2", "alt", "Garten", "02.03.2026 12:10", ("012", "031")),
)
"""Queries with a number that runs on from session to session, their session, text, time and documents."""


def german_files(write, times=()):
    """The queries newest first with a line of totals, their results and clicks; `times` replaces times of queries by number."""
    rows = [
        {
            "Anfrage-Nr.": number, "Proband": user, "Aufgabe": task, "Bedingung": system, "Suchanfrage": text,
            "Zeitpunkt": dict(times).get(number, at), "Anzahl Treffer": str(len(docs)),
        }
        for number, user, task, system, text, at, docs in reversed(QUERIES)
    ]  # fmt: skip
    total = dict.fromkeys(rows[0], "") | {"Anfrage-Nr.": "Summe", "Anzahl Treffer": "10"}
    results = [
        {"Anfrage-Nr.": query[0], "Rang": str(rank), "Dokument-Nr.": doc, "Punktwert": f"{9 - rank},5"}
        for query in QUERIES
        for rank, doc in enumerate(query[-1], 1)
    ]
    clicks = [{"Anfrage-Nr.": number, "Dokument-Nr.": doc} for number, doc in (("1006", "031"), ("1004", "007"))]
    return [
        write(f"{name}.csv", delimited(table, ";"))
        for name, table in (("Suchanfragen", [*rows, total]), ("Treffer", results[::-1]), ("Klicks", clicks))
    ]


def read_proposal(proposal, tmp_path, quiet_read):
    """The study that a proposal makes."""
    (tmp_path / "study.toml").write_text(proposal.text, encoding="utf-8")
    return quiet_read(tmp_path / "study.toml")


@pytest.mark.slow
def test_a_query_number_that_runs_on_is_the_id_of_queries(write, tmp_path, quiet_read):
    proposal = propose(german_files(write), folder=tmp_path)
    columns = {name: proposal.settings[name]["columns"] for name in ("queries", "results", "clicks")}
    assert {name: section["query_id"] for name, section in columns.items()} == dict.fromkeys(columns, "Anfrage-Nr.")
    study = read_proposal(proposal, tmp_path, quiet_read)
    shown = study.results.collect().sort("session_id", "query_position", "rank")
    assert shown.select("session_id", "query_position", "rank", "doc_id", "clicks").rows() == [
        ("VP01/A1", 1, 1, "007", 0), ("VP01/A1", 1, 2, "012", 0), ("VP01/A2", 1, 1, "012", 0),
        ("VP02/A1", 1, 1, "031", 0), ("VP02/A1", 1, 2, "007", 1), ("VP02/A1", 1, 3, "016", 0),
        ("VP02/A1", 2, 1, "016", 0), ("VP02/A1", 2, 2, "012", 0),
        ("VP02/A2", 1, 1, "012", 0), ("VP02/A2", 1, 2, "031", 1),
    ]  # fmt: skip
    # the empty query, and the line of totals, which a question names
    assert study.facts.queries == 6
    assert study.rejected.collect().height == 1
    assert any("without session_id" in question.text for question in proposal.questions)


@pytest.mark.slow
@pytest.mark.parametrize("is_equal", [True, False])
def test_queries_of_one_minute_that_stand_newest_first_are_asked_about(is_equal, write, tmp_path, quiet_read):
    times = {"1005": "02.03.2026 11:41"} if is_equal else {}
    proposal = propose(german_files(write, times), folder=tmp_path)
    texts = [each.text for each in proposal.questions if each.place == "queries.number_queries"]
    assert len(texts) == is_equal
    assert all("2 queries have the same 'Zeitpunkt'" in text and "02.03.2026 11:41" in text for text in texts)
    queries = read_proposal(proposal, tmp_path, quiet_read).queries.collect().sort("session_id", "query_position")
    assert queries.get_column("query_id").to_list() == [query[0] for query in QUERIES]


def trials_of(person, tasks):
    """What a program of an experiment writes about a participant: instructions between tasks, one page of results in each."""
    trials = [{"kind": "text", "rt": 3920}]
    for number, (task, look, docs) in enumerate(tasks):
        results = [{"position": rank, "url": doc} for rank, doc in enumerate(docs)]
        page = {"query": f"find {task}", "results": results, "clicks": [{"url": doc} for doc in docs[:1]]}
        search = {"kind": "search", "rt": 1, "task": task, "interface": look, "pages": [page]}
        trials += [{"kind": "text", "rt": number}, search]
    return json.dumps({"participant": person, "version": "1.4", "trials": trials}, indent=1)


def write_trials(tmp_path, people):
    """A folder with a file for each participant."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for person, tasks in people.items():
        (folder / f"{person}.json").write_text(trials_of(person, tasks), encoding="utf-8")
    return folder


PEOPLE = {
    "p1": [("sun", "long", ["a", "b"]), ("sea", "short", ["c"])],
    "p2": [],
    "p3": [("sea", "long", ["c", "a", "b"]), ("sun", "short", [])],
}
"""Participants with their tasks, one of whom never searched."""


@pytest.mark.slow
def test_trials_without_search_and_participants_without_one_are_no_sessions(tmp_path, quiet_read):
    proposal = propose(write_trials(tmp_path, PEOPLE), folder=tmp_path)
    texts = [question.text for question in proposal.questions]
    # p1 and p3: a text at the beginning and one before each of two tasks
    assert any(re.search("6 elements .*'trials' .*'trials.pages'", text) for text in texts)
    assert any(re.search(r"p2\.json: .*\[queries\], \[results\] and \[clicks\]", text) for text in texts)
    study = read_proposal(proposal, tmp_path, quiet_read)
    columns = ["user_id", "topic_id", "system_id"]
    assert study.sessions.select(columns).sort(columns).collect().rows() == [
        ("p1", "sea", "short"),
        ("p1", "sun", "long"),
        ("p3", "sea", "long"),
        ("p3", "sun", "short"),
    ]
    shown = study.results.collect().sort("session_id", "rank").select("session_id", "rank", "doc_id", "clicks")
    assert shown.get_column("doc_id").to_list() == ["a", "b", "c", "c", "a", "b"]
    assert shown.get_column("clicks").to_list() == [1, 0, 1, 1, 0, 0]
    assert (study.facts.queries, study.queries.collect().get_column("results_status").to_list().count("empty")) == (
        4,
        1,
    )


def test_sessions_without_queries_stay_sessions_where_their_fields_are_those_of_sessions(write, tmp_path, quiet_read):
    sessions = [
        {"id": f"s{number}", "user": f"u{number}", "queries": [{"query": "x", "results": [{"url": f"d{number}"}]}]}
        for number in range(3)
    ]
    sessions.append({"id": "s3", "user": "u3"})
    proposal = propose(write("log.json", json.dumps({"sessions": sessions})), folder=tmp_path)
    study = read_proposal(proposal, tmp_path, quiet_read)
    assert study.sessions.collect().get_column("session_id").sort().to_list() == ["s0", "s1", "s2", "s3"]


def test_a_list_that_no_file_has_is_refused(tmp_path):
    folder = write_trials(tmp_path, PEOPLE)
    text = propose(folder, folder=tmp_path).text.replace("trials.pages", "trials.serps")
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"p1.json .*'trials.serps' .*\[queries\]"):
        read(tmp_path / "study.toml")


FLAT = [
    {
        "Participant": user,
        "Task": task,
        "System": system,
        "No.": "1",
        "Position": str(rank),
        "Document": doc,
        "Opened": mark,
    }
    for user, task, system in (("P1", "t1", "list"), ("P1", "t2", "grid"), ("P2", "t1", "grid"), ("P2", "t2", "list"))
    for rank, (doc, mark) in enumerate((("a", ""), ("b", "x"), ("c", "")), 1)
]
"""Lists of two participants in each of which the second result was opened."""


@pytest.mark.parametrize("name", ["Opened", "Geöffnet", "ouvert"])
def test_results_that_were_opened_were_clicked(name, write, tmp_path, quiet_read):
    rows = [{name if key == "Opened" else key: value for key, value in row.items()} for row in FLAT]
    study = read_proposal(propose(write("log.csv", delimited(rows)), folder=tmp_path), tmp_path, quiet_read)
    shown = study.results.collect()
    assert shown.filter("clicked").get_column("doc_id").to_list() == ["b"] * 4
    assert shown.get_column("clicked").null_count() == 0


def test_users_that_are_nobody_in_the_log_are_asked_about(write, tmp_path):
    users = [
        {"Participant": name, "Age": age} for name, age in (("P1", "20"), ("P2", "30"), ("P3", "40"), ("Mean", "30"))
    ]
    files = [write("log.csv", delimited(FLAT)), write("users.csv", delimited(users))]
    texts = [question.text for question in propose(files, folder=tmp_path).questions]
    assert any(
        "nobody in the log" in text and (("'P3'" in text and "'Mean'" in text) or "2 rows" in text) for text in texts
    )


def test_clicks_that_name_rows_of_results_by_an_id_are_told_what_they_lack(write, tmp_path):
    rows = [
        {"id": f"i-{number}", **{key: row[key] for key in row if key != "Opened"}} for number, row in enumerate(FLAT)
    ]
    clicks = [
        {"id": f"c-{number}", "impression_id": f"i-{3 * number}", "created_at": f"2026-03-02T10:0{number}:00Z"}
        for number in range(4)
    ]
    files = [write("impressions.csv", delimited(rows)), write("clicks.csv", delimited(clicks))]
    texts = [question.text for question in propose(files, folder=tmp_path).questions]
    assert any(re.search("'impression_id' is 'id' .*impressions", text) for text in texts)
