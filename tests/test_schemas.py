"""The schema files: valid Table Schemas and JSON Schema, complete, and the only place where columns are declared."""

import jsonschema
import pytest
from frictionless import Schema

from sessionkit.readers import FORMATS
from sessionkit.readers.config import EXCLUDES, SECTIONS
from sessionkit.study import Settings
from sessionkit.study.schema import DTYPES, TABLES, document, table

ALL = (*TABLES, "rejected")


@pytest.mark.parametrize("name", ALL)
def test_frictionless_accepts_the_schema(name):
    assert list(Schema.metadata_validate(document(name))) == []


@pytest.mark.parametrize("name", ALL)
def test_every_field_says_what_it_is(name):
    for field in document(name)["fields"]:
        assert field["description"].endswith((".", "timezone")), field["name"]
        assert field["dtype"] in DTYPES
        assert "example" in field
        if field["name"].endswith("_seconds"):
            assert field["unit"] == "s"


@pytest.mark.parametrize("name", ALL)
def test_examples_keep_the_constraints(name):
    kinds = {"string": str, "integer": int, "number": float, "boolean": bool, "datetime": str}
    for field, declared in zip(document(name)["fields"], table(name).fields, strict=True):
        example = field["example"]
        assert isinstance(example, kinds[field["type"]])
        assert declared.minimum is None or example >= declared.minimum
        assert declared.enum is None or example in declared.enum


@pytest.mark.parametrize("name", TABLES)
def test_keys_and_rules_name_fields_that_exist(name):
    schema = table(name)
    assert set(schema.key) <= set(schema.required)
    for rule in schema.rules:
        assert set(rule.fields) <= set(schema.names)
        assert rule.description.endswith(".")
        assert rule.name.count("_") >= 2, "a rule's name is a sentence"
    for key in document(name).get("foreignKeys", []):
        assert tuple(key["reference"]["fields"]) == table(key["reference"]["resource"]).key


def test_judgments_have_no_primary_key_because_several_rows_of_one_document_are_merged():
    assert table("judgments").key == ()


def test_study_toml_schema_is_a_schema_and_forbids_unknown_keys():
    schema = document("study.schema")
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert all(schema["properties"][name]["additionalProperties"] is False for name in SECTIONS)


def test_settings_and_study_toml_agree():
    keys = set(document("study.schema")["properties"]) - {
        "format",
        "path",
        "encoding",
        "questionnaires",
        "defaults",
        *EXCLUDES,
        *SECTIONS,
        *FORMATS["tables"].options,
    }
    assert keys == set(Settings().as_dict())
