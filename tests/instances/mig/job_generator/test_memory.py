"""Memory over a run."""

from re import escape

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.mig.job_generator.memory import JOB, MODELS, UNIT, JobRuns, memory_model
from rsjs.instances.mig.job_generator.random_streams import Uniforms

HIGH = {"dist": "uniform", "low": 100, "high": 900}


@pytest.fixture
def memory(node):
    """The memory of some runs as a list of arrays, job by job."""

    def draw(config, run_length, seed=1):
        length = np.array(run_length)
        runs = JobRuns(
            run_length=length,
            jobs=Uniforms.of(seed, JOB, len(length)),
            units=Uniforms.of(seed, UNIT, int(length.sum())),
        )
        return np.split(memory_model(node(config)).draw(runs), np.cumsum(length)[:-1])

    return draw


def walk(**changes):
    step = {"kind": "normal", "sd": 20}
    return {"model": "random_walk", "first": HIGH, "step": step} | changes


ALL = [
    {"model": "fixed", "value": HIGH},
    {"model": "iid", "value": HIGH},
    walk(),
    walk(out_of_range="resample", clip=[50, 600]),
    {"model": "ar1", "mean": HIGH, "phi": 0.8, "sd": 30},
    {"model": "profile", "points": [[0, 0.2], [0.3, 1]], "peak": HIGH, "noise": {"rel_sd": 0.1}},
]


@pytest.mark.parametrize("config", ALL, ids=lambda config: config["model"])
def test_every_model_fills_all_time_units_with_integers_and_sizes_nest(memory, config):
    few, many = memory(config, [3, 1, 5]), memory(config, [3, 1, 5, 2, 7])
    assert [len(run) for run in many] == [3, 1, 5, 2, 7]
    assert all(np.array_equal(a, b) for a, b in zip(few, many, strict=False))
    joined = np.concatenate(many)
    assert np.array_equal(joined, np.rint(joined))
    assert joined.min() >= 0


def test_every_model_is_tried():
    assert {config["model"] for config in ALL} == {*MODELS}


def test_fixed_memory_is_that_of_the_job_and_iid_is_not(memory):
    assert all(len({*run}) == 1 for run in memory(ALL[0], [4] * 20))
    assert all(len({*run}) > 1 for run in memory(ALL[1], [9] * 20))


def test_steps_have_their_deviation_and_are_relative_if_asked(memory):
    runs = np.array(memory(walk(first=5000, round="none"), [40] * 300))
    assert np.diff(runs, axis=1).std() == pytest.approx(20, rel=0.03)
    relative = walk(step={"kind": "normal", "rel_sd": 0.05}, round="none")
    runs = np.array(memory(relative, [10] * 1000))
    assert (np.diff(runs, axis=1) / runs[:, :-1]).std() == pytest.approx(0.05, rel=0.03)


def test_a_walk_goes_on_from_the_clipped_and_rounded_value(memory):
    down = walk(first=105.4, step={"dist": "const", "value": -30.6}, clip=[50, 90])
    (run,) = memory(down | {"round": "floor"}, [4])
    assert run.tolist() == [90, 59, 50, 50]
    steps = walk(first=100, step={"dist": "const", "value": 0.4})
    assert memory(steps, [4])[0].tolist() == [100, 100, 100, 100]  # each rounded back


def test_a_walk_that_draws_again_stays_within_and_does_not_pile_up_at_the_bounds(memory):
    bounds = {"clip": [400, 600], "round": "none", "step": {"kind": "normal", "sd": 100}}
    clipped = np.concatenate(memory(walk(**bounds), [20] * 100))
    again = np.concatenate(memory(walk(**bounds, out_of_range="resample"), [20] * 100))
    assert np.isin(clipped, [400, 600]).mean() > 0.2
    assert not np.isin(again, [400, 600]).any()
    assert (again > 400).all()
    assert (again < 600).all()


def test_an_autoregression_is_stationary_around_its_mean(memory):
    config = {"model": "ar1", "mean": 1000, "phi": 0.9, "sd": 10, "round": "none"}
    runs = np.array(memory(config, [20] * 2000)) - 1000
    deviation = 10 / np.sqrt(1 - 0.81)
    assert runs[:, 0].std() == pytest.approx(deviation, rel=0.05)
    assert runs[:, -1].std() == pytest.approx(deviation, rel=0.05)
    assert np.corrcoef(runs[:, 4], runs[:, 5])[0, 1] == pytest.approx(0.9, abs=0.02)


def test_a_profile_follows_its_points_at_the_middle_of_each_unit(memory):
    config = {"model": "profile", "points": [[0, 0], [0.5, 1], [1, 0]], "peak": 400}
    assert memory(config, [4])[0].tolist() == [100, 300, 300, 100]


BAD = [
    (walk(step={"kind": "normal"}), "/here/step: found an object, expected either sd or rel_sd"),
    (walk(step={"kind": "normal", "sd": 1, "rel_sd": 1}), "/here/step: found an object"),
    (walk(clip=[5, 4]), "/here/clip/1: found 4"),
    ({"model": "ar1", "mean": 1, "phi": 1, "sd": 1}, "/here/phi: found 1"),
    ({"model": "profile", "points": [[0, 1], [0, 2]], "peak": 1}, "/here/points/1/0: found 0"),
    ({"model": "profile", "points": [[0, 1], [1.5, 2]], "peak": 1}, "/here/points/1/0: found 1.5"),
]


@pytest.mark.parametrize(("config", "message"), BAD)
def test_a_model_that_makes_no_sense_is_refused_where_it_stands(memory, config, message):
    with pytest.raises(InputError, match=escape(message)):
        memory(config, [2])


def test_a_walk_that_cannot_stay_within_is_an_error(memory):
    config = walk(first=55, step={"dist": "const", "value": 9}, clip=[50, 60])
    with pytest.raises(
        InputError, match="/here/step: found an object, expected steps that stay from 50 to 60"
    ):
        memory(config | {"out_of_range": "resample"}, [3])
