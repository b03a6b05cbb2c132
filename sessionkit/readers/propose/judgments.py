"""Judgments beside a private log: which column is the document, which the grade, and what their keys belong to.

The grades of judgments: which column they are, and what those are worth that are words.

What judgments belong to: which column of the log has their keys, a session, a topic, the text or the id of a query.

Tried is the share of shown results that are judged if a column is the key: where sessions and topics are both numbered
from 1, their ids alone do not tell them apart, their documents do.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.display.numbers import listed, share_text
from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import JOINED
from sessionkit.readers.column_names import LIKELY, USUAL, folded, likeness, plain
from sessionkit.readers.format import TEXT
from sessionkit.readers.judgments.registry import JUDGMENTS
from sessionkit.readers.propose.contents import SampleColumn, judged_shares, mean_nothing, respelled, share, shared
from sessionkit.readers.propose.kinds import MISSING, STEADY, LogFileKind, Match, called, fits, is_steady, judgments_in
from sessionkit.readers.propose.proposal import quoted
from sessionkit.study.schema import table

WORTH = {
    "exact": 3, "substitute": 2, "complement": 1, "irrelevant": 0, "e": 3, "s": 2, "c": 1, "i": 0,
    "relevant": 1, "not relevant": 0, "non-relevant": 0, "nonrelevant": 0, "not_relevant": 0,
    "highly relevant": 2, "highly_relevant": 2, "yes": 1, "no": 0, "true": 1, "false": 0,
}  # fmt: skip
"""What usual words of assessors may be worth; it is always asked."""
LEVELS = (
    "not relevant, non relevant, non-relevant, nonrelevant, not_relevant, irrelevant, nicht relevant, unrelevant, nicht, "
    "non pertinent, pas pertinent, no relevante, irrelevante, non rilevante, irrilevante, nao relevante, niet relevant, "
    "ei relevantti, eparelevantti, inte relevant, ej relevant, not useful, none, n, 不相关, 无关, 不適合, 関連なし, 非関連",
    "partially relevant, partly relevant, somewhat relevant, marginally relevant, marginal, teilweise relevant, teilweise, wenig relevant, "
    "bedingt relevant, peu pertinent, partiellement pertinent, assez pertinent, parcialmente relevante, poco relevante, "
    "algo relevante, parzialmente rilevante, poco rilevante, pouco relevante, gedeeltelijk relevant, enigszins relevant, "
    "osittain relevantti, delvis relevant, partial, p, 部分相关, 有点相关, 比较相关, 一般相关, 部分適合, "
    "部分的に適合, やや関連, 部分的に関連",
    "relevant, pertinent, relevante, rilevante, relevantti, useful, fair, r, 相关, 適合, 関連, 関連あり",
    "highly relevant, highly_relevant, very relevant, sehr relevant, hoch relevant, tres pertinent, muy relevante, molto rilevante, "
    "muito relevante, zeer relevant, erittain relevantti, mycket relevant, very useful, h, 非常相关, "
    "高度相关, 很相关, 高度適合, 非常に関連",
    "perfect, perfekt, parfait, perfecto, perfetto, perfeito, taydellinen, key",
)
"""Words of assessors without accents, the least relevant first."""
MOST = 30
"""Different grades that are words, beyond which they are no grades."""


def grade_of(part: LogFileKind) -> SampleColumn:
    """Return the column of the grade: by its name, else that with the fewest different numbers."""
    columns = list(part.columns.values())
    named = [one for one in columns if part.sample.named and likeness(one.heading, "grade") and len(one.given)]
    if named:
        return max(named, key=lambda one: likeness(one.heading, "grade"))
    numbers = [one for one in columns if one.distinct and not one.given.cast(pl.Float64, strict=False).null_count()]
    if not numbers:
        raise DataError(f"{part.name}: no column can be a grade; found {', '.join(part.columns)[:300]}")
    return min(numbers, key=lambda one: one.distinct)


def ask_of_grade(match: Match, grade: SampleColumn) -> None:
    """Ask about a grade that has no usual name, or whose place another column could take."""
    named = match.part.sample.named
    like = likeness(grade.heading, "grade") if named else 0.0
    others = [quoted(one.name) for one in match.unused if _could_be(one, like, named=named)]
    if like >= LIKELY and not others:
        return
    values = ", ".join(quoted(text) for text in grade.given.unique().sort()[:3])
    rest = f"; {listed(others[:3])} could be it as well. Which is it?" if others else ". Is it?"
    match.ask("grade", f"{match.called(grade)} is taken for the grade ({values}){rest}")


def _could_be(one: SampleColumn, like: float, *, named: bool) -> bool:
    """Return whether another column is as likely a grade as that which was taken: by its name, else by its values."""
    if like >= LIKELY:
        return likeness(one.heading, "grade") >= LIKELY and len(one.given) > 0
    if named and any(likeness(one.heading, ours) >= LIKELY for ours in ("judge_id", "subtopic_id", "passage_id")):
        return False
    return 1 < one.distinct <= MOST and not one.given.cast(pl.Float64, strict=False).null_count()


def label(match: Match, grade: SampleColumn) -> None:
    """Say what grades are worth that are words, and which texts are no grades."""
    words = grade.misfits(match.fields["grade"]).str.strip_chars().unique(maintain_order=True)
    nothing = [word for word in words if mean_nothing([word])]
    if nothing and len(nothing) < grade.distinct:
        match.options["null"] = ["", *nothing]
        match.remark("null", f"{listed([quoted(word) for word in nothing])} in place of a grade: not judged")
        words = words.filter(~words.is_in(nothing))
    if words.is_empty():
        return
    known = _worth(words.to_list())
    if known:
        match.options["grade_values"] = known
        match.ask("grade_values", "grades are words. Are these their values?")
        return
    shown = ", ".join(quoted(word) for word in words[:6])
    match.supposed["grade_values"] = dict.fromkeys(words[:MOST], 0)
    match.ask(
        "grade_values",
        f"some grades are not numbers ({shown}): what is each worth? These rows are rejected until this line says it and the '#' "
        "is gone",
    )


def _worth(words: list[str]) -> dict[str, int]:
    """Return what words are worth, by their order where all are of those that say it; nothing where they are not all known."""
    worth = {word: WORTH[word.casefold()] for word in words if word.casefold() in WORTH}
    bare = {word: plain(word).casefold() for word in words}
    levels = {word: at for word, text in bare.items() for at, usual in enumerate(LEVELS) if text in usual.split(", ")}
    if len(levels) == len(words):
        order = sorted(set(levels.values()))
        return {
            word: order.index(level) + (order[0] > 0) for word, level in sorted(levels.items(), key=lambda one: one[1])
        }
    return worth if len(worth) == len(words) else {}


KEYS = ("judgment_key", "topic_id", "session_id", "query_text", "query_id")
"""What judgments may belong to."""
IDENTIFYING = ("user_id", "topic_id", "session_id", "query_position", "query_id", "system_id")
"""Columns of a log that together with another one may be the key of judgments."""
ALIKE = 0.5
"""The share of values of such a column in judgments, above which it is that of the log."""
CLOSE = 0.1
"""Shares of judged results that are so near to each other leave it open which key is meant."""
WORDY = 0.3
"""The share of values with blanks in them by which a column without name is one of texts."""


@dataclass(frozen=True)
class Hold:
    """A column of the log that may be what judgments belong to."""

    match: Match
    column: SampleColumn


@dataclass(frozen=True)
class Trial:
    """A column of the judgments and one of the log, with the share of results judged by them and how alike their names are."""

    judged: float
    alike: float
    key: SampleColumn
    hold: Hold


def choose_key(match: Match, keys: list[SampleColumn], doc: SampleColumn, log: dict[str, Match]) -> SampleColumn:
    """Return the judgments' column of the key, and let the log's column that it is feed what says so."""
    where = "format" if "format" in match.options else "judgment_key"
    tried = _tried(keys, doc, log)
    if not tried or (tried[0].judged == 0 and "results" in log and not tried[0].alike):
        if log:
            match.ask(
                where, "no key of the judgments was found in the log. Do they belong to topics, sessions or queries?"
            )
        return max(keys, key=lambda one: max(likeness(one.heading, ours) for ours in KEYS))
    best = tried[0]
    if (pair := _pair_of(match, best, doc, log)) is not None:
        return pair
    _feed(match, best.hold, log)
    rivals = [
        quoted(one.hold.column.name)
        for one in tried[1:]
        if one.judged >= best.judged - CLOSE and one.hold.column is not best.hold.column and one.alike >= LIKELY
    ]
    if rivals:
        match.ask(
            where,
            f"keys of the judgments are taken for {quoted(best.hold.column.name)} of the log ({share_text(best.judged, 0)} of results are "
            f"judged by it); {listed(list(dict.fromkeys(rivals))[:3])} would also fit. Which is it?",
        )
    return best.key


def _pair_of(match: Match, best: Trial, doc: SampleColumn, log: dict[str, Match]) -> SampleColumn | None:
    """Return the key made of two columns where one does not tell judgments apart, and let a table of the log make the same.

    Judgments of a user and a task, or of a session and a query of it, repeat a document for each of the two alone. Where they do not,
    but have a second column that the log counts or names things by, it is asked about.
    """
    part, key = match.part, best.key
    if not part.sample.named or key.made_of is not None or match.options.get("format"):
        return None
    judged = pl.DataFrame({"key": key.texts, "doc": doc.texts}).drop_nulls()
    has_repeats = judged.n_unique() < judged.height
    for second in part.columns.values():
        if second.name in (key.name, doc.name) or second.distinct < 2 or second.made_of is not None:
            continue
        home, theirs = _home_of(best.hold.column, second, log)
        if home is None or theirs is None:
            continue
        both = pl.DataFrame({"key": key.texts, "second": second.texts, "doc": doc.texts}).drop_nulls()
        names = f"{quoted(key.name)} and {quoted(second.name)}"
        if not has_repeats:
            match.ask(
                "judgment_key",
                f"the judgments have {quoted(second.name)} too, as the log has. If a judgment holds for {names} together, write both in a "
                "list here and in the judgment_key of the log",
            )
            return None
        if both.height - both.n_unique() < judged.height - judged.n_unique():
            _join(home, "judgment_key", best.hold.column, theirs)
            home.remark("judgment_key", "judgments are made for each pair of these")
            match.ask(
                "judgment_key",
                f"documents are judged more than once for one {quoted(key.name)}, so {names} together are taken for the key. Are they?",
            )
            return _join(match, "judgment_key", key, second)
    return None


def _home_of(
    first: SampleColumn, second: SampleColumn, log: dict[str, Match]
) -> tuple[Match | None, SampleColumn | None]:
    """Return the table of the log that has both columns of a key, and its column that is the second."""
    for match in [log[name] for name in ("queries", "results", "sessions") if name in log]:
        columns = match.part.columns
        if first.name not in columns or not match.part.sample.named:
            continue
        for ours in IDENTIFYING:
            theirs = columns.get(match.columns.get(ours, "")) or columns.get(called(columns, ours))
            is_known = theirs is not None and theirs.made_of is None and theirs.name != first.name
            if is_known and _is_alike(second, theirs, ours):
                return match, theirs
    return None, None


def _is_alike(second: SampleColumn, theirs: SampleColumn | None, ours: str) -> bool:
    """Return whether a column of the judgments is one of the log: by its name and its values."""
    if theirs is None or share(second.given, theirs.given) <= ALIKE:
        return False
    return folded(second.name) == folded(theirs.name) or likeness(second.heading, ours) >= LIKELY


def _join(match: Match, ours: str, first: SampleColumn, second: SampleColumn) -> SampleColumn:
    """Let two columns of a table together feed one of ours."""
    name = f"{first.name} and {second.name}"
    texts = pl.select(pl.concat_str(first.texts, second.texts, separator=JOINED)).to_series().alias(name)
    match.part.columns[name] = SampleColumn(name, first.place, texts, texts, (first.name, second.name))
    match.columns[ours] = name
    return match.part.columns[name]


def _tried(keys: list[SampleColumn], doc: SampleColumn, log: dict[str, Match]) -> list[Trial]:
    """Return every pair of columns that share values, the best first."""
    tried = []
    for key in keys:
        near = [hold for hold in _holds(log) if share(key.given, hold.column.given) > 0]
        for judged, hold in zip(_judged_by(near, log.get("results"), key, doc), near, strict=True):
            usual = max(likeness(hold.column.heading, ours) for ours in KEYS)
            tried.append(Trial(judged, usual + (key.name == hold.column.name), key, hold))
    return sorted(tried, key=lambda one: -(one.judged + 0.1 * one.alike))


def _holds(log: dict[str, Match]) -> list[Hold]:
    """Return the columns of the log that may be what judgments belong to, each once, from the parents down."""
    found: dict[str, Hold] = {}
    sessions = False
    for match in [log[name] for name in ("sessions", "queries", "results") if name in log]:
        others = {match.columns.get(ours) for ours in ("doc_id", "rank", "query_position")}
        for one in match.part.columns.values():
            is_session = one.name == match.columns.get("session_id")
            is_lone_topic = one.may_be_an_id and likeness(one.heading, "topic_id") >= LIKELY
            is_key = one.names_things or is_session or is_lone_topic
            if one.name in others or not is_key or (is_session and sessions):
                continue
            found.setdefault(one.name, Hold(match, one))
        sessions = True
    return list(found.values())


def _judged_by(holds: list[Hold], results: Match | None, key: SampleColumn, doc: SampleColumn) -> list[float]:
    """Return, for each of these columns, the share of results that are judged where it is the key."""
    if results is None:
        return [share(key.given, hold.column.given) for hold in holds]
    shown = results.part.sample.texts.select(
        pl.col(results.columns["session_id"]).alias("s"),
        pl.col(results.columns["query_position"]).alias("p"),
        pl.col(results.columns["doc_id"]).alias("d"),
        *[pl.col(hold.column.name).alias(f"k{at}") for at, hold in enumerate(holds) if hold.match is results],
    ).filter(pl.col("d").is_not_null())
    for at, hold in enumerate(holds):
        if hold.match is results:
            continue
        on = {"s": "session_id", "p": "query_position"} if hold.match.table == "queries" else {"s": "session_id"}
        own = hold.match.part.sample.texts.select(
            *[pl.col(hold.match.columns[ours]).alias(short) for short, ours in on.items()],
            pl.col(hold.column.name).alias(f"k{at}"),
        ).unique(list(on), keep="first")
        shown = shown.join(own, on=list(on), how="left")
    judged = pl.DataFrame({"key": key.texts, "doc": doc.texts})
    found = judged_shares(shown, "d", {str(at): f"k{at}" for at in range(len(holds))}, judged)
    return [found[str(at)] for at in range(len(holds))]


def _feed(match: Match, hold: Hold, log: dict[str, Match]) -> None:
    """Let the log's column that judgments belong to feed what says so."""
    name, home = hold.column.name, hold.match
    if name == home.columns.get("session_id"):
        target = log.get("sessions") or log.get("queries") or home
        target.columns["judgment_key"] = target.columns["session_id"]
        target.remark("judgment_key", "judgments are made for each session")
    elif _is_text(hold):
        home.columns["query_text"] = name
        match.options["keys"] = TEXT
        match.remark("keys", f"keys of the judgments are texts of {quoted(name)}")
    elif (
        "topic_id" in home.fields and is_steady(home, hold.column, "topic_id") and not _is_called_otherwise(home, name)
    ):
        home.columns["topic_id"] = name
        home.remark("topic_id", "judgments are made for each of these")
        if not home.part.sample.named or not likeness(hold.column.heading, "topic_id"):
            home.ask("topic_id", "the judgments belong to it, so it is taken for what the session was about. Is it?")
    else:
        home.columns["judgment_key"] = name
        ours = max((one for one in home.fields if one != "judgment_key"), key=lambda one: likeness(name, one))
        if ours not in home.columns and likeness(name, ours) >= LIKELY and fits(home, hold.column, ours):
            home.columns[ours] = name
        home.remark("judgment_key", "keys of the judgments are its values")


