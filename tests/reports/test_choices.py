"""What groups are called in a report: the labels of study.toml, which stay text.

What the figures of a page show: the topic, system and measures that were asked for.

What a report leaves out on request.

Colors in a report: a system has one in every figure, and nothing else has it.
"""

import re
import warnings
from dataclasses import replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import colors_of, spec_of
from sessionkit.charts.theme import ACCENT, CONTEXT, FAINT, INK, PALE, kind_colors
from sessionkit.errors import DataWarning, UsageError
from sessionkit.readers import from_tables
from sessionkit.reports import page, report
from sessionkit.reports.choices import Redaction, labeled
from sessionkit.reports.single_figures import single_figure
from sessionkit.study.selection import restricted
from sessionkit.study.study import Source
from tests.reports.one_section import by_name, figures_in
from tests.reports.read_page import Reader, has_parts, specs
from tests.support.clinic import read_clinic


def declared(study, **settings):
    tables = study.results.collect(), study.judgments.collect()
    return sk.from_tables(*tables, sessions=study.sessions.collect(), **settings)


LABELS = {"S1": "Baseline", "S2": "Facets <b>", "t1": "Travel", "system_id": "Interface"}


@pytest.mark.slow
def test_groups_and_topics_have_their_labels_everywhere_and_no_number_changes(make):
    study = make(sessions=8, topics=("t1", "t2", "t2"))
    plain, named = (page.sections_of(declared(study, primary="sDCG@10", labels=given)) for given in ({}, LABELS))
    (before,), (after,) = (
        [one.parts[0].paragraphs[0] for one in made if one.name == "summary"] for made in (plain, named)
    )
    assert after == before.replace("S1", "Baseline").replace("S2", "Facets <b>")
    (table,) = [part for part in by_name(named)["topics-table"].parts if hasattr(part, "frame")]
    assert {*table.frame["topic_id"]} == {"Travel", "t2"}


@pytest.mark.slow
def test_a_label_is_text_on_the_page(make):
    text = report(declared(make(), labels=LABELS))
    assert "Facets <b>" not in text.split("<script")[0]
    assert "Facets <b>" in Reader(text).text


@pytest.mark.slow
def test_a_figure_has_the_labels_of_its_groups_which_are_chosen_by_either_name(make):
    study = declared(make(sessions=8), labels={"S1": "Baseline", "S2": "Facets", "system_id": "Interface"})
    drawn = single_figure(study, "session-curve", where="system_id <> 'S9'").chart.to_json()
    assert '"Baseline"' in drawn
    assert '"Facets"' in drawn
    assert '"S1"' not in drawn
    for name in ("S2", "Facets"):
        made = single_figure(study, "difference-curve", against=name)
        assert "Facets" in made.caption + made.chart.to_json()


def test_ids_keep_their_names(make):
    study = declared(make(), labels={"u1": "Ann", "s0": "First"})
    assert labeled(study, ["user_id", "session_id"]) is study


@pytest.mark.slow
def test_sessions_too_short_for_the_third_figure_are_left_out_of_it(make):
    text = Reader(report(make(sessions=2))).text.replace("\xa0", " ")
    assert "have at least 4 queries" in text


@pytest.mark.slow
def test_topic_with_the_most_sessions_is_taken_unless_one_is_left(make):
    study = make(topics=("a", "b"), systems=("S1",), sessions=4)  # a: 1 + 3 queries, b: 2 + 4
    assert "for topic b, the one with" in report(study)
    assert "for topic a: all" in report(study, where="topic_id = 'a'")
    with pytest.raises(UsageError, match=r"no session is left.*'a'"):
        report(study, where="topic_id = 'c'")


@pytest.mark.slow
def test_system_of_the_last_figure_is_the_first_that_is_left(make):
    study = make()
    assert "Every session of S1" in report(study)
    assert "Every session of S2" in report(study, where="system_id = 'S2'")


