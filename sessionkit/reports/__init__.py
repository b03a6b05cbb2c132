"""The report: one HTML file of a study's tables, scores, figures, method and notes.

In comes a study; out goes a page. Open `page.py` first.

::

    page.py          puts the page together
    sections/        what each section says
    html.py          sections, figures and tables as HTML; tables are saved as sessionkit.display writes them
    figures/         the figures and captions
    single.py        one figure as asked
    choices.py       what the figures share
    method.py        every choice in words; the fingerprint of the data
    style_sheet.py   the style sheet
    drawing.js       what its own scripts share
    live/            other discounts in the page
    explorer/        sessions one by one in the page
    redaction.py     what must not be passed on
    sample.py        which sessions a page holds
    session_rows.py  their rows, while the study is read
    extras/          parts that a report has when they are asked for
"""

from sessionkit.reports.page import MEASURES, report

__all__ = ["MEASURES", "report"]
