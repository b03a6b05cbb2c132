"""The measures restated with dictionaries and loops, slowly and without sessionkit's code, to hold the engine against.

A session is a list of queries in order; a query is a dictionary with ``position``, ``status``, ``key`` and
``results``; a result has ``rank``, ``doc`` and, where needed, ``clicked``, ``examined`` and ``user``. Judgments are
``{key: {doc: grade}}``.
"""

import math

DEFAULTS = {
    "gain": "linear", "min_grade": 1, "discount": "log", "b": 2, "p": None, "query_discount": "log", "bq": 4, "pq": None,
    "rank_origin": "query", "slots": "pad", "depth": "all", "duplicates": "all", "unjudged": "zero", "grades": "judgments",
    "undefined": "null", "unjudged_topics": "null", "queries": None, "ideal": "repeated", "ideal_queries": "session",
    "normalize": "session", "cutoff": None,
}  # fmt: skip


def gain(grade, o):
    """Gain of a grade."""
    if grade is None or grade < 0:
        return 0.0
    if o["gain"] == "linear":
        return float(grade)
    if o["gain"] == "exp2":
        return 2.0**grade - 1
    if o["gain"] == "binary":
        return 1.0 if grade >= o["min_grade"] else 0.0
    return float(o["gain"].split("-")[int(grade)])


def factor(name, i, b, p):
    """Discount factor at place i."""
    if name == "log":
        return 1 / (1 + math.log(i, b))
    if name == "shifted":
        return 1 / math.log(i + b - 1, b)
    if name == "burges":
        return 1 / math.log(i + 1, b)
    if name == "jk2002":
        return 1.0 if i < b else 1 / math.log(i, b)
    if name == "rn2002":
        return 1.0 if i == 1 else 1 / math.log(i, b)
    if name == "geometric":
        return p ** (i - 1)
    return 1 / i if name == "reciprocal" else 1.0


