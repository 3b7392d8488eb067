"""
Distributions of the number of epochs: those of the catalogue, and those in a user's file.

Filippini 2024, VII-A2, trains for at most 100 epochs, stops after 10 without a better validation
accuracy (so W >= 11), and prints no probability. The catalogue's family fits its words; all of its
parameters are invented (`epochs_distribution.csv`):

    W = 11 + floor(90 X), X ~ Beta(a, b), mixed with atoms p at 11 and q at 100
    P(W <= w) = p + (1 - p - q) I_x(a, b), x = (w - 10) / 90, for 11 <= w < 100

Weights are P(W <= w) SCALE, rounded to integers, and their differences: they sum to SCALE, each
probability is within 1 / SCALE of the family's, and what rounds to 0 is left out. The incomplete
beta function is summed in 40-digit decimals: the same integers on every machine.
"""

from __future__ import annotations

from collections import Counter
from decimal import Context, Decimal, localcontext
from functools import cache
from itertools import pairwise
from pathlib import Path

from rsjs.core.errors import InputError, described, one_of
from rsjs.instances.catalogue.gpus import row, table
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.io.csv_tables import Row

FIRST, LAST = 11, 100
SCALE = 10**12  # the largest weight that a file may hold
VARIANTS = ("base", "mild", "strong")
HEADER = ("epoch", "weight")  # of a histogram
MOST_EPOCHS = 10**9  # in a file of an instance
_DIGITS = 40


@cache
def networks() -> tuple[str, ...]:
    """Return the networks with a distribution: AlexNet, ResNet, VGG16, MobileNetV2."""
    return tuple(dict.fromkeys(entry["network"] for entry in table("epochs_distribution")))


@cache
def epoch_distribution(network: str, variant: str = "base") -> EpochDistribution:
    """
    Return the catalogue's distribution of a network.

    Parameters
    ----------
    network : str
        One of `networks()`.
    variant : "base" | "mild" | "strong"
        How far it is skewed from the middle, in base as the words of the paper.
    """
    one_of("network", network, networks())
    one_of("variant", variant, VARIANTS)
    shape = row("epochs_distribution", network=network, variant=variant)
    with localcontext(Context(prec=_DIGITS)):
        early, late = Decimal(shape["p_atom_11"]), Decimal(shape["p_atom_100"])
        beta = _beta_distribution(Decimal(shape["a"]), Decimal(shape["b"]), LAST - FIRST + 1)
        below = [round((early + (1 - early - late) * p) * SCALE) for p in beta[:-1]]
    weights = [high - low for low, high in pairwise([0, *below, SCALE])]
    return EpochDistribution.of([[FIRST + i, weight] for i, weight in enumerate(weights) if weight])


def read_distribution(path: str | Path) -> EpochDistribution:
    """
    Read a distribution from a file, in the form that the first line tells.

    * `epoch,weight`: a histogram. Each further line is an epoch and its weight, both whole
      numbers, in any order.
    * Otherwise each line is the number of epochs of one observed run, all equally likely (the
      empirical distribution). The first line may be the word `epoch`.

    Empty lines are skipped.

    Raises
    ------
    InputError
        Naming the file, the line ("/<line>/<column>"), the value found and what was expected.
    """
    path = Path(path)
    numbered = enumerate(read_text(path, encoding="utf-8-sig").splitlines(), start=1)
    lines = [(number, text.strip()) for number, text in numbered if text.strip()]
    first = _cells(lines[0][1]) if lines else []
    columns = HEADER if first == [*HEADER] else HEADER[:1]
    weights: Counter[int] = Counter()
    for number, text in lines[1 if first == [*columns] else 0 :]:
        cells = _cells(text) if columns == HEADER else [text]
        if len(cells) != len(columns):
            raise InputError(f"/{number}", text, ",".join(HEADER), path)
        line = Row(file=path, line=number, entries=dict(zip(columns, cells, strict=True)))
        epoch = line.integer("epoch", 1, MOST_EPOCHS)
        if columns == HEADER and epoch in weights:
            raise line.error("epoch", epoch, "an epoch that no line before has")
        weights[epoch] += line.integer("weight", 0, SCALE) if columns == HEADER else 1
    if not any(weights.values()):
        found = described("no epoch with a positive weight")
        raise InputError("", found, "at least one", path)
    return EpochDistribution.of(sorted(weights.items()))


def _beta_distribution(a: Decimal, b: Decimal, n: int) -> list[Decimal]:
    """Return the beta distribution function I_x(a, b) at x = 1/n, 2/n, ..., 1."""
    half = Decimal("0.5")
    whole = _beta_integral(half, a, b) + _beta_integral(half, b, a)
    return [
        _beta_integral(Decimal(i) / n, a, b) / whole
        if 2 * i <= n
        else 1 - _beta_integral(Decimal(n - i) / n, b, a) / whole
        for i in range(1, n + 1)
    ]


def _beta_integral(x: Decimal, a: Decimal, b: Decimal) -> Decimal:
    """
    Return the integral of t^(a-1) (1-t)^(b-1) from 0 to x <= 1/2.

    It is x^a sum_n x^n (1-b)_n / (n! (a+n)).
    """
    if not x:
        return Decimal(0)
    total, term, n = Decimal(0), Decimal(1), 0
    while abs(term) > Decimal(10) ** -_DIGITS:
        total += term / (a + n)
        n += 1
        term *= x * (n - b) / n
    return x**a * total


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.split(",")]
