"""Random numbers one by one, from a state that changes in place; see random_streams.py."""

from __future__ import annotations

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.common.random_streams import States
from rsjs.heuristics.common.random_streams import draw as plain_draw

draw = inner(plain_draw)


@inner
def uniform(state: States) -> float:
    """The next number in [0, 1) of the xorshift64* stream whose state is `state[0]`."""
    state[0], number = draw(False, state[0])
    return float(number)


@inner
def below(state: States, n: int) -> int:
    """The next integer in 0..n-1."""
    return int(uniform(state) * n)
