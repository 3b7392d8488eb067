"""The kernels of ruin and recreate: brute force, the checker, and plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.heuristics import prices
from rsjs.heuristics.compiled import compiled
from rsjs.heuristics.kernels.node_moves import spares, total_cost
from rsjs.heuristics.kernels.node_sizes import layers, resize
from rsjs.heuristics.node_shapes import shapes
from rsjs.heuristics.node_state import decision, loaded, nothing_runs
from rsjs.heuristics.ruin_recreate import Search
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.packing import gpus_for_shares
from tests.heuristics.ruin_and_recreate import served


@compiled
def resized(problem, state, space, n):
    """`resize` as Python can call it."""
    return resize(problem, state, space, n)


@compiled
def spare_cost(problem, state):
    """`spares` as Python can call it."""
    return spares(problem, state)


@pytest.mark.parametrize(
    "instance",
    [
        jahani.generate(nodes=12, jobs=60, seed=1),
        kiros.generate(nodes=12, jobs=60, seed=1),
        sts.generate(nodes=12, jobs=40, seed=1, mix="kma"),
        sts.generate(nodes=12, jobs=60, seed=1, mix="kma", sharing="paper"),
    ],
    ids=lambda instance: instance.name,
)
def test_moves_keep_every_sum_and_the_checkers_cost(instance):
    found, problem = prices.find(instance), shapes(instance)
    start = nothing_runs(problem, problem.types[problem.node_class, 0])
    search = Search(instance, problem, found, start, 3)
    for move in range(150):
        temperature = 0.0 if move % 2 else found.scale
        search.moves(1, temperature, 1 + move % 4, move % 5)
        state = search.state
        waiting = state.waiting[: state.size[0]]
        kept = state.cost.sum() + problem.postponement[waiting].sum() + spare_cost(problem, state)
        solution = decision(instance, problem, state)
        assert check(instance, solution).feasible
        cost = costs.terms(instance, solution).total
        assert kept == pytest.approx(cost, rel=1e-9, abs=1e-9)
        assert total_cost(problem, state) == pytest.approx(cost, rel=1e-12, abs=1e-12)
        best = costs.terms(instance, search.solution()).total
        assert search.cost == pytest.approx(best, rel=1e-9, abs=1e-9)
        running = np.concatenate([state.jobs[n, :k] for n, k in enumerate(state.load)])
        assert sorted([*running.tolist(), *waiting.tolist()]) == list(range(len(instance.jobs)))


@given(rng=st.randoms(use_true_random=False))
def test_the_best_shapes_of_a_node_are_those_of_brute_force(random_document, rng):
    instance = served(random_document, rng)
    problem = shapes(instance)
    n = rng.randrange(instance.cluster.nodes)
    v = int(rng.choice([v for v in problem.types[problem.node_class[n]].tolist() if v >= 0]))
    state = nothing_runs(problem, problem.types[problem.node_class, 0])
    room = state.jobs.shape[1] - 1
    jobs = rng.sample(range(len(instance.jobs)), min(len(instance.jobs), room, rng.randint(1, 3)))
    state.kind[n], state.load[n], state.cost[n] = v, len(jobs), np.inf
    state.jobs[n, : len(jobs)] = jobs
    fits = resized(problem, state, layers(problem, room), n)
    expected = brute_force(instance, problem, v, jobs)
    gpu = instance.cluster.gpu_types[instance.cluster.gpu_of_type[v]]
    divisible = gpu.name in ("K80", "M60", "plain") and problem.idle[v, 0] == 0
    exact = divisible or not problem.step[v].any()
    if exact:
        assert fits == (expected < np.inf)
    if fits and exact:
        assert state.cost[n] == pytest.approx(expected)
    elif fits:
        assert state.cost[n] >= expected - 1e-9


def brute_force(instance, problem, v, jobs):
    """Least cost of running exactly these jobs on a node of type v."""
    gpu = instance.cluster.gpu_types[instance.cluster.gpu_of_type[v]]
    best = np.inf
    for chosen in product(range(int(problem.choices[v])), repeat=len(jobs)):
        if any(problem.late[v, j, a] == np.inf for j, a in zip(jobs, chosen, strict=True)):
            continue
        shares = [int(problem.units[v, a]) for a in chosen if problem.gpus[v, a] == 0]
        used = sum(int(problem.gpus[v, a]) for a in chosen) + gpus_for_shares(shares, gpu.units)
        if used > problem.size[v]:
            continue
        late = sum(problem.late[v, j, a] for j, a in zip(jobs, chosen, strict=True))
        first = min(problem.hours[v, j, a] for j, a in zip(jobs, chosen, strict=True))
        best = min(best, late + problem.energy[v, used] * first + problem.idle[v, used])
    return best


def test_the_table_of_bins_is_that_of_the_packing():
    instance = sts.generate(nodes=9, jobs=200, seed=1, mix="kma", sharing="paper")
    problem = shapes(instance)
    for v, node in enumerate(instance.cluster.node_types):
        gpu = instance.cluster.gpu_types[instance.cluster.gpu_of_type[v]]
        small, large = (level.units for level in gpu.levels)
        steps = problem.step[v][:2]
        for few, many in product(range(0, 9), range(0, 7)):
            expected = gpus_for_shares([small] * few + [large] * many, gpu.units)
            index = problem.bins_of[v] + few * steps[0] + many * steps[1]
            if expected <= node.gpus:
                assert problem.bins[index] == expected
            else:
                assert problem.bins[index] > node.gpus


SCRIPT = """
import json, sys
from rsjs.heuristics import priced_greedy
from rsjs.heuristics.ruin_recreate import run
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.method import Call, Limits, Report
found = []
for instance in (
    jahani.generate(nodes=3, jobs=12, seed=1, due="tight"),
    kiros.generate(nodes=3, jobs=12, seed=1),
    sts.generate(nodes=3, jobs=9, seed=1, mix="kma", sharing="paper"),
):
    call = Call(options={"iterations": 80}, limits=Limits(gap=-1.0))
    for result in (run(instance, call, Report()), priced_greedy.run(instance, Call(), Report())):
        s = result.solution
        lists = [a.tolist() for a in (s.job_node, s.job_gpus, s.job_level, s.node_type)]
        found.append([lists, result.objective, result.bound])
json.dump(found, sys.stdout)
"""


def test_compiled_and_plain_python_agree():
    texts = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for environment in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    compiled, plain = map(json.loads, texts)
    assert compiled == plain


def test_a_decision_survives_being_loaded(random_document, random_decision):
    for seed in range(60):
        rng = Random(seed)
        instance = served(random_document, rng)
        start = random_decision(instance, rng)
        problem = shapes(instance)
        state = loaded(instance, problem, start)
        again = decision(instance, problem, state)
        for name in ("job_node", "job_gpus", "job_level"):
            assert np.array_equal(getattr(again, name), getattr(start, name))
