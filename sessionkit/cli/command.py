"""A command as typer reads it: the words that a shell offers for its options, and what is said of a command line that fits no
command: what is wrong, what exists, what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from typer._click import exceptions as wrong
from typer.core import TyperCommand, TyperGroup

from sessionkit.errors import UsageError, suggestion, visible

if TYPE_CHECKING:
    from typer._click import Command as AnyCommand
    from typer._click import Context
    from typer.exceptions import TyperException


OF_ONE = {
    "--cut": "; it is one of compare, and groups of numbers for every command are a column, see: sessionkit help cut"
}
"""What is said of an option that one command has alone, and others do without."""


ELSEWHERE = {
    "--confidence": ("--alpha", "--ci", "--level", "--significance-level", "--sig", "--conf-level"),
    "--by": ("--group", "--groups", "--groupby", "--group-by", "--system", "--systems", "--color", "--hue"),
    "--where": ("--filter", "--query", "--subset", "--condition", "--select"),
    "--output": ("--out", "--file", "--outfile", "--save", "--to"),
    "--out": ("--output", "--dir", "--directory", "--save"),
    "--draws": (
        "--bootstrap", "--bootstraps", "--iterations", "--iter", "--n-boot", "--n-resamples", "--permutations", "--resamples",
        "--samples", "--repetitions",
    ),
    "--seed": ("--random-state", "--random-seed", "--rng"),
    "--correction": ("--adjust", "--p-adjust", "--padjust", "--multiple"),
    "--test": ("--method", "--statistic"),
    "--difference": ("--effect", "--effect-size", "--delta", "--diff"),
    "--memory": ("--mem", "--max-memory"),
    "--from": ("--format", "--type", "--input-format"),
    "--format": ("--json", "--csv", "--tsv", "--latex", "--markdown", "--as"),
}  # fmt: skip
"""By an option: what other tools call it. The nearest name is not suggested where it means something else."""
SAYS = {
    "--alpha": "confidence 0.95 is an alpha of 0.05",
    "--ci": "0.95 is a 95% interval",
    "--json": "--format jsonl writes JSON, a row to a line",
    **{f"--{name}": f"--format {name}" for name in ("csv", "tsv", "latex", "markdown")},
}
"""What else is said of such a name."""
CUTOFFS = ("--cutoff", "--at", "--k", "--top", "--top-k", "--depth", "--rank", "--ranks")
MEASURES = ("--metric", "--metrics", "--measures")


class Command(TyperCommand):
    """A command; a shell completes every option whose help lists its words, as in ``--per session|query``."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as typer calls it
        super().__init__(*given, **named)
        for one in self.params:
            words = listed_words(getattr(one, "metavar", None))
            if words and one._custom_shell_complete is None:
                one._custom_shell_complete = partial(_offered, words)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the words behind the command."""
        ctx.allow_extra_args = True
        options = {option for one in self.params for option in one.opts}
        for word in args:
            name, equals, value = word.partition("=")
            if equals and f"--{name}" in options and not ctx.resilient_parsing:
                raise UsageError(f"{visible(word)} is how Python has it; here it is --{name} {visible(value)}")
        try:
            if not ctx.resilient_parsing:
                self._require_once(ctx, args)
            rest = super().parse_args(ctx, args)
        except wrong.BadOptionUsage as error:
            error.ctx = ctx  # which typer leaves out
            raise
        if rest and not ctx.resilient_parsing:
            raise UsageError(
                f"{rest[0]!r} is one argument too many; usage: {usage_of(ctx)}; see: {ctx.command_path} --help"
            )
        return rest

    def _require_once(self, ctx: Context, args: list[str]) -> None:
        """Refuse an option that stands twice and takes one value: typer would take the last, and not say so."""
        _, _, order = self.make_parser(ctx).parse_args(args=[*args])  # every occurrence of a parameter, in order
        options: list[Any] = [one for one in order if one.param_type_name == "option"]
        for option in options:
            if options.count(option) > 1 and not option.multiple:
                takes = "" if option.is_flag else f"; it takes one value{_joined(option)}"
                raise UsageError(f"{option.opts[0]} is given twice{takes}; see: {ctx.command_path} --help")


def _joined(option: Any) -> str:  # noqa: ANN401 - an option of typer
    """How an option takes several values in one, if it does."""
    if option.opts[0] == "--where":
        return ", in which and joins conditions"
    takes_several = "," in (option.metavar or "") or "commas" in (option.help or "")
    return ", in which commas join several" if takes_several else ""


def listed_words(metavar: str | None) -> tuple[str, ...]:
    """The words that an option takes, where its help lists them.

    >>> listed_words("judges|searchers|SHARE"), listed_words("FILE"), listed_words("users|users,topics")
    (('judges', 'searchers'), (), ('users', 'users,topics'))
    """
    parts = (metavar or "").split("|")
    return tuple(part for part in parts if re.fullmatch("[a-z][a-z_,-]*", part)) if len(parts) > 1 else ()


def complete_words(words: Sequence[str], incomplete: str) -> list[str]:
    """The words that begin as what is typed; several joined by commas, where no word has one, each once."""
    before, comma, last = incomplete.rpartition(",")
    if not comma or any("," in word for word in words):
        return [word for word in words if word.startswith(incomplete)]
    return [f"{before},{word}" for word in words if word.startswith(last) and word not in before.split(",")]


def completing(words: Sequence[str]) -> Callable[[str], list[str]]:
    """`complete_words` of these words, for options whose help lists them elsewhere than in their place."""

    def complete(incomplete: str) -> list[str]:
        return complete_words(words, incomplete)

    return complete


def _offered(words: Sequence[str], context: Context, parameter: object, incomplete: str) -> list[str]:  # noqa: ARG001
    """`complete_words`, as typer calls it."""
    return complete_words(words, incomplete)


class Commands(TyperGroup):
    """Commands by name: a name that is none of them is answered with those there are."""

    noun = "command"

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, AnyCommand | None, list[str]]:
        """The command that the first of some words names, and the rest of them."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            raise UsageError(
                f"there is no {self.noun} {name!r}{suggestion(name, known)}; {self.noun}s: {', '.join(known)}; "
                f"see: {ctx.command_path} --help"
            )
        return super().resolve_command(ctx, args)


