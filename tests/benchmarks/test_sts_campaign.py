"""The page of the STS paper's campaign: what repetitions are made of, and half a campaign."""

import pytest

from benchmarks import online_rows as names
from benchmarks import online_tables, sts_campaign_page, sts_campaign_picture
from benchmarks.online_rows import REFERENCES, Runs, merged
from benchmarks.repetitions import averaged
from benchmarks.sts_campaign_fit import OF_ALL, fit_rules
from rsjs.reporting.tables.formats import MISSING

BOUNDS = ("best_bound", "clairvoyant_greedy", "infinite_cluster")
BOUND = dict.fromkeys(BOUNDS, 40.0)
KM = "sts-km-{}-low-weak-130k-base-N{}-J{}-s1"


def _row(nodes, method, cost, *, sharing="none", seed=0, **more):
    name = KM.format(sharing, nodes, 10 * nodes)
    given = {"instance": name, "nodes": nodes, "jobs": 10 * nodes, "method": method, "seed": seed}
    figures = {"energy": cost, "tardiness": 0.0, "late": 0, "utilisation": 0.3, "makespan_h": 9.0}
    figures |= {"longest_queue": 2, "decisions": 100, "decision_median_s": 0.001, "policy_s": 0.2}
    known = {"rsjs_version": "1", "commit": "abc", "dirty": False, "cpu_model": "some"}
    return {**given, "objective": cost, **figures, "whole_s": 3.6, **known, **more}


def test_repetitions_are_one_row_with_means_and_deviation():
    rows = [_row(10, names.RG, cost, seed=i, late=i) for i, cost in enumerate((99.0, 100.0, 101.0))]
    rows.append(_row(10, names.EDF, 50.0, commit="abd"))
    edf, rg = averaged(rows)
    assert (rg["runs"], rg["objective"], rg["objective_sd"], rg["late"]) == (3, 100.0, 1.0, 1.0)
    assert (edf["runs"], edf["objective"], edf["objective_sd"]) == (1, 50.0, None)
    assert (rg["commit"], edf["commit"], rg["dirty"]) == ("abc", "abd", False)
    assert "seed" not in rg


def test_rows_of_several_commits_say_so_and_a_missing_cost_is_no_mean():
    rows = [_row(10, names.RG, 99.0), _row(10, names.RG, None, seed=1, commit="abd")]
    (found,) = averaged(rows)
    assert found["commit"] == "abc abd"
    assert found["objective"] is None
    assert found["objective_sd"] is None


@pytest.fixture
def half():
    """A campaign that has not ended."""
    rows = [
        *(_row(10, names.RG, 100.0 + i, seed=i) for i in range(3)),
        _row(10, names.EDF, 160.0),
        _row(10, names.GREEDY, 100.0),
        _row(10, names.LITERAL, 90.0),
        _row(10, REFERENCES, None, decisions=None, **dict.fromkeys(BOUNDS, 80.0)),
        _row(10, names.LITERAL, 72.0, sharing="paper", late=4),
        _row(20, names.STS, 88.0, sharing="paper"),
    ]
    return Runs.of(averaged(rows))


@pytest.mark.slow
def test_the_page_and_the_picture_of_half_a_campaign(half, tmp_path):
    sts_campaign_page.write(half, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text().replace(MISSING, "none")
    assert "8 simulations with 0.0 million decisions; 0.0 hours" in page
    assert "| `sts:literal` | none / none | 0.800 / 4.0 % |" in page  # with shared GPUs
    assert "| `randomized_queue` | none | 0.99 %, 0.99 % |" in page  # repetitions
    assert "| `queue:edf` | 1 | none | none | none | 0.00 |" in page  # none on the largest cluster
    sts_campaign_picture.by_size(half, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def _of_two(costs):
    """Rows of two workloads of one size at high load."""
    names_of = [KM.format("none", 10, 100).replace("low", "high")[:-1] + seed for seed in "12"]
    return [
        {**_row(10, policy, cost), "instance": name, **(BOUND if policy == REFERENCES else {})}
        for policy, both in costs.items()
        for name, cost in zip(names_of, both, strict=True)
    ]


@pytest.fixture
def two():
    costs = {names.EDF: (100.0, 200.0), names.STS: (80.0, 50.0), names.ROLL: (75.0, 56.0)}
    return Runs.of(averaged(_of_two({**costs, REFERENCES: (None, None)})))


def test_single_workloads_show_how_far_sums_can_be_trusted(two):
    line = f"| sts-km | {MISSING} | {MISSING} | 0.250 to 0.800 |"
    assert online_tables.spread(two, ["sts-km"])[-1] == line


def test_roll_is_compared_with_the_cheapest_other_policy(two):
    assert online_tables.over_the_next(two) == (131 / 130, names.STS)
    assert online_tables.roll_by_size(two, ["sts-km"])[-1] == "| sts-km | 1.008 |"
    alone = Runs({k: {names.ROLL: v[names.ROLL]} for k, v in two.by_workload.items()})
    assert online_tables.over_the_next(alone) is None


def test_both_fit_rules_of_edf_stand_beside_each_other_once_both_ran():
    costs = {names.EDF: (100.0, 200.0), names.STS: (80.0, 50.0), REFERENCES: (None, None)}
    one = _of_two(costs)
    assert "has not been run" in fit_rules(Runs.of(one), ["sts-km"])[-1]
    both = merged(one, _of_two({OF_ALL: (80.0, 160.0)}))
    edf, of_all = fit_rules(Runs.of(both), ["sts-km"])[-2:]
    assert edf.endswith("| 0.433 (0.250 to 0.800) |")
    assert of_all.endswith("| 0.542 (0.312 to 1.000) |")
