"""How the clinic's searchers word and reword their queries.

The four scenarios and their vocabulary are invented. A query is a set of facets (condition, patient, question, source);
a reformulation adds a facet, drops one, or replaces the words of one, and now and then the searcher slips.
"""

from __future__ import annotations

from dataclasses import dataclass

from dice import Dice

FACETS = ("condition", "patient", "question", "source")

VOCABULARY: dict[str, dict[str, tuple[str, ...]]] = {
    "A": {
        "condition": ("blood thinners", "anticoagulant treatment", '"oral anticoagulants"', "warfarin", "INR control"),
        "patient": ("elderly", "over 75", "atrial fibrillation", "reduced kidney function", "at risk of falls"),
        "question": ("tooth extraction", "minor surgery", "pause before procedure", "bridging", "interactions & diet"),
        "source": ("guideline", "leaflet for patients", "regional advice", "clinic at the hospital"),
    },
    "B": {
        "condition": ("persistent cough", "chronic cough", "cough > 8 weeks", "dry cough", '"cough variant asthma"'),
        "patient": ("non-smoker", "ex-smoker, age 50", "on ACE inhibitor", "after whooping cough", "night cough"),
        "question": ("chest X-ray", "spirometry", "referral", "waiting time", "differential diagnosis", "reflux"),
        "source": ("fast track", "lung clinic opening hours", "referral criteria", "guideline, 2006"),
    },
    "C": {
        "condition": ("otitis media", "ear infection", "glue ear", "recurrent otitis", "dizziness & hearing loss"),
        "patient": ("child", "toddler, 2 years", "infant", "child with allergy", "school child"),
        "question": ("antibiotics or wait", "grommets", "hearing test", "Ménière", "when to refer", "watchful waiting"),
        "source": ("information for parents", "ENT specialist", "Sjögren or otitis?", "national guideline"),
    },
    "D": {
        "condition": ("low back pain", "lumbago", "sciatica", '"slipped disc"', "back strain"),
        "patient": ("manual worker", "nurse", "pregnant", "first episode", "on sick leave"),
        "question": ("exercise", "return to work", "MRI", "red flags", "physiotherapy", "naïve to opioids"),
        "source": ("back clinic", "patient leaflet", "referral & waiting list", "social medicine unit"),
    },
}


@dataclass(frozen=True)
class Query:
    """A worded query: the words of each facet in use, how it came from the one before, and the text as typed."""

    words: dict[str, str]
    move: str
    text: str
    slip: str

    @property
    def narrow(self) -> bool:
        """Whether the query asks for so much, or is so misspelt, that little or nothing may match."""
        return len(self.words) == len(FACETS) or self.slip == "typing error"


def first_query(dice: Dice, scenario: str) -> Query:
    """Word the first query of a session: the condition and mostly one more facet."""
    vocabulary = VOCABULARY[scenario]
    words = {"condition": dice.choice(vocabulary["condition"])}
    for facet, share in (("patient", 0.35), ("question", 0.55), ("source", 0.2)):
        if dice.chance(share):
            words[facet] = dice.choice(vocabulary[facet])
    return _typed(dice, words, "first")


def next_query(dice: Dice, scenario: str, previous: Query) -> Query:
    """Reword the previous query."""
    vocabulary = VOCABULARY[scenario]
    words = dict(previous.words)
    unused = [facet for facet in FACETS if facet not in words]
    spare = [facet for facet in words if facet != "condition"]
    draw = dice.uniform()
    if unused and draw < 0.45:
        move, facet = "specialise", dice.choice(unused)
        words[facet] = dice.choice(vocabulary[facet])
    elif spare and draw < 0.65:
        move = "generalise"
        del words[dice.choice(spare)]
    else:
        move, facet = "replace", dice.choice(list(words))
        words[facet] = dice.choice([term for term in vocabulary[facet] if term != words[facet]])
    return _typed(dice, words, move)


def _typed(dice: Dice, words: dict[str, str], move: str) -> Query:
    """Write the facets out in their order, with a slip now and then."""
    parts = [words[facet] for facet in FACETS if facet in words]
    draw = dice.uniform()
    if draw < 0.07:
        return Query(words, move, " ".join([_misspelt(parts[0]), *parts[1:]]), "typing error")
    if draw < 0.10:
        return Query(words, move, " ".join([f"<b>{parts[0]}</b>", *parts[1:]]), "pasted markup")
    if draw < 0.18:
        return Query(words, move, ", ".join(parts), "")
    return Query(words, move, " ".join(parts), "")


def _misspelt(phrase: str) -> str:
    """Swap two neighboring letters in the middle of a phrase."""
    middle = len(phrase) // 2
    return phrase[: middle - 1] + phrase[middle] + phrase[middle - 1] + phrase[middle + 1 :]
