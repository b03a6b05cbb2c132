"""Words of rating scales, such as "Satisfied" and "trifft eher zu": the order of their levels and what each may be worth.

A proposal only ever asks for these values: nothing in a file says them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.display.words import listed
from sessionkit.readers.propose.column_names import plain
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.spellings import NO, YES, mean_nothing

_SCALES = """
dissatisfied|unsatisfied, neutral|neither satisfied nor dissatisfied|neither, satisfied
very dissatisfied|extremely dissatisfied|very unsatisfied, dissatisfied|somewhat dissatisfied|unsatisfied, \
neutral|neither satisfied nor dissatisfied|neither, satisfied|somewhat satisfied, very satisfied|extremely satisfied
very dissatisfied|extremely dissatisfied, dissatisfied|moderately dissatisfied, somewhat dissatisfied|slightly dissatisfied, \
neutral|neither satisfied nor dissatisfied, somewhat satisfied|slightly satisfied, satisfied|moderately satisfied, \
very satisfied|extremely satisfied
disagree, neutral|neither|undecided|not sure|neither agree nor disagree, agree
strongly disagree|disagree strongly|completely disagree|totally disagree, disagree|somewhat disagree|rather disagree|tend to disagree, \
neutral|neither|undecided|not sure|neither agree nor disagree|neither disagree nor agree, \
agree|somewhat agree|rather agree|tend to agree, strongly agree|agree strongly|completely agree|totally agree
strongly disagree|disagree strongly, disagree|moderately disagree, somewhat disagree|slightly disagree, \
neutral|neither|undecided|neither agree nor disagree, somewhat agree|slightly agree, agree|moderately agree, strongly agree|agree strongly
difficult|hard, neutral|medium|neither|moderate|neither easy nor difficult|neither difficult nor easy, easy
very difficult|very hard|extremely difficult, difficult|hard|somewhat difficult, \
neutral|medium|neither|moderate|neither easy nor difficult|neither difficult nor easy, easy|somewhat easy, very easy|extremely easy
very unlikely|extremely unlikely, unlikely|somewhat unlikely, neutral|neither likely nor unlikely|neither, likely|somewhat likely, \
very likely|extremely likely
never, rarely|seldom, sometimes|occasionally, often|frequently, always|very often
very poor|very bad|terrible, poor|bad, fair|average|ok|okay|acceptable|neutral, good, very good|excellent
poor, fair, good, very good, excellent
low, medium|moderate, high
very low, low, medium|moderate, high, very high
not at all, slightly|a little, moderately|somewhat, very|very much|quite a bit, extremely
not at all satisfied, slightly satisfied, moderately satisfied, very satisfied, extremely satisfied
not at all important|unimportant, slightly important, moderately important|important, very important, extremely important
unzufrieden, neutral|weder noch|teils teils|teils/teils, zufrieden
sehr unzufrieden, unzufrieden|eher unzufrieden, neutral|weder noch|teils teils|teils/teils, zufrieden|eher zufrieden, sehr zufrieden
trifft nicht zu|trifft uberhaupt nicht zu|trifft gar nicht zu, trifft eher nicht zu|trifft wenig zu, \
teils teils|teils/teils|weder noch|neutral|unentschieden|trifft teilweise zu, trifft eher zu|trifft ziemlich zu, \
trifft zu|trifft voll zu|trifft vollig zu|trifft voll und ganz zu
stimme nicht zu|stimme uberhaupt nicht zu|stimme gar nicht zu, stimme eher nicht zu, \
teils teils|teils/teils|weder noch|neutral|unentschieden, stimme eher zu, stimme zu|stimme voll zu|stimme voll und ganz zu
stimme uberhaupt nicht zu|stimme gar nicht zu, stimme nicht zu, teils teils|teils/teils|weder noch|neutral|unentschieden, stimme zu, \
stimme voll zu|stimme voll und ganz zu
sehr schwer|sehr schwierig, schwer|schwierig|eher schwer, mittel|neutral|weder noch|teils teils, \
leicht|einfach|eher leicht, sehr leicht|sehr einfach
nie, selten, manchmal|gelegentlich, oft|haufig, immer|sehr oft
sehr schlecht, schlecht, mittel|mittelmassig|neutral|befriedigend, gut, sehr gut
niedrig, mittel, hoch
tres insatisfait|tres insatisfaite|pas du tout satisfait|pas du tout satisfaite, insatisfait|insatisfaite|peu satisfait|peu satisfaite|\
plutot insatisfait|plutot insatisfaite|pas satisfait, neutre|ni satisfait ni insatisfait|moyennement satisfait, \
satisfait|satisfaite|plutot satisfait|plutot satisfaite, tres satisfait|tres satisfaite|tout a fait satisfait
pas du tout d'accord, plutot pas d'accord|pas d'accord|pas vraiment d'accord, neutre|ni d'accord ni pas d'accord|sans opinion, \
plutot d'accord|d'accord, tout a fait d'accord
tres difficile, difficile|plutot difficile, neutre|moyen|ni facile ni difficile, facile|plutot facile, tres facile
jamais, rarement, parfois|quelquefois, souvent, toujours|tres souvent
muy insatisfecho|muy insatisfecha, insatisfecho|insatisfecha|poco satisfecho, neutral|ni satisfecho ni insatisfecho|indiferente, \
satisfecho|satisfecha, muy satisfecho|muy satisfecha
totalmente en desacuerdo|muy en desacuerdo, en desacuerdo, neutral|ni de acuerdo ni en desacuerdo|indiferente, de acuerdo, \
totalmente de acuerdo|muy de acuerdo
muy dificil, dificil, neutral|normal|ni facil ni dificil, facil, muy facil
nunca, rara vez|casi nunca, a veces, a menudo|casi siempre|frecuentemente, siempre
molto insoddisfatto|molto insoddisfatta|per niente soddisfatto, insoddisfatto|insoddisfatta|poco soddisfatto, \
neutro|neutrale|ne soddisfatto ne insoddisfatto|abbastanza soddisfatto, soddisfatto|soddisfatta, molto soddisfatto|molto soddisfatta
totalmente in disaccordo|fortemente in disaccordo|completamente in disaccordo, in disaccordo, \
neutro|neutrale|ne d'accordo ne in disaccordo|indifferente, d'accordo, totalmente d'accordo|fortemente d'accordo|completamente d'accordo
molto difficile, difficile, neutro|normale|ne facile ne difficile, facile, molto facile
muito insatisfeito|muito insatisfeita, insatisfeito|insatisfeita, neutro|nem satisfeito nem insatisfeito|indiferente, \
satisfeito|satisfeita, muito satisfeito|muito satisfeita
discordo totalmente, discordo|discordo parcialmente, neutro|nao concordo nem discordo|nem concordo nem discordo|indiferente, \
concordo|concordo parcialmente, concordo totalmente
zeer ontevreden, ontevreden, neutraal|niet tevreden en niet ontevreden, tevreden, zeer tevreden
helemaal mee oneens|zeer mee oneens|helemaal niet mee eens, mee oneens|oneens|niet mee eens, neutraal|niet mee eens en niet mee oneens, \
mee eens|eens, helemaal mee eens|zeer mee eens
zeer moeilijk|heel moeilijk, moeilijk, neutraal, makkelijk|gemakkelijk, zeer makkelijk|heel makkelijk|zeer gemakkelijk
erittain tyytymaton, tyytymaton, neutraali|ei tyytyvainen eika tyytymaton, tyytyvainen, erittain tyytyvainen
taysin eri mielta, jokseenkin eri mielta|eri mielta, \
en samaa enka eri mielta|neutraali|en osaa sanoa, jokseenkin samaa mielta|samaa mielta, taysin samaa mielta
mycket missnojd, missnojd, neutral|varken nojd eller missnojd, nojd, mycket nojd
instammer inte alls, instammer delvis inte|instammer inte, neutral|varken eller, instammer delvis|instammer, instammer helt|\
instammer helt och hallet
"""
"""Scales, one a line: levels from the low end to the high end, with the ways to write each, without accents."""
SCALES = tuple(
    tuple(frozenset(level.strip().split("|")) for level in line.split(",")) for line in _SCALES.strip().splitlines()
)
MOST = 11
"""Levels of a scale at most."""
NUMBER = re.compile(r"[-+]?\d*[.,]?\d+")
"""A number, whatever its decimal mark."""
LABELS = 9
"""Different texts at most of a column of labels whose order is not known."""
SHOWN = 12
"""Names that a sentence lists."""
NUMBER_AT_AN_END = re.compile(r"\(?(-?\d+)\)?(?:\s*[-\u2013\u2014:.=)]\D*|\s\D*|)|\D*[\s(\[:=\u2013\u2014-](\d+)[)\]]?")
"""A label that holds one number, such as "5 - very satisfied" or "Agree (4)"."""


def values_of_labels(labels: Iterable[str]) -> dict[str, int]:
    """Return what the labels of a scale may be worth, the least first; nothing where no scale has all of them.

    Levels count from 1 on the shortest scale that has every label; a label that holds a number is worth that, no 0 and yes 1.

    >>> values_of_labels(["Satisfied", "Neutral", "Dissatisfied"])
    {'Dissatisfied': 1, 'Neutral': 2, 'Satisfied': 3}
    >>> values_of_labels(["trifft eher zu", "trifft voll zu"])
    {'trifft eher zu': 4, 'trifft voll zu': 5}
    >>> values_of_labels(["5 - very good", "1 - very bad", "3"])
    {'1 - very bad': 1, '3': 3, '5 - very good': 5}
    >>> values_of_labels(["map", "list"])
    {}
    """
    folded = {label: _folded(label) for label in labels}
    if not 0 < len(folded) <= MOST:
        return {}
    numbers = {label: number for label in folded if (number := _number_in(label)) is not None}
    if len(numbers) == len(folded) and len(set(numbers.values())) == len(numbers):
        return dict(sorted(numbers.items(), key=lambda pair: pair[1]))
    is_yes = {label: text in YES for label, text in folded.items() if text in YES or text in NO}
    if len(is_yes) == len(folded) and len(set(is_yes.values())) == 2 and not any(map(str.isdigit, folded.values())):
        return {label: int(value) for label, value in sorted(is_yes.items(), key=lambda pair: pair[1])}
    fitting = [scale for scale in SCALES if set(folded.values()) <= frozenset().union(*scale)]
    if not fitting:
        return {}
    return _values_on(min(fitting, key=len), folded)


def _values_on(scale: Collection[frozenset[str]], folded: Mapping[str, str]) -> dict[str, int]:
    """Return the labels with their levels on a scale, in its order."""
    places = {label: at for label, text in folded.items() for at, level in enumerate(scale, start=1) if text in level}
    return dict(sorted(places.items(), key=lambda pair: pair[1]))


def _folded(label: str) -> str:
    """Return a label without case, accents, full stops and doubled blanks."""
    return re.sub(r"\s+", " ", plain(label).replace("\u2019", "'").casefold()).strip(" .!")


def _number_in(label: str) -> int | None:
    """Return the one number that a label begins or ends with."""
    match = NUMBER_AT_AN_END.fullmatch(label.strip())
    return int(match[1] or match[2]) if match else None


@dataclass(frozen=True)
class Labels:
    """Columns of words: those of known scales with what these are worth, and others with their words."""

    scales: Mapping[str, Mapping[str, int]]
    words: Mapping[str, Sequence[str]]

    @property
    def questions(self) -> list[str]:
        """The questions about what the words are worth."""
        shown = "; ".join(
            f"{quoted(name)}: {', '.join(map(quoted, words[:4]))}" for name, words in list(self.words.items())[:SHOWN]
        )
        questions = []
        if self.scales:
            named = listed([quoted(name) for name in list(self.scales)[:SHOWN]])
            questions.append(
                f"answers of {named} are words. Is the order right, and has the scale more levels that nobody chose? Correct the values "
                "and remove the '#'"
            )
        if self.words and self.scales:
            questions.append(
                f"other answers are words too ({shown}); they stay words unless values says what each is worth"
            )
        elif self.words:
            questions.append(
                f"answers are words ({shown}). If they have an order, say what each is worth, and remove the '#'"
            )
        return questions

    @property
    def values(self) -> dict[str, Mapping[str, int]]:
        """What the words of scales are worth; where there are none, numbers for the others."""
        numbers = {name: {word: at for at, word in enumerate(words, 1)} for name, words in self.words.items()}
        return {**(self.scales or numbers)}


def labels_of(items: Iterable[tuple[str, pl.Series]]) -> Labels:
    """Return the columns of words among some items.

    Parameters
    ----------
    items
        The name of the column of each item, and its answers.
    """
    scales: dict[str, dict[str, int]] = {}
    words_of: dict[str, list[str]] = {}
    for name, answers in items:
        given = [text.strip() for text in answers if not mean_nothing([text])]
        words = [text for text in given if not NUMBER.fullmatch(text)]
        distinct = list(dict.fromkeys(words))
        are_most = 2 * len(words) >= len(given)
        values = values_of_labels(given) or values_of_labels(words)
        if words and values and (are_most or len(distinct) < len(values)):
            scales[name] = {**scales.get(name, {}), **{word: values[word] for word in distinct}}
        elif words and values and (ends := _values_at_the_ends(list(values), set(given) - set(words))):
            scales[name] = {**scales.get(name, {}), **ends}
        elif 0 < len(distinct) <= LABELS and (not are_most or 1 < len(distinct) <= len(words) / 2):
            words_of[name] = list(dict.fromkeys([*words_of.get(name, []), *distinct]))
    return Labels(scales, {name: words for name, words in words_of.items() if name not in scales})


def _values_at_the_ends(labels: Sequence[str], numbers: Iterable[str]) -> dict[str, int]:
    """Return what the words at the ends of a scale are worth whose other levels are whole numbers."""
    levels = sorted(int(number) for number in numbers if number.isdigit())
    if len(labels) != 2 or not levels:
        return {}
    return {labels[0]: levels[0] - 1, labels[1]: levels[-1] + 1}
