"""What the linter marks, and that it is silent about what is fair."""

import json
from itertools import product

import pytest

from rsjs.reporting.statistics.fairness import FEW_SEEDS, Finding, findings

RECORDED = {
    "feasibility_tolerance": 1e-6,
    "integrality_tolerance": 1e-6,
    "memory_limit_mb": None,
    "cpu_model": "one",
    "warm_start_sha256": None,
    "timing": "exclusive",
    "solver_version": "1.0",
    "commit": "c",
    "process_s": 3.0,
    "cpu_s": 3.2,
    "hardware_threads": 2,
    "load_before": 1.0,
    "load_after": 1.5,
    "calibration_before": 1.0,
    "calibration_after": 1.08,
}


@pytest.fixture
def fair(row):
    """Two methods on two instances with five seeds, everything recorded and the same."""
    runs = product("ij", range(FEW_SEEDS), ("a@highs", "b"))
    return [row(instance, method, seed=seed) | RECORDED for instance, seed, method in runs]


def changed(rows, method, **changes):
    """The rows of one method on the first instance changed."""
    return [
        row | changes if row["method"] == method and row["instance"] == "i" else row for row in rows
    ]


def test_nothing_is_found_in_a_fair_comparison(fair):
    assert findings(fair) == []


@pytest.mark.parametrize(
    ("aspect", "key", "value", "told"),
    [
        ("threads", "threads", 4, "threads differs on 1 instance: 1 (a@highs), 4 (b)"),
        ("gap", "gap_limit", 0.01, "gap_limit differs on 1 instance: 0.0001 (a@highs), 0.01 (b)"),
        ("tolerance", "integrality_tolerance", 1e-9, "1e-06 (a@highs), 1e-09 (b)"),
        ("time limit", "time_limit", 60.0, "differs on 1 instance: 10 (a@highs), 60 (b)"),
        ("memory limit", "memory_limit_mb", 4096.0, "none (a@highs), 4096 (b)"),
        ("hardware", "cpu_model", "two", "cpu_model differs on 1 instance: one (a@highs), two (b)"),
        ("warm start", "warm_start_sha256", "abc", "none (a@highs), abc (b)"),
        ("timing class", "timing", "shared", "exclusive (a@highs), shared (b)"),
        ("version", "rsjs_version", "0.2.0", "0.1.0 (a@highs), 0.2.0 (b)"),
        ("version", "commit", "d", "commit differs on 1 instance: c (a@highs), d (b)"),
    ],
)
def test_what_differs_between_methods_is_unfair(fair, aspect, key, value, told):
    found = findings(changed(fair, "b", **{key: value}))
    assert found[0].unfair
    assert found[0].aspect == aspect
    assert told in found[0].message
    assert [one for one in found[1:] if one.unfair] == []


@pytest.mark.parametrize(("key", "value"), [("time_limit", 60.0), ("threads", 2)])
def test_what_differs_between_instances_only_is_a_note(fair, key, value):
    [found] = findings([row | {key: value} if row["instance"] == "i" else row for row in fair])
    assert not found.unfair
    assert found.message.startswith(f"{key} differs between instances")


def test_an_instance_that_a_method_was_not_run_on(fair):
    found = findings([row for row in fair if (row["instance"], row["method"]) != ("j", "b")])
    assert found == [Finding("instances", False, "b was not run on 1 of 2 instances: not ranked")]


def test_seeds_that_differ(fair):
    found = findings([row for row in fair if row["method"] == "b" or row["seed"] < 4])
    assert [(one.aspect, one.unfair) for one in found] == [("seeds", True), ("seeds", False)]
    assert "seeds differ on 2 instances" in found[0].message
    assert "4 seeds for some instance and method" in found[1].message


@pytest.mark.parametrize("longest", [0, FEW_SEEDS - 1])
def test_of_several_overruns_the_longest_is_told(fair, longest):
    rows = changed(fair, "b", total_s=20.0)
    rows = [row | {"total_s": 55.0} if _is(row, "b", longest) else row for row in rows]
    [found] = findings(rows)
    assert found.message == "b overran its limit in 5 runs, by 45.0 s at most"


def test_an_overrun_without_a_gain_is_a_note(fair):
    for changes in (
        {"objective": 3.0, "objective_at_limit": 3.0},
        {"status": "no_solution", "stop": "time_limit"},
    ):
        [found] = findings(changed(fair, "b", overshoot_s=4.0, **changes))
        assert not found.unfair
        assert found.message.endswith("gained nothing: no solution after the limit counts")
    later = changed(fair, "b", overshoot_s=4.0, objective=2.0, objective_at_limit=3.0)
    assert [one.unfair for one in findings(later)] == [True]


def _is(row, method, seed):
    return (row["instance"], row["method"], row["seed"]) == ("i", method, seed)


