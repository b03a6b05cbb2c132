"""What columns are called in the field."""

import pytest

from sessionkit.contract import TABLES, table
from sessionkit.readers.propose.column_names import USUAL, likeness


@pytest.mark.parametrize("name", TABLES)
def test_every_column_of_ours_is_found_under_its_own_name(name):
    for ours in table(name).names:
        assert likeness(ours, ours) == 1.0
        assert likeness(ours.replace("_", " ").upper(), ours) == 1.0


def test_no_usual_name_is_said_twice_of_a_column():
    assert all(len(names) == len(set(names)) for names in USUAL.values())


def test_a_name_is_more_like_the_column_it_is_of():
    assert likeness("subject no.", "user_id") > likeness("subject no.", "session_id") == 0
    assert likeness("query", "query_text") == max(likeness("query", ours) for ours in USUAL)
