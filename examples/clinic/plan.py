"""What the study's design fixes: who searches which scenario with which system, when, and with how many queries.

The crossing and the numbers of queries are those of the study in Järvelin, Price, Delcambre and Nielsen (ECIR 2008,
Tables 1 and 2, section 3.1); chance decides only which searcher gets which of them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from dice import Dice

# One word per searcher: the four tasks in order, each a scenario (A-D) and the system (1 or 2) it is searched with.
# Each cell of scenario x system has 15 sessions, each system x position 15, each scenario x system x position 3 or 4.
_TASKS = """
A1B1C2D2 A1B1C2D2 A1B1D2C2 A1B1D2C2 A2D2C1B1 A2D2C1B1 A2D2C1B1 B2A2C1D1 B1C1D2A2 B1C1D2A2
B2C2D1A1 B2C2D1A1 B2C2D1A1 B1D1A2C2 B1D1A2C2 C1A1B2D2 C2A2B1D1 C2A2B1D1 C2A2B1D1 C1D1A2B2
C1D1A2B2 C2D2B1A1 D1A1C2B2 D1A1C2B2 D2B2A1C1 D2B2A1C1 D2B2A1C1 D2B2A1C1 D1C1B2A2 D1C1B2A2
"""
ASSIGNMENT = tuple(_TASKS.split())

# Sessions of 1, 2, ... 11 queries in each cell; summed over scenarios these are the rows of Table 2.
LENGTHS = {
    ("S1", "A"): (7, 2, 3, 1, 1, 0, 1, 0, 0, 0, 0),
    ("S1", "B"): (7, 2, 3, 1, 1, 0, 0, 1, 0, 0, 0),
    ("S1", "C"): (8, 2, 1, 1, 1, 2, 0, 0, 0, 0, 0),
    ("S1", "D"): (6, 1, 3, 1, 2, 2, 0, 0, 0, 0, 0),
    ("S2", "A"): (6, 2, 2, 3, 0, 0, 1, 0, 0, 0, 1),
    ("S2", "B"): (6, 2, 2, 2, 0, 1, 0, 1, 0, 1, 0),
    ("S2", "C"): (5, 2, 2, 3, 1, 0, 1, 1, 0, 0, 0),
    ("S2", "D"): (4, 1, 3, 3, 1, 3, 0, 0, 0, 0, 0),
}
GIVE_UPS = 6  # sessions per system that end without what was needed
SKILLS = (5, 11, 11, 3, 0)  # searchers who rate their searching skill 1, 2, 3, 4, 5: mean 2.4, sd 0.9


@dataclass(frozen=True)
class Searcher:
    """One searcher, with the features of Table 1 (years, and a skill from 1, low, to 5, high)."""

    name: str
    years_internet: float
    years_portal: float
    skill: int
    years_medicine: int


@dataclass(frozen=True)
class Task:
    """One session as planned."""

    searcher: Searcher
    order: int
    scenario: str
    system: str
    queries: int
    satisfied: bool


def searchers(dice: Dice) -> list[Searcher]:
    """Draw thirty searchers whose features have the means and sds that Table 1 prints."""
    n = len(ASSIGNMENT)
    skill = dice.shuffled([rating for rating, count in enumerate(SKILLS, start=1) for _ in range(count)])
    medicine = _column(dice, n, mean=21.4, sd=7.6, low=5, step=1)
    internet = _column(dice, n, mean=7.2, sd=2.8, low=2, step=0.5)
    # nobody has used the portal for longer than the Internet
    portal = _column(dice, n, mean=2.4, sd=1.4, low=0.5, step=0.5, accept=lambda years: _never_above(years, internet))
    return [Searcher(f"u{i + 1:02}", internet[i], portal[i], skill[i], round(medicine[i])) for i in range(n)]


def _never_above(values: list[float], limits: list[float]) -> bool:
    """Tell whether each value is at most its limit."""
    return all(value <= limit for value, limit in zip(values, limits, strict=True))


def _column(
    dice: Dice,
    n: int,
    *,
    mean: float,
    sd: float,
    low: float,
    step: float,
    accept: Callable[[list[float]], bool] = lambda _: True,
) -> list[float]:
    """Draw n values in whole steps from low upwards, over again until mean and sample sd are right when printed."""
    while True:
        drawn = [dice.normal() for _ in range(n)]
        center, spread = statistics.fmean(drawn), statistics.stdev(drawn)
        scaled = [mean + sd * (x - center) / spread for x in drawn]
        values = [max(low, step * math.floor(x / step + 0.5)) for x in scaled]
        right = abs(statistics.fmean(values) - mean) < 0.045 and abs(statistics.stdev(values) - sd) < 0.045
        if right and accept(values):
            return values


def tasks(dice: Dice, people: list[Searcher]) -> list[Task]:
    """Give every task its number of queries; persistent searchers tend to get the long sessions of their cell."""
    cells: dict[tuple[str, str], list[tuple[float, int, int]]] = {cell: [] for cell in LENGTHS}
    for person, word in enumerate(ASSIGNMENT):
        persistence = dice.normal()
        for order in range(4):
            scenario, system = word[2 * order], f"S{word[2 * order + 1]}"
            cells[system, scenario].append((persistence + dice.normal(), person, order))
    given_up = {system: set(dice.shuffled(range(60))[:GIVE_UPS]) for system in ("S1", "S2")}
    place = {"S1": 0, "S2": 0}
    planned: list[tuple[int, int, Task]] = []
    for (system, scenario), members in cells.items():
        lengths = [n for n, count in enumerate(LENGTHS[system, scenario], start=1) for _ in range(count)]
        for (_, person, order), queries in zip(sorted(members), lengths, strict=True):
            satisfied = place[system] not in given_up[system]
            place[system] += 1
            planned.append((person, order, Task(people[person], order + 1, scenario, system, queries, satisfied)))
    return [task for _, _, task in sorted(planned, key=lambda entry: entry[:2])]
