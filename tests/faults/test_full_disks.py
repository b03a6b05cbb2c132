"""A disk without space, without room for more names, and a limit on the length of files: it is said, and nothing changes.

The limit is there for everybody; small disks are where the system lets one be mounted. With ``-s`` each test prints its
figures.
"""

import os
import shutil
import subprocess

import pytest

from tests.support.children import Task, serving
from tests.support.operations import OPERATIONS, files_in, leftovers

MOUNT = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=8m,nr_inodes=600 none "$0" && exec "$@"']
"""Starts a command whose disk at a place is small, and its own."""
SHORT = ("ingest over", "replace a partition", "init")
DRAWN = ("chart", "image", "report")
"""Operations that take their time, tried no more often in the long form."""
PROOF = pytest.mark.proof
SPACE = {"bytes": (0, 20_000), "names": (0, 2)}
"""What is left on the disk by default."""
MORE_SPACE = {"bytes": (0, 8_192, 32_768, 65_536), "names": (0, 2, 6, 12)}
"""What is left in the long form."""


def can_mount():
    """Whether this system lets us mount a disk."""
    if shutil.which("unshare") is None:
        return False
    command = [*MOUNT[:4], "mount -t tmpfs none /tmp"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def tries(values):
    """The operations of the short and the long form."""
    short = [pytest.param(name, values[0], id=f"{name}-short") for name in SHORT]
    return short + [
        pytest.param(one.name, values[one.name not in DRAWN], marks=PROOF, id=f"{one.name}-long") for one in OPERATIONS
    ]


def refusals(course, folder, ended, lack):
    """What is wrong with how a command ended that found no room, if that is what happened."""
    found = files_in(folder)
    yield from course.faults(found)
    if ended.status == 0:
        if any(found.get(path) != content for path, content in course.after.items()):
            yield "it ended well, and the new is not there"
        return
    said = ended.err.strip().splitlines()[-1]
    if ended.status != 1 or lack not in said or "\t" in said or len(said) > 400:
        yield f"status {ended.status}: {said}"
    if left := leftovers(found, course.operation):
        yield f"left {sorted(left)}"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parts"), tries([(1,), (1, 2, 4, 16)]))
def test_files_may_not_be_longer(course, server, tmp_path, name, parts):
    course = course(name)
    largest = max(len(content) for path, content in course.after.items() if course.before.get(path) != content)
    failed, faults = 0, []
    for longest in (0, *(largest // part - 1 for part in parts)):
        folder = course.copy(tmp_path / "limited")
        (ended,) = server.run(Task(course.operation.arguments, str(folder), longest=longest))
        assert ended.status != 0, f"{longest} bytes are less than {largest}"
        failed += 1
        faults += [
            f"{longest}: {fault}" for fault in refusals(course, folder, ended, "the limit for file sizes is reached")
        ]
        shutil.rmtree(folder)
    print(f"\n{name}: {1 + len(parts)} limits tried, {failed} refused, {len(faults)} failed")
    assert faults == []


if can_mount():

    @pytest.fixture(scope="module")
    def small_disk(tmp_path_factory):
        """A server whose disk at a place is small; the place as it sees it, and as we do."""
        place = tmp_path_factory.mktemp("disk")
        with serving([*MOUNT, str(place)]) as server:
            server.run(Task(("python", ""), "/"))  # now it is mounted
            yield server, place, type(place)(f"/proc/{server.process.pid}/root{place}")

    @pytest.mark.parametrize("temporary", ["here", pytest.param("elsewhere", marks=PROOF)])
    @pytest.mark.parametrize(("name", "space"), tries([SPACE, MORE_SPACE]))
    def test_a_full_disk_is_said_to_be_full(course, small_disk, tmp_path, *, name, space, temporary):
        course, (server, place, seen) = course(name), small_disk
        tried, refused, faults = 0, 0, []
        for kind, left in [(kind, left) for kind, many in space.items() for left in many]:
            folder = course.copy(seen / "study")
            if temporary == "elsewhere":
                shutil.rmtree(folder / "tmp")
                shutil.copytree(course.start / "tmp", tmp_path / "tmp", dirs_exist_ok=True)
                (folder / "tmp").symlink_to(tmp_path / "tmp")
            ballast = fill(seen, kind, left)
            (ended,) = server.run(Task(course.operation.arguments, str(place / "study")))
            shutil.rmtree(ballast)
            if temporary == "elsewhere":
                (folder / "tmp").unlink()
                shutil.copytree(tmp_path / "tmp", folder / "tmp")
            tried += 1
            refused += ended.status != 0
            faults += [f"{left} {kind}: {fault}" for fault in refusals(course, folder, ended, "no space is left")]
            shutil.rmtree(folder)
        print(f"\n{name}, temporary files {temporary}: {tried} tried, {refused} refused, {len(faults)} failed")
        assert faults == []
        assert refused

    def fill(disk, kind, left):
        """Fill a disk until so many bytes or names are left; return the folder of what fills it."""
        ballast = disk / "ballast"
        ballast.mkdir()
        found = os.statvfs(disk)
        if kind == "bytes":
            (ballast / "0").write_bytes(bytes(max(0, found.f_bavail * found.f_frsize - left)))
        else:
            for number in range(found.f_favail - left):
                (ballast / str(number)).touch()
        return ballast
