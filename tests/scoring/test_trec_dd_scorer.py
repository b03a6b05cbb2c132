"""Dynamic Domain, from the track's own files: EU, CubeTest and ACT as its scorer of 2017 has them, by hand and restated."""

from dataclasses import replace
from html import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
PRESET = ["EU(like=trecdd2017,cost=0)", "CubeTest(like=trecdd2017)", "ACT(like=trecdd2017)"]


def topics(passages):
    """The track's topics: a subtopic with its passages (document, number, rating, type) for each name."""
    inside = "".join(
        f'<subtopic name="" id="{subtopic}">'
        + "".join(
            f'<passage id="{number}"><docno>{doc}</docno><rating>{rating}</rating><text>{escape(doc)}</text>'
            + (f"<type>{kind}</type>" if kind else "")
            + "</passage>"
            for doc, number, rating, kind in of
        )
        + "</subtopic>"
        for subtopic, of in passages.items()
    )
    return f'<trecdd><domain name="d" id="1"><topic name="t" id="DD16-1">{inside}</topic></domain></trecdd>'


def run_of(lists):
    """A run with these documents by iteration, the first with the highest score."""
    rows = [(i, doc, 100 - rank) for i, docs in lists.items() for rank, doc in enumerate(docs)]
    return "".join(f"DD16-1\t{i}\t{doc}\t{score}\t0\n" for i, doc, score in rows)


@pytest.fixture
def scored(tmp_path):
    """Score a run against topics, both as files."""

    def scored(lists, passages, *measures):
        (tmp_path / "one.run").write_text(run_of(lists), encoding="utf-8")
        (tmp_path / "truth.xml").write_text(topics(passages), encoding="utf-8")
        study = sk.read(tmp_path / "one.run", judgments=tmp_path / "truth.xml")
        study = replace(study, settings=replace(study.settings, merge="sum"))
        return sk.score(study, list(measures), per="session")["value"].to_list()

    return scored


@pytest.mark.slow
def test_a_matched_passage_says_what_the_marked_one_before_it_says(scored):
    """Rating 3, expected 1 + .5 times: 3 x 2 x (1 - .5^1.5) = 3.8787; two nuggets were 3 + 3 x 2 x (1 - .5^.5) = 4.7574."""
    said = {"1": [("a", "p1", 3, "MANUAL"), ("b", "p2", 3, "MATCHED")]}
    assert scored({0: ["a", "b"]}, said, "EU(cost=0)") == pytest.approx([3.878679656], abs=1e-9)
    two = {"1": [("a", "p1", 3, "MANUAL"), ("b", "p2", 3, "MANUAL")]}
    assert scored({0: ["a", "b"]}, two, "EU(cost=0)") == pytest.approx([4.757359313], abs=1e-9)
    # twice in one document counts twice: 1 x 2 times
    twice = {"1": [("a", "p1", 3, "MANUAL"), ("a", "p2", 3, "MATCHED")]}
    assert scored({0: ["a"]}, twice, "EU(cost=0)", "nEU(cost=0)") == pytest.approx([3 * 2 * (1 - 0.5**2), 1.0])
    # another subtopic begins anew; its MATCHED passage follows no marked one, and those without types stand alone
    other = {"1": [("a", "p1", 3, "MANUAL")], "2": [("b", "p2", 3, "MATCHED")]}
    assert scored({0: ["a", "b"]}, other, "EU(cost=0)") == pytest.approx([4.757359313], abs=1e-9)
    untyped = {"1": [("a", "p1", 3, ""), ("b", "p2", 3, "")]}
    assert scored({0: ["a", "b"]}, untyped, "EU(cost=0)") == pytest.approx([4.757359313], abs=1e-9)


