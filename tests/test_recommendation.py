"""Which method runs if none is named, and which ones an error names instead of one."""

from dataclasses import replace
from itertools import product

import pytest

import rsjs
from rsjs.core.method import OBJECTIVES
from rsjs.instances.generators import jahani, sts
from rsjs.instances.instance import FAMILIES, Objective
from rsjs.methods import parse
from rsjs.recommendation import RECOMMENDED, recommend, recommended, serving

SMALL = {"nodes": 2, "jobs": 6, "seed": 1}


@pytest.mark.parametrize("energy", RECOMMENDED)
def test_without_a_solver_a_method_is_recommended_for_every_objective(energy, monkeypatch):
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    small = jahani.generate(**SMALL)
    for kinds in product(
        *(sorted(known) for name, known in OBJECTIVES.items() if name != "energy")
    ):
        objective = Objective(**dict(zip(OBJECTIVES, (energy, *kinds), strict=True)))
        instance = replace(small, objective=objective)
        first, _ = recommend(instance)
        serves = parse("ruin_recreate").refusal(instance) is None
        assert (first == "ruin_recreate") == serves, objective


def test_an_objective_that_only_the_oracle_serves_is_refused_for_more_jobs():
    odd = Objective(
        **dict(zip(OBJECTIVES, ("next_event", "next_event", "rsjs_eq", "mean"), strict=True))
    )
    assert recommend(replace(jahani.generate(**SMALL), objective=odd))[0] == "enumeration"
    with pytest.raises(rsjs.InputError, match="enumeration serves up to 10 jobs, not 12"):
        rsjs.solve(replace(jahani.generate(nodes=2, jobs=12, seed=1), objective=odd))


@pytest.mark.parametrize(
    ("family", "first"),
    [
        ("jahani", "jahani_patterns@highs"),
        ("kiros", "rsjs_sifting@highs"),
        ("sts", "rsjs_sifting@highs"),
        ("gpuscheduler", "path_relinking"),
    ],
)
def test_an_exact_method_is_first_where_one_serves(family, first):
    instance = replace(jahani.generate(**SMALL), objective=FAMILIES[family])
    assert next(iter(recommended(instance))) == first


def test_an_exact_method_that_does_not_serve_is_passed_over():
    priced = replace(jahani.generate(**SMALL), objective=replace(FAMILIES["kiros"], mu=1.0))
    assert next(iter(recommended(priced))) == "first_ending_patterns@highs"


def test_recommended_methods_are_known_and_decide():
    for reasons in RECOMMENDED.values():
        assert all(parse(name).decides and parse(name).label == name for name in reasons)


def test_methods_that_serve_begin_with_the_recommended_ones_each_once():
    instance = sts.generate(**SMALL, sharing="paper")
    names = serving(instance)
    assert names[: len(recommended(instance))] == [*recommended(instance)]
    bare = [parse(name).method.name for name in names]
    assert len({*bare}) == len(bare)
    assert "enumeration" in bare
    assert not {"rsjs_bound", "jahani_patterns"} & {*bare}


@pytest.mark.process
def test_solve_without_a_method_runs_the_first_one_and_its_result_says_so():
    instance = sts.generate(**SMALL)
    result = rsjs.solve(instance, time_limit=20)
    assert result.objective == rsjs.check(instance, result.solution).objective
    assert result.message.startswith("rsjs_sifting@highs, the method recommended here")


def test_an_error_names_methods_that_serve():
    instance, told = sts.generate(**SMALL), "e.g. rsjs_sifting@highs, first_ending_patterns@highs"
    with pytest.raises(rsjs.InputError, match=told):
        rsjs.solve(instance, "jahani_patterns@highs")
    with pytest.raises(rsjs.InputError, match=told):
        rsjs.compare(instance, ["jahani_patterns@highs"])
    workload = rsjs.generate("sts", nodes=2, jobs=4, arrivals="exp")
    with pytest.raises(rsjs.InputError, match=r"e\.g\. fifo, edf, priority, dp: jahani"):
        rsjs.simulate(workload, "jahani_patterns@highs")