def _is_text(hold: Hold) -> bool:
    """Return whether a column has texts of queries: it is called so, or has no name and blanks within."""
    name = hold.column.heading
    if hold.match.part.sample.named:
        return likeness(name, "query_text") > max(likeness(name, "query_id"), likeness(name, "topic_id"))
    return hold.column.share_matching(r"\S\s+\S") > WORDY


def _is_called_otherwise(home: Match, name: str) -> bool:
    """Return whether a column is called something else, or another one is called a topic."""
    heading = home.part.columns[name].heading
    like = likeness(heading, "topic_id")
    others = [ours for ours in home.fields if ours != "topic_id" and likeness(heading, ours) > like]
    rivals = [one for one in home.part.columns.values() if likeness(one.heading, "topic_id") > like]
    return home.part.sample.named and bool(others or (rivals and not like))


TABULAR = ("qrels", "graded", "graded_topics")
"""Formats of judgments whose files are tables, a row a judgment."""
TRIED = 8
"""Columns that are tried for the document."""
ONCE = 0.9
"""The share of rows whose document is another than those before in the list, at the least."""


@dataclass(frozen=True)
class JudgmentProposal:
    """The judgments beside a log.

    Parameters
    ----------
    match
        Their table; None where there are none.
    grades
        Their grades.
    key, doc
        What they belong to, and the document.
    """

    match: Match | None = None
    grades: pl.Series | None = None
    key: SampleColumn | None = None
    doc: SampleColumn | None = None

    @property
    def name(self) -> str:
        """Their file, or what was looked at of it."""
        if self.match is None:
            return ""
        return self.match.part.name if self.match.part.sample.whole else f"the first rows of {self.match.part.name}"


