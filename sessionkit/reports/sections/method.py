"""Data and method: every choice that a number depends on, the study and its design, and the quality of its data."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from shlex import quote

import polars as pl

from sessionkit import __version__
from sessionkit.charts.registry import CHARTS
from sessionkit.display.numbers import capital, counted, level_text, listed
from sessionkit.display.tables import TextTable, known, table_of
from sessionkit.plugins import Origin, origins
from sessionkit.reports.choices import numbers_of_sources
from sessionkit.reports.parts import Code, Part, Terms, Words
from sessionkit.reports.report_data import Material, StudyQuestion, ask
from sessionkit.reports.sections.section_kind import section
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.score import columns_text, group_keys
from sessionkit.sessions.describe import Description, describe
from sessionkit.statistics.comparison_statements import adjusted_estimand
from sessionkit.statistics.findings import plugin_words
from sessionkit.study import Study
from sessionkit.study.numbering import PAIR
from sessionkit.study.study import EXCLUDED

SOURCES = {"records": "Records", "rows": "Rows", "rejected": "Rejected"}
"""Headings of the table of sources."""


@section("definitions", "Measures and settings in full")
def definitions(of: Material) -> list[Part]:
    """Measures in full, settings, versions, hashes of the sources, the commands that make the page and its table of sessions again."""
    terms = Terms(tuple((str(measure), f"{in_words(measure)}.") for measure in defined(of.measures)))
    used = plugins(of.measures)
    names = counted(len(used), "module") if of.redaction.kinds else "; ".join(map(str, used))
    beside = [f"Measures and charts of others: {names}."] if used else []
    words = Words((*sentences(of.study), *beside))
    return [terms, words, *_commands(of, used), *_sources(of)]


def _commands(of: Material, used: Sequence[Origin]) -> list[Part]:
    """What makes the page and its table of sessions again: commands of a study in files, calls of one in memory."""
    asked = of.measures if of.asked else ()
    measure = str(next(iter(of.measures), of.choices.measure))
    page = again(asked, _given(of), plugin_words(used, named=not of.redaction.kinds))
    table = f"sessionkit score STUDY {quote(measure)} --per session --wide"
    said = "The same page again" if _sayable(of) else "The same page again, with the condition as where"
    if _is_in_memory(of.study):
        page = again_in_memory(asked, _given(of))
        table = f"sessionkit.score(study, {measure!r}, per='session', wide=True)"
        said += "; study stands for the study in memory"
    return [Words((f"{said}:",)), Code(page), Words(("All sessions as a table:",)), Code(table)]


def _is_in_memory(study: Study) -> bool:
    """Whether a study came from memory and was not saved, so that no command can read it."""
    return study.fingerprint is None and study.path is None and study.address is None


def description(of: Material) -> StudyQuestion[Description]:
    """What was logged."""
    return ask(describe, of.study)


@section("study", "What was logged", of_all=[description])
def study_tables(of: Material) -> list[Part]:
    """Systems, searchers, topics, lists and judgments in tables."""
    found = description(of).answer()
    if of.study.facts.sessions == 1:
        titled = found.titled_tables()
        return [table_of(one, known(of.redaction.frame(titled[one], of.study))) for one in OF_ONE if one in titled]
    tables = []
    for caption, frame in found.titled_tables().items():
        shown = known(of.redaction.frame(frame, of.study))
        told = caption if shown.width == frame.width else NAMELESS.get(caption, caption)
        tables.append(table_of(told, shown, limit=ROWS))
    compared = of.comparison
    named = f"{found.design}: {found.design_note}" if compared is None else compared.design
    design = Words((of.redaction.note(f"Design: {named}."),))
    return [design, *tables]


@section("quality", "Data quality")
def quality(of: Material) -> list[Part]:
    """Notes, rejects and cells set aside; no value of either is shown."""
    if of.study.facts.sessions == 1 and of.study.restriction is not None:
        return [Words((OF_WHOLE,))]
    told = list(dict.fromkeys(of.redaction.note(note) for note in of.notes))
    words = Words(tuple(told), listed=True) if told else Words((NOTHING,))
    return [words, *_rejected(of)]


@section("method", "Data and method", details=(study_tables, quality, definitions))
def method(of: Material) -> list[Part]:
    """A paragraph for a paper, and what it cites."""
    told = [of.redaction.note(paragraph(of))]
    if of.valueless is None:
        told.append(f"Cited: {'; '.join(citations(of.measures))}.")
    return [Words(tuple(told))]


def _sayable(of: Material) -> bool:
    """Whether the command can name which sessions take part: not where anything is redacted, nor what is no SQL."""
    return of.study.restriction is None or (of.study.restriction.sql and not of.redaction.kinds)


def _given(of: Material) -> dict[str, object]:
    """What was asked for, by the options of the command; None where it is what the command does of itself."""
    columns, restriction = [*group_keys(of.study, of.averaged_by)], of.study.restriction
    return {
        "by": None if columns == ["system_id"] else columns_text(columns),
        "where": restriction.condition if restriction is not None and _sayable(of) else None,
        "redact": ",".join(sorted(of.redaction.kinds)) or None,
        "primary": str(of.primary) if of.declared == "report" else None,
        "also": ",".join(of.also.parts) or None,
        "difference": of.also.difference,
    }


def _sources(of: Material) -> list[TextTable]:
    """The files that the tables are from; where anything is redacted, by numbers and without their hashes."""
    sources = of.study.sources
    if not sources:
        return []
    names = numbers_of_sources(of.study) if of.redaction.kinds else {one.path: _place(one.path) for one in sources}
    files = pl.DataFrame(
        [
            (names[source.path], source.table, source.records, source.rows, source.rejected, source.sha256)
            for source in sources
        ],
        schema={
            "Source": pl.String,
            "Table": pl.String,
            "records": pl.Int64,
            "rows": pl.Int64,
            "rejected": pl.Int64,
            "SHA-256": pl.String,
        },
        orient="row",
    )
    if of.redaction.kinds:
        files = files.drop("SHA-256")
    return [table_of(f"Sources, read as {of.study.reader}", files, headers=SOURCES)]


def _place(path: str) -> str:
    """A source as it was named, without the directories of this machine."""
    return PurePath(path).name if PurePath(path).is_absolute() else path


DISCOUNTS = {
    "log": "1 / (1 + log_{b}({i}))",
    "shifted": "1 / log_{b}({i} + {b} - 1)",
    "burges": "1 / log_{b}({i} + 1)",
    "jk2002": "1 for {i} < {b}, then 1 / log_{b}({i})",
    "rn2002": "1 at {i} = 1, then 1 / log_{b}({i})",
    "geometric": "{p}^({i} - 1)",
    "reciprocal": "1 / {i}",
    "none": "none",
}
GAINS = {
    "linear": "gain is the grade",
    "exp2": "gain is 2^grade - 1",
    "lifted": "gain is the grade, where ratings of 0 count as 1",
}
WORDS: dict[str, dict[object, str]] = {
    "rank_origin": {
        "query": "ranks restart with every query",
        "session": "ranks run on through the session",
    },
    "slots": {
        "pad": "a short list is padded to the cutoff",
        "shown": "a short list occupies its own length",
    },
    "depth": {
        "all": "every shown result counts",
        "last_click": "results count down to the last one clicked",
        "examined": "results count that were examined",
    },
    "duplicates": {
        "all": "a document that the session shows again gains again",
        "first": "a document gains only the first time the session shows it",
    },
    "unjudged": {
        "zero": "unjudged results gain nothing",
        "skip": "unjudged results are taken out and the ranks close up",
    },
    "grades": {"judgments": "grades are those of the judgments", "user": "grades are the searcher's own"},
    "undefined": {
        "null": "judged topics without a value, such as those with nothing relevant, are left out",
        "zero": "judged topics without a value, such as those with nothing relevant, count as 0",
    },
    "unjudged_topics": {
        "null": "topics without judgments are left out",
        "zero": "topics without judgments count as 0",
    },
    "ideal": {
        "repeated": "the ideal session repeats the ideal list of every query",
        "spread": "the ideal session shows the best documents once, in its best slots",
        "once": "the ideal session is one perfect query",
    },
    "normalize": {
        "session": "the session is divided by its ideal",
        "query": "every query is divided by its own ideal before the query discount",
    },
}
"""What the words of parameters mean."""
FOLDED = {"b": "discount", "p": "discount", "bq": "query_discount", "pq": "query_discount", "min_grade": "gain"}
"""Parameters told together with the discount or gain that they belong to, where the measure has one."""


def in_words(measure: Measure) -> str:
    """Return what a measure is, with every one of its choices.

    Examples
    --------
    >>> from sessionkit import DCG
    >>> print(in_words(DCG @ 10))
    sum of gain(i) x d(i) for i = 1..k; d by default 1 / log2(i + 1). Here: gain is the grade; rank discount
    1 / log_2(i + 1); every shown result counts; a document that the session shows again gains again; unjudged results
    gain nothing; grades are those of the judgments; judged topics without a value, such as those with nothing
    relevant, are left out; topics without judgments are left out; all queries count; ranks 1 to 10 of each query count
    """
    parameters = measure.parameters()
    told = [
        _told(name, value, parameters, measure.parameter(name).meaning)
        for name, value in parameters.items()
        if FOLDED.get(name) not in parameters
    ]
    here = "; ".join(text for text in told if text)
    where = f" (M is {measure.inner})" if measure.wraps else ""
    return f"{measure.formula}{where}" + (f". Here: {here}" if here else "")


def defined(measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures with those they hold inside, each once, the inner before the outer."""
    return list(dict.fromkeys(each for measure in measures for each in (measure.inner, measure)))


