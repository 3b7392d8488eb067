"""Every kind of corruption of a valid decision is rejected, with the constraint named."""

import inspect
import re

import pytest

from rsjs import rsjs_verify
from rsjs.instances import check as checker
from rsjs.instances.check import check, violations
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.serialization import canonical
from rsjs.instances.solution import DECISION_ARRAYS, Solution

VM, BOX, OFF = 0, 1, -1
JOBS = {"job_node": [0, 0, 2], "job_gpus": [1, 0, 2], "job_level": [-1, 1, -1]}
VALID = {**JOBS, "node_type": [VM, OFF, BOX]}
CORRUPT = [  # constraint, where, {place: value}; a place without index replaces the array
    # arrays of another size
    ("shape", "/job_node", {"job_node": [0, 0]}),
    ("shape", "/job_gpus", {"job_gpus": [1, 0, 2, 1]}),
    ("shape", "/job_level", {"job_level": []}),
    ("shape", "/node_type", {"node_type": [VM, OFF, BOX, BOX]}),
    # numbers that name nothing
    ("range", "/job_node/1", {"job_node/1": 3}),
    ("range", "/job_gpus/0", {"job_gpus/0": 5}),
    ("range", "/job_gpus/1", {"job_gpus/1": -1}),
    ("range", "/job_level/1", {"job_level/1": 2}),
    ("range", "/node_type/1", {"node_type/1": 2}),
    # the third node is a box for ever
    ("allowed_type", "/node_type/2", {"node_type/2": VM, "job_node/2": -1, "job_gpus/2": 0}),
    # a postponed job holds nothing
    ("postponed", "/job_gpus/0", {"job_node/0": -1}),
    ("postponed", "/job_level/1", {"job_node/1": -1}),
    # GPUs or a share, not both, not neither
    ("one_configuration", "/job_gpus/0", {"job_level/0": 0}),
    ("one_configuration", "/job_gpus/0", {"job_gpus/0": 0}),
    ("one_configuration", "/job_gpus/1", {"job_level/1": -1}),
    ("node_on", "/job_node/2", {"job_node/2": 1}),
    ("node_on", "/job_node/2", {"node_type/2": OFF}),
    ("node_size", "/job_gpus/2", {"job_gpus/2": 3}),
    # b needs 8 GB: a quarter of a K80 has 6, a P has 6
    ("memory", "/job_level/1", {"job_level/1": 0}),
    ("memory", "/job_gpus/1", {"job_node/1": 2, "job_gpus/1": 1, "job_level/1": -1}),
    # no time for a on 3 K80, for c on a K80 or on one P; no share of a P
    ("admissible", "/job_gpus/0", {"job_gpus/0": 3}),
    ("admissible", "/job_gpus/2", {"job_node/2": 0}),
    ("admissible", "/job_gpus/2", {"job_gpus/2": 1}),
    ("admissible", "/job_level/0", {"job_node/0": 2, "job_gpus/0": 0, "job_level/0": 0}),
    ("capacity", "/node_type/2", {"job_node/0": 2}),
]
ELSEWHERE = {"instance", "open_nodes", "claimed_objective", "claimed_bound"}


def _named(verdict):
    return [(violation.constraint, violation.where) for violation in verdict.violations]


def _decision(changes=None):
    arrays = {name: list(values) for name, values in VALID.items()}
    for place, value in (changes or {}).items():
        name, _, index = place.partition("/")
        if index:
            arrays[name][int(index)] = value
        else:
            arrays[name] = value
    return Solution(**arrays)


def test_the_decision_to_corrupt_is_valid(example, verdicts):
    verdict, _ = verdicts(to_instance(example()), _decision())
    assert verdict.feasible
    assert verdict.counts == {
        "executed": 3,
        "postponed": 0,
        "late": 3,
        "selected_nodes": 2,
        "used_nodes": 2,
        "used_gpus": 4,
        "idle_gpus": 2,
    }


@pytest.mark.parametrize(("constraint", "where", "changes"), CORRUPT)
def test_a_corrupt_decision_is_rejected_by_name(example, verdicts, constraint, where, changes):
    for verdict in verdicts(to_instance(example()), _decision(changes)):
        assert _named(verdict) == [(constraint, where)]
        assert not verdict.feasible
        assert verdict.terms is None
        assert verdict.objective is None


def test_every_constraint_of_the_checker_has_a_corruption():
    names = set(re.findall(r'_violation\(\s*"(\w+)"', inspect.getsource(checker)))
    assert len(names) == 14
    assert names == {constraint for constraint, *_ in CORRUPT} | ELSEWHERE
    assert names <= set(re.findall(r'"(\w+)"', inspect.getsource(rsjs_verify)))


@pytest.mark.parametrize("name", DECISION_ARRAYS)
def test_only_minus_one_means_nothing(example, name):
    decision = _decision({f"{name}/1": -2})  # the schema keeps it out of files
    assert _named(check(to_instance(example()), decision)) == [("range", f"/{name}/1")]


