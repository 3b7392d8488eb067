"""Figures of single calls for RS-JS, medians of repeated calls in this process."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from statistics import median

import numpy as np

from benchmarks.targets.figures import Figure, seconds
from rsjs.formulations.rsjs.aggregated import column_generation
from rsjs.instances.catalogue import epoch_models
from rsjs.instances.generators import sts
from rsjs.instances.instance import Instance
from rsjs.instances.jobs import ARRAYS, Jobs


def measure() -> list[Figure]:
    """All figures of this module."""
    return [*_next_event(), _expectation()]


def _next_event() -> list[Figure]:
    """One job gone and one new among 400: one evaluation with the multipliers of before."""
    figures: list[Figure] = []
    for sharing in ("none", "paper"):
        every = [
            sts.generate(nodes=100, jobs=401, seed=seed, mix=mix, sharing=sharing)
            for mix, seed in product(("km", "a100", "kma"), (1, 2, 3))
        ]
        found, lost = [], []
        for instance in every:
            before, after = _of_jobs(instance, range(400)), _of_jobs(instance, range(1, 401))
            old = column_generation.lower_bound(before).multipliers
            bound = column_generation.lower_bound(after).bound
            lost.append(100 * (1 - column_generation.certified(after, old) / bound))
            fresh = iter([replace(after) for _ in range(26)])  # without tables of costs
            found.append(
                seconds(lambda f=fresh, old=old: column_generation.certified(next(f), old), 25)
            )
        what = f"bound of the next event at 100 x 400 with tables of costs, sts, {sharing}"
        figures += [
            (f"{what}, median of {len(every)}", 1e3 * median(found), "ms", "3", "10"),
            (f"{what}, largest distance to the best bound", max(lost), "%", "", ""),
        ]
    return figures


def _of_jobs(instance: Instance, rows: range) -> Instance:
    kept = {
        name: values[list(rows)] if name in ARRAYS else values[rows.start : rows.stop]
        for name, values in vars(instance.jobs).items()
    }
    return replace(instance, jobs=Jobs(**kept))


def _expectation() -> Figure:
    """E[max(0, a W - d)] of 400 jobs in 30 configurations."""
    law, rng = epoch_models.epoch_distribution("ResNet", "base"), np.random.default_rng(0)
    done, slack = rng.uniform(0.0, 50.0, 400), rng.uniform(-1.0, 20.0, 400)
    rate = rng.uniform(0.01, 1.0, (400, 30))
    whole = seconds(lambda: law.mean_excess(done, rate, slack), 200)
    what = "expected tardiness of 12 000 pairs of job and configuration"
    return what, 1e3 * whole, "ms", "1", "5"
