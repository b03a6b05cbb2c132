"""Bands read from where their lines stand: each line once, users whole and in order; files out of order are told."""

import itertools
import random
import re

import polars as pl
import pytest

from sessionkit.contract import RECORD, RULE
from sessionkit.readers.flat import bands
from sessionkit.readers.flat.bands import STRIDE, TEXT, Key, UndecodableError, bounds_of, lines_of, marks_of
from sessionkit.readers.flat.spans import SplitUserError, in_place
from sessionkit.readers.io.log_files import open_log

KEY = Key("user", re.compile(rb"([^\t\n]*)\t"))
USER = pl.col(TEXT).str.splitn("\t", 2).struct.field("field_0").alias("user")


def read(file):
    """Lines with their users; those with a mark of exclamation break a rule."""
    unfit = pl.col(TEXT).str.contains("!", literal=True)
    return lines_of(file).with_columns(USER, pl.when(unfit).then(pl.lit("rule")).alias(RULE))


@pytest.fixture
def cut(write, tmp_path, monkeypatch):
    """Cut files of these lines into bands; return each as (record, text)."""

    def cut(*files, size=300, ending="\n"):
        monkeypatch.setattr(bands, "BAND_BYTES", size)
        monkeypatch.setattr(bands, "BLOCK", 60)
        opened = [
            open_log(str(write(f"{number}.txt", "\n".join(lines) + ending)), tmp_path, tmp_path)
            for number, lines in enumerate(files)
        ]
        marks = [marks_of(file, KEY) for file in opened]
        found = in_place(opened, marks, read, KEY, bounds_of(marks, 99))
        return [band().select(RECORD, TEXT).collect().rows() for band in found]

    return cut


def log(chance, users):
    """Lines of these users, some blank, without user or cut short."""
    for user in users:
        for number in range(chance.randint(1, 7)):
            yield f"{user}\tline {number} {'x' * chance.randint(0, 20)}"
            if chance.random() < 0.05:
                yield chance.choice(["", " \t", "no user at all!", "\tnobody!"])


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("order", [lambda user: user, int], ids=["as texts", "as numbers"])
def test_users_are_whole_and_in_order(cut, order, seed):
    chance = random.Random(seed)  # noqa: S311
    users = [sorted({str(chance.randint(1, 3000)) for _ in range(200)}, key=order) for _ in range(2)]
    files = [["user\tname of columns!", *log(chance, mine)] for mine in users]
    found = cut(*files, ending=chance.choice(["", "\n"]))
    assert len(found) > 10
    named = [{text.split("\t")[0] for _, text in band if "!" not in text} for band in found]
    assert all(max(before) < min(after) for before, after in itertools.pairwise(each for each in named if each))
    assert all(band == sorted(band) for band in found)
    every = [
        (number * STRIDE + place, line)
        for number, lines in enumerate(files)
        for place, line in enumerate(lines, 1)
        if line.strip()
    ]
    assert sorted(row for band in found for row in band) == every


def test_a_user_who_comes_back_is_out_of_order(cut):
    users = [str(1000 + number) for number in range(300)]
    again = [f"{user}\tline" for user in [*users[:150], "1009", *users[150:]]]
    with pytest.raises(SplitUserError):
        cut(again)
    with pytest.raises(SplitUserError):
        cut([f"{user}\tline" for user in users], [f"{user}\tline" for user in reversed(users)])


def test_bytes_that_are_no_text_are_told(cut, write, tmp_path):
    file = open_log(str(write("a.txt", b"1\ta\n2\t\xff\n3\tc\n" * 2)), tmp_path, tmp_path)
    with pytest.raises(UndecodableError):
        next(in_place([file], [marks_of(file, KEY)], read, KEY, []))()
