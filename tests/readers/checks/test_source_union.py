"""Several files of one log."""

import warnings

import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers.read import read

AOL = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\tcats\t2006-03-01 10:00:00\t1\thttp://a\n"
RUN = "1 Q0 d 1 2.5 tag\n"


@pytest.mark.parametrize("text", [AOL, RUN])
def test_a_file_given_twice_under_two_names_is_told(write, text):
    one, other, third = write("one", text), write("other", text), write("third", text.replace("1", "2"))
    with pytest.warns(DataWarning) as caught:
        study = read([one, other, third])
    said = [str(warning.message) for warning in caught if "are identical" in str(warning.message)]
    assert said == ["one and other are identical; their records are read once for each"]
    assert said[0] in study.notes


def test_files_of_one_size_are_not_the_same(write):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read([write("one", RUN), write("other", RUN.replace("d", "e"))])
    assert not [warning for warning in caught if "are identical" in str(warning.message)]
