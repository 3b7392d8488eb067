"""Workloads and placements: files, checker, mixes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances.mig.geometry import geometry
from rsjs.instances.mig.gpus import document_of, gpu_named
from rsjs.instances.mig.placement import problem as files
from rsjs.instances.mig.placement.check import check
from rsjs.instances.mig.placement.problem import MIXES, MigPlacement, generate

A100 = gpu_named("A100-40")
NAMES = [profile.name for profile in A100.profiles]


def asked(*profiles):
    """Workloads of which each names its profiles, as in `1g2m|2g`."""
    rows = [{"id": f"w{i}", "profiles": own.split("|")} for i, own in enumerate(profiles)]
    head = {"format": files.PROBLEM, "name": "test", "gpu": document_of(A100)}
    return {**head, "workloads": rows}


def workloads(*profiles):
    return files.to_problem(asked(*profiles))


def placed(*rows):
    return MigPlacement.of({w: (gpu, NAMES.index(p), at) for w, (gpu, p, at) in enumerate(rows)})


def test_workloads_and_placements_survive_their_files(tmp_path):
    drawn = generate(A100, "elastic", 30, 3)
    files.write_problem(drawn, tmp_path / "w.json.gz")
    again = files.read_problem(tmp_path / "w.json.gz")
    assert again.digest == drawn.digest
    own = placed(*[(w, NAMES[int(drawn.admissible[w].argmax())], 0) for w in range(30)])
    files.write_placement(drawn, own, tmp_path / "p.json", method="by hand", gpus=30, bound=1)
    found, claims = files.read_placement(again, tmp_path / "p.json")
    assert claims == {"method": "by hand", "gpus": 30, "bound": 1}
    for name in ("gpu", "profile", "start"):
        np.testing.assert_array_equal(getattr(found, name), getattr(own, name))


def test_a_placement_of_other_workloads_is_refused(tmp_path):
    files.write_placement(workloads("1g"), placed((0, "1g", 0)), tmp_path / "p.json")
    with pytest.raises(InputError, match="/placement"):
        files.read_placement(workloads("1g", "2g"), tmp_path / "p.json")


@pytest.mark.parametrize(
    ("rows", "broken"),
    [
        ([(0, "3g", 4), (0, "2g", 0), (0, "1g", 2)], []),
        ([(0, "3g", 4), (0, "1g2m", 0), (0, "1g", 2)], ["profile"]),
        ([(0, "3g", 2), (0, "2g", 0), (1, "1g", 0)], ["start"]),
        ([(0, "3g", 0), (0, "2g", 2), (1, "1g", 0)], ["slices"]),
        ([(0, "3g", 0), (1, "2g", 0), (1, "1g", 1)], ["slices"]),
    ],
)
def test_each_broken_constraint_is_named(rows, broken):
    verdict = check(workloads("3g", "2g", "1g"), placed(*rows))
    assert [violation.constraint for violation in verdict.violations] == broken
    assert verdict.gpus == len({gpu for gpu, _, _ in rows})


def test_a_second_media_profile_and_wrong_claims_are_told():
    two = workloads("1g+me", "1g+me")
    verdict = check(two, placed((0, "1g+me", 0), (0, "1g+me", 1)), gpus=2, bound=2)
    assert [v.constraint for v in verdict.violations] == ["most", "gpus", "bound"]
    assert check(two, placed((0, "1g+me", 0), (4, "1g+me", 0)), gpus=2, bound=2).feasible


def test_waste_is_what_is_stranded_and_what_was_not_needed():
    verdict = check(workloads("3g", "3g|4g"), placed((0, "3g", 4), (0, "4g", 0)))
    assert (verdict.stranded_compute, verdict.stranded_memory) == (0, 0)
    assert verdict.over_allocated == 1
    verdict = check(workloads("3g", "3g|4g"), placed((0, "3g", 4), (0, "3g", 0)))
    assert (verdict.stranded_compute, verdict.over_allocated, verdict.waste) == (1, 0, 1)


@given(st.data())
def test_the_checker_and_the_table_of_sets_strand_the_same(data):
    found = geometry(A100)
    s = data.draw(st.integers(1, len(found.chosen) - 1))
    own = np.flatnonzero(found.chosen[s]).tolist()
    rows = [(0, NAMES[found.profile[q]], int(found.start[q])) for q in own]
    verdict = check(workloads(*[name for _, name, _ in rows]), placed(*rows))
    assert verdict.feasible
    assert (verdict.stranded_compute, verdict.stranded_memory) == tuple(found.stranded[s])


@pytest.mark.parametrize("mix", MIXES)
def test_a_larger_set_begins_with_the_smaller_one(mix):
    small, large = (generate(A100, mix, n, 7).admissible for n in (20, 2000))
    np.testing.assert_array_equal(large[:20], small)
    share = large.mean(axis=0)
    if mix != "elastic":
        wanted = [MIXES[mix].get(name, 0) for name in NAMES]
        np.testing.assert_allclose(share, wanted, atol=0.04)
    else:
        assert share[NAMES.index("1g2m")] == share[NAMES.index("2g")] > 0.35


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["workloads"][1].update(id="w0"), "/workloads/1/id: found 'w0'"),
        (
            lambda d: d["workloads"][0].update(profiles=["5g"]),
            "/workloads/0/profiles/0: found '5g'",
        ),
        (lambda d: d["workloads"][0].update(profiles=[]), "/workloads/0/profiles"),
        (lambda d: d.update(workloads=[]), "/workloads"),
        (lambda d: d.update(format="x"), "/format: found 'x'"),
        (lambda d: d["gpu"].pop("name"), "/gpu: found no key 'name'"),
    ],
)
def test_workloads_without_sense_are_refused(tmp_path, change, message):
    from rsjs.instances.io.files import write_document

    document = asked("1g", "2g")
    change(document)
    write_document(document, tmp_path / "w.json")
    with pytest.raises(InputError, match=message):
        files.read_problem(tmp_path / "w.json")
