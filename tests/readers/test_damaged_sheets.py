"""A sheet of one's own study with a few things damaged at random: refused by name, or read alike in memory and in batches."""

import random
import warnings

import pytest

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from tests.support.batchers import in_batches
from tests.support.log_mutations import unaccounted

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


@pytest.mark.few(8, slow=52)
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
