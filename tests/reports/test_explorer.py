"""The session explorer in a browser."""

import importlib
import json
import re
import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.labels import label
from sessionkit.errors import DataWarning
from sessionkit.reports.sections.sessions import explorer
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.sessions.curve import curve_with_stops
from tests.reports.mixed_logs import mixed
from tests.reports.odd_logs import HOSTILE
from tests.reports.one_section import page_of
from tests.reports.read_page import has_parts
from tests.support.clinic import read_clinic

CURRENT = "#explorer-list tr[aria-current=true]"
"""The row of the session that is shown."""
pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def data_of(text):
    """What the explorer of a page holds."""
    return json.loads(re.search(r'id="explorer-widget-data">(.*?)</script>', text)[1])


@pytest.fixture
def shown(opened, tmp_path):
    """Open a page of the explorer alone, which says nothing and asks for nothing."""

    def shown(study, measures=(), redact=""):
        path = tmp_path / "page.html"
        path.write_text(page_of(explorer, study, measures, redact), encoding="utf-8")
        page, said, asked = opened(path)
        assert said == []
        assert asked == [path.as_uri()]
        return page

    return shown


def look_at(page, session):
    """Find a session and show it; return what the page worked out."""
    page.fill("#explorer-search", session)
    page.locator("#explorer-list tbody button").first.click()
    found = page.evaluate("document.getElementById('explorer-widget').sessionkit")
    assert found["session"] == session
    return found


def cells(page):
    """The cells of the result lists that are shown: a list of rows per query."""
    return page.evaluate(
        """[...document.querySelectorAll("#explorer-session .list")].map((list) =>
        [...list.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)))"""
    )


def number(text):
    """A number as the page shows it, None for a dash."""
    return None if text == "\u2013" else float(text)


@pytest.mark.few(3)
@pytest.mark.browser
@pytest.mark.parametrize(
    "measures",
    [
        (),
        ("sDCG(b=3,bq=1.5,gain=exp2)@4",),
        ("sDCG(duplicates=first)@5",),
        ("sDCG(grades=user)@10",),
        ("sDCG(unjudged=skip,undefined=zero)@6",),
        ("sDCG(queries=2,slots=shown)@5",),
        ("sDCG(discount=geometric,p=0.8,rank_origin=session)@5",),
    ],
    ids=str,
)
def test_contributions_curves_and_values_are_those_of_sessionkit(shown, measures):
    study = mixed(sessions=25, own_keys=not measures)
    page = shown(study, measures)
    measure = measures[0] if measures else "sDCG@10"
    scores = dict(sk.score(study, measure, per="session").select("session_id", "value").rows())
    explained = sk.explain(study, measure)
    curves = curve_with_stops(study, measure, per="session").filter(~pl.col("stopped"))
    for nth in range(12):  # among them lists not logged between others, which leave slots of no query
        session = f"s{nth:04}"
        found = look_at(page, session)
        value = scores[session]
        assert found["value"] == (None if value is None else pytest.approx(value, abs=1e-9))
        own = explained.filter(pl.col("session_id") == session).sort("query_position", "rank")
        added = own["contribution"].drop_nulls().to_list()
        got = [number(row[-2]) for rows in cells(page) for row in rows if row[-2] != "\u2013"]
        assert got == pytest.approx(added, abs=6e-5)
        mine = curves.filter(pl.col("session_id") == session).sort("slot")
        assert len(found["own"]) == len(mine)
        if value is not None:
            assert found["own"] == pytest.approx(mine["value"].to_list(), abs=1e-9)
            ideal = mine["ideal"].fill_null(0).to_list()  # null where nothing is judged
            assert found["ideal"] == pytest.approx(ideal, abs=1e-9)


