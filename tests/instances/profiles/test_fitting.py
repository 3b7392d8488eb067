"""Measurements read from CSV files, and step times fitted to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances.catalogue.gpus import StepTime, gpu_names, networks, step_time
from rsjs.instances.profiles.fitting import Measurement, fit, read_measurements

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


HEADER = "application,gpu,gpus,batch,seconds\n"


def test_a_row_is_a_measurement(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(f"\ufeff{HEADER}\nBERT, T4,2,16,0.25\n", "utf-8")
    (row,) = read_measurements(path)
    assert (row.line, row.application, row.gpu) == (3, "BERT", "T4")
    assert (row.gpus, row.batch, row.milliseconds) == (2, 16, 250.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "found no line after the first"),
        (HEADER, "found no line after the first"),
        ("application,gpu,batch,gpus,seconds\na,T4,1,1,1\n", r"/1/3: found 'batch', .*'gpus'"),
        ("a,T4,1,8,0.1\na,T4,1,8,0.1\n", "/1/1: found 'a', expected the column 'application'"),
        (f"{HEADER}a,T4,1,8\n", "/2: found 4 columns, expected 5"),
        (f"{HEADER}a,T4,1,8,1\n,T4,1,8,1\n", "/3/application: found ''"),
        (f"{HEADER}a,,1,8,1\n", "/2/gpu: found ''"),
        (f"{HEADER}a,T4,0,8,1\n", "/2/gpus: found '0', expected a whole number 1 to 1024"),
        (f"{HEADER}a,T4,1.5,8,1\n", "/2/gpus: found '1.5'"),
        (f"{HEADER}a,T4,two,8,1\n", "/2/gpus: found 'two'"),
        (f"{HEADER}a,T4,1,-8,1\n", "/2/batch: found '-8'"),
        (f"{HEADER}a,T4,1,8,0\n", "/2/seconds: found '0', expected a finite number > 0"),
        (f"{HEADER}a,T4,1,8,nan\n", "/2/seconds: found 'nan'"),
        (f"{HEADER}a,T4,1,8,1e999\n", "/2/seconds: found '1e999'"),
        (f"{HEADER}a,T4,1,8,1e305\n", "/2/seconds: found '1e305', expected 1e-09 to 1e"),
        (f"{HEADER}a,T4,1,8,1e-320\n", "/2/seconds: found '1e-320', expected 1e-09 to 1e"),
        (f"{HEADER}a\x1b[31m,T4,1,8,1\n", "/2/application: found .*a name that can be printed"),
    ],
)
def test_bad_rows_are_refused_by_line_and_column(text, told, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=told) as error:
        read_measurements(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_measurements(tmp_path / "none.csv")
