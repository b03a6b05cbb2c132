"""The human labels of TianGong-ST beside its log."""

from tests.readers.formats.test_tiangong_st import LOG


def test_labels_that_do_not_fit_are_rejected(write, quiet_read, rejects):
    labels = write("labels.txt", "1 12 q4 d1 3\n" * 20 + "1 12 q4 d2\n")
    study = quiet_read(write("log.xml", LOG), judgments=labels)
    assert [row[:4] for row in rejects(study)] == [(21, 21, "record_fits_the_columns", "1 12 q4 d2")]
