"""One session with some lists, drawn at random or written down, as dictionaries and as a Study; for measures of lists."""

import polars as pl
from hypothesis import strategies as st

import sessionkit as sk

DOCS = "abcdefgh"
OPTIONS = st.fixed_dictionaries(
    {
        "cutoff": st.sampled_from([None, 2, 4]),
        "duplicates": st.sampled_from(["all", "first"]),
        "unjudged": st.sampled_from(["zero", "skip"]),
    }
)


@st.composite
def sessions(draw):
    """Up to three lists, with gaps, ties and documents shown again, and judgments of some documents."""
    ranks = st.sets(st.integers(1, 7), max_size=6)
    return {
        "lists": [
            [
                {
                    "rank": rank,
                    "doc": draw(st.sampled_from(DOCS)),
                    "score": draw(st.sampled_from([None, 0.0, 0.25, 0.25, 0.5, 1.0])),
                    "known": draw(st.sampled_from([None, False, True])),
                    "words": draw(st.sampled_from([None, 0, 100, 1200])),
                }
                for rank in sorted(draw(ranks))
            ]
            for _ in range(draw(st.integers(1, 3)))
        ],
        "judgments": draw(st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2, 3]), max_size=8)),
        "expected": draw(st.sampled_from([None, 0, 1, 2, 2.5])),
        "size": draw(st.sampled_from([16, 40])),
    }


def written(grades, more=(), size=None, **columns):
    """One list whose results have these grades (None: unjudged), and more grades of the recall base."""
    rows = [{"rank": i, "doc": f"d{i}"} for i in range(1, len(grades) + 1)]
    for name, values in columns.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    judgments = {f"d{i}": grade for i, grade in enumerate([*grades, *more], 1) if grade is not None}
    return {"lists": [rows], "judgments": judgments, "size": size}


def study_of(session, **settings):
    """The same as a Study: the session s on the topic t."""
    names = {
        "rank": pl.Int32,
        "doc": pl.String,
        "score": pl.Float64,
        "known": pl.Boolean,
        "words": pl.Int32,
        "user": pl.Float64,
    }
    rows = [{"query_position": q, **row} for q, listed in enumerate(session["lists"], 1) for row in listed]
    drawn = {"rank", "doc", *(["score", "known", "words"] if "expected" in session else [])}
    given = {name: dtype for name, dtype in names.items() if name in drawn or any(name in row for row in rows)}
    results = pl.DataFrame(rows, schema={"query_position": pl.Int32, **given}).with_columns(session_id=pl.lit("s"))
    sessions = pl.DataFrame({"session_id": ["s"], "topic_id": ["t"]})
    if "expected" in session:
        sessions = sessions.with_columns(expected=pl.lit(session["expected"], pl.Float64))
    docs = session["judgments"]
    judgments = {
        "judgment_key": ["t"] * len(docs),
        "doc_id": [*docs],
        "grade": [float(grade) for grade in docs.values()],
    }
    dtypes = {"judgment_key": pl.String, "doc_id": pl.String, "grade": pl.Float64}
    return sk.from_tables(
        results=results.rename({"doc": "doc_id", **({"user": "user_grade"} if "user" in given else {})}),
        queries=pl.DataFrame({"session_id": "s", "query_position": range(1, len(session["lists"]) + 1)}),
        sessions=sessions,
        judgments=pl.DataFrame(judgments, schema=dtypes),
        collection_size=session.get("size"),
        **settings,
    )


def values(session, *texts, **settings):
    """Values of measures of the lists, the lists in order, of each in the order of the measures."""
    return sk.score(study_of(session, **settings), [*texts], per="query").get_column("value").to_list()


def counted(session, options):
    """The results of every list that count, with their grades, and the length of the list, restated with loops."""
    found, seen = [], set()
    for listed in session["lists"]:
        if options["duplicates"] == "all":
            seen = set()
        rows, removed, length, cutoff = [], 0, 0, options["cutoff"] or 99
        for row in listed:
            grade = session["judgments"].get(row["doc"])
            if options["unjudged"] == "skip" and grade is None:
                removed += 1
                continue
            rank = row["rank"] - removed
            length = min(rank, cutoff)
            if rank <= cutoff:
                rows.append({**row, "rank": rank, "grade": grade, "first": row["doc"] not in seen})
                seen.add(row["doc"])
        found.append((rows, length))
    return found


def relevant(row):
    """Whether a result is a relevant document that was not shown before."""
    return row["first"] and row["grade"] is not None and row["grade"] >= 1


def worth(row, gain="linear"):
    """What a result gains."""
    if not row["first"] or row["grade"] is None or row["grade"] < 0:
        return 0.0
    return {"linear": row["grade"], "exp2": 2.0 ** row["grade"] - 1, "binary": float(row["grade"] >= 1)}[gain]


def recall_base(session):
    """R of the session's topic."""
    return sum(grade >= 1 for grade in session["judgments"].values())
