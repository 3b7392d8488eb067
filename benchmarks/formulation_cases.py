"""What docs/formulations.md compares: instances, methods, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from rsjs.core.call import Limits
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.instance import Instance

Row = dict[str, Any]

LIMITS = Limits(time_limit=60.0)
SOLVERS = ("highs", "scip", "cpsat")
CONTROLLERS = (1, 2, 4, 8, 16)
INNER = ("first_ending_patterns@highs", "randomized_greedy:paper", "greedy:paper")


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    One instance and the methods that are compared on it.

    Attributes
    ----------
    section : str
        Part of the page.
    size : str
        N x J, as shown.
    seed : int
    make : callable
        The instance.
    methods : tuple of str
        Spellings.
    """

    section: str
    size: str
    seed: int
    make: Callable[[], Instance]
    methods: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the file of its rows."""
        return f"{self.section}-{self.size.replace(' ', '')}-s{self.seed}"

    @property
    def pairs(self) -> int:
        """N J."""
        nodes, jobs = self.size.split(" x ")
        return int(nodes) * int(jobs)


def seconds_of(row: Row) -> float:
    """From the start of the build; a worker that had to be ended has only its process' seconds."""
    total = row["total_s"]
    return float(row["process_s"] if total is None else total)


def proved(row: Row) -> bool:
    """Whether the method proved the gap asked for itself, whatever bound another one has."""
    return row["own_gap"] is not None and row["own_gap"] <= LIMITS.gap * (1 + 1e-9)


def cases() -> Iterator[Case]:
    """All cases, small ones first in each section."""
    yield from _jahani()
    yield from _kiros()
    for sharing in ("none", "paper"):
        yield from _sts(sharing)
    yield from _hierarchical()


def _jahani() -> Iterator[Case]:
    for nodes, jobs in [(1, 10), (2, 20), (3, 30), (5, 50), (10, 100), (40, 400), (100, 400)]:
        literal = ("jahani_literal@highs", "jahani_literal@scip") if nodes <= 10 else ()
        patterns = tuple(f"jahani_patterns@{solver}" for solver in SOLVERS)
        yield Case(
            section="jahani",
            size=f"{nodes} x {jobs}",
            seed=1,
            make=lambda N=nodes, J=jobs: jahani.generate(nodes=N, jobs=J, seed=1),
            methods=(*literal, *patterns),
        )


def _kiros() -> Iterator[Case]:
    for nodes, jobs in [(2, 20), (5, 50), (10, 100), (40, 400), (100, 400)]:
        by_node = [f"first_ending_nodes@{solver}" for solver in SOLVERS] if nodes <= 10 else []
        yield Case(
            section="kiros",
            size=f"{nodes} x {jobs}",
            seed=1,
            make=lambda N=nodes, J=jobs: kiros.generate(nodes=N, jobs=J, seed=1),
            methods=(*by_node, *(f"first_ending_patterns@{solver}" for solver in SOLVERS)),
        )


def _sts(sharing: str) -> Iterator[Case]:
    largest = {  # nodes and jobs up to which a formulation is tried
        "rsjs_minlp@scip": (2, 8),
        "rsjs_gpu@highs": (4, 16),
        "rsjs_nodes@highs": (20, 40),
        "rsjs_nodes@cpsat": (20, 40),
        "rsjs_classes@highs": (20, 40),
        "rsjs_sifting@highs": (100, 400),
    }
    sizes = [(2, 4), (2, 8), (4, 8), (4, 16), (10, 40), (20, 40), (100, 200), (100, 400)]
    for nodes, jobs in sizes:
        yield Case(
            section="sts-dedicated" if sharing == "none" else "sts-shared",
            size=f"{nodes} x {jobs}",
            seed=1,
            make=lambda N=nodes, J=jobs: sts.generate(
                nodes=N, jobs=J, seed=1, mix="km", sharing=sharing
            ),
            methods=tuple(m for m, most in largest.items() if nodes <= most[0] and jobs <= most[1]),
        )


def _hierarchical() -> Iterator[Case]:
    spellings = [
        f"hierarchical?method={method},controllers={controllers}"
        for method, controllers in product(INNER, CONTROLLERS)
    ]
    for seed in (1, 2, 3):
        yield Case(
            section="hierarchical",
            size="40 x 400",
            seed=seed,
            make=lambda s=seed: kiros.generate(nodes=40, jobs=400, seed=s),
            methods=("first_ending_patterns@highs", *spellings),
        )