def _ran_with(**options):
    return {"options": json.dumps({"random_seed": 7, "other": "text", **options})}


@pytest.mark.parametrize(
    ("method", "changes", "aspect", "told"),
    [
        ("a@highs", {"total_s": 11.9}, None, ""),
        ("a@highs", {"total_s": 55.0}, "time limit", "overran its limit in 5 runs, by 45.0 s at"),
        # the end of the process is what overran where it is known
        ("b", {"overshoot_s": 4.0}, "time limit", "b overran its limit in 5 runs, by 4.00 s at"),
        ("b", {"overshoot_s": 0.0, "total_s": 55.0}, None, ""),
        ("b", {"cpu_s": 5.4}, "threads", "b used up to 1.80 processors, more than its threads"),
        ("a@highs", {"solver_version": "1.1"}, "version", "highs in versions 1.1, 1.0"),
        ("b", {"feasibility_tolerance": None}, None, ""),  # one is that of solvers only
        # what a solver took, and what its run was given
        ("a@highs", _ran_with(threads=4), "threads", "ran with threads = 4, was given 1"),
        ("a@highs", _ran_with(num_workers=2), "threads", "ran with num_workers = 2, was given 1"),
        ("a@highs", _ran_with(**{"lp/threads": 8}), "threads", "lp/threads = 8, was given 1"),
        ("a@highs", _ran_with(mip_rel_gap=0.01), "gap", "mip_rel_gap = 0.01, was given 0.0001"),
        (
            "a@highs",
            _ran_with(**{"limits/gap": 0.01}),
            "gap",
            "limits/gap = 0.01, was given 0.0001",
        ),
        ("a@highs", _ran_with(threads=1, mip_rel_gap=1e-5, **{"limits/gap": 1e-4}), None, ""),
    ],
)
def test_a_method_that_took_more_than_it_was_given(fair, method, changes, aspect, told):
    found = findings(changed(fair, method, **changes))
    assert [(one.aspect, one.unfair) for one in found] == ([(aspect, True)] if aspect else [])
    assert all(told in one.message for one in found)


@pytest.mark.parametrize("dirty", [True, "True"])
def test_code_that_no_commit_holds(fair, dirty):
    [found] = findings(changed(fair, "b", dirty=dirty))
    assert found == Finding("version", False, "5 runs of code with changes that no commit holds")
    assert findings(changed(fair, "b", dirty="False")) == []


def test_seconds_measured_beside_other_runs(fair):
    [found] = findings([row | {"timing": "shared"} for row in fair])
    assert (found.aspect, found.unfair) == ("timing class", False)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"load_before": 15.8},
            "5 of 20 exclusive runs beside other processes, whose load was up to 14.8 on 2 hardware"
            " threads",
        ),
        ({"load_before": 15.8, "hardware_threads": 64}, None),  # there is room for all
        ({"load_after": 2.0, "hardware_threads": None}, "whose load was up to 1.0"),
        ({"load_before": 8.5, "threads": 8}, "threads differs"),  # its own, and of those after it
        ({"calibration_after": 1.4}, "the machine's speed changed: from 1.00 to 1.40 s"),
        ({"calibration_after": None}, "not recorded before and after 5 runs of 20"),
        ({"load_before": None, "load_after": None}, "load_after not recorded for 5 runs of 20"),
        ({"timing": "shared", "load_before": 15.8}, "timing differs"),  # promises nothing
    ],
)
def test_an_exclusive_machine_is_idle_and_keeps_its_speed(fair, changes, told):
    found = [one for one in findings(changed(fair, "b", **changes)) if one.aspect != "seeds"]
    assert [told in one.message for one in found[:1]] == ([] if told is None else [True])
    assert {one.unfair for one in found[:1]} <= {"not recorded" not in str(told)}
    assert not any(one.unfair for one in found[1:])


@pytest.mark.parametrize(
    "key", ["threads", "cpu_model", "timing", "warm_start_sha256", "memory_limit_mb"]
)
def test_what_is_not_recorded_is_told(fair, key):
    found = findings([{k: v for k, v in row.items() if k != key} for row in fair])
    assert [one.unfair for one in found] == [False]
    assert "not recorded" in found[0].message
    assert key in found[0].message


def test_what_is_recorded_for_some_runs_only_is_told(fair):
    [found] = findings(changed(fair, "b", cpu_model=None))
    assert found.message == "cpu_model not recorded for 5 runs of 20"


def test_many_methods_are_not_all_named(row):
    rows = [row("i", f"m{k}", threads=1 if k else 2) for k in range(6)]
    unfair = next(one for one in findings(rows) if one.aspect == "threads")
    assert unfair.message == "threads differs on 1 instance: 2 (m0), 1 (m1, m2, m3 and 2 more)"
