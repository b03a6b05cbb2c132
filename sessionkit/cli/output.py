r"""Results as text or Parquet, to stdout or to a file.

``tsv`` and ``csv`` start with the column names; undefined is an empty field, ``""`` in csv an empty text. Numbers are the
shortest text that reads back to the same double. ``tsv`` quotes nothing and writes tabs and line ends inside a text as
``\t``, ``\n``, ``\r``; ``csv`` quotes as RFC 4180 does. ``jsonl`` is one object per row, undefined as null; ``json`` is one
object with all tables and statements. Beyond this text from the log is written as it is, so that ids stay ids: only on a
terminal are characters that act on it written out, and nothing is done about spreadsheets that take ``=1+1`` for a formula.
``latex`` and ``markdown`` are tables for a paper.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from sessionkit.display.terminal import READABLE, fold_text, table_text, terminal_width
from sessionkit.errors import NAMED, UsageError, suggestion, visible

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from sessionkit.display.statements import Statement
    from sessionkit.display.tables import TextTable
    from sessionkit.statistics.findings import Provenance


class ForPaper(Protocol):
    """What papers print of a finding, and what it was made with."""

    @property
    def provenance(self) -> Provenance | None: ...

    def tables(self) -> dict[str, pl.DataFrame]: ...

    def to_latex(self, name: str | None = None) -> str: ...

    def to_markdown(self, name: str | None = None) -> str: ...


class OutputForm(StrEnum):
    """How results are written."""

    table = "table"
    tsv = "tsv"
    csv = "csv"
    jsonl = "jsonl"
    json = "json"
    parquet = "parquet"
    latex = "latex"
    markdown = "markdown"


ENDINGS = {
    ".tsv": OutputForm.tsv,
    ".csv": OutputForm.csv,
    ".json": OutputForm.json,
    ".jsonl": OutputForm.jsonl,
    ".ndjson": OutputForm.jsonl,
    ".parquet": OutputForm.parquet,
    ".tex": OutputForm.latex,
    ".md": OutputForm.markdown,
}
PAPERS = (OutputForm.latex, OutputForm.markdown)
"""Forms for a paper, in which a finding is its main table as papers print it."""
FEWEST, AROUND = 10, 5
"""Rows of a table that a terminal shows at least, and lines of its screen that are left for what stands around them."""
EVERYTHING = "--output FILE, or --format table | less -S"
"""How to see the rows and columns of a table that a terminal does not show."""
NOTE = "note"
"""The key of a Parquet file's metadata that says which sessions it is of, where not all take part."""
LINE_ENDS = {character: NAMED[character] for character in "\t\n\r"}


@dataclass(frozen=True)
class PaperTable:
    """How a paper prints a table that is no finding: its layout, its label, and what the study calls its groups."""

    layout: Callable[[pl.DataFrame], TextTable]
    label: str
    labels: Mapping[str, str] = field(default_factory=dict)

    def table(self, frame: pl.DataFrame) -> TextTable:
        """The table, with the labels of the study in place of the names of its groups."""
        from sessionkit.display.tables import with_labels

        return self.layout(with_labels(frame, self.labels, frame.columns))


