"""The catalogue's distributions against their table and scipy; distributions read from files."""

import csv
import json
from hashlib import sha256

import numpy as np
import pytest
from scipy.special import betainc

from rsjs.core.errors import InputError
from rsjs.instances.catalogue import epoch_models
from rsjs.instances.catalogue.epoch_models import read_distribution
from rsjs.instances.catalogue.gpus import table

ROWS = table("epochs_distribution")
DIGEST = "0315336db88576a6153d17bbea68df55d02ad47eadb5bec3ca56bf573679bb2f"
NAMES = [f"{row['network']}-{row['variant']}" for row in ROWS]


def half_a_digit(text):
    """Half a unit of the last digit of a printed number, and a little more."""
    return 0.5000001 * 10.0 ** -len(text.partition(".")[2])


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_moments_are_the_printed_ones(row):
    law = epoch_models.epoch_distribution(row["network"], row["variant"])
    found = {
        "mean": law.mean,
        "sd": law.deviation,
        "skewness": law.skewness,
        "median": law.quantile(0.5),
        "q10": law.quantile(0.1),
        "q90": law.quantile(0.9),
        "P_W_eq_100": law.pmf[-1],
    }
    for name, value in found.items():
        assert value == pytest.approx(float(row[name]), abs=half_a_digit(row[name])), name


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_probabilities_are_those_of_the_family(row):
    law = epoch_models.epoch_distribution(row["network"], row["variant"])
    early, late = float(row["p_atom_11"]), float(row["p_atom_100"])
    beta = betainc(float(row["a"]), float(row["b"]), np.arange(1, 91) / 90)
    below = early + (1 - early - late) * beta
    survival = np.append(1 - below[:-1], 0)
    assert law.survival(np.arange(11, 101)) == pytest.approx(survival, abs=1e-12)
    assert law.survival(10) == 1
    assert int(law.weights.sum()) == epoch_models.SCALE
    assert (law.weights > 0).all()
    assert (np.diff(law.epochs) > 0).all()
    assert law.epochs[0] >= epoch_models.FIRST
    assert law.last == epoch_models.LAST


def test_the_base_pmf_is_the_tabulated_one(shared):
    with (shared / "data/catalogue/epochs_pmf_base.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["epoch"]) for row in rows] == list(range(11, 101))
    for network in epoch_models.networks():
        printed = [float(row[network]) for row in rows]
        pmf = epoch_models.epoch_distribution(network).pmf
        # Printed to 6 digits; our weights are rounded to 1e-12.
        assert pmf == pytest.approx(printed, rel=5e-6, abs=1e-12), network


def test_weights_are_the_ones_they_always_were():
    pairs = [
        np.column_stack([law.epochs, law.weights]).tolist()
        for law in (epoch_models.epoch_distribution(row["network"], row["variant"]) for row in ROWS)
    ]
    assert pairs[9][0] == [11, 99959]
    assert sha256(json.dumps(pairs).encode()).hexdigest() == DIGEST


@pytest.mark.parametrize(
    ("call", "known"),
    [
        (
            lambda: epoch_models.epoch_distribution("ResNet-50"),
            "ResNet",
        ),  # the paper does not tell the depth
        (lambda: epoch_models.epoch_distribution("VGG16", "none"), "strong"),
    ],
)
def test_unknown_laws_are_refused_with_the_known_ones(call, known):
    with pytest.raises(InputError, match=known):
        call()


@pytest.fixture
def law(tmp_path):
    """Read a law from a text."""

    def read(text):
        path = tmp_path / "law.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_distribution(path)

    return read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("epoch,weight\n40,3\n12,1\n13,0\n", [(12, 1), (13, 0), (40, 3)]),  # in any order
        ("12\n40\n12\n", [(12, 2), (40, 1)]),  # runs are counted
        ("epoch\n12\n", [(12, 1)]),  # a header
        ("\ufeffepoch,weight\n12,1\n", [(12, 1)]),  # a byte order mark
        ("epoch, weight\r\n\r\n 12 , 1 \r\n", [(12, 1)]),  # Windows, blanks
        ("epoch,weight\n\n12,1", [(12, 1)]),  # no line end
    ],
)
def test_histograms_and_observed_runs_are_read(law, text, expected):
    found = law(text)
    assert list(zip(found.epochs.tolist(), found.weights.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # histograms
        ("epoch,weight\n12,1\n12,2\n", "/3/epoch: found 12, expected an epoch that no line"),
        ("epoch,weight\n12,-1\n", "/2/weight: found '-1'"),
        ("epoch,weight\n12,0.5\n", "/2/weight: found '0.5', expected a whole number"),
        ("epoch,weight\n12,1e13\n", "/2/weight: found '1e13'"),  # above what a file may hold
        ("epoch,weight\n0,1\n", "/2/epoch: found '0', expected a whole number 1 to"),
        ("epoch,weight\n\n12\n", "/3: found '12', expected epoch,weight"),
        ("epoch,weight\n12,1,1\n", "/2: found '12,1,1'"),
        ("epoch,weight\n12,0\n", "no epoch with a positive weight"),
        ("epoch,weight\n", "no epoch with a positive weight"),
        # runs
        ("12\nmany\n", "/2/epoch: found 'many'"),
        ("nan\n", "/1/epoch: found 'nan'"),
        ("epochs,weights\n12,1\n", "/1/epoch: found 'epochs,weights'"),  # another header
        ("epoch\n", "no epoch with a positive weight"),
        ("", "no epoch with a positive weight"),
        (b"12\n\xff\n", "byte 0xff at offset 3, expected UTF-8 text"),
    ],
)
def test_bad_lines_are_refused_with_file_line_and_value(law, tmp_path, text, told):
    with pytest.raises(InputError) as caught:
        law(text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'law.csv'}: ")
    assert told in message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: found No such file"):
        read_distribution(tmp_path / "none.csv")
