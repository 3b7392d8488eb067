"""Bits of integers."""

from __future__ import annotations

from rsjs.heuristics.common.jit import one_instruction


@one_instruction("cttz")
def lowest_bit(bits: int) -> int:
    """The position of the lowest bit that is set; bits != 0."""
    return (int(bits) & -int(bits)).bit_length() - 1
