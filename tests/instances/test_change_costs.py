"""Costs of migrations and starts: every layer prices, serves or refuses them alike."""

import json
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from rsjs import rsjs_verify
from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Report
from rsjs.formulations import enumeration
from rsjs.formulations.jahani.patterns import PatternModel
from rsjs.heuristics.local_search import kernels_costs, kernels_search
from rsjs.heuristics.local_search.arrays import solution_arrays, tables, without_empty_nodes
from rsjs.heuristics.local_search.kernels_neighbourhoods import no_move
from rsjs.heuristics.local_search.path_relinking import modes
from rsjs.heuristics.ruin_recreate import arrays as ruin_arrays
from rsjs.heuristics.ruin_recreate.kernels_node import total_cost
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, sts
from rsjs.instances.instance import Workload
from rsjs.instances.io import serialization
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.json_schema import fit, schema_text
from rsjs.instances.solution import Solution
from rsjs.instances.transform import permuted, with_change_costs
from rsjs.methods import BUILT_IN, parse

EXACT = ("jahani_patterns", "jahani_literal", "first_ending_nodes", "rsjs_nodes", "rsjs_gpu")
STARTS = (  # by classes of nodes: a job pays the same to start on each, but stays on one
    *("jahani_dual", "first_ending_patterns", "rsjs_classes", "rsjs_bound", "rsjs_sifting"),
)
REFUSE = (*STARTS, "rsjs_minlp", "fix_and_optimise")
RAN = Solution.of([0, 0, 2], [1, 0, 2], [0, -1, 1], [-1, 1, -1])  # in the example by hand


def charged(instance, random_decision, rng):
    """The instance with such costs, and `current` a random decision, none, or with odd nodes."""
    current = random_decision(instance, rng) if rng.random() < 0.8 else instance.current
    if current is not None and rng.random() < 0.3:  # a node ran as another type, or was off
        kind = current.node_type.copy()
        kind[rng.randrange(len(kind))] = rng.randint(-1, len(instance.cluster.node_types) - 1)
        current = Solution.of(current.job_node, current.job_gpus, kind, current.job_level)
    migration, start = rng.choice([(0.5, 0), (0, 2), (3, 0.25), (40, 7), (1e4, 1)])
    return with_change_costs(replace(instance, current=current), migration=migration, start=start)


@pytest.fixture
def drawn(random_document, random_decision):
    """Random instances that charge changes, of a kind of energy, served by node models."""

    def draw(seed, energy=None, **objective):
        rng = Random(seed)
        document = random_document(rng, energy)
        document["objective"] |= objective
        return charged(to_instance(document), random_decision, rng), rng

    return draw


@pytest.mark.parametrize(
    ("current", "now", "changes"),
    [
        (None, RAN, 3 * 2),
        (Solution.empty(3, 3), RAN, 3 * 2),
        (RAN, RAN, 0),
        (RAN, Solution.empty(3, 3), 0),
        # a on two GPUs: b, on its share, stays; c is postponed
        (RAN, Solution.of([0, 0, -1], [2, 0, 0], [0, -1, -1], [-1, 1, -1]), 30),
        # a and b go to the other vm
        (RAN, Solution.of([1, 1, 2], [1, 0, 2], [-1, 0, 1], [-1, 1, -1]), 60),
        # a and c run on boxes; b waits
        (RAN, Solution.of([0, -1, 2], [1, 0, 2], [1, -1, 1], [-1, -1, -1]), 30),
        # c had waited
        (Solution.of([0, 0, -1], [1, 0, 0], [0, -1, -1], [-1, 1, -1]), RAN, 2),
        # the node of a and b was off, or a box
        (Solution.of([0, 0, 2], [1, 0, 2], [-1, -1, 1], [-1, 1, -1]), RAN, 60),
    ],
)
def test_changes_cost_what_is_found_by_hand(example, verdicts, current, now, changes):
    instance = replace(to_instance(example(migration=30, start=2)), current=current)
    verdict, exact = verdicts(instance, now)
    assert verdict.terms["changes"] == exact.terms["changes"] == changes
    others = check(replace(instance, objective=to_instance(example()).objective), now)
    assert verdict.objective == others.objective + changes
    assert "changes" not in others.terms


@pytest.mark.parametrize("seed", range(30))
def test_checker_and_verifier_agree(drawn, random_decision, verdicts, seed):
    instance, rng = drawn(seed)
    for _ in range(3):
        verdict, _ = verdicts(instance, random_decision(instance, rng))
        assert verdict.feasible
        assert verdict.terms["changes"] >= 0


def test_the_oracle_is_no_worse_than_any_decision(drawn, random_decision):
    for seed in range(20):
        instance, rng = drawn(seed)
        best = enumeration.best(instance)
        least = check(instance, best).objective
        for solution in [random_decision(instance, rng) for _ in range(10)] + [instance.current]:
            if solution is not None and (verdict := check(instance, solution)).feasible:
                assert verdict.objective >= least - 1e-9 * abs(least)


