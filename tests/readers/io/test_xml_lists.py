"""Lists taken from text: they say what the parser says of them, and whatever is unusual is left to the parser."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError
from sessionkit.readers.io import markup
from sessionkit.readers.io.log_files import open_log
from sessionkit.readers.io.markup import Markup
from sessionkit.readers.io.xml_lists import TAKEN, Listing
from sessionkit.readers.io.xml_texts import TextSpan
from tests.support.examples import examples

PLAIN = '<l><r k="1"><a>x &amp;amp; y</a>\n<b/></r>\r\n<r k=" 2 "><a> é &lt;</a><b>z</b></r></l>'
INSERTED = [
    *(
        "<!-- c -->",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?p i?>",
        "<?p ",
        "<l>",
        "</l>",
        "<l/>",
        "<l />",
        '<l k="1">',
        PLAIN,
    ),
    *("text", "&", "&#65;", "&amp;", ">", "<", "\x01", "\r", "\n", "\ufffe", '<r k="3">', "</r>", "<a>", "</a>", "<s>"),
    *("</s>", f'<l {TAKEN}="1">', '<r k="4"><a>1</a><b>2</b></r>', "<r/>", ' xmlns="u"', ' j="1"', "'", '"', "\t"),
]


def whole(element):
    """All that an element says."""
    return element.tag, dict(element.attrib), (element.text or "").strip(), [whole(one) for one in element]


def said(path, listing):
    """What the elements of a file say, with their lists; or what is wrong with it; and how many lists were taken."""
    file = Markup(open_log(path.name, path.parent, path.parent))
    told, taken = [], 0
    try:
        for element in file.elements("s", listing):
            for leaf in element:
                if leaf.tag != "l":
                    told.append((leaf.tag, dict(leaf.attrib), (leaf.text or "").strip()))
                    continue
                taken += leaf.get(TAKEN) in file._lists
                found = file.block(leaf)
                block = found.block if isinstance(found, TextSpan) else found
                told.append(whole(leaf) if block is None else {k: [v or "" for v in block[k]] for k in block})
    except DataError as error:  # how much came before depends on where pieces are cut
        return [str(error)], taken
    return told, taken


def told_alike(folder, text):
    """Whether a text says the same with lists taken and without; return how many were."""
    path = folder / "log.xml"
    path.write_bytes(text.encode())
    plain, _ = said(path, None)
    listed, taken = said(path, Listing("l", "r", apart=["s"]))
    assert listed == plain
    return taken


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from(INSERTED)), min_size=1, max_size=3),
    st.sampled_from([9, 10**6]),
)
def test_whatever_stands_anywhere_says_the_same(tmp_path_factory, places, piece):
    text = f"<d>\n<s>{PLAIN}</s>\n<s><q>1</q>{PLAIN}\n{PLAIN}</s>\n</d>"
    for place, inserted in places:
        text = text[:place] + inserted + text[place:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markup, "PIECE", piece)
        told_alike(tmp_path_factory.mktemp("listed"), text)


@pytest.mark.parametrize("piece", [1, 7, 64, 10**6])
def test_lists_of_like_entries_are_taken_wherever_pieces_are_cut(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(markup, "PIECE", piece)
    assert told_alike(tmp_path, f"<?xml version='1.0'?><d><s>{PLAIN}</s><s>{PLAIN}{PLAIN}</s></d>") == 3


@pytest.mark.parametrize(
    ("instead", "taken"),
    [
        ('<l><r k="1"><a>&#65;</a></r></l>', 1),
        ("<l><r k='1'><a>1</a></r></l>", 1),
        ('<l><r k="1" j="2"><a>1</a></r></l>', 1),
        ('<l><r k="1"><b/><a>1</a></r></l>', 1),
        ('<l><r k="1"><a>1<i>2</i></a><b/></r></l>', 1),
        ('<l><r k="1"><a>1</a>text<b/></r></l>', 1),
        ("<l/><l></l><l> </l>", 1),
        ('<l><r k="1"><a>not ]]> well-formed</a></r></l>', 0),
        ('<l><r k="1"><a>not \x01 well-formed</a></r></l>', 0),
        ("<l><!-- none --></l>", 0),
        (f"<!-- {PLAIN} -->", 0),
        (f"<![CDATA[{PLAIN}]]>", 0),
        (f'<l k="1"><r><a>{PLAIN}</a></r></l>', 0),
        (f'<l><r k="1"><a>{PLAIN}</a></r></l>', 0),
        ('<x xmlns="u"/>', 0),
        (f'<l {TAKEN}="1"/>', 0),
    ],
)
def test_others_are_left_to_the_parser(tmp_path, instead, taken):
    assert told_alike(tmp_path, f"<d><s>{PLAIN}</s><s>{instead}</s></d>") == taken


@pytest.mark.parametrize(("name", "taken"), [("s", 0), ("ours", 0), ("xmlns", 0), ("other", 1)])
def test_lists_with_an_element_that_is_to_be_apart_are_left_to_the_parser(tmp_path, name, taken):
    path = tmp_path / "log.xml"
    path.write_text(f'<d><s><l><r k="1"><{name}>x</{name}></r></l></s></d>')
    assert said(path, Listing("l", "r", apart=["s", "ours"]))[1] == taken


def test_a_comment_ends_and_lists_are_taken_again(tmp_path, monkeypatch):
    monkeypatch.setattr(markup, "PIECE", 50)
    begun = "<d><s>" + "<q>1</q>" * 20
    assert told_alike(tmp_path, f"{begun}<!-- aside -->{'<q>1</q>' * 20}{PLAIN}</s></d>") == 1
    assert told_alike(tmp_path, f"{begun}<!-- {'<q>1</q>' * 20}{PLAIN} --></s></d>") == 0


def test_nothing_is_taken_from_pieces_after_something_unusual(tmp_path, monkeypatch):
    monkeypatch.setattr(markup, "PIECE", 50)  # later pieces have been looked at by the time
    text = f"<d><s>{PLAIN}</s>{{}}<s>{PLAIN}{PLAIN}</s></d>"
    assert told_alike(tmp_path, text.format("")) == 3
    assert told_alike(tmp_path, text.format('<x xmlns="u"/>')) == 1


def test_other_encodings_are_left_to_the_parser(tmp_path):
    for declared, taken in (("utf-8", 1), ("iso-8859-1", 0)):
        text = f"<?xml version='1.0' encoding='{declared}'?><d><s>{PLAIN}</s></d>"
        assert told_alike(tmp_path, text) == taken


def test_errors_name_their_line_after_lists_that_were_taken(tmp_path):
    path = tmp_path / "log.xml"
    path.write_text(f"<d><s>{PLAIN}</s>\n<s>{PLAIN}</x></d>", newline="")
    # each list has two line ends, and there is one between: line 6
    assert said(path, Listing("l", "r", apart=["s"]))[0][-1].startswith(
        "log.xml, line 6: not well-formed XML (mismatched tag)"
    )
