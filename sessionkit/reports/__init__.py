"""The report: one HTML file of a study's tables, scores, figures, method and notes.

In comes a study; out goes a page. Open `page.py` first.

::

    page.py          puts the page together
    sections/        what each section says and asks of the study
    questions.py     what sections ask of a study, which is read once for all
    group_labels.py  what groups are called
    material.py      what several sections are made from
    parts.py         what a section is made of: words, tables, widgets
    html.py          sections, figures and tables as HTML
    tooltips.py      terms in prose with their meanings; tooltips.html is the template
    export.py        the figures of a page as files
    figures/         the figures and their captions
    single.py        one figure as asked
    each.py          one figure for every session, user or topic; each.html is the template of their index
    choices.py       what the figures share
    phrases.py       words that several sections use
    method.py        every choice in words; the fingerprint of the data
    report.html      the template of the page; report.css is its style
    sections.html    the template of sections; parts.html of words, tables and figures
    drawing.js       what the page's own scripts share
    live/            other discounts in the page
    explorer/        sessions one by one in the page
    session_page.py  figures above the explorer, which a click opens; session_page.html is its template
    redaction.py     what must not be passed on
    sample.py        which sessions a page holds
    session_rows.py  their rows, while the study is read
    extras/          parts that a report has when they are asked for
"""

from sessionkit.reports.page import MEASURES, report

__all__ = ["MEASURES", "report"]
