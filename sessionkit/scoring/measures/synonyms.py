"""Names and parameters of ir_measures: read as ours where they mean the same, else refused by name with the reason.

=============================  ================================  ==============================
ir_measures                    here                              where
=============================  ================================  ==============================
``MAP``, ``MRR``, ``Bpref``    ``AP``, ``RR``, ``bpref``         anywhere
``SetP``, ``SetR``, ``SetF``   ``P``, ``R``, ``F``               anywhere
``rel=2``                      ``min_grade=2``                   measures of relevant documents
``dcg='exp-log2'``             ``gain=exp2``                     DCG, nDCG
``gains={1:5,2:10}``           ``gain=0-5-10``                   measures with gains
``judged_only=True``           ``unjudged=skip``                 anywhere
``IPrec@0.1``                  ``IPrec(recall=0.1,rule=trec9)``  a decimal; ``IPrec@1`` is cut
``ERR@20``, an object          ``ERR(max_grade=4)@20``           gdeval's scale ends at 4
=============================  ================================  ==============================
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sessionkit.errors import MeasureError
from sessionkit.scoring.gains import weights_text

if TYPE_CHECKING:
    from sessionkit.scoring.measures.base import Measure

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
