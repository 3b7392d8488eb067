"""Instances with shares, random ones that ruin and recreate serves, and their optima."""

from dataclasses import replace

import numpy as np

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.formulations import enumeration
from rsjs.heuristics.ruin_recreate.ruin_recreate import run
from rsjs.instances import costs
from rsjs.instances.cluster import ShareLevel
from rsjs.instances.io.deserialization import to_instance


def with_shares(instance, units, levels, inflation):
    """The same instance on GPUs of 16 GB whose `units` jobs may share; levels are (units, GB)."""
    levels = tuple(ShareLevel(units=own, max_memory_gb=limit) for own, limit in levels)
    cluster, jobs = instance.cluster, instance.jobs
    gpus = tuple(replace(g, memory_gb=16, units=units, levels=levels) for g in cluster.gpu_types)
    inflation = np.broadcast_to(inflation, (len(jobs), len(gpus), len(levels))).copy()
    cluster, jobs = replace(cluster, gpu_types=gpus), replace(jobs, inflation=inflation)
    return replace(instance, cluster=cluster, jobs=jobs)


def served(document, rng, energy=None):
    """A random instance of a kind that ruin and recreate serves."""
    kinds = ["proportional", "first_ending", "first_ending"]
    made = document(rng, energy or rng.choice(kinds))
    made["objective"]["tardiness_at"] = "completion"
    return to_instance(made)


def solve(instance, iterations=300, *, seed=0, start=None, gap=-1.0, report=None):
    limits = Limits(seed=seed, gap=gap)
    call = Call(options={"iterations": iterations}, limits=limits, warm_start=start)
    return run(instance, call, report or Report())


def optimum(instance):
    best = enumeration.best(instance)
    return None if best is None else costs.terms(instance, best).total
