"""Reading a measure from its text, ``Name(key=value,...)@cutoff``, ours or that of ir_measures. Nothing is evaluated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NoReturn, cast

from sessionkit.errors import MeasureError, suggestion
from sessionkit.scoring.gains import weights_text
from sessionkit.scoring.measures.base import Measure, Wrapper
from sessionkit.scoring.measures.custom import column
from sessionkit.scoring.measures.parameters import LARGEST
from sessionkit.scoring.measures.registry import MEASURES

TOKEN = re.compile(
    r"\s*(?:(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>-?[0-9.][0-9.eE]*(?:(?<=[eE])[+-]?[0-9]+)?(?:-[0-9.]+)*)"
    r'|(?P<quoted>"(?:[^"]|"")*")|(?P<text>\'[^\']*\')|(?P<map>\{[^{}]*\})|(?P<mark>[(),=@]))'
)

COLUMN = "column"
"""What stands before the name of a column of sessions or users, which is a measure too."""
LONGEST = 20
"""Digits of a cutoff that are read as a number; Python reads at most 4,300."""


def instead_of(name: str, known: Mapping[str, Measure], cutoff: str = "") -> str:
    """What a message says of a name that is no measure's: what may be meant, or what it is elsewhere.

    >>> instead_of("nsdcg", MEASURES), instead_of("Recall", MEASURES), instead_of("BPM", MEASURES)
    ("; did you mean 'nsDCG'?", "; did you mean 'R'?", '; ir_measures has it, sessionkit does not')
    >>> instead_of("precision", MEASURES, "5"), instead_of("recall_10", MEASURES)
    ("; did you mean 'P@5'?", "; did you mean 'R@10'?")
    """
    if name in NOT_OURS:
        return NOT_OURS[name]
    ours = ours_of(name, known, cutoff)
    return f"; did you mean {ours!r}?" if ours else suggestion(name, known)


def parse_measure(measure: str | Measure) -> Measure:
    """Read a measure from its text; a measure is returned as it is.

    Parameters
    ----------
    measure
        Text such as ``"nsDCG(b=2,bq=4)@10"`` or ``"mean(nDCG@10)"``; also a text or an object of ir_measures, where that means the
        same: ``"MAP(rel=2)"``, ``"IPrec@0.1"``, ``ir_measures.nDCG @ 10``.

    Raises
    ------
    MeasureError
        If the text cannot be read, or names a measure, parameter or value that does not exist.

    >>> parse_measure("sDCG( bq = 4.0, b=3 )@10")
    sDCG(b=3)@10
    >>> parse_measure("mean(nDCG(gain=0-1-10-100)@10)")
    mean(nDCG(gain=0-1-10-100)@10)
    >>> parse_measure("nDCG(dcg='exp-log2')@10"), parse_measure("IPrec@0.2")
    (nDCG(gain=exp2)@10, IPrec(recall=0.2,rule=trec9))
    >>> parse_measure("nsdcg@10")
    Traceback (most recent call last):
    ...
    sessionkit.errors.MeasureError: there is no measure 'nsdcg'; did you mean 'nsDCG'?; see: sessionkit measures
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        if is_theirs(measure):
            return parse(text_of(measure), MEASURES)
        raise _not_a_measure(measure)
    return parse(measure, MEASURES)


def _not_a_measure(value: object) -> MeasureError:
    """Return the error for a value of a type that no measure has."""
    return MeasureError(f"a measure is a text such as nsDCG@10, or sk.nsDCG @ 10, not {value!r}")


def list_measures(measures: str | Measure | Iterable[str | Measure]) -> list[str | Measure]:
    """One measure, or several, as a list; the texts are not read."""
    if isinstance(measures, str | Measure) or is_theirs(measures):
        return [cast("str | Measure", measures)]
    if not isinstance(measures, Iterable):
        raise _not_a_measure(measures)
    listed = list(measures)
    for measure in listed:
        if not isinstance(measure, str | Measure) and not is_theirs(measure):
            raise _not_a_measure(measure)
    return listed