def judgments_of(part: LogFileKind | None, log: dict[str, Match]) -> JudgmentProposal:
    """Return the judgments in a file, and let the log's columns feed the document and the key that they share."""
    results = log.get("results")
    if part is None:
        if results is not None:
            _choose_document(results, [])
        return JudgmentProposal()
    match = Match(part, "judgments", table("judgments").by_name)
    if part.format and part.format not in TABULAR:
        return _of_format(match, part.format, log)
    if part.format == "qrels":
        match.options["format"] = "qrels"
        key, _, doc, grade = list(part.columns.values())[:4]
        keys, docs = [key], [doc]
    else:
        grade = grade_of(part)
        docs = _candidates(part, grade)
        keys = [one for one in part.columns.values() if one is not grade]
    if not docs:
        raise DataError(f"{part.name}: no column can be the document that was judged")
    doc = _choose_document(results, docs) if results is not None else docs[0]
    keys = [one for one in keys if one is not doc]
    if not keys:
        raise DataError(f"{part.name}: no column shows what a judgment belongs to: a topic, a session or a query")
    key = choose_key(match, keys, doc, log)
    if part.format != "qrels":
        match.columns |= {"judgment_key": key.name, "doc_id": doc.name, "grade": grade.name}
        label(match, grade)
        ask_of_grade(match, grade)
        if grade.filled < 1 and part.format.startswith("graded"):  # whose reader leaves rows without grade out
            match.options = {"format": part.format}
            match.columns.clear()
    return JudgmentProposal(match, _numbers(match, grade), key, doc)


