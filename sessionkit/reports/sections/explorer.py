"""The session explorer: any session, or any of a stated sample, result by result."""

from __future__ import annotations

from sessionkit.display.templates import json_text
from sessionkit.reports.choices import Choices
from sessionkit.reports.explorer.columns import TEXTS, columns_of_sessions
from sessionkit.reports.explorer.sample import MOST, fitting, room_of
from sessionkit.reports.explorer.widget import widget
from sessionkit.reports.figures.figure import figures
from sessionkit.reports.figures.session_wall import draw_wall
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Widget, Words
from sessionkit.reports.sample import in_memory, only
from sessionkit.reports.sections.section_kind import section
from sessionkit.study.session_counts import was_clicked

SNIPPET = TEXTS[1]
PANELS = 120
"""Sessions of which a page shows the panels, at most."""
OPENS = "A click on a session opens it below, with its queries, results and clicks."
NOT_PRINTED = (
    "The wall of sessions is not printed with the page: saved as the chart session-wall, it has sheets for paper."
)


@section("explorer", "Every session, result by result")
def explorer(of: Material) -> list[Part]:
    """Find a session; see its queries, lists, clicks, what each result added, and its curve under the ideal's."""
    return explorer_parts(of, room_of(of.study))


def explorer_parts(of: Material, room: int) -> list[Part]:
    """Return the explorer of as many sessions as fit into so many bytes, below what is said of them."""
    everyone = of.study.facts.sessions
    if not everyone:
        return []
    made, held, shortened = _made(of, room)
    about = (
        "There are no judgments, so nothing has a gain."
        if of.unjudged is not None
        else f"Gains and curves are those of {of.choices.measure}; where one session is drawn, the gray dashed curve is that of "
        "its own ideal, whose end is the height of the small curves in the table; where two are, the dashed curve is the second session's."
    )
    if held == everyone:
        told = f"All {everyone:,} sessions are here." if everyone > 1 else "The one session is here."
    else:
        told = f"Here are {held:,} of {everyone:,} sessions, drawn at random with a fixed seed, so that the page stays small."
    left = [
        f"{kind.capitalize()} are left out." for kind in ("queries", "documents", "users") if kind in of.redaction.kinds
    ]
    left += ["Snippets are left out, so that the page stays small."] if shortened else []
    return [Words((" ".join([told, about, *left]),)), made]


def _made(of: Material, room: int) -> tuple[Widget, int, bool]:
    """The explorer with as many sessions as it has room for, their number, and whether it has no room for snippets.

    Snippets give way to sessions, since they are most of the text of a log.
    """
    measure = of.choices.measure
    ids = fitting(of.shown, of.drawn(MOST), measure.cutoff or 0, room)
    some = only(of.shown, ids)
    held = some if some is of.shown else in_memory(some)
    primary = next(iter(of.measures), None)
    columns = columns_of_sessions(held, measure, of.redaction, of.study, primary=primary, is_bounded=not of.large)
    order, shortened = ids["session_id"].sort(), False
    while True:
        drawn = len(ids) < of.study.facts.sessions
        made = widget(columns, measure, synthetic=of.choices.synthetic, drawn=drawn)
        size = len(json_text(made.data).encode())
        if size <= room or len(ids) <= 1:
            return made, len(ids), shortened
        if SNIPPET in columns.texts:
            columns, shortened = columns.without(SNIPPET), True
            continue
        ids = ids.head(max(1, int(0.95 * len(ids) * room / size)))
        chosen = order.is_in(ids["session_id"].implode())
        columns, order = columns.only(chosen), order.filter(chosen)


def _choices_of_panels(of: Material) -> Choices:
    """Return what figures of single sessions have in common: they are of the primary measure, where that is a sum over results."""
    is_sum = of.unjudged is None and of.primary.level == "session" and of.primary.gain_measure is not None
    return of.choices_of_primary if is_sum else of.colored


def _has_clicks(of: Material) -> bool:
    """Whether any result was clicked."""
    clicked = was_clicked(of.shown.columns("results"))
    return bool(of.shown.results.select(clicked.any()).collect().item())


@section("exemplar", lambda of: "Two sessions side by side" if of.unjudged is None else "The longest session in time")
def exemplar(of: Material) -> list[Part]:
    """Return two sessions of one topic, which differ much; where nothing is judged a session in time."""
    if of.large or of.study.facts.sessions < 2:
        return []
    kind = "session-timeline" if of.unjudged is not None else "session-pair"
    return [figure for figure in figures(of.study, _choices_of_panels(of), [kind]) if figure.chart is not None]


@section("every-session", "Browse sessions", details=(exemplar, explorer))
def every_session(of: Material) -> list[Part]:
    """Return the wall of all sessions, or of a sample; of one session its card."""
    n_sessions = of.study.facts.sessions
    if not n_sessions:
        return []
    choices = _choices_of_panels(of)
    if n_sessions == 1:
        (card,) = figures(of.study, choices, ["session-card"])
        return [card] if card.chart is not None else []
    if of.unjudged is not None and not _has_clicks(of):
        none = f"The log has neither judgments nor clicks, so {n_sessions:,} sessions have no curve to draw; they are listed below."
        return [of.paragraph(none)]
    if n_sessions <= PANELS:
        drawn = figures(of.study, choices, ["session-wall"])
        return [Words((OPENS,), medium="screen"), Words((NOT_PRINTED,), medium="paper"), *drawn]
    ids = of.drawn(PANELS)["session_id"]
    sampled = f"{PANELS} of {n_sessions:,} sessions are here, drawn at random with a fixed seed. The chart session-wall draws all. {OPENS}"
    wall = draw_wall(of.shown, choices, ids, is_bounded=not of.large, whole=of.study)
    return [Words((sampled,), medium="screen"), Words((NOT_PRINTED,), medium="paper"), wall]
