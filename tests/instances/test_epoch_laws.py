"""The catalogue's laws against their table, scipy, and the base pmf that was tabulated."""

import csv
import json
from hashlib import sha256

import numpy as np
import pytest
from scipy.special import betainc

from rsjs.core.errors import InputError
from rsjs.instances.catalogue import epoch_models
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
