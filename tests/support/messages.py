"""Messages by the parts that a test holds them to: values, names, accepted alternatives.

Words around them may change; a number or a name matches only as a whole.
"""

import re
from collections.abc import Iterable


def match_parts(*parts: str) -> str:
    """Return a pattern of messages that hold these parts in this order, each as whole words.

    >>> bool(re.search(match_parts("3 records", "line 12"), "3 records rejected, the first in line 12"))
    True
    >>> bool(re.search(match_parts("3 records", "line 1"), "3 records rejected, the first in line 12"))
    False
    """
    return "(?s)" + ".*".join(map(_as_whole, parts))


def messages_with(messages: Iterable[object], *parts: str) -> list[str]:
    """Return the messages, or texts of warnings, that hold these parts in this order.

    >>> messages_with(["13 records", "3 records in 2 files"], "3 records", "2 files")
    ['3 records in 2 files']
    """
    return [text for text in map(str, messages) if re.search(match_parts(*parts), text)]


def _as_whole(part: str) -> str:
    """Return the pattern of a part that no letter or digit continues."""
    before, after = (r"(?<!\w)" * part[:1].isalnum(), r"(?!\w)" * part[-1:].isalnum())
    return f"{before}{re.escape(part)}{after}"
