"""What ``like=`` stands for: the choices of a paper or program under its name."""

from __future__ import annotations

from sessionkit.choices import Preset

PRESETS: dict[Preset, dict[str, object]] = {
    "ecir2008": {"gain": "linear", "discount": "log", "b": 2, "query_discount": "log", "bq": 4},
    "jiang2016": {"gain": "exp2", "discount": "shifted", "query_discount": "shifted"},
    "kanoulas2011": {"gain": "exp2", "discount": "shifted", "query_discount": "shifted", "rank_origin": "session"},
    "trecdd2017": {
        "gain": "lifted",
        "discount": "log",
        "b": 2,
        "query_discount": "log",
        "bq": 4,
        "duplicates": "first",
        "ideal": "spread",
        "empty": "document",
        "cutoff": 5,
    },
    "srbp2019": {"gain": "binary", "discount": "burges"},
}
"""Parameters that ``like=`` stands for, by the paper or program whose values they reproduce.

``trecdd2017`` is for a study with ``merge=sum``, which adds up the ratings of a document's passages; ``gain=lifted`` counts every
rating of 0 as 1 before they are added, and ``empty=document`` a missing iteration as one document, as the scorer does.
``queries=n`` and ``ideal_queries=n`` stop after n iterations. What differs from the scorer all the same is said of each
measure: `CubeTest <sessionkit.scoring.measures.subtopic.CubeFilling>`, `EU
<sessionkit.scoring.measures.expected_utility.ExpectedUtility>`.
"""
