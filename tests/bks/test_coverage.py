"""How much of the library is closed, confirmed, open, unknown."""

from dataclasses import replace

import pytest

from rsjs.bks.entries import BestKnown, Bound, Cost, Origin
from rsjs.bks.storage import coverage, of_one_solver, unsettled
from rsjs.instances.library.sets import library_set, names

RUN = {"date": "2030-01-01", "source": "campaign test", "run_id": "0" * 16}
WITNESS = Origin(value=100.0, method="b", **RUN)


@pytest.fixture
def entry():
    """The builder of an entry for a member of a set: a cost of 100 $ and a bound."""

    def make(name, k, bound, *, confirmed=False, solvers=(None, None)):
        member = library_set(name).members[k]
        terms = {"tardiness": 0, "postponement": 0, "energy": 100, "idle": 0}
        proven = {"exact": "100", "terms": terms, "solution_sha256": "0" * 64, "verifier": ""}
        cost = Cost(value=100.0, **RUN, **proven)
        own, other = solvers
        witnesses = (replace(WITNESS, solver=other),) if confirmed else ()
        proof = Bound(value=bound, **RUN, solver=own, bound_source="solver", confirmed_by=witnesses)
        return BestKnown(
            instance=member.name,
            sha256=member.sha256,
            nodes=member.nodes,
            jobs=member.jobs,
            made_by={"generator": member.generator},
            ub_data=(cost,),
            lb_data=(proof,),
        )

    return make


def counts(known, name):
    [row] = [row for row in coverage(known) if row.name == name]
    return row.members, row.closed, row.confirmed, row.open, row.unknown, row.gap


def test_each_member_of_a_set_is_closed_or_open_or_unknown(entry):
    found = [
        entry("tiny", 0, 100.0, confirmed=True),
        entry("tiny", 1, 100.0 * (1 - 0.9e-6)),
        entry("tiny", 2, 75.0, confirmed=True),
    ]
    assert counts(found, "tiny") == (4, 2, 1, 1, 1, 0.25)
    assert counts([], "tiny") == (4, 0, 0, 0, 4, None)


def test_two_solvers_are_counted_apart_from_two_methods(entry):
    pairs = [("highs", "scip"), ("highs", "highs"), ("highs", None)]
    found = [entry("tiny", k, 100.0, confirmed=True, solvers=pairs[k]) for k in range(3)]
    found.append(entry("tiny", 3, 75.0, confirmed=True, solvers=pairs[0]))  # open
    [row] = [row for row in coverage(found) if row.name == "tiny"]
    assert (row.confirmed, row.two_solvers) == (3, 1)
    assert of_one_solver(found) == found[1:3]


def test_a_cost_without_a_bound_and_a_bound_without_a_cost_have_the_gap_1(entry):
    for missing in ("ub_data", "lb_data"):
        found = [replace(entry("tiny", 0, 75.0), **{missing: ()}), entry("tiny", 1, 75.0)]
        assert counts(found, "tiny") == (4, 0, 0, 2, 2, 1.0)


def test_an_instance_of_two_sets_counts_in_both_and_once_in_all(entry):
    [k] = [k for k, m in enumerate(library_set("small").members) if "table2-base" in m.name][:1]
    rows = {row.name: row for row in coverage([entry("small", k, 100.0, confirmed=True)])}
    assert {k for k, row in rows.items() if row.confirmed} == {"small", "jahani-table2-base", "all"}
    assert rows["all"].confirmed == 1
    assert rows["all"].members < sum(row.members for row in rows.values()) - rows["all"].members


def test_sets_of_mig_jobs_and_of_large_instances_have_no_row():
    rows = {row.name: row.members for row in coverage([])}
    assert {*names()} - {*rows} == {
        name
        for name in names()
        if name.startswith(("mig-", "scaling-", "kiros-data", "online", "workloads-"))
    } | {"planted-proportional-huge", "planted-first-ending-huge"}
    known = {"kiros-base": 12, "jahani-azure-base": 51, "planted-first-ending": 18}
    assert rows.items() >= known.items()


def test_unsettled_is_what_is_open_or_has_no_witness(entry):
    found = [
        entry("tiny", 0, 100.0, confirmed=True),
        entry("tiny", 1, 100.0),
        entry("tiny", 2, 75.0, confirmed=True),
    ]
    assert unsettled(found) == found[1:]
