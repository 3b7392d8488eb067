"""The table of a job's configurations by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics.job_profiles import job_profiles
from rsjs.instances.schema import Instance


def test_phi_is_that_of_each_speed_worth_using_against_the_next(
    make: Callable[..., Instance],
) -> None:
    """100 epochs in 60 h; 2 GPUs cost more for an epoch than 3 do."""
    instance = make(
        types={"A4": [1, 2, 2.1, 4]},
        groups=[(1, ["A4"])],
        hours=[{"A": [1.0, 0.6, 0.5, 0.4]}],
        due=[60.0],
    )
    instance = replace(instance, jobs=replace(instance.jobs, epochs_max=np.array([100])))
    (found,) = job_profiles(instance, 0, 60.0)
    rows = {int(row.gpus): row for row in found.configurations}
    assert [row.phi for row in rows.values() if row.phi is not None] == pytest.approx([0.1, 5.5])
    assert {k: row.phi is not None for k, row in rows.items()} == {
        1: True,
        2: False,
        3: True,
        4: False,
    }
    assert {k: row.on_hull for k, row in rows.items()} == {1: True, 2: False, 3: True, 4: True}
    # x + (100 - x) / 2 = 60
    assert (rows[1].ends, rows[3].begins, rows[3].ends) == pytest.approx((20, 20, 100))
    assert (rows[2].ends, rows[4].ends) == (None, None)
