"""Greedy and its randomized iterations as they are published, one job and one node at a time."""

import numpy as np

from rsjs.heuristics.common.random_streams import draw
from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.placement import kinds_by_gpu_type
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES, cluster_tables
from rsjs.instances import costs
from rsjs.instances.solution import Solution


class PlainGreedy:
    """One iteration; numbers are drawn job by job from a state, without one nothing is random."""

    def __init__(self, instance, rule, state=None):
        self.instance, self.rule, self.state = instance, RANDOMIZED_RULES[rule], state
        self.cluster, reading = instance.cluster, self.rule.greedy
        tables = cluster_tables(instance.cluster, reading)
        self.hours, self.price = costs.cost_tables(instance).hours, tables.nodes.price
        self.ranked = candidates.ranked(instance, self.hours, self.price, strict=reading.strict)
        self.opened_as = kinds_by_gpu_type(instance.cluster).opened_as
        self.type = [-1] * self.cluster.nodes
        self.kind = [-1] * self.cluster.nodes
        self.idle = [0] * self.cluster.nodes

    def decide(self):
        queue, weight = candidates.by_pressure(self.instance).tolist(), self.instance.jobs.weight
        job_node, job_gpus = [-1] * len(queue), [0] * len(queue)
        for at in range(len(queue)):
            if self.state is not None and at + 1 < len(queue):
                j, next_j = queue[at : at + 2]
                heavier = weight[j] > weight[next_j]
                if self.number() < (self.rule.swap_heavier if heavier else self.rule.swap_other):
                    queue[at : at + 2] = next_j, j
            j, u = queue[at], 0.0
            configurations = list(self.ranked[j])
            if self.state is not None and self.rule.listed > 1:
                first = self.drawn(self.listed(j), self.number())
                u = self.number()
                configurations.insert(0, configurations.pop(first))
            for code in configurations:
                kind, g = divmod(code, self.cluster.largest + 1)
                node = self.node(kind, g, u)
                if node is not None:
                    self.idle[node] -= g
                    job_node[j], job_gpus[j] = node, g
                    break
        return self.postprocessed(job_node, job_gpus)

    def number(self):
        self.state, u = draw(False, self.state)
        return float(u[0])

    def listed(self, j):
        """What sorts the first candidates of the job: cost in time, else time."""
        reading, found = self.rule.greedy, []
        for code in self.ranked[j][: self.rule.listed]:
            kind, g = divmod(code, self.cluster.largest + 1)
            hours = self.hours[j, kind, g]
            end, due = self.instance.now + hours, self.instance.jobs.due[j]
            in_time = end < due if reading.strict else end <= due
            found.append((bool(in_time), hours * self.price[kind, g] if in_time else hours))
        return [float(key) for in_time, key in found if in_time == found[0][0]]

    @staticmethod
    def drawn(keys, u):
        """An index with a chance inverse to its key; where keys are 0, one of those."""
        weights = [1 / key if key else 0.0 for key in keys]
        if 0.0 in keys:
            weights = [float(key == 0) for key in keys]
        below = np.cumsum(weights) / sum(weights) <= u
        return min(int(below.sum()), len(keys) - 1)

    def node(self, kind, g, u):
        """The fullest of the open nodes with room, or one of them by u; else a closed one."""
        nodes = range(self.cluster.nodes)
        fits = [n for n in nodes if self.kind[n] == kind and self.idle[n] >= g]
        if fits:
            fits = sorted(fits, key=lambda n: (self.idle[n], n))[: self.rule.listed]
            return fits[self.drawn([self.idle[n] for n in fits], u)]
        size = {n: self.cluster.node_types[self.opened_as[kind][n]].gpus for n in nodes}
        closed = [n for n in nodes if self.kind[n] < 0 and self.opened_as[kind][n] >= 0]
        closed = [n for n in closed if size[n] >= g]
        if not closed:
            return None
        node = min(closed, key=lambda n: (-size[n], n))
        self.kind[node], self.type[node] = kind, self.opened_as[kind][node]
        self.idle[node] = size[node]
        return node

    def postprocessed(self, job_node, job_gpus):
        """Smaller nodes for what is in use, then idle GPUs for jobs that gain from them."""
        cluster, reading = self.cluster, self.rule.greedy
        table, used = reading.equivalents(cluster), [0] * cluster.nodes
        for node, gpus in zip(job_node, job_gpus, strict=True):
            used[node] += gpus  # jobs that wait have none
        types = [
            int(table[cluster.class_of_node[n], self.type[n], used[n]]) if used[n] else -1
            for n in range(cluster.nodes)
        ]
        gains = []  # (group, - gain, job, GPUs): the first one of a group counts
        for j, (n, g) in enumerate(zip(job_node, job_gpus, strict=True)):
            idle = int(cluster.gpus_of_type[types[n]]) - used[n]
            if n < 0 or idle == 0:
                continue
            before, after = self.hours[j, cluster.gpu_of_type[types[n]], [g, g + idle]]
            if before > after:
                gain = before / after if reading.each_node else before - after
                gains.append((n if reading.each_node else 0, -gain, j, g + idle))
        given = set()
        for group, _, j, gpus in sorted(gains):
            if group not in given:
                given.add(group)
                job_gpus[j] = gpus
        return Solution.of(job_node, job_gpus, types)
