"""No two runs are pinned to the same core."""

import psutil
import pytest

from rsjs.experiments.cores import claimed


@pytest.fixture
def four_cores(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(psutil.Process, "cpu_affinity", lambda self: [0, 1, 2, 3], raising=False)


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
