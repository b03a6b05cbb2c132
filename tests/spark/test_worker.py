"""What crosses from a worker to the driver, without either of them."""

import pytest

from sessionkit.errors import DataError, MeasureError, SessionkitError, UsageError
from sessionkit.spark.worker import explained, said_by_worker, told

HOSTILE = 'line one\nline two\tat org.apache {"kind": "x"} \u2028 "quoted" sessionkit says: \\'
TRACE = """An error occurred while calling o116.getResult.
: org.apache.spark.SparkException: Exception thrown in awaitResult:
\tat org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:70)
Caused by: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 2.0 failed 1 times, \
most recent failure: Lost task 0.0 in stage 2.0 (TID 2) (127.0.0.1 executor driver): {}
\tat org.apache.spark.api.python.BasePythonRunner"""


@pytest.mark.parametrize("kind", [DataError, UsageError, MeasureError, SessionkitError])
def test_our_errors_cross_in_their_class_whatever_their_text(kind):
    with pytest.raises(RuntimeError) as raised, told():
        raise kind(HOSTILE)
    assert "\n" not in str(raised.value)
    back = said_by_worker(TRACE.format(f"RuntimeError: {raised.value}"))
    assert type(back) is kind
    assert str(back) == str(kind(HOSTILE))


def test_other_errors_are_left_as_they_are():
    with pytest.raises(ZeroDivisionError), told():
        _ = 1 / 0
    assert said_by_worker(TRACE) is None
    assert said_by_worker('sessionkit says: {"kind": "annotations", "message": 1}') is None
    assert said_by_worker("sessionkit says: {") is None


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (
            TRACE.format("java.io.IOException: disk full"),
            SessionkitError,
            "finish: java.io.IOException: disk full",
        ),
        (TRACE.format("Python worker exited unexpectedly (crashed)"), SessionkitError, "Spark lost a worker"),
        (
            'Traceback (most recent call last):\n  File "x.py", line 1, in f\n    1 / 0\nZeroDivisionError: division by zero\n',
            SessionkitError,
            "finish: ZeroDivisionError: division by zero",
        ),
        ("...\nModuleNotFoundError: No module named 'polars'", UsageError, "'polars'; install sessionkit-ir"),
        (
            "[TABLE_OR_VIEW_NOT_FOUND] The table `x` cannot be found.\nmore",
            SessionkitError,
            "table `x` cannot be found.",
        ),
        ("", SessionkitError, "not say why"),
    ],
)
def test_other_failures_are_one_line(text, kind, expected):
    error = explained(text)
    assert type(error) is kind
    assert expected in str(error)
    assert "\n" not in str(error)
