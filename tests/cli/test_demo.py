"""demo."""

import pytest

from sessionkit.cli.data import DRAWN, clinic_folder
from sessionkit.study import open_study


@pytest.mark.slow
def test_demo_writes_everything_and_says_that_it_is_synthetic(call, tmp_path):
    outcome = call("demo", "--out", tmp_path / "demo")
    assert outcome.status == 0
    names = {"study", "report.html", *(f"{kind}.svg" for kind in DRAWN)}
    assert {path.name for path in (tmp_path / "demo").iterdir()} == names
    assert all(str(tmp_path / "demo" / name) in outcome.lines for name in names)
    assert outcome.out.count("synthetic") >= 4
    # ECIR 2008, section 3.2: 92 and 131 non-last queries in 32 and 39 of 60 sessions; the others have one query
    ends = [line.split()[-5:] for line in outcome.lines if "non-last  " in line]
    assert ends == [["92", "32", "0", "28", "0"], ["131", "39", "0", "21", "0"]]
    for kind in DRAWN:
        assert "Synthetic data" in (tmp_path / "demo" / f"{kind}.svg").read_text()
    assert "Synthetic data" in (tmp_path / "demo" / "report.html").read_text()
    assert open_study(tmp_path / "demo" / "study").settings.synthetic


@pytest.mark.slow
def test_demo_made_again_says_the_same(call, tmp_path):
    outcome, again = (call("demo", "--out", tmp_path / "demo") for _ in range(2))
    assert (again.status, again.out) == (outcome.status, outcome.out) == (0, outcome.out)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report.html", "study"])
def test_demo_leaves_alone_what_is_not_its_own(refused, tmp_path, name):
    (tmp_path / name).write_text("mine")
    refused(2, "demo", "--out", tmp_path, names=["left alone", "--out DIR"])
    refused(2, "demo", "--out", tmp_path / name, names=["is a file"])
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


def test_demo_leaves_alone_a_study_of_somebody_else(refused, study, tmp_path):
    study.rename(tmp_path / "study")
    refused(2, "demo", "--out", tmp_path, names=["left alone"])


def test_the_clinic_study_is_found():
    assert (clinic_folder() / "study.toml").is_file()
