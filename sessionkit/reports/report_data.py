"""What the sections of a report are made from, computed once, and the questions that are put to the study in one pass."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

import polars as pl

from sessionkit.charts import colors_of
from sessionkit.charts.theme import CONTEXT
from sessionkit.display.labels import natural_sort
from sessionkit.display.statements import Statement
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError
from sessionkit.reports.choices import Also, Choices, Redaction, choices_of
from sessionkit.reports.figures.figure import DRAWS, MOST_DRAWN
from sessionkit.reports.live.widget import counts_of, counts_task
from sessionkit.reports.parts import Words
from sessionkit.reports.sample import drawn, in_memory, only, pick, pick_tasks
from sessionkit.robustness.bounds import Incompleteness, bounds, judged_share
from sessionkit.robustness.missing_judgments import (
    MissingJudgments,
    depends_on_judgments,
    missing_judgments,
    scored_ways,
)
from sessionkit.robustness.sweep import sweep, sweep_task
from sessionkit.robustness.sweep_tables import Sweep
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import OF_SPREAD, By, group_keys, score, score_task, session_measures
from sessionkit.sessions.breakdown import breakdown, breakdown_task
from sessionkit.sessions.breakdown_tests import BreakdownTests, breakdown_tests, breakdown_tests_task
from sessionkit.sessions.curve import curve, curve_differences, curve_task
from sessionkit.sessions.describe import ListsReduction, describe
from sessionkit.sessions.timeline import reformulations, reformulations_task
from sessionkit.statistics.bands import (
    difference_intervals,
    grouped_sessions,
    require_few_groups,
    units_of,
    with_groups,
)
from sessionkit.statistics.compare import compare, compare_task
from sessionkit.statistics.comparison import Comparison
from sessionkit.statistics.correlate import Correlations, correlate
from sessionkit.statistics.distributions import less
from sessionkit.statistics.session_values import MOST_GROUPS, UNNAMED, every_session, means_of_groups
from sessionkit.study import Study
from sessionkit.study.schema import table

LARGE = 20_000
"""Sessions above which a report leaves out what takes many times as long as scoring, or does it with so many, and says so."""
UNJUDGED = "The study has no judgments, so no measure of relevance has a value."
UNRELATED = (
    "No result that is scored is judged, so no score says anything; check the keys and document ids of the judgments, "
    "or score further ranks."
)
UNDEFINED = "No measure that is reported has a value in any session; the notes on data quality say why."
RATINGS, FEWEST_RATED = 3, 3
"""Columns of ratings that are correlated with, at most; and the sessions that this takes, at least."""
RATED_DRAWS = 1_000
"""Draws of users behind the intervals of correlations."""
LAST_DRAWS = 2_000
"""Draws of users, for the intervals of last queries that are not Student's; in large studies there are none."""
MOST_KINDS = 5
"""Values of a column of users within each of which groups are compared."""
ALPHA = 0.05
"""Error rate of the intervals of means that are not compared."""
NUMBER = re.compile(r"[-+]?[0-9.]+")
"""A group that is called by a number alone."""
MANY_GROUPS, HIGHLIGHTED = 6, 4
"""Groups from which on curves are colored for the best few alone; and how many these are."""
VARIED = {"b": "1.5:10.5:10", "bq": "1.5:10.5:10"}
"""Bases of the discounts by rank and by query position that a report tries."""
VARIED_SHARES = {"b": "1.5:10.5:5", "bq": "1.5:10.5:5"}
"""The same of a normalized measure, each setting of which takes a scoring."""

Declared = Literal["study.toml", "report"]
"""Who declared the primary measure."""
UNDECLARED = "nsDCG@10"
"""The measure that stands first where none was declared."""


