"""A page as tests read it: its elements, its text, its charts."""

import json
import re
from html.parser import HTMLParser


class Reader(HTMLParser):
    """The elements of a page, and its text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self._inside = [], "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):  # noqa: ARG002
        self._inside = None

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.text += data


def has_parts(text, *parts):
    """Return whether a text has these parts, in this order; for values in a sentence whose words may change."""
    start = 0
    for part in parts:
        at = text.find(part, start)
        if at < 0:
            return False
        start = at + len(part)
    return True


def without_terms(text):
    """Return a page without the marks of terms that have a tooltip."""
    return re.sub("</?dfn[^>]*>", "", text)


def specs(text):
    """Return the charts of a page."""
    return [json.loads(found) for found in re.findall(r'data-chart="[^"]*">(.*?)</script>', text)]
