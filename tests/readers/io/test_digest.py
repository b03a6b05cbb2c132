"""The SHA-256 of a file: what it is, what goes wrong, and that nobody waits for it who does not ask."""

import hashlib
import os
import subprocess
import sys

import pytest

from sessionkit.readers.io.files import digest_of


def test_it_is_that_of_the_bytes(tmp_path):
    (tmp_path / "log").write_bytes(b"abc")
    assert digest_of(tmp_path / "log")() == hashlib.sha256(b"abc").hexdigest()


def test_what_goes_wrong_is_raised_where_it_is_asked_for(tmp_path):
    digest = digest_of(tmp_path / "none")
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            digest()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_program_ends_before_its_file_is_hashed(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # into which nobody writes: it is never read to its end
    told = (
        "import sys, pathlib; from sessionkit.readers.io.files import digest_of; digest_of(pathlib.Path(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", told, tmp_path / "pipe"], timeout=30, check=False)
    assert done.returncode == 0