@dataclass(frozen=True, eq=False)
class Material:
    """A study and what was found in it.

    Parameters
    ----------
    study
        The study.
    measures
        What is reported: the primary measure, then the others in the order asked for.
    averaged_by
        The columns that scores are averaged by.
    choices
        What the figures have in common.
    redaction
        What is left out.
    asked
        Whether the measures were asked for.
    declared
        Who declared the primary measure: ``"study.toml"``, ``"report"`` (when the report was made), or nobody.
    also
        The parts that were asked for beside those that are always there.
    memory
        Memory to work within.
    notes
        What was unusual, in reading and until now.
    """

    study: Study
    measures: tuple[Measure, ...]
    averaged_by: By
    choices: Choices
    redaction: Redaction
    asked: bool = False
    declared: Declared | None = None
    also: Also = field(default_factory=Also)
    memory: str | int | None = None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        study: Study,
        measures: list[Measure],
        *,
        asked: bool,
        primary: str | Measure | None = None,
        by: By,
        redaction: Redaction,
        also: Also,
        memory: str | int | None = None,
    ) -> Material:
        """Settle what is reported; arguments are those of `sessionkit.reports.report`."""
        first, declared = _primary(study, measures, primary)
        choices = choices_of(study, measures if asked else None, by=_grouping(study, by), redaction=redaction)
        ordered = tuple(dict.fromkeys((first, *measures)))
        return cls(study, ordered, by, choices, redaction, asked, declared, also, memory)

    def questions(self) -> list[Callable[[], StudyQuestion[Any]]]:
        """What is asked of all sessions for several sections; the first so that means need no other look at the results."""
        several: list[Callable[[], StudyQuestion[Any]]] = [
            self.comparison_question,
            *([self.others_question] if len(self.measures) > 1 else []),
            self.scores_question,
            self.topics_question,
            lambda: self.sweep_question(self.compared_by),
        ]
        if self.large:
            return [*several, self.rows_question]
        if self.can_miss_judgments and self.compared_by == self.choices.by:  # else its answer is by the other column
            several.append(self.missing_judgments_question)
        return [*several, *(partial(self.within_question, column) for column in self.within_columns)]

    def comparison_question(self) -> StudyQuestion[Comparison]:
        """Whether the groups differ by the primary measure."""
        return ask(compare, self.study, [self.primary], self.compared_by)

    def within_question(self, column: str) -> StudyQuestion[Comparison]:
        """Whether they differ within each value of a column, and whether their difference depends on it."""
        return ask(compare, self.study, [self.primary], self.compared_by, within=column)

    def others_question(self) -> StudyQuestion[Comparison]:
        """Whether they differ by the other measures, a family of their own."""
        return ask(compare, self.study, self.measures[1:], self.compared_by)

    def missing_judgments_question(self) -> StudyQuestion[Comparison]:
        """Whether they differ by the primary measure with unjudged results skipped, and in judged share; each for itself."""
        return ask(compare, self.study, scored_ways(self.primary), self.compared_by, correction="none")

    def scores_question(self) -> StudyQuestion[pl.DataFrame]:
        """Means and spread by `averaged_by`."""
        return ask(score, self.study, self.measures, by=self.averaged_by, spread=True)

    def sweep_question(self, by: str) -> StudyQuestion[Sweep]:
        """Whether a difference between the groups of a column depends on the discounts."""
        return ask(
            sweep,
            self.study,
            self.varied,
            VARIED_SHARES if self.varied.normalized else VARIED,
            by,
            test="none" if self.large else None,
        )

    def topics_question(self) -> StudyQuestion[pl.DataFrame]:
        """The primary measure by group and topic."""
        return ask(
            score,
            self.study,
            self.primary,
            by=[self.compared_by, "topic_id"],
            spread=self.primary.level == "session",  # of others the values are no sessions'
        )

    def rows_question(self) -> StudyQuestion[Study]:
        """The rows of the sessions that are looked at one by one."""
        return ask(pick, self.study, self.looked_at["session_id"])

    def direction(self, measure: Measure | None = None) -> MeasureDirection:
        """Which values of a measure, by default the primary one, are better."""
        return MeasureDirection.of(measure or self.primary, self.study.settings.better)

    @property
    def primary(self) -> Measure:
        """The measure that the first sentence is about; see ``declared``."""
        return self.measures[0]

    @property
    def by(self) -> str:
        """The column whose groups are compared."""
        return self.comparison.by if self.comparison is not None else self.choices.by

    @cached_property
    def shown(self) -> Study:
        """What is looked at session by session: the study, or where it is large some of its sessions, drawn at random."""
        if not self.large:
            return self.study
        try:
            return self.rows_question().answer(memory=self.memory)
        except UsageError:
            return in_memory(only(self.study, self.looked_at))

    @cached_property
    def looked_at(self) -> pl.DataFrame:
        """The ``session_id`` of the sessions that are looked at one by one where the study is large, in the order drawn."""
        return drawn(self.study, LARGE)

    def drawn(self, many: int) -> pl.DataFrame:
        """So many sessions, drawn at random; see `sessionkit.reports.sample.drawn`."""
        return self.looked_at.head(many) if self.large and many <= LARGE else drawn(self.study, many)

    @property
    def sampled(self) -> tuple[Words, ...]:
        """What is said above a section that looks at some sessions alone; nothing where it looks at all."""
        if not self.large:
            return ()
        told = (
            f"This section is about {LARGE:,} of {self.study.facts.sessions:,} sessions, drawn at random with a fixed seed; "
            "the commands curve, breakdown and score say the same of all."
        )
        return (Words((told,)),)

    def led(self, said: Sequence[str]) -> Words:
        """The first sentence of the page, without what must be left out."""
        return Words(tuple(self.redaction.note(one) for one in said), lead=True)

    def paragraph(self, text: str) -> Words:
        """One paragraph, without what must be left out; a name with a line end does not end it."""
        return Words((self.redaction.note(text),))

    def told(self, statements: Iterable[Statement], *, listed: bool = False) -> Words:
        """Statements of findings, a paragraph (or a point) each, without what must be left out."""
        return Words(tuple(self.redaction.note(statement.text) for statement in statements), listed=listed)

    @property
    def large(self) -> bool:
        """Whether the study is too large for all that a report can say."""
        return self.study.facts.sessions > LARGE

    @cached_property
    def scores(self) -> pl.DataFrame:
        """Means by `averaged_by`, see `sessionkit.score`."""
        return self.spread.drop(OF_SPREAD)

    @cached_property
    def spread(self) -> pl.DataFrame:
        """The same with the spread of the scores of each group."""
        return self.scores_question().answer(memory=self.memory)

    @cached_property
    def scores_with_intervals(self) -> pl.DataFrame:
        """`scores` with the interval of each mean, ``low`` to ``high``, and its ``units``, see `means_of_groups`; null where scores are by
        several columns, or by none of several groups.
        """
        keys = [*group_keys(self.study, self.averaged_by)]
        by = self.compared_by if len(keys) != 1 else keys[0]
        # as the questions of the comparisons are put, so that the study is not read again
        asked = [one for one in (self.measures[:1], self.measures[1:]) if one]
        found = [every_session(self.study, one, by, self.memory) for one in asked]
        means = pl.concat([means_of_groups(sessions, self.population, ALPHA) for sessions in found])
        name = pl.col(by).cast(pl.String).fill_null(UNNAMED) if keys else pl.lit(means.item(0, by))
        means = means.select("measure", pl.col(by).alias("_group"), "low", "high", "units")
        if len(keys) > 1 or (not keys and means["_group"].n_unique() > 1):
            means = means.clear()
        joined = self.scores.with_columns(name.alias("_group"))
        return joined.join(means, on=["measure", "_group"], how="left", maintain_order="left").drop("_group")

    @cached_property
    def population(self) -> str:
        """What the intervals of means that are not compared are over: ``"users"``, where they have several sessions, or ``"sessions"``."""
        return units_of(self.study).name

    @property
    def unjudged(self) -> str | None:
        """That the study has no judgments, or none of what was shown, where figures of relevance need some."""
        measure = self.choices.measure
        needed = measure.grades == "judgments" and measure.unjudged_topics == "null"
        if not needed:
            return None
        return UNJUDGED if not self.study.facts.judgments else UNRELATED if self._unrelated else None

    @cached_property
    def _unrelated(self) -> bool:
        """Whether the scores there are are all 0, and no result is judged that counts in one."""
        if not self.measures:
            return False
        judged, values = (self.scores.get_column(name).drop_nulls() for name in ("judged", "value"))
        return bool(len(judged) and len(values)) and not (judged != 0).any() and not (values != 0).any()

    @cached_property
    def valueless(self) -> str | None:
        """Why no measure that is reported has a value in any session; None where one has."""
        if self.scores["value"].count():
            return self.unjudged if self._unrelated else None
        return UNJUDGED if not self.study.facts.judgments else UNDEFINED

    @property
    def comparison(self) -> Comparison | None:
        """The groups compared by the primary measure; None where they cannot be."""
        return None if isinstance(self._compared, str) else self._compared

    @property
    def refusal(self) -> str | None:
        """Why they cannot be compared; None where they can."""
        return self._compared if isinstance(self._compared, str) else None

    @cached_property
    def _compared(self) -> Comparison | str:
        """The groups compared, or the reason why they are not."""
        try:
            return self.comparison_question().answer(memory=self.memory)
        except (DataError, UsageError) as error:
            return str(error)

    @cached_property
    def within_columns(self) -> list[str]:
        """The columns of which it is asked whether the difference depends on them: topics, and the first of users that has few values."""
        users = self.study.users.select(pl.exclude("user_id")).collect()
        few = (
            one.name for one in users if not one.dtype.is_nested() and 2 <= one.drop_nulls().n_unique() <= MOST_KINDS
        )
        return [name for name in ("topic_id", *islice(few, 1)) if name != self.compared_by]

    @cached_property
    def within(self) -> dict[str, Comparison]:
        """The groups compared within each value of these columns, where that tells whether their difference depends on the column."""
        found = {}
        for column in self.within_columns if self.comparison is not None and not self.large else ():
            try:
                one = self.within_question(column).answer(memory=self.memory)
            except (DataError, UsageError):
                continue
            if one.interaction["p"].count():
                found[column] = one
        return found

    @property
    def others(self) -> Comparison | None:
        """The groups compared by the other measures, corrected together; None where there are none, or no comparison."""
        return self._others[0]

    @property
    def not_compared(self) -> dict[str, str]:
        """Which of the other measures cannot be compared, and why, in brief."""
        return self._others[1]

    @cached_property
    def _others(self) -> tuple[Comparison | None, dict[str, str]]:
        """The comparison by the other measures, and why some are not in it."""
        if len(self.measures) == 1 or self.comparison is None:
            return None, {}
        try:
            return self.others_question().answer(memory=self.memory), {}
        except (DataError, UsageError) as error:
            together, reasons = error.brief, {}
        for measure in self.measures[1:]:
            try:
                compare(self.study, measure, self.compared_by, memory=self.memory)
            except (DataError, UsageError) as error:
                reasons[str(measure)] = error.brief
        if not reasons:  # each can be compared alone, not all of them together
            return None, dict.fromkeys(map(str, self.measures[1:]), together)
        kept = [measure for measure in self.measures[1:] if str(measure) not in reasons]
        return compare(self.study, kept, self.compared_by, memory=self.memory) if kept else None, reasons

    @cached_property
    def topic_means(self) -> pl.DataFrame | None:
        """The primary measure by topic and group, topics in natural order: ``topic_id``, ``group``, ``value``, ``n`` and ``sd`` (null
        of a measure that is not of sessions). None where groups are not compared, topics are the groups, or fewer than two topics
        have a value.
        """
        found = self.comparison
        if found is None or found.by == "topic_id":
            return None
        try:
            means = self.topics_question().answer(memory=self.memory)
        except (DataError, MeasureError, UsageError):
            return None
        means = means.drop_nulls(["topic_id", found.by])
        means = means.select(
            pl.col("topic_id").cast(pl.String),
            pl.col(found.by).cast(pl.String).alias("group"),
            "value",
            "n",
            pl.col("sd") if "sd" in means.columns else pl.lit(None, pl.Float64).alias("sd"),
        )
        named = natural_sort(means.with_columns(pl.col("topic_id").replace(self.study.settings.labels)), "topic_id")
        return named if named.drop_nulls("value")["topic_id"].n_unique() > 1 else None

    @cached_property
    def by_topic(self) -> pl.DataFrame | None:
        """The same of two groups side by side: ``topic_id``, ``a``, ``b``, ``difference`` (b minus a), its interval ``low`` to ``high``
        over sessions, and ``n_a``, ``n_b``; None where no topic has both.
        """
        found, means = self.comparison, self.topic_means
        if found is None or means is None or len(found.table) != 1:
            return None
        sides = [
            means.filter(group=found.table.item(0, side)).select(
                "topic_id", pl.col("value").alias(side), pl.col("n", "sd").name.suffix(f"_{side}")
            )
            for side in "ab"
        ]
        both = sides[0].join(sides[1], on="topic_id", how="full", coalesce=True)
        both = natural_sort(both.with_columns(difference=less(pl.col("b"), pl.col("a"))), "topic_id")
        both = difference_intervals(both, found.alpha).drop("sd_a", "sd_b")
        return both if both["difference"].count() else None

    def best_first(self, found: Comparison) -> pl.DataFrame:
        """The groups that have a mean of the primary measure, the best first; without a direction that of the highest mean."""
        return self.direction().sorted_means(found.groups.drop_nulls("mean"), found.by)

    @cached_property
    def highlighting(self) -> Choices:
        """The choices with colors for the groups of the best means alone, where there are many; the others are context.

        Of groups that are not compared, those of the lowest and of the highest mean have a color: of these a sentence speaks.
        """
        choices = self.choices
        if not self.many or self.by != choices.by:
            return choices
        if self.comparison is not None:
            told = self.best_first(self.comparison)[self.by].head(HIGHLIGHTED).to_list()
        else:
            ranked = self.ranked_means
            told = [str(ranked.item(place, self.by)) for place in (0, -1)] if len(ranked) > 1 else []
        return replace(choices, colors=dict.fromkeys(choices.colors, CONTEXT) | colors_of(told)) if told else choices

    @cached_property
    def colored(self) -> Choices:
        """The choices with a color for every group, which those that `highlighting` colors have there too."""
        shown_colors = self.highlighting.colors
        first = [
            group for group, shade in shown_colors.items() if shade != CONTEXT and CONTEXT in shown_colors.values()
        ]
        return replace(self.choices, colors=colors_of(self.choices.colors, first))

    @property
    def many(self) -> bool:
        """Whether the groups are too many for a color each."""
        return len(self.choices.colors) > MANY_GROUPS

    @cached_property
    def ranked_means(self) -> pl.DataFrame:
        """The means of the primary measure by the groups of figures, the lowest first; no row where scores are by something else."""
        means = self.scores.filter(pl.col("measure") == str(self.primary)).drop_nulls("value")
        if group_keys(self.study, self.averaged_by).keys() != {self.by}:
            return means.clear()
        return means.drop_nulls(self.by).sort("value", maintain_order=True)

    @property
    def choices_of_primary(self) -> Choices:
        """What figures of the primary measure have in common."""
        return replace(self.colored, exact=self.primary, measures=(self.primary,))

    @property
    def compared_by(self) -> str:
        """The column by which groups are compared; systems, where scores are by user, by key or by several columns."""
        return _compared_column(self.study, self.averaged_by)

    @cached_property
    def too_many(self) -> str | None:
        """That figures are by system, since the column asked for has too many groups to draw; None where they are by it."""
        column = self.compared_by
        if column == self.choices.by:
            return None
        many = grouped_sessions(self.study, column)["group"].n_unique()
        return (
            f"{column} has {many:,} groups; a page compares and draws at most {MOST_GROUPS}, so its figures and the tables of behavior are "
            f"by {self.choices.by} instead"
        )

    def named(self, group: str) -> str:
        """What a sentence calls a group: a number stands with what it is a number of."""
        return f"{self.choices.legend} {group}" if self.by == self.choices.by and NUMBER.fullmatch(group) else group

    @property
    def varied(self) -> Measure:
        """The primary measure if it has both discounts, which are varied; else, and of a large study, the first sum that has,
        which needs no scores of other settings.
        """
        choices, gained = self.choices, self.primary.inner.gain_measure
        if not self.large and gained is not None and "query_discount" in gained.parameters() and not self.primary.wraps:
            return self.primary
        return choices.measure if choices.source is not None or not choices.asked else choices.ratio

    @cached_property
    def swept(self) -> Sweep | str:
        """The first measure that has both discounts under others, between the groups that are compared; or why it was not
        tried.
        """
        try:
            return self.sweep_question(self.by).answer(memory=self.memory)
        except (DataError, MeasureError, UsageError) as error:
            return str(error)

    @cached_property
    def incompleteness(self) -> Incompleteness | Exception:
        """What unjudged documents could do to the scores and differences of the groups; or why that is not known."""
        try:
            return bounds(self.study, list(self.measures), self.by, wanted=0)
        except (DataError, MeasureError, UsageError) as error:
            return error

    @property
    def can_miss_judgments(self) -> bool:
        """Whether missing judgments could change the primary measure, in a study that has judgments and is not large."""
        return self.study.facts.judgments > 0 and not self.large and depends_on_judgments(self.primary)

    @cached_property
    def missing_judgments(self) -> MissingJudgments | None:
        """The primary difference as scored, with unjudged results skipped, its bounds, and judged shares; of other than two groups
        their means. None where no judgment can be missing, no session has a value, or the study is large.
        """
        if not self.can_miss_judgments or self.valueless is not None:
            return None
        limits = self.incompleteness
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # of values that are missing the primary measure has warned
            try:
                return missing_judgments(self.study, self.primary, self.by, found_bounds=limits, memory=self.memory)
            except (DataError, UsageError):
                return None

    @cached_property
    def apart(self) -> pl.DataFrame | None:
        """The difference of two groups along the session, see `sessionkit.curve_differences`; None where not two are compared,
        or there are too many sessions for intervals.
        """
        if self.comparison is None or len(self.comparison.table) != 1 or self.study.facts.sessions > MOST_DRAWN:
            return None
        try:
            found = curve_differences(self.study, self.choices.ratio, self.choices.by, draws=DRAWS)
        except (DataError, MeasureError, UsageError):
            return None
        means = found.filter(pl.min_horizontal("n_a", "n_b") > 1)["estimate"].drop_nulls()  # one session is no mean
        return found if len(means) else None

    def last_queries_question(self) -> StudyQuestion[BreakdownTests]:
        """Whether the last query of a session is better than those before it."""
        return ask(breakdown_tests, self.shown, self.choices.tested, by=self.choices.by)

    @cached_property
    def last_queries(self) -> BreakdownTests | str:
        """What became of that question, or why it has no answer."""
        try:
            return self.last_queries_question().answer(draws=0 if self.large else LAST_DRAWS)
        except (DataError, MeasureError, UsageError) as error:
            return str(error)

    @cached_property
    def rated(self) -> Correlations | str | None:
        """Measures against ratings of sessions, or why they are not correlated; None where the log has no rating, or no value."""
        names = {*table("sessions").names}
        columns = self.study.sessions.collect_schema()
        ratings = [name for name, dtype in columns.items() if dtype.is_numeric() and name not in names][:RATINGS]
        if not ratings or self.valueless is not None or self.study.facts.sessions < FEWEST_RATED:
            return None
        if self.large:
            return f"Not computed for more than {LARGE:,} sessions."
        try:
            return correlate(self.study, list(self.measures), ratings, draws=RATED_DRAWS)
        except (DataError, MeasureError, UsageError) as error:
            return f"No correlations with {', '.join(ratings)}: {error}."

    @cached_property
    def judged(self) -> tuple[pl.DataFrame, tuple[Statement, ...]] | None:
        """The judged share of the groups, as a table and in statements; None where nothing is judged."""
        if isinstance(self.incompleteness, Incompleteness):
            return with_groups(self.incompleteness.judged, [self.by]), self.incompleteness.statements
        try:
            return judged_share(self.study, self.measures, self.by)
        except (DataError, MeasureError, UsageError):
            return None