def _numbers(match: Match, grade: SampleColumn) -> pl.Series:
    """Return grades as numbers, those that are words by what they are worth."""
    worth = {word: str(number) for word, number in match.options.get("grade_values", {}).items()}
    of = match.fields["grade"]
    return respelled(grade.texts.str.strip_chars().replace(worth), grade.spelling(of), of)


def judgments_within(results: Match) -> JudgmentProposal:
    """Return the judgments in a column of the results: the grade of a document for a task is the same wherever it is shown."""
    part, doc = results.part, results.column("doc_id")
    topics = [one for one in part.columns.values() if likeness(one.heading, "topic_id") >= LIKELY and one.names_things]
    key = results.column("topic_id") or (topics[0] if len(topics) == 1 else None)
    grades = [one for one in results.unused if likeness(one.heading, "grade") >= LIKELY and one.distinct > 1]
    if not part.sample.named or key is None or doc is None or len(grades) != 1:
        return JudgmentProposal()
    grade, session = grades[0], results.column("session_id")
    rows = pl.DataFrame(
        {"k": key.texts, "d": doc.texts, "g": grade.texts.str.strip_chars(), "s": session.texts if session else None}
    )
    shown = rows.drop_nulls().group_by("k", "d").agg(pl.col("g").n_unique(), pl.col("s").n_unique())
    again = shown.filter(pl.col("s") > 1)
    if again.is_empty() or again.select((pl.col("g") == 1).mean()).item() < STEADY:
        return JudgmentProposal()
    match = Match(part, "judgments", table("judgments").by_name, is_shared=True)
    match.columns |= {"judgment_key": key.name, "doc_id": doc.name, "grade": grade.name}
    label(match, grade)
    match.remark(
        "grade", f"{quoted(grade.name)} of a document is the same for each {quoted(key.name)}, so it is an assessor's"
    )
    return JudgmentProposal(match, _numbers(match, grade), key, doc)


