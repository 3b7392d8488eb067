"""The published generator: its dataset, the order of its draws, what it clips."""

from hashlib import sha256
from math import inf, log, trunc

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.mig.konopa.files import SHA256, published_dataset
from rsjs.instances.mig.konopa.generator import _integer, generate, to_config
from rsjs.instances.mig.konopa.java_random import JavaRandom

GROUPS = {
    "priority": "priorityConfigSettings",
    "deadline": "deadlineConfigSettings",
    "memory": "maxRamUsageConfigSettings",
    "run_length": "maxTimeslicesNumberConfigSettings",
    "interruptible": "stoppabilityConfigSettings",
    "cuda_cores": "cudaCoresConfigSettings",
    "gap": "jobsArrivalConfigSettings",
}


def uniform(low, high, kind="Random"):
    bounds = {"lowerBound": low, "upperBound": high}
    return {"type": kind, "distributionType": "Uniform", "distributionParams": bounds}


def normal(mean, sd, kind="Random"):
    moments = {"mean": mean, "sd": sd}
    return {"type": kind, "distributionType": "Normal", "distributionParams": moments}


@pytest.fixture
def jobs(legacy):
    """The jobs of the published configuration with some groups in place of its own."""

    def make(n=200, seed=41, **groups):
        for name, group in groups.items():
            legacy[GROUPS[name]] = group
        return generate(to_config(legacy | {"numberOfJobs": n, "seed": seed}), name="test")

    return make


def test_the_published_dataset_is_made_again_byte_for_byte():
    assert sha256(published_dataset()).hexdigest() == SHA256


def test_everything_is_drawn_from_one_stream_job_by_job(jobs):
    found = jobs(
        n=50,
        priority=uniform(1, 5),
        interruptible={"type": "Random", "stoppableProbability": 0.3},
        deadline=uniform(10, 20),
        run_length=uniform(1, 4),
        memory=normal(100, 30, "RandomIndependent"),
        cuda_cores=normal(3, 2),
    )
    stream, clock = JavaRandom(41), 0.0
    for j in range(50):
        assert found.priority[j] == stream.integer(1, 6)
        assert found.interruptible[j] == (stream.uniform_single() < 0.3)
        assert found.deadline[j] == stream.integer(10, 21)
        n = stream.integer(1, 5)
        assert found.run_length[j] == n
        memory = [abs(trunc(stream.normal(100, 30))) for _ in range(n)]
        assert found.memory[found.start[j] : found.start[j + 1]].tolist() == memory
        assert found.cuda_cores[j] == max(1, trunc(stream.normal(3, 2)))
        clock += -log(1 - stream.uniform()) / 10
        assert found.arrival[j] == clock


def test_bounds_are_inclusive_but_for_memory(jobs):
    found = jobs(
        n=2000,
        priority=uniform(-1, 1),
        run_length=uniform(1, 2),
        memory=uniform(5, 8, "RandomIndependent"),
        cuda_cores=uniform(7, 7),
        gap=uniform(0, 2),
    )
    assert {*found.priority} == {-1, 0, 1}  # nothing is clipped
    assert ({*found.run_length}, {*found.memory}) == ({1, 2}, {5, 6, 7})
    assert {*found.cuda_cores} == {7}
    assert {*(found.arrival[1:] - found.arrival[:-1])} == {0, 1, 2}


def test_normal_integers_are_cut_towards_zero_and_at_least_one(jobs):
    found = jobs(n=500, priority=normal(0, 2), run_length=normal(1.9, 0.001), memory=fixed(7))
    assert found.priority.min() == 1
    assert found.priority.max() > 3
    assert {*found.run_length} == {1}  # 1.9 is cut, not rounded


def fixed(value):
    return {"type": "Fixed", "maxRamUsage": value}


def test_memory_is_reflected_at_zero_at_first_and_clipped_there_later(jobs):
    independent = jobs(n=500, memory=normal(0, 50, "RandomIndependent"))
    assert (independent.memory == 0).mean() < 0.05
    dependent = jobs(n=500, memory=normal(0, 50, "RandomDependentOnPrevious"))
    first, later = dependent.memory[dependent.start[:-1]], dependent.memory
    assert (first == 0).mean() < 0.05
    assert (later == 0).sum() - (first == 0).sum() > 0.1 * (len(later) - len(first))


def test_a_uniform_walk_steps_up_to_half_the_range_and_has_no_upper_bound(jobs):
    walk = uniform(
        10, 15, "RandomDependentOnPrevious"
    )  # half of 5 is 2: the upper end is not drawn
    found = jobs(n=300, run_length={"type": "Fixed", "maxTimeslicesNumber": 30}, memory=walk)
    runs = found.memory.reshape(300, 30)
    steps = runs[:, 1:] - runs[:, :-1]
    assert {*steps[runs[:, :-1] > 2]} == {-2, -1, 0, 1}
    assert runs[:, 0].max() == 14
    assert runs.max() > 15
    assert runs.min() == 0


def test_a_normal_deadline_is_drawn_and_then_forgotten(jobs):
    forgotten, none = jobs(deadline=normal(50, 5)), jobs(deadline={"type": "NotDefined"})
    assert {*forgotten.deadline} == {0}
    assert {*none.deadline} == {inf}
    assert forgotten.run_length.tolist() != none.run_length.tolist()  # the draw is made
    assert {*jobs(deadline=uniform(-1, 0)).deadline} == {0, inf}  # -1 is none, as in the files
    assert len(jobs(n=0)) == 0


@pytest.mark.parametrize(
    ("value", "expected"),  # Math.round((int) value) of JDK 17
    [
        (-2.9, -2),
        (2.9, 2),
        (1.6777217e7, 16777216),
        (33554435.7, 33554436),
        (-20000001.2, -20000000),
        (16777219.0, 16777220),
        (3e9, 2147483647),
        (-4e9, -2147483648),
        (inf, 2147483647),
    ],
)
def test_large_integers_are_rounded_to_single_precision(value, expected):
    assert _integer(value) == expected


def test_a_second_stream_for_arrivals_leaves_the_rest(legacy):
    config = to_config(legacy)
    one, two = (generate(config, name="test", arrival_seed=seed) for seed in (1, 2))
    assert one.memory.tolist() == two.memory.tolist()
    assert one.arrival.tolist() != two.arrival.tolist()


def test_run_lengths_that_no_memory_holds_are_an_error(jobs):
    with pytest.raises(InputError, match="/maxTimeslicesNumberConfigSettings: found more than"):
        jobs(n=1, run_length=normal(1e9, 0))