@pytest.mark.browser
def test_lists_have_documents_grades_clicks_and_what_lies_deeper(shown):
    study = read_clinic()
    page = shown(study)
    look_at(page, "c003")
    explained = sk.explain(study, "sDCG@10", session="c003")
    texts = study.queries.filter(pl.col("session_id") == "c003").sort("query_position").collect()
    assert page.locator("#explorer-session h4 bdi").all_inner_texts() == texts["query_text"].to_list()
    heads = page.locator("#explorer-session h4").all_inner_texts()
    assert [head.split(":")[0] for head in heads] == [f"Query {place}" for place in texts["query_position"]]
    clicks = study.results.filter((pl.col("session_id") == "c003") & (pl.col("rank") <= 10)).collect()
    rows = [row for rows in cells(page) for row in rows]
    assert [row[1] for row in rows] == explained["doc_id"].to_list()
    assert [number(row[2]) for row in rows] == explained["grade"].to_list()
    assert [row[3] == "clicked" for row in rows] == clicks["clicked"].to_list()
    assert "more below rank 10" in page.locator("#explorer-session").inner_text()
    assert "% of its ideal" in page.locator("#explorer-session").inner_text()


@pytest.mark.browser
def test_sessions_are_found_by_words_system_topic_and_order(shown):
    study = mixed(sessions=25)
    page = shown(study)
    found = page.locator("#explorer-found")
    assert found.inner_text() == "1 to 10 of 25 sessions."
    page.fill("#explorer-search", "u3 t2")  # sessions 12 and 21 are of u3, of which 12 has topic t2
    assert page.locator("#explorer-list tbody tr").all_inner_texts()[0].split("\t")[0] == "s0012"
    assert found.inner_text() == "1 to 1 of 1 sessions."
    page.fill("#explorer-search", "no such thing")
    assert found.inner_text() == "No session has all that."
    page.fill("#explorer-search", "")
    page.select_option("#explorer-system", label="B")
    assert found.inner_text() == "1 to 8 of 8 sessions."
    page.select_option("#explorer-system", label="all systems")
    page.select_option("#explorer-user", label="u3")
    held = study.sessions.filter(user_id="u3").collect()
    assert sorted(table(page)["Session"]) == sorted(held["session_id"])


def table(page):
    """Return the columns of the table of sessions that are shown, by their headings."""
    cells = page.evaluate(
        """[...document.querySelectorAll("#explorer-list tr")].map((row) => [...row.cells].map((cell) => cell.textContent))"""
    )
    return dict(zip(cells[0], zip(*cells[1:], strict=True), strict=True))


@pytest.mark.browser
def test_a_heading_sorts_and_sorts_the_other_way_around_when_it_is_chosen_again(shown):
    study = mixed(sessions=25)
    page = shown(study)
    scores = sk.score(study, "sDCG@10", per="session")
    expected = scores.sort("value", "session_id", descending=[True, False], nulls_last=True)["session_id"]
    heading = page.get_by_role("columnheader", name="sDCG@10")
    assert heading.get_attribute("aria-sort") is None
    page.get_by_role("button", name="sDCG@10").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert page.evaluate("document.activeElement.textContent") == "sDCG@10"
    assert list(table(page)["Session"]) == expected[:10].to_list()
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") == "ascending"
    expected = scores.sort("value", "session_id", nulls_last=True)["session_id"]
    assert list(table(page)["Session"]) == expected[:10].to_list()
    page.get_by_role("button", name="Queries").click()
    assert page.locator("#explorer-list th[aria-sort]").count() == 1
    queries = [int(text) for text in table(page)["Queries"]]
    assert queries == sorted(queries, reverse=True)
    page.get_by_role("button", name="Session", exact=True).click()
    assert list(table(page)["Session"]) == [f"s{number:04}" for number in range(10)]


@pytest.mark.browser
def test_sessions_are_limited_by_ranges_of_several_columns(shown):
    study = mixed(sessions=25)
    page = shown(study)
    counts = study.queries.group_by("session_id").agg(queries=pl.len()).collect()
    held = sk.score(study, "sDCG@10", per="session").join(counts, on="session_id")
    page.select_option("#explorer-column", label="Queries")
    assert page.get_attribute("#explorer-most", "placeholder") == str(counts["queries"].max())
    page.fill("#explorer-least", "2")
    page.select_option("#explorer-column", label="sDCG@10")
    assert page.input_value("#explorer-least") == ""
    page.fill("#explorer-most", "1.5")
    expected = held.filter(pl.col("queries") >= 2, pl.col("value") <= 1.5).sort("session_id")["session_id"]
    assert 0 < len(expected) < 25
    assert list(table(page)["Session"]) == expected[:10].to_list()
    text = page.locator("#explorer-found").inner_text()
    assert has_parts(text, f" of {len(expected)} sessions", "(Queries at least 2, ", "sDCG@10 at most 1.5).")
    page.fill("#explorer-most", "")
    page.select_option("#explorer-column", label="Queries")
    page.fill("#explorer-least", "")
    assert page.locator("#explorer-found").inner_text() == "1 to 10 of 25 sessions."


