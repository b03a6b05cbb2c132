"""Texts that a hostile log may hold: each could do harm in some output, and must be text and nothing else in all of them.

A page in which one of them ran has ``window.hacked``.
"""

SCRIPTS = (
    "</script><script>window.hacked=1</script>",
    '"};window.hacked=1//',
    "<!--<script>",
    "]]>&amp;&lt;</style></title>",
    "javascript:window.hacked=1",
    "__proto__",
)
"""What could end a script, a string in it, or what else a browser takes for code."""
MARKUP = (
    "<img src=x onerror=window.hacked=1>",
    '"\' onfocus=window.hacked=1 autofocus="',
    "<svg/onload=window.hacked=1>",
)
"""What could be an element, or an attribute."""
EXPRESSIONS = (
    "datum.x",
    "datum['x'] + alert(1)",
    "{{7*7}} ${window.hacked=1} {% if %}",
    '{"signal": "window.hacked=1", "expr": "1+1"}',
    "a[b].c\\'d",
    "group:N",
)
"""What a drawing library, or a template, could work out."""
COMMANDS = (r"\input{/etc/passwd} \write18{ls}%", "$x^2_i$ & # ~ {} <b>|</b>", "--- ?` !` << >> ,, ''")
"""What TeX could carry out, or print as something else."""
FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1+1",
    '=HYPERLINK("javascript:window.hacked=1")',
)
"""What a spreadsheet could work out."""
MARKS = (
    "**bold** _it_ [link](javascript:alert(1)) `code` | pipe",
    "# heading",
    "- point",
    "1. point",
    "http://example.org/ a@b.c",
    'a,"b"',
)
"""What Markdown or CSV could take for their own."""
TURNS = ("\u202eesrever\u202c \u05e9\u05dc\u05d5\u05dd", "\u2067\u200f\u05d0\u05d1 12:34\u2069 \u200eleft")
"""What turns the direction of the text beside it."""
CONTROLS = (
    "\x1b[31mred\x1b[2J",
    "\x1b]8;;javascript:window.hacked=1\x1b\\link\x1b]8;;\x1b\\",
    "\x9b2J\x07\x08\x7f",
    "bell\x00\x07\x1b\ufffe",
    "over\rwritten",
    "new\nline\ttab",
    "line\u2028end\u2029",
)
"""What acts on a terminal, ends a line, or cannot stand in XML."""
LONG = ("x" * 2000,)
PAYLOADS = (*SCRIPTS, *MARKUP, *EXPRESSIONS, *COMMANDS, *FORMULAS, *MARKS, *TURNS, *CONTROLS, *LONG)
"""All of them."""
EACH = (SCRIPTS[0], MARKUP[0], EXPRESSIONS[3], COMMANDS[0], FORMULAS[0], MARKS[0], TURNS[0], CONTROLS[0], CONTROLS[3])
"""One of each kind, for outputs that take their time over every name."""
TERMINAL = "\x1b[31m\x07\u202e\u2028<script>\r\x9b2J\x1b]8;;x:y\x1b\\"
"""In one name: colors what follows, rings, turns the direction of writing, ends a line for some, is a tag in a page, goes
back to the beginning of the line, clears the screen, and begins a link."""
CELL = "</td><script>alert(1)</script>\x1b[31m\x07\u202e\u2028"
"""In one name: ends a cell of a table, and acts on a terminal."""
