"""The fit finds the law that measurements come from, and names what they leave open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.instances.catalogue.gpus import StepTime, gpu_names, networks, step_time
from rsjs.instances.profiles.fitting import fit
from rsjs.instances.profiles.measurements import Measurement

EVERYTHING = ((1, 2, 4, 8), (16, 32, 64))


def measured(law, gpus, batches, noise=None):
    pairs = [(k, b) for k in gpus for b in batches]
    factors = np.ones(len(pairs)) if noise is None else noise
    return [
        Measurement(
            line=2 + i,
            application="net",
            gpu="K80",
            gpus=k,
            batch=b,
            milliseconds=law.milliseconds(k, b) * factor,
        )
        for i, ((k, b), factor) in enumerate(zip(pairs, factors, strict=True))
    ]


@pytest.mark.parametrize("network", networks())
@pytest.mark.parametrize("gpu", gpu_names())
def test_every_law_of_the_catalogue_is_found_again(network, gpu):
    law = step_time(network, gpu)
    found = fit(measured(law, *EVERYTHING))
    assert found.rms < 1e-4
    assert found.undetermined == ()
    for k in (1, 3, 8):
        for b in (8, 48, 128):
            assert found.step_time.milliseconds(k, b) == pytest.approx(
                law.milliseconds(k, b), rel=0.01
            )


@given(st.tuples(*[st.floats(0, 50) for _ in range(4)]), st.floats(0.01, 20), st.floats(0, 1))
def test_exact_measurements_are_met_exactly(others, beta, rho):
    alpha, c0, c1, exchange = others
    times = {"alpha": alpha, "beta": beta, "rho": rho, "c0": c0, "c1": c1}
    law = StepTime(**times, exchange=exchange, io_cap=float("inf"), status="")
    found = fit(measured(law, *EVERYTHING))
    assert found.rms < 2e-3
    assert min(getattr(found.step_time, key) for key in ("alpha", "beta", "rho", "c0", "c1")) >= 0


@pytest.mark.parametrize(
    ("gpus", "batches", "left"),
    [
        (*EVERYTHING, set()),
        ((1,), (16, 32), {"exchange", "c1", "c0", "rho"}),
        ((1,), (32,), {"alpha", "exchange", "c1", "c0", "rho"}),
        ((1, 2), (16, 32), {"c1", "c0"}),
        ((1, 2, 4), (32,), {"alpha", "c0", "rho"}),
        ((2, 4), (16, 32), {"c1", "c0", "rho"}),
    ],
)
def test_what_measurements_leave_open_is_named_and_0(gpus, batches, left):
    found = fit(measured(step_time("ResNet-50", "K80"), gpus, batches))
    assert {*found.undetermined} == left
    assert all(getattr(found.step_time, name) == 0 for name in left)
    if "rho" not in left or gpus == (1,):
        assert found.rms < 1e-4


def test_errors_are_relative_and_no_other_law_has_less():
    law = step_time("VGG16", "V100")
    noise = np.exp(0.05 * np.sin(np.arange(12)))
    rows = measured(law, *EVERYTHING, noise)
    found = fit(rows)
    for row, ms, error in zip(rows, found.fitted, found.errors, strict=True):
        assert ms == pytest.approx(found.step_time.milliseconds(row.gpus, row.batch))
        assert error == pytest.approx(ms / row.milliseconds - 1)
    assert found.rms == pytest.approx(np.sqrt(np.mean(found.errors**2)))
    assert 0 < found.rms <= np.sqrt(np.mean((1 / noise - 1) ** 2))
    least = (found.errors**2).sum()
    for key in ("alpha", "beta", "rho", "c1"):
        for factor in (0.97, 1.03):
            other = StepTime(
                **{**vars(found.step_time), key: getattr(found.step_time, key) * factor}
            )
            errors = [other.milliseconds(r.gpus, r.batch) / r.milliseconds - 1 for r in rows]
            assert (np.array(errors) ** 2).sum() >= least
