"""The way in on a worker: one thread for polars and the same sessionkit as on the driver, before anything is unpacked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sessionkit import __version__
from sessionkit.engines.spark.failures import told
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast

    from sessionkit.engines.spark.sessions import StreamWork
    from sessionkit.engines.spark.study_parts import FileWork


def run(
    sent: Broadcast[StreamWork | FileWork], version: str, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Do the work that was sent on a partition of the stream.

    Spark runs one worker per core, so polars gets one thread; it counts its threads when it is first imported, which
    unpacking `sent` does.

    Parameters
    ----------
    sent
        What to do.
    version
        The driver's version of sessionkit.
    batches
        What Spark has for it: rows of the stream, or numbers of parts.
    """
    with told():
        if version != __version__:
            raise UsageError(
                f"the workers have sessionkit {__version__} and the driver {version}; install the same on both"
            )
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        yield from sent.value.answers(batches)
