"""
java.util.Random, bit for bit: the linear congruential generator of 48 bits.

    s_0 = (seed XOR 0x5DEECE66D) mod 2^48,  s <- (0x5DEECE66D s + 11) mod 2^48

A draw of b bits is the top b bits of s. Ranges and normal numbers are those of JDK 17 and later:
`nextInt(origin, bound)`, and `nextGaussian(mean, deviation)` by McFarland's modified ziggurat, not
by the polar method of the older `nextGaussian()`.

C. D. McFarland, "A modified ziggurat algorithm for generating exponentially and normally
distributed pseudorandom numbers", J. Stat. Comput. Simul. 86 (2016) 1281-1294. Under a decreasing
curve f with f(0) = 1 lie N layers of the same area A = (area under f) / 256:

    x_0 = largest root of x f(x) = A
    x_i = largest root of x (f(x) - f(x_{i-1})) = A      i = 1, ..., N - 1
    x_N = 0,  y_i = f(x_i)

What the layers leave over, the tail beyond x_0 and an overhang between curve and each layer, is
drawn with probability in proportion to its area

    a_0 = int_{x_0}^inf f,  a_j = int_{x_j}^{x_{j-1}} f - (x_{j-1} - x_j) y_{j-1}
    p_j = 256 a_j / sum a

by an alias table of 256 entries: entry j is kept with probability w_j and else replaced by M_j,

    w_j = p_j - sum_{i: M_i = j} (1 - w_i)

The map M is a choice, not a consequence: the two maps below are those of OpenJDK 17, observed
from what it draws. Everything else is computed here in 40 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import exp, floor, inf

Real = Decimal
DIGITS = 40
ENTRIES = 256
_STEP = Decimal(10) ** (-DIGITS // 2)
_PI = Decimal("3.14159265358979323846264338327950288419716939937510")

# value*count, in the order of the entries
_NORMAL_MAP = """
0*2 239 2 0*8 1*3 253*179 252*10 251*7 250*5 249*3 248*3 247*3 246*2 245 244*2 243 242 240 2*2 3*2
0*2 240 241 242 243 244 245 246 247 248 249 250 251 252 253 1 0*2
"""
_EXPONENTIAL_MAP = """
0*2 1 235 3 4 5 0*11 1*4 2*2 252*153 251*13 250*7 249*6 248*4 247*4 246*3 245*2 244*2 243*2 242
241*2 240 239 237 3*2 4*2 6 0*4 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251
252 2 0*3
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ziggurat:
    """The tables of one curve."""

    layers: int  # N
    tail: float  # x_0, where the tail begins
    x: tuple[float, ...]  # (N + 1,) corners of the layers times 2**-63, for integers of 63 bits
    y: tuple[float, ...]
    keep: tuple[int, ...]  # (256,) entry j is kept if a signed integer of 64 bits is below keep_j
    alias: tuple[int, ...]  # (256,) M_j, which replaces entry j otherwise


@cache
def normal() -> Ziggurat:
    """Return the tables of f(x) = exp(-x^2 / 2), N = 253."""
    with localcontext() as context:
        context.prec = DIGITS
        return _tables(
            253,
            (_PI / 2).sqrt(),
            lambda x: (-x * x / 2).exp(),
            lambda x, y: -x * y,
            _integral_of_normal,
            _NORMAL_MAP,
        )


@cache
def exponential() -> Ziggurat:
    """Return the tables of f(x) = exp(-x), N = 252."""
    with localcontext() as context:
        context.prec = DIGITS
        return _tables(
            252,
            Decimal(1),
            lambda x: (-x).exp(),
            lambda x, y: -y,
            lambda x, y: 1 - y,
            _EXPONENTIAL_MAP,
        )


