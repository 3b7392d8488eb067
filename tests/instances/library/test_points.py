"""Sets of decision points: their states are those of the simulations that the recipes name."""

from dataclasses import replace

import pytest

from benchmarks.library import states
from rsjs.core.errors import InputError
from rsjs.instances import decision_points
from rsjs.instances.library.sets import (
    CHARGED,
    POINTS,
    draw,
    golden,
    library_set,
    names,
    point_records,
    recipes,
    refuse_other,
)
from rsjs.instances.traces.registry import refuse_unlicensed
from rsjs.instances.transform import with_change_costs
from rsjs.simulation.snapshots import use

SETS = [name for name in names() if POINTS in recipes()[name]]


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_the_states_of_the_smallest_workload_are_simulated_again(name):
    entry = recipes()[name][POINTS][0]
    smallest = {**entry, "sizes": entry["sizes"][:1]}
    again = [*states(smallest)]
    assert again == point_records(name)[: len(again)]


@pytest.mark.parametrize("name", SETS)
def test_members_are_running_clusters_of_elastic_or_rigid_jobs(name):
    for k, member in list(enumerate(library_set(name).members))[:5]:
        instance = draw(member.generator, member.arguments)
        refuse_other(instance, member.sha256)
        assert instance.name == member.name == golden(name)[k]["name"]
        assert 0.3 < use(instance.cluster, instance.current) < 1
        assert instance.jobs.epochs_done.any()
        counts = (instance.hours_per_epoch < float("inf")).any(axis=1).sum(axis=1)
        assert (counts == 1).all() == name.endswith("-rigid")


@pytest.mark.parametrize("name", [name for name in names() if CHARGED in recipes()[name]])
def test_charged_points_differ_from_the_others_in_costs_of_changes_only(name):
    of = library_set(recipes()[name][CHARGED]["set"])
    for member, point in list(zip(library_set(name).members, of.members, strict=True))[:5]:
        instance = draw(member.generator, member.arguments)
        refuse_other(instance, member.sha256)
        free = with_change_costs(instance, migration=0, start=0)
        assert instance.objective.migration > instance.objective.start > 0
        assert replace(free, name=point.name).digest == point.sha256


def test_sizes_are_those_of_a_cluster_of_today():
    members = [member for name in SETS for member in library_set(name).members]
    assert max(member.nodes for member in members) == 100
    assert max(member.jobs for member in members) <= 400


def test_what_is_made_of_a_trace_without_a_licence_is_told_apart():
    of = {"name": decision_points.NAME, "parameters": {"workload": {"generator": {}}}}
    refuse_unlicensed(of)
    for name, licensed in (("openb", False), ("spot", False), ("pai", True), ("own", True)):
        trace = {"name": "trace", "parameters": {"format": name}}
        for block in (trace, {**of, "parameters": {"workload": {"generator": trace}}}):
            if licensed:
                refuse_unlicensed(block)
            else:
                with pytest.raises(InputError, match=r"/generator: found data of Alibaba .* no"):
                    refuse_unlicensed(block)
