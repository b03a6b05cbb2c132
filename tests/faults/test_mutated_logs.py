"""Mutated logs of every format, read in memory and in batches: an error that names the file, or a study in which every record is
accounted for; whatever the way, the same.

``pytest -m proof -s tests/faults`` prints the figures of the long form.
"""

import random
from collections import Counter
from functools import partial

import pytest

import sessionkit as sk
from sessionkit.readers import FORMATS, ingest
from sessionkit.readers.events import flat_logs
from tests.support.batchers import WAYS
from tests.support.log_mutations import KINDS, each_once, every, outcomes
from tests.support.log_structures import STRUCTURAL, STRUCTURES, cannot, sample
from tests.support.logs import LOGS, written


def test_every_format_and_every_mutation_is_tried():
    cases = each_once(1)
    assert {case["log"].split(" ")[0] for case in cases} == {log.split(" ")[0] for log in LOGS} == set(FORMATS)
    assert {case["mutation"] for case in cases} == set(KINDS)
    assert {way for case in cases for way in case["ways"]} == set(WAYS)
    assert set(STRUCTURES) == set(LOGS)


@pytest.mark.parametrize("kind", STRUCTURAL)
def test_structural_damage_changes_what_it_says(kind):
    for name in LOGS:
        draw = random.Random(1)  # noqa: S311 - no secret
        text = next(iter(sample(name).files.values()))
        assert cannot(name, kind) or STRUCTURAL[kind](text, STRUCTURES[name], draw) != text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
@pytest.mark.parametrize("name", ["tables", "aol", "ubi"])
def test_each_way_is_what_it_is_called(tmp_path, monkeypatch, name):
    source, seen = written(tmp_path / "log", sample(name)), Counter()

    def counted(called, before, *given):
        made = before(*given)
        seen[called] += len(list(made.iterdir())) if called == "_split" else len(made)
        return made

    for module, name_of in ((ingest, "_in_place"), (ingest, "_in_files"), (flat_logs, "_split")):
        monkeypatch.setattr(module, name_of, partial(counted, name_of, getattr(module, name_of)))
    for way, put in WAYS.items():
        seen.clear()
        with pytest.MonkeyPatch.context() as patch:
            put(patch)
            sk.read(source)
        on_disk = (
            ("repartitioned",) if name == "tables" else ("repartitioned", "cut in memory")
        )  # only tables stay in memory
        assert (seen["_in_place"] > 2, seen["_in_files"] > 2) == (way == "in place", way in on_disk)
        assert (seen["_split"] > 1) == (name == "aol" and way != "in memory")


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(each_once(1), id="short", marks=pytest.mark.slow),
        pytest.param(every(1, 1), id="long", marks=pytest.mark.proof),
    ],
)
def test_a_mutated_log_is_refused_by_name_or_accounted_for(cases):
    found = outcomes(cases)
    counts = Counter(one["ended"] for one in found)
    print(
        f"\nmutated logs: {len(cases):,} tried in {len(cases[0]['ways'])} ways each; "
        + ", ".join(f"{many:,} {kind}" for kind, many in counts.most_common())
        + f"; the slowest took {max(one.get('seconds', 0) for one in found):.1f} s"
    )
    assert [
        (case, one) for case, one in zip(cases, found, strict=True) if one["ended"] not in ("read", "refused")
    ] == []
