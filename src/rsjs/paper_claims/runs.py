"""
Experiments as campaigns: each run is a process of its own, verified, with a record in a store.

A row is that of the run, see `rsjs.rows.columns`, with the case of the experiment before it: what
the paper leaves open, and how it was set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rsjs.campaigns.store import Store
from rsjs.core.call import Limits
from rsjs.instances.catalogue import gpus
from rsjs.instances.generators import jahani, random_streams, sts
from rsjs.instances.instance import Workload
from rsjs.instances.library.sets import GENERATORS, WORKLOADS
from rsjs.paper_claims.claim import Experiment, Row
from rsjs.runs import provenance
from rsjs.runs.kinds.base import kind, kind_of
from rsjs.simulation import event_log
from rsjs.simulation.options import Options

LONGEST = Limits(time_limit=1e6)  # of a simulation, whose decisions have a limit each
Problems = Sequence[tuple[str, Any]]  # case, and instance or workload
Cases = Mapping[str, Mapping[str, Any]]  # case -> arguments of the generator
TABLE_IV = (  # of Jahani et al. 2019: network, framework, epochs, batch
    ("VGG19", "PyTorch", 1, 32),
    ("VGG19", "TensorFlow", 1, 32),
    ("AlexNet", "PyTorch", 12, 256),
    ("ResNet-50", "PyTorch", 3, 64),
)
GAP = 300.0  # s, between its submissions


class Runner(NamedTuple):
    """Executor of the runs of an experiment."""

    compare: Callable[..., Any]  # `rsjs.comparison.compare_pairs`, or a test's
    store: Path

    def rows(
        self,
        problems: Problems,
        methods: Sequence[str],
        limits: Limits,
        options: Options | None = None,
    ) -> list[Row]:
        """
        Return the rows of methods on problems, in this order; those in the store are not run again.

        Raises KeyboardInterrupt if Ctrl-C ended them: there are no rows of a part of an experiment.
        """
        given = {problem.digest: problem for _, problem in problems}
        own = kind_of(problems[0][1])
        requests = [own.request(method) for method in methods]
        found = self.compare(
            [(problem, requests) for problem in given.values()],
            limits,
            store=self.store,
            options=None if options is None else options.of_campaign(),
        )
        if found.interrupted:
            raise KeyboardInterrupt
        rows: dict[str, list[Row]] = {digest: [] for digest in given}
        for row in found.rows:
            rows[row["instance_sha256"]].append(row)
        return [{"case": case, **row} for case, problem in problems for row in rows[problem.digest]]


def _size(text: str) -> dict[str, Any]:
    nodes, jobs = map(int, text.split("x"))
    return {"nodes": nodes, "jobs": jobs}


def on_drawn(
    generators: Mapping[str, Callable[..., Any]],
    runner: Runner,
    *,
    generator: str,
    sizes: Sequence[str],
    seeds: Sequence[int],
    methods: Sequence[str],
    cases: Cases,
    limits: Mapping[str, Any] | None = None,
    simulation: Mapping[str, Any] | None = None,
) -> list[Row]:
    """
    Run methods on an instance or a workload of each case, size ("NxJ") and seed.

    On workloads there are options of the simulation, and a case may have some of its own.
    """
    rows = []
    for case, chosen in cases.items():
        own = {**(simulation or {}), **chosen.get("simulation", {})}
        arguments = {key: value for key, value in chosen.items() if key != "simulation"}
        problems = [
            (case, generators[generator](**_size(size), seed=seed, **arguments))
            for size, seed in product(sizes, seeds)
        ]
        simulated = generators is WORKLOADS
        allowed = LONGEST if simulated else Limits(**(limits or {}))
        rows += runner.rows(problems, methods, allowed, Options(**own) if simulated else None)
    return rows


def four_jobs(
    runner: Runner, *, seeds: Sequence[int], method: str, cases: Mapping[str, Mapping[str, Any]]
) -> list[Row]:
    """
    Simulate the four jobs of Jahani et al. 2019, V-C; a case has more arguments of `Options`.

    Rows have `slots`, the GPUs of the node in each slot, e.g. "1 2 4 4 2 2 1", and `predicted`, the
    cost [$] where nothing takes longer than predicted. What the paper calls a slot is the time
    between two events.
    """
    workloads = {made.digest: made for made in map(four_jobs_workload, seeds)}
    rows = []
    for case, more in cases.items():
        problems = [(case, made) for made in workloads.values()]
        options = Options(period=problems[0][1].H, **more)
        found, predicted = (
            runner.rows(problems, [method], LONGEST, one)
            for one in (options, options.as_predicted())
        )
        for row, before in zip(found, predicted, strict=True):
            log = Store(runner.store).path(row["run_id"]) / kind("workload").solution_file
            made = workloads[row["instance_sha256"]]
            sizes = slot_sizes(made, event_log.read(log)) if log.is_file() else []
            slots = " ".join(map(str, sizes))
            rows.append({**row, "slots": slots, "predicted": before["objective"]})
    return rows


def four_jobs_workload(seed: int) -> Workload:
    """
    Draw the four jobs, on one node of Table II's Azure types, with the due dates of a seed.

    Networks, frameworks, batches and epochs are those of Table IV, 130 000 images each; due dates
    and weights are drawn as in V-A.
    """
    base = jahani.workload(
        nodes=1, jobs=len(TABLE_IV), seed=seed, catalogue="azure", gap_seconds=GAP, law="constant"
    )
    cluster, jobs = base.cluster, base.jobs
    hours = np.full(jobs.hours_per_epoch.shape, np.inf)
    for j, (network, framework, _, batch) in enumerate(TABLE_IV):
        for i, gpu in enumerate(cluster.gpu_types):
            for k in range(1, int(cluster.largest_of_gpu[i]) + 1):
                seconds = gpus.seconds_per_epoch(
                    network, gpu.name, k, batch, framework=framework, prefix_minimum=True
                )
                hours[j, i, k] = seconds / 3600
    epochs = np.array([epochs for _, _, epochs, _ in TABLE_IV])
    whole = np.where(np.isfinite(hours), hours, np.nan) * epochs[:, None, None]
    least, longest = np.nanmin(whole, axis=(1, 2)), np.nanmax(whole, axis=(1, 2))
    u = random_streams.uniforms(jahani.FAMILY, seed, "due", len(TABLE_IV))
    made = replace(
        jobs,
        application=tuple(f"{network} ({framework})" for network, framework, *_ in TABLE_IV),
        hours_per_epoch=random_streams.rounded(hours),
        epochs_max=epochs,
        due=random_streams.rounded(jobs.release + random_streams.uniform(u, least, 2 * longest)),
    )
    return replace(
        base, name=f"jahani-table4-s{seed}", jobs=made, realised_epochs=made.epochs_max.copy()
    )


def slot_sizes(workload: Workload, log: event_log.Log) -> list[int]:
    """Return the GPUs of the node after each event but the last, 0 = off."""
    size = {t.name: t.gpus for t in workload.cluster.node_types}
    node, sizes = None, []
    for event in log.events:
        if event["decided"]:
            node = event.get("nodes", {"0": node})["0"]
            sizes.append(0 if node is None else size[node])
    return sizes


def printed(runner: Runner, *, rows: Sequence[Row]) -> list[Row]:
    """Return the values of a paper's table as rows, to be held against what the paper says."""
    return [*rows]


