"""Charts take what the functions return, as it comes: the figure is that of its tables, and says which sessions it is of."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit import charts
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic
from tests.support.messages import match_parts

WHERE = "queries >= 2"
MEASURE = "nsDCG@10"
OF_FINDINGS = {
    "differences": (
        lambda study: sk.compare(study, MEASURE, where=WHERE, confidence=0.8),
        lambda found, **below: charts.differences(found.table, confidence=0.8, **below),
    ),
    "correlation_forest": (
        lambda study: sk.correlate(study, MEASURE, "satisfaction", where=WHERE, draws=200),
        lambda found, **below: charts.correlation_forest(found.table, **below),
    ),
    "discriminative_power": (
        lambda study: sk.discriminate(study, MEASURE, where=WHERE, confidence=0.9, draws=99),
        lambda found, **below: charts.discriminative_power(found.asl, confidence=0.9, **below),
    ),
    "judge_noise": (
        lambda study: sk.judge_noise(study, MEASURE, where=WHERE, draws=3),
        lambda found, **below: charts.judge_noise(found.table, **below),
    ),
    "power_curve": (
        lambda study: sk.power(study, MEASURE, difference=0.1, target=0.7, users=[30, 60], draws=200, component_draws=50, where=WHERE),
        lambda found, **below: charts.power_curve(found.table, found.smallest, target=0.7, **below),
    ),
}  # fmt: skip
LONGER = {
    "judgment_loss": (
        lambda study: sk.judgment_loss(study, MEASURE, fractions=[0.5, 1], draws=1, threshold=0.8, where=WHERE),
        lambda found, subtitle: charts.judgment_loss(
            found.table, found.knees, threshold=0.8, subtitle=f"groups by system; one draw; seed 0; {subtitle}"
        ),
    ),
    "sweep_map": (
        lambda study: sk.sweep(study, MEASURE, {"b": [2, 4], "bq": [4, 8], "gain": "linear,exp2"}, where=WHERE),
        lambda found, subtitle: charts.sweep_map(
            found.map("b", "bq"), x="b", y="bq", measure=MEASURE, legend="Leading system",
            colors=charts.colors_of(["S1", "S2"]), subtitle=f"all else as at the base setting: gain=linear; {subtitle}",
        ),
    ),
    "discount_fit": (
        lambda study: sk.calibrate(study, ["sDCG", "sRBP"], draws=200, where=WHERE),
        lambda found, subtitle: charts.discount_fit(
            found.expected.filter(pl.struct("model", "criterion") == pl.struct(
                pl.lit(found.fits["model"][0]).alias("model"), pl.lit(found.fits["criterion"][0]).alias("criterion"))),
            measure=found.fits["measure"][0], subtitle=subtitle,
        ),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def rows_of(chart):
    """The rows of the one table that a chart draws."""
    (rows,) = chart.to_dict()["datasets"].values()
    return rows


@pytest.mark.few(3)
@pytest.mark.parametrize("name", [*OF_FINDINGS, *LONGER])
def test_the_chart_of_a_finding_is_that_of_its_tables(clinic, name):
    find, of_tables = (OF_FINDINGS | LONGER)[name]
    found = find(clinic)
    drawn = getattr(charts, name)(found).to_dict()
    assert drawn == of_tables(found, subtitle=f"Sessions where {WHERE}").to_dict()


@pytest.mark.parametrize("name", ["sweep_map", "discount_fit", "discriminative_power", "power_curve"])
def test_the_finding_of_another_function_is_refused(clinic, name):
    with pytest.raises(UsageError, match=match_parts("draws what sessionkit.", "not a Comparison")):
        getattr(charts, name)(sk.compare(clinic, MEASURE))


def test_values_within_which_groups_were_compared_stand_in_the_rows(clinic):
    found = sk.compare(clinic, MEASURE, within="skill")
    rows = rows_of(charts.differences(found))
    assert [row["row"] for row in rows] == [f"{MEASURE}: skill {level}" for level in (1, 2, 3, 4)]


@pytest.mark.slow
def test_scores_are_drawn_as_they_come(clinic):
    measures = [MEASURE, "Queries"]
    long, wide = (sk.score(clinic, measures, per="session", wide=wide) for wide in (False, True))
    groups = long.filter(measure="Queries").select("value", group="topic_id")
    expected = charts.score_distribution(groups, measure="Queries").to_dict()
    for scores in (long, wide):
        assert charts.score_distribution(scores, by="topic_id", measure="Queries").to_dict() == expected
    with pytest.raises(UsageError, match=match_parts("one measure", "measure=", "'nsDCG@10', 'Queries'")):
        charts.score_distribution(long)
    with pytest.raises(UsageError, match=match_parts("no measure 'Querys'", "did you mean 'Queries'")):
        charts.score_distribution(long, measure="Querys")
    with pytest.raises(UsageError, match="no column 'colour'"):
        charts.score_distribution(wide, by="colour", measure="Queries")


def test_steps_are_drawn_as_they_come(clinic):
    steps = sk.reformulations(clinic, None)
    rows = pl.DataFrame(rows_of(charts.reformulation_flow(steps, by="topic_id")))
    assert sorted(rows["group"].unique()) == list("ABCD")
    # after the first query: one step of each session that asked another one
    first = rows.filter(position=1).group_by("group").agg(pl.col("n").sum()).sort("group")["n"]
    followed = steps.filter(previous_position=1).group_by("topic_id").agg(n=pl.col("session_id").n_unique())
    assert first.to_list() == followed.sort("topic_id")["n"].to_list()
    kinds = rows.filter(position=1, group="A").sort("kind").select(pl.col("kind").str.to_lowercase(), "n")
    counted = steps.filter(previous_position=1, topic_id="A")["reformulation"].value_counts(name="n")
    assert dict(kinds.rows()) == dict(counted.rows())
    assert "Session ended" not in rows["kind"]
    with pytest.raises(UsageError, match="steps have no column 'skill'"):
        charts.reformulation_flow(steps, by="skill")