def _tables(
    layers: int,
    under_curve: Real,
    curve: Callable[[Real], Real],
    slope: Callable[[Real, Real], Real],
    integral: Callable[[Real, Real], Real],
    alias_text: str,
) -> Ziggurat:
    """Compute the tables of a curve; `slope` and `integral` (from 0) take x and f(x)."""
    area = under_curve / ENTRIES
    x: list[Real] = []
    y: list[Real] = []
    for _ in range(layers):
        # The largest root of x (f(x) - below) = area, by Newton's method from beyond the maximum.
        below, root = (y[-1], x[-1]) if x else (Decimal(0), Decimal(2))
        step = Decimal(1)
        while abs(step) >= _STEP:  # what is left is of the order of its square
            height = curve(root)
            step = (root * (height - below) - area) / (height - below + root * slope(root, height))
            root -= step
        x.append(root)
        y.append(curve(root))
    x.append(Decimal(0))
    y.append(Decimal(1))
    up_to = [integral(*corner) for corner in zip(x, y, strict=True)]
    areas = [under_curve - up_to[0]]
    areas += [up_to[j - 1] - up_to[j] - (x[j - 1] - x[j]) * y[j - 1] for j in range(1, layers + 1)]
    alias = _run_lengths(alias_text)
    return Ziggurat(
        layers=layers,
        tail=float(x[0]),
        x=tuple(float(value) * 2.0**-63 for value in x),
        y=tuple(float(value) * 2.0**-63 for value in y),
        keep=_thresholds(areas, alias),
        alias=alias,
    )


def _integral_of_normal(x: Real, y: Real) -> Real:
    """Return int_0^x exp(-t^2/2) dt = exp(-x^2/2) (x + x^3/3 + x^5/(3 5) + ...)."""
    term, total, k = x, x, 1
    while term > Decimal(10) ** -DIGITS:
        k += 2
        term = term * x * x / k
        total += term
    return y * total


def _thresholds(areas: list[Real], alias: tuple[int, ...]) -> tuple[int, ...]:
    share = ENTRIES / sum(areas, start=Decimal(0))
    left = [share * area for area in areas] + [Decimal(0)] * (ENTRIES - len(areas))
    replaced_by = [0] * ENTRIES
    for j, target in enumerate(alias):
        replaced_by[target] += target != j
    ready = [j for j in range(ENTRIES) if not replaced_by[j]]
    while ready:  # an entry after all that it replaces
        j = ready.pop()
        target = alias[j]
        if target != j:
            left[target] -= 1 - left[j]
            replaced_by[target] -= 1
            if not replaced_by[target]:
                ready.append(target)
    return tuple(min(max(floor(w * 2**64) - 2**63, -(2**63)), 2**63 - 1) for w in left)


def _run_lengths(text: str) -> tuple[int, ...]:
    runs = (run.partition("*") for run in text.split())
    return tuple(int(value) for value, _, count in runs for _ in range(int(count or 1)))


_MULTIPLIER, _INCREMENT, _STATE = 0x5DEECE66D, 0xB, (1 << 48) - 1
_32, _63, _64 = 1 << 32, 1 << 63, 1 << 64
_INFLECTION = 204  # layer of the normal curve that holds x = 1: convex below, concave above


class JavaRandom:
    """A stream of `new java.util.Random(seed)`."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _STATE

    def bits(self, count: int) -> int:
        """Return the next `count` bits, 1 to 32, as a number >= 0."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _STATE
        return self._state >> (48 - count)

    def int32(self) -> int:
        """Return `nextInt()`: an integer of 32 bits with its sign."""
        value = self.bits(32)
        return value - _32 if value >> 31 else value

    def uniform(self) -> float:
        """Return `nextDouble()`: a multiple of 2**-53 in [0, 1)."""
        high = self.bits(26)
        return ((high << 27) + self.bits(27)) * 2.0**-53

    def uniform_single(self) -> float:
        """Return `nextFloat()`: a multiple of 2**-24 in [0, 1)."""
        return self.bits(24) * 2.0**-24

    def integer(self, low: int, high: int) -> int:
        """Return `nextInt(low, high)`, in [low, high); ValueError if there is none."""
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
        """Return `nextGaussian(mean, deviation)`, by the modified ziggurat."""
        return mean + deviation * self._standard(normal())

    def _long(self) -> int:
        """Return `nextLong()` mod 2^64."""
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
        """Return the overhang to draw from, 0 the tail, by the alias table."""
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
        """Return an exponential number; if it is above `cap`, any number that is not below it."""
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
    """Return a point of the rectangle around an overhang, from two integers of 63 bits."""
    x, y = table.x, table.y
    width, height = x[layer - 1] - x[layer], y[layer - 1] - y[layer]
    if fused:
        return (
            _fused(width, float(across), x[layer] * _63),
            _fused(height, float(up), y[layer] * _63),
        )
    return x[layer] * _63 + width * float(across), y[layer] * _63 + height * float(up)


def _fused(a: float, b: float, c: float) -> float:
    """Return a b + c, rounded once."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))