def example_of(measure: Measure) -> Measure:
    """Return a measure with all that it needs: for documents, messages and tests of the whole registry.

    >>> from sessionkit import MEASURES
    >>> example_of(MEASURES["RBP"]), example_of(MEASURES["CG"]), example_of(MEASURES["Queries"])
    (RBP(p=0.8)@10, CG@10, Queries)
    """
    if measure.example:
        return parse_measure(measure.example)
    return measure @ 10 if "cutoff" in measure.parameters() else measure


DEEPEST = 16
"""Measures within measures that a text may have; the widest sensible have three."""


def parse(text: str, known: Mapping[str, Measure]) -> Measure:
    """Read a measure's text against the measures that are known.

    Raises
    ------
    MeasureError
        If the text cannot be read, or names no measure or parameter that exists.
    """
    reader = _Reader(text, known)
    measure = reader.measure()
    if reader.ahead is not None:
        reader.fail(f"unexpected {reader.ahead!r}")
    return measure


class _Reader:
    """A text, cut into tokens, and the place reached in it."""

    def __init__(self, text: str, known: Mapping[str, Measure]) -> None:
        self.text = text
        self.known = known
        self.tokens: list[tuple[str, str]] = []
        place = 0
        while text[place:].strip():
            match = TOKEN.match(text, place)
            if match is None:
                self.fail(f"unexpected {text[place:].strip()[0]!r}")
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind]))
            place = match.end()
        self.next = 0

    def fail(self, problem: str) -> NoReturn:
        """Refuse the text."""
        msg = f"cannot read the measure {self.text!r}: {problem}; the form is Name(key=value,...)@cutoff, e.g. nsDCG(b=2,bq=4)@10"
        raise MeasureError(msg)

    @property
    def ahead(self) -> str | None:
        """The token at the place reached, or None at the end."""
        return self.tokens[self.next][1] if self.next < len(self.tokens) else None

    @property
    def cutoff_ahead(self) -> str:
        """The cutoff that follows at once, such as 5 of precision@5; empty where none does."""
        behind = [text for _, text in self.tokens[self.next : self.next + 2]]
        return behind[1] if len(behind) == 2 and behind[0] == "@" and behind[1].isdigit() else ""

    def take(self, *kinds: str) -> str:
        """Move past a token of one of these kinds and return it."""
        if self.next == len(self.tokens) or self.tokens[self.next][0] not in kinds:
            self.fail(
                f"{' or '.join(kinds)} expected {'at the end' if self.ahead is None else f'instead of {self.ahead!r}'}"
            )
        self.next += 1
        return self.tokens[self.next - 1][1]

    def or_column(self, name: str) -> str:
        """How a column of that name would be written, where nothing says that a measure is meant."""
        whole = len(self.tokens) == 1 and name not in NOT_OURS and name not in SAME
        return f"; a column is {COLUMN}({name})" if whole else ""

    def skip(self, mark: str) -> bool:
        """Move past one mark if it is there."""
        there = self.ahead == mark
        self.next += there
        return there

    def measure(self, depth: int = 1) -> Measure:
        """A name, brackets with parameters, a cutoff; the last two may be missing."""
        if depth > DEEPEST:
            raise MeasureError(f"cannot read a measure with more than {DEEPEST} measures within each other")
        name = self.take("word")
        made = self.column() if name == COLUMN else self.known.get(SAME.get(name, name))
        if made is None:
            near = instead_of(name, self.known, self.cutoff_ahead)
            raise MeasureError(f"there is no measure {name!r}{near}{self.or_column(name)}; see: sessionkit measures")
        inside: Measure | None = None
        changes: dict[str, object] = {}
        if self.skip("("):
            while not self.skip(")"):
                if self.next + 1 < len(self.tokens) and self.tokens[self.next + 1][1] == "=":
                    key = self.take("word")
                    self.skip("=")
                    if key in changes:
                        self.fail(f"{key} is given twice")
                    changes[key] = self.value()
                elif isinstance(made, Wrapper) and inside is None:
                    inside = self.measure(depth + 1)
                else:
                    self.fail(
                        f"key=value expected {'at the end' if self.ahead is None else f'instead of {self.ahead!r}'}"
                    )
                if self.ahead != ")" and not self.skip(","):
                    self.fail("a bracket is not closed")
        if "cutoff" in changes:
            self.fail("write the cutoff after the brackets, as @10")
        if isinstance(made, Wrapper):
            made = made(inside, **changes)
        elif changes:
            made = made(**translated(name, made, changes))
        return self.cut(name, made, changes) if self.skip("@") else made

    def column(self) -> Measure:
        """The name of a column in brackets, a plain word or in double quotes."""
        if not self.skip("("):
            self.fail(
                f"{COLUMN} needs the name of a column of sessions or users in brackets, such as {COLUMN}(satisfaction)"
            )
        text = self.take("word", "quoted")
        if not self.skip(")"):
            self.fail(f'put a name that is not a plain word in double quotes, such as {COLUMN}("Years of use")')
        return column(text[1:-1].replace('""', '"') if text.startswith('"') else text)

    def value(self) -> object:
        """A number, a bare word, one in quotes, weights joined by hyphens, or gains of ir_measures."""
        text = self.take("word", "number", "text", "quoted", "map").strip("\"'")
        try:
            return float(text)
        except ValueError:
            return text

    def cut(self, name: str, made: Measure, changes: Mapping[str, object]) -> Measure:
        """A measure with the whole number after the @ as its cutoff; of IPrec a decimal is the level of recall, as in ir_measures."""
        text = self.take("number", "word")
        if name == "IPrec" and re.fullmatch(r"\d*\.\d+", text):
            if "recall" in changes or changes.get("rule", "trec9") != "trec9":
                self.fail(f"IPrec@{text} is IPrec(recall={text},rule=trec9); recall or rule is given twice")
            return made(recall=float(text), rule="trec9")
        if not text.isdecimal():
            self.fail(f"the cutoff after @ must be a whole number of at least 1, not {text!r}")
        if name in WHOLE_LISTS:
            self.fail(f"{name} of ir_measures is of all results and has no cutoff; {SAME[name]}@{text} has one")
        if len(text) > LONGEST:
            raise MeasureError(
                f"{name}: cutoff must be below {LARGEST}, not a number of {len(text):,} digits; leave it out if every rank counts"
            )
        return made @ int(text)


