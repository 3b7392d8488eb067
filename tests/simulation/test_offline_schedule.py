"""Schedules in hindsight: replayed, not below the bound, and optimal on one GPU."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rsjs
from rsjs.core.errors import InputError
from rsjs.heuristics.common.random_streams import first_states
from rsjs.heuristics.hindsight import schedule
from rsjs.heuristics.hindsight.kernels_ruin import improve
from rsjs.heuristics.hindsight.packing import node_moves, packing_space, placed_nodes
from rsjs.instances.generators import sts
from rsjs.simulation import accounting, event_log
from rsjs.simulation.bounds import hindsight, modes, workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.offline import offline_schedule
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Status
from tests.simulation.offline_optimum import offline_optimum

ABOVE = 1 + 1e-9


def _crowded(**changed):
    return sts.workload(**{"nodes": 3, "jobs": 24, "seed": 1, "gap_seconds": 3000} | changed)


@pytest.mark.parametrize(
    ("given", "cost"),
    [
        ({}, 4 + 20),  # one after the other
        ({"nodes": [["A1"]] * 2}, 4),
        ({"inflation": 1.0}, 2),  # on halves of the GPU
        ({"due": [9, 9]}, 4),
        ({"release": [0, 1], "due": [9, 3], "weight": [10, 100]}, 4),  # the first one waits
    ],
)
def test_two_jobs_of_two_hours_on_one_gpu_by_hand(make, given, cost):
    workload = make(**{"hours": [{"A": [2.0]}] * 2, "due": [2, 2], "weight": [10, 10]} | given)
    assert offline_schedule(workload, iterations=20).cost == pytest.approx(cost)


def test_a_node_takes_the_type_that_is_needed(make):
    types = {"A1": [1.0], "B1": [2.0]}
    either = make(types=types, nodes=[["A1", "B1"]], hours=[{"A": [2.0]}, {"B": [1.0]}])
    assert offline_schedule(either, iterations=20).cost == pytest.approx(4.0)


def test_jobs_share_a_node_whose_price_is_flat(make):
    """Of two jobs, both due in 2 h, alone a node each would cost 6 $ together."""
    workload = make(types={"A2": [3.0, 3.0]}, nodes=[["A2"]] * 2, hours=[{"A": [2.0]}] * 2)
    assert offline_schedule(workload, iterations=20).cost == pytest.approx(6.0)


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 4)
def test_any_workload_is_replayed_at_its_cost_and_not_below_the_bound(rng, random_workload):
    workload = random_workload(rng)
    options = Options(
        energy=rng.choice(["curve", "gpu", "node", "base:0.3"]),
        deviation=rng.choice([0.0, 0.2]),
        seed=rng.randint(0, 99),
    )
    found = offline_schedule(workload, options, iterations=20)
    assert found.outcome.status == Status.COMPLETE
    assert found.bound <= found.cost * ABOVE + 1e-9


@pytest.mark.parametrize("family", ["jahani", "kiros", "andreas", "heterogeneous"])
def test_workloads_of_every_family(family):
    workload = rsjs.generate(family, arrivals="exp", nodes=3, jobs=9, seed=2)
    found = offline_schedule(workload, iterations=30)
    assert found.bound <= found.cost * ABOVE
    assert found.cost <= simulate(workload, policy("queue:pedf", workload)).totals.cost


@pytest.mark.parametrize(("mix", "sharing"), [*product(["km", "a100"], ["none", "paper"])])
def test_shares_and_dedicated_gpus_of_the_sts_paper(mix, sharing):
    workload = _crowded(mix=mix, sharing=sharing, gap_seconds=600 if mix == "a100" else 3000)
    found = offline_schedule(workload, iterations=200)
    greedy = simulate(workload, policy("queue:pedf", workload)).totals.cost
    assert found.bound <= found.cost * ABOVE < greedy


def _one_gpu(rng, make):
    """Jobs on one GPU: no schedule gains by an interruption other than at a submission."""
    jobs = rng.randint(1, 4)
    release = sorted(rng.randint(0, 6) / 2 for _ in range(jobs))
    return make(
        hours=[{"A": [rng.randint(1, 6) / 4]} for _ in range(jobs)],
        release=release,
        due=[at + rng.randint(0, 4) for at in release],
        weight=[rng.choice([0.5, 5, 50]) for _ in range(jobs)],
        law=[[1, 1], [2, 1], [3, 1]],
        realised=[rng.randint(1, 3) for _ in range(jobs)],
    )


@given(seed=st.integers(0, 10**6))
@example(seed=50)  # epochs that add up to the work, but for the order in which they are added
@settings(max_examples=settings().max_examples // 2)
def test_on_one_gpu_it_is_the_optimum(seed, make):
    workload = _one_gpu(Random(seed), make)
    assert offline_schedule(workload, iterations=300).cost == pytest.approx(
        offline_optimum(workload), rel=1e-9
    )


def test_the_same_seed_gives_the_same_log_and_the_policy_does_too():
    workload, options = _crowded(), Options(seed=3)
    first, second = (offline_schedule(workload, options, iterations=60) for _ in range(2))
    assert event_log.text(first.outcome) == event_log.text(second.outcome)
    other = offline_schedule(workload, options, iterations=60, seed=4)
    assert event_log.text(first.outcome) != event_log.text(other.outcome)
    spelling = "offline?iterations=60"
    run = simulate(workload, policy(spelling, workload), options)
    assert (run.totals, run.policy) == (first.outcome.totals, spelling)


def test_its_document_is_a_log_that_is_replayed(tmp_path):
    found = offline_schedule(_crowded(), iterations=20)
    found.write(tmp_path / "log.jsonl.gz")
    again = event_log.replay(_crowded(), event_log.read(tmp_path / "log.jsonl.gz"))
    assert again.totals.cost == found.cost


def test_more_iterations_cost_no_more_than_none():
    workload = _crowded(gap_seconds=2000)
    bound = workload_bound(workload)
    costs = [offline_schedule(workload, bound=bound, iterations=n).cost for n in (0, 400)]
    assert costs[1] < costs[0]


def test_a_time_limit_ends_the_search_where_iterations_do_not():
    workload = _crowded(gap_seconds=2000)
    first = offline_schedule(workload, iterations=0).cost
    policy_of = policy(f"offline?iterations={10**12},seconds=1e-9", workload)
    assert simulate(workload, policy_of).totals.cost < first


def test_a_schedule_that_is_not_accepted_is_undone_to_the_byte():
    workload, options = _crowded(sharing="paper"), Options()
    jobs, nodes = hindsight(workload, options)
    of, bound = modes(workload, options), workload_bound(workload)
    billed, used = accounting.prices(workload.cluster, "curve"), np.unique(jobs.mode)
    moves = node_moves(workload.cluster, billed, of.gpu, of.amount, used).moves
    tables, plans = schedule.of_prices(jobs, nodes, moves, bound.edges, bound.prices)
    search = schedule.Search(tables, plans, 0)
    before = _bytes(search.starts[0])
    for seed in range(50):  # no schedule costs less than -inf
        random = first_states("xorshift", seed, 1, 1, 0)
        arrays = tables, search.starts[0], search.journal, search.space, *search.ranked
        improve(*arrays, -np.inf, 1, 1.0, random)
        assert _bytes(search.starts[0]) == before


def test_a_job_that_is_dear_to_delay_is_planned_to_its_due_date(make):
    """Plans run 1e-11 longer, the bound does not: 1e-10 h at 1e5 $/h are no other bound."""
    workload = make(hours=[{"A": [10.0]}], due=[10.0], weight=[1e5])
    assert offline_schedule(workload, iterations=10).cost == pytest.approx(10.0, rel=1e-5)


def test_the_search_ends_where_the_bound_is_reached():
    workload = _crowded(gap_seconds=90_000)
    found = [offline_schedule(workload, iterations=n) for n in (0, 10**6)]
    assert found[1].iterations <= 1000
    assert -1e-9 <= found[1].gap <= 2.1e-7


@pytest.mark.parametrize("seed", range(20))
def test_jobs_stay_on_their_nodes(seed):
    workload, rng = _crowded(nodes=8, jobs=20, sharing="paper"), np.random.default_rng(seed)
    of, billed = modes(workload, Options()), accounting.prices(workload.cluster, "curve")
    known = np.unique(hindsight(workload, Options())[0].mode)
    moves = node_moves(workload.cluster, billed, of.gpu, of.amount, known)
    small = known[of.amount[known] <= 2]  # whatever is drawn finds room
    mode, runs = rng.choice(small, 20), np.sort(rng.choice(20, 12, replace=False))

    def nodes(runs, before):
        node, space = np.full(20, -1), packing_space(moves.moves)
        classes = workload.cluster.class_of_node
        for at, *_, there in placed_nodes(moves, runs, mode[runs], before, classes, space):
            assert (node != at).all()
            node[there] = at
        assert ((node >= 0) == np.isin(np.arange(20), runs)).all()
        return node

    first = nodes(runs, np.full(20, -1))
    assert (nodes(runs, first) == first).all()
    left = runs[:-1]
    moved = (nodes(left, first) != first)[left].sum()
    assert moved <= workload.cluster.largest  # a node at most is emptied


def _bytes(state):
    """All that is in use."""
    size, unused, _ = state.size.tolist()
    rows = state.row[:size]
    parts = [getattr(state, name)[rows] for name in ("entry", "running", "key", "tag", "rate")]
    parts += [state.time[: size + 1], rows, state.unused[:unused], state.end, state.paid]
    return [part.tobytes() for part in parts]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"options": Options(boot=0.1)}, "/boot: found 0.1, expected 0"),
        ({"options": Options(checkpoint="epoch")}, "/checkpoint: found 'epoch'"),
        ({"iterations": -1}, "/iterations: found -1"),
        ({"iterations": 1.5}, "/iterations: found 1.5"),
        ({"seconds": 0.0}, "/seconds: found 0"),
        ({"seed": -1}, "/seed: found -1"),
        ({"bound": workload_bound(_crowded(seed=2))}, "/bound: found"),  # of another workload
        ({"bound": workload_bound(_crowded(), variant="no_preemption")}, "/bound/variant: found"),
        ({"bound": workload_bound(_crowded(mix="a100"))}, "/bound/prices: found shape"),
        ({"options": Options(deviation=0.2), "bound": workload_bound(_crowded())}, "/bound: found"),
    ],
)
def test_bad_input_is_refused(changed, told):
    with pytest.raises(InputError, match=told):
        offline_schedule(_crowded(), **changed)


def test_a_bound_above_a_schedule_is_an_error_that_names_both(make, monkeypatch):
    workload = make()
    bound = workload_bound(workload)
    monkeypatch.setattr("rsjs.simulation.offline.SAME", 10.0)
    with pytest.raises(ArithmeticError, match=r"costs 1.0\d* \$, less than the bound of 5.0 \$"):
        offline_schedule(workload, bound=replace(bound, value=5.0), iterations=1)


def test_without_the_whole_workload_it_does_not_decide():
    blind = replace(policy("offline", _crowded()), told=None)
    run = simulate(_crowded(), blind)
    assert run.status == Status.ERROR
    assert "offline knows W_j" in run.message