def sentences(study: Study) -> list[str]:
    """Return what else the numbers depend on: judgments, averages, version and data."""
    settings = study.settings
    top = f"The grade scale ends at {settings.max_grade:g}. " if settings.max_grade is not None else ""
    negative = ", ".join(f"{grade:g}" for grade in settings.unjudged_grades or ())
    merged = f"Several judgments of one document are merged by {settings.merge}. " if _has_merged(study) else ""
    unjudged = f"Grades {negative} mean not judged. " if negative else ""
    return [
        f"{top}{merged}{unjudged}{_excluded(study)}Grades below 0 gain "
        "nothing. A "
        "document shown twice in one list keeps its slot and gains once. Every logged query counts, also one "
        "that returned "
        "nothing; queries whose list was not logged are outside measures of relevance, and measures of behavior count them.",
        "Values are computed for every session and then averaged, every session counting the same; n is the number of "
        "sessions averaged, those where a measure is undefined are counted beside it. Judged is the share of the "
        "results "
        "shown within the cutoff that have a judgment.",
        f"Computed by sessionkit {__version__}; fingerprint of the data: "
        f"{study.fingerprint or 'none (data in memory)'}.",
    ]


def paragraph(of: Material) -> str:
    """Return how the study was evaluated, as a methods section says it."""
    facts, found = of.study.facts, of.comparison
    told = [
        f"We scored {facts.in_words} with {listed([str(measure) for measure in of.measures])} in sessionkit {__version__}."
    ]
    if of.valueless is not None:
        told = [f"We described {facts.in_words} with sessionkit {__version__}."]
    elif found is not None:
        chosen = {
            "study.toml": "declared as primary in study.toml",
            "report": "chosen as primary when this report was made",
            None: "not declared as primary",
        }
        others = of.others
        known = of.study.settings.labels.get(found.by)
        groups = "systems" if found.by == "system_id" and known is None else f"values of {known or found.by}"
        told.append(f"The first measure, {of.primary}, was {chosen[of.declared]}.")
        # least squares adjusts sessions for users, which are its population and no units of its test
        units = "over sessions" if found.has_adjusted_estimates else f"with {found.population} as units"
        estimand = adjusted_estimand(groups) if found.has_adjusted_estimates else found.estimand
        told.append(
            f"{capital(groups)} were compared by {found.test}, {units}; the estimand is the "
            f"{estimand}. Intervals have a confidence of {level_text(found.alpha)}."
        )
        if others is not None and others.family.number > 1:
            told.append(f"The other measures were corrected together{others.family.told}.")
    if _has_merged(of.study):
        told.append(f"Of several judgments of one document the rule {of.study.settings.merge} makes one.")
    if excluded := _excluded(of.study):
        told.append(excluded.strip())
    return " ".join(told)


