"""The GPU-indexed RS-JS model assembled without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows
from rsjs.formulations.modes.modes import Index
from rsjs.formulations.rsjs.rsjs_gpu_data import GpuModel


def arrays(data: GpuModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    use, on = np.array(data.uses).T
    state_node, state_gpus = np.array(data.nodes.states).T
    lead, lead_gpus = np.array(data.leads).T
    sizes = (len(data.node), len(use), len(data.nodes.gpu_node), len(state_node), len(lead))
    x, z, u, gamma, r = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    job, jobs, nodes, gpus = data.job, len(data.instance.jobs), len(data.nodes.size), len(u)
    rows = Rows()
    rows.add(jobs, -np.inf, 1.0, (job, x, 1.0))
    pairs, of_pair = _numbered(job * nodes + data.node)
    pair, state = np.nonzero((pairs % nodes)[:, None] == state_node)
    rows.add(len(pairs), -np.inf, 0.0, (of_pair, x, 1.0), (pair, gamma[state], -1.0))
    units = data.nodes.units[data.nodes.gpu_node].astype(float)
    taken, width = data.taken.astype(float), data.width.astype(float)
    rows.add(len(x), 0.0, 0.0, (use, z, 1.0), (x, x, -width))
    rows.add(gpus, -np.inf, 0.0, (on, z, taken[use]), (np.arange(gpus), u, -units))
    pairs, of_pair = _numbered(job[use] * gpus + on)
    rows.add(
        len(pairs), -np.inf, 0.0, (of_pair, z, 1.0), (np.arange(len(pairs)), u[pairs % gpus], -1.0)
    )
    rows.add(
        nodes,
        -np.inf,
        0.0,
        (data.nodes.gpu_node, u, 1.0),
        (state_node, gamma, -state_gpus.astype(float)),
    )
    rows.add(nodes, -np.inf, 1.0, (state_node, gamma, 1.0))
    first = np.searchsorted(state_node, np.arange(nodes))
    led = first[data.node[lead]] + lead_gpus - 1
    rows.add(len(gamma), 0.0, 0.0, (led, r, 1.0), (np.arange(len(gamma)), gamma, -1.0))
    rows.add(len(x), -np.inf, 0.0, (lead, r, 1.0), (x, x, -1.0))
    if data.required is not None:
        required = float(data.required)
        rows.add(1, required, required, (np.zeros_like(gamma), gamma, 1.0))
    kinds = np.array([Kind.INTEGER, Kind.IMPLIED_INTEGER], np.uint8)
    return rows.model(
        cost=data.cost,
        upper=np.ones(sum(sizes)),
        kind=np.repeat(kinds, [sum(sizes[:4]), sizes[4]]),
        offset=data.offset,
    )


def _numbered(keys: Index) -> tuple[Index, Index]:
    """The distinct keys in order, and the position of each key among them."""
    distinct, position = np.unique(keys, return_inverse=True)
    return distinct, position
