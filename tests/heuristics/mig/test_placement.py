"""Rules that place workloads one by one."""

import numpy as np
import pytest

from rsjs.heuristics.mig.placement import RULES, place
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.placement.check import check
from rsjs.instances.mig.placement.problem import MIXES, PlacementProblem, generate

A100 = gpu_named("A100-40")
NAMES = [profile.name for profile in A100.profiles]


def workloads(*profiles):
    admissible = np.array([[name in own.split("|") for name in NAMES] for own in profiles])
    ids = tuple(f"w{w}" for w in range(len(profiles)))
    return PlacementProblem(name="some", gpu=A100, id=ids, admissible=admissible)


@pytest.mark.parametrize(
    ("rule", "starts"),
    [("ff", [0, 4, 0, 4]), ("bf", [0, 4, 0, 4]), ("wf", [0, 4, 0, 4]), ("ff_pref", [0, 4, 4, 2])],
)
def test_at_which_slice_workloads_begin(rule, starts):
    found = place(workloads("4g", "3g", "3g", "1g"), rule)
    assert (found.gpu.tolist(), found.start.tolist()) == ([0, 0, 1, 1], starts)


def test_best_fit_fills_the_fullest_and_worst_fit_the_emptiest():
    asked = workloads("4g", "7g", "2g", "4g", "1g")  # GPU 0: 4g 2g, GPU 1: 7g, GPU 2: 4g
    assert place(asked, "bf").gpu.tolist() == [0, 1, 0, 2, 0]
    assert place(asked, "wf").gpu.tolist() == [0, 1, 0, 2, 2]


def test_preferred_starts_keep_room_for_a_half():
    asked = workloads("1g", "1g", "3g", "4g")
    assert place(asked, "ff").gpu.tolist() == [0, 0, 0, 1]
    assert place(asked, "ff_pref").start.tolist()[:2] == [6, 4]
    assert place(asked, "ff_pref").gpu.tolist() == [0, 0, 0, 1]
    assert place(workloads("1g", "4g"), "ff").gpu.tolist() == [0, 1]
    assert place(workloads("1g", "4g"), "ff_pref").gpu.tolist() == [0, 0]
    assert place(workloads("1g", "4g"), "flex").gpu.tolist() == [0, 0]


def test_decreasing_order_packs_what_first_fit_does_not():
    asked = workloads("1g", "2g", "4g", "3g", "1g")
    assert check(asked, place(asked, "ff")).gpus == 2
    assert check(asked, place(asked, "ffd")).gpus == 2
    asked = workloads("1g", "1g", "1g", "4g")
    assert check(asked, place(asked, "ff")).gpus == 2
    assert check(asked, place(asked, "ffd")).gpus == 1


def test_a_choice_takes_the_smallest_profile():
    found = place(workloads("2g|1g2m", "4g|3g"), "ff")
    assert [NAMES[p] for p in found.profile.tolist()] == ["1g2m", "3g"]


@pytest.mark.parametrize("mix", MIXES)
def test_every_rule_is_feasible_on_every_mix(mix):
    asked = generate(A100, mix, 60, 5)
    for rule in RULES:
        found = place(asked, rule)
        assert check(asked, found).feasible, rule
        assert sorted(set(found.gpu.tolist())) == list(range(found.gpu.max() + 1)), rule
