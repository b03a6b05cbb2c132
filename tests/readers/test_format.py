"""What holds for every format in the registries."""

from contextlib import suppress

import pytest
from jsonschema import Draft202012Validator

from sessionkit.errors import SessionkitError
from sessionkit.readers import FORMATS, JUDGMENTS
from sessionkit.readers.config import SETTINGS, schema_of
from sessionkit.readers.format import KINDS, TEXT, TOPIC, Glimpse
from sessionkit.readers.read import read
from sessionkit.study.schema import document

OURS = {"exclude", "exclude_query_doc", "questionnaires", "format", "path", "judgments", "defaults", *SETTINGS}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_is_and_what_it_was_tried_on(name):
    entry = FORMATS[name]
    assert entry.description
    assert not entry.description.endswith(".")
    assert name == "tables" or entry.tried, "say on which real files, or: never tried on a real file; built from ..."


@pytest.mark.few(8)
@pytest.mark.parametrize("name", FORMATS)
def test_its_options_fit_into_study_toml(name):
    options = FORMATS[name].options
    assert not OURS & set(options)
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    path = {} if name == "tables" else {"path": "x"}  # tables name their files one by one
    for key, option in options.items():
        assert option.meaning.endswith(".")
        kinds = [option.kind] if isinstance(option.kind, str) else option.kind
        assert set(kinds) <= set(KINDS)
        if option.default is not None:
            assert Draft202012Validator(schema).is_valid({"format": name, **path, key: option.default}), key


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_fits_what_shows_nothing(name, tmp_path):
    fits = FORMATS[name].fits
    if fits is not None:
        assert not fits(Glimpse(tmp_path / "none", "none", ""))
        assert not fits(Glimpse(tmp_path, "folder", "", is_folder=True))


@pytest.mark.parametrize("name", JUDGMENTS)
def test_judgments_say_what_they_are(name):
    entry = JUDGMENTS[name]
    assert entry.description
    assert entry.keys in (TOPIC, TEXT)
    assert entry.fits is not None or name == "tables"


def test_the_schema_of_study_toml_is_that_of_tables_and_names_path_and_encoding_of_others():
    properties = document("study.schema")["properties"]
    assert set(schema_of("tables")["properties"]) == set(properties) - {"path", "encoding"}
    # Sogou has an encoding of its own, which forgives what cannot be read
    assert set(schema_of("core")["properties"]) == OURS | {"merge_queries", "encoding"}


JUNK = {
    "words.txt": b"hello world\n",
    "object.ndjson": b'{"a":1}\n',
    "binary.dat": b"\x00\x01\x02\x03 binary",
    "empty.txt": b"",
    "blank.txt": b"\n\n\n",
    "cut.xml": b'<?xml version="1.0"?><a><b></b>',
    "two.csv": b"a,b\n1,2\n",
    "list.json": b"[]",
    "object.json": b"{}",
}


@pytest.mark.few(5, slow=8)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_what_is_no_log_of_a_format_is_refused_or_rejected(tmp_path, name):
    for file, content in JUNK.items():
        (tmp_path / file).write_bytes(content)
        with suppress(SessionkitError):
            assert read(tmp_path / file, format=name).facts.results == 0
