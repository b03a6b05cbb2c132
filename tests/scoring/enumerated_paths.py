"""Every path of a searcher through a session, one by one, with its chance, and what measures say of it: plain Python."""

import math
from itertools import product

from tests.scoring.restated import Session, factor


def chances(share, places, truncate):
    """Chance to stop at each of some places, from 1."""
    if truncate == "absorb":
        return [share ** (i - 1) * (1 - share) if i < places else share ** (i - 1) for i in range(1, places + 1)]
    weights = [share ** (i - 1) for i in range(1, places + 1)]
    return [weight / sum(weights) for weight in weights]


class Paths:
    """The paths through one session under some options."""

    def __init__(self, session_id, queries, key, judgments, options):
        self.o = {"pdown": 0.5, "pref": 0.5, "truncate": "absorb"} | options
        # a session in which documents of other lists are not looked at
        self.session = Session(
            session_id, queries, key, judgments, self.o | {"duplicates": "all", "query_discount": "none"}
        )
        self.o = self.session.o
        self.o["duplicates"] = options.get("duplicates", "all")
        self.lists = [self.slots(index) for index in range(len(self.session.queries))]

    def slots(self, index):
        """What is at each rank of a list: its document and grade, or None."""
        session, query = self.session, self.session.queries[index]
        length = max((row["rank"] for row in session.counting(query, cutoff=None)), default=0)
        length = length if self.o["cutoff"] is None else min(length, self.o["cutoff"])
        slots = [None] * length
        for row in session.lists[index]:
            slots[row["rank"] - 1] = (row["doc"], row["gain"])
        return slots

    def all(self):
        """Each path with its chance: a list of (document, gain) or None."""
        if not self.lists:
            yield 1.0, []
            return
        many = chances(self.o["pref"], len(self.lists), self.o["truncate"])
        for last, chance in enumerate(many, 1):
            stops = [
                list(enumerate(chances(self.o["pdown"], len(slots), self.o["truncate"]), 1)) or [(0, 1.0)]
                for slots in self.lists[:last]
            ]
            for chosen in product(*stops):
                path = [slot for (stop, _), slots in zip(chosen, self.lists, strict=False) for slot in slots[:stop]]
                yield chance * math.prod(share for _, share in chosen), path

    def gains(self, path):
        """What each place of a path gains."""
        seen, out = set(), []
        for slot in path:
            out.append(0.0 if slot is None or (self.o["duplicates"] == "first" and slot[0] in seen) else slot[1])
            seen |= {slot[0]} if slot else set()
        return out

    def base(self):
        """Gains of the recall bases of the session's queries, the best first."""
        keys = {self.session.key_of(query) for query in self.session.queries}
        return sorted((g for key in keys for g in self.session.ideal_gains(key)), reverse=True)

    def worth(self, name, path):
        """What a measure says of one path."""
        gains, base = self.gains(path), self.base()
        if name == "esP":
            return sum(gains) / len(path) if path else 0.0
        if name == "esAP":
            return sum(g * sum(gains[:i]) / i for i, g in enumerate(gains, 1)) / len(base)
        o = self.o | ({"discount": "none"} if name == "esnCG" else {})
        value, ideal = (
            sum(g * factor(o["discount"], i, o["b"], o["p"]) for i, g in enumerate(some, 1))
            for some in (gains, base[: len(path)])
        )
        return value if name == "esDCG" else value / ideal if ideal else 0.0

    def moments(self, name):
        """Expectation and variance of a measure over all paths; None where it is undefined."""
        judged = self.session.has_judgments() if name in ("esDCG", "esP") else bool(self.base())
        if not judged:
            return (self.session.undefined(self.session.has_judgments()),) * 2
        each = [(chance, self.worth(name, path)) for chance, path in self.all()]
        mean = math.fsum(chance * value for chance, value in each)
        return mean, math.fsum(chance * (value - mean) ** 2 for chance, value in each)
