"""Studies of a single result list, for worked values, and the values that measures have for it."""

import sessionkit as sk

B = [1, 0, 1, 1, 0]
"""Three relevant documents in all, two of five results not relevant."""
L = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
"""Grades of ten results."""
L_UNSEEN = [1, 1, 1]
"""What the recall base of L, three documents of grade 3, three of 2, four of 1, has beside what L shows."""


def at(ranks, length):
    """Grades of a list with relevant documents at these ranks."""
    return [int(rank in ranks) for rank in range(1, length + 1)]


E2, E2_UNSEEN = at({1, 3, 6, 10, 15}, 15), [1] * 5
E3 = at({3, 8, 15}, 15)


def one_list(grades, unseen=(), **declared):
    """A session of one query whose list has these grades by rank (None: not in the judgments), and more judged documents."""
    judged = {f"d{rank}": grade for rank, grade in enumerate(grades, 1) if grade is not None}
    judged |= {f"u{number}": grade for number, grade in enumerate(unseen)}
    return sk.from_tables(
        queries={"session_id": ["s"], "query_position": [1], "results_status": ["shown" if grades else "empty"]},
        results={
            "session_id": ["s"] * len(grades),
            "query_position": [1] * len(grades),
            "rank": list(range(1, len(grades) + 1)),
            "doc_id": [f"d{rank}" for rank in range(1, len(grades) + 1)],
        } if grades else None,
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * len(judged), "doc_id": list(judged), "grade": list(judged.values())},
        **declared,
    )  # fmt: skip


def value(measure, grades, unseen=(), **declared):
    """What a measure says of that list."""
    return sk.score(one_list(grades, unseen, **declared), measure, per="query").get_column("value").item()