@dataclass(frozen=True)
class Destination:
    """Where results go, and in which form; made by `destination`, before anything is computed."""

    form: OutputForm
    file: Path | None
    chart: Path | None = None

    @property
    def terminal(self) -> bool:
        """Whether a person reads along."""
        return self.file is None and sys.stdout.isatty()

    @property
    def width(self) -> int | None:
        """Columns of the terminal that results go to; None where they go elsewhere."""
        return terminal_width() if self.file is None else None

    def send(self, frame: pl.DataFrame, below: str | None = None, paper: PaperTable | None = None) -> None:
        """Write one table, with a sentence about it in a paper and in the metadata of a Parquet file; papers may have a layout."""
        if paper is not None and self.form in PAPERS:
            self.write(_set_for_paper(paper.table(frame), self, below, paper.label).encode())
            return
        self.write(_rendered(frame, self, below=below))

    def send_parts(
        self, parts: Iterable[pl.DataFrame], below: str | None = None, paper: PaperTable | None = None
    ) -> None:
        """Write one table that comes part by part, of which at least one; only a ``table`` needs all of them at once."""
        if self.form in (OutputForm.table, OutputForm.json) or self.form in PAPERS:
            import polars as pl

            self.send(pl.concat(list(parts)), below, paper)
            return
        with self._stream() as stream:
            if self.form is OutputForm.parquet:
                _write_parquet(parts, stream, below)
                return
            for number, part in enumerate(parts):
                stream.write(_rendered(part, self, header=number == 0))

    def send_tables(
        self,
        tables: Mapping[str, pl.DataFrame],
        titles: Mapping[str, str],
        only: str | None = None,
        below: str | None = None,
    ) -> None:
        """Write several tables, or `only` one of them, `below` as `send` has it.

        In ``table`` each stands under its title, in ``tsv`` and ``csv`` under a line ``# name``, with an empty line
        between them; in ``jsonl`` every row has a first field ``table``.

        Raises
        ------
        UsageError
            There is no table of that name, or several are to go into one Parquet file.
        """
        if only is not None:
            self.write(_rendered(tables[self._chosen(tables, only)], self, caption=only, below=below))
        elif self.form is OutputForm.parquet:
            msg = f"a Parquet file holds one table; choose it with --table, one of {', '.join(tables)}"
            raise UsageError(msg)
        elif self.form is OutputForm.json:
            self._write_json(tables)
        elif self.form in PAPERS:
            self.write(b"\n".join(_rendered(frame, self, caption=name) for name, frame in tables.items() if len(frame)))
        elif self.form is OutputForm.jsonl:
            self.write(b"".join(_rendered(_tagged(name, frame), self) for name, frame in tables.items()))
        else:
            parts = [_head(name, titles, self) + _rendered(frame, self) for name, frame in tables.items()]
            self.write(b"\n".join(parts))

    def send_finding(
        self,
        tables: Mapping[str, pl.DataFrame],
        statements: Sequence[Statement],
        only: str | None,
        found: ForPaper | None = None,
        finding: str | None = None,
    ) -> None:
        """Write what was found: for people the statements and then the tables, for papers the main table, else the tables, of
        which the text of the statements and the provenance are two; all of it as one JSON object, which names the class of
        what was found.
        """
        import polars as pl

        finding = finding if found is None else type(found).__name__
        if found is not None and self.form in PAPERS and (only is None or only in found.tables()):
            self.write((found.to_latex(only) if self.form is OutputForm.latex else found.to_markdown(only)).encode())
            return

        texts = [statement.text for statement in statements]
        made = found.provenance if found is not None else None
        provenance = {"provenance": made.table} if made is not None else {}
        every = {**tables, **provenance, "reading": pl.DataFrame({"sentence": texts}, schema={"sentence": pl.String})}
        if self.form is OutputForm.json:
            chosen = tables if only is None else {only: every[self._chosen(every, only)]}
            self._write_json(chosen, statements, finding, made)
            return
        if self.form is not OutputForm.table or only is not None:
            where = f"Sessions where {made.where}" if made is not None and made.where is not None else None
            self.send_tables(every, {}, only, where)
            return
        shown = {name: _with_values(frame) for name, frame in tables.items() if len(frame)}
        lines = [line for sentence in texts for line in self._folded(visible(sentence))]
        first = next(iter(shown), None)
        if first is None:
            self.write("".join(f"{line}\n" for line in lines).encode())
            return
        self.send_tables(shown, {first: "\n".join([*lines, "", first])})

    def draw(self, chart: alt.TopLevelMixin) -> None:
        """Save the chart of what was found, where one is asked for."""
        if self.chart is not None:
            from sessionkit.charts import save
            from sessionkit.cli.runner import tell

            save(chart, self.chart)
            tell(f"written: {self.chart}")

    def write_page(self, text: str) -> None:
        """Write text of several lines."""
        self.write(_encoded(text, self))

    def write(self, content: bytes) -> None:
        """Write what was rendered."""
        with self._stream() as stream:
            stream.write(content)

    def _chosen(self, tables: Mapping[str, pl.DataFrame], only: str) -> str:
        """The name of a table, if there is one of that name."""
        if only not in tables:
            msg = f"there is no table {only!r}{suggestion(only, tables)}; tables: {', '.join(tables)}"
            raise UsageError(msg)
        return only

    def _write_json(
        self,
        tables: Mapping[str, pl.DataFrame],
        statements: Iterable[Statement] = (),
        finding: str | None = None,
        made: Provenance | None = None,
    ) -> None:
        """Write tables and statements as one JSON object."""
        from sessionkit.display.export import json_document

        made_with = None if made is None else made.named
        self.write(_encoded(json_document(tables, statements, finding=finding, made_with=made_with), self))

    def _folded(self, sentence: str) -> list[str]:
        """A sentence as the lines of a terminal."""
        return fold_text(sentence, min(READABLE, self.width or READABLE))

    @contextmanager
    def _stream(self) -> Iterator[IO[bytes]]:
        """Open the file, which is written whole or not at all, or stdout."""
        if self.file is not None:
            from sessionkit.study.files import whole_file

            with whole_file(self.file) as stream:
                yield stream
            return
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.flush()


def destination(form: OutputForm | None, file: Path | None, chart: Path | None = None) -> Destination:
    """Settle where results, and their chart, go and how they are written.

    Raises
    ------
    UsageError
        The file cannot be written, its name ends in no form and none is given, or Parquet is to go to stdout.
    """
    if file is not None or chart is not None:
        from sessionkit.study.files import require_place

        for place in (file, chart):
            if place is not None:
                require_place(place)
    if file is not None:
        ending = file.suffix.lower()
        if form is None and ending and ending not in ENDINGS:
            possible = ", ".join(ENDINGS)
            msg = f"{file.name} ends in {file.suffix}; results can be written as {possible}{suggestion(ending, ENDINGS)}, or give --format"
            raise UsageError(msg)
        return Destination(form or ENDINGS.get(ending, OutputForm.tsv), file, chart)
    if form is OutputForm.parquet:
        msg = "parquet is written to files only; name one with --output FILE"
        raise UsageError(msg)
    return Destination(form or (OutputForm.table if sys.stdout.isatty() else OutputForm.tsv), None, chart)


