"""
Workloads made of traces: what is recorded stays as it is, the rest is drawn from named streams.

Recorded: order and times of submission, GPUs, share, run time, GPU type as far as it is known.
Invented: network and batch (`training`), epochs (Filippini 2024's laws, or always 100), times on
other GPUs, memory (of network and batch, at most the recorded share of the recorded GPU), due dates
and weights (STS (31), or Jahani 2019 V-A), prices of nodes (`cluster`), stand-ins of GPU types
(`gpu_models`), and that a job on a share f of a GPU is not faster on more of one.

The number of epochs W is drawn, and an epoch takes t / W: on the recorded GPUs the run takes the
recorded time, to a unit in the last place.

The jobs of a workload from the rows of a trace: `convert` says what is invented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.catalogue import epoch_models
from rsjs.instances.catalogue.gpus import gpu_type, memory_gb
from rsjs.instances.cluster import Cluster
from rsjs.instances.epoch_distribution import FIXED, Law
from rsjs.instances.generators import jahani, random_streams, sts
from rsjs.instances.generators.assemble import due_window, made_by
from rsjs.instances.instance import FAMILIES, Workload
from rsjs.instances.jobs import Jobs
from rsjs.instances.traces.imputation import (
    FAMILY,
    UNITS,
    Training,
    build_cluster,
    draw,
    gpus_of,
    hours_on_whole_gpus,
    stand_ins,
)
from rsjs.instances.traces.quality_report import CrossRowChecks, QualityReport
from rsjs.instances.traces.records import JobRecords
from rsjs.instances.traces.select import ConversionOptions, Selection, select

_DUE = MappingProxyType({"sts": "at_most_thrice", "jahani": "base"})
_WEIGHT = MappingProxyType({"sts": sts.WEIGHT, "jahani": jahani.WEIGHT})
_DIGITS = 6  # of releases [h]: 4 ms


def jobs_of(
    rows: JobRecords,
    training: Training,
    may: Sequence[tuple[str, ...]],
    binding: bool,
    cluster: Cluster,
    options: ConversionOptions,
) -> tuple[Jobs, Mapping[str, Law], Ints]:
    """
    Jobs, laws, and the number of epochs that each job runs.

    Parameters
    ----------
    may : (n,) sequence of tuples of str
        GPU types of the catalogue for the recorded one; the run time is that on the first.
    binding : bool
        Whether a job whose GPU type is recorded runs on these only.
    """
    n = len(rows)

    def u(field: str) -> Floats:
        return random_streams.uniforms(FAMILY, options.seed, field, n)

    whole, recorded = hours_on_whole_gpus(rows, training, [gpus[0] for gpus in may], cluster)
    if binding:
        whole[~_allowed(rows, may, cluster)] = np.inf
    memory = _memory(rows, training, may)
    fits = memory[:, None] <= np.array([gpu.memory_gb for gpu in cluster.gpu_types])
    due = due_window(_DUE[options.rules], np.where(fits[:, :, None], whole, np.inf))
    release = np.round((rows.submit - rows.submit[0]) / 3600, _DIGITS)
    law, laws = _laws(options.laws, training.network)
    realised = np.full(n, epoch_models.LAST, dtype=np.int64)
    draws = u("realised")
    for name, each in laws.items():
        own = np.array([name == other for other in law])
        realised[own] = each.quantile(draws[own])
    epoch = whole / realised[:, None, None]
    weight = random_streams.uniform(u("weight"), *_WEIGHT[options.rules])
    jobs = Jobs(
        id=tuple(_id(rows, j) for j in range(n)),
        application=training.network,
        release=release,
        due=np.round(release + random_streams.uniform(u("due"), *due), _DIGITS),
        weight=random_streams.rounded(weight),
        memory_gb=memory,
        epochs_max=np.full(n, epoch_models.LAST, dtype=np.int64),
        epochs_done=np.zeros(n),
        law=law,
        hours_per_epoch=np.where(recorded, epoch, random_streams.rounded(epoch)),
        inflation=_inflation(rows, cluster),
        meta=tuple(_meta(rows, j, training.batch[j]) for j in range(n)),
    )
    return jobs, laws, realised


def _allowed(rows: JobRecords, may: Sequence[tuple[str, ...]], cluster: Cluster) -> Bools:
    """(n, T) whether a job may run on a GPU type."""
    names = [gpu.name for gpu in cluster.gpu_types]
    told = np.array([c >= 0 and bool(rows.models[c]) for c in rows.model.tolist()])
    listed = np.array([[name in gpus for name in names] for gpus in may], dtype=bool)
    return np.asarray(~told[:, None] | listed)


def _memory(rows: JobRecords, training: Training, may: Sequence[tuple[str, ...]]) -> Floats:
    """(n,) [GB] of network and batch, at most the recorded share of the recorded GPU."""
    jobs = zip(training.network, training.batch, strict=True)
    wanted = random_streams.rounded([memory_gb(network, batch) for network, batch in jobs])
    return np.minimum(wanted, rows.share * [gpu_type(gpus[0]).memory_gb for gpus in may])


def _inflation(rows: JobRecords, cluster: Cluster) -> Floats:
    """(n, T, L) 1 on levels that are at least the recorded share, otherwise inf."""
    level = np.arange(1, len(cluster.gpu_types[0].levels) + 1) / UNITS
    fits = (rows.share < 1)[:, None] & (rows.share[:, None] <= level)
    return np.repeat(np.where(fits, 1.0, np.inf)[:, None, :], len(cluster.gpu_types), axis=1)


def _laws(variant: str, network: Sequence[str]) -> tuple[tuple[str, ...], Mapping[str, Law]]:
    """(n,) names of laws, and the laws; networks without one run all epochs."""
    if variant == FIXED:
        return (FIXED,) * len(network), {}
    name = {each: f"{own}-{variant}" for each, own in sts.NETWORKS.items()}
    laws = {name[each]: epoch_models.law(own, variant) for each, own in sts.NETWORKS.items()}
    return tuple(name.get(each, FIXED) for each in network), laws


def _id(rows: JobRecords, j: int) -> str:
    return rows.id[j].decode("utf-8", "backslashreplace") or f"line{rows.line[j]}"


def _meta(rows: JobRecords, j: int, batch: int) -> dict[str, object]:
    """What was recorded."""
    code = int(rows.model[j])
    return {
        "line": int(rows.line[j]),
        "gpu": rows.models[code] if code >= 0 else None,
        "gpus": int(rows.gpus[j]),
        "share": float(rows.share[j]),
        "batch": batch,
    }


def convert(report: QualityReport, options: ConversionOptions) -> tuple[Workload, Selection]:
    """
    The workload, and which rows it is made of.

    Parameters
    ----------
    report : QualityReport
        Of `lint.inspect` with the nodes of the cluster and the same `gpus`.

    Raises
    ------
    InputError
        No nodes; rows of a kind that is neither dropped nor kept; a bad option.
    """
    format = report.trace.format
    known = stand_ins(options.gpus, format.gpu)
    cluster = build_cluster(
        report.nodes,
        known,
        shared=options.sharing == "recorded",
        flat=options.rules == "jahani",
    )
    screen = CrossRowChecks(
        nodes=report.nodes, known=known, binding=format.binding, duplicates=report.duplicates
    )
    selection = select(
        report,
        screen,
        drop=options.drop,
        keep=options.keep,
        after=options.after,
        jobs=options.jobs,
    )
    rows = selection.rows
    may = [gpus_of(name, known) for name in (*rows.models, "")]
    training = draw(rows, format.network, options.seed)
    own = [may[c] for c in rows.model.tolist()]
    jobs, laws, realised = jobs_of(rows, training, own, format.binding, cluster, options)
    made = Workload(
        name=f"trace-{format.name}-{options.rules}-{options.laws}-{options.sharing}"
        f"-N{cluster.nodes}-J{len(jobs)}-s{options.seed}",
        cluster=cluster,
        jobs=jobs,
        laws=laws,
        H=jahani.H,
        rho=jahani.RHO,
        objective=FAMILIES[options.rules],
        realised_epochs=realised,
        generator=made_by("trace", **_provenance(report, selection, options, known)),
    )
    return made, selection


def _provenance(
    report: QualityReport,
    selection: Selection,
    options: ConversionOptions,
    known: Mapping[str, str],
) -> dict[str, Any]:
    rows = selection.rows
    models = {rows.models[c] if c >= 0 else "" for c in np.unique(rows.model).tolist()}
    return {
        "format": report.trace.format.name,
        "files": {name: source.digest() for name, source in report.trace.tables.items()},
        "dropped": dict(selection.dropped),
        "kept": list(options.keep),
        "after_hours": options.after,
        "jobs": options.jobs,
        "gpus": {name or "not recorded": list(gpus_of(name, known)) for name in sorted(models)},
        "rules": options.rules,
        "laws": options.laws,
        "sharing": options.sharing,
        "seed": options.seed,
    }