SAME = {
    "MAP": "AP", "MRR": "RR", "Precision": "P", "Recall": "R", "NDCG": "nDCG", "RPrec": "Rprec", "Bpref": "bpref",
    "BPref": "bpref", "SetP": "P", "SetR": "R", "SetF": "F",
}  # fmt: skip
"""Names that ir_measures has for measures of ours."""
ELSEWHERE = {
    **{name.casefold(): ours for name, ours in SAME.items() if name.casefold() != ours.casefold()},
    **dict.fromkeys(("prec", "precisionat"), "P"),
    **dict.fromkeys(("rec", "recallat"), "R"),
    **dict.fromkeys(("averageprecision", "avgprecision", "avgprec", "meanaverageprecision"), "AP"),
    **dict.fromkeys(("reciprank", "reciprocalrank", "meanreciprocalrank"), "RR"),
    **dict.fromkeys(("f1", "f1score", "fscore", "fmeasure"), "F"),
    **dict.fromkeys(("hit", "hits", "hr", "hitrate", "successrate"), "Success"),
    "rprecision": "Rprec", "expectedreciprocalrank": "ERR", "rankbiasedprecision": "RBP", "normalizeddcg": "nDCG",
    "sessiondcg": "sDCG", "sessionndcg": "nsDCG", "numqueries": "Queries", "numclicks": "Clicks", "abandonment": "Abandoned",
}  # fmt: skip
"""Names that tools and textbooks have for measures of ours, in small letters without signs. They are suggested, not read: what
they leave open, such as the mean over queries, is left to whoever asks."""
CUT = re.compile(r"(?P<name>[A-Za-z_]+?)(?:_cut)?_?(?P<cutoff>[1-9]\d*)")
"""A name with its cutoff, as trec_eval has it: P_5, ndcg_cut_10."""
HAS_NOT = "; ir_measures has it, sessionkit does not"
OF_SUBTOPICS = f"{HAS_NOT}: of subtopics there are CubeTest, ACT, EU and InstanceRecall"
ABSENT = (
    "Accuracy", "BPM", "Compat", "INSQ", "INST", "NERR10", "NERR11", "NERR8", "NERR9", "NumRel", "NumRelRet", "SetAP", "SetRelP",
)  # fmt: skip
SUBTOPICS = (
    "AP_IA", "ERR_IA", "MAP_IA", "NRBP", "P_IA", "StRecall", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP",
)  # fmt: skip
NOT_OURS = dict.fromkeys(ABSENT, HAS_NOT) | dict.fromkeys(SUBTOPICS, OF_SUBTOPICS) | {
    "NumQ": f"{HAS_NOT}: Queries counts the queries of a session",
    "NumRet": f"{HAS_NOT}: Results counts the results of a session",
    "SDCG": "; in ir_measures it is scaled DCG, which sessionkit does not have: DCG over that of a list full of the highest "
    "grade. nDCG@10 is DCG over that of the ideal list; sDCG@10 is the DCG of a session",
}  # fmt: skip
"""Measures of ir_measures that are not here, with what to say of them: a name like it means something else."""
PARAMETERS = ("rel", "dcg", "gains", "judged_only", "relative")
"""Parameters that measures have there alone."""
PAIR = re.compile(r"\s*(?P<grade>\d{1,4})\s*:\s*(?P<gain>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?)\s*", re.ASCII)
"""A grade and its gain."""
HIGHEST = 1023
"""The highest grade that gains can name."""
WHOLE_LISTS = ("SetP", "SetR", "SetF")
"""Measures that there are of all results, without a cutoff."""
TOP = 4
"""Top of the grade scale of gdeval, by which ir_measures works out ERR."""


