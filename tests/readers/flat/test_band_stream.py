"""Large flat logs whose bands go on as they come: the same study, or another way where they cannot."""

import random
import tempfile
import threading

import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers.flat import band_stream
from sessionkit.readers.read import read
from sessionkit.study.progress import watched

DAY = "2006-03-04"
SHUFFLED = random.Random(1).sample(range(99), 60)  # noqa: S311
QRELS = "query,docid,rating\na,http://a,2\nb,http://b,1\n"


def lines(users, seed=1):
    """Five lines of the AOL log of each user, one in nine without a time."""
    chance = random.Random(seed)  # noqa: S311
    for user in users:
        for minute in range(5):
            time = f"{DAY} {chance.randint(10, 19)}:{minute:02}:00" if chance.random() > 1 / 9 else "never"
            clicked = f"{chance.randint(1, 3)}\thttp://{chance.choice('abc')}" if chance.random() > 0.4 else "\t"
            yield f"{user}\t{chance.choice(['a', 'b', 'a b', '-'])}\t{time}\t{clicked}\n"


@pytest.fixture
def courses_of(large, courses_taken):
    """Treat every log as large from here on; return the courses that were taken to their end since."""

    def courses_of(room=0):
        large(room)
        courses_taken.clear()
        return courses_taken

    return courses_of


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "users",
    [
        range(1, 40),
        sorted(map(str, range(1, 40))),
        [f"u{user}" for user in (3, 1, 2, 9, 10)],
        SHUFFLED,
    ],
    ids=["as numbers", "as texts", "in no order", "shuffled"],
)
def test_a_log_in_bands_is_read_as_it_comes(write, quiet_read, courses_of, same_study, users):
    log = write("log.txt", "".join(lines(users)))
    small = quiet_read(log, format="aol")
    assert small.facts.sessions > 5
    assert small.rejected.collect().height > 1
    taken = courses_of()
    same_study(quiet_read(log, format="aol"), small)
    assert taken == ["Streamed"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "users",
    [["a", "a!", "a-", "a b", "b", "b#1", "b-1"] * 3, ["1", "1-1", "1-1-1", "2"] * 3],
    ids=["before a hyphen", "with a hyphen"],
)
def test_sessions_whose_names_do_not_rise_with_the_users_are_put_in_order(
    write, quiet_read, courses_of, same_study, users
):
    log = write("log.txt", "".join(sorted(lines(users))))
    small = quiet_read(log, format="aol")
    taken = courses_of()
    same_study(quiet_read(log, format="aol"), small)
    assert taken == ["Staged"]


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 40, 190])
def test_bytes_that_are_no_text_are_rejected_wherever_they_are(write, quiet_read, courses_of, same_study, place):
    every = [line.encode() for line in lines(range(10, 50))]
    every[place] = b"12\t\xff\t2006-03-04 11:00:00\t\t\n"
    log = write("log.txt", b"".join(every))
    small = quiet_read(log, format="aol")
    assert set(small.rejected.collect()["rule"]) >= {"line_can_be_decoded", "issued_at_is_a_datetime"}
    taken = courses_of()
    same_study(quiet_read(log, format="aol"), small)
    assert taken == ["Streamed"]


@pytest.mark.slow
def test_judgments_of_query_texts_key_every_query(write, quiet_read, courses_of, same_study):
    log, graded = write("log.txt", "".join(lines(range(1, 40)))), write("graded.csv", QRELS)
    small = quiet_read(log, format="aol", judgments=graded)
    assert set(small.queries.collect()["judgment_key"].drop_nulls()) == {"a", "b", "a b"}
    taken = courses_of()
    same_study(quiet_read(log, format="aol", judgments=graded), small)
    assert taken == ["Streamed"]


@pytest.mark.slow
def test_extras_that_turn_out_to_be_text_are_so_from_the_first(write, quiet_read, courses_of, same_study):
    rows = [
        f"2012010110{user // 60:02}{user % 60:02}\tu{user:03}\t[a]\t1\t{user if user < 90 else 'x'}\thttp://a\n"
        for user in range(99)
    ]
    log = write("log.txt", "".join(rows))
    small = quiet_read(log, format="sogou")
    assert small.results.collect()["click_order"].to_list()[-1] == "x"
    taken = courses_of()
    same_study(quiet_read(log, format="sogou"), small)
    assert taken == ["Streamed"]


@pytest.mark.slow
def test_strict_reading_names_the_first_broken_line(write, courses_of):
    log = write("log.txt", "".join(lines(range(1, 40))))
    with pytest.raises(Exception, match="issued_at_is_a_datetime") as small:
        read(log, format="aol", strict=True)
    courses_of()
    with pytest.raises(type(small.value)) as large:
        read(log, format="aol", strict=True)
    assert str(large.value) == str(small.value)


@pytest.mark.slow
def test_a_band_is_cut_into_parts_that_fit_the_memory(write, quiet_read, courses_of, same_study, monkeypatch):
    log = write("log.txt", "".join(lines([*range(1, 20), *[7] * 30, *range(20, 30)])))
    small = quiet_read(log, format="aol")
    courses_of()
    monkeypatch.setattr(band_stream, "RECORDS", 9)
    parts, of_band = [], band_stream.Bands._parts_of
    monkeypatch.setattr(band_stream.Bands, "_parts_of", lambda *given: (parts.append(of_band(*given)), parts[-1])[1])
    same_study(quiet_read(log, format="aol"), small)
    assert max(map(len, parts)) > 1
    assert max(raw.records for sources in parts for part in sources for raw in part.values()) < 40


@pytest.mark.slow
@pytest.mark.parametrize(
    "last", [b"12\t\xff\t2006-03-04 11:00:00\t\t\n", b"1\ta\t2006-03-04 21:00:00\t\t\n"], ids=["bytes", "order"]
)
def test_what_shows_at_the_end_leaves_nothing_half_done(write, courses_of, tmp_path, monkeypatch, last):
    log = write("log.txt", "".join(lines(range(1, 60))).encode() + last)
    places = tmp_path / "temporary"
    places.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(places))
    taken = courses_of()
    with watched() as progress, pytest.warns(DataWarning) as warned:
        study = read(log, format="aol")
    assert taken == ["Streamed"]
    assert len({str(one.message) for one in warned}) == len(warned)
    rows = sum(source.rows for source in study.sources)
    assert (progress.done["rows"], progress.done["rejected"]) == (rows, study.rejected.collect().height)
    assert len(list(places.iterdir())) == 1, "the study alone"


@pytest.mark.slow
def test_what_goes_wrong_in_a_band_is_said_and_ends_all_threads(write, courses_of, tmp_path, monkeypatch):
    log = write("log.txt", "".join(lines(range(1, 60))))
    places = tmp_path / "temporary"
    places.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(places))
    courses_of()
    bands, of_band = [], band_stream.of_band

    def failing(*given, **options):
        bands.append(given)
        if len(bands) == 5:
            raise MemoryError("of a band")
        return of_band(*given, **options)

    monkeypatch.setattr(band_stream, "of_band", failing)
    before = threading.active_count()
    with pytest.raises(MemoryError, match="of a band"):
        read(log, format="aol")
    assert threading.active_count() == before
    assert not list(places.iterdir())
