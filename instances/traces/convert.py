"""
Workloads made of traces: what is recorded stays as it is, the rest is drawn from named streams.

Recorded: order and times of submission, GPUs, share, run time, GPU type as far as it is known.
Invented: network and batch (`training`), epochs (Filippini 2024's laws, or always 100), times on
other GPUs, memory (of network and batch, at most the recorded share of the recorded GPU), due dates
and weights (STS (31), or Jahani 2019 V-A), prices of nodes (`cluster`), stand-ins of GPU types
(`gpu_models`), and that a job on a share f of a GPU is not faster on more of one.

The number of epochs W is drawn, and an epoch takes t / W: on the recorded GPUs the run takes the
recorded time, to a unit in the last place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rsjs.instances.generators import jahani
from rsjs.instances.generators.provenance import made_by
from rsjs.instances.instance import FAMILIES, Workload
from rsjs.instances.traces.cluster import cluster_of
from rsjs.instances.traces.gpu_models import gpus_of, stand_ins
from rsjs.instances.traces.imputation import draw
from rsjs.instances.traces.job_columns import jobs_of
from rsjs.instances.traces.options import Options
from rsjs.instances.traces.quality_report import Report
from rsjs.instances.traces.screen import Screen
from rsjs.instances.traces.select import Selection, select


def convert(report: Report, options: Options) -> tuple[Workload, Selection]:
    """
    The workload, and which rows it is made of.

    Parameters
    ----------
    report : Report
        Of `lint.inspect` with the nodes of the cluster and the same `gpus`.

    Raises
    ------
    InputError
        No nodes; rows of a kind that is neither dropped nor kept; a bad option.
    """
    format = report.trace.format
    known = stand_ins(options.gpus, format.gpu)
    cluster = cluster_of(
        report.nodes,
        known,
        shared=options.sharing == "recorded",
        flat=options.rules == "jahani",
    )
    screen = Screen(
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
    report: Report, selection: Selection, options: Options, known: Mapping[str, str]
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
