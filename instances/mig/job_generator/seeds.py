"""Seeds of a configuration: a list, a range with both ends, or the first primes."""

from __future__ import annotations

from itertools import count, islice

from rsjs.instances.errors import described
from rsjs.instances.mig.node import Node

MOST = 1_000_000


def seeds(node: Node) -> tuple[int, ...]:
    """The seeds at a node, each once."""
    if isinstance(node.value, list):
        for i, seed in enumerate(node.value):
            if seed in node.value[:i]:
                raise node.at(i).error("a seed that does not stand before")
        return tuple(map(int, node.value))
    if "range" in node:
        first, last = map(int, node["range"])
        if last < first:
            raise node.at("range", 1).error(f"a seed >= {first}")
        if last - first >= MOST:
            raise node.at("range").error(
                f"at most {MOST} seeds", value=described(str([first, last]))
            )
        return tuple(range(first, last + 1))
    return first_primes(int(node["first_primes"]))


def first_primes(n: int) -> tuple[int, ...]:
    """The n smallest primes."""
    found: list[int] = []

    def is_prime(number: int) -> bool:
        for prime in found:
            if prime * prime > number:
                break
            if number % prime == 0:
                return False
        found.append(number)
        return True

    return tuple(islice(filter(is_prime, count(2)), n))
