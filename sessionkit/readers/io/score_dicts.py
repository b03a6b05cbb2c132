"""JSON of numbers by topic and document, ``{"q1": {"d1": 0.3}}``, as pytrec_eval and ranx write runs and judgments.

Whole numbers are grades and others scores; numbers such as ``1.0`` may be either.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.io.json_items import loads
from sessionkit.readers.io.log_files import LogFile, text_of
from sessionkit.readers.raw import LINE, RAW, Locate

BEGIN = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*("|\})')
"""How such a text begins: the name of a topic, and that of a document or nothing."""
PAIR_END = re.compile(r"[0-9nNlL]\s*(,|\})")


def numbers_in(text: str) -> list[int | float]:
    """Return the numbers in the beginning of such a text; none where it is another text.

    >>> numbers_in('{"q1": {"d1": 3, "d2": 0.5}, "q2": {"d'), numbers_in('{"columns": ["a"]}'), numbers_in('{"a": {"0": 1}}')
    ([3, 0.5], [], [])
    """
    text = text.removeprefix("\ufeff")
    if BEGIN.match(text) is None:
        return []
    try:
        documents = _cut_loaded(text)
    except (ValueError, RecursionError):
        return []
    if not documents or not all(isinstance(one, dict) for one in documents.values()):
        return []
    values = list(chain.from_iterable(one.values() for one in documents.values()))
    is_table = next(iter(next(iter(documents.values()))), "") == "0"  # by rows, as pandas writes columns
    if is_table or any(isinstance(value, bool) or not isinstance(value, int | float | None) for value in values):
        return []
    return [value for value in values if value is not None]


def _cut_loaded(text: str) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a JSON text, which may be cut after some pairs."""
    try:
        return json.loads(text)
    except ValueError:
        end = max((found.end(1) - 1 for found in PAIR_END.finditer(text)), default=0)
        return json.loads(f"{text[:end]}}}}}")


def holds_grades(text: str) -> bool:
    """Return whether a text begins like such JSON of whole numbers."""
    numbers = numbers_in(text)
    return bool(numbers) and all(float(number).is_integer() for number in numbers)


def holds_scores(text: str) -> bool:
    """Return whether a text begins like such JSON of numbers that are not all written as whole ones."""
    return any(isinstance(number, float) for number in numbers_in(text))


def read_score_dict(file: LogFile, key: str, value: str) -> tuple[pl.DataFrame, list[str], Locate]:
    """Return the pairs of a topic and a document with their number as text, the topics without documents, and the way back.

    A name that stands several times is kept as often.

    Parameters
    ----------
    key, value
        What the columns of the topic and of the number are called.

    Raises
    ------
    DataError
        It is no JSON, or JSON of another shape.
    """
    try:
        # pairs instead of dictionaries, which would keep the last of several of one name
        topics = loads(text_of(file), object_pairs_hook=tuple)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file.name} is not JSON ({error}); is the file whole?") from None
    if not isinstance(topics, tuple) or not all(isinstance(documents, tuple) for _, documents in topics):
        raise DataError(f'{file.name} is not JSON of numbers by topic and document, such as {{"q1": {{"d1": 0.3}}}}')
    pairs = [(topic, document, number) for topic, documents in topics for document, number in documents]
    names = {RECORD: pl.Int64, key: pl.String, "doc_id": pl.String, value: pl.String}
    rows = [(at, topic, document, _spelled(number)) for at, (topic, document, number) in enumerate(pairs, 1)]

    def locate(records: pl.Series) -> pl.DataFrame:
        texts = [json.dumps({pairs[at - 1][0]: {pairs[at - 1][1]: pairs[at - 1][2]}}) for at in records]
        return pl.DataFrame({RECORD: records, LINE: pl.Series([None] * len(records), dtype=pl.Int64), RAW: texts})

    empty = [topic for topic, documents in topics if not documents]
    return pl.DataFrame(rows, names, orient="row"), empty, locate


def _spelled(number: Any) -> str | None:  # noqa: ANN401 - JSON
    """Return a JSON value as text."""
    return number if number is None or isinstance(number, str) else json.dumps(number)