def solve(instance, method):
    return parse(method)(instance, Call(limits=Limits(gap=0.0, time_limit=600.0)), Report(600.0))


@pytest.mark.solver
@pytest.mark.parametrize("energy", ["first_ending", "proportional"])
def test_exact_methods_find_the_optimum_and_heuristics_nothing_better(drawn, energy):
    ran = set()
    for seed in range(40, 48):
        instance, _ = drawn(
            seed, energy, tardiness_at="completion", open_nodes="free", mu=0, expectation="mean"
        )
        least = check(instance, enumeration.best(instance)).objective
        for method in (*EXACT, "ruin_recreate?iterations=3000", "local_search", "greedy"):
            request = parse(method)
            if request.method.refusal(instance) is not None:
                continue
            found, name = solve(instance, method), request.method.name
            ran.add(name)
            cost = check(instance, found.solution).objective
            assert found.objective == pytest.approx(cost, rel=1e-9, abs=1e-9)
            assert cost >= least - 1e-6 * max(1, least)
            if name in EXACT or name == "ruin_recreate":
                assert cost == pytest.approx(least, rel=1e-6, abs=1e-6), (method, seed)
            assert found.bound is None or found.bound <= least + 1e-6 * max(1, least)
    assert ran >= {"ruin_recreate", "local_search", "greedy"} | (
        {"jahani_literal", "jahani_patterns"}
        if energy == "proportional"
        else {"first_ending_nodes", "rsjs_nodes"}
    )


@pytest.mark.solver
@pytest.mark.parametrize("energy", ["first_ending", "proportional"])
def test_models_by_classes_find_the_optimum_where_only_starts_cost(
    random_document, random_decision, energy
):
    """Some jobs run, some start; costs of starts decide which wait."""
    ran = {"proportional": set(), "first_ending": set()}
    for seed in range(8):
        rng = Random(seed)
        document = random_document(rng, energy)
        for job in document["jobs"]:
            job.pop("inflation", None)
        document["objective"] |= {"tardiness_at": "completion", "mu": 0, "open_nodes": "free"}
        instance = to_instance(document)
        current = random_decision(instance, rng) if seed % 4 else None
        start = rng.choice([0.05, 2, 50])
        charges = with_change_costs(replace(instance, current=current), migration=0, start=start)
        least = pytest.approx(check(charges, enumeration.best(charges)).objective, rel=1e-6)
        for method in (*STARTS, "rsjs_classes?packing=splits"):
            if parse(method).method.refusal(charges) is None:
                found = solve(charges, method)
                ran[energy].add(method)
                assert found.bound <= least.expected + 1e-6 * max(1, least.expected)
                if method not in ("rsjs_classes", "rsjs_bound", "rsjs_sifting"):
                    assert check(charges, found.solution).objective == least == found.bound
    assert (
        ran["proportional"] | ran["first_ending"]
        == {
            "proportional": {"jahani_dual"},
            "first_ending": {*STARTS[1:], "rsjs_classes?packing=splits"},
        }[energy]
    )


def rigid(instance, rng):
    """Each job admits one number of GPUs, no share: the one that it has in `current`, if any."""
    hours = np.full_like(instance.jobs.hours_per_epoch, np.inf)
    for j in range(len(hours)):
        _i, k = rng.choice(np.argwhere(np.isfinite(instance.hours_per_epoch[j])).tolist())
        hours[j, :, k] = instance.jobs.hours_per_epoch[j, :, k]
    inflation = np.full_like(instance.jobs.inflation, np.inf)
    jobs = replace(instance.jobs, hours_per_epoch=hours, inflation=inflation)
    return replace(instance, jobs=jobs, current=None)


@pytest.mark.solver
@pytest.mark.parametrize("seed", range(5))
def test_two_formulations_and_two_heuristics_agree_on_rigid_jobs(random_decision, seed):
    rng, few = Random(seed), sts.generate(nodes=3, jobs=6, seed=seed + 1, mix="km")
    instance = charged(rigid(few, rng), random_decision, rng)
    least = check(instance, enumeration.best(instance)).objective
    for method in ("first_ending_nodes", "rsjs_nodes", "ruin_recreate?iterations=3000"):
        found = solve(instance, method)
        assert check(instance, found.solution).objective == pytest.approx(least, rel=1e-6, abs=1e-6)
        assert found.bound <= least + 1e-6 * max(1, least)
    found = solve(instance, "local_search")
    assert check(instance, found.solution).objective >= least - 1e-6 * max(1, least)