@pytest.mark.browser
def test_the_sparkline_ends_at_the_share_of_the_ideal(shown):
    page = shown(read_clinic())
    shares = sk.score(read_clinic(), "nsDCG@10", per="session").sort("session_id")["value"][:10]
    slots = sk.curve(read_clinic(), "sDCG@10", per="session").group_by("session_id").len()
    assert len(slots) == 120
    paths = page.locator("#explorer-list .gain").evaluate_all("all => all.map((path) => path.getAttribute('d'))")
    ends = [[float(number) for number in path.split("L")[-1].split()] for path in paths]
    assert [(19 - end[1]) / 18 for end in ends] == pytest.approx(shares.to_list(), abs=0.003)
    ideals = page.locator("#explorer-list .ideal").evaluate_all("all => all.map((path) => path.getAttribute('d'))")
    assert {path.split()[-1] for path in ideals} == {"1.0"}
    widths = [end[0] - 1 for end in ends]
    queries = [int(text) for text in table(page)["Queries"]]
    assert widths == pytest.approx([78 * count / max(queries) for count in queries], abs=0.1)


@pytest.mark.browser
def test_the_table_has_scores_bounds_counts_and_ratings(shown):
    study = read_clinic()
    page = shown(study, ("nsDCG@10",))
    columns = table(page)
    units = sk.bounds(study, "nsDCG@10", per="session", wanted=0).units.sort("session_id")[:10]
    for heading, name in (("nsDCG@10", "value"), ("Lower bound", "lower"), ("Upper bound", "upper")):
        assert list(map(float, columns[heading])) == pytest.approx(units[name].to_list(), abs=5e-5)
    results = study.results.collect()
    grades = study.judgments.select("judgment_key", "doc_id", "grade").collect()
    topics = study.sessions.select("session_id", judgment_key="topic_id").collect()
    graded = results.join(topics, on="session_id").join(grades, on=["judgment_key", "doc_id"], how="left")
    sessions = study.sessions.join(study.users, on="user_id").sort("session_id").collect()
    for row, session in enumerate(columns["Session"]):
        mine = graded.filter(session_id=session)
        within = mine.filter(pl.col("rank") <= 10)
        assert int(columns["Results"][row]) == len(mine)
        assert int(columns["Clicks"][row]) == mine["clicked"].sum()
        assert float(columns["Judged"][row]) == pytest.approx(within["grade"].is_not_null().mean(), abs=0.005)
        assert float(columns["satisfaction"][row]) == sessions["satisfaction"][row]
        assert float(columns["years_internet"][row]) == sessions["years_internet"][row]


def test_a_column_of_the_log_that_is_called_as_a_score_is_not_in_the_table():
    study = read_clinic()
    study = study.with_tables(sessions=study.sessions.with_columns(pl.lit("x").alias("nsDCG@10 lower")))
    columns = {column["name"]: column for column in data_of(page_of(explorer, study, ("nsDCG@10",)))["table"]}
    assert columns["nsDCG@10 lower"]["values"][0] == 0


@pytest.mark.slow
def test_free_texts_times_and_what_is_redacted_are_not_in_the_table():
    study = read_clinic()
    number = pl.int_range(pl.len()).cast(pl.String)
    study = study.with_tables(
        sessions=study.sessions.with_columns(
            remark=pl.lit("remark ") + number, seen=pl.lit(value=True), mood=pl.lit("=1+1")
        )
    )
    names = [column["name"] for column in data_of(page_of(explorer, study, ("nsDCG@10",)))["table"]]
    assert names == [
        "nsDCG@10", "nsDCG@10 lower", "nsDCG@10 upper", "nsDCG@10 judged",
        "results", "clicks", "duration_seconds", "satisfaction", "seen", "mood",
        "years_internet", "years_portal", "skill", "years_medicine",
    ]  # fmt: skip
    names = [column["name"] for column in data_of(page_of(explorer, study, ("nsDCG@10",), redact="users"))["table"]]
    assert names == [
        "nsDCG@10",
        "nsDCG@10 lower",
        "nsDCG@10 upper",
        "nsDCG@10 judged",
        "results",
        "clicks",
        "duration_seconds",
    ]


