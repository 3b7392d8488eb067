"""The page of simulations: what its figures are made of."""

import pytest

from benchmarks import online_rows as names
from benchmarks.online_rows import REFERENCES, Runs, case_of, merged

KM = "sts-km-none-{}-weak-130k-base-N{}-J{}-s{}"


def _row(instance, method, cost, **more):
    nodes = case_of(instance).nodes
    given = {"instance": instance, "method": method, "nodes": nodes, "jobs": 10 * nodes, "seed": 0}
    return {**given, "objective": cost, "energy": cost, "late": 0, "utilisation": 0.3, **more}


@pytest.fixture
def runs():
    """Greedy and STS on 10 and 20 nodes; EDF on one of them, and it does not end on the other."""
    ten, twenty = (KM.format("low", n, 10 * n, 1) for n in (10, 20))
    shared = ten.replace("none", "paper")
    return Runs.of(
        [
            _row(ten, names.GREEDY, 100.0),
            _row(ten, names.STS, 80.0, late=1),
            _row(ten, names.EDF, 160.0),
            _row(ten, REFERENCES, None, best_bound=50.0, infinite_cluster=64.0),
            _row(ten, names.LITERAL, 90.0),
            _row(shared, names.LITERAL, 72.0, late=40),
            _row(twenty, names.GREEDY, 400.0),
            _row(twenty, names.STS, 400.0, late=2),
            _row(twenty, names.EDF, None),
            _row(twenty, REFERENCES, None, best_bound=400.0, infinite_cluster=320.0),
        ]
    )


def test_names_say_what_a_workload_is():
    case = case_of("sts-a100-paper-exp50000-p0.5-130k-base-N50-J500-s3")
    assert case == ("a100", "paper", "exp50000", "p0.5", 50)
    assert (case.family, case.is_shared) == ("sts-a100-p05", True)


def test_ratios_are_of_costs_per_node_where_both_completed(runs):
    assert runs.ratio(names.STS, "objective", names.GREEDY) == (8 + 20) / (10 + 20)
    assert runs.ratio(names.STS, "objective", names.EDF) == 0.5
    assert runs.ratio(names.STS, "objective", REFERENCES, "best_bound") == 28 / 25
    assert runs.ratio("nobody", "objective", names.EDF) is None


def test_shares_are_of_jobs(runs):
    assert (runs.late(names.STS), runs.plain.late(names.LITERAL)) == (3 / 300, 0)
    assert runs.late("nobody") is None


def test_sharing_is_compared_on_the_same_jobs(runs):
    shared = runs.of_family("sts-km", "low").shared_over_plain(names.LITERAL)
    assert shared == pytest.approx(0.8)
    assert runs.of_family("sts-km", "high").shared_over_plain(names.LITERAL) is None


def test_new_rows_take_the_place_of_old_ones():
    ten = KM.format("low", 10, 100, 1)
    before = [_row(ten, "b", 1.0), _row(ten, "a", 2.0)]
    assert merged(before, [_row(ten, "b", 3.0)]) == [_row(ten, "a", 2.0), _row(ten, "b", 3.0)]


def test_what_has_not_ended_does_not_count():
    one, two = (KM.format("low", 10, 100, seed) for seed in (1, 2))
    rows = [_row(one, names.GREEDY, 1.0), _row(one, names.STS, 2.0), _row(one, REFERENCES, None)]
    assert Runs.of(rows[:2]).by_workload == {}
    assert set(Runs.of(rows).by_workload[one]) == {names.GREEDY, names.STS, REFERENCES}
    begun = [_row(two, names.GREEDY, 1.0), _row(two, REFERENCES, None)]
    assert set(Runs.of([*rows, *begun]).by_workload[one]) == {names.GREEDY, REFERENCES}
    failed = [*begun, _row(two, names.STS, None)]
    assert names.STS in Runs.of([*rows, *failed]).by_workload[one]
    assert names.STS not in Runs.of([*rows, *failed]).by_workload[two]
