"""HTML taken apart."""

from html.parser import HTMLParser

import pytest


class Elements(HTMLParser):
    """The tags of some HTML, and its text outside styles."""

    def __init__(self):
        super().__init__()
        self.tags, self.text, self._inside = set(), "", ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self._inside = tag
        assert {name for name, _ in attrs} <= {"class", "dir"}

    def handle_data(self, data):
        self.text += "" if self._inside == "style" else data


@pytest.fixture
def elements():
    def elements(text):
        parser = Elements()
        parser.feed(text)
        parser.close()
        return parser.tags, parser.text

    return elements
