"""What is charged, computed by hand to the cent under every accounting and overhead."""

from hashlib import sha256

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.simulation import accounting
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options, real_times
from rsjs.simulation.policy import Status

LAW = [[2, 1], [4, 1], [6, 1]]
SHARE = -1  # half a GPU, where an epoch takes half as long again as on a whole one


@pytest.fixture
def three(make):
    """
    One node of 4 GPUs and one of 2; a base price and one per GPU.

    j0 takes 4 epochs of 2 h, or 1 h on two GPUs; j1 2 epochs of 3 h; j2 one of 6 epochs of 1 h.
    """
    return make(
        types={"A4": [2.0, 3.0, 4.0, 5.0], "B2": [1.0, 1.5]},
        nodes=[["A4"], ["B2"]],
        hours=[{"A": [2.0, 1.0]}, {"A": [3.0]}, {"B": [1.0]}],
        release=[0, 1, 2],
        due=[3, 20, 6],
        weight=[10, 1, 2],
        law=LAW,
        realised=[4, 2, 6],
    )


PLACES = {"j0": (0, 2), "j1": (0, 1), "j2": (1, 1)}
# j0 on 2 GPUs 0-4, j1 on 1 GPU 1-7, both on A4; j2 on 1 GPU of B2 2-8.
# A4: 2 GPUs in use 0-1, 3 GPUs 1-4, 1 GPU 4-7; B2: 1 GPU 2-8.


def test_the_other_totals(three, scripted):
    totals = simulate(three, scripted(PLACES)).totals
    assert totals.gpu_hours == {"A": 14.0, "B": 6.0}
    assert totals.idle_gpu_hours == 7 * 4 - 14 + 6 * 2 - 6
    assert (totals.makespan, totals.utilisation) == (8.0, 20 / (6 * 8))
    assert (totals.jobs, totals.completed, totals.late, totals.tardiness_hours) == (3, 3, 2, 3.0)
    assert (totals.preemptions, totals.moves, totals.repeated_epochs) == (0, 0, 0)
    assert (totals.events, totals.decisions, totals.longest_queue) == (6, 5, 0)


def test_less_than_a_minute_is_not_counted_as_late(make, scripted):
    workload = make(nodes=[["A1"]] * 2, release=[0, 0], due=[1 - 59 / 3600, 1 - 61 / 3600])
    totals = simulate(workload, scripted({"j0": (0, 1), "j1": (1, 1)})).totals
    assert totals.late == 1
    assert totals.tardiness == pytest.approx(120 / 3600)


def test_an_interrupted_job_goes_on_where_it_was(three, scripted):
    # j0 runs on one GPU 0-1 (half an epoch), waits 1-2, runs on two GPUs 2-5.5
    found = simulate(three, scripted({"j0": (0, 1)}, {"j1": (0, 1)}, {**PLACES}))
    assert found.completed_at.tolist() == [5.5, 7.0, 8.0]
    assert (found.totals.preemptions, found.totals.moves) == (1, 0)
    assert found.totals.gpu_hours["A"] == 1 + 6 + 7


def test_an_epoch_that_is_whole_is_not_repeated(three, scripted):
    script = scripted({"j0": (0, 2)}, {"j1": (0, 1)}, PLACES)
    found = simulate(three, script, Options(checkpoint="epoch"))
    assert found.completed_at[0] == 2 + 3  # stopped at time 1, after one whole epoch
    assert found.totals.repeated_epochs == 0


def test_a_job_that_joins_a_booting_node_waits_for_it(three, scripted):
    found = simulate(three, scripted(PLACES), Options(boot=1.5))
    assert found.completed_at.tolist() == [5.5, 7.5, 9.5]


