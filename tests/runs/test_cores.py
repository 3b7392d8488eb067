"""No two runs are pinned to the same core, and no other user has a hand in it."""

import os

import psutil
import pytest

from rsjs.runs.supervisor import claimed


@pytest.fixture
def four_cores(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(psutil.Process, "cpu_affinity", lambda self: [0, 1, 2, 3], raising=False)
    return tmp_path / f"rsjs-cores-{os.getuid()}"


@pytest.mark.usefixtures("four_cores")
def test_runs_side_by_side_get_different_cores_until_none_is_left():
    with claimed(2) as first, claimed(1) as second, claimed(2) as third:
        assert (first, second, third) == ([3, 2], [1], [])
    with claimed(3) as again:
        assert again == [3, 2, 1]


@pytest.mark.usefixtures("four_cores")
def test_a_run_that_uses_every_core_is_not_pinned():
    with claimed(4) as cores:
        assert cores == []


def test_the_locks_are_in_a_folder_of_the_user_alone(four_cores):
    with claimed(1):
        assert (four_cores.stat().st_mode & 0o777, (four_cores / "3").read_bytes()) == (0o700, b"")


@pytest.mark.parametrize("trap", ["link", "pipe", "open to all", "another's", "link to a folder"])
def test_what_another_user_has_left_there_is_not_touched(four_cores, tmp_path, monkeypatch, trap):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    if trap == "link to a folder":
        four_cores.symlink_to(tmp_path / "elsewhere")
    else:
        four_cores.mkdir(mode=0o777 if trap == "open to all" else 0o700)
        four_cores.chmod(0o777 if trap == "open to all" else 0o700)
    if trap == "another's":
        monkeypatch.setattr("os.getuid", lambda: 4321)
        four_cores.rename(tmp_path / "rsjs-cores-4321")
    for core in "0123" if trap in ("link", "pipe") else "":
        if trap == "link":
            (four_cores / core).symlink_to(precious)
        else:
            os.mkfifo(four_cores / core)
    with claimed(2) as cores:
        assert cores == ([3, 2] if trap == "pipe" else [])
    assert precious.read_text() == "mine"
    assert not list((tmp_path / "elsewhere").iterdir())
