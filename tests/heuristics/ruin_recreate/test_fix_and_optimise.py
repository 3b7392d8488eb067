"""Fix and optimise: parts cost what the whole does, and an exact method improves schedules."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.formulations import enumeration
from rsjs.heuristics.registry import METHODS
from rsjs.heuristics.ruin_recreate import fix_and_optimise
from rsjs.heuristics.ruin_recreate.fix_and_optimise import Neighbourhoods, PartDecisions
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import parse
from tests.heuristics.builders import served

pytestmark = pytest.mark.slow
run = METHODS["fix_and_optimise"].load()


def solve(
    instance, method=enumeration.run, *, report=None, start=None, nodes=2, postponed=2, rounds=10
):
    options = {"rounds": rounds, "nodes": nodes, "iterations": 1, "method": method}
    call = Call(options=options, limits=Limits(gap=-1.0), warm_start=start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fix_and_optimise, "POSTPONED", postponed)
        return run(instance, call, report or Report())


def test_a_part_saves_what_the_whole_saves(random_document, random_decision):
    compared = 0
    for seed in range(50):
        rng = Random(seed)
        instance = served(random_document, rng)
        if instance.objective.open_nodes == "jahani_eq" and instance.objective.mu > 0:
            continue
        decision = random_decision(instance, rng)
        draws = Neighbourhoods(instance)
        part = draws.draw(decision, 2, 3, np.random.default_rng(seed))
        if part is None:
            continue
        before = part.restricted(decision)
        after = random_decision(part.instance, rng)
        saved = costs.terms(part.instance, before).total - costs.terms(part.instance, after).total
        whole = costs.terms(instance, decision).total
        merged = part.merged(decision, after)
        assert whole - costs.terms(instance, merged).total == pytest.approx(saved)
        if instance.objective.open_nodes != "jahani_eq":
            assert check(instance, merged).feasible
        compared += 1
    assert compared > 25


def test_tiny_instances_are_solved_to_optimality(random_document):
    solved = total = 0
    for seed in range(12):
        instance = served(random_document, Random(seed))
        best = enumeration.best(instance)
        result = solve(instance, nodes=9, postponed=9, rounds=2)
        cost = costs.terms(instance, best).total
        verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]
        assert result.objective >= cost - 1e-9 * max(1.0, abs(cost))
        solved += result.objective <= cost + 1e-9 * max(1.0, abs(cost))
        total += 1
    assert solved >= total - 1


@pytest.mark.solver
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("instance", "method"),
    [
        (jahani.generate(nodes=9, jobs=36, seed=1), "jahani_patterns@highs"),
        (sts.generate(nodes=9, jobs=24, seed=1, sharing="paper"), "rsjs_nodes@highs"),
    ],
    ids=lambda case: getattr(case, "name", case),
)
def test_an_exact_method_improves_the_first_schedule(instance, method):
    result = solve(instance, parse(method), rounds=4, nodes=3)
    assert result.objective < result.events[1].incumbent
    assert result.counts["improved"] >= 1
    assert result.bound <= result.objective
    assert check(instance, result.solution, objective=result.objective).feasible
    again = solve(instance, parse(method), rounds=4, nodes=3)
    assert again.solution.same_as(result.solution)


def test_never_worse_than_its_start(random_document, random_decision):
    for seed in range(10):
        rng = Random(seed)
        instance = served(random_document, rng)
        start = select_required_nodes(instance, random_decision(instance, rng))
        before = costs.terms(instance, start).total
        result = solve(instance, start=start, rounds=2)
        assert result.objective <= before + 1e-9 * max(1.0, abs(before))


def test_a_method_that_finds_nothing_changes_nothing_and_its_parts_grow():
    def idle(instance, call, report):
        seen.append(instance.cluster.nodes)
        return SolveResult(stop=Stop.TIME_LIMIT)

    instance, seen = kiros.generate(nodes=6, jobs=30, seed=1), []
    result = solve(instance, idle, nodes=1)
    assert result.stop is Stop.ITERATIONS
    assert result.counts["improved"] == 0
    assert result.counts["rounds"] == 10 == len(seen)
    assert seen[0] < seen[-1]


def test_it_ends_when_the_time_is_up_or_somebody_asks():
    class Asked(Report):
        """Asked to end once the first schedule is there."""

        def stop_requested(self):
            return len(self.events) > 1 and self.events[-1].seconds > 0 and self.parts

        parts = False

    asked = Asked()

    def impatient(instance, call, report):
        asked.parts = True
        assert report.stop_requested()
        return SolveResult(stop=Stop.INTERRUPTED)

    instance = kiros.generate(nodes=6, jobs=30, seed=1)
    assert solve(instance, impatient, report=asked).stop is Stop.INTERRUPTED
    assert solve(instance, impatient, report=Report(0.0)).stop is Stop.TIME_LIMIT


def test_a_method_that_does_not_serve_the_objective_is_named():
    instance = jahani.generate(nodes=3, jobs=9, seed=1)
    reason = parse("fix_and_optimise?method=first_ending_nodes").method.refusal(instance)
    assert reason is not None
    assert reason.startswith("first_ending_nodes serves energy first_ending")
    result = solve(instance, parse("first_ending_nodes"))
    assert result.message.startswith("10 of 10 rounds failed; the first: found 'first_ending_nodes")
    assert check(instance, result.solution, objective=result.objective).feasible


def crash(instance):
    raise IndexError("list index\nout of range")


def everywhere(outside):
    """Every job on a node that there is not, or on none but with a GPU."""

    def answer(instance):
        jobs, nodes = len(instance.jobs), instance.cluster.nodes
        at = np.full(jobs, nodes if outside else -1)
        decision = Solution.of(at, np.ones(jobs), np.full(nodes, 0 if outside else -1))
        return SolveResult(stop=Stop.OPTIMAL, solution=decision)

    return answer


def optimal(decision):
    return lambda part: SolveResult(stop=Stop.OPTIMAL, solution=decision)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (crash, "IndexError: list index out of range"),
        (everywhere(outside=True), "its decision fails the check: range: /job_node/0"),
        (everywhere(outside=False), "its decision fails the check: postponed: /job_gpus/0"),
        (optimal(Solution.empty(1, 1)), "its decision fails the check: shape: /job_node"),
        (optimal("run them all"), "AttributeError: "),
        (lambda part: None, "AttributeError: "),
        (lambda part: SolveResult(stop=Stop.ERROR, message="no licence"), "no licence"),
        (lambda part: SolveResult(stop=Stop.ERROR), "error without a decision"),
        (lambda part: SolveResult(stop=Stop.INFEASIBLE), "infeasible without a decision"),
    ],
)
def test_a_method_that_fails_costs_its_rounds_and_no_more(answer, reason):
    instance = kiros.generate(nodes=6, jobs=30, seed=1)
    idle = solve(instance, lambda *_: SolveResult(stop=Stop.TIME_LIMIT))
    assert idle.message == ""
    result = solve(instance, lambda part, call, report: answer(part))
    assert result.stop is Stop.ITERATIONS
    assert (result.counts["rounds"], result.counts["improved"]) == (10, 0)
    assert result.message.startswith(f"10 of 10 rounds failed; the first: {reason}")
    assert "\n" not in result.message
    assert result.solution.same_as(idle.solution)
    assert (result.objective, result.bound) == (idle.objective, idle.bound)


@pytest.mark.solver
@pytest.mark.usefixtures("unhurried")
def test_rounds_that_fail_leave_the_others_alone():
    calls = []

    def moody(instance, call, report):
        calls.append(len(calls))
        if len(calls) in (2, 5):
            raise ValueError(f"round {len(calls)}")
        return parse("first_ending_patterns@highs")(instance, call, report)

    instance = kiros.generate(nodes=15, jobs=60, seed=1)
    result = solve(instance, moody, rounds=6, nodes=3)
    assert result.message == "2 of 6 rounds failed; the first: ValueError: round 2"
    assert result.counts["improved"] >= 1
    assert check(instance, result.solution, objective=result.objective).feasible


class Sized:
    """Finds nothing on parts of a limited size, and keeps their sizes."""

    def __init__(self, **most):
        self.method = Method(name="sized", summary="", kind="exact", run="", **most)
        self.jobs, self.nodes = [], []

    def prepare(self, call, jobs):
        return None

    def refusal(self, instance, *, in_parts=False):
        return self.method.refusal(instance, in_parts=in_parts)

    def declared(self, instance):
        return self.method

    def __call__(self, instance, call, report):
        assert self.method.refusal(instance) is None
        self.jobs.append(len(instance.jobs))
        self.nodes.append(instance.cluster.nodes)
        return SolveResult(stop=Stop.TIME_LIMIT)


@pytest.mark.parametrize(
    ("most", "nodes"),  # and how many nodes some part has
    [
        ({}, 9),
        ({"max_jobs": 10}, 3),
        ({"max_jobs": 1}, 1),
        ({"max_nodes": 4}, 4),
        ({"max_jobs": 10, "max_nodes": 2}, 2),
    ],
)
def test_parts_are_as_large_as_the_method_accepts_and_no_larger(most, nodes):
    instance = kiros.generate(nodes=14, jobs=30, seed=1)
    sized = Sized(**most)
    assert solve(instance, sized, rounds=30, nodes=8, postponed=8).message == ""
    assert len(sized.jobs) >= 20
    assert max(sized.jobs) <= most.get("max_jobs", 30)
    assert nodes <= max(sized.nodes) <= most.get("max_nodes", 14)


def test_a_method_for_one_node_decides_an_empty_one_where_there_are_some(random_decision):
    instance = kiros.generate(nodes=12, jobs=30, seed=1)
    decision = random_decision(instance, Random(1))
    busy = set(decision.job_node.tolist()) - {-1}
    assert 0 < len(busy) < 12
    parts = PartDecisions(instance, Sized(max_nodes=1, max_jobs=4), Limits(), Report())
    for seed in range(5):
        part = parts.draw(decision, 8, 8, np.random.default_rng(seed))
        assert set(part.nodes.tolist()).isdisjoint(busy)
        assert (len(part.nodes), len(part.jobs)) == (1, 2)


def test_a_part_begins_from_the_schedule_at_hand_within_the_limits_of_the_whole():
    seen = []

    def content(instance, call, report):
        start = call.warm_start
        assert check(instance, start).feasible
        seen.append((len(instance.jobs), int((start.job_node >= 0).sum()), call.limits))
        assert report.time_limit == call.limits.time_limit
        return SolveResult(stop=Stop.TIME_LIMIT, solution=start)

    instance = jahani.generate(nodes=8, jobs=30, seed=1)
    limits = Limits(gap=-1.0, threads=2, seed=7, time_limit=60.0)
    options = {"rounds": 5, "nodes": 3, "iterations": 1, "method": content}
    result = run(instance, Call(options=options, limits=limits), Report())
    assert (result.message, result.counts["improved"]) == ("", 0)
    assert len(seen) == 5
    assert all(0 < running <= jobs for jobs, running, _ in seen)
    assert all(given == Limits(time_limit=5.0, gap=1e-6, threads=2, seed=7) for *_, given in seen)


@pytest.mark.parametrize(("asked", "rounds"), [(0.5, 0), (np.nextafter(0.5, 0.0), 3)])
def test_the_gap_asked_for_is_enough(monkeypatch, random_decision, asked, rounds):
    instance = kiros.generate(nodes=3, jobs=9, seed=1)
    decision = random_decision(instance, Random(1))
    cost = costs.terms(instance, decision).total
    found = SolveResult(stop=Stop.ITERATIONS, solution=decision, objective=cost, bound=cost / 2)
    monkeypatch.setattr("rsjs.heuristics.ruin_recreate.ruin_recreate.run", lambda *_: found)
    options = {"rounds": 3, "method": lambda *_: SolveResult(stop=Stop.TIME_LIMIT)}
    result = run(instance, Call(options=options, limits=Limits(gap=asked)), Report())
    assert result.stop is (Stop.ITERATIONS if rounds else Stop.GAP)
    assert result.counts["rounds"] == rounds


def with_idle_cost(instance):
    return replace(instance, objective=replace(instance.objective, mu=0.25))


@pytest.mark.solver
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("instance", "chosen"),
    [
        (jahani.generate(nodes=6, jobs=20, seed=1), "jahani_patterns"),
        (kiros.generate(nodes=6, jobs=20, seed=1), "first_ending_patterns"),
        (sts.generate(nodes=6, jobs=20, seed=1, sharing="paper"), "rsjs_sifting"),
        (with_idle_cost(sts.generate(nodes=6, jobs=20, seed=1, sharing="paper")), "ruin_recreate"),
    ],
    ids=lambda case: getattr(case, "name", case),
)
def test_the_default_is_a_method_that_serves_the_instance(instance, chosen):
    request = parse("fix_and_optimise?iterations=1,rounds=4,nodes=3")
    assert request.method.refusal(instance) is None
    assert request.options["method"].declared(instance).name == chosen
    result = request(instance, Call(limits=Limits(gap=-1.0)), Report())
    assert (result.message, result.counts["rounds"]) == ("", 4)
    assert result.counts["improved"] >= 1
    assert check(instance, result.solution, objective=result.objective).feasible


def test_options_that_are_not_given_have_their_defaults_but_for_the_method():
    instance = kiros.generate(nodes=3, jobs=9, seed=1)
    limits = Limits(gap=-1.0)
    idle = Call(options={"method": lambda *_: SolveResult(stop=Stop.TIME_LIMIT)}, limits=limits)
    counts = run(instance, idle, Report()).counts
    assert (counts["iterations"], counts["rounds"]) == (20_000, 100)
    with pytest.raises(InputError, match=r"method=None.* a callable"):
        run(instance, Call(), Report())


def test_every_other_time_the_nodes_of_a_part_are_related(make):
    """
    Two nodes each for jobs of three kinds.

    Of two nodes drawn at random 1 pair in 5 is alike: with related ones every other time, 3 in 5.
    """
    types = {"A1": 1, "B1": 1, "C1": 1}
    groups = [(2, [name]) for name in types]
    instance = make(types, [{kind: [2]} for kind in "AABBCC"], groups=groups, due=[9] * 6)
    decision = Solution.of(range(6), [1] * 6, [0, 0, 1, 1, 2, 2])
    draws, rng = Neighbourhoods(instance), np.random.default_rng(1)
    pairs = [draws.draw(decision, 2, 0, rng).nodes // 2 for _ in range(400)]
    alike = sum(int(one == other) for one, other in pairs)
    assert alike / len(pairs) == pytest.approx(0.6, abs=0.1)


def test_a_part_with_fewer_jobs_than_nodes_may_leave_any_of_them_off(make):
    """Every node of the whole is on; one job alone would ask for one of two nodes only."""
    rules = {"open_nodes": "jahani_eq", "mu": 1.0}
    instance = make({"A2": 1}, [{"A": [2]}] * 3, groups=[(3, ["A2"])], due=[9] * 3, **rules)
    decision = select_required_nodes(instance, Solution.of([0, 1, 1], [1, 1, 1], [0, 0, -1]))
    assert check(instance, decision).feasible
    draws, rng, rules = Neighbourhoods(instance), np.random.default_rng(1), {}
    for _ in range(30):
        part = draws.draw(decision, 1, 0, rng)
        assert check(part.instance, part.restricted(decision)).feasible
        rules[tuple(part.jobs.tolist()), len(part.nodes)] = part.instance.objective.open_nodes
    assert rules == {((0,), 2): "free", ((1, 2), 2): "jahani_eq"}
