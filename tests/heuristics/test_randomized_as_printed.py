"""Iterations of the randomized greedy against the published words, one job and node at a time."""

from random import Random

import numpy as np
import pytest

from rsjs.heuristics import candidates, greedy
from rsjs.heuristics.best_fit import Assignment
from rsjs.heuristics.greedy_rules import cluster_tables
from rsjs.heuristics.random_streams import draw
from rsjs.heuristics.randomized_engines import Batched
from rsjs.heuristics.randomized_rules import RULES
from rsjs.heuristics.randomized_tables import chances, prepare
from rsjs.instances import costs
from rsjs.instances.documents import to_instance


class Plain:
    """One iteration, written down as it is printed; numbers are drawn job by job."""

    def __init__(self, instance, rule, first_fit, state):
        self.instance, self.rule, self.state = instance, RULES[rule], state
        self.first_fit, self.cluster = first_fit, instance.cluster
        reading, tables = self.rule.greedy, cluster_tables(instance.cluster, self.rule.greedy)
        self.hours, self.price = costs.tables(instance).hours, tables.nodes.price
        self.ranked = candidates.ranked(instance, self.hours, self.price, strict=reading.strict)
        self.opened_as = tables.pool.opened_as
        self.type = [-1] * self.cluster.nodes
        self.kind = [-1] * self.cluster.nodes
        self.idle = [0] * self.cluster.nodes

    def number(self):
        self.state, u = draw(False, self.state)
        return float(u[0])

    def run(self):
        queue, weight = candidates.by_pressure(self.instance).tolist(), self.instance.jobs.weight
        job_node, job_gpus = [-1] * len(queue), [0] * len(queue)
        for at in range(len(queue)):
            if at + 1 < len(queue):
                j, next_j = queue[at : at + 2]
                heavier = weight[j] > weight[next_j]
                if self.number() < (self.rule.swap_heavier if heavier else self.rule.swap_other):
                    queue[at : at + 2] = next_j, j
            j, u = queue[at], 0.0
            configurations = list(self.ranked[j])
            if self.rule.listed > 1:
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
        return job_node, job_gpus, self.type

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
        nodes = range(self.cluster.nodes)
        fits = [n for n in nodes if self.kind[n] == kind and self.idle[n] >= g]
        if fits:
            fits.sort(key=lambda n: (0 if self.first_fit else self.idle[n], n))
            fits = fits[: self.rule.listed]
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


@pytest.mark.slow
@pytest.mark.parametrize("fit", ["best", "first"])
@pytest.mark.parametrize("rule", RULES)
def test_iterations_are_as_printed(random_document, rule, fit):
    differ = 0
    for seed in range(40):
        instance = to_instance(random_document(Random(seed)))
        prepared = prepare(instance, RULES[rule], seed=seed, fit=fit)
        ready, engine = greedy.prepare(instance, rule), Batched(prepared)
        engine.costs(1, 6)
        for iteration in range(2, 7):
            plain = Plain(instance, rule, fit == "first", prepared.streams(iteration, 1)).run()
            expected = greedy.postprocess(ready, Assignment(*map(np.array, plain)))
            found = engine.schedule(iteration)
            assert found.same_as(expected), (seed, iteration)
            differ += not found.same_as(greedy.decide(ready))
    assert differ > 12


def test_chances_are_inverse_to_what_sorts_the_candidates(make):
    instance = make(
        types={"A1": 1, "B1": 2, "C1": 4, "D1": 8},
        groups=[(1, ["A1", "B1", "C1", "D1"])],
        hours=[
            {"A": [2], "B": [2], "C": [2], "D": [2]},  # 2, 4, 8, 16 $
            {"A": [2], "B": [9], "C": [8], "D": [7]},  # one in time
            {"A": [8], "B": [4], "C": [2], "D": [9]},  # all late: 2, 4, 8 h
            {"A": [1], "B": [1]},  # 1, 2 $
        ],
        due=[9, 3, 1, 9],
    )
    hours, price = instance.hours_per_epoch, [[0, 1], [0, 2], [0, 4], [0, 8]]
    ranking = candidates.ranking(instance, hours, np.array(price, dtype=float), strict=True)
    chance = chances(ranking, 3)
    assert chance[0].tolist() == pytest.approx([4 / 7, 6 / 7, 2])
    assert chance[1].tolist() == [2, 2, 2]
    assert chance[2].tolist() == pytest.approx([4 / 7, 6 / 7, 2])
    assert chance[3].tolist() == pytest.approx([2 / 3, 2, 2])


def test_free_candidates_share_all_chances(make):
    types = {"A1": 0, "B1": 0, "C1": 5}
    instance = make(types, [{"A": [1], "B": [2], "C": [1]}], groups=[(1, [*types])], due=[9])
    hours, price = instance.hours_per_epoch, np.array([[0.0, 0], [0, 0], [0, 5]])
    ranking = candidates.ranking(instance, hours, price, strict=True)
    assert chances(ranking, 3).tolist() == [[0.5, 2, 2]]


@pytest.mark.parametrize(("rule", "share"), [("code", 0.55), ("paper", 0.45)])
def test_a_heavier_job_is_passed_as_often_as_the_rule_says(make, rule, share):
    # one GPU: the job that comes first runs; j0 is the more pressing one
    instance = make({"A1": 1}, [{"A": [5]}, {"A": [4]}], due=[1, 1], weight=[2, 1])
    engine = Batched(prepare(instance, RULES[rule], seed=1))
    engine.costs(2, 2000)
    passed = sum(engine.schedule(i).job_node[1] == 0 for i in range(2, 2002))
    assert passed / 2000 == pytest.approx(share, abs=0.035)  # three standard deviations


@pytest.mark.parametrize("rule", RULES)
def test_price_is_an_option(make, rule):
    types = {"A2": 2, "A4": 3.6}
    instance = make(types, [{"A": [4, 2.5, None, 2]}], groups=[(1, [*types])], due=[1000.0])
    # 1, 2, 4 GPUs cost 4 h x 2 $/h, 2.5 x 2, 2 x 3.6; as shares 4 x 0.9, 2.5 x 1.8, 2 x 3.6
    for price, gpus in (("full_vm", 2), ("share", 1), ("rule", {"code": 2, "paper": 1}[rule])):
        choices = prepare(instance, RULES[rule].with_options(price, "rule")).choices
        assert choices.gpus[choices.candidate[0, 0]] == gpus


@pytest.mark.parametrize("rule", RULES)
def test_postprocessing_is_an_option(make, rule):
    instance = make(
        {"A3": [0.1, 1, 2], "B2": [0.1, 2]},
        [{"A": [10, 8]}, {"A": [3, 2]}, {"B": [7.5, 6]}],
        due=[1000.0] * 3,
    )  # as in test_greedy: by time saved in the cluster, or by speed-up on each node
    for give, gpus in (("one_job", [2, 1, 1]), ("each_node", [1, 2, 2])):
        engine = Batched(prepare(instance, RULES[rule].with_options("rule", give)))
        assert engine.schedule(1).job_gpus.tolist() == gpus