@pytest.mark.slow
def test_figures_take_the_parameters_of_the_measure_asked_for(make):
    text = Reader(report(make(), ["mean(nDCG@5)", "nsDCG(b=3,gain=exp2)@5"])).text
    assert "Mean nDCG@5 of one query" in text
    assert has_parts(text, "sDCG(gain=exp2,b=3)@5 is shown", "parameters of nsDCG(gain=exp2,b=3)@5.")
    assert "Mean of nsDCG(gain=exp2,b=3)@5 " in text
    assert "Mean of sDCG(gain=exp2,b=3)@5 " in text


@pytest.mark.slow
def test_each_figure_shows_the_measure_of_its_own_kind_that_was_asked_for(make):
    text = Reader(report(make(), ["sDCG(gain=exp2)@5", "nsDCG(ideal=once)@4"])).text
    assert "Mean nDCG@5 of one query" in text
    assert "Mean of sDCG(gain=exp2)@5 " in text
    assert "Mean of nsDCG(ideal=once)@4 " in text
    assert not re.search("(?<!declared; )sDCG[^;]* is shown", text)


@pytest.mark.slow
def test_a_report_of_measures_without_figures_says_what_is_drawn_instead(make):
    text = Reader(report(make(), ["mean(nDCG@5)"])).text
    assert "nsDCG@10 is shown instead." in text


@pytest.mark.slow
def test_figure_that_a_measure_does_not_allow_gives_the_reason(make):
    text = report(make(), "sDCG(discount=rn2002,b=3)@5")  # refused in normalized measures
    assert len(specs(text)) == 9
    assert has_parts(Reader(text).text, "Not drawn", "nsDCG: discount=rn2002 with b=3")


@pytest.mark.slow
def test_colors_of_systems_are_the_same_in_all_figures(make):
    used = {}
    for spec in specs(report(make(sessions=6)))[1:4]:
        for layer in spec["layer"]:
            scale = layer["encoding"].get("color", {}).get("scale")
            for name, color in zip(*(scale[key] for key in ("domain", "range")), strict=True) if scale else ():
                assert used.setdefault(name, color) == color
    assert set(used) == {"S1", "S2"}


@pytest.mark.slow
def test_users_and_their_sessions_become_numbers(make):
    study = make(users=("alice@example.org", "bob@example.org"))
    text = report(study, by="user_id", redact=["users"])
    assert "alice@example.org" in report(study, by="user_id")
    assert "example.org" not in text
    assert "<td>user 1</td>" in text
    assert '"session":"s0"' not in text
    assert '"session":"session 1"' in text


@pytest.mark.slow
def test_judges_become_numbers_with_the_users():
    results = {
        "session_id": ["s", "s", "r"],
        "query_position": [1, 1, 1],
        "rank": [1, 2, 1],
        "doc_id": ["x", "y", "x"],
        "topic_id": ["t"] * 3,
    }
    grades = {"judgment_key": ["t"] * 4, "doc_id": ["x", "y"] * 2, "grade": [1, 2, 0, 2]}
    study = from_tables(results, grades | {"judge_id": ["zoe@example.org"] * 2 + ["ann@example.org"] * 2}, merge="max")
    assert "<td>ann@example.org</td><td>zoe@example.org</td>" in report(study)
    text = report(study, redact="users")
    assert "example.org" not in text
    assert "<td>judge 1</td><td>judge 2</td>" in text


def test_numbers_of_users_are_theirs_wherever_they_stand(make):
    study = make(users=("c", "a", "b"))
    frame = pl.DataFrame({"user_id": ["b", "c", "b", None]})
    assert Redaction.of("users").frame(frame, study).get_column("user_id").to_list() == [
        "user 2",
        "user 3",
        "user 2",
        None,
    ]


def test_judgment_keys_that_are_sessions_become_their_numbers(make):
    frame = pl.DataFrame({"judgment_key": ["s1", "t", "s0"]})
    keys = Redaction.of("users").frame(frame, make()).get_column("judgment_key").to_list()
    assert keys == ["session 2", "t", "session 1"]


def test_keys_that_are_queries_become_numbers_and_topics_stay(make):
    study = make(topics=("t",))
    frame = pl.DataFrame({"judgment_key": ["t", "cure for baldness", "a secret"]})
    keys = Redaction.of("queries").frame(frame, study).get_column("judgment_key").to_list()
    assert keys[0] == "t"
    assert set(keys[1:]) <= {"key 1", "key 2"}


