"""A saved study that is replaced or removed after it was opened is named by every function that reads it."""

import re
import shutil
import threading
import warnings

import pytest

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.errors import ReplacedError
from sessionkit.reports import report
from sessionkit.study import package
from sessionkit.study.files import make_tagged
from sessionkit.study.storage import Directory
from tests.support.clinic import read_clinic

VERBS = {
    "check": sk.check,
    "breakdown": lambda study: sk.breakdown(study, "nDCG@10"),
    "breakdown_tests": lambda study: sk.breakdown_tests(study, "nDCG@10"),
    "compare": lambda study: sk.compare(study, "sDCG@10"),
    "correlate": lambda study: sk.correlate(study, "sDCG@10", "satisfaction"),
    "curve": lambda study: sk.curve(study, "sDCG@10"),
    "describe": sk.describe,
    "explain": lambda study: sk.explain(study, "sDCG@10", session="ses001"),
    "agreement": sk.agreement,
    "pseudonymize": sk.pseudonymize,
    "report": report,
    "save": lambda study: study.save(study.path.parent / "copy"),
    "score": lambda study: sk.score(study, "sDCG@10", per="session"),
    "sweep": lambda study: sk.sweep(study, "sDCG@10", {"b": [2, 3]}),
    "timeline": lambda study: sk.timeline(study, "ses001"),
}


@pytest.fixture(scope="module")
def made():
    """The clinic's study, and one of another size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clinic = read_clinic()
        other = sk.from_tables(
            {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d"]},
            {"judgment_key": ["s"], "doc_id": ["d"], "grade": [1]},
        )
    return clinic, other


@pytest.mark.few(8)
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("removed", [False, True], ids=["replaced", "removed"])
def test_what_happened_is_said(made, tmp_path, verb, removed):
    clinic, other = made
    study = clinic.save(tmp_path / "study")
    if removed:
        shutil.rmtree(study.path)
    else:
        other.save(study.path)
    with pytest.raises(sk.DataError, match=r"was (removed|replaced) after") as told:
        VERBS[verb](study)
    assert str(study.path) in str(told.value)


@pytest.fixture
def replacing(made, monkeypatch, tmp_path):
    """Replace a study behind the back of whoever opens it, so many times; between two looks at its files."""
    monkeypatch.setattr(package, "PAUSE", 0)
    text = Directory.text
    copies = [study.save(tmp_path / f"copy {number}").path for number, study in enumerate(made)]

    def start(times):
        left = iter(range(times))

        def replaced(folder):
            content = text(folder)
            if (number := next(left, None)) is not None:
                shutil.rmtree(folder.path)
                shutil.copytree(copies[(number + 1) % 2], folder.path)
            return content

        monkeypatch.setattr(Directory, "text", replaced)

    return start


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_a_study_that_is_replaced_while_it_is_opened_is_opened_again(made, tmp_path, replacing):
    clinic, other = made
    place = clinic.save(tmp_path / "study").path
    replacing(1)
    assert sk.open_study(place).facts == other.facts
    clinic.save(place)
    replacing(4)
    assert sk.open_study(place).facts == clinic.facts
    replacing(1000)
    with pytest.raises(sk.DataError, match=r"study .*again and again; try"):
        sk.open_study(place)


def test_files_of_a_study_that_replaces_another_are_not_foreign(tmp_path, monkeypatch):
    rows = {
        "session_id": ["s", "t"],
        "query_position": [1, 1],
        "rank": [1, 1],
        "doc_id": ["d", "d"],
        "system_id": ["A", "B"],
    }
    study = sk.from_tables(rows)
    place = study.save(tmp_path / "study").path
    other = study.save(tmp_path / "other", partition_by="system_id").path
    content = package.foreign_content

    def replaced(folder):
        other.rename(tmp_path / "new")
        foreign = content(folder)
        place.rename(other)
        (tmp_path / "new").rename(place)
        monkeypatch.setattr(package, "foreign_content", content)
        return ["sessions/system_id=A", *foreign]

    monkeypatch.setattr(package, "foreign_content", replaced)
    package.refuse_to_replace(place)
    (place / "notes").touch()
    with pytest.raises(sk.UsageError, match="contains notes in addition"):
        package.refuse_to_replace(place)


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_a_study_between_two_renames_is_waited_for(made, tmp_path, monkeypatch, capsys):
    _, other = made
    place = other.save(tmp_path / "study").path
    aside, _ = make_tagged(tmp_path, ".study.", ".replaced", lambda path: path)
    place.rename(aside)
    back = threading.Timer(0.2, aside.rename, [place])
    back.start()
    assert sk.open_study(place).facts == other.facts
    back.join()
    place.rename(aside)
    monkeypatch.setattr(package, "PAUSE", 0)
    assert main(["score", str(place), "nDCG@10"]) == 1
    said = capsys.readouterr().err
    assert f"{place} is not there: another process" in said
    assert re.search(rf"rename {re.escape(str(aside))}, .* to study", said)


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_what_is_read_of_a_replaced_study_is_an_error(made, tmp_path):
    clinic, other = made
    study = clinic.save(tmp_path / "study")
    copy = clinic.save(tmp_path / "copy")

    def read():
        with study.reading():
            assert study.sessions.collect().height == 120
            other.save(study.path)

    with pytest.raises(ReplacedError, match=r"replaced.*open it again"):
        read()
    with pytest.raises(ReplacedError), study.reading():
        raise IndexError
    with pytest.raises(sk.UsageError, match="a typo"), study.reading():
        raise sk.UsageError("a typo")
    with pytest.raises(IndexError), copy.reading():
        raise IndexError


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_a_command_that_wrote_says_so_where_another_has_replaced_it_since(made, tmp_path, monkeypatch, capsys):
    _, other = made
    out = tmp_path / "study"
    save = sk.Study.save

    def replaced(study, *given, **named):
        saved = save(study, *given, **named)
        save(other, out)
        return saved

    monkeypatch.setattr(sk.Study, "save", replaced)
    assert main(["ingest", "examples/clinic/study.toml", "--out", str(out)]) == 0
    said = capsys.readouterr().err
    assert f"written: {out}" in said
    assert f"another process has replaced {out} since" in said
    assert sk.open_study(out).facts == other.facts
