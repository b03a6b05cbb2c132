"""How far a reading has come."""

import pytest

from sessionkit.readers.io.files import unpacked
from sessionkit.study.batches import BYTES, count, watched


def test_nothing_is_counted_unless_watched(write):
    path = write("log.txt.gz", "x" * 1000)
    count("rows", 3)
    with watched() as progress:
        with unpacked(path) as stream:
            assert stream.read(10) == b"x" * 10
            assert stream.read() == b"x" * 990
        count("rows", 1200)
        count("rejected")
    count("rows", 7)
    assert progress.done == {BYTES: 1000, "rows": 1200, "rejected": 1}
    assert str(progress) == "1,200 rows, 1 rejected"  # less than a megabyte is none


@pytest.mark.slow
def test_a_large_log_counts_its_rows_and_rejects(write, quiet_read, in_batches):
    text = "".join(
        f'{1 + 200 * (n - 1)},u,{n % 5},q,2025-01-10 08:00:00,"[{n}, x, x]",{"0f" * 16},[]\n' for n in range(1, 3)
    )
    in_batches()
    with watched() as progress:
        study = quiet_read(write("log.csv", text), format="core")
    assert progress.done[BYTES] >= len(text)
    facts = study.facts
    assert (
        progress.done["rows"]
        == facts.queries + facts.results - study.rejected.collect().height + progress.done["rejected"]
        > 0
    )