def test_quarters_fill_gpus_and_the_next_one_is_too_many(example, verdicts):
    document = example()
    document["jobs"] = [document["jobs"][0] | {"id": f"a{i}"} for i in range(17)]
    for quarters, dedicated, fits in ((16, 0, True), (17, 0, False), (12, 1, True), (13, 1, False)):
        jobs = quarters + dedicated
        rest = 17 - jobs
        decision = Solution.of(
            [0] * jobs + [-1] * rest,
            [1] * dedicated + [0] * (17 - dedicated),
            [VM, OFF, OFF],
            [-1] * dedicated + [0] * quarters + [-1] * rest,
        )
        for verdict in verdicts(to_instance(document), decision):
            assert verdict.feasible is fits
            assert _named(verdict) == ([] if fits else [("capacity", "/node_type/0")])


@pytest.mark.parametrize(
    ("kind", "nodes", "types", "fits"),
    [
        ("free", [-1, -1, -1], [OFF, OFF, OFF], True),
        # exactly min(3 jobs, 3 nodes) selected, with or without a job
        ("jahani_eq", [0, -1, -1], [VM, VM, BOX], True),
        ("jahani_eq", [0, -1, -1], [VM, VM, OFF], False),
        # with a job each: b on a VM, c on a box, a on the other VM
        ("rsjs_eq", [0, 1, 2], [VM, VM, BOX], True),
        ("rsjs_eq", [0, 0, 2], [VM, OFF, BOX], False),
        ("rsjs_eq", [0, 0, 2], [VM, VM, BOX], False),
        ("rsjs_eq_feasible", [0, 1, 2], [VM, VM, BOX], True),
        ("rsjs_eq_feasible", [0, 0, -1], [VM, OFF, BOX], False),
    ],
)
def test_the_number_of_open_nodes_is_the_one_asked_for(example, verdicts, kind, nodes, types, fits):
    gpus = [0 if n < 0 else k for n, k in zip(nodes, (1, 1, 2), strict=True)]
    instance = to_instance(example(open_nodes=kind))
    for verdict in verdicts(instance, Solution.of(nodes, gpus, types)):
        assert _named(verdict) == ([] if fits else [("open_nodes", "/node_type")])
        assert verdict.objective is not None  # priced all the same


@pytest.mark.parametrize("off", [1e-5, -1e-5])
def test_a_wrong_claim_is_caught(example, verdicts, off):
    instance = to_instance(example())
    cost = check(instance, _decision()).objective
    for verdict in verdicts(instance, _decision(), objective=cost * (1 + off)):
        assert _named(verdict) == [("claimed_objective", "/objective")]
    for verdict in verdicts(instance, _decision(), bound=cost * (1 + off)):
        assert _named(verdict) == ([("claimed_bound", "/bound")] if off > 0 else [])
    right = cost * (1 + 9e-7)
    for verdict in verdicts(instance, _decision(), objective=right, bound=right):
        assert verdict.feasible


@pytest.mark.parametrize("claim", [float("nan"), float("inf"), -float("inf")])
def test_a_claim_that_is_no_number_is_caught(example, claim):
    verdict = check(to_instance(example()), _decision(), objective=claim)
    assert _named(verdict) == [("claimed_objective", "/objective")]


def test_a_solution_for_another_instance_is_caught(example, verdicts):
    other = to_instance(example(mu=1)).digest
    for verdict in verdicts(to_instance(example()), _decision(), digest=other):
        assert _named(verdict) == [("instance", "/instance")]


def test_all_violations_of_a_stage_are_told(example, verdicts):
    changes = {"job_gpus/0": 3, "job_level/1": 0, "job_gpus/2": 1}
    for verdict in verdicts(to_instance(example()), _decision(changes)):
        assert [name for name, _ in _named(verdict)] == ["admissible", "memory", "admissible"]


@pytest.mark.parametrize("changes", [{}, *(changes for *_, changes in CORRUPT)])
def test_violations_are_those_of_the_checker(example, changes):
    for mu, rule in ((0, "free"), (1, "jahani_eq")):
        instance = to_instance(example(mu=mu, open_nodes=rule))
        decision = _decision(changes)
        assert violations(instance, decision) == [*check(instance, decision).violations]


def test_a_violation_tells_what_was_found_and_expected(example):
    verdict = check(to_instance(example()), _decision({"job_level/1": 0}))
    told = "memory: /job_level/1: found 8 GB, expected <= 6 GB for level 0 on vm"
    assert str(verdict.violations[0]) == told


def test_verdicts_hold_plain_numbers(example):
    verdict = check(to_instance(example()), _decision())
    numbers = [*verdict.terms.values(), verdict.objective, *verdict.counts.values()]
    assert {type(number) for number in numbers} == {float, int}
    assert canonical(verdict.terms) == canonical(dict(verdict.terms))