@pytest.mark.slow
def test_a_missing_iteration_is_one_document_of_the_average(scored):
    """a fills .5 x 3 of 5 = .3, b .25 x 3 of 5 = .15: (.3/1 + .3/2 + .45/3) / 3 documents = .2, or (.3 + .15) / 2 = .225."""
    said = {"1": [("a", "p1", 3, "MANUAL"), ("b", "p2", 3, "MANUAL")]}
    lists = {0: ["a"], 2: ["b"]}
    assert scored(lists, said, "ACT(like=trecdd2017)", "ACT") == pytest.approx([0.2, 0.225])
    assert scored(lists, said, "CubeTest(like=trecdd2017)", "CubeTest") == pytest.approx([0.45 / 3] * 2)
    # the best session of three lists of one document: (.3/1 + .45/2 + .45/3) / 3 = .225, and with no document in the second
    # .3/1 + .45/3 over two is the best
    assert scored(lists, said, "nACT(like=trecdd2017)", "nACT") == pytest.approx([0.2 / 0.225, 1.0])


def restated(lists, passages):
    """EU without cost, CubeTest and ACT, as that scorer goes about it: fill, rename what is repeated, then walk."""
    seen, run = set(), []
    for i in range(max(lists) + 1):
        run.append([])
        for doc in lists.get(i, ["filler"]):
            run[-1].append(f"{doc}_dup" if doc in seen else doc)
            seen.add(doc)
    nuggets, worth, rated = {}, {}, {}
    for subtopic, of in passages.items():
        nugget = None
        for doc, number, rating, kind in of:
            nugget = number if kind == "MANUAL" else nugget
            nuggets.setdefault(doc, []).append(nugget)
            worth[nugget] = max(1, rating)
            rated[doc, subtopic] = rated.get((doc, subtopic), 0) + max(1, rating)
    times = {}
    for docs in run:
        for s in range(1, len(docs) + 1):
            stop = 0.5**s if s < len(docs) else 0.5 ** (s - 1)
            for nugget in (nugget for doc in docs[:s] for nugget in nuggets.get(doc, ())):
                times[nugget] = times.get(nugget, 0.0) + stop
    utility = sum(worth[nugget] * (1 - 0.5**often) / 0.5 for nugget, often in times.items())
    height, count, filled, average, shown = {}, {}, 0.0, 0.0, 0
    for turn, docs in enumerate(run, 1):
        for doc in docs:
            for subtopic in passages:
                if (doc, subtopic) in rated:
                    count[subtopic] = count.get(subtopic, 0) + 1
                    room = 5 - height.get(subtopic, 0.0)
                    add = min(room, rated[doc, subtopic] * 0.5 ** count[subtopic])
                    height[subtopic] = height.get(subtopic, 0.0) + add
                    filled += add / len(passages) / 5
            average += filled / turn
            shown += 1
    return [utility, filled / len(run), average / shown]


PASSAGES = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["MANUAL", "MATCHED", ""])), min_size=1, max_size=5
)
RATINGS = st.lists(st.integers(0, 4), min_size=10, max_size=10)
LISTS = st.dictionaries(
    st.integers(0, 4), st.lists(st.sampled_from("abcdxy"), min_size=1, max_size=4, unique=True), min_size=1, max_size=4
)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(subtopics=st.lists(PASSAGES, min_size=1, max_size=2), ratings=RATINGS, lists=LISTS)
def test_restated(scored, subtopics, ratings, lists):
    """Where every subtopic begins with a marked passage, and all passages of a nugget have its rating."""
    passages = {}
    for number, of in enumerate(subtopics):
        rating, rows = 0, []
        for nth, (doc, kind) in enumerate(of):
            kind = "MANUAL" if nth == 0 else kind  # noqa: PLW2901 - what the track's files begin with
            rating = ratings[5 * number + nth] if kind == "MANUAL" else rating
            rows.append((doc, f"p{number}{nth}", rating, kind))
        passages[f"DD16-1.{number}"] = rows
    assert scored(lists, passages, *PRESET) == pytest.approx(restated(lists, passages), abs=1e-12)
