"""The user-topic-heatmap chart: means of cells, their order, their steps, gaps, marks, what is left out, what it refuses."""

import re

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import save, spec_of, user_topic_heatmap
from sessionkit.charts.kinds.user_topic_heatmap import MOST_TOPICS, MOST_USERS
from sessionkit.charts.print_layout import UNITS
from sessionkit.errors import UsageError
from sessionkit.reports.choices import Redaction, choices_of
from sessionkit.reports.figures.figure import figure
from sessionkit.reports.single_figures import single_figure
from tests.support.clinic import read_clinic
from tests.support.messages import match_parts, messages_with

ROWS = [
    ("u1", "t2", "A", 0.2),
    ("u1", "t2", "B", 0.4),  # two sessions in one cell: mean .3 of several
    ("u1", "t10", "A", 0.1),  # u1: (.3 + .1) / 2 = .2
    ("u2", "t2", "B", 0.5),  # t2: (.3 + .5) / 2 = .4
    ("u10", "t10", "B", 0.2),
    ("u10", "t3", "A", None),
]


def scores(rows=ROWS):
    return pl.DataFrame(rows, schema=["user_id", "topic_id", "system_id", "value"], orient="row")


def cells(chart):
    """The rows of the cells, and the specification."""
    spec = spec_of(chart)
    return max(spec["datasets"].values(), key=len), spec


def test_a_cell_is_the_mean_of_its_sessions_and_what_has_no_value_is_a_gap():
    rows, spec = cells(user_topic_heatmap(scores(), measure="m"))
    found = {(row["y"], row["x"]): (row["value"], row["n"], row["group"]) for row in rows}
    assert found == {
        ("u1", "t2"): (pytest.approx(0.3), 2, "several"),
        ("u1", "t10"): (0.1, 1, "A"),
        ("u2", "t2"): (0.5, 1, "B"),
        ("u10", "t10"): (0.2, 1, "B"),
    }
    assert spec["layer"][0]["encoding"]["color"]["legend"]["title"] == ["Mean m"]
    single, spec = cells(user_topic_heatmap(scores(ROWS[2:]), measure="m"))
    assert {row["n"] for row in single} == {1}
    assert spec["layer"][0]["encoding"]["color"]["legend"]["title"] == ["m"]  # a mean of one is none


def test_users_and_topics_stand_in_the_order_of_their_means():
    _, spec = cells(user_topic_heatmap(scores()))
    places = spec["layer"][0]["encoding"]
    assert places["y"]["scale"]["domain"] == ["u2", "u1", "u10"]  # .5, then .2 twice in natural order
    assert places["x"]["scale"]["domain"] == ["t2", "t10"]  # .4, (.1 + .2) / 2; t3 has no value


@pytest.mark.parametrize(
    ("values", "names", "steps"),
    [
        # a sixth of .6 is .1: six steps of .1; a value belongs to the step that begins with it, the last to the one that it ends
        ((0.0, 0.3, 0.6), ["0-0.1", "0.1-0.2", "0.2-0.3", "0.3-0.4", "0.4-0.5", "0.5-0.6"], [0, 3, 5]),
        # a sixth of .9 is .15: the next round width is .2
        ((-0.1, 0.05, 0.8), ["-0.2 to 0", "0 to 0.2", "0.2 to 0.4", "0.4 to 0.6", "0.6 to 0.8"], [0, 1, 4]),
        # a sixth of .15 is .025, but .12 to .27 lie in seven such steps: .05
        ((0.12, 0.2, 0.27), ["0.1-0.15", "0.15-0.2", "0.2-0.25", "0.25-0.3"], [0, 2, 3]),
        ((0.1, 0.2, 0.25), ["0.1-0.125", "0.125-0.15", "0.15-0.175", "0.175-0.2", "0.2-0.225", "0.225-0.25"], [0, 4, 5]),
        # a sixth of 59.9 is 9.98: steps of 10 would be seven
        ((5.0, 30.0, 64.9), ["0-20", "20-40", "40-60", "60-80"], [0, 1, 3]),
        ((0.5, 0.5, 0.5), ["0.5"], [0, 0, 0]),
        ((12.0, 12.0001, 12.0002), ["12-12.00005", "12.00005-12.0001", "12.0001-12.00015", "12.00015-12.0002"], [0, 2, 3]),
    ],
)  # fmt: skip
def test_steps_are_equal_and_round_and_the_darker_the_higher(values, names, steps):
    rows, spec = cells(user_topic_heatmap(scores([(f"u{n}", "t", "A", value) for n, value in enumerate(values)])))
    scale = spec["layer"][0]["encoding"]["color"]["scale"]
    assert [name.replace("\u2013", "-").replace("\u2212", "-") for name in scale["domain"]] == names
    assert [scale["domain"].index(row["step"]) for row in sorted(rows, key=lambda row: row["y"])] == steps
    light = [sum(int(hue[at : at + 2], 16) for at in (1, 3, 5)) for hue in scale["range"]]
    assert light == sorted(light, reverse=True)
    assert len(set(light)) == len(names)


