"""Times of TREC session logs as seconds since the session began: times of day without a date, or seconds already.

A time of day says nothing of the day, so it becomes no datetime; where it falls by more than half a day, midnight has
passed; where it then rises by as much, it is one of the day before.
"""

from __future__ import annotations

import re

DAY = 86_400.0
MISSING = ("", "NA", "-1", "null", "None")
"""What stands where a time is not known."""
TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d{2}):(\d{2}(?:\.\d+)?)")
SECONDS = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Clock:
    """The times of one session, to be asked for in the order in which they stand in the log.

    Parameters
    ----------
    start
        When the session began, as the log says it; where it does not, the first time asked for is the beginning.

    Examples
    --------
    >>> clock = Clock("23:59:30.5")
    >>> clock.elapsed("23:59:40.5"), clock.elapsed("00:00:10.5"), clock.elapsed("NA")
    (10.0, 40.0, None)
    >>> clock = Clock("0")
    >>> clock.elapsed("12.5")
    12.5
    """

    def __init__(self, start: str | None) -> None:
        self.of_day = False
        self.unreadable: list[str] = []
        self._days = 0.0
        self._last: float | None = None
        self._origin = self._seconds(start)

    def elapsed(self, text: str | None) -> float | None:
        """Return the seconds since the session began; None where unknown, unreadable or before the session began."""
        seconds = self._seconds(text)
        if seconds is None:
            return None
        if self._origin is None:
            self._origin = seconds if self.of_day else 0.0
        if seconds < self._origin and not self.of_day:
            self._origin = 0.0  # its times count from the beginning of the session, whatever that says of itself
        since = round(seconds - self._origin, 6)
        if since < 0:
            self.unreadable.append(text or "")
            return None
        return since

    def _seconds(self, text: str | None) -> float | None:
        """Return seconds since midnight of the first day, or as they stand there."""
        stripped = (text or "").strip()
        if SECONDS.fullmatch(stripped):
            return float(stripped)
        if stripped in MISSING:
            return None
        parts = TIME_OF_DAY.fullmatch(stripped)
        if parts is None:
            self.unreadable.append(stripped)
            return None
        self.of_day = True
        seconds = int(parts[1]) * 3600 + int(parts[2]) * 60 + float(parts[3]) + self._days
        if self._last is not None and seconds < self._last - DAY / 2:
            self._days += DAY
            seconds += DAY
        elif self._is_before_midnight(seconds):
            return seconds - DAY
        self._last = seconds
        return seconds

    def _is_before_midnight(self, seconds: float) -> bool:
        """Return whether a time is of the day before: a document may be read past midnight after the next query was asked."""
        return self._last is not None and seconds > self._last + DAY / 2 and seconds - DAY >= (self._origin or 0.0)
