"""
The offered load of a workload: how much of the cluster its work needs while jobs arrive.

Sets     jobs j, GPU types i, classes c of n_c equal nodes, node types v that they may take
Data     g_ji  GPU-hours of the W_j epochs of job j on type i, in the mode that needs the fewest;
               a share of a GPU counts as its part
         s_v   GPUs of node type v;  T  hours from the first submission to the last
Columns  x_ji  part of job j that runs on type i;  z_cv  nodes of class c as type v;  rho  load

    min  rho
    (1)  sum_i x_ji = 1                                    each job j
    (2)  sum_j g_ji x_ji <= T sum_(c, v on i) s_v z_cv     each GPU type i
    (3)  sum_v z_cv <= rho n_c                             each class c

At rho = 1 the cluster can just keep up with the jobs, if none waits for a node with room and all
take the modes of fewest GPU-hours; above 1 the queue grows whatever a policy does. GPU types count
apart: work that only one of them does fast loads that one. With one GPU type rho is the least
GPU-hours over the GPU-hours of the cluster.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.instance import Workload


def offered_load(workload: Workload) -> float | None:
    """Return rho; None if all jobs are submitted at one time."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, vstack

    cluster, need = workload.cluster, least_gpu_hours(workload)
    span = float(workload.jobs.release[-1] - workload.jobs.release[0])
    if span <= 0:
        return None
    job, gpu = np.nonzero(np.isfinite(need))
    node_class, kind = np.nonzero(cluster.allowed_in_class)
    classes, types = len(cluster.class_sizes), len(cluster.gpu_types)
    x, z = np.arange(len(job)), len(job) + np.arange(len(kind))
    rho = len(job) + len(kind)
    size = (rho + 1,)
    done = coo_array((np.ones(len(x)), (job, x)), shape=(len(need), *size))
    gpus = cluster.gpus_of_type[kind].astype(np.float64)
    hours = coo_array(
        (
            np.concatenate([need[job, gpu] / span, -gpus]),
            (np.concatenate([gpu, cluster.gpu_of_type[kind]]), np.concatenate([x, z])),
        ),
        shape=(types, *size),
    )
    nodes = coo_array(
        (
            np.concatenate([np.ones(len(z)), -cluster.class_sizes.astype(np.float64)]),
            (
                np.concatenate([node_class, np.arange(classes)]),
                np.concatenate([z, np.full(classes, rho)]),
            ),
        ),
        shape=(classes, *size),
    )
    found = linprog(
        np.append(np.zeros(rho), 1.0),
        A_ub=vstack([hours, nodes]),
        b_ub=np.zeros(types + classes),
        A_eq=done,
        b_eq=np.ones(len(need)),
        method="highs",
    )
    return float(found.fun)


def least_gpu_hours(workload: Workload) -> Floats:
    """Return (J, T) g, inf where a job runs on no GPU of a type."""
    whole, gpus = workload.submitted(), workload.cluster.gpu_types
    dedicated, shared = whole.hours_per_epoch, whole.shared_hours_per_epoch
    parts = np.ones((len(gpus), shared.shape[2]))
    for i, gpu in enumerate(gpus):
        parts[i, : len(gpu.levels)] = [share.units / gpu.units for share in gpu.levels]
    counts = np.arange(1, dedicated.shape[2])
    per_epoch = np.concatenate([dedicated[:, :, 1:] * counts, shared * parts], axis=2)
    need: Floats = workload.realised_epochs[:, None] * per_epoch.min(axis=2)
    return need