def test_a_node_that_changes_its_type_boots_again(make, scripted):
    types = {"A1": [1.0], "A2": [3.0, 3.0]}
    workload = make(types=types, nodes=[[*types]], hours=[{"A": [4.0]}] * 2, release=[0, 2])
    script = scripted({"j0": (0, 1)}, {"j0": (0, 1), "j1": (0, 1)}, kinds={0: 0, 1: 1, 2: 1})
    for options, ends, energy in (
        (Options(), [4.0, 6.0], 2 * 1 + 4 * 3),
        (Options(boot=0.25), [4.5, 6.25], 2 * 1 + 4.25 * 3),
        (Options(boot=0.25, checkpoint="epoch"), [6.25, 6.25], 2 * 1 + 4.25 * 3),
    ):
        found = simulate(workload, script, options)
        assert found.completed_at.tolist() == ends
        assert found.totals.energy == pytest.approx(energy)
        assert found.totals.moves == 1


def test_shares_are_charged_by_the_gpus_they_pack_into(make, scripted):
    workload = make(types={"A2": [1.0, 3.0]}, hours=[{"A": [2.0, 1.0]}] * 3, inflation=1.5)
    half = (0, -1)
    found = simulate(workload, scripted({"j0": half, "j1": half, "j2": half}))
    assert found.completed_at.tolist() == [3.0] * 3
    assert found.totals.energy == 3 * 3.0  # three halves are two GPUs
    assert found.totals.gpu_hours == {"A": 6.0}
    mixed = simulate(workload, scripted({"j0": half, "j1": half, "j2": (0, 1)}))
    assert mixed.completed_at.tolist() == [3.0, 3.0, 2.0]
    assert mixed.totals.energy == 2 * 3.0 + 1 * 1.0


@pytest.mark.parametrize(
    ("denominator", "low", "high"), [("predicted", 0.6, 1.4), ("real", 1 / 1.4, 1 / 0.6)]
)
def test_real_times_are_within_the_errors_for_every_policy(three, scripted, denominator, low, high):
    ends = []
    for seed in (1, 1, 2):
        options = Options(deviation=0.2, denominator=denominator, seed=seed)
        found = simulate(three, scripted(PLACES), options)
        factors = (found.completed_at - [0, 1, 2]) / [4, 6, 6]
        assert ((factors > low) & (factors < high)).all()
        assert (factors != 1).all()
        ends.append(found.completed_at)
    assert np.array_equal(ends[0], ends[1])
    assert not np.array_equal(ends[0], ends[2])


@pytest.mark.parametrize("denominator", ["predicted", "real"])
def test_each_configuration_has_its_own_error(three, denominator):
    options = Options(deviation=0.2, denominator=denominator, seed=5)
    predicted = three.submitted().hours_per_epoch
    key = sha256(f"simulation|5|{three.digest}|deviation".encode()).digest()
    raw = np.random.PCG64(int.from_bytes(key, "big")).random_raw(predicted.size)
    error = 0.4 * (2 * (raw >> np.uint64(11)).astype(float) / 2**53 - 1)
    factor = 1 + error if denominator == "predicted" else 1 / (1 + error)
    found, _ = real_times(three.submitted(), three.digest, options)
    usable = np.isfinite(predicted)
    expected = predicted[usable] * factor.reshape(predicted.shape)[usable]
    assert found[usable] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("energy", ["nodes", "base", "base:2", "base:x", "base:-1", ""])
def test_unknown_accounting_is_refused(energy):
    with pytest.raises(
        InputError, match=r"/energy: found .*, expected curve, gpu, node, or base:B"
    ):
        Options(energy=energy)


def test_prices_beyond_a_node_stay_infinite(three):
    for energy in ("curve", "gpu", "node", "base:0.5"):
        price = accounting.prices(three.cluster, energy)
        assert price[1].tolist()[3:] == [np.inf] * 2
        assert price[:, 0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("boot", -1.0),
        ("boot", float("inf")),
        ("checkpoint", "never"),
        ("events", "all"),
        ("period", 0.0),
        ("deviation", 0.5),
        ("denominator", "both"),
        ("decision_limit", 0.0),
        ("seed", -1),
    ],
)
def test_senseless_options_are_refused(option, value):
    with pytest.raises(InputError, match=f"/{option}"):
        Options(**{option: value})


