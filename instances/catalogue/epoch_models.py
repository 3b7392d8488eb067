"""
Laws of the number of epochs until patience stops a training job (Filippini 2024, VII-A2).

The paper trains for at most 100 epochs, stops after 10 without a better validation accuracy
(so W >= 11), and prints no probability. The catalogue's family fits its words; all of its
parameters are invented (`epochs_distribution.csv`):

    W = 11 + floor(90 X), X ~ Beta(a, b), mixed with atoms p at 11 and q at 100
    P(W <= w) = p + (1 - p - q) I_x(a, b), x = (w - 10) / 90, for 11 <= w < 100

Weights are P(W <= w) SCALE, rounded to integers, and their differences: they sum to SCALE, each
probability is within 1 / SCALE of the family's, and what rounds to 0 is left out. The incomplete
beta function is summed in 40-digit decimals: the same integers on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from functools import cache

from rsjs.core.errors import integer, one_of
from rsjs.instances.catalogue.gpus import table
from rsjs.instances.epoch_distribution import EpochDistribution

FIRST, LAST = 11, 100
SCALE = 10**12  # the largest weight that a file may hold
VARIANTS = ("base", "mild", "strong")
_DIGITS = 40


@cache
def networks() -> tuple[str, ...]:
    """The networks with a law: AlexNet, ResNet, VGG16, MobileNetV2."""
    return tuple(dict.fromkeys(row["network"] for row in table("epochs_distribution")))


@cache
def epoch_distribution(network: str, variant: str = "base") -> EpochDistribution:
    """
    The catalogue's law of a network.

    Parameters
    ----------
    network : str
        One of `networks()`.
    variant : "base" | "mild" | "strong"
        How far from the middle the law is skewed, in base as the words of the paper.
    """
    one_of("network", network, networks())
    one_of("variant", variant, VARIANTS)
    rows = table("epochs_distribution")
    row = next(row for row in rows if (row["network"], row["variant"]) == (network, variant))
    with localcontext(Context(prec=_DIGITS)):
        early, late = Decimal(row["p_atom_11"]), Decimal(row["p_atom_100"])
        beta = _beta_distribution(Decimal(row["a"]), Decimal(row["b"]), LAST - FIRST + 1)
        below = [round((early + (1 - early - late) * p) * SCALE) for p in beta[:-1]]
    return _of_distribution(FIRST, [*below, SCALE])


def fixed(epochs: int) -> EpochDistribution:
    """The law of a job that always runs so many epochs."""
    return EpochDistribution.of([[integer("epochs", epochs, 1), 1]])


def _of_distribution(first: int, below: Sequence[int]) -> EpochDistribution:
    """The law whose weights of first, ..., first + i sum to below[i]."""
    weights = [high - low for low, high in zip([0, *below], below, strict=False)]
    return EpochDistribution.of([[first + i, weight] for i, weight in enumerate(weights) if weight])


def _beta_distribution(a: Decimal, b: Decimal, n: int) -> list[Decimal]:
    """I_x(a, b) at x = 1/n, 2/n, ..., 1."""
    half = Decimal("0.5")
    whole = _beta_integral(half, a, b) + _beta_integral(half, b, a)
    return [
        _beta_integral(Decimal(i) / n, a, b) / whole
        if 2 * i <= n
        else 1 - _beta_integral(Decimal(n - i) / n, b, a) / whole
        for i in range(1, n + 1)
    ]


def _beta_integral(x: Decimal, a: Decimal, b: Decimal) -> Decimal:
    """Integral of t^(a-1) (1-t)^(b-1) from 0 to x <= 1/2: x^a sum_n x^n (1-b)_n / (n! (a+n))."""
    if not x:
        return Decimal(0)
    total, term, n = Decimal(0), Decimal(1), 0
    while abs(term) > Decimal(10) ** -_DIGITS:
        total += term / (a + n)
        n += 1
        term *= x * (n - b) / n
    return x**a * total
