"""Five jobs, shares and a preemption, charged by hand under every option, to the cent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rsjs.instances.schema import Workload
from rsjs.simulation.engine import simulate
from rsjs.simulation.guards import Status
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Policy
from rsjs.simulation.real_times import real_times
from rsjs.simulation.state import whole

Make = Callable[..., Workload]
Script = Callable[..., Policy]
SHARE = -1  # half a GPU, where an epoch takes half as long again as on a whole one


@pytest.fixture
def five(make: Make) -> Workload:
    """A node of 4 GPUs and one of 2; two jobs that can share a GPU."""
    return make(
        types={"A4": [2.0, 3.0, 4.0, 5.0], "B2": [1.0, 1.5]},
        nodes=[["A4"], ["B2"]],
        hours=[{"A": [2.0, 1.0]}, {"A": [3.0]}, {"B": [1.0]}, {"A": [2.0]}, {"A": [2.0]}],
        release=[0, 1, 2, 2, 2],
        due=[3, 20, 6, 9, 8],
        weight=[10, 1, 2, 5, 3],
        law=[[2, 1], [4, 1], [6, 1]],
        realised=[4, 2, 6, 2, 2],
        inflation=1.5,
    )


LATER = {"j1": (0, 1), "j2": (1, 1), "j3": (0, SHARE), "j4": (0, SHARE)}
KEPT = [{"j0": (0, 2)} | LATER]  # from 2 h on 4 GPUs of A4 are in use
SLOWED = [*KEPT, {"j0": (0, 1)} | LATER, *KEPT]  # j0 on one GPU from 1 h to 2 h


@pytest.mark.parametrize(
    ("script", "boot", "checkpoint", "ends", "used", "late"),
    # used: hours of A4 with 1, 2, 3, 4 GPUs in use, then of B2 with one
    [
        (KEPT, 0.0, "continuous", [4, 7, 8, 8, 8], (1, 1 + 3, 1, 2, 6), 10 * 1 + 2 * 2),
        (KEPT, 0.5, "continuous", [4.5, 7, 8.5, 8, 8], (1, 1 + 2.5, 1, 2.5, 6.5), 15 + 5),
        (SLOWED, 0.0, "continuous", [4.5, 7, 8, 8, 8], (1, 2 + 2.5, 0, 2.5, 6), 15 + 4),
        (SLOWED, 0.0, "epoch", [5, 7, 8, 8, 8], (1, 2 + 2, 0, 3, 6), 20 + 4),
        # after 0.5 h j0 has done half an epoch at 1 h and at 2 h, and loses it both times
        (SLOWED, 0.5, "epoch", [6, 7, 8.5, 8, 8], (1, 2 + 1, 0, 4, 6.5), 30 + 5),
    ],
)
@pytest.mark.parametrize("energy", ["curve", "gpu", "node", "base:0.25", "base:1"])
def test_every_accounting_under_every_overhead(
    five: Workload,
    scripted: Script,
    script: list[dict[str, tuple[int, int]]],
    boot: float,
    checkpoint: str,
    ends: list[float],
    used: tuple[float, ...],
    late: float,
    energy: str,
) -> None:
    options = Options(energy=energy, boot=boot, checkpoint=checkpoint)
    found = simulate(five, scripted(*script), options)
    one, two, three, four, small = used
    by_gpu = (one + 2 * two + 3 * three + 4 * four) * 1.25 + small * 0.75
    by_node = (one + two + three + four) * 5.0 + small * 1.5
    expected = {
        "curve": 2 * one + 3 * two + 4 * three + 5 * four + 1 * small,
        "gpu": by_gpu,
        "node": by_node,
        "base:0.25": 0.25 * by_node + 0.75 * by_gpu,
        "base:1": by_node,
    }
    assert found.status == Status.COMPLETE
    assert found.completed_at.tolist() == pytest.approx(ends)
    assert found.totals.energy == pytest.approx(expected[energy], abs=1e-9)
    assert found.totals.tardiness == pytest.approx(late, abs=1e-9)
    assert found.totals.cost == pytest.approx(expected[energy] + late, abs=1e-9)
    assert found.totals.gpu_hours == pytest.approx(
        {"A": one + 2 * two + 3 * three + 4 * four, "B": small}
    )
    assert found.totals.idle_gpu_hours == pytest.approx(3 * one + 2 * two + three + small)


def test_what_was_interrupted_is_counted(five: Workload, scripted: Script) -> None:
    kept = simulate(five, scripted(*KEPT)).totals
    slowed = simulate(five, scripted(*SLOWED)).totals
    booted = simulate(five, scripted(*SLOWED), Options(boot=0.5, checkpoint="epoch")).totals
    assert (kept.moves, slowed.moves, booted.moves) == (0, 2, 2)
    assert (kept.repeated_epochs, slowed.repeated_epochs, booted.repeated_epochs) == (0, 0, 1.0)


@pytest.mark.parametrize("options", [Options(period=0.3), Options(seed=7, decision_limit=5.0)])
def test_more_decisions_and_other_seeds_change_no_charge(
    five: Workload, scripted: Script, options: Options
) -> None:
    plain = simulate(five, scripted(*KEPT)).totals
    found = simulate(five, scripted(*KEPT), options).totals
    assert (found.energy, found.tardiness) == pytest.approx((plain.energy, plain.tardiness))
    assert found.decisions >= plain.decisions


def test_arrivals_of_one_time_in_single_events_change_no_charge(
    five: Workload, scripted: Script
) -> None:
    plain = simulate(five, scripted(*KEPT)).totals
    found = simulate(five, scripted(*KEPT), Options(events="authors")).totals
    assert (found.energy, found.tardiness) == (plain.energy, plain.tardiness)
    assert found.decisions == plain.decisions + 2


@pytest.mark.parametrize("denominator", ["predicted", "real"])
@pytest.mark.parametrize("energy", ["curve", "gpu", "node", "base:0.25"])
def test_with_errors_the_real_hours_are_charged(
    make: Make, scripted: Script, energy: str, denominator: str
) -> None:
    workload = make(
        types={"A2": [1.0, 3.0]},
        nodes=[["A2"]] * 3,
        hours=[{"A": [2.0, 1.0]}] * 3,
        release=[0, 0, 1],
        due=[1, 2, 3],
        weight=[10, 20, 30],
    )
    options = Options(energy=energy, deviation=0.2, denominator=denominator, seed=5)
    found = simulate(workload, scripted({"j0": (0, 1), "j1": (1, 2), "j2": (2, 1)}), options)
    pace = real_times(whole(workload), workload.digest, options)[0]
    hours = pace[[0, 1, 2], 0, [1, 2, 1]]
    price = {
        "curve": [1.0, 3.0, 1.0],
        "gpu": [1.5, 3.0, 1.5],
        "node": [3.0, 3.0, 3.0],
        "base:0.25": [1.875, 3.0, 1.875],
    }[energy]
    late = np.maximum(0.0, workload.jobs.release + hours - workload.jobs.due)
    assert (hours != [2, 1, 2]).all()
    assert found.totals.energy == pytest.approx(float(hours @ price), abs=1e-9)
    assert found.totals.tardiness == pytest.approx(float(late @ [10, 20, 30]), abs=1e-9)