def misuse(error: TyperException) -> str:
    """What is wrong with a command line, and what there is instead; typer says it in the words of its parts."""
    parameter: Any = getattr(error, "param", None)
    if isinstance(error, wrong.NoSuchOption) and error.ctx is not None:
        shown = [one for one in error.ctx.command.params if not getattr(one, "hidden", False)]
        known = [name for one in shown for name in one.opts if name.startswith("--")]
        near = _near(error.option_name, known, [_metavar(one) for one in _arguments(error.ctx)])
        behind: list[Any] = list(getattr(error.ctx.command, "commands", {}).values())
        if any(error.option_name in one.opts for command in behind for one in command.params):
            near = f" before the {getattr(error.ctx.command, 'noun', 'command')}; it stands behind it"
        options = f"; options: {', '.join(known)}" if known else ""
        return f"there is no option {error.option_name}{near}; usage: {usage_of(error.ctx)}{options}"
    if isinstance(error, wrong.MissingParameter) and parameter is not None:
        return f"{_name_of(parameter)} is missing: {_first_sentence(parameter.help or '')}"
    if isinstance(error, wrong.BadOptionUsage) and error.ctx is not None:
        options_known: list[Any] = error.ctx.command.get_params(error.ctx)  # with --help, which params leaves out
        option = next(one for one in options_known if error.option_name in (*one.opts, *one.secondary_opts))
        if option.is_flag:
            return f"{error.option_name} takes no value"
        return f"{error.option_name} is not followed by its value: {option.metavar or _wanted(option)}"
    if isinstance(error, wrong.BadParameter) and parameter is not None:
        return f"{_name_of(parameter)} is {_given(error)!r}; give {_wanted(parameter)}"
    return error.format_message().rstrip(".")


def _near(option: str, known: Sequence[str], arguments: Sequence[str]) -> str:
    """What is said of an option that a command does not have: what it is called here, or the nearest name.

    >>> _near("--alpha", ["--table", "--confidence"], []), _near("--metric", ["--memory"], ["STUDY", "MEASURE"])
    ("; did you mean '--confidence'? (confidence 0.95 is an alpha of 0.05)", ': MEASURE is an argument')
    """
    argument = "MEASURE" if option in MEASURES else option.lstrip("-").upper()
    if argument in arguments:
        return f": {argument} is an argument"
    if option in CUTOFFS and "MEASURE" in arguments:
        return "; a cutoff is part of the measure, as in nDCG@10"
    if option in OF_ONE:
        return OF_ONE[option]
    ours = next((name for name, others in ELSEWHERE.items() if option in others and name in known), None)
    if ours is None:
        return suggestion(option, known)
    return f"; did you mean {ours!r}?{f' ({SAYS[option]})' if option in SAYS else ''}"


def usage_of(context: Context) -> str:
    """A command with its arguments, such as ``sessionkit score STUDY MEASURE...``."""
    words = [f"{_metavar(one)}{'...' if one.nargs == -1 else ''}" for one in _arguments(context)]
    words = [word if one.required else f"[{word}]" for word, one in zip(words, _arguments(context), strict=True)]
    options: list[Any] = [one for one in context.command.params if one.param_type_name == "option" and one.required]
    words += [f"{one.opts[0]} {one.metavar}" for one in options]
    return " ".join([context.command_path, *(words or [getattr(context.command, "subcommand_metavar", "")])])


def _arguments(context: Context) -> list[Any]:
    """The arguments of a command."""
    return [one for one in context.command.params if one.param_type_name == "argument"]


def _metavar(parameter: Any) -> str:  # noqa: ANN401 - an argument or option of typer
    """An argument as help calls it."""
    return str(parameter.metavar or parameter.name.upper()).removesuffix("...")


def _name_of(parameter: Any) -> str:  # noqa: ANN401 - an argument or option of typer
    """An argument as help calls it, or an option."""
    return parameter.opts[0] if parameter.param_type_name == "option" else _metavar(parameter)


def _first_sentence(text: str) -> str:
    """The start of a help text, as the end of a sentence."""
    first = re.split(r"[.;] ", text, maxsplit=1)[0].rstrip(".")
    return first if first[1:2].isupper() else f"{first[:1].lower()}{first[1:]}"


def _given(error: BaseException) -> str:
    """The value that is no number, or none of the words."""
    problems: list[dict[str, object]] = getattr(error.__cause__, "errors", list)()
    return visible(str(problems[0]["input"] if problems else error))


def _wanted(parameter: Any) -> str:  # noqa: ANN401 - an argument or option of typer
    """What a parameter takes: one of some words, or a number, and from where to where."""
    kind = parameter.type_descriptor
    if kind.is_choice:
        return f"one of {', '.join(map(str, kind.choices))}"
    number = "a whole number" if kind.annotation is int else "a number"
    ends = [f"{word} {end}" for word, end in (("from", parameter.min), ("to", parameter.max)) if end is not None]
    return " ".join([number, *ends])