class Session:
    """One session under one set of options."""

    def __init__(self, session_id, queries, key, judgments, options):
        self.o = o = DEFAULTS | options
        self.queries = [
            q
            for q in queries
            if q["status"] != "not_logged" and (o["queries"] is None or q["position"] <= o["queries"])
        ]
        self.key = session_id if o["grades"] == "user" else key
        if o["grades"] == "user":
            own = {}
            for q in queries:
                for r in q["results"]:
                    if r["user"] is not None:
                        own[r["doc"]] = max(own.get(r["doc"], -math.inf), r["user"])
            self.judgments = {session_id: own} if own else {}
        else:
            self.judgments = judgments
        self.lists = [self.counting(q) for q in self.queries]
        self.offsets = self.layout()
        seen = set()
        for rows in self.lists:
            if o["duplicates"] == "all":
                seen = set()
            for row in rows:
                if row["doc"] in seen:
                    row["gain"] = 0.0
                seen.add(row["doc"])

    def key_of(self, query):
        """Key of a query's judgments."""
        return self.key if self.o["grades"] == "user" or query["key"] is None else query["key"]

    def counting(self, query, depth=None, cutoff="own"):
        """Results of a query that count, with their ranks after closing up."""
        o, rows = self.o, sorted(query["results"], key=lambda r: r["rank"])
        depth = depth or o["depth"]
        if depth != "all":
            flag = {"last_click": "clicked", "examined": "examined"}[depth]
            deepest = max((r["rank"] for r in rows if r[flag]), default=0)
            rows = [r for r in rows if r["rank"] <= deepest]
        known = self.judgments.get(self.key_of(query), {})
        out, removed = [], 0
        for r in rows:
            grade = r["user"] if o["grades"] == "user" else known.get(r["doc"])
            if o["unjudged"] == "skip" and grade is None:
                removed += 1
                continue
            rank = r["rank"] - removed
            if o["cutoff"] is None or cutoff is None or rank <= o["cutoff"]:
                out.append({"rank": rank, "doc": r["doc"], "grade": grade, "gain": gain(grade, o)})
        return out

    def layout(self):
        """Slots before each query, and its size."""
        o, at, out = self.o, 0, []
        for q in self.queries:
            if o["cutoff"] is None:
                out.append((0, None))
            elif o["slots"] == "pad":
                out.append(((q["position"] - 1) * o["cutoff"], o["cutoff"]))
            else:
                size = min(max((r["rank"] for r in self.counting(q, depth="all", cutoff=None)), default=0), o["cutoff"])
                size = size if o["slots"] == "shown" else max(size, o["slots"])
                out.append((at, size))
                at += size
        return out

    def d(self, rank, offset):
        """Rank discount."""
        o = self.o
        place = rank + offset if o["rank_origin"] == "session" else rank
        return factor(o["discount"], place, o["b"], o["p"])

    def dq(self, position):
        """Query discount."""
        o = self.o
        return factor(o["query_discount"], position, o["bq"], o["pq"])

    def ideal_gains(self, key):
        """The recall base in the best order."""
        return sorted(
            (g for g in (gain(x, self.o) for x in self.judgments.get(key, {}).values()) if g > 0), reverse=True
        )

    def part(self, index, *, discounted=True):
        """What one query adds."""
        q, (offset, _) = self.queries[index], self.offsets[index]
        dq = self.dq(q["position"]) if discounted else 1.0
        return sum(r["gain"] * self.d(r["rank"], offset) * dq for r in self.lists[index])

    def query_ideal(self, key, position, offset, *, discounted=True):
        """Ideal list of a query, in its place."""
        dq = self.dq(position) if discounted else 1.0
        return sum(g * self.d(i, offset) * dq for i, g in enumerate(self.ideal_gains(key)[: self.o["cutoff"]], 1))

    def has_judgments(self):
        """Whether any key of the session's logged queries is judged."""
        return any(self.judgments.get(self.key_of(q)) for q in self.queries)

    def places(self):
        """Queries of the ideal session: key, position, offset."""
        o = self.o
        own = [(self.key_of(q), q["position"], off) for q, (off, _) in zip(self.queries, self.offsets, strict=True)]
        if o["ideal_queries"] == "session":
            return own
        n = o["ideal_queries"]
        end = max((off + size for off, size in self.offsets if size is not None), default=0)
        missing = [p for p in range(1, n + 1) if p not in {position for _, position, _ in own}]
        x = o["cutoff"] or 0
        offsets = [(p - 1) * x if o["slots"] == "pad" else end + k * x for k, p in enumerate(missing)]
        more = [(self.key, p, off) for p, off in zip(missing, offsets, strict=True)]
        return sorted([place for place in own if place[1] <= n] + more, key=lambda place: place[1])

    def ideal(self):
        """Ideal of the session."""
        o = self.o
        if o["ideal"] == "once":
            return self.query_ideal(self.places()[0][0], 1, 0) if self.places() else 0.0
        if o["ideal"] == "repeated":
            return sum(self.query_ideal(key, position, offset) for key, position, offset in self.places())
        total = 0.0
        for key in {key for key, _, _ in self.places()}:
            best = self.ideal_gains(key)
            slots = [
                self.d(i, off) * self.dq(p)
                for k, p, off in self.places()
                if k == key
                for i in range(1, (o["cutoff"] or len(best)) + 1)
            ]
            total += sum(g * w for g, w in zip(best, sorted(slots, reverse=True), strict=False))
        return total

    def sdcg(self):
        """Session sDCG."""
        value = sum(self.part(i) for i in range(len(self.queries)))
        return value if self.has_judgments() else self.undefined(self.has_judgments())

    def nsdcg(self):
        """Session nsDCG."""
        if self.o["normalize"] == "query":
            values = [v for i in range(len(self.queries)) if (v := self.ndcg(i, session=True)) is not None]
            return sum(values) if values else self.undefined(self.has_judgments())
        ideal = self.ideal()
        if not self.queries or not ideal > 0:
            return self.undefined(self.has_judgments())
        return sum(self.part(i) for i in range(len(self.queries))) / ideal

    def ndcg(self, index, *, session=False):
        """The nDCG of one query; with the query discount in front for a session's."""
        q, (offset, _) = self.queries[index], self.offsets[index]
        ideal = self.query_ideal(self.key_of(q), q["position"], offset, discounted=False)
        if ideal > 0:
            return self.part(index, discounted=session) / ideal
        return self.undefined(bool(self.judgments.get(self.key_of(q))))

    def dcg(self, index):
        """The DCG of one query."""
        judged = bool(self.judgments.get(self.key_of(self.queries[index])))
        return self.part(index, discounted=False) if judged else self.undefined(judged)

    def undefined(self, judged):
        """The value where there is none: nothing is known of a session of which no list was logged."""
        rule = self.o["undefined" if judged else "unjudged_topics"]
        return 0.0 if rule == "zero" and self.queries else None
