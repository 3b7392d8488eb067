"""
java.util.Random, bit for bit: the linear congruential generator of 48 bits.

    s_0 = (seed XOR 0x5DEECE66D) mod 2^48,  s <- (0x5DEECE66D s + 11) mod 2^48

A draw of b bits is the top b bits of s. Ranges and normal numbers are those of JDK 17 and later
(`nextInt(origin, bound)`, `nextGaussian(mean, deviation)`), not the polar method of the older
`nextGaussian()`; see `ziggurat` for the tables.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, inf

from rsjs.instances.mig.konopa.ziggurat import Ziggurat, exponential, normal

_MULTIPLIER, _INCREMENT, _STATE = 0x5DEECE66D, 0xB, (1 << 48) - 1
_32, _63, _64 = 1 << 32, 1 << 63, 1 << 64
_INFLECTION = 204  # layer of the normal curve that holds x = 1: convex below, concave above


class JavaRandom:
    """A stream of `new java.util.Random(seed)`."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _STATE

    def bits(self, count: int) -> int:
        """The next `count` bits, 1 to 32, as a number >= 0."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _STATE
        return self._state >> (48 - count)

    def int32(self) -> int:
        """`nextInt()`: an integer of 32 bits with its sign."""
        value = self.bits(32)
        return value - _32 if value >> 31 else value

    def uniform(self) -> float:
        """`nextDouble()`: a multiple of 2**-53 in [0, 1)."""
        high = self.bits(26)
        return ((high << 27) + self.bits(27)) * 2.0**-53

    def uniform_single(self) -> float:
        """`nextFloat()`: a multiple of 2**-24 in [0, 1)."""
        return self.bits(24) * 2.0**-24

    def integer(self, low: int, high: int) -> int:
        """`nextInt(low, high)`: an integer in [low, high); ValueError if there is none."""
        if low >= high:
            raise ValueError(f"no integer in [{low}, {high})")
        drawn, width = self.int32(), high - low
        if width >= 1 << 31:
            while not low <= drawn < high:
                drawn = self.int32()
            return drawn
        if not width & (width - 1):
            return (drawn & (width - 1)) + low
        positive = (drawn % _32) >> 1
        while positive + width - 1 - positive % width >= 1 << 31:  # the last, shorter stretch
            positive = self.bits(32) >> 1
        return positive % width + low

    def normal(self, mean: float, deviation: float) -> float:
        """`nextGaussian(mean, deviation)`: a normal number, of the modified ziggurat."""
        return mean + deviation * self._standard(normal())

    def _long(self) -> int:
        """`nextLong()` mod 2^64."""
        state = (self._state * _MULTIPLIER + _INCREMENT) & _STATE
        self._state = (state * _MULTIPLIER + _INCREMENT) & _STATE
        low = self._state >> 16
        return ((state >> 16 << 32) + low - (low >> 31 << 32)) % _64

    def _standard(self, table: Ziggurat) -> float:
        drawn = self._long()
        layer = drawn & 255
        if layer < table.layers:
            return table.x[layer] * (drawn - _64 if drawn >= _63 else drawn)
        sign = -1.0 if drawn >= _63 else 1.0
        layer = self._overhang(table)
        if layer == 0:
            return sign * self._tail(table.tail)
        return sign * self._under_normal(table, layer, drawn & (_63 - 1))

    def _overhang(self, table: Ziggurat) -> int:
        """The overhang to draw from, 0 the tail, by the alias table."""
        drawn = self._long()
        entry = drawn & 255
        signed = drawn - _64 if drawn >= _63 else drawn
        return entry if signed < table.keep[entry] else table.alias[entry]

    def _tail(self, start: float) -> float:
        while True:
            x = (1.0 / start) * self._exponential(inf)
            limit = 0.5 * x * x
            if self._exponential(limit) >= limit:
                return x + start

    def _under_normal(self, table: Ziggurat, layer: int, across: int) -> float:
        while True:
            up = self._long() >> 1
            spare = up - across
            if layer < _INFLECTION and spare < 0:  # mirrored: the overhang is below the diagonal
                up, across, spare = across, up, -spare
            x, y = _point(table, layer, across, up, fused=layer == _INFLECTION)
            if (layer > _INFLECTION and spare >= 0) or y <= exp(-0.5 * x * x):
                return x
            across = self._long() >> 1

    def _exponential(self, cap: float) -> float:
        """An exponential number; if it is above `cap`, any number that is not below it."""
        table = exponential()
        drawn = self._long()
        layer = drawn & 255
        if layer < table.layers:
            return table.x[layer] * (drawn >> 1)
        if cap <= 0:
            return 0.0
        most = floor(min(cap / table.tail, 2.0**63 - 1024))
        extra = 0
        while True:
            layer = self._overhang(table)
            if layer:
                beyond = self._under_exponential(table, layer, drawn >> 1)
                return _fused(float(extra), table.tail, beyond)
            if extra == most:
                return cap
            extra += 1
            drawn = self._long()
            layer = drawn & 255
            if layer < table.layers:
                return _fused(float(extra), table.tail, table.x[layer] * (drawn >> 1))

    def _under_exponential(self, table: Ziggurat, layer: int, across: int) -> float:
        while True:
            up = self._long() >> 1
            if up < across:
                up, across = across, up
            x, y = _point(table, layer, across, up, fused=False)
            if y <= exp(-x):
                return x
            across = self._long() >> 1


def _point(
    table: Ziggurat, layer: int, across: int, up: int, *, fused: bool
) -> tuple[float, float]:
    """A point of the rectangle around an overhang, from two integers of 63 bits."""
    x, y = table.x, table.y
    width, height = x[layer - 1] - x[layer], y[layer - 1] - y[layer]
    if fused:
        return (
            _fused(width, float(across), x[layer] * _63),
            _fused(height, float(up), y[layer] * _63),
        )
    return x[layer] * _63 + width * float(across), y[layer] * _63 + height * float(up)


def _fused(a: float, b: float, c: float) -> float:
    """a b + c, rounded once."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))
