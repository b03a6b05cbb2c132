"""Bands of flat logs: all lines of a user together, each line once, numbers that tell the file."""

import itertools
import re
from types import SimpleNamespace

import polars as pl
import pytest

from sessionkit.contract import RECORD
from sessionkit.readers.flat import bands
from sessionkit.readers.flat.bands import STRIDE, TEXT, Key, banded, bounds_of, lines_of, marks_of
from sessionkit.readers.io.log_files import open_log

KEY = Key("user", re.compile(rb"([^\t\n]*)\t"))
USER = pl.col(TEXT).str.splitn("\t", 2).struct.field("field_0").alias("user")


@pytest.fixture
def cut(write, tmp_path, monkeypatch):
    """Cut files of these lines into bands; return each as (record, text)."""

    def cut(*files, is_large=True, size=40):
        monkeypatch.setattr(bands, "BAND_BYTES", size)
        monkeypatch.setattr(bands, "BLOCK", 10)
        opened = [
            open_log(str(write(f"{number}.txt", "\n".join(lines) + "\n")), tmp_path, tmp_path)
            for number, lines in enumerate(files)
        ]
        log = SimpleNamespace(is_large=is_large, workspace=tmp_path)
        frames = [lines_of(file).with_columns(USER) for file in opened]
        bounds = bounds_of([marks_of(file, KEY) for file in opened], 99) if is_large else []
        return [band().select(RECORD, TEXT).collect().rows() for band in banded(log, opened, frames, KEY, bounds)]

    return cut


def test_users_are_whole_and_in_order(cut):
    files = [[f"u{n * 7 % 5}\tline {n}" for n in range(40)], [f"u{n % 9}\tmore {n}" for n in range(30)]]
    found = cut(*files)
    assert len(found) > 3
    users = [{text.split("\t")[0] for _, text in band} for band in found]
    assert all(max(before) < min(after) for before, after in itertools.pairwise(users))
    assert all(band == sorted(band) for band in found)
    every = [
        (number * STRIDE + place, line) for number, lines in enumerate(files) for place, line in enumerate(lines, 1)
    ]
    assert sorted(row for band in found for row in band) == every


def test_a_small_log_is_one_band(cut):
    assert cut(["b\t1", "", "a\t2"], ["c\t1"], is_large=False) == [[(1, "b\t1"), (3, "a\t2"), (STRIDE + 1, "c\t1")]]


def test_one_user_is_one_band_however_long(cut):
    assert [len(band) for band in cut(["u\tx"] * 99)] == [99]


def test_lines_without_the_key_are_in_some_band(cut):
    assert sum(map(len, cut(["no tab"] * 5 + [f"u{n}\tx" for n in range(40)]))) == 45
