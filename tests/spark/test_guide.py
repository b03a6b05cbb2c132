"""What the guide to Spark does."""

import shutil

import pytest

from sessionkit.display.terminal import GUIDES
from tests.support.clinic import saved_clinic
from tests.support.transcripts import Transcript

pytestmark = pytest.mark.spark


def test_the_blocks_of_the_guide_run(spark, tmp_path, monkeypatch):
    shutil.copytree(saved_clinic(), tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    page = Transcript(GUIDES / "spark.md", tmp_path)
    page.run(spark=True)
    assert page.names["spark"] is spark
