"""Tooltips: terms in the prose of a page, each with its entry of the glossary, where a section first uses it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

import polars as pl
from markupsafe import Markup

from sessionkit.display.guides import glossary
from sessionkit.display.templates import rendered
from sessionkit.study import Study

SPELLINGS = {
    "judged share": r"judged shares?",
    "unjudged": r"unjudged",
    "ideal": r"ideals?",
    "discount": r"discounts?",
    "95% interval": r"95%\s(?:CIs?|intervals?)|confidence intervals?",
    "bounds": r"bounds",
    "slot": r"slots?",
    "query position": r"query positions?",
    "primary measure": r"primary measure",
    "crossover": r"crossover",
    "least squares": r"least squares",
    "bonferroni": r"Bonferroni|Holm",
    "bootstrap": r"bootstrap",
    "wilson": r"Wilson",
    "reformulation": r"reformulations?",
}
"""How prose spells each term; the keys are words of the glossary."""
PROSE = re.compile(r"(?s)(<(p|li|dd|figcaption)\b[^>]*>)(.*?)(?=</\2>)")
"""What is read as sentences; not headings, tables, controls and drawings."""
QUOTED = r"&#39;.*?&#39;|&#34;.*?&#34;"
"""Escaped text in quotation marks, which may be from a log."""


def terms_of(study: Study) -> list[str]:
    """Return the terms that occur in no name of a study: a group called ideal is not the ideal."""
    any_term = f"(?i){'|'.join(SPELLINGS.values())}"
    names: list[str] = []
    for table in (study.sessions, study.users):
        schema = table.collect_schema()
        texts = pl.concat_list(pl.col(name).cast(pl.String) for name, dtype in schema.items() if dtype == pl.String)
        with_term = table.select(name=texts.explode()).filter(pl.col("name").str.contains(any_term)).unique()
        names += [*schema.names(), *with_term.collect().get_column("name")]
    return [
        term for term, spelling in SPELLINGS.items() if not any(re.search(f"(?i){spelling}", name) for name in names)
    ]


def mark_terms(sections: Markup, terms: Sequence[str]) -> Markup:
    """Return sections, in each of which the first of each term in prose can be pointed at, touched or reached by the keyboard."""
    if not terms:
        return sections
    pieces = re.split("(?=<section id=)", sections)
    return Markup("".join(_mark_section(piece, terms) for piece in pieces))  # noqa: S704 - HTML in, and own tags


def _mark_section(section: str, terms: Sequence[str]) -> str:
    """Return one section with its terms marked."""
    pattern = re.compile("|".join([QUOTED, *(rf"(?P<{_id(term)}>\b(?:{SPELLINGS[term]})\b)" for term in terms)]))
    ids = {_id(term) for term in terms}

    def marked(match: re.Match[str]) -> str:
        if match.lastgroup not in ids:
            return match[0]
        ids.remove(match.lastgroup)
        return f'<dfn tabindex="0" aria-describedby="{match.lastgroup}">{match[0]}</dfn>'

    def in_prose(match: re.Match[str]) -> str:
        pieces = re.split("(<[^>]*>)", match[3])  # texts and, at odd places, tags
        return match[1] + "".join(text if nth % 2 else pattern.sub(marked, text) for nth, text in enumerate(pieces))

    return PROSE.sub(in_prose, section)


def is_marked(term: str, sections: Markup) -> bool:
    """Return whether sections have a tooltip for a term."""
    return f'aria-describedby="{_id(term)}"' in sections


def explain_terms(terms: Sequence[str]) -> Markup:
    """Return what terms mean, each in an element that is hidden until its term is pointed at."""
    return rendered("reports/tooltips.html", entries={_id(term): meanings()[term] for term in terms})


@cache
def meanings() -> Mapping[str, str]:
    """Return the entry of the glossary for each term."""
    return {term: glossary()[term].replace("`", "") for term in SPELLINGS}


def _id(term: str) -> str:
    """Return the id of the element with a meaning, which is also the name of a group of a pattern."""
    return f"term_{re.sub('[^a-z0-9]', '_', term)}"
