"""
Random numbers in [0, 1), one stream for each iteration of a seed.

xorshift  xorshift64* (Vigna 2016, "An experimental exploration of Marsaglia's xorshift generators,
          scrambled"), its first state from splitmix64 of seed and iteration. No iteration depends
          on another one: any order, any number of threads and any engine give the same numbers.
minstd    what the authors' program draws: std::minstd_rand0 and, for each number, two of its
          values as in libstdc++'s generate_canonical. Iterations follow one another in one stream,
          the second one first; x -> 16807^n x mod 2^31 - 1 leads to any of them at once.

The functions take one state or an array of them, so kernels and numpy share them.
`uniform` and `below` draw numbers one by one from a state that changes in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.common.jit import inner

States = NDArray[np.uint64]

STREAMS = ("xorshift", "minstd")

_FIRST, _SECOND, _THIRD = np.uint64(12), np.uint64(25), np.uint64(27)
_STAR = np.uint64(2685821657736338717)
_DROPPED, _ULP = np.uint64(11), 2.0**-53
_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = 2**64 - 1

MINSTD_A, MINSTD_M = 16807, 2**31 - 1
_A, _M, _ONE = np.uint64(MINSTD_A), np.uint64(MINSTD_M), np.uint64(1)
_RANGE = float(MINSTD_M - 1)
_RANGE_2 = float((MINSTD_M - 1) ** 2)


def draw(minstd: bool, state: Any) -> Any:
    """Return the next state, and a uniform number in [0, 1)."""
    if minstd:
        low = state * _A % _M
        high = low * _A % _M
        return high, ((low - _ONE) * 1.0 + (high - _ONE) * _RANGE) / _RANGE_2
    state = state ^ (state >> _FIRST)
    state = state ^ (state << _SECOND)
    state = state ^ (state >> _THIRD)
    return state, ((state * _STAR) >> _DROPPED) * _ULP


def first_states(stream: str, seed: int, first: int, count: int, draws: int) -> States:
    """
    Return the states that iterations first, first + 1, ... (from 1) begin with.

    Parameters
    ----------
    stream : one of STREAMS
    draws : int
        Numbers that one iteration draws at most; minstd skips so many for each iteration before.
    """
    if stream == "xorshift":
        start = _splitmix(np.array([seed & _WORD], dtype=np.uint64))
        states = _splitmix(start + np.arange(first, first + count).astype(np.uint64))
        return np.where(states == 0, np.uint64(_GOLDEN), states)  # 0 would stay 0
    state = seed % MINSTD_M or 1
    state = state * pow(MINSTD_A, 2 * draws * max(first - 2, 0), MINSTD_M) % MINSTD_M
    step = pow(MINSTD_A, 2 * draws, MINSTD_M)
    found = []
    for iteration in range(first, first + count):
        found.append(state)
        if iteration > 1:
            state = state * step % MINSTD_M
    return np.array(found, dtype=np.uint64)


def _splitmix(x: States) -> States:
    """Return the output of splitmix64, one step after x."""
    x = x + np.uint64(_GOLDEN)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_MIX_1)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_MIX_2)
    return x ^ (x >> np.uint64(31))


draw_one = inner(draw)


@inner
def uniform(state: States) -> float:
    """Return the next number in [0, 1) of the xorshift64* stream whose state is `state[0]`."""
    state[0], number = draw_one(False, state[0])
    return float(number)


@inner
def below(state: States, n: int) -> int:
    """Return the next integer in 0..n-1."""
    return int(uniform(state) * n)