def _candidates(part: LogFileKind, grade: SampleColumn) -> list[SampleColumn]:
    """Return the columns that may be the document, the likeliest by name first."""
    things = [one for one in part.columns.values() if one is not grade and one.may_be_an_id]
    return sorted(things, key=lambda one: -likeness(one.heading, "doc_id") if part.sample.named else 0)[:TRIED]


def _choose_document(results: Match, judged: list[SampleColumn]) -> SampleColumn:
    """Let the log's column feed doc_id that shares most with the judgments, else has the likeliest name; return theirs."""
    part = results.part
    things = [one for one in results.unused if one.may_be_an_id and not (part.sample.named and _is_called_else(one))]
    once = {one.name: _comes_once(results, one) for one in things}
    things.sort(
        key=lambda one: (
            not once[one.name],
            -likeness(one.heading, "doc_id") if part.sample.named else 0,
            -one.distinct,
        )
    )
    if not things and not judged:
        results.supposed["doc_id"] = "..."
        results.ask("doc_id", MISSING["doc_id"])
        return next(iter(part.columns.values()))
    if not things:
        raise DataError(f"{part.name} looks like results, but no column can be doc_id, the document that was shown")
    pairs = [pair for pair in shared(things[:TRIED], judged) if pair[0] > 0]
    if pairs:
        common, ours, theirs = max(
            pairs, key=lambda pair: pair[0] + 0.2 * sum(likeness(one.heading, "doc_id") for one in pair[1:])
        )
        results.columns["doc_id"] = ours.name
        is_usual = likeness(ours.heading, "doc_id") >= LIKELY
        least = 1.0 if is_usual else LIKELY  # of two usual names the judgments decide, unless one is doc_id itself
        rivals = [one for one in things if one is not ours and likeness(one.heading, "doc_id") >= least]
        if rivals and part.sample.named:
            results.ask(
                "doc_id",
                f"{quoted(ours.name)} is taken for doc_id, because {share_text(common, 0)} of its ids are those of the judgments; "
                f"{listed([quoted(one.name) for one in rivals])} is called like one. Which is it?",
            )
        elif len(things) > 1 and (not part.sample.named or likeness(ours.heading, "doc_id") < LIKELY):
            results.remark("doc_id", f"{share_text(common, 0)} of its ids are those of the judgments")
        return theirs
    results.columns["doc_id"] = things[0].name
    _ask_of_document(results, [one for one in things if once[one.name]] or things, judged)
    return judged[0] if judged else things[0]


