"""
Uniforms: the random numbers that a field of a set of jobs is made of.

Entry i of a field takes the i-th number of the stream "mig|seed|field"
(`rsjs.instances.generators.random_streams`), whatever the configuration says of other fields.
Entries that are drawn once more, since a truncated distribution refused them, take the i-th number
of the stream "mig|seed|field|1", then of "mig|seed|field|2", and so on: no entry depends on what
became of another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.generators.random_streams import uniforms

FAMILY = "mig"
_MOST_KEPT = 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Uniforms:
    """Numbers in [0, 1) for some entries of a field."""

    seed: int
    field: str  # names the stream
    size: int  # entries of the field in all
    places: Ints  # (n,) the entries
    u: Floats  # (n,) their numbers

    @classmethod
    def of(cls, seed: int, field: str, n: int) -> Uniforms:
        """Return those of the first n entries."""
        return cls(seed, field, n, np.arange(n), uniforms(FAMILY, seed, field, n))

    def taken(self, rows: Ints | Bools | slice) -> Uniforms:
        """Return those of some of the entries."""
        return Uniforms(self.seed, self.field, self.size, self.places[rows], self.u[rows])

    def again(self, attempt: int, rows: Bools) -> Uniforms:
        """Return new numbers for some of the entries."""
        places, name = self.places[rows], f"{self.field}|{attempt}"
        fresh = _kept if self.size <= _MOST_KEPT else uniforms
        return Uniforms(
            self.seed, name, self.size, places, fresh(FAMILY, self.seed, name, self.size)[places]
        )

    def within(self, name: str, rows: Bools, u: Floats) -> Uniforms:
        """Return some of the entries with other numbers, for a part of the distribution."""
        return Uniforms(self.seed, f"{self.field}|{name}", self.size, self.places[rows], u)


@lru_cache(maxsize=16)  # a walk asks for the same streams at every time unit
def _kept(family: str, seed: int, field: str, n: int) -> Floats:
    return uniforms(family, seed, field, n)