@pytest.mark.browser
def test_the_sessions_found_are_saved_as_csv(shown):
    study = mixed(sessions=25)
    page = shown(study)
    page.get_by_role("button", name="sDCG@10").click()
    page.select_option("#explorer-system", label="B")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save as CSV").click()
    assert caught.value.suggested_filename == "sessions.csv"
    frame = pl.read_csv(caught.value.path())
    assert frame.columns[:3] == ["session_id", "sDCG@10", "sDCG@10 judged"]
    scores = sk.score(study, "sDCG@10", per="session").join(study.sessions.collect(), on="session_id")
    expected = scores.filter(system_id="B").sort("value", "session_id", descending=[True, False], nulls_last=True)
    assert frame["session_id"].to_list() == expected["session_id"].to_list()
    assert frame["sDCG@10"].to_list() == pytest.approx(expected["value"].to_list(), abs=1e-9)
    assert frame["user_id"].to_list() == expected["user_id"].to_list()


@pytest.mark.browser
def test_a_saved_table_has_no_formulas_and_its_quotes_are_doubled(hostile_log, shown):
    page = shown(hostile_log)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save as CSV").click()
    users = pl.read_csv(caught.value.path())["user_id"].to_list()
    shown_users = [label(name, 300) for name in hostile_log.sessions.collect().sort("session_id")["user_id"]]
    assert users == [f"'{name}" if name[0] in "=+-@" else name for name in shown_users]


@pytest.mark.browser
def test_it_works_by_keyboard(shown):
    page = shown(mixed(sessions=25))
    page.get_by_role("button", name="Next page").focus()
    page.keyboard.press("Enter")
    assert page.locator("#explorer-found").inner_text() == "11 to 20 of 25 sessions."
    page.locator("#explorer-list tbody button").nth(2).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Session s0012"
    assert page.locator(CURRENT).inner_text().startswith("s0012")
    page.get_by_role("button", name="Back to the list").focus()
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.textContent") == "s0012"
    for words in ("Search ids and queries", "System", "Topic", "User", "Limit a column", "At least", "At most"):
        assert page.get_by_label(words, exact=True).count() == 1
    assert page.locator("#explorer-drawing svg").get_attribute("aria-label").startswith("sDCG@10 of session s0012")


def names(page):
    """The session that is shown, and the one beside it, as the page worked them out."""
    found = page.evaluate("document.getElementById('explorer-widget').sessionkit")
    return found["session"], found["beside"]


DRAWN = "all => all.map((line) => line.__data__.mark.items.map(({datum}) => [datum.x, datum.gain, datum.ideal]))"
"""The slot, gain and ideal of each point of lines."""


def curve_of(study, measure, session):
    """Return the curve of a session as far as its searcher came."""
    curve = curve_with_stops(study, measure, per="session").filter(~pl.col("stopped"), session_id=session)
    return curve.sort("slot")


@pytest.mark.browser
def test_the_chart_has_the_gain_of_the_session_before_its_ideal(shown):
    study = read_clinic()
    page = shown(study)
    look_at(page, "c003")
    page.wait_for_function("document.querySelectorAll('#explorer-drawing .mark-line path').length === 2")
    ideal, gain = page.locator("#explorer-drawing .mark-line path").evaluate_all(DRAWN)
    curve = curve_of(study, "sDCG@10", "c003")
    assert gain == ideal
    assert gain[0] == [0, 0, 0]
    assert [slot for slot, _, _ in gain[1:]] == curve["slot"].to_list()
    assert [value for _, value, _ in gain[1:]] == pytest.approx(curve["value"].to_list(), abs=1e-9)
    assert [value for _, _, value in gain[1:]] == pytest.approx(curve["ideal"].to_list(), abs=1e-9)