def ours_of(name: str, measures: Mapping[str, Measure], cutoff: str = "") -> str | None:
    """Return the text of the measure of ours that a name of other tools means, with its cutoff; None where it is none of theirs.

    >>> from sessionkit import MEASURES
    >>> ours_of("precision", MEASURES, "5"), ours_of("ndcg_cut_10", MEASURES), ours_of("P5", MEASURES), ours_of("nsdcg", MEASURES)
    ('P@5', 'nDCG@10', 'P@5', None)
    """
    ours = ELSEWHERE.get(re.sub(r"\W|_", "", name).casefold())
    if ours is None and not cutoff and (parts := CUT.fullmatch(name)):
        names = {other.casefold(): other for other in measures}
        base, cutoff = parts["name"].casefold(), parts["cutoff"]
        ours = names.get(base) or ELSEWHERE.get(base.replace("_", ""))
    if ours is None or ours not in measures:
        return None
    return f"{ours}@{cutoff}" if cutoff and "cutoff" in measures[ours].parameters() else ours


def is_theirs(measure: object) -> bool:
    """Whether something is a measure of ir_measures, which need not be installed."""
    return type(measure).__module__.partition(".")[0] == "ir_measures" and hasattr(measure, "SUPPORTED_PARAMS")


def translated(name: str, made: Measure, given: Mapping[str, object]) -> dict[str, object]:
    """Return parameters of ir_measures as ours; those that are ours stay.

    Parameters
    ----------
    name
        What the measure was called.
    made
        The measure that is of ours.
    given
        What stands in its brackets.

    Raises
    ------
    MeasureError
        The measure has no such parameter, or means something else by it.

    >>> from sessionkit import AP, nDCG
    >>> translated("MAP", AP, {"rel": 2.0, "judged_only": "True"}), translated("nDCG", nDCG, {"gains": "{1:5,2:10}"})
    ({'min_grade': 2.0, 'unjudged': 'skip'}, {'gain': '0-5-10'})
    """
    changes: dict[str, object] = {}
    for key in given:
        ours, becomes = _ours(name, made, key, given)
        if ours and ours in changes:
            raise MeasureError(f"{made.name}: {ours} is given twice, once as {key}")
        if ours:
            changes[ours] = becomes
    return changes


