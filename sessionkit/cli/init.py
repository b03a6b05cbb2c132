"""The command that proposes how a private log is read: init."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from sessionkit.cli.options import OutputOption
from sessionkit.cli.runner import tell, working
from sessionkit.display.words import counted
from sessionkit.errors import UsageError


def init(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="The files of one log, or folders of them; judgments and questionnaires too.",
            show_default=False,
        ),
    ],
    output: OutputOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file at --output if it exists.")] = False,
) -> None:
    """Propose a study.toml for these files, with questions.

    The command reads the first 100,000 lines of each file to find its format, its table, its columns and how they spell their
    values. Files with the same columns are one table. Comments that begin with "# ?" ask what the files do not show; check
    lists those that are left. Without --output the proposal is printed and not written. Its paths are relative to the folder of
    --output, else to the current one.
    """
    from sessionkit.readers.propose.draft import propose
    from sessionkit.study.atomic_files import require_place, write_whole

    if output is not None:
        require_place(output)
        if output.resolve() in {path.resolve() for path in files}:
            raise UsageError(f"{output} is a file of the log, which is never changed; give another --output")
        if output.exists() and output.is_file() and not force:
            msg = f"{output} already exists and was left alone; give another file, or replace it with --force"
            raise UsageError(msg)
    with working("reading the files"):
        proposal = propose(files, folder=None if output is None else output.parent)
    content = proposal.text.encode()
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        write_whole(output, content)
    asked = counted(len(proposal.questions), "open question")
    first = f"{asked}, in lines that begin with '# ?'" if proposal.questions else "no open questions"
    if output is None:
        again = shlex.join(["sessionkit", "init", *map(str, files), "--output", "study.toml"])
        tell(f"{first}; no file was written. To write it: {again}")
    else:
        to_do = ": answer them" if proposal.questions else ""
        tell(f"{first}{to_do}; then: sessionkit check {shlex.quote(str(output))}")