@pytest.mark.browser
def test_words_added_are_bold_and_words_removed_are_struck(shown):
    texts = [
        "Oslo  airport",
        "OSLO-airport train?",
        "train \u200bto \uff22ergen",
        None,
        "ferry",
        "\u05e9\u05dc\u05d5\u05dd ferry",
    ]
    places = {"session_id": ["s"] * 6, "query_position": [1, 2, 3, 4, 5, 6]}
    study = sk.from_tables(
        {**places, "rank": [1] * 6, "doc_id": list("abcdef")},
        {"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        queries={**places, "query_text": texts},
    )
    page = shown(study)
    heads = page.locator("#explorer-session h4").evaluate_all(
        "all => all.map((head) => ['strong', 'del'].map((tag) => [...head.querySelectorAll(tag)].map((one) => one.textContent)))"
    )
    assert heads[0] == [[], []]
    assert heads[1] == [["train?"], []]
    assert heads[2][0][-1].endswith("\uff22ergen")
    assert heads[2][1] == ["oslo", "airport"]
    assert heads[3:] == [[[], []], [[], []], [["\u05e9\u05dc\u05d5\u05dd"], []]]


@pytest.mark.browser
@pytest.mark.parametrize("measure", ["sDCG@10", "sDCG(b=3,bq=1.5,gain=exp2)@4"])
def test_it_opens_on_the_pair_that_the_chart_draws(shown, measure):
    study = read_clinic()
    page = shown(study, (measure,))
    figure = single_figure(study, "session-pair", parse_measure(measure))
    one, other, written = *names(page), str(parse_measure(measure))
    assert figure.caption.startswith(f"Session {one}, S1")
    assert f"session {other}, S2" in figure.caption
    text = page.locator("#explorer-session").inner_text()
    chosen = figure.caption[figure.caption.index("Of all pairs") : figure.caption.index(" Each list runs")]
    assert has_parts(chosen, f"differs most in {written}", "an extreme")
    first, second = re.findall(r"([\d.]+%) judged\)", figure.caption)
    assert has_parts(text, f"{chosen} Judged: {first}", f"the first session, {second} ")
    assert page.locator("#explorer-name").inner_text() == f"Sessions {one} and {other}"
    panes = page.locator("#explorer-session .pane")
    explained = sk.explain(study, measure)
    for place, session in enumerate((one, other)):
        pane = panes.nth(place)
        assert pane.locator("h4").inner_text() == f"Session {session}"
        queries = study.queries.filter(pl.col("session_id") == session).sort("query_position").collect()["query_text"]
        assert pane.locator("h5 bdi").all_inner_texts() == queries.to_list()
        added = explained.filter(pl.col("session_id") == session)["contribution"].sum()
        assert f"{written}: {added:.4f}" in pane.locator("p").first.inner_text()
    drawn = page.locator("#explorer-drawing .mark-line path").evaluate_all(DRAWN)
    assert [ends[-1][:2] for ends in drawn] == [
        pytest.approx([curve.height, curve["value"][-1]])
        for curve in (curve_of(study, measure, name) for name in (one, other))
    ]
    assert page.locator(CURRENT).count() <= 2


@pytest.mark.browser
def test_the_names_of_two_sessions_stand_where_their_lines_end(shown):
    page = shown(read_clinic())
    one, other = names(page)
    items = "all => all.map((mark) => mark.__data__.mark.items.map(({x, y, dx, dy, text}) => ({x, y, dx, dy, text})))"
    first, second = page.locator("#explorer-drawing .mark-line path").evaluate_all(items)
    texts = page.locator("#explorer-drawing .mark-text text").evaluate_all(items)
    labels = {item["text"]: item for mark in texts for item in mark}
    assert first[-1]["x"] != second[-1]["x"]  # one is shorter
    for name, line in ((one, first), (other, second)):
        assert (labels[name]["x"], labels[name]["y"]) == pytest.approx((line[-1]["x"], line[-1]["y"]))
        assert abs(labels[name]["dx"] or 0) <= 6
        assert abs(labels[name]["dy"] or 0) <= 9


@pytest.mark.browser
def test_a_view_has_an_address_that_survives_a_reload_and_the_way_back(shown):
    page = shown(read_clinic())
    opening = names(page)
    assert page.url.endswith("page.html")
    look_at(page, "c003")
    assert page.url.endswith("#session=c003")
    first = page.locator("#explorer-beside option").nth(1)
    other = first.inner_text().split(",")[0]
    page.select_option("#explorer-beside", index=1)
    assert names(page) == ("c003", other)
    assert page.url.endswith(f"#session=c003&beside={other}")
    assert page.evaluate("document.activeElement.id") == "explorer-beside"
    page.reload()
    assert names(page) == ("c003", other)
    page.go_back()
    page.wait_for_function("document.getElementById('explorer-widget').sessionkit.beside === null")
    assert names(page) == ("c003", None)
    page.go_back()
    page.wait_for_function("document.getElementById('explorer-widget').sessionkit.beside !== null")
    assert names(page) == opening
    page.go_forward()
    page.wait_for_function("document.getElementById('explorer-widget').sessionkit.beside === null")
    assert names(page) == ("c003", None)
    page.get_by_role("button", name="The pair that differs most").click()
    assert names(page) == opening
    assert page.get_by_role("button", name="The pair that differs most").count() == 0
    assert page.evaluate("document.activeElement.id") == "explorer-name"


@pytest.mark.browser
def test_sessions_beside_are_of_the_topic_those_of_other_systems_and_most_different_first(shown):
    study = read_clinic()
    page = shown(study)
    look_at(page, "c003")
    known = sk.score(study, "sDCG@10", per="session").join(
        study.sessions.select("session_id", "topic_id", "system_id").collect(), on="session_id"
    )
    own = known.row(by_predicate=pl.col("session_id") == "c003", named=True)
    peers = known.filter(pl.col("topic_id") == own["topic_id"], pl.col("session_id") != "c003")
    order = peers.sort(pl.col("system_id") == own["system_id"], -(pl.col("value") - own["value"]).abs(), "session_id")
    offered = [text.split(",")[0] for text in page.locator("#explorer-beside option").all_inner_texts()]
    assert offered[0] == "no other session"
    value = dict(known.select("session_id", "value").rows())
    apart = [round(abs(value[name] - own["value"]), 9) for name in offered[1:]]
    assert sorted(offered[1:]) == sorted(peers["session_id"])
    assert apart == [round(abs(one - own["value"]), 9) for one in order["value"]]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("#session=nobody", "names a session that is"),
        ("#session=c003&beside=%E0%A4%A", "names a session that is"),
        ("#session=<img src=x onerror=window.hacked=1>", "names a session that is"),
        ("#session=c003&beside=c001", "not of one topic"),
    ],
)
def test_an_address_of_no_pair_says_so(opened, tmp_path, address, said):
    path = tmp_path / "page.html"
    path.write_text(page_of(explorer, read_clinic()), encoding="utf-8")
    page, heard, _ = opened(path)
    opening = names(page)
    page.evaluate("(hash) => { location.hash = hash; }", address)
    page.wait_for_selector("#explorer-session .note[role=status]")
    assert said in page.locator("#explorer-session .note[role=status]").inner_text()
    assert names(page) == (("c003", None) if "not of one topic" in said else opening)
    assert page.evaluate("window.hacked") is None
    assert heard == []


