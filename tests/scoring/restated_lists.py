"""The measures of a single list restated with loops over ranks, slowly and without sessionkit's code.

A list is its rows in order, ``(rank, grade, first)``: the grade None where the document is not in the judgments,
``"pooled"`` where it is there without a grade, and whether the document stands there for the first time. The base are
the grades of all documents judged for the key.
"""

import math
from fractions import Fraction


def lists_of(made, judgments, cutoff=None, pooled=()):
    """Rows, base and length of every logged query of the sessions of studies.sessions, by (session, position)."""
    found = {}
    for session_id, session in made.items():
        known = judgments.get(session["topic"])
        for query in session["queries"]:
            if query["status"] == "not_logged":
                continue
            rows, seen = [], set()
            for result in sorted(query["results"], key=lambda result: result["rank"]):
                grade = (known or {}).get(result["doc"])
                if cutoff is None or result["rank"] <= cutoff:
                    rows.append((result["rank"], "pooled" if grade in pooled else grade, result["doc"] not in seen))
                seen.add(result["doc"])
            base = [grade for grade in (known or {}).values() if grade not in pooled]
            found[session_id, query["position"]] = (rows, base if base else None)
    return found


def length(rows):
    """Last rank shown."""
    return max((rank for rank, _, _ in rows), default=0)


def is_grade(grade):
    """Whether that is a grade."""
    return grade is not None and grade != "pooled"


def ranks(rows, relevant):
    """Ranks of the relevant results."""
    return [rank for rank, grade, first in rows if first and is_grade(grade) and relevant(grade)]


def looked_at(rows, cutoff):
    """Ranks that precision is taken of."""
    return cutoff or length(rows)


def precision(rows, base, cutoff, relevant):
    """P."""
    k = looked_at(rows, cutoff)
    return len(ranks(rows, relevant)) / k if k else 0.0


def recall(rows, base, relevant):
    """R; None where nothing is relevant."""
    size = sum(map(relevant, base))
    return len(ranks(rows, relevant)) / size if size else None


def f(rows, base, cutoff, relevant, beta):
    """F from precision and recall."""
    p, r = precision(rows, base, cutoff, relevant), recall(rows, base, relevant)
    if r is None:
        return None
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p and r else 0.0


def max_f(rows, base, relevant, beta):
    """The highest F of the first i results."""
    if not sum(map(relevant, base)):
        return None
    prefixes = [[row for row in rows if row[0] <= i] for i in range(1, length(rows) + 1)]
    return max((f(prefix, base, i, relevant, beta) for i, prefix in enumerate(prefixes, 1)), default=0.0)


def precision_at(rows, rank, relevant):
    """P at a rank."""
    return len([i for i in ranks(rows, relevant) if i <= rank]) / rank


def ap(rows, base, relevant, *, seen=False):
    """AP, or SeenAP."""
    size, found = sum(map(relevant, base)), ranks(rows, relevant)
    if not size:
        return None
    return sum(precision_at(rows, i, relevant) for i in found) / ((len(found) or 1) if seen else size)


def gap(rows, base, gain):
    """GAP, over pairs of results."""
    whole = sum(map(gain, base))
    shown = [(rank, gain(grade)) for rank, grade, first in rows if first and is_grade(grade)]
    if not whole:
        return None
    return sum(min(g, h) / i for i, g in shown for j, h in shown if j <= i) / whole


def r_precision(rows, base, relevant):
    """Rprec."""
    size = sum(map(relevant, base))
    return len([i for i in ranks(rows, relevant) if i <= size]) / size if size else None


def averaged(rows, base, cutoffs, weights, relevant):
    """AvgP."""
    parts = [w * precision_at(rows, k, relevant) for k, w in zip(cutoffs, weights, strict=True)]
    return sum(parts) / sum(weights)


def interpolated(rows, base, level, relevant, rule="ceil"):
    """IPrec: the textbook's maximum over ranks with that recall, or trec_eval's over ranks with so many documents."""
    size = sum(map(relevant, base))
    if not size:
        return None
    enough = {"trec9": int(level * size + 0.9), "trec10": math.floor(level * size + 0.5)}.get(rule)
    found = ranks(rows, relevant)
    values = [0.0]
    for i in range(1, length(rows) + 1):
        many = len([rank for rank in found if rank <= i])
        reached = Fraction(many, size) >= Fraction(str(level)) if enough is None else many >= enough
        values.append(many / i if reached else 0.0)
    return max(values)


def err(rows, base, top):
    """ERR: a searcher goes down the list."""
    value, still_searching = 0.0, 1.0
    for rank, grade, first in rows:
        if first and is_grade(grade) and grade > 0:
            satisfied = (2**grade - 1) / 2**top
            value += still_searching * satisfied / rank
            still_searching *= 1 - satisfied
    return value


def rbp(rows, base, p, degree):
    """RBP of degrees of relevance."""
    shown = [(rank, degree(grade)) for rank, grade, first in rows if first and is_grade(grade)]
    return (1 - p) * sum(r * p ** (rank - 1) for rank, r in shown)


def residual(rows, base, p):
    """RBPResidual: all weight after the end, and that of ranks within whose document is not judged."""
    judged = {rank for rank, grade, _ in rows if is_grade(grade)}
    within = sum((1 - p) * p ** (i - 1) for i in range(1, length(rows) + 1) if i not in judged)
    return within + p ** length(rows)


def bpref(rows, base, relevant):
    """bpref, over pairs of judged results."""
    size = sum(map(relevant, base))
    others = len(base) - size
    if not size:
        return None
    judged = [relevant(grade) for _, grade, first in rows if first and is_grade(grade)]
    value = 0.0
    for place, is_relevant in enumerate(judged):
        above = judged[:place].count(False)
        value += is_relevant * (1 - min(above, size) / min(others, size) if above else 1)
    return value / size


def inf_ap(rows, base, relevant, e=0.00001):
    """infAP, result by result."""
    size = sum(map(relevant, base))
    if not size:
        return None
    value, rel, non, unjudged = 0.0, 0, 0, 0
    for k, grade, first in rows:
        if grade is None or not first:
            continue
        if grade == "pooled":
            unjudged += 1
        elif not relevant(grade):
            non += 1
        else:
            above = k - 1
            seen = rel + non + unjudged
            value += 1 if k == 1 else 1 / k + (above / k) * (seen / above) * (rel + e) / (rel + non + 2 * e)
            rel += 1
    return value / size
