"""An optimum that is planted is known before any run, and runs confirm it."""

import json

import pytest

from rsjs.bks import storage
from rsjs.bks.candidates import of_stores
from rsjs.bks.entries import BestKnown
from rsjs.bks.merge import update
from rsjs.bks.regenerate import constructed
from rsjs.bks.verify import verify
from rsjs.instances.generators import planted
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution


@pytest.fixture(scope="module", params=["proportional", "first_ending"])
def made(request):
    """Two nodes, eight jobs."""
    return planted.optimum(nodes=2, jobs=8, seed=1, kind=request.param)


@pytest.fixture
def postponed(made):
    """A poor decision: every job waits."""
    return select_required_nodes(made.instance, Solution.empty(8, 2))


@pytest.fixture
def folder(tmp_path):
    """Where the values are."""
    return tmp_path / "known"


def test_it_is_entered_with_the_first_run_on_the_instance(made, postponed, store, folder):
    update(folder, of_stores([store("s", {"decision": postponed}, on=made.instance)])[0])
    [known] = storage.read(folder).values()
    assert known.closed
    assert not known.confirmed
    assert known.cost.value == pytest.approx(made.cost, rel=1e-12)
    assert {step.source for step in (*known.ub_data, *known.lb_data)} == {"construction"}
    assert (known.cost.run_id, known.bound.bound_source) == (None, "construction")
    found = verify(folder)
    assert (found.findings, found.solutions) == ([], 1)


def test_runs_confirm_it_and_are_not_credited(made, store, folder):
    runs = [{"k": k, "decision": made.decision, "bound": made.cost} for k in (1, 2)]
    runs[1]["method"] = "b@scip"
    told = of_stores([store("s", *runs, on=made.instance)])[0]
    update(folder, told)
    [known] = storage.read(folder).values()
    assert known.cost.source == known.bound.source == "construction"
    for step in (known.cost, known.bound):
        assert [other.method for other in step.confirmed_by] == ["a@highs", "b@scip"]
    again = update(folder, told)
    assert again.before == again.after


def test_a_run_that_claims_a_greater_bound_contradicts_it(made, store, folder):
    run = {"bound": made.cost * 1.01}
    done = update(folder, of_stores([store("s", run, on=made.instance)])[0])
    [found] = done.contradictions
    assert (found.cost.source, found.bound.method) == ("construction", "a@highs")
    assert not folder.exists()


def test_instances_of_other_generators_have_no_claims(tiny):
    made_by = {"generator": "jahani", "version": "0", "parameters": {}}
    for origin in (made_by, None):
        known = BestKnown(instance="i", sha256="0", nodes=2, jobs=3, made_by=origin)
        claims = constructed(known, tiny)
        assert (claims.costs, claims.bounds) == ([], [])


def test_a_bound_that_the_construction_does_not_give_is_found(made, postponed, store, folder):
    update(folder, of_stores([store("s", {"decision": postponed}, on=made.instance)])[0])
    path = folder / "planted.jsonl"
    entry = json.loads(path.read_text())
    entry["lb_data"][0]["value"] *= 1.01
    path.write_text(json.dumps(entry))
    assert any(line.endswith("by construction") for line in verify(folder).findings)


def test_an_instance_of_another_generator_is_not_known_by_construction(tiny, idle, store, folder):
    run = {"decision": idle, "bound": 0.01}
    update(folder, of_stores([store("s", run, on=tiny)])[0])
    path = folder / "jahani.jsonl"
    path.write_text(
        path.read_text().replace('"bound_source":"solver"', '"bound_source":"construction"')
    )
    [line] = verify(folder).findings
    assert line.endswith("/lb_data/0/value: found 0.01, expected 0.0 by construction")