def titled(study, title, snippet, *, many=False):
    """The study with a title and a snippet for every result, of its own where `many`."""
    number = pl.int_range(pl.len()).cast(pl.String) if many else pl.lit("")
    return study.with_tables(
        results=study.results.with_columns(
            title=pl.concat_str(pl.lit(title), number), snippet=pl.concat_str(pl.lit(snippet), number)
        )
    )


@pytest.mark.browser
def test_titles_and_snippets_stand_with_their_documents(shown):
    page = shown(titled(mixed(sessions=25), "A <b>title", "</script><img src=x onerror=window.hacked=1> a snippet"))
    look_at(page, "s0012")
    cell = page.locator("#explorer-session td.long").first
    assert cell.locator(".title").inner_text() == "A <b>title"
    assert re.fullmatch(r"d\d+", cell.locator(".document").inner_text())
    assert cell.locator(".snippet").inner_text() == "</script><img src=x onerror=window.hacked=1> a snippet"
    assert page.locator("#explorer-session .title").count() == sum(map(len, cells(page)))
    assert page.evaluate("window.hacked") is None
    assert page.locator("#explorer-widget img").count() == 0


@pytest.mark.slow
def test_snippets_give_way_to_sessions():
    study = mixed(sessions=300)
    short = page_of(explorer, titled(study, "t", "s"))
    assert data_of(short)["results"]["snippet"]["names"] == ["s"]
    text = page_of(explorer, titled(study, "t", "long " * 100, many=True))
    found = data_of(text)["results"]
    assert len(found["title"]["names"]) > 1_000
    assert found["snippet"] is None
    assert "All 300\xa0sessions are here." in text
    assert "Snippets are left out" in text
    assert "Snippets are left out" not in short
    assert len(json.dumps(data_of(text))) < 600_000