def arrivals(
    runner: Runner, *, sizes: Sequence[str], seeds: Sequence[int], laws: Sequence[str]
) -> list[Row]:
    """Return when the last job is submitted, by arrival process, size and seed."""
    return [
        {
            "case": "K80 + M60",
            "instance": made.name,
            "nodes": made.cluster.nodes,
            "jobs": len(made.jobs),
            "law": law,
            "last_release_h": float(made.jobs.release[-1]),
        }
        for law, size, seed in product(laws, sizes, seeds)
        for made in [sts.workload(**_size(size), seed=seed, law=law)]
    ]


def dataset(runner: Runner) -> list[Row]:
    """Return the jobs of the published dataset, which is made again byte for byte."""
    from rsjs.instances.mig.konopa.files import published_jobs

    jobs = published_jobs()
    gaps = np.diff(jobs.arrival, prepend=0.0)
    return [
        {
            "case": "dataset",
            "job": job,
            "priority": int(jobs.priority[job]),
            "run_length": int(jobs.run_length[job]),
            "first_memory_mb": float(jobs.memory[jobs.start[job]]),
            "gap": float(gaps[job]),
            "cuda_cores": int(jobs.cuda_cores[job]),
        }
        for job in range(len(jobs))
    ]


def schedules(
    runner: Runner,
    *,
    seeds: int,
    methods: Sequence[str],
    readings: Mapping[str, str],
    time_limit: float,
) -> list[Row]:
    """Run section 4: shortest makespan of the library's set, by each reading."""
    from rsjs.instances.library.sets import mig_config
    from rsjs.instances.mig.job_generator.generate import generate
    from rsjs.instances.mig.scheduling.objective import parse_objective
    from rsjs.instances.mig.scheduling.problem import paper_problem

    config, goal = mig_config("section4.json"), parse_objective("makespan")
    sets = [generate(config, seed) for seed in config.seeds[:seeds]]
    problems = [
        (case, paper_problem(jobs, reading, goal))
        for jobs in sets
        for case, reading in readings.items()
    ]
    memory = {problem.digest: float(problem.jobs.memory.max()) for _, problem in problems}
    return [
        {**row, "largest_memory_mb": memory[row["instance_sha256"]]}
        for row in runner.rows(problems, methods, Limits(time_limit=time_limit, gap=0.0))
    ]


RUNS: Mapping[str, Callable[..., list[Row]]] = {  # by the names that experiments give
    "simulations": partial(on_drawn, WORKLOADS),
    "decisions": partial(on_drawn, GENERATORS),
    "printed": printed,
    "four_jobs": four_jobs,
    "sts_arrivals": arrivals,
    "mig_dataset": dataset,
    "mig_schedules": schedules,
}


def rows(experiment: Experiment, size: str, runner: Runner) -> list[Row]:
    """Return the rows of an experiment; those of data, too, say which version made them."""
    made = RUNS[experiment.run](runner, **experiment.of_size(size))
    return [row if "commit" in row else {**row, **provenance.stamp()} for row in made]
