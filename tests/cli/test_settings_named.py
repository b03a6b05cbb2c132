"""A message after a run without a study.toml that names a setting says where it goes; what it proposes is then taken."""

import re

import pytest

LOG = "session_id,query_position,rank,doc_id,topic_id,clicked_at\ns,1,1,a,t,2026-03-02 12:00:00\ns,2,1,b,t,\n"
QRELS = "t 0 a 2\nt 0 a 1\nt 0 b -1\n"
SETTING = re.compile(r"\b(max_grade|timezone|unjudged_grades|collection_size|merge) = [^ ;,]+")


@pytest.fixture
def plain(call, tmp_path):
    """A log and judgments that need no study.toml, ingested; the study and what was said."""
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "qrels").write_text(QRELS)
    done = call("ingest", tmp_path / "log.csv", "--judgments", tmp_path / "qrels", "--out", tmp_path / "study")
    assert done.status == 0
    return tmp_path / "study", done.out + done.err


def test_every_setting_that_is_named_has_its_place(plain):
    _, said = plain
    named = {match.group(1) for match in SETTING.finditer(said)}
    assert named >= {"timezone", "merge", "unjudged_grades"}
    for line in said.splitlines():
        if SETTING.search(line):
            assert "at the top of a study.toml" in line


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        (["score", "mean(ERR@10)"], "max_grade = 2"),
        (["score", "mean(Rnorm@10)"], "collection_size = 100000"),
        (["bounds", "mean(DCG@10)", "--by", "topic_id"], "max_grade = 2"),
    ],
)
def test_a_setting_that_a_measure_needs_is_taken_where_the_message_says(call, plain, tmp_path, words, setting):
    study, _ = plain
    refused = call(words[0], study, *words[1:])
    assert refused.status in {1, 2}
    assert f"{setting} at the top of a study.toml" in refused.err
    toml = f'{setting}\n[results]\npath = "log.csv"\n[judgments]\npath = "qrels"\n'
    (tmp_path / "study.toml").write_text(toml)
    again = call(words[0], tmp_path / "study.toml", *words[1:])
    assert again.status == 0, again.err


def test_the_settings_proposed_for_the_log_are_taken(call, plain, tmp_path):
    _, said = plain
    settings = "\n".join(
        re.search(pattern, said).group() for pattern in (r'timezone = "[^"]+"', r"unjudged_grades = \[[^]]+\]")
    )
    (tmp_path / "study.toml").write_text(settings + '\n[results]\npath = "log.csv"\n[judgments]\npath = "qrels"\n')
    done = call("ingest", tmp_path / "study.toml", "--out", tmp_path / "again")
    assert done.status == 0
    assert "without zone" not in done.out + done.err
    assert "unjudged_grades" not in done.out + done.err
