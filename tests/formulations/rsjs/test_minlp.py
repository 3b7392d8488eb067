"""The RS-JS MINLP: corrected it finds the optimum, as printed it does not."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rsjs.core.call import Call
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.formulations.registry import METHODS
from rsjs.formulations.rsjs import minlp, minlp_scip
from rsjs.formulations.rsjs.minlp import MinlpModel
from rsjs.instances.check import check
from rsjs.instances.cluster import NodeGroup
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from tests.formulations.agreement import EXACT, assert_solved, optimum, with_objective

pytestmark = pytest.mark.solver

STORED = json.loads((Path(__file__).parent / "data" / "unbounded_pi.json").read_text())
METHOD = METHODS["rsjs_minlp"]


def four_jobs(open_nodes="rsjs_eq"):
    """Four jobs on a node of one GPU and a node of two."""
    return with_objective(to_instance(STORED["instance"]), open_nodes=open_nodes)


def solve(instance, printed="corrected", report=None, **call):
    call = Call(options={"printed": printed}, limits=EXACT, **call)
    return METHOD.load()(instance, call, report or Report(300.0))


@pytest.mark.parametrize("open_nodes", ["free", "rsjs_eq", "rsjs_eq_feasible", "jahani_eq"])
def test_the_corrected_model_finds_the_optimum(open_nodes):
    instance, report = four_jobs(open_nodes), Report(300.0)
    result = solve(instance, report=report)
    assert result.stop is Stop.OPTIMAL
    assert check(instance, result.solution, objective=result.objective, bound=result.bound).feasible
    assert_solved(result, optimum(instance))
    assert (result.bound_source, result.bound_variant) == ("solver", "instance")
    incumbents = [e.incumbent for e in report.events if e.incumbent is not None]
    bounds = [e.bound for e in report.events if e.bound is not None]
    assert incumbents == sorted(incumbents, reverse=True)
    assert bounds == sorted(bounds)
    assert incumbents[-1] == result.objective


@pytest.mark.parametrize("row", ["12", "13", "all"])
def test_with_rows_12_or_13_as_printed_no_decision_opens_two_nodes(row):
    result = solve(four_jobs(), row)
    assert result.stop is Stop.INFEASIBLE
    assert (result.solution, result.bound) == (None, None)
    assert "as printed" in result.message


def test_without_row_16_row_12_as_printed_postpones_every_job():
    instance = four_jobs("free")
    result = solve(instance, "12")
    nothing = Solution.empty(len(instance.jobs), instance.cluster.nodes)
    assert result.solution.same_as(nothing)
    assert result.bound is None


def test_with_row_8_as_printed_every_job_runs_in_no_time_at_no_cost():
    model = minlp.build(MinlpModel.of(four_jobs(), frozenset({"8"})))
    scip, _ = minlp_scip.translated(model)
    scip.hideOutput()
    scip.optimize()
    assert scip.getStatus() == "optimal"
    assert scip.getPrimalbound() == pytest.approx(0.0, abs=1e-6)


def test_what_row_8_as_printed_finds_is_priced_as_a_decision_and_has_no_bound():
    instance = four_jobs()
    result = solve(instance, "8")
    assert result.bound is None
    assert result.solution is None or result.objective >= optimum(instance) - 1e-9


def test_row_16_as_printed_is_dearer():
    instance = four_jobs("free")
    result = solve(instance, "16")
    assert result.bound is None
    assert result.objective == pytest.approx(optimum(four_jobs("rsjs_eq")), rel=1e-6)
    assert result.objective > optimum(instance) * 1.01


def test_scip_s_stored_false_optimum_for_unbounded_pi_is_not_the_optimum():
    """SCIP 10.0.2 took alpha = -1e-8 and pi = 8e7: -0.77 $ for a job that does not run there."""
    best = optimum(to_instance(STORED["instance"]))
    assert best == pytest.approx(STORED["optimum"], rel=1e-6)
    for seen in STORED["reported"].values():
        assert seen["status"] == "optimal"
        assert seen["bound"] < 0.7 * best
        assert seen["alpha"] * seen["pi"] == pytest.approx(-0.77, abs=0.01)


def test_unbounded_pi_reports_no_bound():
    report = Report(300.0)
    result = solve(four_jobs(), "pi", report=report)
    assert result.bound is None
    assert all(event.bound is None for event in report.events)
    assert "pi" in result.message


def test_pi_is_bounded_by_the_dearest_price_times_the_longest_time():
    instance = four_jobs()
    model = minlp.build(MinlpModel.of(instance))
    assert model.pi[2, 1].ub == pytest.approx(15.562 * 2.65)  # 2 GPUs, the time on 1
    assert minlp.build(MinlpModel.of(instance, frozenset({"pi"}))).pi[2, 1].ub is None


@pytest.mark.parametrize("open_nodes", ["free", "rsjs_eq"])
def test_a_warm_start_is_what_scip_begins_with(open_nodes):
    instance = four_jobs(open_nodes)
    best = enumeration.best(instance)
    data = MinlpModel.of(instance)
    scip, variables = minlp_scip.translated(minlp.build(data))
    scip.hideOutput()
    start = scip.createSol()
    cost = check(instance, best).objective
    for variable, value in zip(variables, [*minlp.warm_start(data, best), cost], strict=True):
        scip.setSolVal(start, variable, float(value))
    assert scip.checkSol(start, original=True)
    assert minlp.extract(data, minlp.warm_start(data, best)).same_as(best)


def test_a_method_that_is_out_of_time_keeps_its_warm_start():
    instance = four_jobs()
    best = enumeration.best(instance)
    result = solve(instance, warm_start=best, report=Report(0.0))
    assert result.stop is Stop.TIME_LIMIT
    assert result.solution.same_as(best)
    assert result.bound is None


def test_nodes_of_several_types_are_refused_in_one_line():
    instance = four_jobs()
    both = NodeGroup(count=2, types=("v0", "v1"))
    several = replace(instance, cluster=replace(instance.cluster, groups=(both,)))
    assert METHOD.refusal(several) == "rsjs_minlp serves nodes of one type; n1 may take 2"