def _with_values(frame: pl.DataFrame) -> pl.DataFrame:
    """A table without the columns in which no row has a value."""
    return frame.select(column for column in frame if column.null_count() < len(column))


def _write_parquet(parts: Iterable[pl.DataFrame], stream: IO[bytes], below: str | None) -> None:
    """Write parts of a table as the row groups of one Parquet file, with a sentence about it in its metadata."""
    import pyarrow.parquet as pq  # slow to import

    writer = None
    for part in parts:
        table = part.to_arrow().replace_schema_metadata({NOTE: below} if below is not None else None)
        writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _rendered(
    frame: pl.DataFrame, to: Destination, *, header: bool = True, caption: str = "results", below: str | None = None
) -> bytes:
    """Return a table in the form asked for."""
    if to.form in PAPERS:
        return _for_paper(frame, to, caption.replace("_", " ").capitalize(), below).encode()
    if to.form is OutputForm.table:
        return (table_text(frame) if to.width is None else _screenful(frame, to.width)).encode()
    if to.form is OutputForm.parquet:
        buffer = io.BytesIO()
        frame.write_parquet(buffer, metadata={NOTE: below} if below is not None else None)
        return buffer.getvalue()
    if to.form is OutputForm.json:
        from sessionkit.display.export import json_document

        return _encoded(json_document({caption: frame}), to)
    if to.form is OutputForm.jsonl:
        return _encoded(frame.write_ndjson(), to)
    from sessionkit.display.export import with_joined_lists

    frame = with_joined_lists(frame)
    if to.form is OutputForm.csv:
        text = frame.write_csv(include_header=header)
    else:
        text = _one_line_each(frame).write_csv(separator="\t", quote_style="never", include_header=header)
    return _encoded(text, to)


def _screenful(frame: pl.DataFrame, width: int) -> str:
    """Return the rows and columns of a table that a terminal shows at once, and how to get the others."""
    n_rows = max(FEWEST, shutil.get_terminal_size().lines - AROUND)
    more = len(frame) - n_rows
    rest = f"\u2026 {more:,} more {'row' if more == 1 else 'rows'}: {EVERYTHING}" if more > 0 else ""
    return table_text(frame.head(n_rows), width, EVERYTHING) + "".join(
        f"{line}\n" for line in fold_text(rest, width) if rest
    )


def _for_paper(frame: pl.DataFrame, to: Destination, caption: str, below: str | None) -> str:
    """Return a table as LaTeX or Markdown."""
    from sessionkit.display.tables import table_of

    return _set_for_paper(table_of(caption, frame, limit=len(frame)), to, below)


def _set_for_paper(table: TextTable, to: Destination, below: str | None, label: str | None = None) -> str:
    """Return a table as LaTeX or Markdown, with a sentence below it."""
    from sessionkit.display.export import latex_table, markdown_table

    said = f"{below}." if below is not None else None
    table = replace(table, note=" ".join(filter(None, (table.note, said))) or None)
    return latex_table(table, label) if to.form is OutputForm.latex else markdown_table(table)


def _head(name: str, titles: Mapping[str, str], to: Destination) -> bytes:
    """Return what stands above a table: for people its title, which may have several lines, else its name."""
    if to.form is not OutputForm.table:
        return f"# {name}\n".encode()
    lines = [visible(line) for line in titles.get(name, name).split("\n")]
    if to.width is not None:
        lines = [part for line in lines for part in fold_text(line, to.width)]
    return "".join(f"{line}\n" for line in [*lines, ""]).encode()


def _one_line_each(frame: pl.DataFrame) -> pl.DataFrame:
    """Write out the tabs and line ends inside texts and names."""
    import polars as pl

    texts = pl.col(pl.String).str.replace_many(list(LINE_ENDS), list(LINE_ENDS.values()))
    written = str.maketrans(dict[str, str | int | None](LINE_ENDS))
    named = {name: name.translate(written) for name in frame.columns}
    return frame.with_columns(texts).rename(named)


def _encoded(text: str, to: Destination) -> bytes:
    """Text as bytes, to a terminal without what acts on it."""
    return (harmless(text) if to.terminal else text).encode()


def harmless(text: str) -> str:
    """Write out what acts on a terminal, but for the tabs and line ends of the form itself."""
    return "\n".join("\t".join(visible(field) for field in line.split("\t")) for line in text.split("\n"))


def _tagged(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with its name in front of every row."""
    import polars as pl

    return frame.select(pl.lit(name).alias("table"), pl.all())