@pytest.mark.slow
def test_notes_quote_nothing_of_the_log():
    results = {"session_id": ["private"] * 2, "query_position": [1, 1], "rank": [1, 2], "doc_id": ["secret'doc", "y"]}
    judgments = {"judgment_key": ["k'ey", "k'ey"], "doc_id": ["secret'doc"] * 2, "grade": [1, 2]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = from_tables(results, judgments)
    plain = report(study)
    assert "secret&#39;doc" in plain
    assert "undefined for 1 of 1: private" in plain
    text = report(study, redact="users,queries,documents")
    assert "secret" not in text.split("<script>")[0]
    assert "private" not in text.split("<script>")[0]


@pytest.mark.slow
def test_users_are_numbers_where_nothing_is_compared_too(make):
    study = make(systems=("S1",), users=("alice@example.org", "bob@example.org"))
    assert "alice@example.org " in report(study, by="user_id")
    text = report(study, by="user_id", redact="users")
    assert "example.org" not in text
    assert "Means of nsDCG@10: user 1 " in text


@pytest.mark.slow
def test_scores_by_key_are_compared_by_system_and_name_no_session(make):
    results = {"session_id": ["private-1", "private-2"], "query_position": 1, "rank": 1, "doc_id": "d"}
    sessions = {"session_id": ["private-1", "private-2"], "judgment_key": ["private-1", "private-2"]}
    sessions |= {"user_id": ["u1", "u2"], "system_id": ["S1", "S2"]}
    judgments = {"judgment_key": ["private-1", "private-2"], "doc_id": "d", "grade": [1, 0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        text = report(from_tables(results, judgments, sessions=sessions), by="judgment_key", redact="users")
    assert "private-" not in text
    assert "session 2" in text


def test_judgment_keys_that_are_users_become_their_numbers(make):
    frame = pl.DataFrame({"judgment_key": ["u2", "t", "u1"]})
    assert Redaction.of("users").frame(frame, make()).get_column("judgment_key").to_list() == ["user 2", "t", "user 1"]


def read_log(folder):
    """A study saved from files whose paths have needles: six sessions of two systems."""
    home = folder / "zqfolder"
    home.mkdir()
    place = {"session_id": [f"s{n}" for n in range(6)], "query_position": [1] * 6, "rank": [1] * 6}
    results = {**place, "doc_id": ["d"] * 6, "system_id": [*"ABABAB"], "topic_id": ["t"] * 6}
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["d", "d"], "grade": [1, 3], "judge_id": ["zqann", "zqbob"]}
    pl.DataFrame(results).write_csv(home / "zqlog.csv")
    pl.DataFrame(judgments).write_csv(home / "zqgrades.csv")
    (folder / "study.toml").write_text(
        'merge = "alternate"\n[results]\npath = "zqfolder/zqlog.csv"\n[judgments]\npath = "zqfolder/zqgrades.csv"\n'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.read(folder / "study.toml").save(folder / "zqstudy")


@pytest.mark.slow
def test_names_and_hashes_of_source_files_are_left_out_with_anything(tmp_path):
    study = read_log(tmp_path)
    plain = report(study)
    assert "zqfolder/zqlog.csv" in plain
    assert study.sources[0].sha256 in plain
    for kinds in ("users", "queries", "documents"):
        text = report(study, redact=kinds)
        assert "<td>source 1</td><td>results</td>" in text
        assert not [source.sha256 for source in study.sources if source.sha256 in text]
        for needle in ("zqfolder", "zqlog", "zqgrades", "zqstudy"):
            assert needle not in text, (kinds, needle)
        if kinds == "users":
            assert study.fingerprint in text


@pytest.mark.slow
def test_notes_do_not_name_files(tmp_path):
    """A line without a session is a note that begins with the name of its file."""
    study = read_log(tmp_path)
    noted = replace(
        study,
        notes=(
            "zqfolder/zqlog.csv: 3 rows are odd",
            "zqlog.csv and zqgrades.csv are odd",
            f"{study.path} is odd",
            "zqfolder/other is odd",
            "results of azqlog.csv2 stay",
        ),
    )
    redaction = Redaction.of("users").for_study(noted)
    assert [redaction.note(note) for note in noted.notes] == [
        "source 1: 3 rows are odd",
        "source 1 and source 2 are odd",
        "the study is odd",
        "a folder other is odd",
        "results of azqlog.csv2 stay",
    ]
    assert Redaction().for_study(noted).note(noted.notes[0]) == noted.notes[0]


def test_names_of_tables_in_memory_are_words_of_notes(make):
    """A frame is called results, as the column of a note may be."""
    assert Redaction.of("users").for_study(make()).note("2 results are odd") == "2 results are odd"


def test_notes_do_not_name_sheets(make):
    source = Source("zqbook.xlsx, sheet zqAnn", "results", 1, 1, bytes=1, sha256="0")
    redaction = Redaction.of("users").for_study(replace(make(), sources=(source,)))
    note = "zqbook.xlsx, sheet zqAnn: odd; zqbook.xlsx too"
    assert redaction.note(note) == "source 1: odd; source 1 too"


@pytest.mark.slow
def test_warnings_of_merging_name_no_documents():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["zqdoc"], "topic_id": ["t"]}
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["zqdoc"] * 2, "grade": [0, 3], "judge_id": ["a", "b"]}
    study = sk.from_tables(results, judgments, merge="alternate")
    assert "review all 1: t/zqdoc" in report(study)
    assert "zqdoc" not in report(study, redact="documents")


def test_an_apostrophe_begins_no_quotation():
    told = "By Williams' t, users' key 'a secret', or Steiger's z; \"o'Brien\" too"
    assert Redaction.of("users").note(told) == "By Williams' t, users' key '\u2026', or Steiger's z; '\u2026' too"


def study_of(topics=("T1", "T2", "T3"), systems=("A", "B")):
    """Twelve sessions of six users, who each have a name, with a judgment key for each topic."""
    ids = [f"s{n}" for n in range(12)]
    sessions = {"session_id": ids, "user_id": [f"zquser{n % 6}" for n in range(12)]}
    sessions |= {"topic_id": [topics[n % 3] for n in range(12)], "system_id": [systems[n // 3 % 2] for n in range(12)]}
    place = {"session_id": ids, "query_position": [1] * 12}
    texts = ["zqknee pain", "zqback ache", "zqfever"]
    users = {"user_id": [f"zquser{n}" for n in range(6)], "name": [f"zqname {n}" for n in range(6)]}
    return from_tables(
        users=users,
        sessions=sessions,
        queries={**place, "query_text": texts * 4},
        results={**place, "rank": [1] * 12, "doc_id": ["d", "e"] * 6},
        judgments={"judgment_key": [*topics] * 2, "doc_id": ["d"] * 3 + ["e"] * 3, "grade": [0, 1, 2, 3, 2, 1]},
    )


@pytest.mark.parametrize(
    ("column", "values", "kinds", "note"),
    [
        ("topics", ("Zqknee  Pain", "T2", "T3"), "queries", "1 topic repeats query texts,"),
        ("topics", ("T1", "T2", "ZQUSER4"), "users", "1 topic repeats ids of users,"),
        ("topics", ("T1", "zqname 3", "T3"), "users", "1 topic repeats values of name,"),
        ("systems", ("A", "run-zquser1"), "users", "1 system repeats ids of users,"),
        ("systems", ("zqfever?", "B"), "queries", "1 system repeats query texts,"),
    ],
)
def test_topics_and_systems_that_repeat_what_is_redacted_are_numbered(column, values, kinds, note):
    study = study_of(**{column: values})
    redaction = Redaction.of(kinds).for_study(study)
    redacted = redaction.without_repeats(study)
    names = redacted.sessions.collect()[f"{column[:-1]}_id"].unique().sort().to_list()
    assert names == [f"{column[:-1]} {number}" for number in range(1, len(values) + 1)]
    assert redacted.notes[-1] == redaction.note(redacted.notes[-1])
    assert redacted.notes[-1].startswith(note)
    keys = redaction.frame(study.judgments.select("judgment_key").unique().collect(), redacted)["judgment_key"]
    assert all(key.startswith("key ") for key in keys) == (column == "topics")
    assert sk.score(redacted, "sDCG@10")["value"].to_list() == sk.score(study, "sDCG@10")["value"].to_list()
    other = {"queries": "users", "users": "queries"}[kinds]
    for unchanged in (other, "documents"):
        assert Redaction.of(unchanged).for_study(study).without_repeats(study) is study


def test_topics_and_systems_that_repeat_nothing_stay():
    study = study_of()
    assert Redaction.of("users,queries").for_study(study).without_repeats(study) is study


def test_numbers_are_those_of_all_sessions():
    topics = ("zqback ache", "zqfever", "zqknee pain")
    study = restricted(study_of(topics), "topic_id <> 'zqback ache'")
    redacted = Redaction.of("queries").for_study(study).without_repeats(study)
    assert {*redacted.sessions.collect()["topic_id"]} == {"topic 2", "topic 3"}
    assert {*redacted.unrestricted.sessions.collect()["topic_id"]} == {"topic 1", "topic 2", "topic 3"}


@pytest.mark.slow
def test_a_page_shows_no_redacted_text_as_a_topic(tmp_path):
    study = study_of(("Zqknee  Pain", "T2", "T3"))
    text = report(study, redact="queries", figures=tmp_path / "figures")
    assert "1\u00a0topic repeats query texts," in text
    for written in (text, *(path.read_text(errors="replace") for path in (tmp_path / "figures").iterdir())):
        assert "zqknee" not in written.lower()


HEX = re.compile("#[0-9A-Fa-f]{6}")


def color_scales(value):
    """Every list of names with the list of their colors in a specification."""
    if isinstance(value, dict):
        shades = value.get("range")
        if "domain" in value and isinstance(shades, list) and all(HEX.fullmatch(str(shade)) for shade in shades):
            yield value["domain"], shades
        for inner in value.values():
            yield from color_scales(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from color_scales(inner)


def colors_beside(value, systems):
    """Every color in a specification but those that a scale gives to systems."""
    if isinstance(value, dict):
        if not {*systems}.isdisjoint(map(str, value.get("domain") or [])):
            return
        for name, inner in value.items():
            if name != "config":
                yield from colors_beside(inner, systems)
    elif isinstance(value, list):
        for inner in value:
            yield from colors_beside(inner, systems)
    elif isinstance(value, str) and HEX.fullmatch(value):
        yield value


def test_no_group_has_a_color_of_something_else():
    groups = colors_of(map(str, range(24))).values()
    assert len({*groups}) == 24
    assert {*groups}.isdisjoint({ACCENT, PALE, CONTEXT, INK, FAINT, *kind_colors(5), *kind_colors(6)})


def test_groups_that_come_first_have_the_first_colors():
    assert colors_of(["a", "b", "c"], first=["c"]) == dict(zip("cab", colors_of("123").values(), strict=True))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("n_systems", [2, 8])
def test_a_system_has_one_color_in_every_figure_which_nothing_else_has(n_systems):
    study = read_clinic()
    if n_systems > 2:  # more than have a color each in curves
        number = pl.col("user_id").rank("dense").cast(pl.Int64) % n_systems + 1
        study = study.with_tables(sessions=study.sessions.with_columns(system_id="E" + number.cast(pl.String)))
    systems = study.sessions.select(pl.col("system_id").unique()).collect()["system_id"].to_list()
    made = by_name(page.sections_of(study)).values()
    figures = [figure for section in made for figure in figures_in(section) if figure.chart is not None]
    assert len(figures) > 15
    shades = {}
    specs = [(figure.kind, spec_of(figure.chart, check=False)) for figure in figures]
    for _, spec in specs:
        for names, colors in color_scales(spec):
            for name, color in zip(names, colors, strict=False):
                if name in systems and color != CONTEXT:
                    shades.setdefault(name, set()).add(color)
    assert {*shades} == {*systems}
    assert {name: len(colors) for name, colors in shades.items()} == dict.fromkeys(systems, 1)
    of_systems = {color.upper() for colors in shades.values() for color in colors}
    for kind, spec in specs:
        if kind != "single-sessions":  # which has the color of its system in every mark
            reused = of_systems & {color.upper() for color in colors_beside(spec, systems)}
            assert not reused, (kind, reused)
