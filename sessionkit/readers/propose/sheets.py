"""Sheets and survey exports as people keep them: titles above headers, rows that are not answers, and words of rating scales."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.readers.column_names import LIKELY, folded, likeness, plain
from sessionkit.readers.format import glimpse
from sessionkit.readers.io.files import files_of
from sessionkit.readers.propose.contents import NO, YES, SampleColumn, mean_nothing
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.sample import NO_NAME, ROWS, RowsBelowHeader, Sample
from sessionkit.readers.raw import OF_SHEET
from sessionkit.readers.records import filled

SEARCHERS = ("p", "pp", "vp", "vpn", "u", "s", "k", "part", "tn", "subj")
"""Short words before a number that say a participant."""
TOPICS = ("t", "task", "a", "q")
"""Short words before a number that say a task."""
NO_CONDITION = re.compile(
    r"(?:export|log|data|daten|part|chunk|page|file|sheet|tabelle|blatt|feuil|hoja|foglio|planilha|blad|ark|list)?[\W_]*\d*",
    re.I,
)
"""What parts of a log, or sheets nobody named, are called."""
SHARED, ALIKE = 3, 0.7
"""Columns, and their share of all, that files of one series have in common at least."""


NO_TABLES = (".toml", ".html", ".htm", ".svg", ".png", ".pdf", ".tex", ".md")
"""How the names of files end that no table of a log has: what sessionkit writes beside one, and the like."""
OF_MEASURES = ({"measure", "value"}, {"measure", "estimate"})
"""Columns of the tables that ``score``, ``compare`` and others write, which no log has."""


def files_in(path: Path) -> list[Path]:
    """Return a file, or the files of a log in a folder, in the order of their names, those that sessionkit has written apart."""
    if not path.is_dir():
        return [path]
    names = [file.name for file in files_of(path) if not _is_output(file)]
    return [path / name for name in filled(names, path)]


def outputs_in(path: Path) -> list[Path]:
    """Return the files in a folder that are left out, as sessionkit has written them or no table can be in them."""
    return [file for file in files_of(path) if _is_output(file)] if path.is_dir() else []


def _is_output(path: Path) -> bool:
    """Return whether a file in a folder is no part of a log: a study.toml, a page, a figure, or a table of measures."""
    if path.suffix.lower() in NO_TABLES:
        return True
    seen = glimpse(path)
    lines = [line for line in seen.head.splitlines() if not line.startswith("#")]
    names = set(seen.columns) or set(re.findall(r"\w+", lines[0] if lines else ""))
    return any(columns <= names for columns in OF_MEASURES)


def together(samples: Sequence[Sample], folders: Sequence[Path]) -> list[Sample]:
    """Return the samples, those with the same columns as one: of files in a folder or given by name, or of sheets of a workbook."""
    alike: dict[tuple[object, ...], list[Sample]] = {}
    for sample in samples:
        own = (sample.path,) if not sample.named or "sheet" in sample.options or sample.kind == "ndjson" else ()
        written = tuple((key, str(sample.options.get(key))) for key in ("separator", "header", "skip"))
        alike.setdefault((tuple(sorted(sample.columns)), sample.kind, written, *own), []).append(sample)
    alone: list[list[Sample]] = []
    series: dict[tuple[object, ...], list[list[Sample]]] = {}
    for (_, *others), group in alike.items():
        if _are_measured_again(group):
            alone += [[one] for one in group]
            continue
        groups = series.setdefault(tuple(others), [])
        like_it = next((one for one in groups if _are_of_a_series([*one, *group])), None)
        groups.append(group) if like_it is None else like_it.extend(group)
    places = {id(sample): at for at, sample in enumerate(samples)}
    groups = [
        sorted(group, key=lambda one: places[id(one)]) for groups in (*series.values(), alone) for group in groups
    ]
    groups.sort(key=lambda group: places[id(group[0])])
    return [group[0] if len(group) == 1 else _as_one(group, folders) for group in groups]


def _are_measured_again(group: Sequence[Sample]) -> bool:
    """Return whether files have a row for each respondent, most of whom are in all, as questionnaires before and after a task."""
    first = group[0]
    respondents = [ours for ours in ("session_id", "user_id") if _is_called(first, ours)]
    if len(group) == 1 or not respondents or not first.named:
        return False
    by = [ours for ours in ("topic_id", "system_id") if _is_called(first, ours)]
    names = {max(first.columns, key=lambda name: likeness(name, ours)) for ours in (*respondents, *by)}
    keys = [sample.texts.select(sorted(names)).drop_nulls() for sample in group]
    if any(rows.height < 2 or rows.is_duplicated().any() for rows in keys):
        return False
    common = reduce(lambda left, right: left.join(right, on=sorted(names), how="semi"), keys)
    return 2 * common.height > max(rows.height for rows in keys)


def _are_of_a_series(group: Sequence[Sample]) -> bool:
    """Return whether files or sheets with different columns are of one table: they share most, and their names count something."""
    if not all(sample.named for sample in group):
        return False
    columns = [set(sample.columns) for sample in group]
    shared, every = set.intersection(*columns), set.union(*columns)
    names = names_of_files([_own_name(sample) for sample in group])
    return len(shared) >= max(SHARED, ALIKE * len(every)) and bool(names.values) and not names.doubt


def _own_name(sample: Sample) -> str:
    """Return the name of the sheet that a sample is of, else of its file."""
    return str(sample.options.get("sheet", sample.path.name))


def _as_one(group: Sequence[Sample], folders: Sequence[Path]) -> Sample:
    """Return samples of files, or sheets, with the same columns as that of one table, with the columns that their names hold."""
    first = next((sample for sample in group if sample.frame.height), group[0])
    columns = list(dict.fromkeys(name for sample in [first, *group] for name in sample.columns))
    sheets = [str(sample.options["sheet"]) for sample in group if "sheet" in sample.options]
    found = _with_condition(names_of_files(list(map(_own_name, group))), group)
    told = {name: values for name, values in found.values.items() if not _is_said(group, name, values)}
    if found.doubt and any(_is_called(first, ours) for ours in ("user_id", "session_id")):
        told = {name: values for name, values in told.items() if not _tells_apart(group, values)}
    pattern = f"{OF_SHEET if sheets else ''}{found.pattern}" if told else ""
    for name in set(found.values) - set(told):
        pattern = pattern.replace(f"?P<{name}>", "?:")
    frames, texts = [], []
    for at, sample in enumerate(group):
        named = [pl.lit(values[at], dtype=pl.String).alias(name) for name, values in told.items()]
        frames.append(sample.frame.select(*sample.columns, *named))
        texts.append(sample.texts.select(*sample.columns, *named))
    files = () if sheets else tuple(sample.path for sample in group)
    folder = next(
        (one for one in folders if not outputs_in(one) and _resolved(files_in(one)) == _resolved(files)), None
    )
    doubts = {key: doubt for sample in group if sample.frame.height for key, doubt in sample.doubts.items()}
    if pattern and found.doubt:
        doubts["name_pattern"] = found.doubt
    lacking = [name for name in columns if any(name not in sample.columns for sample in group)]
    if lacking:
        doubts["sheet" if sheets else "path"] = (
            f"{listed(list(map(quoted, lacking[:3])))} {'is' if len(lacking) == 1 else 'are'} not in all of these. Are they one table?"
        )
    return replace(
        first,
        name=f"{first.name} and {len(group) - 1} more" if folder is None else folder.name,
        options={
            **_options_of(group),
            **({"sheet": sheets} if sheets else {}),
            **({"name_pattern": pattern} if pattern else {}),
        },
        frame=pl.concat(frames, how="diagonal_relaxed").select(*columns, *told).head(ROWS),
        texts=pl.concat(texts, how="diagonal").select(*columns, *told).head(ROWS),
        whole=all(sample.whole for sample in group) and sum(sample.frame.height for sample in group) <= ROWS,
        doubts=doubts,
        blank_below=tuple(dict.fromkeys(name for sample in group for name in sample.blank_below)),
        filled_down=tuple(dict.fromkeys(name for sample in group for name in sample.filled_down)),
        files=files,
        folder=folder,
    )


def _options_of(group: Sequence[Sample]) -> dict[str, Any]:
    """Return how files of one table are written: what one of them needs suits those that do not show it."""
    every = {key: value for sample in group for key, value in sample.options.items()}
    separator = every.get("separator") or "\t"
    if separator == "\t" and not all("quote" in sample.options for sample in group):  # one has fields between quotes
        every.pop("quote", None)
    return every


def _resolved(files: Sequence[Path]) -> list[Path]:
    """Return absolute paths in the order of their names."""
    return sorted(path.resolve() for path in files)


def _is_called(sample: Sample, ours: str) -> bool:
    """Return whether a column has a usual name of one of ours."""
    return any(likeness(name, ours) >= LIKELY for name in sample.columns)


def _is_said(group: Sequence[Sample], ours: str, values: Sequence[str]) -> bool:
    """Return whether every file says in a column what its name does, or at least has a column of that kind."""
    return _is_called(group[0], ours) or any(
        all(
            name in sample.columns and set(sample.texts[name].drop_nulls().unique()) == {value}
            for sample, value in zip(group, values, strict=True)
        )
        for name in group[0].columns
    )


def _with_condition(found: FileNames, group: Sequence[Sample]) -> FileNames:
    """Return what names hold, with a part that no column says as the system: a condition is often said by the names alone."""
    if _is_called(group[0], "system_id") or "system_id" in found.values:
        return found
    for ours, values in found.values.items():
        if _is_said(group, ours, values) and not _tells_apart(group, values):
            named = {"system_id" if name == ours else name: texts for name, texts in found.values.items()}
            pattern = found.pattern.replace(f"?P<{ours}>", "?P<system_id>")
            doubt = f"names such as {quoted(_own_name(group[0]))} are taken for {listed(list(named))}. Are they?"
            return FileNames(pattern, named, doubt)
    return found


def _tells_apart(group: Sequence[Sample], values: Sequence[str]) -> bool:
    """Return whether values of names only number parts of a log, or a column tells the files apart as they do."""
    if all(NO_CONDITION.fullmatch(value) for value in values):
        return True
    for name in group[0].columns:
        texts = [set(sample.texts[name].drop_nulls()) if name in sample.columns else set() for sample in group]
        pairs = {(value, *one) for value, one in zip(values, texts, strict=True) if len(one) == 1}
        if all(len(one) == 1 for one in texts) and len({pair[1] for pair in pairs}) == len(set(values)) == len(pairs):
            return True
    return False


@dataclass(frozen=True)
class FileNames:
    """What the names of files hold: a pattern, its values in the order of the files, and what is not sure of it."""

    pattern: str = ""
    values: dict[str, list[str]] = field(default_factory=dict)
    doubt: str = ""


def names_of_files(names: Sequence[str]) -> FileNames:
    """Return what the parts of names say that differ from file to file.

    >>> found = names_of_files(["pp01_taak1.csv", "pp01_taak2.csv", "pp02_taak1.csv"])
    >>> found.pattern, found.values["topic_id"], found.doubt
    ('(?P<user_id>pp\\\\d+)_(?P<topic_id>taak\\\\d+)', ['taak1', 'taak2', 'taak1'], '')
    >>> names_of_files(["week.1.csv", "a.csv"]).values
    {}
    """
    parts = [re.split(r"([_\-.\s]+)", Path(name).stem) for name in names]
    if len({len(one) for one in parts}) > 1:
        return FileNames()
    columns = [list(column) for column in zip(*parts, strict=True)]
    varying = [at for at, column in enumerate(columns) if len(set(column)) > 1]
    if not varying or any(at % 2 for at in varying):
        return FileNames()
    roles = {at: _role(columns[at]) or _role(columns[at - 2] if at > 1 else []) for at in varying}
    sure = all(roles.values()) and len(set(roles.values())) == len(roles)
    left = [one for one in ("user_id", "topic_id", "system_id", "session_id") if one not in roles.values()]
    taken: set[str] = set()
    for at in varying:
        if not roles[at] or roles[at] in taken:
            roles[at] = left.pop(0) if left else f"part_{at // 2 + 1}"
        taken.add(roles[at])
    pattern = (
        "".join(
            f"(?P<{roles[at]}>{like(column)})" if at in roles else re.escape(column[0])
            for at, column in enumerate(columns)
        )
        .replace("\\-", "-")
        .replace("\\ ", " ")
    )
    doubt = f"names such as {quoted(names[0])} are taken for {listed(list(roles.values()))}. Are they?"
    return FileNames(pattern, {roles[at]: columns[at] for at in varying}, "" if sure else doubt)


def _role(values: Sequence[str]) -> str:
    """Return which column of ours the values in names of files are, by the letters they begin with; empty where these say none."""
    letters = {match[0].casefold() if (match := re.match(r"[^\W\d_]+", value)) else "" for value in values}
    if len(letters) != 1:
        return ""
    word = letters.pop()
    if word in SEARCHERS:
        return "user_id"
    if word in TOPICS:
        return "topic_id"
    best = max(("user_id", "topic_id", "session_id", "system_id"), key=lambda ours: likeness(word, ours))
    return best if word and likeness(word, best) >= LIKELY else ""


def like(values: Sequence[str]) -> str:
    """Return a pattern of what values in names of files look like."""
    found = [re.fullmatch(r"([^\W\d_]*)\d+", value) for value in values]
    if all(found):
        letters = {one[1] for one in found if one}
        return f"{letters.pop()}\\d+" if len(letters) == 1 else r"[^\W\d_]*\d+"
    return r"[^_/\\.-]+" if not any(re.search(r"[_.-]", value) for value in values) else r"[^/\\]+"


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


_SCALES = """
dissatisfied|unsatisfied, neutral|neither satisfied nor dissatisfied|neither, satisfied
very dissatisfied|extremely dissatisfied|very unsatisfied, dissatisfied|somewhat dissatisfied|unsatisfied, \
neutral|neither satisfied nor dissatisfied|neither, satisfied|somewhat satisfied, very satisfied|extremely satisfied
very dissatisfied|extremely dissatisfied, dissatisfied|moderately dissatisfied, somewhat dissatisfied|slightly dissatisfied, \
neutral|neither satisfied nor dissatisfied, somewhat satisfied|slightly satisfied, satisfied|moderately satisfied, \
very satisfied|extremely satisfied
disagree, neutral|neither|undecided|not sure|neither agree nor disagree, agree
strongly disagree|disagree strongly|completely disagree|totally disagree, disagree|somewhat disagree|rather disagree|tend to disagree, \
neutral|neither|undecided|not sure|neither agree nor disagree|neither disagree nor agree, \
agree|somewhat agree|rather agree|tend to agree, strongly agree|agree strongly|completely agree|totally agree
strongly disagree|disagree strongly, disagree|moderately disagree, somewhat disagree|slightly disagree, \
neutral|neither|undecided|neither agree nor disagree, somewhat agree|slightly agree, agree|moderately agree, strongly agree|agree strongly
difficult|hard, neutral|medium|neither|moderate|neither easy nor difficult|neither difficult nor easy, easy
very difficult|very hard|extremely difficult, difficult|hard|somewhat difficult, \
neutral|medium|neither|moderate|neither easy nor difficult|neither difficult nor easy, easy|somewhat easy, very easy|extremely easy
very unlikely|extremely unlikely, unlikely|somewhat unlikely, neutral|neither likely nor unlikely|neither, likely|somewhat likely, \
very likely|extremely likely
never, rarely|seldom, sometimes|occasionally, often|frequently, always|very often
very poor|very bad|terrible, poor|bad, fair|average|ok|okay|acceptable|neutral, good, very good|excellent
poor, fair, good, very good, excellent
low, medium|moderate, high
very low, low, medium|moderate, high, very high
not at all, slightly|a little, moderately|somewhat, very|very much|quite a bit, extremely
not at all satisfied, slightly satisfied, moderately satisfied, very satisfied, extremely satisfied
not at all important|unimportant, slightly important, moderately important|important, very important, extremely important
unzufrieden, neutral|weder noch|teils teils|teils/teils, zufrieden
sehr unzufrieden, unzufrieden|eher unzufrieden, neutral|weder noch|teils teils|teils/teils, zufrieden|eher zufrieden, sehr zufrieden
trifft nicht zu|trifft uberhaupt nicht zu|trifft gar nicht zu, trifft eher nicht zu|trifft wenig zu, \
teils teils|teils/teils|weder noch|neutral|unentschieden|trifft teilweise zu, trifft eher zu|trifft ziemlich zu, \
trifft zu|trifft voll zu|trifft vollig zu|trifft voll und ganz zu
stimme nicht zu|stimme uberhaupt nicht zu|stimme gar nicht zu, stimme eher nicht zu, \
teils teils|teils/teils|weder noch|neutral|unentschieden, stimme eher zu, stimme zu|stimme voll zu|stimme voll und ganz zu
stimme uberhaupt nicht zu|stimme gar nicht zu, stimme nicht zu, teils teils|teils/teils|weder noch|neutral|unentschieden, stimme zu, \
stimme voll zu|stimme voll und ganz zu
sehr schwer|sehr schwierig, schwer|schwierig|eher schwer, mittel|neutral|weder noch|teils teils, \
leicht|einfach|eher leicht, sehr leicht|sehr einfach
nie, selten, manchmal|gelegentlich, oft|haufig, immer|sehr oft
sehr schlecht, schlecht, mittel|mittelmassig|neutral|befriedigend, gut, sehr gut
niedrig, mittel, hoch
tres insatisfait|tres insatisfaite|pas du tout satisfait|pas du tout satisfaite, insatisfait|insatisfaite|peu satisfait|peu satisfaite|\
plutot insatisfait|plutot insatisfaite|pas satisfait, neutre|ni satisfait ni insatisfait|moyennement satisfait, \
satisfait|satisfaite|plutot satisfait|plutot satisfaite, tres satisfait|tres satisfaite|tout a fait satisfait
pas du tout d'accord, plutot pas d'accord|pas d'accord|pas vraiment d'accord, neutre|ni d'accord ni pas d'accord|sans opinion, \
plutot d'accord|d'accord, tout a fait d'accord
tres difficile, difficile|plutot difficile, neutre|moyen|ni facile ni difficile, facile|plutot facile, tres facile
jamais, rarement, parfois|quelquefois, souvent, toujours|tres souvent
muy insatisfecho|muy insatisfecha, insatisfecho|insatisfecha|poco satisfecho, neutral|ni satisfecho ni insatisfecho|indiferente, \
satisfecho|satisfecha, muy satisfecho|muy satisfecha
totalmente en desacuerdo|muy en desacuerdo, en desacuerdo, neutral|ni de acuerdo ni en desacuerdo|indiferente, de acuerdo, \
totalmente de acuerdo|muy de acuerdo
muy dificil, dificil, neutral|normal|ni facil ni dificil, facil, muy facil
nunca, rara vez|casi nunca, a veces, a menudo|casi siempre|frecuentemente, siempre
molto insoddisfatto|molto insoddisfatta|per niente soddisfatto, insoddisfatto|insoddisfatta|poco soddisfatto, \
neutro|neutrale|ne soddisfatto ne insoddisfatto|abbastanza soddisfatto, soddisfatto|soddisfatta, molto soddisfatto|molto soddisfatta
totalmente in disaccordo|fortemente in disaccordo|completamente in disaccordo, in disaccordo, \
neutro|neutrale|ne d'accordo ne in disaccordo|indifferente, d'accordo, totalmente d'accordo|fortemente d'accordo|completamente d'accordo
molto difficile, difficile, neutro|normale|ne facile ne difficile, facile, molto facile
muito insatisfeito|muito insatisfeita, insatisfeito|insatisfeita, neutro|nem satisfeito nem insatisfeito|indiferente, \
satisfeito|satisfeita, muito satisfeito|muito satisfeita
discordo totalmente, discordo|discordo parcialmente, neutro|nao concordo nem discordo|nem concordo nem discordo|indiferente, \
concordo|concordo parcialmente, concordo totalmente
zeer ontevreden, ontevreden, neutraal|niet tevreden en niet ontevreden, tevreden, zeer tevreden
helemaal mee oneens|zeer mee oneens|helemaal niet mee eens, mee oneens|oneens|niet mee eens, neutraal|niet mee eens en niet mee oneens, \
mee eens|eens, helemaal mee eens|zeer mee eens
zeer moeilijk|heel moeilijk, moeilijk, neutraal, makkelijk|gemakkelijk, zeer makkelijk|heel makkelijk|zeer gemakkelijk
erittain tyytymaton, tyytymaton, neutraali|ei tyytyvainen eika tyytymaton, tyytyvainen, erittain tyytyvainen
taysin eri mielta, jokseenkin eri mielta|eri mielta, \
en samaa enka eri mielta|neutraali|en osaa sanoa, jokseenkin samaa mielta|samaa mielta, taysin samaa mielta
mycket missnojd, missnojd, neutral|varken nojd eller missnojd, nojd, mycket nojd
instammer inte alls, instammer delvis inte|instammer inte, neutral|varken eller, instammer delvis|instammer, instammer helt|\
instammer helt och hallet
"""
"""Scales, one a line: levels from the low end to the high end, with the ways to write each, without accents."""
SCALES = tuple(
    tuple(frozenset(level.strip().split("|")) for level in line.split(",")) for line in _SCALES.strip().splitlines()
)
MOST = 11
"""Levels of a scale at most."""
NUMBER = re.compile(r"[-+]?\d*[.,]?\d+")
"""A number, whatever its decimal mark."""
LABELS = 9
"""Different texts at most of a column of labels whose order is not known."""
SHOWN = 12
"""Names that a sentence lists."""
NUMBER_AT_AN_END = re.compile(r"\(?(-?\d+)\)?(?:\s*[-\u2013\u2014:.=)]\D*|\s\D*|)|\D*[\s(\[:=\u2013\u2014-](\d+)[)\]]?")
"""A label that holds one number, such as "5 - very satisfied" or "Agree (4)"."""


def values_of_labels(labels: Iterable[str]) -> dict[str, int]:
    """Return what the labels of a scale may be worth, the least first; nothing where no scale has all of them.

    Levels count from 1 on the shortest scale that has every label; a label that holds a number is worth that, no 0 and yes 1.

    >>> values_of_labels(["Satisfied", "Neutral", "Dissatisfied"])
    {'Dissatisfied': 1, 'Neutral': 2, 'Satisfied': 3}
    >>> values_of_labels(["trifft eher zu", "trifft voll zu"])
    {'trifft eher zu': 4, 'trifft voll zu': 5}
    >>> values_of_labels(["5 - very good", "1 - very bad", "3"])
    {'1 - very bad': 1, '3': 3, '5 - very good': 5}
    >>> values_of_labels(["map", "list"])
    {}
    """
    folded = {label: _folded(label) for label in labels}
    if not 0 < len(folded) <= MOST:
        return {}
    numbers = {label: number for label in folded if (number := _number_in(label)) is not None}
    if len(numbers) == len(folded) and len(set(numbers.values())) == len(numbers):
        return dict(sorted(numbers.items(), key=lambda pair: pair[1]))
    is_yes = {label: text in YES for label, text in folded.items() if text in YES or text in NO}
    if len(is_yes) == len(folded) and len(set(is_yes.values())) == 2 and not any(map(str.isdigit, folded.values())):
        return {label: int(value) for label, value in sorted(is_yes.items(), key=lambda pair: pair[1])}
    fitting = [scale for scale in SCALES if set(folded.values()) <= frozenset().union(*scale)]
    if not fitting:
        return {}
    return _values_on(min(fitting, key=len), folded)


def _values_on(scale: Collection[frozenset[str]], folded: Mapping[str, str]) -> dict[str, int]:
    """Return the labels with their levels on a scale, in its order."""
    places = {label: at for label, text in folded.items() for at, level in enumerate(scale, start=1) if text in level}
    return dict(sorted(places.items(), key=lambda pair: pair[1]))


def _folded(label: str) -> str:
    """Return a label without case, accents, full stops and doubled blanks."""
    return re.sub(r"\s+", " ", plain(label).replace("\u2019", "'").casefold()).strip(" .!")


def _number_in(label: str) -> int | None:
    """Return the one number that a label begins or ends with."""
    match = NUMBER_AT_AN_END.fullmatch(label.strip())
    return int(match[1] or match[2]) if match else None


@dataclass(frozen=True)
class Labels:
    """Columns of words: those of known scales with what these are worth, and others with their words."""

    scales: Mapping[str, Mapping[str, int]]
    words: Mapping[str, Sequence[str]]

    @property
    def questions(self) -> list[str]:
        """The questions about what the words are worth."""
        shown = "; ".join(
            f"{quoted(name)}: {', '.join(map(quoted, words[:4]))}" for name, words in list(self.words.items())[:SHOWN]
        )
        questions = []
        if self.scales:
            named = listed([quoted(name) for name in list(self.scales)[:SHOWN]])
            questions.append(
                f"answers of {named} are words. Is the order right, and has the scale more levels that nobody chose? Correct the values "
                "and remove the '#'"
            )
        if self.words and self.scales:
            questions.append(
                f"other answers are words too ({shown}); they stay words unless values says what each is worth"
            )
        elif self.words:
            questions.append(
                f"answers are words ({shown}). If they have an order, say what each is worth, and remove the '#'"
            )
        return questions

    @property
    def values(self) -> dict[str, Mapping[str, int]]:
        """What the words of scales are worth; where there are none, numbers for the others."""
        numbers = {name: {word: at for at, word in enumerate(words, 1)} for name, words in self.words.items()}
        return {**(self.scales or numbers)}


def labels_of(items: Iterable[tuple[str, pl.Series]]) -> Labels:
    """Return the columns of words among some items.

    Parameters
    ----------
    items
        The name of the column of each item, and its answers.
    """
    scales: dict[str, dict[str, int]] = {}
    words_of: dict[str, list[str]] = {}
    for name, answers in items:
        given = [text.strip() for text in answers if not mean_nothing([text])]
        words = [text for text in given if not NUMBER.fullmatch(text)]
        distinct = list(dict.fromkeys(words))
        are_most = 2 * len(words) >= len(given)
        values = values_of_labels(given) or values_of_labels(words)
        if words and values and (are_most or len(distinct) < len(values)):
            scales[name] = {**scales.get(name, {}), **{word: values[word] for word in distinct}}
        elif words and values and (ends := _values_at_the_ends(list(values), set(given) - set(words))):
            scales[name] = {**scales.get(name, {}), **ends}
        elif 0 < len(distinct) <= LABELS and (not are_most or 1 < len(distinct) <= len(words) / 2):
            words_of[name] = list(dict.fromkeys([*words_of.get(name, []), *distinct]))
    return Labels(scales, {name: words for name, words in words_of.items() if name not in scales})


def _values_at_the_ends(labels: Sequence[str], numbers: Iterable[str]) -> dict[str, int]:
    """Return what the words at the ends of a scale are worth whose other levels are whole numbers."""
    levels = sorted(int(number) for number in numbers if number.isdigit())
    if len(labels) != 2 or not levels:
        return {}
    return {labels[0]: levels[0] - 1, labels[1]: levels[-1] + 1}
