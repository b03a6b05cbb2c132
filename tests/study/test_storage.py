"""Studies at an address: a server on this machine that speaks as much of S3 and HTTP as reading takes."""

import http.server
import re
import shutil
import threading
import warnings
from pathlib import Path
from urllib.parse import unquote, urlsplit

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.study import open_study, verify_hashes
from sessionkit.study.storage import SCHEMES, folder_at
from tests.support.clinic import read_clinic
from tests.support.descriptors import edit_descriptor
from tests.support.score_way import score_way


class Objects(http.server.BaseHTTPRequestHandler):
    """Objects of one bucket, which are the files beneath a directory; ranges of them, as both protocols ask for them."""

    protocol_version = "HTTP/1.1"
    root: Path
    asked: list
    locked = False

    def log_message(self, *args):
        """Keep the test's output clean."""

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, *, with_body):
        bucket, _, key = unquote(urlsplit(self.path).path).removeprefix("/").partition("/")
        self.asked.append((key, self.headers.get("Range")))
        path = self.root / key
        if self.locked and "Authorization" not in self.headers:
            return self.reply(403, b"<Error><Code>AccessDenied</Code><Message>Denied</Message></Error>", with_body)
        if bucket != "bucket" or not path.is_file():
            code = b"NoSuchKey" if bucket == "bucket" else b"NoSuchBucket"
            return self.reply(404, b"<Error><Code>%b</Code><Message>none</Message></Error>" % code, with_body)
        data = path.read_bytes()
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if asked is None:
            return self.reply(200, data, with_body)
        first = int(asked[1]) if asked[1] else max(0, len(data) - int(asked[2]))
        last = min(int(asked[2]), len(data) - 1) if asked[1] and asked[2] else len(data) - 1
        return self.reply(206, data[first : last + 1], with_body, f"bytes {first}-{last}/{len(data)}")

    def reply(self, status, body, with_body, content_range=None):
        self.send_response(status)
        headers = {"Content-Length": len(body), "ETag": '"1"', "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT"}
        headers |= {"Content-Range": content_range} if content_range else {}
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        if with_body:
            self.wfile.write(body)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A study whose partitions have names that need escaping."""
    study = read_clinic()
    odd = pl.format("{}/a b%ü", "system_id")
    return study.with_tables(sessions=study.sessions.with_columns(system_id=odd)).save(
        tmp_path_factory.mktemp("remote") / "study", partition_by="system_id"
    )


@pytest.fixture
def server(saved):
    handler = type("Handler", (Objects,), {"root": saved.path.parent, "asked": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(params=["s3", "http"])
def place(request, server):
    """An address of the study, and the options that reading it takes."""
    if request.param == "http":
        return f"http://127.0.0.1:{server.server_port}/bucket/study", None
    return "s3://bucket/study", options(server)


def options(server, **more):
    return {
        "aws_endpoint_url": f"http://127.0.0.1:{server.server_port}",
        "aws_allow_http": "true",
        "aws_region": "us-east-1",
        "aws_access_key_id": "an id",
        "aws_secret_access_key": "a secret",
        "max_retries": 0,
        **more,
    }


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


@pytest.mark.slow
@pytest.mark.few(1)
def test_a_study_at_an_address_is_the_study(saved, place, tmp_path):
    address, given = place
    study = open_study(address, given)
    assert (study.address, study.path) == (address, None)
    assert study.facts == saved.facts
    for name in ("users", "sessions", "queries", "results", "judgments", "rejected"):
        assert_frame_equal(study.table(name).collect(), saved.table(name).collect())
    for per in ("session", "system_id"):
        asked = ["sDCG@10", "nsDCG@10", "mean(nDCG@10)"]
        assert_frame_equal(
            sk.score(study, asked, **score_way(per)), sk.score(saved, asked, **score_way(per)), check_exact=True
        )
        found = sk.score(study, asked, **score_way(per), cache=tmp_path / "cache")
        assert_frame_equal(found, sk.score(saved, asked, **score_way(per), cache=tmp_path / "cache"), check_exact=True)
    assert (
        len(list((tmp_path / "cache").iterdir())) == 8
    )  # two partitions, two tasks, two places: files at an address are not hashed
    assert_frame_equal(sk.curve(study, "nsDCG@10"), sk.curve(saved, "nsDCG@10"), check_exact=True)
    assert_frame_equal(sk.breakdown(study, "nDCG@10"), sk.breakdown(saved, "nDCG@10"), check_exact=True)
    copy = study.save(tmp_path / "copy")
    assert_frame_equal(copy.results.collect(), saved.results.collect())
    assert verify_hashes(copy) == ()


@pytest.mark.few(1)
def test_opening_reads_footers_only(saved, server, place):
    server.RequestHandlerClass.asked.clear()
    open_study(*place)
    asked = {key for key, _ in server.RequestHandlerClass.asked}
    assert asked == {path.relative_to(saved.path.parent).as_posix() for path in saved.path.rglob("*") if path.is_file()}
    assert all(given is not None for _, given in server.RequestHandlerClass.asked)


@pytest.mark.few(1)
def test_a_trailing_slash_and_file_addresses(saved, place):
    address, given = place
    assert open_study(f"{address}/", given).address == address
    local = open_study(saved.path.as_uri())
    assert (local.path, local.address) == (saved.path, None)
    assert verify_hashes(local) == ()


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", ["nowhere", "other-bucket"])
def test_what_is_not_there_is_an_error_of_ours(place, wrong):
    address, given = place
    address = address.replace("study", wrong) if wrong == "nowhere" else address.replace("bucket", wrong)
    with pytest.raises(DataError, match=r"datapackage.json .*not found.* address") as caught:
        open_study(address, given)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_missing_credentials_are_an_error_of_ours(server):
    server.RequestHandlerClass.locked = True
    with pytest.raises(DataError, match=r"credentials in storage_options") as caught:
        open_study("s3://bucket/study", options(server, aws_skip_signature="true"))
    assert "\n" not in str(caught.value)
    assert open_study("s3://bucket/study", options(server)).facts.sessions == 120


@pytest.mark.slow
def test_secrets_are_not_shown(server):
    study = open_study("s3://bucket/study", options(server))
    assert "secret" not in repr(study) + repr(study.storage.stored) + repr(
        folder_at("s3://bucket/study", options(server))
    )


@pytest.mark.slow
def test_nobody_at_home(server):
    with pytest.raises(DataError, match=r"s3://bucket/study/datapackage.json .*read"):
        open_study("s3://bucket/study", options(server, aws_endpoint_url="http://127.0.0.1:1"))


@pytest.mark.slow
def test_options_that_are_none(server):
    with pytest.raises(DataError, match=r"cannot be read .*max_retries"):
        open_study("s3://bucket/study", options(server, max_retries="many"))


def change(saved, tmp_path, server, how):
    """Serve a copy of the study whose descriptor was changed."""
    shutil.copytree(saved.path, tmp_path / "study")
    server.RequestHandlerClass.root = tmp_path
    edit_descriptor(
        tmp_path / "study", lambda descriptor: how({resource["name"]: resource for resource in descriptor["resources"]})
    )


@pytest.mark.few(6)
@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../study/users.parquet", "https://example.org/x", "c:\\x", "*.parquet", "x?y", "x#y", "", 3],
)
def test_names_that_lead_elsewhere_are_refused(saved, tmp_path, server, place, name):
    change(saved, tmp_path, server, lambda resources: resources["users"].update(path=name))
    with pytest.raises(DataError, match="only files inside"):
        open_study(*place)


@pytest.mark.few(1)
def test_files_that_are_not_as_said(saved, tmp_path, server, place):
    change(saved, tmp_path, server, lambda resources: resources["users"].update(rowcount=3))
    with pytest.raises(DataError, match=r"users has \d+ rows .*json says 3"):
        open_study(*place)
    data = (tmp_path / "study" / "users.parquet").read_bytes()
    (tmp_path / "study" / "users.parquet").write_bytes(data[:-9])
    with pytest.raises(DataError, match=r"users is not .* Parquet"):
        open_study(*place)
    (tmp_path / "study" / "users.parquet").unlink()
    with pytest.raises(DataError, match=r"users is not .* Parquet"):
        open_study(*place)


@pytest.mark.few(1)
def test_hashes_are_verified_on_disk(place):
    with pytest.raises(DataError, match=r"bucket/study .*copy it"):
        verify_hashes(open_study(*place))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ftp://host/study", r"ftp:// is not .*; .* file, s3"),
        ("s4://bucket/study", r"did you mean 's3'"),
        ("s3://id:secret@bucket/study", "credentials; .*storage_options"),
        ("https://host/study?token=x", "not the address of"),
        ("s3:///study", "not the address of"),
    ],
)
def test_addresses_that_cannot_be_read(address, words):
    with pytest.raises(UsageError, match=words) as caught:
        open_study(address)
    assert "secret" not in str(caught.value)


def test_options_are_for_addresses(saved):
    with pytest.raises(UsageError, match="storage_options are for addresses"):
        open_study(saved.path, {"aws_region": "x"})


def test_every_kind_of_address_is_one(saved):
    for scheme in SCHEMES:
        assert folder_at(f"{scheme}://bucket/study").name == f"{scheme}://bucket/study"
