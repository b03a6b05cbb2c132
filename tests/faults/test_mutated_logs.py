"""Mutated logs of every format: an error that names the file, or a study in which every record is accounted for.

``pytest -m proof -s tests/faults`` prints the figures of the long form.
"""

from collections import Counter

import pytest

from sessionkit.readers import FORMATS
from tests.support.log_mutations import each_once, every, outcomes
from tests.support.logs import LOGS
from tests.support.mutations import MUTATIONS


def test_every_format_and_every_mutation_is_tried():
    cases = each_once(1)
    assert {case["log"].split(" ")[0] for case in cases} == {log.split(" ")[0] for log in LOGS} == set(FORMATS)
    assert {case["mutation"] for case in cases} == set(MUTATIONS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "cases", [pytest.param(each_once(1), id="short"), pytest.param(every(2, 1), id="long", marks=pytest.mark.proof)]
)
def test_a_mutated_log_is_refused_by_name_or_accounted_for(cases):
    found = outcomes(cases)
    counts = Counter(one["ended"] for one in found)
    print(
        f"\nmutated logs: {len(cases):,} tried; " + ", ".join(f"{many:,} {kind}" for kind, many in counts.most_common())
    )
    assert [
        (case, one) for case, one in zip(cases, found, strict=True) if one["ended"] not in ("read", "refused")
    ] == []
