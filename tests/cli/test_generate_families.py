"""The commands that make instances and workloads of STS, Kiros and ANDREAS."""

import pytest

from rsjs.instances.io.files import read_any, read_instance, read_workload

MADE = {
    "generate sts --mix kma --sharing paper --speedup strong --samples 13000 --laws mild": (
        "sts-kma-paper-at0-strong-13k-mild"
    ),
    "generate kiros --catalogue azure --due tight --times networks": (
        "kiros-azure-tight-at0-networks"
    ),
    "generate andreas --scenario 2": "andreas-scenario2-at0",
    "generate sts --mix a100 --arrivals high": "sts-a100-none-high-weak-130k-base",
    "generate kiros --arrivals constant --gap 36": "kiros-kiros-base-constant36-synthetic",
    "generate andreas --gap 1200 --arrivals integer_poisson": "andreas-scenario1-poisson1200",
}
BAD = [
    ("generate sts --mix k", "--mix: found 'k'"),
    ("generate sts --sharing all", "--sharing: found 'all'"),
    ("generate sts --speedup none", "--speedup: found 'none'"),
    ("generate sts --samples 0", "--samples: found 0"),
    ("generate sts --laws none", "--laws: found 'none'"),
    ("generate kiros --due thrice", "--due: found 'thrice'"),
    ("generate andreas --scenario 3", "--scenario: found 3"),
    ("generate sts --arrivals none", "--arrivals: found 'none'"),
    ("generate andreas --arrivals mixed --gap 30", "--gap: found 30.0, expected none"),
    ("generate andreas --gap 30", "--gap: found 30.0, expected none without an arrival process"),
    ("generate kiros --arrivals exp --gap -1", "--gap: found -1.0"),
]


@pytest.mark.parametrize("line", MADE)
def test_a_file_is_made_as_its_name_says(line, rsjs, tmp_path):
    path = tmp_path / "made.json.gz"
    made = rsjs(*line.split(), "-N", "3", "-J", "7", "--seed", "4", "-o", path, "--json")
    assert made.code == 0, made.err
    subject = read_any(path)
    assert made.json["name"] == subject.name == f"{MADE[line]}-N3-J7-s4"
    assert made.json["sha256"] == subject.digest
    assert (subject.cluster.nodes, len(subject.jobs)) == (3, 7)


@pytest.mark.parametrize(
    ("family", "law"), [("jahani", "exp"), ("sts", "exp"), ("kiros", "exp"), ("andreas", "mixed")]
)
def test_defaults_are_those_of_the_generators(family, law, rsjs, tmp_path):
    from importlib import import_module

    generator = import_module(f"rsjs.instances.generators.{family}")
    size = {"nodes": 2, "jobs": 20, "seed": 1}
    assert rsjs("generate", family, "-N", "2", "-o", tmp_path / "i.json").code == 0
    assert read_instance(tmp_path / "i.json").digest == generator.generate(**size).digest
    line = ("generate", family, "--arrivals", law)
    assert rsjs(*line, "-N", "2", "-o", tmp_path / "w.json").code == 0
    assert read_workload(tmp_path / "w.json").digest == generator.workload(**size).digest


@pytest.mark.parametrize(("line", "told"), BAD, ids=[line for line, _ in BAD])
def test_bad_options_are_told_in_one_line(line, told, rsjs, tmp_path):
    assert told in rsjs(*line.split(), "-N", "2", "-o", tmp_path / "x.json").refusal
    assert not (tmp_path / "x.json").exists()
