"""Exports of survey tools: rows below the header that are not answers, columns about the response, responses left unfinished.

Qualtrics writes the texts of the questions below the header, and a row of import ids below them. LimeSurvey, SoSci Survey, SurveyMonkey,
Google Forms and Microsoft Forms write columns of their own, such as when a response was sent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from sessionkit.display.words import counted, listed
from sessionkit.readers.propose.column_names import folded
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.sample import NO_NAME, RowsBelowHeader, Sample

TOOLS = {
    "Qualtrics": "startdate enddate status ipaddress progress durationinseconds finished recordeddate responseid recipientlastname "
    "recipientfirstname recipientemail externalreference externaldatareference locationlatitude locationlongitude distributionchannel "
    "userlanguage responseset qrecaptchascore qrelevantidduplicate qrelevantidduplicatescore qrelevantidfraudscore qballotboxstuffing",
    "LimeSurvey": "id responseid antwortid submitdate datesubmitted dateestimated datumabgeschickt datelastaction lastpage letzteseite "
    "startlanguage startsprache seed zufallsstartwert token zugangscode startdate datestarted startdatum datumgestartet datestamp "
    "datumletzteaktivitat ipaddr ipaddress ipadresse refurl referrerurl interviewtime totaltime gesamtzeit",
    "SoSci Survey": "case serial ref questnnr mode language started timesum mailsent lastdata status finished qviewer lastpage maxpage "
    "missing missrel timersi degtime",
    "SurveyMonkey": "respondentid collectorid datecreated datemodified startdate enddate ipaddress emailaddress firstname lastname "
    "customdata1 customdata",
    "Microsoft Forms": "id starttime completiontime email name lastmodifiedtime language startzeit fertigstellungszeit email name",
    "Google Forms": "timestamp zeitstempel horodateur marcatemporal informazionicronologiche carimbodedatahora tijdstempel aikaleima "
    "tidstampel username emailaddress emailadresse nutzername",
}
"""Columns that survey tools write about each response, folded."""
SEVERAL = 3
"""So many columns of a tool show that a file is an export of it."""
IMPORT_ID = r'^\s*\{"ImportId"'
"""What the cells of the third row of a Qualtrics export begin with."""
NOT_FINISHED = {
    "finished": ("false", "0", "no", "falsch", "nein", "faux", "non", "falso"),
    "status": (
        "survey preview", "survey test", "preview", "test", "spam", "1", "2", "4", "8", "9", "12", "16", "17", "umfragevorschau",
    ),
}  # fmt: skip
"""Values that mark a preview, a test or a response that was left unfinished, by the folded name of their column."""
SUBMITTED = ("submitdate", "datesubmitted", "datumabgeschickt")
"""Columns of LimeSurvey that are empty until a response is sent."""


@dataclass(frozen=True)
class SurveyExport:
    """What a file shows of the survey tool that wrote it.

    Parameters
    ----------
    tool
        Its name; empty where nothing shows one.
    about_response
        The columns that the tool writes about each response.
    texts
        What stood below each name in the header: the text of the question.
    """

    tool: str = ""
    about_response: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    def ask_of_unfinished(self, columns: Mapping[str, SampleColumn]) -> list[str]:
        """Return the questions about previews and responses that were left unfinished."""
        if self.tool not in ("Qualtrics", "LimeSurvey", "SoSci Survey"):
            return []
        questions = []
        for name in self.about_response:
            texts = columns[name].texts
            marks = NOT_FINISHED.get(folded(name), ()) if self.tool == "Qualtrics" or folded(name) == "finished" else ()
            rows = texts.filter(texts.str.strip_chars().str.to_lowercase().is_in(marks))
            if folded(name) in SUBMITTED and texts.null_count() < len(texts):
                rows = texts.filter(texts.is_null())
            if not len(rows):
                continue
            values = "empty" if rows[0] is None else listed([quoted(text) for text in rows.unique().sort()])
            verb = "is" if len(rows) == 1 else "are"
            questions.append(
                f"{counted(len(rows), 'response')} of {len(texts)} {verb} a preview or unfinished ({quoted(name)}: {values}) and kept. "
                "Remove such rows from the file if they should not count"
            )
        return questions


def survey_export_of(columns: Mapping[str, SampleColumn], rows: RowsBelowHeader) -> SurveyExport:
    """Return what the names of columns, and rows below them, show of a survey tool."""
    by_tool = {
        tool: [name for name in columns if {folded(name), folded(rows.texts.get(name, ""))} & set(names.split())]
        for tool, names in TOOLS.items()
    }
    if rows.has_import_ids:
        return SurveyExport("Qualtrics", tuple(by_tool["Qualtrics"]), rows.texts)
    tool = max(by_tool, key=lambda name: len(by_tool[name]))
    if len(by_tool[tool]) >= (SEVERAL if not rows.count else 2):
        return SurveyExport(tool, tuple(by_tool[tool]), rows.texts)
    has_questions = any(len(name.split()) > SEVERAL for name in columns)
    if by_tool["Google Forms"] and has_questions and next(iter(columns)) in by_tool["Google Forms"]:
        return SurveyExport("Google Forms", tuple(by_tool["Google Forms"]), rows.texts)
    return SurveyExport("", (), rows.texts)


def rows_below_header(texts: pl.DataFrame, ids: Mapping[str, Collection[str]]) -> RowsBelowHeader:
    """Return the first rows of a file that are not answers.

    A row of import ids ends them. Without one, the first row is the texts of the questions where it has a text in every
    column, none comes again in its column, and its ids are not in the log although those of other rows are.

    Parameters
    ----------
    texts
        The rows as text.
    ids
        The columns of ids, and their values in the log.
    """
    if texts.height < 2:
        return RowsBelowHeader()
    for at in range(min(SEVERAL, texts.height)):
        cells = pl.Series([cell for cell in texts.row(at) if cell is not None])
        if len(cells) and cells.str.contains(IMPORT_ID).mean() > 0.5:  # type: ignore[operator]
            return RowsBelowHeader(at + 1, _question_texts(texts) if at else {}, has_import_ids=True)
    first, below = texts.row(0, named=True), texts.slice(1)
    is_text = all(cell and not NO_NAME.fullmatch(cell.strip()) for cell in first.values())
    if not is_text or not ids or any(cell in below[name] for name, cell in first.items()):
        return RowsBelowHeader()
    strange = all(first[name] not in values for name, values in ids.items())
    usual = all(below[name].is_in(list(values)).mean() > 0.5 for name, values in ids.items())  # type: ignore[operator]
    if not (strange and usual):
        return RowsBelowHeader()
    numbers = (below[name].drop_nulls() for name in texts.columns if name not in ids)
    is_sure = any(len(column) and all(map(NO_NAME.fullmatch, column)) for column in numbers)
    return RowsBelowHeader(1, _question_texts(texts), is_sure=is_sure)


def _question_texts(texts: pl.DataFrame) -> dict[str, str]:
    """Return the text of each question in the first row, where it says more than the name of its column."""
    row = texts.row(0, named=True)
    return {name: " ".join(cell.split()) for name, cell in row.items() if cell and folded(cell) != folded(name)}


def without_rows_below_header(sample: Sample, rows: RowsBelowHeader) -> Sample:
    """Return a sample without some rows below its header, and the option that leaves them out."""
    if not rows.count:
        return sample
    return replace(
        sample,
        frame=sample.frame.slice(rows.count),
        texts=sample.texts.slice(rows.count),
        options={**sample.options, "skip_after_header": rows.count},
        below_header=rows,
    )
