"""The report: one HTML file of a study's tables, scores, figures, method and notes.

In comes a study; out goes a page. Open `page.py` first.

::

    page.py            The page of a report: sections, figures and tables as escaped HTML, tooltips, figures as files,
                       and pages of single sessions
    sections/          The sections of a report, one file each; a new one is a file and a line in
                       ``sections/registry.py``, or in the section that unfolds it
    report_data.py     What the sections of a report are made from, computed once, and the questions that are put to the
                       study in one pass
    choices.py         What the figures of a report have in common: measure, topic, system, colors, labels, further
                       parts, and what is redacted
    parts.py           What sections of a report are made of: words, tables, figures and what can be worked with, as
                       values
    figures/           Figures of a study, each with a caption: what `sessionkit chart` draws and reports show, listed
                       in ``charts/registry.py``
    single_figures.py  Figures on request: one as it was asked for, or one for every session, user or topic with the
                       same axes and an index
    live/              Live discounts: the page works out sDCG and nsDCG anew for other discounts and gains
    explorer/          The session explorer: pick a session and see its queries, its lists, what each result added, its
                       curve and its ideal
    sample.py          Which sessions a page shows one by one where it cannot hold all, and their rows from the batches
                       of a study
    extra_parts.py     Parts of a report that are made on request: mixed model, power, discriminative power and judges'
                       errors, with their figures
    extras.py          The parts that a report has when they are asked for, by name, and the section in which each
                       stands
    report.html      the template of the page; report.css is its style
    sections.html    the template of sections; parts.html of words, tables and figures
    drawing.js       what the page's own scripts share
"""

from sessionkit.reports.page import MEASURES, report

__all__ = ["MEASURES", "report"]