def _compared_column(study: Study, by: By) -> str:
    """The column by which groups are compared."""
    columns = [*group_keys(study, by)]
    alone = columns[0] if len(columns) == 1 else None
    return "system_id" if alone in (None, "user_id", "session_id", "judgment_key") else alone


def _grouping(study: Study, by: By) -> str:
    """The column that makes the groups of figures: that by which groups are compared, unless they are too many to be."""
    column = _compared_column(study, by)
    if grouped_sessions(study, column)["group"].n_unique() <= MOST_GROUPS:
        return column
    require_few_groups("system_id", grouped_sessions(study, "system_id")["group"].n_unique())
    return "system_id"


def _primary(study: Study, measures: list[Measure], asked: str | Measure | None) -> tuple[Measure, Declared | None]:
    """The measure that stands first, and who declared it.

    Raises
    ------
    UsageError
        What study.toml declares is no measure of sessions.
    """
    if asked is not None:
        (measure,) = session_measures(study, [asked])
        return measure, "report"
    if study.settings.primary is not None:
        try:
            (measure,) = session_measures(study, [study.settings.primary])
        except MeasureError as error:
            raise UsageError(f"the primary measure that study.toml declares: {error}") from None
        return measure, "study.toml"
    usual = parse_measure(UNDECLARED)
    return usual if usual in measures else measures[0], None


