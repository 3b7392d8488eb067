"""Tables of simulations: what their figures are made of."""

import pandas as pd
import pytest

from benchmarks import decisions
from docs.make import load_sweep, online, sts_campaign, tables
from docs.make.load_sweep import BEST
from docs.make.online import EDF, GREEDY, LITERAL, REFERENCES, RG, ROLL, STS, ratio
from rsjs.core.errors import InputError
from rsjs.reporting.tables.formats import MISSING as NONE

KM = "sts-km-{}-{}-weak-130k-base-N{}-J{}-s{}"


def row(nodes, method, cost, *, arrivals="low", sharing="none", set=1, seed=0, **more):
    name = KM.format(sharing, arrivals, nodes, 10 * nodes, set)
    given = {"instance": name, "nodes": nodes, "jobs": 10 * nodes, "method": method, "seed": seed}
    known = {"rsjs_version": "1", "commit": "abc", "dirty": False, "cpu_model": "some"}
    return {
        **given,
        "objective": cost,
        "energy": cost,
        "late": 0,
        "utilisation": 0.3,
        **known,
        **more,
    }


@pytest.fixture
def runs():
    """Greedy and STS on 10 and 20 nodes; EDF on one of them, and it does not end on the other."""
    rows = [
        row(10, GREEDY, 100.0),
        row(10, STS, 80.0, late=1),
        row(10, EDF, 160.0),
        row(10, REFERENCES, None, best_bound=50.0),
        row(10, LITERAL, 90.0),
        row(10, LITERAL, 72.0, sharing="paper", late=40),
        row(20, GREEDY, 400.0),
        row(20, STS, 400.0, late=2),
        row(20, EDF, None),
        row(20, REFERENCES, None, best_bound=400.0),
    ]
    return online.described(pd.DataFrame(rows))


def test_names_say_what_a_workload_is():
    name = "sts-a100-paper-exp50000-p0.5-130k-base-N50-J500-s3"
    (found,) = online.described(pd.DataFrame([{**row(50, STS, 1.0), "instance": name}])).to_dict(
        "records"
    )
    assert (found["family"], found["shared"], found["arrivals"]) == (
        "sts-a100-p05",
        True,
        "exp50000",
    )


def test_ratios_are_of_costs_per_node_where_both_completed(runs):
    assert ratio(runs, STS, GREEDY) == (8 + 20) / (10 + 20)
    assert ratio(runs, STS, EDF) == 0.5
    assert ratio(runs, STS, REFERENCES, below="best_bound") == 28 / 25
    assert pd.isna(ratio(runs, "nobody", EDF))


def test_shares_are_of_jobs(runs):
    assert online.late(online.plain(runs), STS) == 3 / 300
    assert pd.isna(online.late(runs, "nobody"))


def test_sharing_is_compared_on_the_same_jobs(runs, monkeypatch):
    monkeypatch.setattr(sts_campaign, "campaign", lambda: runs)
    literal = next(line for line in sts_campaign.sharing().splitlines() if LITERAL in line)
    assert literal.startswith(f"| `sts:literal` | {NONE} / {NONE} | 0.800 / 40 % |")


def test_repetitions_are_one_row_with_means_and_deviation():
    rows = [row(10, RG, cost, seed=i, late=i) for i, cost in enumerate((99.0, 100.0, 101.0))]
    rows.append(row(10, EDF, 50.0, commit="abd"))
    edf, rg = online.averaged(pd.DataFrame(rows)).to_dict("records")
    assert (rg["runs"], rg["objective"], rg["objective_sd"], rg["late"]) == (3, 100.0, 1.0, 1.0)
    assert (edf["runs"], edf["objective"]) == (1, 50.0)
    assert pd.isna(edf["objective_sd"])
    assert (rg["commit"], edf["commit"]) == ("abc", "abd")


def test_rows_of_several_commits_say_so_and_a_missing_cost_is_no_mean():
    rows = [row(10, RG, 99.0), row(10, RG, None, seed=1, commit="abd")]
    (found,) = online.averaged(pd.DataFrame(rows)).to_dict("records")
    assert found["commit"] == "abc abd"
    assert pd.isna(found["objective"])
    assert pd.isna(found["objective_sd"])


@pytest.fixture
def two(monkeypatch):
    """Two workloads of one size at high load."""
    costs = {
        EDF: (100.0, 200.0),
        online.OF_ALL: (80.0, 160.0),
        STS: (80.0, 50.0),
        ROLL: (75.0, 56.0),
    }
    rows = [
        row(10, policy, cost, arrivals="high", set=i)
        for policy, both in costs.items()
        for i, cost in enumerate(both)
    ]
    runs = online.described(pd.DataFrame(rows))
    monkeypatch.setattr(sts_campaign, "campaign", lambda: runs)
    return runs


