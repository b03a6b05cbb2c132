"""The parts that a report has when they are asked for, by name, and the section in which each stands."""

from importlib import import_module

from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.parts import Heading, Part, Words
from sessionkit.reports.report_data import Material

PARTS: dict[str, tuple[str, str, str, str]] = {
    "mixed": ("measures", "The mixed model", "groups compared for users and topics like these", "extra_parts"),
    "power": ("measures", "A study to come", "how large it must be to find the declared difference", "extra_parts"),
    "discriminate": (
        "measures",
        "Discriminative power",
        "how many pairs each measure tells apart",
        "extra_parts",
    ),
    "noise": (
        "judgments",
        "Noise of judges",
        "how far another round of judging could move the comparison",
        "extra_parts",
    ),
}
"""Of each its section, what it is called, what it says, and the file with the function of its name that makes it."""


def further(of: Material, section: str) -> list[Part]:
    """The parts of a section that were asked for; of one that the study does not support the reason."""
    parts: list[Part] = []
    for name, (where, title, what, home) in PARTS.items():
        if where != section or name not in of.also.parts:
            continue
        try:
            made: list[Part] = getattr(import_module(f"{__package__}.{home}"), name)(of)
        except (DataError, MeasureError, UsageError) as error:
            made = [Words((f"Not worked out: {of.redaction.note(str(error))}.",))]
        parts += [Heading(f"{title}: {what}"), *made]
    return parts
