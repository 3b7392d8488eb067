"""
Random jobs for a GPU that is divided anew.

    memory need  3, 4.5, 8, 9, 15, 18 or 30 GB of the 40 of an A100-40, in proportion elsewhere
    work         an integer, uniform on [10, 120]
    options      each profile but the media one that has the memory: ceil(work / compute^alpha)
                 time units; rigid jobs have that of least memory, then most compute, alone
    release      0, or an integer, uniform on [0, `releases`]

`whole=False` draws from the first six needs: then no job needs the whole GPU. The scaling exponent
alpha = 0.8 and the needs are a choice; nothing here is measured.
"""

from __future__ import annotations

from math import ceil

from rsjs.core.errors import InputError
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.generators.random_streams import choice, integer, uniforms
from rsjs.instances.mig.gpus import MigGpu, document_of
from rsjs.instances.mig.reconfiguration.problem import JOBS, ReconfigurationProblem, to_problem

NEEDS = tuple(need * 1024 / 40192 for need in (3, 4.5, 8, 9, 15, 18, 30))  # of the largest profile
WORK = (10, 120)
ALPHA = 0.8
LATEST = 10**9  # of any time in a file


def generate(
    gpu: MigGpu,
    n: int,
    seed: int,
    *,
    rigid: bool = False,
    whole: bool = True,
    releases: int = 0,
    delta: int = 0,
) -> ReconfigurationProblem:
    """`n` jobs; the first jobs of a larger set are those of a smaller one."""
    for option, value, least, most in (
        ("-n", n, 1, LATEST),
        ("--seed", seed, 0, 2**63 - 1),
        ("--releases", releases, 0, LATEST),
        ("--delta", delta, 0, LATEST),
    ):
        if not least <= value <= most:
            raise InputError(option, value, f"an integer from {least} to {most}")
    largest = max(profile.memory_mib for profile in gpu.profiles)
    needs = choice(uniforms("mig-repartition", seed, "memory", n), NEEDS if whole else NEEDS[:-1])
    works = integer(uniforms("mig-repartition", seed, "work", n), *WORK).tolist()
    release = integer(uniforms("mig-repartition", seed, "release", n), 0, releases).tolist()
    kind = "rigid" if rigid else "moldable"
    name = f"repartition-{gpu.name}-{kind}-{'' if whole else 'part-'}r{releases}-d{delta}"
    return to_problem(
        {
            "format": JOBS,
            "name": f"{name}-J{n}-s{seed}",
            "time_unit": "minute",
            "generator": made_by(
                "mig-repartition",
                gpu=gpu.name,
                jobs=n,
                seed=seed,
                rigid=rigid,
                whole=whole,
                releases=releases,
                delta=delta,
            ),
            "gpu": document_of(gpu),
            "delta": delta,
            "jobs": [
                {
                    "id": f"j{j + 1}",
                    "release": release[j],
                    "options": _options(gpu, needs[j] * largest, works[j], rigid),
                }
                for j in range(n)
            ],
        }
    )


def _options(gpu: MigGpu, memory: float, work: int, rigid: bool) -> list[dict[str, object]]:
    having = [p for p in gpu.profiles if p.memory_mib >= memory and not p.name.endswith("+me")]
    if rigid:
        having = [min(having, key=lambda p: (p.memory_slices, -p.compute_slices))]
    return [{"profile": p.name, "duration": ceil(work / p.compute_slices**ALPHA)} for p in having]
