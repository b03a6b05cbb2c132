"""What events of a log are called: which column tells them apart, and which name is a query, an impression, a click or a leave.

A name that is usual says it. Of another one the columns do that it fills: a query has a text and no document, an impression and a
click have a document, and impressions come several at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sessionkit.display.words import listed
from sessionkit.readers.propose.column_names import LIKELY, folded, likeness, words
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.proposal import quoted

ACTIONS = {
    "query": "query search submit submitted querysubmit querysubmitted querysubmission searchquery queryissued issuequery newquery "
    "requery reformulate reformulation queryevent searchevent dosearch searchsubmit searched issued queried viewsearchresults "
    "suche suchanfrage anfrage abfrage recherche requete busqueda consulta ricerca pesquisa zoekvraag zoekopdracht haku kysely "
    "sokning fraga",
    "impression": "impression impressions view views show shown result display displayed serpitem exposure resultshown "
    "resultimpression itemview anzeige angezeigt treffer affichage afiche vista mostrado visto visualizzazione getoond visning visad",
    "click": "click clicked clickresult resultclick open opened opendocument documentopened select selected itemclick docclick "
    "selectitem selectcontent "
    "clickthrough clickout resultclicked openresult viewdocument docopen opendoc visit visited klick geklickt geoffnet clic clique ouvert "
    "ouverture abierto abrir aperto aprire clicado aberto geklikt geopend klikkaus avattu klickad oppnad",
    "leave": "leave left close closed closedocument back return returned backtoserp exit docclose",
}
"""What events are called, folded, by what they are to ``format = "events"``, in the order in which names are looked up."""
KINDS_OF_EVENTS = 200
"""Different events that a log may have."""
USUAL = {name: action for action, names in ACTIONS.items() for name in names.split()}
NEUTRAL = ("event", "evt", "on", "user", "ui", "log", "logged")
"""Words in the name of an event that do not say what it is."""
OBJECTS = ("search", "result", "doc", "document", "item", "link")
"""Words that say of what an event is, where others say what happened."""
LISTED = r"(?s)^\s*\[.*\]\s*$"
"""A list of documents in JSON, as of the items of an event that is a query."""
FIELDS = ("query_text", "doc_id", "rank")
"""What the rows of an event may have that says what it is."""
FEW = 50
"""Different texts that a column of names of events has at most, where none of them is usual."""
MOSTLY, HARDLY = 0.9, 0.1
"""The share of its rows in which an event has, or lacks, a value of a column."""


@dataclass(frozen=True)
class EventName:
    """One name of events.

    Parameters
    ----------
    name
        What the log calls them.
    action
        What they are, one of :data:`ACTIONS`; empty where nothing says it.
    is_guessed
        Whether the columns that they fill say it, and not their name.
    description
        The name, how many events have it, and what these say.
    has_unread_lists
        Whether they have lists of results that are not read, as only a query can have one.
    """

    name: str
    action: str
    is_guessed: bool
    description: str
    has_unread_lists: bool = False


def event_column(columns: Mapping[str, SampleColumn]) -> str | None:
    """Return the column that tells events apart: one with few texts, some of which are queries, others something else.

    Where no text is usual, it is one with a usual name of which some texts have a query and others a document.
    """
    best: tuple[float, str] | None = None
    for one in columns.values():
        if not 1 < one.distinct <= KINDS_OF_EVENTS:
            continue
        actions = {action for text in one.given.unique() if (action := action_of(text))}
        like = likeness(one.heading, "event")
        if "query" in actions and (len(actions) > 1 or like) and (best is None or like + len(actions) > best[0]):
            best = (like + len(actions), one.name)
    if best is not None:
        return best[1]
    named = [one for one in columns.values() if likeness(one.heading, "event") >= LIKELY and 1 < one.distinct <= FEW]
    return next((one.name for one in named if _tells_apart(columns, one)), None)


def _tells_apart(columns: Mapping[str, SampleColumn], event: SampleColumn) -> bool:
    """Return whether some texts of a column stand beside queries alone, others beside documents."""
    fields: dict[str, SampleColumn] = {}
    for ours in FIELDS:
        likely = [one for one in columns.values() if one is not event and likeness(one.heading, ours)]
        if likely:
            fields[ours] = max(likely, key=lambda one: likeness(one.heading, ours))
    shares = _filled_shares(event, fields)
    rows = shares.values()
    has_queries = any(row["query_text"] >= MOSTLY and max(row["doc_id"], row["rank"]) <= HARDLY for row in rows)
    return has_queries and any(max(row["doc_id"], row["rank"]) >= MOSTLY for row in rows)


def _filled_shares(event: SampleColumn, fields: Mapping[str, SampleColumn]) -> dict[str, dict[str, float]]:
    """Return for each name of events the share of its rows that have a query text, a document and a rank, and their number."""
    frame = pl.DataFrame({"event": event.texts.str.strip_chars()})
    none = pl.repeat(value=False, n=frame.height, eager=True)
    frame = frame.with_columns(
        (fields[ours].texts.is_not_null() if ours in fields else none).alias(ours) for ours in FIELDS
    )
    counts = frame.drop_nulls("event").group_by("event", maintain_order=True)
    rows = counts.agg(pl.col(FIELDS).mean(), pl.len().alias("rows")).to_dicts()
    return {row.pop("event"): row for row in rows}


def find_event_names(event: SampleColumn, fields: Mapping[str, SampleColumn]) -> list[EventName]:
    """Return the names of events, those that come first in the log first, with what each is.

    Parameters
    ----------
    event
        The column that tells events apart.
    fields
        The columns of the log that are query_text, doc_id, rank and results, as far as there are any.
    """
    shares = _filled_shares(event, fields)
    usual = {name: _usual_action(name, row, fields) for name, row in shares.items()}
    unread = _events_with_unread_lists(event, fields, usual)
    lists = [name for name in unread if shares[name]["query_text"] >= MOSTLY]
    if lists:  # the query and its list are two events
        usual = {name: "" if action == "query" or name in lists else action for name, action in usual.items()}
    has_queries = "query" in usual.values()
    guesses: dict[str, str] = {}
    for name, row in shares.items():
        if not usual[name] and not has_queries and row["query_text"] >= MOSTLY and row["doc_id"] <= HARDLY:
            guesses[name] = "query"
    guesses |= _guess_events_on_documents(event, shares, usual)
    if lists:
        guesses = {name: action for name, action in guesses.items() if action != "query"} | {lists[0]: "query"}
    queries = [name for name, action in guesses.items() if action == "query"]
    if queries:  # the others may be texts as they were typed
        most = max(queries, key=lambda name: shares[name]["rows"])
        guesses = {name: action for name, action in guesses.items() if action != "query" or name == most}
    return [
        EventName(
            name,
            usual[name] or guesses.get(name, ""),
            name in guesses,
            _description(name, row, has_lists=name in unread),
            has_unread_lists=name in unread and name not in lists[:1],
        )
        for name, row in shares.items()
    ]


def _usual_action(name: str, row: Mapping[str, float], fields: Mapping[str, SampleColumn]) -> str:
    """Return what an event is by its name; empty where its name does not say it, or it has nothing of what such an event has."""
    action = action_of(name) or ""
    needed = {"query": ("query_text",), "impression": ("doc_id", "rank"), "click": ("doc_id", "rank")}.get(action, ())
    there = [ours for ours in needed if ours in fields]
    return "" if there and all(row[ours] <= HARDLY for ours in there) else action


def _guess_events_on_documents(
    event: SampleColumn, shares: Mapping[str, Mapping[str, float]], usual: Mapping[str, str]
) -> dict[str, str]:
    """Return which unknown events on documents are impressions and which are clicks, one of each at most.

    Impressions are more than clicks. Where there is but one kind of events, they are impressions if most follow one of their own.
    """
    on_documents = [name for name, row in shares.items() if row["doc_id"] >= MOSTLY]
    by_number = sorted((name for name in on_documents if not usual[name]), key=lambda name: -shares[name]["rows"])
    clicks = sum(shares[name]["rows"] for name in on_documents if usual[name] == "click")
    guesses: dict[str, str] = {}
    if by_number and "impression" not in usual.values():
        first = by_number[0]
        if shares[first]["rows"] >= clicks if len(on_documents) > 1 else _follows_itself(event, first):
            guesses[by_number.pop(0)] = "impression"
    if by_number and "click" not in usual.values():
        guesses[by_number[0]] = "click"
    return guesses


def _follows_itself(event: SampleColumn, name: str) -> bool:
    """Return whether most events of this name follow one of their own."""
    own = event.given.str.strip_chars() == name
    return 2 * int((own & own.shift(1, fill_value=False)).sum()) >= int(own.sum())


def _events_with_unread_lists(
    event: SampleColumn, fields: Mapping[str, SampleColumn], usual: Mapping[str, str]
) -> list[str]:
    """Return the events that have lists of results, where those called queries have none."""
    if "results" not in fields:
        return []
    has_list = fields["results"].texts.str.contains(LISTED).fill_null(value=False)
    names = event.texts.str.strip_chars().filter(has_list).drop_nulls().unique(maintain_order=True).to_list()
    if any(usual[name] == "query" for name in names):
        return []
    return [name for name in names if usual[name] not in ("click", "leave")]


def _description(name: str, row: Mapping[str, float], *, has_lists: bool) -> str:
    """Return a name of events with how many there are and which columns they fill."""
    filled = [ours for ours in ("query_text", "doc_id", "rank") if row[ours] >= MOSTLY]
    filled += ["results"] if has_lists else []
    says = f" with {listed(filled)}" if filled else ""
    return f"{quoted(name)} ({int(row['rows']):,}{says})"


def action_of(text: str) -> str | None:
    """Return what an event of this name is; None where nothing says it.

    >>> action_of("Query_Submitted"), action_of("scroll"), action_of("user.search"), action_of("search_result_click")
    ('query', None, 'query', 'click')
    """
    every = words(text)
    bare = [part for part in every if part not in NEUTRAL]
    narrow = [part for part in bare if part not in OBJECTS]
    return next((USUAL[name] for name in (folded(text), "".join(bare), "".join(narrow)) if name in USUAL), None)
