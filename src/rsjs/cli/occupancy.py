"""Which job sits on which GPU of which node, as a picture in characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rich.text import Text

    from rsjs.instances.schema import Instance
    from rsjs.instances.solution import Solution

LEAST, MOST = 4, 12  # characters for one GPU
IDLE = "."


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node that is on: its jobs with the GPUs they hold, those that share a GPU together."""

    name: str
    type: str
    gpus: int
    held: tuple[tuple[tuple[str, ...], int], ...]

    @property
    def idle(self) -> int:
        """GPUs that no job holds."""
        return self.gpus - sum(gpus for _, gpus in self.held)


def layout(instance: Instance, solution: Solution) -> list[Node]:
    """The nodes that are on; the largest jobs of a node come first."""
    cluster, nodes = instance.cluster, []
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        node_type = cluster.node_types[solution.node_type[n]]
        members = np.flatnonzero(solution.job_node == n).tolist()
        whole = [j for j in members if solution.job_gpus[j] > 0]
        whole.sort(key=lambda j: -int(solution.job_gpus[j]))
        held = [((instance.jobs.id[j],), int(solution.job_gpus[j])) for j in whole]
        kind = cluster.gpu_types[int(cluster.gpu_of_type[solution.node_type[n]])]
        shares = {j: kind.levels[solution.job_level[j]].units for j in members if j not in whole}
        for together in packed(shares, kind.units):
            held.append((tuple(instance.jobs.id[j] for j in together), 1))
        nodes.append(
            Node(
                name=cluster.node_names[n],
                type=node_type.name,
                gpus=node_type.gpus,
                held=tuple(held),
            )
        )
    return nodes


def packed(shares: dict[int, int], units: int) -> list[list[int]]:
    """Jobs with shares put together on as few GPUs of `units` as possible."""
    order = sorted(shares, key=lambda j: -shares[j])

    def place(at: int, bins: list[list[int]], most: int) -> list[list[int]] | None:
        if at == len(order):
            return bins
        j, tried = order[at], set()
        for i, members in enumerate(bins):
            used = sum(shares[k] for k in members)
            if used + shares[j] <= units and used not in tried:
                tried.add(used)
                found = place(at + 1, [*bins[:i], [*members, j], *bins[i + 1 :]], most)
                if found is not None:
                    return found
        return place(at + 1, [*bins, [j]], most) if len(bins) < most else None

    most = -(-sum(shares.values()) // units)
    while (found := place(0, [], most)) is None:
        most += 1
    return found


def lines(nodes: Sequence[Node], late: frozenset[str], width: int) -> list[Text]:
    """One line per node, each job as wide as its GPUs; late jobs are marked with "!"."""
    from rich.text import Text

    name = max((len(node.name) for node in nodes), default=0)
    kind = max((len(node.type) for node in nodes), default=0)
    gpus = max((node.gpus for node in nodes), default=1)
    cell = min(MOST, max(LEAST, (width - name - kind - 5) // gpus - 1))
    drawn = []
    for node in nodes:
        line = Text(f"{node.name:<{name}}  {node.type:<{kind}}  |", no_wrap=True)
        for jobs, held in node.held:
            marks = "+".join(f"{job}!" if job in late else job for job in jobs)
            room = held * (cell + 1) - 1
            shown = marks if len(marks) <= room else f"{marks[: room - 1]}~"
            line.append(f"{shown:<{room}}", style="red" if late & {*jobs} else "green")
            line.append("|")
        for _ in range(node.idle):
            line.append(f"{IDLE:<{cell}}", style="dim")
            line.append("|")
        drawn.append(line)
    return drawn
