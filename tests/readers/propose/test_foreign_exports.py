"""Exports of studies as their tools write them, from `init` to a study: every value, or a question that names what is missing."""

import json
import re
import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning


def answered(made, *uncommented):
    """Return the text of a proposal with its questions taken as right, and lines of these keys no longer comments."""
    text = "\n".join(line for line in made.text.splitlines() if not line.startswith("# ?"))
    for key in uncommented:
        text, many = re.subn(rf"(?m)^# (?={key} = )", "", text)
        assert many, key
    return text


def read(path):
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
    study = read(tmp_path / "study.toml")
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
    study = read(tmp_path / "study.toml")
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


@pytest.mark.parametrize(("first", "clicked"), [("1;3", [1, 3]), ("3", [3])])
@pytest.mark.parametrize("zero", ["", "0"])
def test_a_row_per_page_with_ranks_that_were_clicked_and_a_form(tmp_path, first, clicked, zero):
    (tmp_path / "journal.txt").write_bytes(FRENCH_LOG.format(first=first).encode("utf-16"))
    (tmp_path / "form.csv").write_text(FRENCH_FORM.format(zero), encoding="utf-8")
    made = sk.propose([tmp_path / "journal.txt", tmp_path / "form.csv"], folder=tmp_path)
    (tmp_path / "study.toml").write_text(answered(made, "values"), encoding="utf-8")
    study = read(tmp_path / "study.toml")
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
    assert "'Votre numéro de participant' is taken for user_id" in questions
    assert "'Rang cliqué' is taken for the rank of what was clicked" in questions


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
    study = read(tmp_path / "study.toml")
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
