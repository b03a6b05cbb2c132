"""A log of every format with one value damaged: no row is lost, the value is missing, and it is counted with its text.

What is not needed is a value of a column that no key is made of. Where a format has no such value of a kind, it says why.

A sheet of one's own study with a few things damaged at random: refused by name, or read alike in memory and in batches.
"""

from __future__ import annotations

import random
import warnings

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.readers import FORMATS
from tests.support.batchers import in_batches
from tests.support.log_mutations import unaccounted
from tests.support.logs import LOGS, Damage, Needed, written

KEYS = {
    "users": ["user_id"],
    "sessions": ["session_id"],
    "queries": ["session_id", "query_position"],
    "results": ["session_id", "query_position", "rank"],
    "judgments": ["judgment_key", "doc_id"],
}
KINDS = ("cell", "date", "flag", "list")


def told(study):
    return study.rejected.collect().select("value", "row_kept").rows()


CASES = [
    pytest.param(name, kind, id=f"{name}: {kind}")
    for name, log in LOGS.items()
    for kind in KINDS
    if not isinstance(log.damages[kind], str)
]


def test_every_format_has_a_log_here_and_says_of_each_kind_what_is_damaged_or_why_not():
    assert {name.split(" ")[0] for name in LOGS} == set(FORMATS)
    for log in LOGS.values():
        assert set(log.damages) == set(KINDS)
        assert all(len(one) > 10 for one in log.damages.values() if isinstance(one, str))


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.slow)], ids=["whole", "in batches"])
def in_some_parts(request, in_batches):
    """Whether logs are read in batches of a few records, or at once."""
    if request.param:
        in_batches()
    return request.param


@pytest.fixture
def log_reader(quiet_read, in_some_parts):
    """Read a log."""
    return lambda path: quiet_read(path, memory="64MB") if in_some_parts else quiet_read(path)


@pytest.fixture(scope="module")
def studies():
    """The logs without damage that were read so far, by name and whether in parts."""
    return {}


@pytest.fixture
def clean_study(studies, in_some_parts, log_reader, tmp_path_factory):
    """Return the study of a log without damage, read once for all that is damaged in it."""

    def clean_study(name):
        if (name, in_some_parts) not in studies:
            folder = tmp_path_factory.mktemp("clean") / "log"
            studies[name, in_some_parts] = log_reader(written(folder, LOGS[name]))
        return studies[name, in_some_parts]

    return clean_study


@pytest.mark.few(10, slow=8)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_damaged_value_costs_no_row_and_is_counted(tmp_path, log_reader, clean_study, name, kind):
    log = LOGS[name]
    damage = log.damages[kind]
    spoiled = damage if isinstance(damage, Damage) else Damage(damage.old, damage.new, "")
    clean = clean_study(name)
    study = log_reader(written(tmp_path / "damaged", log, spoiled))
    assert told(clean) == []
    (found,) = told(study)
    if isinstance(damage, Needed):
        assert found == (damage.value, False)
        assert sum(source.rejected for source in study.sources) == 1
        return
    assert found[1]
    assert found[0].startswith(damage.value)
    assert sum(source.rejected for source in study.sources) == 0
    row = study.rejected.collect().row(0, named=True)
    assert row["column"]
    assert any("set aside, its row kept" in note and row["rule"] in note for note in study.notes)
    lost = study.queries.filter(pl.col("results_status") == "not_logged").select(KEYS["queries"]).collect()
    assert len(lost) == damage.is_list
    for table, key in KEYS.items():
        before, after = (one.table(table).collect().sort(key) for one in (clean, study))
        columns = set(damage.missing.get(table, ()))
        if damage.is_list and table == "results":
            before = before.join(lost, on=KEYS["queries"], how="anti", maintain_order="left")
        same = [
            column
            for column in before.columns
            if column not in columns and not (damage.is_list and column in ("results_status", "list_from"))
        ]
        assert_frame_equal(after.select(same), before.select(same), check_dtypes=False)
        for column in columns & set(before.columns):
            now = after[column] if column in after.columns else pl.Series(column, [None] * len(after))
            changed = now.ne_missing(before[column])
            assert now.filter(changed).null_count() == changed.sum()
    fewer = [
        column not in after.columns or after[column].null_count() > before[column].null_count()
        for table, columns in damage.missing.items()
        for before, after in [(clean.table(table).collect(), study.table(table).collect())]
        for column in columns
        if column in before.columns
    ]
    assert any(fewer) == bool(damage.missing)


