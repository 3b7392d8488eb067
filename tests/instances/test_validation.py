"""Instances that programs make are checked like those from files; nothing changes afterwards."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.cluster import GpuType, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.jobs import ARRAYS
from rsjs.instances.solution import Solution


def _changed(instance, name, at, value):
    array = getattr(instance.jobs, name).copy()
    array[at] = value
    return replace(instance, jobs=replace(instance.jobs, **{name: array}))


@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("release", 0, np.nan, "/jobs/0/release: found nan"),
        ("due", 1, np.inf, "/jobs/1/due: found inf"),
        ("weight", 2, -1, r"/jobs/2/weight: found -1\.0, expected a number from 0"),
        ("memory_gb", 0, np.inf, "/jobs/0/memory_gb: found inf"),
        ("slowest_hours_per_epoch", 0, np.nan, "/jobs/0/slowest_hours_per_epoch: found nan"),
        ("epochs_max", 0, 0, "/jobs/0/epochs_max: found 0, expected at least 1"),
        ("epochs_done", 0, np.nan, "/jobs/0/epochs_done: found nan"),
        ("hours_per_epoch", (0, 0, 1), 0, r"/jobs/0/hours_per_epoch/K80/0: found 0\.0"),
        ("hours_per_epoch", (0, 1, 2), np.nan, "/jobs/0/hours_per_epoch/P/1: found nan"),
        ("hours_per_epoch", (0, 1, 2), 1e16, "/jobs/0/hours_per_epoch/P/1: found 1e"),
        ("hours_per_epoch", (0, 0, 0), 1.0, "found hours per epoch on 0 GPUs"),
        ("inflation", (0, 0, 1), 0.5, r"/jobs/0/inflation/K80/1: found 0\.5"),
        ("inflation", (0, 0, 1), 1e16, "/jobs/0/inflation/K80/1: found 1e"),
    ],
)
def test_a_bad_number_in_an_array_is_told_with_its_place(example, name, at, value, message):
    with pytest.raises(InputError, match=message):
        _changed(to_instance(example()), name, at, value)


@pytest.mark.parametrize("sign", ["\n", "\x1b", "\x9b", "\u202e", "\x00"])
def test_names_hold_nothing_that_steers_a_terminal(example, sign):
    for place, where in {
        ("name",): "/name",
        ("cluster", "gpu_types", 1, "name"): "/cluster/gpu_types/1/name",
        ("cluster", "node_types", 0, "name"): "/cluster/node_types/0/name",
        ("jobs", 1, "id"): "/jobs/1/id",
        ("jobs", 2, "application"): "/jobs/2/application",
    }.items():
        part = document = example()
        for step in place[:-1]:
            part = part[step]
        part[place[-1]] += sign
        with pytest.raises(InputError, match=f"^{where}: .*expected a name without control"):
            to_instance(document)
    document = example()
    document["cluster"]["nodes"][0]["names"] = ["a", f"b{sign}"]
    document["laws"][f"law{sign}"] = [[1, 1]]
    with pytest.raises(InputError, match="/cluster/nodes: found"):
        to_instance(document)
    del document["cluster"]["nodes"][0]["names"]
    with pytest.raises(InputError, match="/laws/law"):
        to_instance(document)


@pytest.mark.parametrize("copied", [deepcopy, lambda found: pickle.loads(pickle.dumps(found))])
def test_copies_and_pickles_cannot_be_written_to_either(example, copied):
    instance = copied(to_instance(example()))
    decision = copied(Solution.empty(3, 2))
    for array in (
        decision.job_node,
        instance.jobs.due,
        instance.hours_per_epoch,
        instance.cluster.allowed,
        instance.laws["short"].weights,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert instance.digest == to_instance(example()).digest


@pytest.mark.parametrize("name", [*ARRAYS, "application", "law", "meta"])
def test_an_array_of_another_size_is_told(example, name):
    instance = to_instance(example())
    short = {name: getattr(instance.jobs, name)[:2]}
    with pytest.raises(InputError, match=rf"/jobs: found {name} of shape \(2.*expected shape \(3"):
        replace(instance, jobs=replace(instance.jobs, **short))


def test_share_factors_without_a_level_do_not_count(example):
    # c has no memory limit; a P has no share levels, though the array has room for them
    instance = _changed(to_instance(example()), "inflation", (2, 1, 0), 1.0)
    assert np.isinf(instance.shared_hours_per_epoch[2, 1]).all()


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ([], "/laws/short: found no mass"),
        ([[2, -1], [8, 2]], "/laws/short: found -1, expected weights >= 0"),
        ([[0, 1], [8, 2]], "strictly increasing epochs >= 1"),
    ],
)
def test_a_law_that_is_none_is_told(example, law, message):
    with pytest.raises(InputError, match=message):
        replace(to_instance(example()), laws={"short": EpochDistribution.of(law)})


def _with(cluster, **parts):
    return replace(cluster, **{name: (*getattr(cluster, name), new) for name, new in parts.items()})


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"node_types": NodeType(name="none", gpu_type="P", cost=(0.0,))}, "/2/gpus: found 0"),
        ({"node_types": NodeType(name="none", gpu_type="P", cost=())}, "/2/gpus: found -1"),
        (
            {"node_types": NodeType(name="x", gpu_type="P", cost=(0, np.nan))},
            "/2/cost/1: found nan",
        ),
        ({"gpu_types": GpuType(name="x", memory_gb=-1)}, "/2/memory_gb: found -1"),
        ({"gpu_types": GpuType(name="x", memory_gb=1, units=0)}, "/2/units: found 0"),
        (
            {
                "gpu_types": GpuType(
                    name="x", memory_gb=1, levels=(ShareLevel(units=1, max_memory_gb=1),)
                )
            },
            "/2/levels/0/units: found 1, expected 1 to 0, of 1 units",
        ),
    ],
)
def test_a_cluster_that_is_none_is_told(example, parts, message):
    instance = to_instance(example())
    with pytest.raises(InputError, match=message):
        replace(instance, cluster=_with(instance.cluster, **parts))


def test_units_without_levels_may_be_many(example):
    document = example()
    document["cluster"]["gpu_types"][1]["units"] = 7919
    document["cluster"]["gpu_types"][0] |= {"units": 4000}  # 1000 and 2000 of 4000 are quarters
    for level, units in zip(
        document["cluster"]["gpu_types"][0]["levels"], (1000, 2000), strict=True
    ):
        level["units"] = units
    assert to_instance(document).cluster.gpu_types[0].units == 4000


def test_arrays_of_an_instance_are_frozen(example):
    instance = to_instance(example())
    arrays = {name: getattr(instance.jobs, name) for name in ARRAYS}
    for name in ("hours_per_epoch", "shared_hours_per_epoch"):
        arrays[f"admissible {name}"] = getattr(instance, name)
    for name in ("gpu_of_type", "gpus_of_type", "cost_of_type", "class_sizes", "largest_of_gpu"):
        arrays[name] = getattr(instance.cluster, name)
    assert [name for name, array in arrays.items() if array.flags.writeable] == []


def test_nodes_are_numbered_group_by_group(example):
    document = example()
    document["cluster"]["nodes"].insert(
        1, {"count": 2, "types": ["box", "vm"], "names": ["x", "y"]}
    )
    cluster = to_instance(document).cluster
    assert cluster.node_names == ("n1", "n2", "x", "y", "n5")
    assert cluster.allowed.tolist() == [[True, True]] * 4 + [[False, True]]
    assert cluster.class_of_node.tolist() == [0, 0, 0, 0, 1]  # the order of types says nothing
    assert cluster.class_sizes.tolist() == [4, 1]
    assert cluster.largest_of_gpu.tolist() == [4, 2]


def test_types_that_no_node_may_take_are_not_present(example):
    document = example()
    document["jobs"].pop(1)
    document["cluster"]["nodes"][0]["types"] = ["box"]
    instance = to_instance(document)
    assert instance.cluster.largest_of_gpu.tolist() == [0, 2]
    assert np.isinf(instance.hours_per_epoch[:, 0]).all()
    assert not instance.has_sharing


def test_zero_is_a_price_a_weight_a_horizon_and_a_memory(example):
    document = example(mu=0) | {"H": 0, "rho": 0}
    document["cluster"]["gpu_types"][1]["memory_gb"] = 0
    document["cluster"]["gpu_types"][0]["levels"][0]["max_memory_gb"] = 0
    document["cluster"]["node_types"][0]["cost"] = [0] * 5
    for job in document["jobs"]:
        job["weight"] = 0
    document["jobs"][2]["memory_gb"] = 0
    instance = to_instance(document)
    assert np.isfinite(instance.hours_per_epoch[2, 1, 2])  # no limit fits a GPU of 0 GB too
    assert np.isinf(instance.hours_per_epoch[0, 1]).all()