def _excluded(study: Study) -> str:
    """Return how many records were left out with their documents; nothing where none was."""
    results, judgments = (
        sum(source.idle for source in study.sources if source.kind == f"{table}{EXCLUDED}")
        for table in ("results", "judgments")
    )
    if not results + judgments:
        return ""
    left_out = f"{counted(results, 'result')} and {counted(judgments, 'judgment')} of excluded documents were left out"
    return f"{left_out}; lower ranks moved up. "


def _has_merged(study: Study) -> bool:
    """Whether some document has several judgments for one key."""
    known = study.judgments.filter(pl.col("grade").is_not_null()).select(PAIR)
    pairs, judgments = known.select(pl.struct(PAIR).n_unique().alias("pairs"), pl.len()).collect().row(0)
    return bool(pairs < judgments)


def citations(measures: Sequence[Measure]) -> list[str]:
    """Return the sources of measures, each once.

    >>> from sessionkit import nsDCG
    >>> citations([nsDCG @ 10])
    ['J\u00e4rvelin, Price, Delcambre & Nielsen, ECIR 2008, sections 2.2 and 3.3']
    """
    return list(dict.fromkeys(measure.inner.source for measure in measures))


def plugins(measures: Sequence[Measure]) -> list[Origin]:
    """Return the modules of others whose measures and charts a page has."""
    charts = [one.figure for one in CHARTS.given().values() if one.in_report]
    return origins([*(type(measure.inner) for measure in measures), *charts])