TABLES = ("users", "sessions", "queries", "results", "judgments", "rejected")
HEADER = "Titel;;\nPerson;Aufgabe;System;Text;Rang;Dok;Klick;Dauer;Beginn;Note;Zufrieden\n"
ROWS = [
    f"P{person};T{task};S{(person + task) % 2};q{task}{query};{rank};d{rank * 7 % 5};{'ja' if rank == 2 else 'Nein '};"
    f"{person * 100 + rank},5;0{query + 1}.03.2024 1{task}:0{rank};{(rank + task) % 3};{person % 5 + 1},5\n"
    for person in range(1, 5)
    for task in range(1, 3)
    for query in range(2)
    for rank in range(1, 4)
]
SHEET = 'path = "log.csv"\nseparator = ";"\nskip = 1\ntrim = true\ndecimal = ","\n'
TOML = f"""max_grade = 2
[results]
{SHEET}thousands = "."
null = ["", "k.A."]
times = ["%d.%m.%Y %H:%M", "excel"]
units = {{ dwell_seconds = "milliseconds" }}
number_queries = true
values = {{ clicked = {{ ja = true, nein = false }} }}
[results.columns]
session_id = ["Person", "Aufgabe"]
user_id = "Person"
topic_id = "Aufgabe"
system_id = "System"
query_text = "Text"
rank = "Rang"
doc_id = "Dok"
clicked = "Klick"
dwell_seconds = "Dauer"
issued_at = "Beginn"
[judgments]
{SHEET}columns = {{ judgment_key = "Aufgabe", doc_id = "Dok", grade = "Note" }}
[[questionnaires]]
{SHEET}columns = {{ user_id = "Person", topic_id = "Aufgabe" }}
items = ["Zufrieden"]
"""
ODD = ['"', ";", "\r", "\0", "\u00e9", "\u202e", "<b>", "=1+1", "'"]


def damaged(text, draw):
    """A text with one thing wrong."""
    lines, at, place = text.split("\n"), draw.randrange(text.count("\n") + 1), draw.randrange(len(text) + 1)
    line = lines[at]
    kinds = {
        "something odd": lambda: text[:place] + draw.choice(ODD) + text[place:],
        "something lost": lambda: text[:place] + text[place + draw.randint(1, 9) :],
        "a row twice": lambda: "\n".join([*lines[:at], draw.choice(lines), *lines[at:]]),
        "another order of fields": lambda: text.replace(
            line, ";".join(draw.sample(line.split(";"), line.count(";") + 1)), 1
        ),
        "another order of rows": lambda: "\n".join(reversed(lines)),
        "fields too many": lambda: text.replace(line, f"{line};;extra;", 1),
        "fields too few": lambda: text.replace(line, line.split(";")[0], 1),
        "other words": lambda: text.replace("ja", draw.choice(["JA", "vielleicht", "1", ""]), draw.randint(1, 9)),
        "other marks": lambda: text.replace(",", draw.choice([".", ",,", "\u00a0,"]), draw.randint(1, 9)),
    }
    return kinds[draw.choice([*kinds])]()


@pytest.mark.few(4, slow=10)
@pytest.mark.parametrize("seed", range(300))
def test_a_damaged_sheet_is_refused_or_read_alike_in_both_ways(tmp_path, monkeypatch, seed):
    draw = random.Random(seed)  # noqa: S311 - damage, not secrets
    text = HEADER + "".join(ROWS)
    for _ in range(draw.randint(1, 4)):
        text = damaged(text, draw)
    (tmp_path / "log.csv").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "study.toml").write_text(TOML)
    found = []
    for way in ("in memory", "in batches"):
        if way == "in batches":
            in_batches(monkeypatch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                study = sk.read(tmp_path / "study.toml")
            except (DataError, UsageError) as error:
                found.append(str(error))
                continue
            assert not unaccounted(study)
            found.append(([getattr(study, name).collect().to_dict(as_series=False) for name in TABLES], study.notes))
    assert found[0] == found[1]
