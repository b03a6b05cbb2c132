"""A log in the layout of the TREC Session Track 2013: one XML file, about 14 kB a session, some texts encoded twice."""

from __future__ import annotations

import random
from pathlib import Path

WORDS = [f"word{number}" for number in range(5_000)]
LIST_LENGTH = 10
RESULT = """            <result rank="{rank}">
               <url>http://example.org/{number}/{rank}</url>
               <clueweb12id>clueweb12-{0:04d}tw-{rank:02d}-{number:07d}</clueweb12id>
               <title>{title}</title>
               <snippet>{snippet}</snippet>
            </result>
"""


def write(folder: Path, sessions: int, seed: int = 1) -> dict[str, int]:
    """Write a log of so many sessions as ``log.xml``; return the number of rows."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    queries = results = 0
    with (folder / "log.xml").open("w", encoding="utf-8") as file:
        file.write("<sessiontrack2013>\n")
        for session in range(1, sessions + 1):
            file.write(f'   <session num="{session}" starttime="0">\n      <topic num="{session % 60 + 1}">')
            file.write("<desc>Find out about it</desc></topic>\n")
            asked = rng.randint(1, 5)
            for number in range(1, asked + 1):
                listed = "".join(_result(rank, results + rank, rng) for rank in range(1, LIST_LENGTH + 1))
                results += LIST_LENGTH
                file.write(
                    f'      <interaction num="{number}" starttime="{20 * number}.5">\n         <query>{_text(rng, 3)}</query>\n'
                    f"         <results>\n{listed}         </results>\n         <clicked>\n"
                    f'            <click num="1" starttime="{20 * number + 3}.25" endtime="{20 * number + 9}.5">'
                    f"<rank>{rng.randint(1, LIST_LENGTH)}</rank></click>\n         </clicked>\n      </interaction>\n"
                )
            file.write(
                f'      <currentquery starttime="150"><query>{_text(rng, 3)}</query></currentquery>\n   </session>\n'
            )
            queries += asked + 1
        file.write("</sessiontrack2013>\n")
    return {"sessions": sessions, "queries": queries, "results": results}


def _result(rank: int, number: int, rng: random.Random) -> str:
    """A result; the title of one in ten was encoded twice."""
    title = _text(rng, 6) + (" &amp;mdash; a guide" if number % 10 == 0 else "")
    return RESULT.format(number % 10_000, rank=rank, number=number, title=title, snippet=_text(rng, 25))


def _text(rng: random.Random, words: int) -> str:
    """So many words."""
    return " ".join(rng.choices(WORDS, k=words))