def _ours(name: str, made: Measure, key: str, given: Mapping[str, object]) -> tuple[str, object]:
    """One parameter and its value; no parameter where it says what is so anyway."""
    own, value = made.parameters(), given[key]
    if key == "beta" and name == "SetF" and isinstance(value, float) and value > 0:
        return key, math.sqrt(value)  # theirs is the square of van Rijsbergen's
    if key in own:
        return key, value
    if key == "rel":
        if "min_grade" not in own or given.get("gain", made.grade_gain) != "binary":
            raise MeasureError(f"{made.name} has no parameter 'rel': it counts grades, not relevant documents")
        return "min_grade", value
    if key == "dcg" and made.name in ("DCG", "nDCG") and value in ("log2", "exp-log2"):
        beside = [one for one in ("discount", "b", "p", "like") if one in given]
        if beside:
            raise MeasureError(
                f"{made.name}: dcg={value} says the discount, and so does {beside[0]}; leave one of them out"
            )
        return ("gain", "exp2") if value == "exp-log2" else ("", None)
    if key == "gains" and "gain" in own:
        return "gain", _weights(made, value)
    if key == "judged_only" and value in ("True", "False"):
        return ("unjudged", "skip") if value == "True" else ("", None)
    if key == "relative" and name == "SetP":
        if value == "True":
            raise MeasureError(
                "SetP(relative=True) divides by the most that a list can have; sessionkit does not have that"
            )
        return "", None
    if key in PARAMETERS:
        known = f"{made.name} has no parameter {key!r} with the value {value}; it has {', '.join(own)}"
        raise MeasureError(known)
    return key, value


def _weights(made: Measure, value: object) -> str:
    """Gains by grade: those that are not named gain their grade."""
    given = str(value).strip()
    pairs = [PAIR.fullmatch(one) for one in given[1:-1].split(",")] if given[:1] + given[-1:] == "{}" else [None]
    gains = {int(pair["grade"]): float(pair["gain"]) for pair in pairs if pair is not None}
    text = weights_text([gains.get(grade, grade) for grade in range(max(1, *gains) + 1)]) if gains else None
    if text is None or len(gains) < len(pairs) or max(gains) > HIGHEST:
        raise MeasureError(
            f"{made.name}: gains must give whole grades from 0 gains of at least 0, such as {{1:5,2:10}}, "
            f"the grades up to {HIGHEST}, not {value}"
        )
    return text


def text_of(measure: object) -> str:
    """Return the text of a measure of ir_measures, in which all is said that it means and ours would take otherwise.

    Raises
    ------
    MeasureError
        Ours of that name means something else.
    """
    text = str(measure)
    name, given = getattr(measure, "NAME", ""), getattr(measure, "params", {})
    if name == "Judged":
        raise MeasureError(
            f"{text} of ir_measures is a value of each query; Judged of sessionkit is the share of a session's results"
        )
    if name == "RBP" and "rel" not in given:
        raise MeasureError(f"{text} of ir_measures is graded without rel; give rel=1 there, or RBP(p=0.8) as text")
    if name == "RBP" and "p" not in given:
        text = text.replace("RBP(", "RBP(p=0.8,")
    if name == "RBP" and given["rel"] == 1 and "rel=" not in text:
        text = text.replace("RBP(", "RBP(rel=1,")
    if name == "IPrec" and "recall" in given:
        text = f"{text.partition('@')[0]}@{float(given['recall'])}"
    return text.replace("ERR", f"ERR(max_grade={TOP})") if name == "ERR" else text
