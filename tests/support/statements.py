"""Checks of what findings say: every kind of statement is held by a golden file, and its values agree with the tables."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from sessionkit.display.statements import require_kinds

GOLDEN = Path(__file__).parents[1] / "statements"


def require_golden(name, findings):
    """Assert that the findings say each of their kinds, and say it as the golden file of this name has it."""
    kinds = type(findings[0]).KINDS
    statements = [statement for finding in findings for statement in finding.statements]
    assert {statement.kind for statement in statements} == {*kinds}
    told = [{"kind": each.kind, "text": each.text, "values": dict(each.values)} for each in statements]
    path = GOLDEN / f"{name}.json"
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    golden = json.loads(path.read_text())
    assert len(told) == len(golden)
    for statement, expected in zip(told, golden, strict=True):
        assert statement["kind"] == expected["kind"]
        assert statement["text"] == expected["text"]
        assert are_close(json.loads(json.dumps(statement["values"])), expected["values"]), statement


def are_close(value, other):
    """Return whether two values of JSON are equal, numbers within rounding."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(are_close(value[key], other[key]) for key in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(are_close, value, other))
    if isinstance(value, float) and isinstance(other, float):
        return value == pytest.approx(other, rel=1e-9, abs=1e-12)
    return type(value) is type(other) and value == other


def require_noticed(check, finding):
    """Assert that a check of a finding notices each statement of another kind, and each other value.

    Parameters
    ----------
    check
        Called with a finding and one of its statements; raises AssertionError where the statement and the tables disagree.
    finding
        A finding whose statements agree with its tables.
    """
    kinds = type(finding).KINDS
    for statement in finding.statements:
        check(finding, statement)
        for changed in mutations(statement, kinds):
            assert is_refused(check, finding, changed), f"nobody noticed {changed}"


def is_refused(check, finding, statement):
    """Return whether a statement is of no declared kind, has other values than its kind, or fails a check."""
    try:
        require_kinds([statement], type(finding).KINDS)
        check(finding, statement)
    except (AssertionError, ValueError):
        return True
    return False


def mutations(statement, kinds):
    """Yield the statement with each other kind, and with each of its values changed."""
    for kind in kinds:
        if kind != statement.kind:
            yield replace(statement, kind=kind)
    for name, value in statement.values.items():
        yield replace(statement, values={**statement.values, name: changed_value(value)})


def changed_value(value):
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return value + 0.25
        case str():
            return f"{value}?"
        case None:
            return 0.125
        case dict():
            return {**value, "another": 1}
        case _:
            return [*value, "another"]


def check_sessions(finding, statement, sessions, of):
    """Assert that a statement about the sessions that take part has the condition that was asked for, and these counts."""
    assert dict(statement.values) == {"condition": finding.provenance.where, "sessions": sessions, "of": of}


def check_left_out(finding, statement):
    """Assert that a statement about what was left out is a row of the table of that."""
    counts = dict(finding.left_out.select("what", "count").rows())
    assert {**statement.values, "counts": None} == {"level": None, "measure": None, "counts": None}
    ((what, count),) = statement.values["counts"].items()
    assert counts[what] == count


def only_values(finding, kind):
    """The values of the one statement of a kind."""
    (statement,) = finding.of_kind(kind)
    return dict(statement.values)


def claim_of(finding):
    """Whom the claim of a comparison is about: the population, and the least and most users and topics."""
    values = only_values(finding, "claim")
    return values["population"], tuple(values["users"]), tuple(values["topics"])
