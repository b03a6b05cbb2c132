"""Templates escape whatever is no HTML, wherever it stands."""

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup

from sessionkit.display.labels import printable
from sessionkit.display.templates import escaped, json_text, macros, rendered, shortened_text, worded
from sessionkit.reports.parts import Terms, Words

TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)


class Elements(HTMLParser):
    """The tags and the text of some HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *attrs))

    def handle_data(self, data):
        self.text += data


@given(TEXTS)
def test_escaped_text_is_read_back_and_makes_no_element(text):
    made = Elements(str(escaped(text)))
    assert not made.tags
    assert made.text == shortened_text(printable(text))


@given(TEXTS)
def test_words_from_right_to_left_are_set_apart_and_nothing_else_is_added(text):
    made = Elements(str(worded(text)))
    assert {tag for tag, *_ in made.tags} <= {"bdi"}
    assert made.text == shortened_text(printable(text))


@given(TEXTS)
def test_a_value_makes_no_element_and_leaves_no_attribute(text):
    written = macros("reports/parts.html")
    assert Elements(written.words(Words((text,), lead=True))).tags[0] == ("p", ("class", "lead"))
    tags = {tag for tag, *_ in Elements(written.terms(Terms(((text, text),)))).tags}
    assert tags <= {"dl", "dt", "dd", "bdi"}
    page = Elements(rendered("reports/report.html", title="", about=text, banner="!" + text, sections=text))
    assert [tag for tag, *_ in page.tags if tag != "bdi"] == ["a", "main", "h1", "p", "p"]
    chart = Elements(rendered("charts/place.html", name=text, spec={text: text}))
    assert [(tag, [name for name, _ in given]) for tag, *given in chart.tags] == [
        ("div", ["class", "id"]),
        ("script", ["type", "data-chart"]),
    ]
    assert chart.tags[0][2] == ("id", shortened_text(printable(text)))


def test_what_is_html_already_stays():
    made = rendered("reports/report.html", title="T", about="A", banner="", sections=Markup("<section></section>"))
    assert "<section></section></main>" in made
    assert 'class="banner"' not in made


def test_a_name_that_nobody_gave_is_an_error():
    with pytest.raises(UndefinedError, match="about"):
        rendered("reports/report.html", title="T")


@given(TEXTS)
def test_json_reads_back_and_cannot_end_its_element(text):
    written = json_text({"text": text})
    assert json.loads(written) == {"text": text}
    assert not set("<>&\u2028\u2029") & set(written)
