"""
Jobs that stay where they run, in models whose nodes are counted by class and type.

Where a migration costs, a running job has a node of its own. The nodes of a class remain
interchangeable for all jobs that move or start: what is told apart is only whether a node keeps its
type and which of its jobs stay on it. A node n of type v that does, with u GPUs of jobs that stay,
is a node whose pattern begins at u; a job that stays pays no change.

    z_j in {0, 1}    job j stays: same node, type, and number of GPUs
    w_nu in {0, 1}   node n keeps its type v_n, and jobs that stay have u of its GPUs, u > 0

    (stay)   sum_j on n g_j z_j = sum_u u w_nu                      for all n
    (kept)   sum_u w_nu <= 1                                        for all n
    (class)  sum_nu w_nu <= L_kv            over the nodes of class k and type v, for all k, v

u are the sums of GPUs of subsets of the jobs on n. A job that ends up on its node without z_j = 1
pays a migration in the model and none in truth; z_j = 1 is never worse, so the optimum is exact.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.costs import change_costs, cost_tables
from rsjs.instances.instance import Instance

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


def _none() -> Ints:
    return np.zeros(0, dtype=np.int64)


class Entry(NamedTuple):
    """A node that keeps its type, with `gpus` GPUs of jobs that stay."""

    node: int
    node_type: int
    gpus: int


@dataclass(frozen=True, eq=False)
class Stays:
    """Data of the columns z and w; without any of them, nothing stays."""

    job: Ints = field(default_factory=_none)  # (Z,)
    node: Ints = field(default_factory=_none)  # (Z,)
    gpus: Ints = field(default_factory=_none)  # (Z,) g_j
    gain: Floats = field(default_factory=lambda: np.zeros(0))  # (Z,) [$] against postponing
    entries: tuple[Entry, ...] = ()

    @property
    def cost(self) -> Floats:
        """Cost of the columns z, w [$]."""
        return np.concatenate([self.gain, np.zeros(len(self.entries))])

    def positions(self, node_type: int) -> set[int]:
        """Return the numbers of GPUs after which patterns of a type may begin."""
        return {entry.gpus for entry in self.entries if entry.node_type == node_type}


NOBODY = Stays()


def stays(instance: Instance, cost: Floats) -> Stays:
    """
    Return who may stay.

    Parameters
    ----------
    cost : (J, V, G + 1) float [$]
        What a job pays on a number of GPUs of a type, changes left out; inf where not admissible.
    """
    if not instance.objective.migration:
        return NOBODY
    changes, cluster = change_costs(instance), instance.cluster
    gain = cost - cost_tables(instance).postponement[:, None, None]
    found: dict[int, list[int]] = defaultdict(list)
    for j in np.flatnonzero((changes.node_type >= 0) & (changes.level < 0)).tolist():
        n, v, g = int(changes.node[j]), int(changes.node_type[j]), int(changes.gpus[j])
        allowed = cluster.allowed_in_class[cluster.class_of_node[n], v]
        if allowed and gain[j, v, g] < 0:
            found[n].append(j)
    entries = []
    for n, jobs in found.items():
        v, sums = int(changes.node_type[jobs[0]]), {0}
        for j in jobs:
            sums |= {u + int(changes.gpus[j]) for u in sums}
        entries += [Entry(n, v, u) for u in sorted(sums) if 0 < u <= cluster.gpus_of_type[v]]
    job = np.array([j for jobs in found.values() for j in jobs], dtype=np.int64)
    node, kind, gpus = (of[job] for of in (changes.node, changes.node_type, changes.gpus))
    return Stays(job, node, gpus, gain[job, kind, gpus], tuple(entries))


def add_columns(m: ConcreteModel, data: Stays) -> None:
    """Add z and w to a Pyomo model, if there are any."""
    import pyomo.core as pyo

    if len(data.job):
        m.z = pyo.Var(data.job.tolist(), domain=pyo.Binary)
        m.w = pyo.Var([(entry.node, entry.gpus) for entry in data.entries], domain=pyo.Binary)


def add_rows(m: ConcreteModel, instance: Instance, data: Stays) -> None:
    """Add (stay), (kept) and (class) to a Pyomo model of z, w and L."""
    from rsjs.formulations.milp.from_pyomo import Rows

    if not len(data.job):
        return
    stay, kept, classes, cluster = Rows(), Rows(), Rows(), instance.cluster
    for j, n, g in zip(data.job.tolist(), data.node.tolist(), data.gpus.tolist(), strict=True):
        stay[n].append((g, m.z[j]))
    for n, v, u in data.entries:
        stay[n].append((-u, m.w[n, u]))
        kept[n].append((1, m.w[n, u]))
        classes[int(cluster.class_of_node[n]), v].append((1, m.w[n, u]))
    for kv, row in classes.items():
        row.append((-1, m.L[kv]))
    m.stay, m.kept, m.kept_of_class = stay.equal(0), kept.at_most(1), classes.at_most(0)


def columns(m: ConcreteModel, data: Stays) -> list[Any]:
    """Return z and w, if there are any."""
    return [*m.z.values(), *m.w.values()] if len(data.job) else []
