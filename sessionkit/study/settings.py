"""What the experimenter declares about a study, because no log can say it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypedDict, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sessionkit.arguments import Better, Merge, MissingPositions
from sessionkit.errors import DataError, UsageError, suggestion

MERGES: tuple[Merge, ...] = get_args(Merge)
"""Ways to merge several judgments of one document."""
WHOLE_MERGES = 'set merge = "median" or "majority"'
"""What to do where the grades of ``merge = "mean"`` must be whole."""
BETTER: tuple[Better, ...] = get_args(Better)
"""Which values of a column can be better."""
MISSING: tuple[MissingPositions, ...] = get_args(MissingPositions)
"""What queries whose position is missing can be taken as."""


HIGHEST = 1024
"""The top of a grade scale is below this: 2 to that power is still a number."""


class SettingValues(TypedDict, total=False):
    """Settings by name, as functions take them; those of `Settings`."""

    max_grade: float | None
    unjudged_grades: Collection[float] | None
    merge: Merge
    collection_size: int | None
    title: str | None
    primary: str | None
    labels: Mapping[str, str]
    better: Mapping[str, Better]
    equivalence: Mapping[str, float]
    synthetic: bool
    timezone: str | None
    missing_positions: MissingPositions | None


@dataclass(frozen=True)
class Settings:
    """What is declared, never taken from the data; kept in the package.

    Parameters
    ----------
    max_grade
        Top of the grade scale, above 0.
    unjudged_grades
        Negative grades that mean "pooled but not judged"; other negative grades are judged and gain nothing. Empty where none do;
        None where nothing is declared: the same, with a note where there are negative grades.
    merge
        How several judgments of one (judgment_key, doc_id) become one grade: one of :data:`MERGES`. ``mean`` averages the grades of 0
        and above; where a document has only negative grades, it is judged and gains nothing.
    collection_size
        Number of documents in the collection, at least 1.
    title
        Title of the study, for reports.
    primary
        The primary measure, declared before the data were looked at, such as ``"nsDCG@10"``: a report gives a verdict on it,
        and calls findings by undeclared measures exploratory.
    labels
        What reports call columns, groups and topics, by their names in the log, such as ``{"S1": "Baseline"}``.
    better
        Which values of a column are better, ``"higher"`` or ``"lower"``, such as ``{"satisfaction": "higher"}``: without it reports
        call no group better by ``column(satisfaction)``.
    equivalence
        The band of practical equivalence of a measure, in its own units and above 0, such as ``{"nsDCG@10": 0.02}``: groups
        whose difference lies within -0.02 and 0.02 are practically equal. Declare it before the data are looked at.
    synthetic
        Whether the data are made up; figures then say so.
    timezone
        Zone of times that carry none, an IANA name such as ``Europe/Vienna``.
    missing_positions
        What became of queries whose position is missing in its session, one of :data:`MISSING`: their list was ``empty``, or
        ``not_logged``. None: as ``not_logged``, with a warning.

    Raises
    ------
    DataError
        A value is out of its range.

    Examples
    --------
    >>> Settings(max_grade=3).merge
    'max'
    """

    max_grade: float | None = None
    unjudged_grades: tuple[float, ...] | None = None
    merge: Merge = "max"
    collection_size: int | None = None
    title: str | None = None
    primary: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    better: Mapping[str, Better] = field(default_factory=dict, hash=False)
    equivalence: Mapping[str, float] = field(default_factory=dict, hash=False)
    synthetic: bool = False
    timezone: str | None = None
    missing_positions: MissingPositions | None = None

    def __post_init__(self) -> None:
        if self.max_grade is not None:
            if not _number(self.max_grade) or not 0 < self.max_grade < HIGHEST:
                raise DataError(
                    f"max_grade is {self.max_grade!r}; it must be a number above 0 and below {HIGHEST}, the top of the "
                    "grade scale"
                )
            object.__setattr__(self, "max_grade", float(self.max_grade))
        if self.unjudged_grades is not None:
            if not isinstance(self.unjudged_grades, list | tuple | set | frozenset) or not all(
                _number(grade) and grade < 0 for grade in self.unjudged_grades
            ):
                raise DataError(f"unjudged_grades is {self.unjudged_grades!r}; it must be a list of negative numbers")
            object.__setattr__(self, "unjudged_grades", tuple(float(grade) for grade in self.unjudged_grades))
        if self.merge not in MERGES:
            near = suggestion(str(self.merge), MERGES)
            raise DataError(f"merge is {self.merge!r}; it must be one of {', '.join(MERGES)}{near}")
        size = self.collection_size
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < 2**63):
            raise DataError(
                f"collection_size is {size!r}; it must be a whole number of documents, at least 1 and below 2^63"
            )
        if not isinstance(self.title, str | None) or not isinstance(self.synthetic, bool):
            raise DataError(
                f"title must be text and synthetic true or false, not {self.title!r} and {self.synthetic!r}"
            )
        if self.primary is not None and not (isinstance(self.primary, str) and self.primary.strip()):
            raise DataError(f"primary is {self.primary!r}; it must be a measure, such as 'nsDCG@10'")
        object.__setattr__(self, "labels", _checked_labels(self.labels))
        if not isinstance(self.better, Mapping) or any(value not in BETTER for value in self.better.values()):
            raise DataError(f"better is {self.better!r}; it must say {' or '.join(BETTER)} of each column")
        object.__setattr__(self, "better", dict(self.better))
        object.__setattr__(self, "equivalence", _checked_bands(self.equivalence))
        check_timezone(self.timezone)
        if self.missing_positions is not None and self.missing_positions not in MISSING:
            near = suggestion(str(self.missing_positions), MISSING)
            raise DataError(
                f"missing_positions is {self.missing_positions!r}; it must be one of {', '.join(MISSING)}{near}"
            )

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Settings:
        """Return settings from named values, refusing names that are none of them."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise UsageError(
                    f"no study setting is called {name!r}{suggestion(name, known)}; settings: {', '.join(known)}"
                )
        return cls(**given)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        unjudged = self.unjudged_grades
        return {**asdict(self), "unjudged_grades": None if unjudged is None else list(unjudged)}


def _checked_labels(labels: object) -> dict[str, str]:
    """Return the texts that stand for names."""
    if not isinstance(labels, Mapping) or not all(
        isinstance(text, str) and text.strip() for text in (*labels, *labels.values())
    ):
        raise DataError(f"labels is {labels!r}; it must give a text for each name, such as S1 = 'Baseline'")
    if len(set(labels.values())) < len(labels):
        raise DataError("labels has one text for several names; they could not be told apart")
    return dict(labels)


def _checked_bands(equivalence: object) -> dict[str, float]:
    """Return bands of equivalence by measure; raise DataError unless each is a number above 0."""
    if not isinstance(equivalence, Mapping) or not all(
        isinstance(name, str) and _number(width) and width > 0 for name, width in equivalence.items()
    ):
        raise DataError(
            f"equivalence is {equivalence!r}; it must give a number above 0 for each measure, such as 'nsDCG@10' = 0.02"
        )
    return {name: float(width) for name, width in equivalence.items()}


def check_timezone(name: str | None) -> None:
    """Raise DataError unless this is the name of a time zone, or None."""
    if name is None:
        return
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise DataError(
            f"timezone is {name!r}, which is not a time zone; use an IANA name such as 'Europe/Vienna' or 'UTC'"
        ) from None


def _number(value: object) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