def test_kernels_cost_what_the_checker_says(drawn, random_decision):
    """Sums of ruin and recreate, sums and the claimed change of the best move of local search."""
    moved = 0
    for seed in range(40):
        instance, rng = drawn(seed)
        start = without_empty_nodes(instance, random_decision(instance, rng))
        cost = costs.terms(instance, start).total
        asked = instance.objective
        if asked.energy != "next_event" and asked.tardiness_at == "completion":
            problem = ruin_arrays.mode_tables(instance)
            state = ruin_arrays.from_solution(instance, problem, start)
            assert total_cost(problem, state) == pytest.approx(cost, rel=1e-9, abs=1e-9)
        found = tables(instance, only_late=False)
        state = solution_arrays(instance, found, start, 10)
        assert kernels_costs.refresh(found, state) == pytest.approx(cost, rel=1e-9, abs=1e-9)
        move, done = no_move(len(instance.jobs)), np.zeros(2, dtype=np.int64)
        every = np.ones(7, dtype=bool)
        kernels_search.descend(found, state, move, every, 1, 10**9, done)
        after = kernels_costs.refresh(found, state)
        if done[kernels_search.MOVES]:
            moved += 1
            assert cost + move.change[0] == pytest.approx(after, rel=1e-9, abs=1e-9)
    assert moved > 10


def test_steps_on_a_path_cost_what_they_claim(drawn, random_decision):
    made = 0
    for seed in range(40):
        instance, rng = drawn(seed)
        start = without_empty_nodes(instance, random_decision(instance, rng))
        guide = modes(instance, random_decision(instance, rng))
        found, step = tables(instance), kernels_search.no_step()
        state = solution_arrays(instance, found, start, 1)
        cost = kernels_costs.refresh(found, state)
        while kernels_search.make_step(found, state, guide, step):
            made, claimed = made + 1, cost + step.change[0]
            cost = kernels_costs.refresh(found, state)
            assert claimed == pytest.approx(cost, rel=1e-9, abs=1e-9)
    assert made > 20


@pytest.mark.parametrize("method", REFUSE)
def test_methods_that_do_not_serve_them_refuse_in_words(method):
    instance = sts.generate(nodes=2, jobs=3, seed=1)
    declared = replace(BUILT_IN[method], runs={})
    if declared.energy == frozenset({"proportional"}):
        declared = replace(declared, energy=frozenset({"first_ending"}))
    declared = replace(declared, expectation=frozenset({"expected"}), right_sizing=True)
    assert declared.refusal(instance) is None
    for kind in ("migration", "start"):
        charges = with_change_costs(instance, **{"migration": 0, "start": 0} | {kind: 0.5})
        told = (
            None if kind == "start" and method in STARTS else f"serves {kind} = 0, not {kind} = 0.5"
        )
        assert declared.refusal(charges) == (told and f"{method} {told}")


def test_no_cost_leaves_digest_and_document_as_they_are(example):
    document = example()
    plain, zero = to_instance(document), to_instance(example(migration=0, start=0.0))
    assert zero.digest == plain.digest
    assert "migration" not in serialization.of_instance(zero)["objective"]
    text = serialization.canonical_text(document | {"objective": zero.objective.__dict__})
    assert rsjs_verify.Instance(rsjs_verify.parsed(text)).digest == plain.digest
    assert with_change_costs(plain, migration=0, start=0) is plain


def test_a_charged_instance_has_its_own_name_and_digest_and_reads_back(example):
    plain = to_instance(example())
    made = with_change_costs(replace(plain, current=RAN), migration=2.5, start=1)
    assert made.name == "by hand-m2.5-s1"
    document = json.loads(serialization.canonical_text(serialization.of_instance(made)))
    fit(document, schema_text("instance"), None)
    assert to_instance(document).digest == made.digest != plain.digest
    part = permuted(made, 1)
    cost = costs.terms(made, RAN).total
    assert costs.terms(part.instance, part.restricted(RAN)).total == pytest.approx(cost)


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["migration", "start"])
def test_costs_are_finite_and_not_negative(example, name, value):
    with pytest.raises(InputError, match=f"/objective/{name}: found {value}"):
        with_change_costs(to_instance(example()), **{"migration": 0, "start": 0} | {name: value})


def test_a_workload_does_not_charge_them(example):
    instance = with_change_costs(to_instance(example()), migration=0, start=1)
    jobs = replace(instance.jobs, epochs_done=np.zeros(3))
    shared = ("name", "cluster", "laws", "H", "rho", "objective")
    fields = {name: getattr(instance, name) for name in shared}
    with pytest.raises(InputError, match="/objective/start: found 1, expected 0: only an instance"):
        Workload(**fields, jobs=jobs, realised_epochs=np.array([10, 8, 4]))


def test_what_jobs_pay_that_stay_has_no_rounding_of_what_moving_would_cost():
    instance = jahani.generate(nodes=3, jobs=6, seed=2)
    instance = replace(instance, current=enumeration.best(instance))
    little, much = (
        PatternModel.of(with_change_costs(instance, migration=cost, start=0))
        for cost in (0.5, 1e15)
    )
    assert len(much.stays.job)
    assert much.stays.gain.tolist() == little.stays.gain.tolist()
