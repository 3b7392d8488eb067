"""Sets of jobs beside their laws: true laws pass, false ones do not."""

import numpy as np
import pytest
from scipy import stats

from rsjs.instances.mig.job_generator.distributions import value
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.job_generator.goodness_of_fit import Reference, statistics
from rsjs.instances.mig.job_generator.random_streams import Uniforms

LAWS = [
    {"dist": "normal", "mean": 3, "sd": 2},
    {"dist": "normal", "mean": 3, "sd": 2, "clip": [2, 4]},
    {"dist": "normal", "mean": 3, "sd": 2, "truncate": [2, 9], "round": "nearest"},
    {"dist": "poisson", "lambda": 2.5},
    {"dist": "choice", "values": [1, 2, 5], "weights": [5, 3, 1]},
    {
        "dist": "mixture",
        "components": [
            {"weight": 1, "dist": {"dist": "exponential", "rate": 2}},
            {"weight": 1, "dist": {"dist": "uniform", "low": 5, "high": 6, "truncate": [5, 5.5]}},
        ],
    },
]


@pytest.mark.slow
@pytest.mark.parametrize("config", LAWS)
def test_values_of_a_law_are_like_it_and_shifted_ones_are_not(node, config):
    law = value(node(config))
    reference = Reference.of(law)
    drawn = (law.draw(Uniforms.of(seed, "x", 1000)) for seed in range(20))
    p = [reference.p_value(np.round(values, 6)) for values in drawn]
    assert stats.kstest(p, stats.uniform(0, 1).cdf).pvalue > 1e-4
    shifted = law.draw(Uniforms.of(1, "x", 1000)) * 1.25
    assert reference.p_value(shifted) < 1e-4


@pytest.mark.parametrize(
    ("config", "mean", "deviation"),
    [
        (7, 7, 0),
        ({"dist": "normal", "mean": 3, "sd": 2}, 3, 2),
        ({"dist": "exponential", "rate": 0.25}, 4, 4),
        ({"dist": "poisson", "lambda": 2.5}, 2.5, 2.5**0.5),
        ({"dist": "pareto", "alpha": 3, "xm": 2}, 3, 3**0.5),
        ({"dist": "uniform_int", "low": 1, "high": 10}, 5.5, (99 / 12) ** 0.5),
        ({"dist": "normal", "mean": 0, "sd": 1, "abs": True}, (2 / np.pi) ** 0.5, None),
        ({"dist": "pareto", "alpha": 1.5, "xm": 1}, 3, None),  # no finite variance
        ({"dist": "pareto", "alpha": 0.9, "xm": 1}, None, None),  # no finite mean
    ],
)
def test_moments_of_a_law(node, config, mean, deviation):
    found = Reference.of(value(node(config))).moments()
    assert found[0] == (None if mean is None else pytest.approx(mean, rel=2e-3))
    if deviation is not None:
        assert found[1] == pytest.approx(deviation, rel=2e-3)
    elif mean in (None, 3):
        assert found[1] is None


def test_a_sample_too_small_for_two_bins_has_no_p_value(node):
    assert Reference.of(value(node(LAWS[0]))).p_value(np.array([3.0] * 9)) is None
    assert Reference.of(value(node(7))).p_value(np.array([7.0] * 900)) is None


def rows_of(sets, config):
    return {(row.field, row.job_class): row for row in statistics(sets, config)}


def test_every_field_stands_beside_its_law(day, read):
    config = read(day | {"count": 2000})
    rows = rows_of([generate(config, seed) for seed in (1, 2)], config)
    assert rows["gap", ""].n == 4000
    assert rows["gap", ""].law_mean == pytest.approx(0.5, rel=1e-3)
    tested = {key for key, row in rows.items() if row.p_value is not None}
    assert tested == {
        ("gap", ""),
        ("priority", "train"),
        ("run_length", "train"),
        ("interruptible", "train"),
        ("memory, first", "train"),
        ("memory, first", "serve"),
    }
    assert min(rows[key].p_value for key in tested) > 1e-4
    assert rows["memory, first", "train"].law_mean == pytest.approx(995.5, rel=1e-3)
    assert rows["cost", "train"].mean == 0.5
    assert ("team", "train") not in rows  # no numbers
    assert ("deadline", "serve") not in rows  # none


def test_sets_of_other_laws_are_noticed(day, read):
    sets = [generate(read(day | {"count": 3000}), 1)]
    day["arrivals"]["rate"] = 3
    day["classes"][0]["priority"]["weights"] = [5, 3, 2]
    rows = rows_of(sets, read(day | {"count": 3000}))
    assert rows["gap", ""].p_value < 1e-6
    assert rows["priority", "train"].p_value < 1e-4
    assert rows["run_length", "train"].p_value > 1e-4


def test_arrivals_at_a_varying_rate_are_tested_by_the_integrated_rate(day, read):
    day["arrivals"] = {"process": "nhpp", "period": 24, "points": [[0, 2], [8, 20], [17, 1]]}
    sets = [generate(read(day | {"count": 3000}), 1)]
    assert rows_of(sets, read(day))["gap", ""].p_value > 1e-4
    day["arrivals"]["points"][1][1] = 12
    assert rows_of(sets, read(day))["gap", ""].p_value < 1e-4


def test_sets_without_a_configuration_are_described(day, read):
    (row,) = [row for row in statistics([generate(read(day), 1)]) if row.field == "gap"]
    assert row.n == 40
    assert row.p_value is None


def test_the_share_of_clipped_values_is_told(day, read):
    day["classes"][0]["priority"] = {"dist": "uniform", "low": 0, "high": 10, "clip": [4, 8]}
    config = read(day | {"count": 2000})
    rows = rows_of([generate(config, 1)], config)
    # [0, 4.5] goes to 4 and [7.5, 10] to 8
    assert rows["priority", "train"].at_clip == pytest.approx(0.45 + 0.25, abs=0.05)
    assert rows["run_length", "train"].at_clip is None
