"""Coveo's data challenge: lists as Python literals in CSV. The fixtures are made up in its layout."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

HEADER = "session_id_hash,query_vector,clicked_skus_hash,product_skus_hash,server_timestamp_epoch_ms\n"
LOG = (
    HEADER + "s1,\"[0.1, -0.2]\",\"['b']\",\"['a', 'b', 'c']\",1550885210881\n"
    's1,"[0.3, 0.4]",,"[\'d\']",1550885200000\n'  # earlier, though later in the file
    's2,"[0.3, 0.4]","[\'z\', \'a\']","[""a""]",1550885200000\n'
    "s2,,\"['a']\",,1550885300000\n"
    "s2,,,[],1550885400000\n"
)


def rows(study, table, *columns):
    return study.table(table).select(columns).collect().rows()


def kinds(study):
    return {source.kind: source.merged + source.idle for source in study.sources if not source.table}


def test_lists_clicks_and_order(write, quiet_read):
    study = quiet_read(write("search_train.csv", LOG))
    assert study.reader == "coveo"
    assert rows(study, "queries", "session_id", "query_position", "results_status") == [
        ("s1", 1, "shown"),
        ("s1", 2, "shown"),
        ("s2", 1, "shown"),
        ("s2", 2, "not_logged"),
        ("s2", 3, "empty"),
    ]
    assert rows(study, "results", "session_id", "query_position", "rank", "doc_id", "clicks") == [
        ("s1", 1, 1, "d", 0),
        ("s1", 2, 1, "a", 0),
        ("s1", 2, 2, "b", 1),
        ("s1", 2, 3, "c", 0),
        ("s2", 1, 1, "a", 1),
    ]
    assert rows(study, "queries", "issued_at")[1][0].isoformat() == "2019-02-23T01:26:50.881000+00:00"
    assert kinds(study) == {
        "clicks": 2,
        "clicks on a product that its list does not hold": 1,
        "clicks in a list that was not logged": 1,
    }
    assert "query_vector" not in study.columns("queries")
    assert messages_with(study.notes, "vectors of queries", "keep_vectors = true")


def test_vectors_can_be_kept(write, quiet_read):
    study = quiet_read(write("search_train.csv", LOG), config={"format": "coveo", "keep_vectors": True})
    assert rows(study, "queries", "query_vector")[:2] == [("[0.3, 0.4]",), ("[0.1, -0.2]",)]


def test_a_folder_with_browsing_events(write, quiet_read, tmp_path):
    (tmp_path / "train").mkdir()
    write("train/search_train.csv", LOG)
    browsing = "session_id_hash,event_type,product_action,product_sku_hash,server_timestamp_epoch_ms,hashed_url\n"
    write("train/browsing_train.csv", browsing + "s1,pageview,,,1,u\ns1,event_product,add,a,3,u\ns1,pageview,,,2,u\n")
    write("train/sku_to_content.csv", "product_sku_hash,description_vector,price_bucket\na,,1\n")
    study = quiet_read(tmp_path / "train")
    assert study.reader == "coveo"
    named = [tmp_path / "train" / name for name in ("search_train.csv", "browsing_train.csv", "sku_to_content.csv")]
    assert quiet_read(named).reader == "coveo"
    found = {(source.path, source.kind): source.idle for source in study.sources if source.idle}
    assert found["train/browsing_train.csv", "browsing events: pageview"] == 2
    assert found["train/browsing_train.csv", "browsing events: add"] == 1
    assert found["train/sku_to_content.csv", "lines of a file without searches"] == 2


def test_literals_are_never_evaluated(write, quiet_read, rejects):
    call = "\"[__import__('os').getcwd()]\""
    broken = f"s3,,,{call},1550885200000\ns3,,['a',[],1550885200000\n,,,[],1550885200000\ns3\n"
    path = write("search_train.csv", LOG + broken)
    found = rejects(quiet_read(path))
    assert [row[:4] for row in found] == [
        (6, 7, "products_are_a_list", "[__import__('os').getcwd()]"),
        (7, 8, "clicks_are_a_list", "['a'"),
        (8, 9, "session_id_is_given", None),
        (9, 10, "time_is_given", None),  # cut short: not a query whose list was not logged
    ]
    with pytest.raises(DataError, match=match_parts("search_train.csv, line 7:", "products_are_a_list")):
        read(path, strict=True)


def test_a_first_line_that_is_no_csv_is_of_another_kind(write, quiet_read):
    line = "1\tcats\r and dogs\t2006-03-01 10:00:00\t1\thttp://a\n"  # csv refuses a carriage return in a field
    assert quiet_read(write("log.txt", line)).reader == "aol"


def test_a_file_of_another_kind(write):
    with pytest.raises(DataError, match=match_parts("x.csv has no column", "clicked_skus_hash")):
        read(write("x.csv", "a,b\n1,2\n"), format="coveo")