def again(measures: Sequence[Measure], given: Mapping[str, object], plugin_options: Sequence[str] = ()) -> str:
    """Return the command that makes the same page of a saved study.

    Parameters
    ----------
    measures
        Those that were asked for.
    given
        Values by option; None where it is not given.
    plugin_options
        The options that name the plugins it needs.

    >>> from sessionkit import nsDCG
    >>> again([nsDCG @ 10], {"redact": "users", "where": None})
    "sessionkit report STUDY 'nsDCG@10' --output report.html --redact users"
    >>> again([], {"by": "topic_id", "where": "skill = 2"})
    "sessionkit report STUDY --output report.html --by topic_id --where 'skill = 2'"
    """
    told = [f"'{measure}'" for measure in measures]
    told += ["--output report.html"]
    told += [f"--{name} {shlex.quote(str(value))}" for name, value in given.items() if value is not None]
    return " ".join(["sessionkit", *map(shlex.quote, plugin_options), "report STUDY", *told])


def again_in_memory(measures: Sequence[Measure], given: Mapping[str, object]) -> str:
    """Return the Python call that makes the same page of a study in memory; arguments are those of `again`.

    >>> from sessionkit import nsDCG
    >>> again_in_memory([nsDCG @ 10], {"redact": "users", "where": None})
    "sessionkit.report(study, ['nsDCG@10'], redact='users', output='report.html')"
    """
    named = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    texts = [str(measure) for measure in measures]
    arguments = ["study", *([str(texts)] if texts else []), *named, "output='report.html'"]
    return f"sessionkit.report({', '.join(arguments)})"


def _told(name: str, value: object, parameters: Mapping[str, object], meaning: str) -> str:
    """Return one choice in words."""
    special: dict[str, Callable[[], str]] = {
        "gain": lambda: _gain(str(value), parameters),
        "discount": lambda: f"rank discount {_discount(str(value), 'i', parameters.get('b'), parameters.get('p'))}",
        "query_discount": lambda: (
            f"query discount {_discount(str(value), 'q', parameters.get('bq'), parameters.get('pq'))}"
        ),
        "queries": lambda: "all queries count" if value is None else f"the first {value} queries count",
        "cutoff": lambda: "every logged rank counts" if value is None else f"ranks 1 to {value} of each query count",
        "ideal_queries": lambda: (
            f"the ideal has {'the queries of its session' if value == 'session' else f'{value} queries'}"
        ),
        "min_grade": lambda: f"grades from {value} on are relevant",
        "length": lambda: "over the session's own slots" if value is None else f"over {value} slots",
    }
    if name in special:
        return special[name]()
    if name == "slots" and isinstance(value, int):
        return f"a list occupies at least {value} slots"
    if value is None:
        return f"{name} is not given"
    return WORDS.get(name, {}).get(value) or f"{name} is {value} ({meaning})"


def _gain(value: str, parameters: Mapping[str, object]) -> str:
    """Return the gain in words."""
    if value == "binary":
        return f"gain is 1 from grade {parameters.get('min_grade')} on, 0 below"
    return GAINS.get(value, f"gains of the grades 0, 1, ... are {value.replace('-', ', ')}")


def _discount(name: str, place: str, base: object, p: object) -> str:
    """Return the formula of a discount."""
    factors = f"{name.replace('-', ', ')} for {place} = 1, 2, ..., then 0"
    return DISCOUNTS.get(name, factors).format(b=base, p=p, i=place)


ROWS = 20
"""Rows shown of each table; a line below says how many more there are."""

NAMELESS = {"Systems": "All sessions", "Sessions by system and topic": "Sessions"}
"""What tables are called without the systems or topics in their titles, where the log names none."""

OF_ONE = ("Judged share of the results", "Result lists")
"""The tables that say something of a single session."""


NOTHING = "Nothing unusual was found."
OF_WHOLE = (
    "What was unusual or rejected when the log was read is of the whole study; the report on all sessions says it."
)


def _rejected(of: Material) -> list[Part]:
    """Rejected rows by the rule that each broke, and values set aside by column and rule."""
    counted = of.study.rejected.group_by("table", "column", "rule", "row_kept").agg(many=pl.len().cast(pl.Int64))
    found = counted.sort("table", "column", "rule", nulls_last=True).collect()
    rows = (
        found.filter(~pl.col("row_kept")).group_by("table", "rule").agg(rows=pl.col("many").sum()).sort("table", "rule")
    )
    cells = found.filter("row_kept").select("table", "column", "rule", values="many")
    parts: list[Part] = []
    if len(rows):
        parts.append(table_of("Rejected rows", rows, headers={"table": "Table", "rule": "Rule broken", "rows": "Rows"}))
    else:
        parts.append(Words(("No row was rejected.",)))
    if len(cells):
        headers = {"table": "Table", "column": "Column", "rule": "Rule broken", "values": "Values"}
        parts.append(table_of("Values set aside, their rows kept", cells, headers=headers))
    return parts
