"""A log that says who searched wherever a log can, and the studies that the tests of scoring draw."""

import warnings

import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning

SAYS = "zq"
"""What every value begins with that must not be in a copy."""
TOML = """
title = "zqtitle"
timezone = "Europe/Bucharest"
max_grade = 2
[users]
path = "zqusers.csv"
[sessions]
path = "zqsessions.csv"
columns = { session_id = "session_id", user_id = "user_id", topic_id = "topic_id", judgment_key = "KEY" }
[queries]
path = "zqqueries.csv"
[results]
path = "zqresults.csv"
[judgments]
path = "zqjudgments.csv"
"""
USERS = """user_id,name,born,age,number
zquser101,zqname1,1970-05-17,31,101
zquser102,zqname2,1971-06-18,31,102
zquser103,zqname3,1972-07-19,55,103
"""
# the last session has no topic, so that it breaks no rule; the fourth has a time that is none
SESSIONS = """session_id,user_id,system_id,topic_id,started_at,ended_at,rating,comment,epoch
zqsession1,zquser101,A,t1,2021-03-04 05:06:07,2021-03-04 05:16:07,3,zqcomment1,1614834367
zqsession2,zquser102,B,t1,2021-03-05 05:06:07,2021-03-05 05:26:07,4,zqcomment2,1614920767
zqsession3,zquser101,A,t2,2021-03-01 05:06:07,2021-03-01 05:07:07,5,zqcomment3,1614575167
zqsession4,zquser103,B,t2,zqwhen,,5,zqcomment4,1614575168
"""
QUERIES = """session_id,query_position,query_id,query_text,issued_at,note
zqsession1,1,zqid1,zqtext one,2021-03-04 05:06:17,zqnote
zqsession1,2,zqid2,zqtext two,2021-03-04 05:08:17,zqnote
zqsession2,1,zqid3,zqtext one,2021-03-05 05:06:37,zqnote
zqsession3,1,zqid4,zqtext three,2021-03-01 05:06:10,zqnote
"""
RESULTS = """session_id,query_position,rank,doc_id,clicked_at,title,position
zqsession1,1,1,d1,,zqtitle1,0.5
zqsession1,1,2,d2,2021-03-04 05:06:27,zqtitle2,0.5
zqsession1,2,1,d3,,zqtitle3,0.5
zqsession1,2,1,zqdocument,,zqtitle3,0.5
zqsession2,1,1,d2,,zqtitle2,0.5
zqsession2,1,zqrank,d1,,zqtitle2,0.5
zqsession3,1,1,d1,2021-03-01 05:06:20,zqtitle1,0.5
zqnobody,1,1,d1,,zqtitle1,0.5
"""
JUDGED = {
    "topic_id": ["t1", "t2", "t9"],
    "session_id": ["zqsession1", "zqsession2", "zqsession3", "zqnobody"],
    "user_id": ["zquser101", "zquser102", "zqnobody"],
}


@pytest.fixture
def leaky(tmp_path):
    """Read the log; its judgments are keyed by the column that is named."""

    def leaky(key="topic_id", **settings):
        folder = tmp_path / f"zqfolder-{key}"
        folder.mkdir(exist_ok=True)
        keys = JUDGED[key]
        rows = [f"{keys[at % len(keys)]},d{1 + at % 4},{at % 3},zqjudge{at % 2},zqwhy" for at in range(12)]
        more = "".join(f"{name} = {value!r}\n" for name, value in settings.items())
        files = {
            "study.toml": more + TOML.replace("KEY", key),
            "zqusers.csv": USERS,
            "zqsessions.csv": SESSIONS,
            "zqqueries.csv": QUERIES,
            "zqresults.csv": RESULTS,
            "zqjudgments.csv": "\n".join(["judgment_key,doc_id,grade,judge_id,reason", *rows]) + "\n",
        }
        for name, text in files.items():
            (folder / name).write_text(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return sk.read(folder / "study.toml")

    return leaky
