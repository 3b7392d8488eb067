"""Profiles of the GPUs known, and all ways to have instances on one at the same time."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.mig.geometry import geometry, maximal_partitions, partition_of, slices, spelled
from rsjs.instances.mig.gpus import document_of, gpu_named, read_gpus

NAMES = ["A100-40", "A100-80", "H100-80", "H200-141"]


def without(gpu, *names):
    return replace(gpu, profiles=tuple(p for p in gpu.profiles if p.name not in names))


@pytest.mark.parametrize("name", NAMES)
def test_the_sets_of_placements_are_as_many_as_known(name):
    found = geometry(without(gpu_named(name), "1g+me"))
    multisets = np.unique(found.counts, axis=0)
    contained = [(multisets >= row).all(axis=1).sum() > 1 for row in multisets]
    assert (len(found.profile), len(found.chosen), (found.possible == 0).sum()) == (18, 723, 78)
    assert (len(multisets), len(multisets) - sum(contained)) == (78, 28)
    others = geometry(without(gpu_named(name), "1g+me", "1g2m"))
    assert (others.possible == 0).sum() == 19
    assert found.laminar


def test_every_multiset_that_fits_by_count_has_a_placement():
    gpu = without(gpu_named("A100-40"), "1g+me")
    size, known = slices(gpu), {tuple(row) for row in geometry(gpu).counts.tolist()}
    ranges = [range(8 // profile.memory_slices + 1) for profile in gpu.profiles]
    fitting = {counts for counts in product(*ranges) if (counts @ size <= (7, 8)).all()}
    assert fitting == known


def test_the_media_profile_is_there_once_at_most():
    found = geometry(gpu_named("A100-40"))
    assert found.counts[:, 1].max() == 1
    assert len(np.unique(found.counts, axis=0)) == 78 + sum(
        row[0] > 0 for row in np.unique(geometry(without(found.gpu, "1g+me")).counts, axis=0)
    )


def test_following_is_the_set_with_one_placement_more():
    found = geometry(without(gpu_named("A100-40"), "1g+me"))
    for s, q in np.argwhere(found.following >= 0).tolist():
        more = found.chosen[s].copy()
        more[q] = True
        assert (found.chosen[found.following[s, q]] == more).all()
        assert not found.chosen[s, q]


@pytest.mark.parametrize(
    ("placements", "stranded"),
    [
        ([("1g", 0)], (0, 0)),  # seven of 1g, or 1g with 1g2m and 3g
        ([("3g", 0), ("3g", 4)], (1, 0)),
        ([("1g", 1), ("2g", 4), ("1g", 6)], (0, 1)),  # slice 7 is for nothing else any more
        ([("7g", 0)], (0, 0)),
    ],
)
def test_stranded_slices_are_those_that_nothing_can_take(placements, stranded):
    found = geometry(without(gpu_named("A100-40"), "1g+me"))
    s = 0
    for name, start in placements:
        own = found.places(found.gpu.index(name, ""))
        s = int(found.following[s, own[found.start[own] == start][0]])
    assert tuple(found.stranded[s]) == stranded


def test_partitions_are_spelled_by_their_profiles():
    gpu = gpu_named("A100-40")
    assert spelled(gpu, partition_of(gpu, "1g, 4g,2g")) == "4g,2g,1g"
    plain = ("1g", "1g2m", "2g", "3g", "4g", "7g")
    assert len(maximal_partitions(gpu, plain)) == 28
    for names in ("7g,1g", "4g,4g", "9g", ""):
        with pytest.raises(InputError, match="--partition"):
            partition_of(gpu, names)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda gpu: gpu["profiles"][1].update(name="1g"), "/gpus/0/profiles/0/name: found '1g'"),
        (lambda gpu: gpu["profiles"][0].update(starts=[8]), "/starts/0: found 8"),
        (lambda gpu: gpu["profiles"][0].update(starts=[7, 7]), "/starts/1: found 7"),
        (lambda gpu: gpu["profiles"][6].update(starts=[1]), "/profiles/6/starts/0: found 1"),
        (lambda gpu: gpu["profiles"][5].update(compute_slices=8), "/profiles/5/compute_slices"),
        (lambda gpu: gpu["profiles"][0].pop("most"), "no key 'most'"),
        (lambda gpu: gpu.update(memory_slices=9), "/gpus/0/memory_slices: found 9"),
    ],
)
def test_a_table_without_sense_is_refused(tmp_path, change, message):
    gpu = json.loads(json.dumps(document_of(gpu_named("A100-40"))))
    change(gpu)
    path = tmp_path / "gpus.json"
    path.write_text(json.dumps({"format": "rsjs-mig-gpus/1", "source": "test", "gpus": [gpu]}))
    with pytest.raises(InputError) as told:
        read_gpus(path)
    assert str(told.value).startswith(f"{path}: ")
    assert message in str(told.value)


def test_a_table_of_ones_own_is_used(tmp_path):
    a30 = document_of(replace(gpu_named("A100-40"), name="A30", memory_slices=4, compute_slices=4))
    a30["profiles"] = [
        {**profile, "starts": starts, "memory_slices": size, "most": len(starts)}
        for profile, starts, size in zip(
            [a30["profiles"][i] for i in (0, 3, 5)],
            ([0, 1, 2, 3], [0, 2], [0]),
            (1, 2, 4),
            strict=True,
        )
    ]
    path = tmp_path / "gpus.json"
    path.write_text(json.dumps({"format": "rsjs-mig-gpus/1", "source": "test", "gpus": [a30]}))
    found = geometry(gpu_named("A30", read_gpus(path)))
    assert len(found.chosen) == 26  # (5 ways to use a half) squared, and the whole


def test_slices_may_be_written_with_a_point(tmp_path):
    head = {"format": "rsjs-mig-gpus/1", "source": "nvidia-smi"}
    text = json.dumps(head | {"gpus": [document_of(gpu_named("A100-40"))]})
    pointed = text.replace('_slices": 8', '_slices": 8.0').replace("[0, 4]", "[0.0, 4.0]")
    (tmp_path / "gpus.json").write_text(pointed)
    assert pointed != text
    assert read_gpus(tmp_path / "gpus.json") == {"A100-40": gpu_named("A100-40")}


def test_a_partition_strands_as_few_slices_as_its_profiles_allow():
    gpu = without(gpu_named("A100-40"), "1g+me")
    found = geometry(gpu)

    def starts(names):
        chosen = partition_of(gpu, names)
        return [(gpu.profiles[found.profile[q]].name, int(found.start[q])) for q in chosen]

    assert starts("3g") == [("3g", 4)]  # 4g fits beside it
    assert starts("2g,4g") == [("2g", 4), ("4g", 0)]