@pytest.mark.parametrize(
    ("redact", "left"),
    [("", ["title", "snippet"]), ("queries", ["title"]), ("documents", []), ("users", ["title", "snippet"])],
)
def test_titles_are_left_out_with_documents_and_snippets_with_queries_too(redact, left):
    found = data_of(page_of(explorer, titled(mixed(sessions=25), "secret", "secret"), redact=redact))
    assert [name for name in ("title", "snippet") if found["results"][name]] == left
    assert ("secret" in json.dumps(found)) == bool(left)


@pytest.mark.slow
def test_there_is_no_pair_where_no_topic_has_two_sessions_with_a_value(make):
    assert data_of(page_of(explorer, make(judged=False)))["pair"] is None
    assert data_of(page_of(explorer, make(topics=("t", "u", "v", "w"))))["pair"] is None
    alone = data_of(page_of(explorer, make(systems=("S1",))))["pair"]
    assert has_parts(alone["told"], "all pairs of sessions", "comparable judged shares ")


def big(sessions):
    """Return a study of so many short sessions."""
    results = pl.DataFrame({"number": range(sessions)}).join(pl.DataFrame({"rank": [1, 2, 3]}), how="cross")
    results = results.select(
        session_id=pl.format("session-{}", pl.col("number").cast(pl.String).str.zfill(6)),
        query_position=1,
        rank="rank",
        doc_id=pl.format("doc-{}", (pl.col("number") * 7 + pl.col("rank")) % 999),
        topic_id=pl.format("topic-{}", pl.col("number") % 50),
        system_id=pl.format("S{}", pl.col("number") % 2),
    )
    judged = {"judgment_key": [f"topic-{number}" for number in range(50)], "doc_id": [f"doc-{n}" for n in range(50)]}
    return sk.from_tables(results, {**judged, "grade": [1] * 50})


@pytest.mark.slow
@pytest.mark.browser
def test_twenty_thousand_sessions_stay_usable(shown):
    page = shown(big(20_000))
    assert page.locator("#explorer-found").inner_text() == "1 to 10 of 20,000 sessions."
    assert page.locator("#explorer-widget tbody tr").count() < 20
    took = [
        page.evaluate(
            """(typed) => { const field = document.getElementById("explorer-search"); const begin = performance.now();
            field.value = typed; field.dispatchEvent(new Event("input")); return performance.now() - begin; }""",
            typed,
        )
        for typed in ("session", "session-0", "topic-7 s1", "", "session-019999")
    ]
    assert sorted(took)[2] < 100
    assert page.locator("#explorer-found").inner_text() == "1 to 1 of 1 sessions."
    look_at(page, "session-019999")


@pytest.mark.slow
def test_beyond_its_room_it_holds_a_stated_draw_that_is_the_same_every_time(monkeypatch):
    held = importlib.import_module("sessionkit.reports.sample")
    monkeypatch.setitem(held.ROOM, True, 9_000)
    study = mixed(sessions=100)
    text = page_of(explorer, study)
    data = re.search(r'id="explorer-widget-data">(.*?)</script>', text)[1]
    assert 6_000 < len(data) <= 9_000
    ids = json.loads(data)["sessions"]["id"]
    assert has_parts(text, f"{len(ids)} of 100\xa0sessions", "random with a fixed seed")
    assert ids == sorted(ids) != [f"s{number:04}" for number in range(len(ids))]
    assert page_of(explorer, mixed(sessions=100)) == text
    told = json.loads(data)["pair"]["told"]
    assert has_parts(told, " pairs of sessions", "different systems", "among those drawn ")


def test_clinic_is_small():
    text = page_of(explorer, read_clinic())
    assert "All 120\xa0sessions are here." in text
    assert len(json.dumps(data_of(text))) < 150_000


