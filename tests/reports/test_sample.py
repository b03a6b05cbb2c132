"""Which sessions a page holds."""

from sessionkit.reports.sample import drawn, only
from tests.reports.mixed_logs import mixed


def test_a_draw_is_the_same_every_time_and_begins_with_the_smaller_ones():
    study = mixed()
    ids = drawn(study, 20)["session_id"].to_list()
    assert drawn(mixed(), 20)["session_id"].to_list() == ids
    assert drawn(study, 7)["session_id"].to_list() == ids[:7]
    assert len(set(ids)) == 20
    assert ids != sorted(ids)


def test_all_sessions_are_drawn_where_there_are_no_more(tmp_path):
    study = mixed(sessions=9)
    assert sorted(drawn(study, 1000)["session_id"]) == [f"s{number:04}" for number in range(9)]
    assert drawn(study.save(tmp_path / "study", partition_by="system_id"), 4).equals(drawn(study, 4))


def test_a_study_of_all_its_sessions_is_the_study_itself_unless_its_files_are_in_another_order(tmp_path):
    study = mixed(sessions=9).save(tmp_path / "study")
    assert only(study, drawn(study, 9)) is study
    assert only(study, drawn(study, 8)) is not study
    parted = study.save(tmp_path / "parted", partition_by="system_id")
    assert only(parted, drawn(parted, 9)) is not parted