def _is_called_else(one: SampleColumn) -> bool:
    """Return whether a column has a usual name of something that is no document."""
    best = max(USUAL, key=lambda ours: likeness(one.heading, ours))
    return likeness(one.heading, best) >= LIKELY and not likeness(one.heading, "doc_id")


def _comes_once(results: Match, one: SampleColumn) -> bool:
    """Return whether values of a column seldom come twice in a list, as documents do and numbers of pages do not."""
    keys = [results.columns[ours] for ours in ("session_id", "query_position")]
    rows = results.part.sample.texts.select(*keys, one.name).drop_nulls()
    return rows.n_unique() > ONCE * rows.height


def _ask_of_document(results: Match, things: list[SampleColumn], judged: list[SampleColumn]) -> None:
    """Ask about a document that no judgments confirm."""
    first, named = things[0], results.part.sample.named
    rivals = [quoted(one.name) for one in things[1:] if named and likeness(one.heading, "doc_id") >= LIKELY]
    if rivals:
        results.ask(
            "doc_id", f"{quoted(first.name)} is taken for doc_id; {listed(rivals)} could be it as well. Which is it?"
        )
    if judged:
        results.ask(
            "doc_id",
            f"no value of {quoted(first.name)} is among the documents of the judgments. Are these the same ids?",
        )
    elif not named or likeness(first.heading, "doc_id") < LIKELY:
        results.ask(
            "doc_id", f"{results.called(first)} is taken for doc_id by its values ({quoted(first.given[0])}). Is it?"
        )


def _of_format(match: Match, format: str, log: dict[str, Match]) -> JudgmentProposal:
    """Return judgments in a format of their own, which their reader takes apart."""
    match.options["format"] = format
    results = log.get("results")
    rows = judgments_in(match.part.sample.path, format)
    docs, key = (SampleColumn(name, 1, rows[name], rows[name]) for name in ("doc_id", "judgment_key"))
    if results is not None:
        _choose_document(results, [docs])
    if JUDGMENTS[format].keys == TEXT:
        match.remark("format", "keys are texts of queries")
    elif results is not None:
        choose_key(match, [key], docs, log)
    return JudgmentProposal(match, rows["grade"], key, docs)
