"""Numbers and names as people read them: enough digits, no false ones, never a bare nan."""

from __future__ import annotations

import re
from functools import partial
from math import floor, isfinite, log10

TIMES = "\N{MULTIPLICATION SIGN}"
MISSING = DASH = "\N{EN DASH}"
LEAST_PERCENT = 0.001  # nearer to 0 % or to 100 % is told as such, not rounded away


def significant(value: float, digits: int) -> str:
    """
    Write `digits` significant digits; whole numbers below 1e9 are never rounded to tens.

    A dash for a number that is not finite.

    >>> significant(1.59855845, 6), significant(104664.29, 4), significant(5.8767e-05, 3)
    ('1.59856', '104664', '5.88e-5')
    """
    if not isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if -4 <= power < 9:
        return f"{value:.{max(0, digits - 1 - power)}f}"
    return f"{mantissa}e{power}"


def percent(fraction: float) -> str:
    """
    Write a fraction in percent, without the sign: 2 significant digits of the distance to 0 or 100.

    Only 0 is shown as 0 and only 1 as 100.

    >>> percent(5.6e-6), percent(0.0123), percent(0.99953), percent(1.0)
    ('<0.001', '1.2', '99.953', '100')
    """
    value = 100 * fraction
    if not isfinite(value):
        return MISSING
    left = 100 - value
    if 0 < value < LEAST_PERCENT:
        return f"<{LEAST_PERCENT}"
    if 0 < left < LEAST_PERCENT:
        return f">{100 - LEAST_PERCENT}"
    if 0 < left <= 1:
        return f"{value:.{1 - floor(log10(left))}f}"
    return significant(value, 2)


count = "{:.0f}".format
plain = "{:.12g}".format  # a number as it is; whole ones without a point
cost = partial(significant, digits=6)  # $ of a solution or a bound
term = partial(significant, digits=4)  # $ of one term of the cost
measured = partial(significant, digits=3)  # s or MB


def ratio(value: float) -> str:
    """
    Return cost / best, which is 1 only for equal costs.

    >>> ratio(1.0), ratio(1.000001), ratio(1.00004), ratio(23.4), ratio(20345.0), ratio(0.99)
    ('1', '<1.00001', '1.00004', '23.4', '20345', '0.990')
    """
    if not isfinite(value):
        return MISSING
    if abs(value - 1) < 1e-9:
        return "1"
    if 1 < value < 1.000005:
        return "<1.00001"
    if 0.999995 < value < 1:
        return ">0.99999"
    return significant(value, 3) if abs(value - 1) >= 0.01 else f"{value:.5f}"


def counted(amount: int, noun: str) -> str:
    """
    Return a count with its noun.

    >>> counted(1, "thread"), counted(8, "thread")
    ('1 thread', '8 threads')
    """
    return f"{amount} {noun}{'' if amount == 1 else 's'}"


def pieces_of(name: str) -> list[str]:
    """Return the parts of a name between which a line may end: after punctuation."""
    return re.split(r"(?<=[\s?,:@_-])", name)


def folded(name: str, width: int) -> list[str]:
    """
    Break a long name into lines, after its punctuation where that is possible.

    >>> folded("rsjs_classes@highs?packing=splits", 24)
    ['rsjs_classes@highs?', 'packing=splits']
    """
    lines = [""]
    for piece in pieces_of(name):
        if len(lines[-1]) + len(piece) > width and lines[-1]:
            lines.append("")
        pieces = [piece[i : i + width] for i in range(0, len(piece), width)] or [""]
        lines[-1:] = [lines[-1] + pieces[0], *pieces[1:]]
    return [line.strip() for line in lines]
