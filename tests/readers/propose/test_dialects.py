"""How texts are written: separators, quotes and header lines, told from the text alone."""

import pytest

from sessionkit.readers.propose.sample import dialect_of

ROWS = [("s1", "1", "1", "a"), ("s1", "1", "2", "b"), ("s2", "1", "1", "c")]
HEADER = ("session", "query_no", "rank", "doc")


def text(separator, *, header=True, rows=ROWS, quote=""):
    lines = [HEADER, *rows] if header else rows
    return "".join(separator.join(f"{quote}{field}{quote}" for field in row) + "\n" for row in lines)


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("implied", [None, ",", "\t"])
def test_the_separator_and_the_header_are_found_whatever_the_name_implies(separator, header, implied):
    found = dialect_of(text(separator, header=header), implied)
    assert (found.separator, found.header) == (separator, header)
    assert found.names == (HEADER if header else ROWS[0])


def test_blanks_separate_where_nothing_else_does():
    assert dialect_of("q1  0\td1 1\nq1 0 d2   0\n", None).separator == "whitespace"
    assert dialect_of("s1 1 1 http://x?a=1,2\ns1 1 2 http://x?a=2,3\n", None).separator == "whitespace"
    assert dialect_of("s1 1,x\ns1 2,y\n", ",").separator == ","
    assert dialect_of("q1 a\t0\nq2 b c\t0\n", None).separator == "\t"


def test_commas_in_numbers_and_in_texts_separate_nothing():
    assert dialect_of("session;score\ns1;0,5\ns2;1,25\n", ",").separator == ";"
    assert dialect_of("session\ttext\ns1\ta, b\ns2\tc, d\n", None).separator == "\t"


def test_what_has_no_even_fields_is_no_table():
    assert dialect_of("It was a dark night.\nNobody came, I think.\nThen one did; or two.\n", None) is None
    assert dialect_of("one\ntwo\nthree\n", ",") is None


@pytest.mark.parametrize(
    ("content", "quoted"),
    [
        ("session,query\ns1,plain\n", None),
        ('session,query\ns1,"a, b"\ns2,c\n', True),  # a separator within
        ('session,query\ns1,"say ""hi"""\ns2,c\n', True),  # doubled quotes
        ('"session","query"\n"s1","a"\n', True),  # all between quotes
        ('session\tquery\ns1\t"exact phrase"\ns2\tplain\n', False),  # a query as typed
        ('session\tquery\ns1\t"unclosed\ns2\tplain\ns3\tx" y\n', False),
        ('session,query\ns1,5" disk\ns2,plain\n', False),
    ],
)
def test_quotes_keep_fields_together_only_where_something_shows_it(content, quoted):
    assert dialect_of(content, None).quoted is quoted


def test_quotes_far_down_are_seen():
    assert dialect_of("session,query\n" + "s1,a\n" * 1000 + 's1,"b, c"\n', None).quoted is True


def test_a_first_line_of_words_alone_leaves_it_open_whether_it_names_columns():
    assert dialect_of("alpha,beta\nred,blue\ngreen,white\n", None).header is None
    assert dialect_of("red,blue\nred,white\n", None).header is False  # its first comes again


def test_a_line_with_numbers_in_it_names_columns_only_if_most_are_known():
    assert dialect_of("session,rank,doc,2019\ns1,1,a,5\n", None).header is True
    assert dialect_of("click,2024-01-01 10:00:00,s1\nquery,2024-01-01 10:00:01,s2\n", None).header is False
