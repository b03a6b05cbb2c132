"""What a reader of the page meets: prose without commands, since the page has no shell."""

import html
import re

import pytest

from sessionkit.reports import report
from sessionkit.reports.choices import Redaction
from sessionkit.reports.report_data import Material
from tests.support.clinic import read_clinic

COMMAND = re.compile(r"\bsessionkit [a-z]|(?<![\w-])--[a-z]")


def prose_of(text):
    """Return the text of a page outside commands to copy, which stand folded under "Data and method", and outside drawings."""
    main = re.search(r"(?s)<main>.*</main>", text)[0]
    return html.unescape(re.sub(r"(?s)<(script|pre).*?</\1>|<[^>]+>", "\n", main))


@pytest.mark.slow
@pytest.mark.parametrize("study", ["clinic", "unjudged", "one-system", "one-session", "large"])
def test_no_prose_of_a_page_names_a_command_or_an_option(make, monkeypatch, study):
    if study == "large":
        monkeypatch.setattr(Material, "large", True)
    made = {
        "clinic": read_clinic,
        "large": read_clinic,
        "unjudged": lambda: make(judged=False, sessions=6),
        "one-system": lambda: make(systems=(None,), sessions=6),
        "one-session": lambda: make(sessions=1),
    }[study]()
    text = report(made)
    assert "sessionkit score STUDY nsDCG@10 --per session --wide" in text
    assert [line for line in prose_of(text).splitlines() if COMMAND.search(line)] == []


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("no session; see what was rejected: sessionkit check", "no session"),
        ("one grid only (sessionkit calibrate --table grids).", "one grid only."),
        ("These hold here; to generalize, use: sessionkit compare.", "These hold here."),
        ("sessionkit 1.2 scored it (twice).", "sessionkit 1.2 scored it (twice)."),
        ("'x; see: sessionkit check' is a group", "'x; see: sessionkit check' is a group"),
    ],
    ids=["see", "brackets", "use", "version", "within-a-name"],
)
def test_a_note_stands_without_the_command_it_ends_with(note, shown):
    assert Redaction().note(note) == shown