def test_what_is_left_out_is_nowhere_in_the_page():
    study = read_clinic()
    plain, text = page_of(explorer, study), page_of(explorer, study, redact="queries,documents,users")
    queries = study.queries.select(pl.col("query_text").unique()).collect().to_series().to_list()
    secret = [*queries, "doc-21582", "doc-2", "u01", "c001"]
    data, there = json.dumps(data_of(text)), json.dumps(data_of(plain))
    for name in secret:
        assert json.dumps(name)[1:-1] in there
        assert json.dumps(name)[1:-1] not in data
    found = data_of(text)
    assert found["documents"] is None
    assert found["queries"]["text"]["names"] == []
    assert found["sessions"]["id"][:2] == ["session 1", "session 2"]
    assert all(f"{what} are left out." in text for what in ("Queries", "Documents", "Users"))
    assert found["results"]["value"] == data_of(plain)["results"]["value"]


@pytest.mark.browser
def test_a_redacted_session_is_shown_with_numbers(shown):
    page = shown(read_clinic(), redact="queries,documents,users")
    look_at(page, "session 3")
    assert page.locator("#explorer-session h4").all_inner_texts()[0] == "Query 1"
    assert re.fullmatch(r"document \d+", cells(page)[0][0][1])
    assert page.locator("#explorer-name").inner_text() == "Session 3"
    assert page.locator("#explorer-session p").first.inner_text().startswith("System S2, topic C, user 1.")
    assert "of session 3 after every slot" in page.locator("#explorer-drawing svg").get_attribute("aria-label")


@pytest.fixture
def hostile_log(hostile_names):
    """Return a study of hostile ids, query texts and documents."""
    many = range(len(hostile_names))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.from_tables(
            {
                "session_id": [f"{name}{nth}" for nth, name in enumerate(hostile_names)],
                "query_position": [1 for _ in many],
                "rank": [1 for _ in many],
                "doc_id": hostile_names,
            },
            {"judgment_key": hostile_names, "doc_id": hostile_names, "grade": [1 for _ in many]},
            sessions={
                "session_id": [f"{name}{nth}" for nth, name in enumerate(hostile_names)],
                "user_id": hostile_names,
                "system_id": hostile_names,
                "topic_id": hostile_names,
            },
            queries={
                "session_id": [f"{name}{nth}" for nth, name in enumerate(hostile_names)],
                "query_position": [1 for _ in many],
                "query_text": hostile_names,
            },
        )


@pytest.fixture
def hostile_names():
    """Return names that would do something if they were more than text, none of them blank."""
    return [*HOSTILE, "javascript:window.hacked=1", "__proto__", "constructor", "y" * 1_000_000]


@pytest.mark.browser
def test_hostile_texts_are_text_and_run_nothing(hostile_log, hostile_names, shown):
    page = shown(hostile_log)
    for name in range(page.locator("#explorer-list tbody button").count()):
        page.locator("#explorer-list tbody button").nth(name).click()
    page.click("#explorer-next")
    for name in range(page.locator("#explorer-list tbody button").count()):
        page.locator("#explorer-list tbody button").nth(name).click()
    page.fill("#explorer-search", "onerror")
    page.locator("#explorer-list tbody button").first.click()
    assert page.evaluate("window.hacked") is None
    assert page.locator("#explorer-session h4").inner_text() == "Query 1: <img src=x onerror=window.hacked=1>"
    assert cells(page)[0][0][1] == "<img src=x onerror=window.hacked=1>"
    assert page.locator("#explorer-widget").locator("img, a, script").count() == 0
    page.fill("#explorer-search", "yyyyyy")
    page.locator("#explorer-list tbody button").first.click()
    assert (
        page.locator("#explorer-session h4").inner_text()
        == f"Query 1: {'y' * 300}\u2026 (1,000,000 characters, 29db38f631ce8382)"
    )


@pytest.mark.browser
def test_a_log_without_texts_clicks_systems_or_judgments_is_shown(make, shown):
    page = shown(make(systems=(None,), topics=(None,), users=(None,), judged=False))
    assert page.locator("#explorer-found").inner_text() == "1 to 4 of 4 sessions."
    assert "nothing is judged for it" in page.locator("#explorer-session").inner_text()
    assert page.locator("#explorer-system").is_hidden()
