"""A web page of charts that is safe to open: nothing in it comes from outside, and no text in it can become code.

Altair's own HTML export writes the chart raw into a script, where text from a log runs. Here charts are JSON in
scripts that browsers do not run, every character that could end them escaped; a content security policy lets only the
two scripts below and those of the caller run, by their hashes, and forbids the network; expressions are interpreted,
never evaluated.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sessionkit.charts.libraries import libraries, notices
from sessionkit.charts.scripts import script
from sessionkit.display.labels import printable

ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

STYLE = """\
body { background: white; color: #222; font: 16px/1.5 "Liberation Sans", Arial, Helvetica, sans-serif; }
body { margin: 2rem auto; max-width: 54rem; padding: 0 1rem; }
.chart { margin: 1rem 0; overflow-x: auto; }
.chart svg { height: auto; max-width: 100%; }
.heard { clip-path: inset(50%); height: 1px; margin: 0; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
.save { color: #555; font-size: .8rem; }
.save button { background: none; border: 0; color: #005a8f; cursor: pointer; font: inherit; padding: .3rem 0; text-decoration: underline; }
:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
"""


def json_text(value: Any) -> str:  # noqa: ANN401  # any JSON value
    r"""Return a JSON value as text that can stand inside a script element.

    >>> json_text("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda found: ESCAPES[found[0]], text)


def chart_place(name: str, spec: Mapping[str, Any]) -> str:
    """Return the element in which a chart is drawn, and its spec.

    Parameters
    ----------
    name
        An id unique in the page; letters, digits and hyphens.
    spec
        The chart's Vega-Lite specification, see `sessionkit.charts.spec_of`.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
        msg = f"{name!r} is no id"
        raise ValueError(msg)
    data = f'<script type="application/json" data-chart="{name}">{json_text(spec)}</script>'
    return f'<div class="chart" id="{name}"></div>\n{data}\n'


def page(title: str, body: str, *, style: str = STYLE, scripts: Sequence[str] = ()) -> str:
    """Return a whole page.

    Parameters
    ----------
    title
        Its title, as plain text.
    body
        Its body, as HTML in which everything from outside is escaped already.
    style
        Its style sheet.
    scripts
        Further scripts of ours, which run after the charts are begun; nothing from outside may stand in them.
    """
    run = [libraries(), script("charts/page.js"), *dict.fromkeys(scripts)]
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, run))}",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(printable(title))}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}"
        "<noscript><p>Scripts inside this page draw the figures; this browser does not run them.</p></noscript>\n"
        f"{notices()}{''.join(f'<script>{one}</script>{chr(10)}' for one in run)}</body>\n</html>\n"
    )


def _hash(script: str) -> str:
    """Return the source expression that allows exactly this script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