def test_marks_tell_systems_apart_where_there_are_several():
    def shapes(rows, **options):
        layers = cells(user_topic_heatmap(scores(rows), **options))[1]["layer"]
        return [layer["encoding"]["shape"]["scale"]["domain"] for layer in layers if "shape" in layer["encoding"]]

    assert shapes(ROWS) == [["A", "B", "several"]] * 2
    assert shapes([row for row in ROWS if row[2] == "A"]) == []
    assert shapes(ROWS, by="user_id") == []  # the rows are the groups
    assert shapes([(f"u{n}", "t", f"S{n}", n / 10) for n in range(7)]) == []  # more than there are shapes


def test_users_and_topics_with_the_most_sessions_are_drawn_and_the_others_counted():
    # user n has searched topics 0 to n: the later a user the more sessions, the earlier a topic
    rows = [(f"u{user}", f"t{topic}", "A", user / 50) for user in range(40) for topic in range(min(user + 1, 25))]
    chart = user_topic_heatmap(scores(rows), title="T", subtitle="S")
    drawn, spec = cells(chart)
    assert {row["x"] for row in drawn} == {f"t{topic}" for topic in range(MOST_TOPICS)}
    # of users 19 to 39 all have searched 20 topics, those before have fewer
    assert {row["y"] for row in drawn} == {f"u{user}" for user in range(40 - MOST_USERS, 40)}
    subtitle, counts = spec["title"]["subtitle"]
    assert subtitle == "S"
    assert messages_with([counts], "30 of 40 users, 20 of 25 topics", "most sessions")
    assert "subtitle" not in spec_of(user_topic_heatmap(scores(), title="T"))["title"]


@pytest.mark.slow
def test_the_largest_fits_a_column_of_a_paper(tmp_path):
    rows = [
        (f"user {u}", f"topic {t}", f"S{u % 2}", u * t / 600) for u in range(MOST_USERS) for t in range(MOST_TOPICS)
    ]
    chart = user_topic_heatmap(scores(rows), measure="nsDCG@10", title="T")
    for wide in (84, 174):
        svg = save(chart, tmp_path / "chart.svg", width=f"{wide}mm", style="paper").read_text("utf-8")
        width, height = (float(re.search(f'{side}="([0-9.]+)', svg)[1]) / UNITS["mm"] for side in ("width", "height"))
        assert width == pytest.approx(wide, rel=0.02)
        assert height < (150 if wide == 84 else 174)
        assert all(f">user {u}</text>" in svg and f">topic {t}</text>" in svg for u in range(30) for t in range(20))


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match=match_parts("no session", "user", "topic", "value")):
        user_topic_heatmap(scores([("u1", None, "A", 0.2), (None, "t", "A", 0.2)]))
    with pytest.raises(UsageError, match=match_parts("column user_id", "sessionkit.score")):
        user_topic_heatmap(scores().drop("user_id"))
    with pytest.raises(UsageError, match="choose it by measure="):
        user_topic_heatmap(scores().with_columns(measure=pl.Series(["m", "n"] * 3)))


def test_the_figure_draws_the_scores_of_the_study():
    clinic = read_clinic()
    made = single_figure(clinic, "user-topic-heatmap")
    rows, _ = cells(made.chart)
    own = sk.score(clinic, "nsDCG@10", per="session", wide=True)
    expected = {(row["user_id"], row["topic_id"]): (row["nsDCG@10"], row["system_id"]) for row in own.to_dicts()}
    assert len(expected) == 120  # every user searched every topic once
    assert {(row["y"], row["x"]): (row["value"], row["group"]) for row in rows} == expected
    assert messages_with([made.caption], "each user on each topic", "nsDCG@10, 120 sessions")
    assert cells(user_topic_heatmap(own, measure="nsDCG@10"))[0] == rows
    with pytest.raises(UsageError, match=r"ask for mean\(nDCG@10\)"):
        single_figure(clinic, "user-topic-heatmap", sk.nDCG @ 10)


def test_users_can_be_left_out_of_the_figure():
    clinic = read_clinic()
    made = figure(clinic, "user-topic-heatmap", choices_of(clinic, redaction=Redaction.of("users")))
    assert {row["y"] for row in cells(made.chart)[0]} == {f"user {number}" for number in range(1, 31)}