def test_roll_is_compared_with_the_cheapest_other_policy(two):
    assert sts_campaign.over_the_next(two) == (131 / 130, STS)
    assert "| sts-km | 1.008 |" in sts_campaign.roll_by_size()


def test_both_fit_rules_of_edf_stand_beside_each_other(two):
    rules = sts_campaign.fit_rules()
    assert "0.433 (0.250 to 0.800)" in rules
    assert "0.542 (0.312 to 1.000)" in rules


def test_the_cheapest_method_is_another_one_on_each_workload():
    costs = {GREEDY: (100.0, 60.0), STS: (80.0, 90.0), LITERAL: (10.0, 10.0)}  # which is not swept
    rows = [row(10, name, cost, set=i) for name, of in costs.items() for i, cost in enumerate(of)]
    runs = load_sweep.swept(pd.DataFrame(rows))
    assert ratio(runs, BEST, GREEDY) == 140 / 160
    assert ratio(runs, STS, BEST) == 170 / 140


def test_the_best_other_method_is_one_on_all_workloads(monkeypatch):
    """Over the best one by the sum, over the cheapest of each, the infinite cluster over these."""
    costs = {GREEDY: (100.0, 60.0), STS: (80.0, 90.0), online.PRICED: (75.0, 63.0)}
    rows = [row(10, name, cost, set=i) for name, of in costs.items() for i, cost in enumerate(of)]
    rows += [row(10, REFERENCES, None, set=i) for i in range(2)]
    runs = pd.DataFrame(rows)
    bounds = runs["method"] == REFERENCES
    runs.loc[bounds, "offered_load"] = 0.8
    runs.loc[bounds, "infinite_cluster"] = 56.0
    monkeypatch.setattr(load_sweep, "loads", lambda: {"0.80": runs})
    monkeypatch.setattr(load_sweep, "SIZES", (10,))
    cell = f"{138 / 160:.3f} / {138 / 140:.3f} / {112 / 140:.3f}"
    rows, columns = 2, 3  # 10 nodes and all; the load, the loads together, and each
    assert load_sweep.priced().count(cell) == rows * columns


def test_all_methods_are_asked_at_the_same_moments(monkeypatch):
    methods = (decisions.ALONG, STS, "first_ending_patterns@highs")
    monkeypatch.setattr(decisions, "METHODS", methods)
    of = decisions.workload(nodes=2, jobs=10, seed=1, law="exp", gap_seconds=17500)
    found = decisions.costs(of)
    assert {name: len(each) for name, each in found.items()} == dict.fromkeys(methods, 4)
    best = found.pop("first_ending_patterns@highs")
    for each in found.values():
        assert all(exact <= cost * (1 + 1e-4) for exact, cost in zip(best, each, strict=True))


def test_decisions_are_of_the_workloads_that_were_simulated():
    runs = pd.concat(load_sweep.loads().values())
    asked = (runs["nodes"] <= load_sweep.LARGEST) & (runs["arrivals"] != "exp12000")
    rows = load_sweep.stored("online/decisions.csv")
    assert {*rows["instance"]} == {*runs.loc[asked, "instance"]}
    assert {*rows["method"]} == {*decisions.METHODS}
    assert set(rows["decisions"]) == {decisions.MOMENTS}


def test_distances_are_to_the_bound_and_to_the_cheapest_of_all_rows(runs):
    bounds = runs["method"] == REFERENCES
    runs.loc[bounds, "offered_load"] = [0.5, 0.7]
    runs.loc[bounds, "clairvoyant_greedy"] = [60.0, 500.0]
    own = online.with_schedules(online.plain(runs))
    best = own[own["method"] == online.SCHEDULE].set_index("nodes")["objective"]
    assert best.to_dict() == {10: 60.0, 20: 400.0}
    assert online.distance(own, GREEDY) == f"{30 / 25:.3f} / {30 / 26:.3f}"
    assert online.load(own) == "0.60"


def test_a_bound_above_a_cost_ends_the_page_with_both_rows_named(tmp_path, monkeypatch):
    text = (
        "instance,method,run_id,objective,best_bound\nw,roll,a1,100.0,90.0\nw,references,b2,,101.0"
    )
    (tmp_path / "rows.csv").write_text(text.replace("101.0", "100.0") + "\n")
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert len(tables.simulated("rows.csv")) == 2
    (tmp_path / "rows.csv").write_text(f"{text}\n")
    told = r"101.0 \$ of references on w \(run b2\), .* 100.0 \$, the cost of roll on w \(run a1\)"
    with pytest.raises(InputError, match=told):
        tables.simulated("rows.csv")