@pytest.fixture
def five(make):
    """A node of 4 GPUs and one of 2; two jobs that can share a GPU."""
    return make(
        types={"A4": [2.0, 3.0, 4.0, 5.0], "B2": [1.0, 1.5]},
        nodes=[["A4"], ["B2"]],
        hours=[{"A": [2.0, 1.0]}, {"A": [3.0]}, {"B": [1.0]}, {"A": [2.0]}, {"A": [2.0]}],
        release=[0, 1, 2, 2, 2],
        due=[3, 20, 6, 9, 8],
        weight=[10, 1, 2, 5, 3],
        law=LAW,
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
    five, scripted, script, boot, checkpoint, ends, used, late, energy
):
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
    hours = {"A": one + 2 * two + 3 * three + 4 * four, "B": small}
    assert found.totals.gpu_hours == pytest.approx(hours)
    assert found.totals.idle_gpu_hours == pytest.approx(3 * one + 2 * two + three + small)


def test_what_was_interrupted_is_counted(five, scripted):
    kept = simulate(five, scripted(*KEPT)).totals
    slowed = simulate(five, scripted(*SLOWED)).totals
    booted = simulate(five, scripted(*SLOWED), Options(boot=0.5, checkpoint="epoch")).totals
    assert (kept.moves, slowed.moves, booted.moves) == (0, 2, 2)
    assert (kept.repeated_epochs, slowed.repeated_epochs, booted.repeated_epochs) == (0, 0, 1.0)


@pytest.mark.parametrize("options", [Options(period=0.3), Options(seed=7)])
def test_more_decisions_and_other_seeds_change_no_charge(five, scripted, options):
    plain = simulate(five, scripted(*KEPT)).totals
    found = simulate(five, scripted(*KEPT), options).totals
    assert (found.energy, found.tardiness) == pytest.approx((plain.energy, plain.tardiness))
    assert found.decisions >= plain.decisions


def test_arrivals_of_one_time_in_single_events_change_no_charge(five, scripted):
    plain = simulate(five, scripted(*KEPT)).totals
    found = simulate(five, scripted(*KEPT), Options(events="authors")).totals
    assert (found.energy, found.tardiness) == (plain.energy, plain.tardiness)
    assert found.decisions == plain.decisions + 2


@pytest.mark.parametrize("denominator", ["predicted", "real"])
@pytest.mark.parametrize("energy", ["curve", "gpu", "node", "base:0.25"])
def test_with_errors_the_real_hours_are_charged(make, scripted, energy, denominator):
    times = {"release": [0, 0, 1], "due": [1, 2, 3], "weight": [10, 20, 30]}
    nodes, hours = [["A2"]] * 3, [{"A": [2.0, 1.0]}] * 3
    workload = make(types={"A2": [1.0, 3.0]}, nodes=nodes, hours=hours, **times)
    options = Options(energy=energy, deviation=0.2, denominator=denominator, seed=5)
    found = simulate(workload, scripted({"j0": (0, 1), "j1": (1, 2), "j2": (2, 1)}), options)
    pace = real_times(workload.submitted(), workload.digest, options)[0]
    hours = pace[[0, 1, 2], 0, [1, 2, 1]]
    one_gpu = {"curve": 1.0, "gpu": 1.5, "node": 3.0, "base:0.25": 1.875}[energy]
    price = [one_gpu, 3.0, one_gpu]
    late = np.maximum(0.0, workload.jobs.release + hours - workload.jobs.due)
    assert (hours != [2, 1, 2]).all()
    assert found.totals.energy == pytest.approx(float(hours @ price), abs=1e-9)
    assert found.totals.tardiness == pytest.approx(float(late @ [10, 20, 30]), abs=1e-9)