T = TypeVar("T")
TASKS: dict[Callable[..., Any], Callable[..., Reduction | Sequence[Reduction]]] = {
    breakdown: breakdown_task,
    breakdown_tests: breakdown_tests_task,
    compare: compare_task,
    counts_of: counts_task,
    curve: curve_task,
    describe: lambda _study: ListsReduction(),
    pick: pick_tasks,
    reformulations: reformulations_task,
    score: score_task,
    sweep: sweep_task,
}
"""The verbs that can be asked, and of each what it will read, told from the same arguments."""


@dataclass(frozen=True, eq=False)
class StudyQuestion(Generic[T]):
    """A question to a study; made by `ask`.

    Parameters
    ----------
    verb
        One of `TASKS`.
    study
        Of which study.
    given, named
        Its arguments, by place and by name.
    """

    verb: Callable[..., T]
    study: Study
    given: tuple[Any, ...]
    named: Mapping[str, object]

    def answer(self, **options: object) -> T:
        """The answer; `options` are arguments on which it does not depend what is read."""
        return self.verb(self.study, *self.given, **self.named, **options)

    def reductions(self) -> list[Reduction]:
        """What the verb reads the study for; raises what the verb would raise of these arguments."""
        found = TASKS[self.verb](self.study, *self.given, **self.named)
        return [*found] if isinstance(found, Sequence) else [found]


def ask(verb: Callable[..., T], study: Study, *given: object, **named: object) -> StudyQuestion[T]:
    """Put a question to a study, which is answered later."""
    return StudyQuestion(verb, study, given, named)
