"""`rsjs show --distribution` and `--profile`."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.catalogue import epoch_models
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators import sts
from rsjs.instances.io.files import write_instance, write_workload
from rsjs.reporting.tables.formats import MISSING


@pytest.fixture(scope="module")
def shared():
    return sts.generate(nodes=3, jobs=6, seed=1, mix="kma", sharing="paper")


@pytest.fixture(scope="module")
def file(tmp_path_factory, shared):
    path = tmp_path_factory.mktemp("shared") / "shared.json"
    write_instance(shared, path)
    return path


def test_a_distribution_is_told_in_moments_and_as_a_picture(rsjs, file, tmp_path):
    picture = tmp_path / "law.svg"
    shown = rsjs("show", file, "--distribution", "VGG16-base", "--json", "-o", picture)
    law = epoch_models.epoch_distribution("VGG16")
    assert (shown.json["mean"], shown.json["quartiles"]) == (law.mean, [20, 30, 43])
    assert (shown.json["last"], shown.json["picture"]) == (100, str(picture))
    assert "VGG16-base" in picture.read_text()
    assert "20, 30, 43" in rsjs("show", file, "--distribution", "VGG16-base").out


def test_a_distribution_of_a_workload_is_told_too(rsjs, tmp_path):
    write_workload(sts.workload(nodes=2, jobs=3, seed=1), tmp_path / "w.json")
    assert (
        rsjs("show", tmp_path / "w.json", "--distribution", "ResNet-base", "--json").json["jobs"]
        >= 0
    )
    refused = rsjs("show", tmp_path / "w.json", "--profile", "j1")
    assert (refused.code, "expected an instance" in refused.err) == (2, True)


def test_a_profile_is_told_with_its_power_model_and_drawn(rsjs, file, shared, tmp_path):
    picture = tmp_path / "profile.svg"
    found = rsjs("show", file, "--profile", "j2", "--json", "-o", picture).json
    assert found["hours_left"] == shared.jobs.due[1] - shared.now
    types = {own["gpu_type"]: own for own in found["gpu_types"]}
    assert set(types) <= {gpu.name for gpu in shared.cluster.gpu_types}
    for own in types.values():
        used = [row for row in own["configurations"] if row["ends"] is not None]
        assert (used[0]["begins"], used[-1]["ends"]) == (0, 100)
        assert sum(row["hours"] for row in used) == pytest.approx(own["worst_hours"])
        late = own["worst_hours"] > found["hours_left"] * (1 + 1e-9)
        assert late == (own["status"] == "infeasible")
        for row in own["configurations"]:
            assert row["energy"] == pytest.approx(row["hours_per_epoch"] * row["power"])
    drawn = picture.read_text()
    assert all(f"{name}: {own['status']}" in drawn for name, own in types.items())
    text = rsjs("show", file, "--profile", "j2").out
    assert all(part in text for part in ("Phi", "[$/h]", "epochs done", *types))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--distribution", "nonsense"], "the name of a distribution: AlexNet-base"),
        (["--profile", "nonsense"], "the id of a job, e.g. j1"),
        (
            ["--distribution", "VGG16-base", "--profile", "j1"],
            "a solution, --distribution or --profile",
        ),
        (["--distribution", "VGG16-base", "-o", "law.jpg"], "a picture's suffix"),
    ],
)
def test_what_is_not_there_is_named(rsjs, file, arguments, told):
    assert told in rsjs("show", file, *arguments).refusal


def test_a_solution_has_neither(rsjs, folder):
    for option in (["--distribution", "x"], ["--profile", "x"]):
        assert rsjs("show", folder / "idle.json", *option).code == 2


def test_a_distribution_of_one_epoch_has_no_skewness(rsjs, shared, tmp_path):
    laws = {name: EpochDistribution.of([[100, 1]]) for name in shared.laws}
    write_instance(replace(shared, laws=laws), tmp_path / "one.json")
    one = ["show", tmp_path / "one.json", "--distribution", "VGG16-base"]
    assert f"skewness             {MISSING}" in rsjs(*one).output
    told = rsjs(*one, "--json").json
    assert (told["skewness"], told["deviation"]) == (None, 0)


def test_fixed_is_told_to_be_no_distribution(rsjs, tmp_path):
    write_instance(sts.generate(nodes=2, jobs=3, seed=1, laws="fixed"), tmp_path / "fixed.json")
    refusal = rsjs("show", tmp_path / "fixed.json", "--distribution", "fixed").refusal
    assert "none in this file; fixed is none, each job runs epochs_max" in refusal


def test_epochs_done_are_not_rounded_up(rsjs, shared, tmp_path):
    jobs = replace(shared.jobs, epochs_done=np.full(6, 99.9999999))
    write_instance(replace(shared, jobs=jobs), tmp_path / "late.json")
    shown = rsjs("show", tmp_path / "late.json", "--profile", "j1").out
    assert "epochs done   99.9999999\n" in shown
