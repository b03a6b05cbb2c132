"""Delimited text in pieces: the records and numbers of the whole, or a refusal."""

from dataclasses import replace

import polars as pl
import pytest

from sessionkit.contract import RECORD, VALUE
from sessionkit.readers.io import fields
from sessionkit.readers.io.fields import DelimitedForm, UnevenError, marked, pieces, scanned
from sessionkit.readers.io.record_store import joined

FORM = DelimitedForm(("a", "b"), ",", '"')


def read(path, form=FORM, skip=1):
    return joined(list(pieces(path, form, skip, lambda frame: frame)))


@pytest.mark.parametrize("size", [12, 16, 24, 1000])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz"])
def test_pieces_are_the_whole(write, monkeypatch, size, ending, name):
    monkeypatch.setattr(fields, "PIECE", size)
    text = ending.join(["a,b", "1,x", ",", '2,"y"', "3", "  ", "4,u,more", '"5",v'])
    path = write(name, text)
    whole = marked(scanned(path, FORM, skip=1), FORM).collect()
    assert read(path).select(whole.columns).rows() == whole.rows()
    assert whole[RECORD].to_list() == [1, 3, 4, 6, 7], "the second has no fields, the fifth blanks alone"


@pytest.mark.parametrize(
    "text", ["a,b\n1,x\n\n2,y\n", 'a,b\n1,"x\ny"\n2,z\n', "a,b\n\n1,x\n", 'a,b\n1,"x\n2,y"\n', "a,b\n" + "x" * 50]
)
def test_lines_that_are_no_records_are_refused(write, monkeypatch, text):
    monkeypatch.setattr(fields, "PIECE", 30)
    with pytest.raises(UnevenError):
        read(write("log.csv", text))


def test_quotes_that_are_data_are_no_reason(write):
    path = write("log.csv", 'a,b\n1,"x\n2,y\n')
    assert read(path, DelimitedForm(("a", "b"), ",", None))["b"].to_list() == ['"x', "y"]


@pytest.mark.parametrize("lines", ["x,1\ny,2,more\n", "y,2,more\nx,1\n"], ids=["the last", "the first"])
def test_a_record_with_more_fields_costs_no_number(write, lines):
    found = read(write("log.csv", "a,b\n" + lines), replace(FORM, numbers={"b": pl.Int32()}))
    assert found.sort("a").select("a", "b", VALUE).rows() == [("x", 1, None), ("y", 2, "more")]


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8, 9, 100])
def test_texts_are_whole_lines_however_the_file_is_packed(write, monkeypatch, size):
    monkeypatch.setattr(fields, "PIECE", size)
    text = "a\n1\n22\n333\n\n4444"
    plain, packed = (list(fields.texts(write(name, text), None, 1)) for name in ("log.csv", "log.csv.gz"))
    assert plain == packed
    assert b"".join(plain) == text.removeprefix("a\n").encode()
    assert all(piece.endswith(b"\n") for piece in plain[:-1])
