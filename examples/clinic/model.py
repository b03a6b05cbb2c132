"""How well each query of the clinic study does, what it returns, and what the searcher does with it.

Everything a system changes goes through one number, the query's quality: `SYSTEM_EFFECT` is added to it for every query
searched with System 2 and to nothing else. Quality decides which relevant documents match and how high they rank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dice import Dice, logistic
from plan import Searcher, Task

COLLECTION_SIZE = 24_900
LIST_LENGTH = 100

# quality = scenario + searcher + system + gain per reformulation + what it takes to stop satisfied + noise
SCENARIO_BASE = {"A": -0.2, "B": 0.2, "C": -0.4, "D": 0.0}
SKILL_SLOPE = 0.15  # per point of the searcher's own rating above 2.4
SEARCHER_SD = 0.25
SYSTEM_EFFECT = 0.75
REFORMULATION_GAIN = 0.05
SATISFIED_GAIN = 2.7
QUALITY_START = -2.0
NOISE_SD = 0.7

# judged documents per scenario with grades 0, 1, 2, 3
RECALL_BASE = {"A": (118, 30, 12, 4), "B": (139, 42, 15, 6), "C": (92, 24, 9, 3), "D": (107, 35, 14, 5)}
NEIGHBORHOOD = 1200  # unjudged documents near a scenario
MATCH_OFFSET = (0.8, -1.0, -0.7, -0.5)  # by grade: how readily a document matches, before quality
PULL = (0.4, 0.7, 1.2, 1.7)  # by grade: how far good queries lift a matching document
CLICK_SHARE = (0.09, 0.25, 0.55, 0.8)  # by grade, for a result that is looked at; unjudged ones as grade 0


@dataclass(frozen=True)
class Scenario:
    """The documents of one scenario: the judged ones, their neighbors, and how prominent each is for any query."""

    grades: dict[str, int]
    neighbors: list[str]
    prominence: dict[str, float]


@dataclass(frozen=True)
class Click:
    """One clicked result: seconds from the query to the click, seconds spent on the document, the searcher's grade."""

    rank: int
    after: int
    dwell: int
    user_grade: int


def scenarios(dice: Dice) -> dict[str, Scenario]:
    """Draw each scenario's judged documents and neighbors from the collection."""
    made = {}
    for name, counts in RECALL_BASE.items():
        ids = dice.shuffled([_document(i) for i in range(1, COLLECTION_SIZE + 1)])
        judged, neighbors = ids[: sum(counts)], ids[sum(counts) : sum(counts) + NEIGHBORHOOD]
        grades = dict(zip(judged, [g for g, count in enumerate(counts) for _ in range(count)], strict=True))
        made[name] = Scenario(grades, neighbors, {doc: dice.normal() for doc in judged + neighbors})
    return made


def _document(number: int) -> str:
    """Return the id of the document with this number."""
    return f"doc-{number:05}"


def searcher_level(dice: Dice, searcher: Searcher) -> float:
    """Draw what a searcher adds to the quality of every query."""
    return SKILL_SLOPE * (searcher.skill - 2.4) + dice.normal(0.0, SEARCHER_SD)


def quality(dice: Dice, task: Task, level: float, position: int) -> float:
    """Draw the quality of the query at this position of a session by a searcher of this level."""
    found = task.satisfied and position == task.queries
    return (
        QUALITY_START
        + SCENARIO_BASE[task.scenario]
        + level
        + (SYSTEM_EFFECT if task.system == "S2" else 0.0)
        + REFORMULATION_GAIN * (position - 1)
        + (SATISFIED_GAIN if found else 0.0)
        + dice.normal(0.0, NOISE_SD)
    )


def list_length(dice: Dice, value: float, narrow: bool) -> int:
    """Draw how many results a query returns; narrow and poor queries may return few or none."""
    if value < 0.5 and narrow and dice.chance(0.7):
        return 0 if dice.chance(0.4) else dice.integer(1, 9)
    return min(LIST_LENGTH, max(1, round(math.exp(dice.normal(4.9, 0.7)))))


def ranking(dice: Dice, scenario: Scenario, value: float, length: int) -> list[str]:
    """Rank the documents that match a query of this quality, best first, none twice."""
    lift = 4.0 * logistic(1.2 * value)
    scores = {}
    for doc, grade in scenario.grades.items():
        if dice.chance(logistic(1.1 * value + MATCH_OFFSET[grade])):
            scores[doc] = PULL[grade] * lift + 0.5 * scenario.prominence[doc] + dice.normal(0.0, 0.9)
    for doc in scenario.neighbors:
        if dice.chance(0.12):
            scores[doc] = 0.8 + 0.5 * scenario.prominence[doc] + dice.normal(0.0, 0.9)
    for _ in range(60):  # documents about something else
        doc = _document(dice.integer(1, COLLECTION_SIZE))
        if doc not in scores and doc not in scenario.grades:
            scores[doc] = 0.5 + dice.normal()
    return sorted(scores, key=lambda doc: (-scores[doc], doc))[:length]


def clicks(dice: Dice, scenario: Scenario, shown: list[str], satisfied: bool) -> tuple[list[Click], int]:
    """Go down the list from the top; return the clicks and the seconds until the searcher leaves the list."""
    made: list[Click] = []
    seconds = dice.integer(3, 9)
    for rank, doc in enumerate(shown, start=1):
        grade = scenario.grades.get(doc, 0)
        seconds += dice.integer(1, 3)
        if dice.chance(CLICK_SHARE[grade]):
            seen = min(3, max(0, round(grade + dice.normal(0.0, 0.5))))
            dwell = dice.integer(6, 20) + 14 * seen + dice.integer(0, 10 * grade)
            made.append(Click(rank, seconds, dwell, seen))
            seconds += dwell + dice.integer(1, 4)
            if satisfied and seen == 3:
                break
        if not dice.chance(0.93):
            break
    return made, seconds
