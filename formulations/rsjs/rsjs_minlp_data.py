"""The data of the RS-JS MINLP: its index sets, times and costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rsjs.formulations.modes.modes import Configurations
from rsjs.formulations.modes.rsjs_served import nodes_with_a_job
from rsjs.formulations.rsjs.gpu_nodes import GpuNodes
from rsjs.instances.instance import Instance

PRINTED = frozenset({"8", "12", "13", "16", "pi"})
NAMES = ("nu", "zeta", "xi", "phi", "sigma", "u", "gamma", "alpha", "pi")
WHOLE = -1  # the fraction 1, as the level of dedicated GPUs


def printed_rows(option: str) -> frozenset[str]:
    """The rows of PRINTED that "corrected", "all" or the name of one stands for."""
    return {"corrected": frozenset[str](), "all": PRINTED}.get(option, frozenset({option}))


@dataclass(frozen=True, eq=False)
class MinlpModel:
    """
    The model's data; the order of the variables is that of NAMES, then of `index`.

    Attributes
    ----------
    nodes : GpuNodes
    printed : frozenset of str
        Which rows of PRINTED are as in the paper.
    required : int or None
        Right-hand side of (16); None = no such row.
    """

    nodes: GpuNodes
    printed: frozenset[str]
    required: int | None

    @staticmethod
    def of(instance: Instance, printed: frozenset[str] = frozenset()) -> MinlpModel:
        """The model of an instance; ValueError in one line if it is not served."""
        nodes = GpuNodes.of("rsjs_minlp", instance)
        required = nodes_with_a_job(instance)
        if "16" in printed:
            required = min(len(instance.jobs), instance.cluster.nodes)
        return MinlpModel(nodes, printed, required)

    @property
    def instance(self) -> Instance:
        """The instance."""
        return self.nodes.instance

    @property
    def q(self) -> Configurations:
        """All admissible configurations."""
        return self.nodes.configurations

    @cached_property
    def xi(self) -> dict[tuple[int, int, int], int]:
        """(j, n, k) -> the configuration on k GPUs."""
        rows = zip(self.q.job.tolist(), self.q.gpu_type.tolist(), self.q.gpus.tolist(), strict=True)
        dedicated = [(c, *row) for c, row in enumerate(rows) if row[2]]
        hosts = enumerate(zip(self.nodes.gpu_type.tolist(), self.nodes.size.tolist(), strict=True))
        return {
            (j, n, k): c
            for n, host in hosts
            for c, j, i, k in dedicated
            if i == host[0] and k <= host[1]
        }

    @cached_property
    def phi(self) -> dict[tuple[int, int, int], int]:
        """(j, i, f) -> the configuration on the fraction f, a share level or WHOLE."""
        rows = zip(
            self.q.job.tolist(), self.q.gpu_type.tolist(), self.q.level.tolist(), strict=True
        )
        return {row: c for c, row in enumerate(rows) if self.q.gpus[c] <= 1}

    @cached_property
    def job_types(self) -> list[tuple[int, int]]:
        """(j, i) with a configuration, in order."""
        return sorted({(j, int(self.nodes.gpu_type[n])) for j, n, _ in self.xi})

    @cached_property
    def index(self) -> dict[str, list[Any]]:
        """Name -> the variable's index set."""
        pairs = sorted({(j, n) for j, n, _ in self.xi})
        whole = [(*pair, WHOLE) for pair in self.job_types]
        return {
            "nu": list(range(len(self.nodes.size))),
            "zeta": pairs,
            "xi": list(self.xi),
            "phi": sorted({*self.phi, *whole}),
            "sigma": [(j, g) for j, n in pairs for g in self.nodes.gpus_of(n)],
            "u": list(range(len(self.nodes.gpu_node))),
            "gamma": self.nodes.states,
            "alpha": pairs,
            "pi": pairs,
        }

    @cached_property
    def positions(self) -> dict[tuple[str, Any], int]:
        """(name, index) -> position of a variable."""
        keys = [(name, key) for name in NAMES for key in self.index[name]]
        return {key: position for position, key in enumerate(keys)}

    def units(self, i: int, f: int) -> int:
        """u_f."""
        gpu = self.instance.cluster.gpu_types[i]
        return gpu.units if f == WHOLE else gpu.levels[f].units

    def price(self, n: int, k: int) -> float:
        """c_nk [$/h]."""
        return self.instance.cluster.node_types[int(self.nodes.node_type[n])].cost[k]

    def largest_charge(self, j: int, n: int) -> float:
        """PI_jn [$]."""
        q, size = self.q, int(self.nodes.size[n])
        here = (q.job == j) & (q.gpu_type == self.nodes.gpu_type[n]) & (q.gpus <= size)
        return self.price(n, size) * float(q.hours[here].max())
