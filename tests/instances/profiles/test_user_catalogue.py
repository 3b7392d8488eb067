"""A user's catalogue: what is kept, what is refused, and the jobs that are drawn from it."""

import json

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.generators import andreas
from rsjs.instances.io.files import read_instance, write_instance
from rsjs.instances.profiles import user_catalogue
from rsjs.instances.profiles.fitting import Measurement, fit

TIMES = {"alpha": 5, "beta": 2, "rho": 0, "c0": 0, "c1": 1, "exchange": 4, "most_gpus": 4}
NET = {"memory_gb": 0, "samples": 1000, "batches": [8, 16], "times": {"T4": TIMES}}
H100 = {"memory_gb": 80, "node_base_w": 300, "train_w": 600}


def catalogue(applications, gpu_types=None):
    parts = {"gpu_types": gpu_types or {}, "applications": applications}
    return {"format": "rsjs-catalogue/1", **parts}


def written(tmp_path, document):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def test_a_fit_is_added_and_replaces_the_one_before(tmp_path):
    rows = [
        Measurement(line=2, application="net", gpu="T4", gpus=1, batch=b, milliseconds=3 + 2 * b)
        for b in (8, 16)
    ]
    other = {"memory_gb": 9, "samples": 7, "batches": [4, 8], "times": {"V100": TIMES, "T4": TIMES}}
    once = user_catalogue.with_fit(catalogue({"net": other}), rows, fit(rows))
    found = once["applications"]["net"]
    assert (found["memory_gb"], found["samples"], found["batches"]) == (9, 7, [4, 8, 16])
    assert found["times"]["V100"] == TIMES
    law = user_catalogue.step_time_of(found["times"]["T4"])
    assert law.milliseconds(1, 32) == pytest.approx(67)
    assert found["times"]["T4"]["most_gpus"] == 1
    user_catalogue.write_catalogue(once, tmp_path / "c.json")
    assert user_catalogue.read_catalogue(tmp_path / "c.json") == once


def test_jobs_have_the_times_of_the_law(tmp_path):
    path = written(tmp_path, catalogue({"net": NET}))
    instance = andreas.generate(nodes=3, jobs=30, seed=1, profiles=path)
    assert instance.name == "andreas-mine-at0-N3-J30-s1"
    assert [v.name for v in instance.cluster.node_types] == ["4 x T4"]
    for j in range(30):
        b = instance.jobs.meta[j]["batch"]
        ms = [5 + 2 * b + (k > 1) * ((k - 1) + 8 * (k - 1) / k) for k in (1, 2, 3, 4)]
        hours = [1000 / (k * b) * t / 3.6e6 for k, t in zip((1, 2, 3, 4), ms, strict=True)]
        least = np.minimum.accumulate(hours)
        assert instance.jobs.hours_per_epoch[j, 0, 1:] == pytest.approx(least, rel=1e-5)
    assert {meta["batch"] for meta in instance.jobs.meta} == {8, 16}


def test_nodes_have_the_gpus_that_were_measured_and_their_power(tmp_path):
    faster = {"H100": {**TIMES, "beta": 0.2, "most_gpus": 8}}
    applications = {"net": NET, "other": {**NET, "times": faster}}
    path = written(tmp_path, catalogue(applications, {"H100": H100}))
    stream = andreas.workload(nodes=5, jobs=20, seed=1, profiles=path, law="exp")
    cluster = stream.cluster
    assert [(g.count, g.types) for g in cluster.groups] == [(3, ("4 x T4",)), (2, ("8 x H100",))]
    assert cluster.gpu_types[1].memory_gb == 80
    assert cluster.node_types[1].cost[8] == pytest.approx(5.1 * 0.172 * 1.33, rel=1e-5)
    hours = stream.jobs.hours_per_epoch
    assert np.isinf(hours[np.array(stream.jobs.application) == "net", 1]).all()
    few = andreas.generate(nodes=1, jobs=20, seed=1, profiles=path)
    assert {*few.jobs.application} == {"net"}


def test_the_file_names_the_instance_and_stands_in_it(tmp_path):
    path = written(tmp_path, catalogue({"net": NET}))
    instance = andreas.generate(nodes=2, jobs=4, seed=1, profiles=path)
    write_instance(instance, tmp_path / "i.json")
    again = read_instance(tmp_path / "i.json")
    assert again.digest == instance.digest
    assert andreas.generate(**again.generator["parameters"]).digest == instance.digest


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"format": "rsjs-catalogue/1"}, "found no key 'gpu_types'"),
        ({**catalogue({}), "format": "rsjs-instance/1"}, "/format: found 'rsjs-instance/1'"),
        (catalogue({"a": {**NET, "batches": []}}), "/applications/a/batches"),
        (catalogue({"a": {**NET, "samples": 0}}), "/applications/a/samples: found 0"),
        (catalogue({"a/b": {**NET, "times": {"X": TIMES}}}), "/applications/a~1b/times/X: found"),
        (
            catalogue({"a": {**NET, "times": {"T4": {**TIMES, "beta": -1}}}}),
            "/applications/a/times/T4/beta: found -1",
        ),
        (catalogue({}, {"H100": {"memory_gb": 80}}), "/gpu_types/H100: found no key"),
        ([], "found an array|object"),
    ],
)
def test_bad_catalogues_are_refused_by_place(document, told, tmp_path):
    with pytest.raises(InputError, match=told) as error:
        user_catalogue.read_catalogue(written(tmp_path, document))
    assert "mine.json: " in str(error.value)


def test_a_catalogue_without_applications_has_no_jobs(tmp_path):
    path = written(tmp_path, catalogue({}))
    with pytest.raises(InputError, match="/profiles: found no application"):
        andreas.generate(nodes=2, jobs=4, seed=1, profiles=path)
