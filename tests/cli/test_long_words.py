"""A word of a million characters, wherever a command takes one, is answered soon and shortly."""

import pytest
from typer.main import get_command

import sessionkit as sk
from sessionkit.cli.app import COMMANDS, app_for, name_of
from sessionkit.errors import LONGEST_MESSAGE, close_names, readable, suggestion
from tests.support.clinic import CLINIC, saved_clinic

LENGTH = 1_000_000
WORDS = {
    "letters": "a" * LENGTH,
    "blanks": "a " * (LENGTH // 2),
    "commas": "a," * (LENGTH // 2),
    "lines": "a\n" * (LENGTH // 2),
    "escapes": "\x1b" * LENGTH,
    "digits": "1" * LENGTH,
    "brackets": "mean(" * (LENGTH // 5),
    "dashes": "-" * LENGTH,
}
SHORT = ("score", "compare", "report", "help", "measures", "schema", "init", "ingest")
"""Commands that are tried where the test is short."""
RUN = 150
"""Characters of the word in a row that a message shows at most."""


def options_and_arguments(name):
    """Yield words of a command, in which None is the place of an argument or of an option's value."""
    command = get_command(app_for(name)).commands[name]
    for kind, one in getattr(command, "commands", {"": command}).items():
        given = [name, *([kind] if kind else [])]
        for parameter in one.params:
            if parameter.param_type_name == "argument":
                shown = (parameter.metavar or parameter.name).upper()
                is_config = any(part in shown for part in ("CONFIG", "SOURCE", "FILE"))
                given.append("nDCG@10" if "MEASURE" in shown else str(CLINIC if is_config else saved_clinic()))
        for place in range(1 + bool(kind), len(given)):
            yield [*given[:place], None, *given[place + 1 :]]
        for parameter in one.params:
            names = [option for option in parameter.opts if option.startswith("--") and option != "--plugin"]
            if names and not getattr(parameter, "is_flag", False):
                yield [*given, names[0], None]


@pytest.mark.parametrize("kind", ["letters", *(pytest.param(kind, marks=pytest.mark.proof) for kind in [*WORDS][1:])])
@pytest.mark.parametrize(
    "name",
    [name if name in SHORT[:4] else pytest.param(name, marks=pytest.mark.proof) for name in map(name_of, COMMANDS)],
)
def test_every_place_of_a_command(call, name, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in options_and_arguments(name):
        outcome = call(*(WORDS[kind] if word is None else word for word in words))
        assert outcome.status in (1, 2) or (kind == "digits" and outcome.status == 0), (
            words
        )  # some options take any number
        error = outcome.err.rpartition("error: ")[2]
        assert len(error) <= LONGEST_MESSAGE, words
        assert WORDS[kind][: 2 * RUN] not in error or " " in WORDS[kind] or "\n" in WORDS[kind], words


@pytest.mark.parametrize("kind", WORDS)
def test_what_is_meant_by_a_long_name_is_not_looked_for(kind):
    word = WORDS[kind]
    assert suggestion(word, ["nDCG", word[1:]]) == ""
    assert suggestion("nDGC", ["nDCG", word]) == "; did you mean 'nDCG'?"
    assert close_names(word, [word], 3, 0.6) == []


@pytest.mark.parametrize("form", ["session{:06}", "a" * 190 + "{:06}", "0" * 90 + "{:06}", "_a" * 80 + "{:06}"])
def test_among_many_names_the_nearest_is_found(form):
    """A name of the first thousands: of all others none is looked at."""
    names = [form.format(number) for number in range(100_000)]
    assert suggestion(names[1234] + "x", names) == f"; did you mean {names[1234]!r}?"


def test_names_that_are_the_beginning_of_another_do_not_hide_the_nearest():
    word = "measure_" * 12
    beginnings = [word[:length] for length in range(20, 96)]
    assert close_names(f"{word}Y", [*beginnings, f"{word}X"], 1, 0.5) == [f"{word}X"]


def test_a_message_keeps_its_end_and_paths():
    path = "/".join(["folder"] * 30)
    assert readable(f"{path}: no such file; see: sessionkit check") == f"{path}: no such file; see: sessionkit check"
    listed = f"no column; columns: {', '.join(f'column{number}' for number in range(5000))}; see: sessionkit check"
    assert readable(listed).startswith("no column; columns: column0, column1")
    assert readable(listed).endswith("column4999; see: sessionkit check")
    assert len(readable(listed)) < LONGEST_MESSAGE


@pytest.mark.parametrize("key", ["title", "format", "sessions.columns", "a" * 400])
def test_long_keys_and_values_of_a_study_toml(tmp_path, key):
    config = tmp_path / "study.toml"
    for line in (f'{key} = "{"a" * LENGTH}"', f"{key}{'a' * LENGTH} = 1", f"{key} = [{'1,' * 1000}]"):
        config.write_text(f'format = "tables"\n{line}\n' if key != "format" else f"{line}\n")
        with pytest.raises(sk.SessionkitError) as refused:
            sk.read(config)
        assert len(str(refused.value)) <= LONGEST_MESSAGE
