"""
Figures of the RS-JS methods.

Instances of `sts` (mixes km, a100 and kma at 100 nodes, kma elsewhere and for other speed-ups and
laws of epochs) and `kiros`, seeds 1, 2 and 3 (1 for the variants). Each solve runs in a fresh
worker process with one thread, the clock starts with the build. Tardiness and postponement hide
gaps elsewhere, so (cost - bound) / energy is told too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median

from rich.progress import track

from benchmarks.targets import rsjs_calls
from benchmarks.targets.figures import Figure
from rsjs.core.call import Limits
from rsjs.instances.generators import kiros, sts
from rsjs.instances.instance import Instance
from rsjs.methods import parse
from rsjs.runs import compare, verified_run

SEEDS, MIXES, SHARED = (1, 2, 3), ("km", "a100", "kma"), ("paper", "contention")
VARIANTS = (
    *({"speedup": speedup} for speedup in ("strong", "p0.5")),
    *({"laws": laws} for laws in ("mild", "strong", "fixed")),
)


@dataclass(frozen=True, kw_only=True)
class Solves:
    """Runs of a method; target and floor of seconds, of the largest gap [%] and memory [GiB]."""

    what: str
    method: str
    instances: Sequence[Instance]
    gap: float = 1e-4
    seconds: tuple[str, str] = ("", "")
    gaps: tuple[str, str] = ("", "")
    memory: tuple[str, str] = ("", "")
    time_limit: float = 60.0


def measure() -> tuple[list[Figure], list[compare.Row]]:
    """Seconds, gaps and memory, and the rows they are made of."""
    figures, rows = rsjs_calls.measure(), []
    for solves in _solves():
        made, found = _measured(solves)
        figures += made
        rows += found
    return figures, rows


def _sts(nodes: int, jobs: int, mixes: Sequence[str], sharing: Sequence[str]) -> list[Instance]:
    return [
        sts.generate(nodes=nodes, jobs=jobs, seed=seed, mix=mix, sharing=law)
        for mix, law, seed in product(mixes, sharing, SEEDS)
    ]


def _solves() -> list[Solves]:
    return [
        Solves(
            what="rsjs_bound at 100 x 400, sts, none and paper",
            method="rsjs_bound",
            instances=_sts(100, 400, MIXES, ("none", "paper")),
            seconds=("0.5", "1.5"),
        ),
        *(
            Solves(
                what=f"rsjs_sifting at 100 x {jobs} to 0.01%, sts, dedicated",
                method="rsjs_sifting",
                instances=_sts(100, jobs, MIXES, ("none",)),
                seconds=("2", "10"),
            )
            for jobs in (200, 400)
        ),
        *(
            Solves(
                what=f"rsjs_sifting at 100 x 400 to 0.1%, sts, {law}",
                method="rsjs_sifting",
                instances=_sts(100, 400, MIXES, (law,)),
                gap=1e-3,
                seconds=("5", "10"),
                gaps=("0.1", "0.5"),
            )
            for law in SHARED
        ),
        Solves(
            what="rsjs_sifting at 100 x 400 to 0.1%, sts, other speed-ups and laws of epochs",
            method="rsjs_sifting",
            instances=[
                sts.generate(nodes=100, jobs=400, seed=1, mix="kma", sharing=law, **variant)
                for variant, law in product(VARIANTS, ("none", "paper"))
            ],
            gap=1e-3,
        ),
        Solves(
            what="rsjs_sifting at 1000 x 4000 to 0.5%, sts, paper",
            method="rsjs_sifting",
            instances=_sts(1000, 4000, ("kma",), ("paper",)),
            gap=5e-3,
            seconds=("60", "180"),
            memory=("", "4"),
            time_limit=180.0,
        ),
        *(
            Solves(
                what=f"rsjs_nodes@highs at {nodes} x 40 to 1%, sts, paper",
                method="rsjs_nodes@highs",
                instances=_sts(nodes, 40, ("kma",), ("paper",)),
                gap=1e-2,
                seconds=seconds,
            )
            for nodes, seconds in ((10, ("8", "15")), (20, ("12", "30")))
        ),
        Solves(
            what="first_ending_patterns@highs at 100 x 400 to 0.01%, kiros",
            method="first_ending_patterns@highs",
            instances=[kiros.generate(nodes=100, jobs=400, seed=seed) for seed in SEEDS],
            seconds=("3", "15"),
        ),
    ]


def _measured(solves: Solves) -> tuple[list[Figure], list[compare.Row]]:
    limits, what = Limits(gap=solves.gap, time_limit=solves.time_limit), solves.what
    request, cases = parse(solves.method), track(solves.instances, description=solves.what)
    rows = compare.rows([verified_run.run(case, request, limits) for case in cases], limits)
    seconds, memory = ([row[key] for row in rows] for key in ("total_s", "peak_memory_mb"))
    many = f"of {len(rows)}"
    figures: list[Figure] = [
        (f"{what}, median {many}", median(seconds), "s", *solves.seconds),
        (f"{what}, largest {many}", max(seconds), "s", "", ""),
    ]
    if rows[0]["objective"] is not None:
        gaps = [100 * row["own_gap"] for row in rows]
        apart = [100 * row["gap_over_energy"] for row in rows]
        figures += [
            (f"{what}, largest gap", max(gaps), "%", *solves.gaps),
            (f"{what}, largest (cost - bound) / energy", max(apart), "%", "", ""),
        ]
    if any(solves.memory):
        figures.append((f"{what}, largest peak memory", max(memory) / 1024, "GiB", *solves.memory))
    return figures, rows
