"""An occupancy picture's totals, and job ids short enough for its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from rsjs.instances.instance import Instance
from rsjs.reporting.formats import counted
from rsjs.reporting.gpu_slots import Shelf

LONG_PREFIX = 4  # characters of a job id that are left out where all ids share them


def without_prefix(on: Sequence[Shelf]) -> tuple[list[Shelf], str]:
    """Long job ids without what they all begin with, and that beginning; else no change."""
    ids = [block.job for shelf in on for block in shelf.blocks]
    first, last = min(ids, default=""), max(ids, default="")
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first[:-1], last[:-1], strict=False))
    prefix = "".join(letter for letter, _ in same)
    if len(ids) < 2 or len(prefix) < LONG_PREFIX:
        return list(on), ""
    return [
        replace(
            shelf,
            blocks=tuple(replace(block, job=block.job[len(prefix) :]) for block in shelf.blocks),
        )
        for shelf in on
    ], prefix


def totals(instance: Instance, on: Sequence[Shelf]) -> str:
    """One line: jobs that run, nodes that are on, GPUs in use."""
    run = sum(len(shelf.blocks) for shelf in on)
    shared = sum(block.shared for shelf in on for block in shelf.blocks)
    gpus = sum(shelf.gpus for shelf in on)
    idle = sum(len(shelf.idle) for shelf in on)
    sharing = f" ({shared} on shares)" if shared else ""
    return (
        f"{run} of {counted(len(instance.jobs), 'job')} run{sharing} on {len(on)} of "
        f"{counted(instance.cluster.nodes, 'node')}; {gpus - idle} of {counted(gpus, 'GPU')} busy"
    )
