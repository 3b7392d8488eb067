"""`rsjs mig`: configurations in, sets of jobs out."""

import gzip
import json
from hashlib import sha256

import pytest

from rsjs.instances.mig.job_files import read_jobs
from rsjs.instances.mig.konopa.files import CONFIG, SHA256

DAY = {
    "format": "rsjs-mig-config/1",
    "name": "day",
    "count": 60,
    "seeds": [1, 2, 3],
    "arrivals": {"process": "poisson", "rate": 2},
    "classes": [
        {
            "name": "train",
            "run_length": {"dist": "uniform_int", "low": 1, "high": 9},
            "memory": {"model": "iid", "value": {"dist": "normal", "mean": 900, "sd": 60}},
        }
    ],
}


@pytest.fixture
def config(tmp_path):
    """A configuration of three seeds."""
    (tmp_path / "day.json").write_text(json.dumps(DAY))
    return tmp_path / "day.json"


def test_the_published_dataset_is_written_byte_for_byte(rsjs, tmp_path):
    ended = rsjs("mig", "reproduce-dataset", "-o", tmp_path / "jobs.json", "--json")
    assert ended.json["sha256"] == SHA256
    assert sha256((tmp_path / "jobs.json").read_bytes()).hexdigest() == SHA256
    rsjs("mig", "reproduce-dataset", "-o", tmp_path / "jobs.json.gz")
    packed = gzip.decompress((tmp_path / "jobs.json.gz").read_bytes())
    assert sha256(packed).hexdigest() == SHA256


def test_a_folder_gets_a_set_per_seed_and_a_manifest(rsjs, config, tmp_path):
    ended = rsjs("generate", "mig", config, "-o", tmp_path / "out", "--json")
    names = [entry["file"] for entry in ended.json["sets"]]
    assert names == ["day-s1.json", "day-s2.json", "day-s3.json"]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [*names, "manifest.json"]
    digests = [entry["sha256"] for entry in ended.json["sets"]]
    assert [read_jobs(tmp_path / "out" / name).digest for name in names] == digests


def test_a_folder_whose_sets_are_not_whole_has_no_manifest(rsjs, config, tmp_path):
    rsjs("generate", "mig", config, "-o", tmp_path / "out")
    zero = json.loads(config.read_text())
    zero["classes"][0]["run_length"] = {"dist": "normal", "mean": 9, "sd": 4}
    config.write_text(json.dumps(zero))
    assert rsjs("generate", "mig", config, "-o", tmp_path / "out").code == 2
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_one_seed_may_go_to_a_file(rsjs, config, tmp_path):
    out = tmp_path / "one.json.gz"
    assert rsjs("generate", "mig", config, "--seeds", 7, "-o", out).code == 0
    assert read_jobs(out).name == "day-s7"


def test_a_configuration_is_described_by_its_first_set(rsjs, config):
    found = rsjs("show", config, "--json").json["configuration"]
    assert (found["number_of_sets"], found["first_set"], found["jobs"]) == (3, "day-s1", 60)
    assert found["deadlines_too_early"] == 0
    early = json.loads(config.read_text())
    early["classes"][0]["deadline"] = {"kind": "slack_factor", "value": 0.5}
    config.write_text(json.dumps(early))
    assert rsjs("show", config, "--json").json["configuration"]["deadlines_too_early"] == 60


def test_seeds_may_be_listed(rsjs, config, tmp_path):
    ended = rsjs("generate", "mig", config, "--seeds", "7,1-3", "-o", tmp_path / "out", "--json")
    assert [entry["seed"] for entry in ended.json["sets"]] == [7, 1, 2, 3]


def test_a_configuration_of_the_published_program_is_taken(rsjs, tmp_path):
    (tmp_path / "v1.json").write_text(json.dumps(CONFIG).replace("}}", "},}"))
    out = tmp_path / "jobs.json"
    assert rsjs("show", tmp_path / "v1.json", "--json").json["configuration"]["jobs"] == 1000
    assert rsjs("generate", "mig", tmp_path / "v1.json", "--form", "program", "-o", out).code == 0
    assert out.read_text().startswith('[{"timeslices":[2022,2056')


def test_conversion_to_our_format_and_back_keeps_the_bytes(rsjs, tmp_path):
    first, ours, again = (tmp_path / name for name in ("a.json", "b.json", "c.json"))
    rsjs("mig", "reproduce-dataset", "-o", first)
    assert rsjs("convert", first, "-o", ours).code == 0
    assert rsjs("convert", ours, "--form", "published", "-o", again).code == 0
    assert again.read_bytes() == first.read_bytes()


def test_statistics_are_the_same_from_sets_and_from_their_configuration(rsjs, config, tmp_path):
    rsjs("generate", "mig", config, "-o", tmp_path / "out")
    sets = [tmp_path / "out" / f"day-s{seed}.json" for seed in (1, 2, 3)]
    alone = rsjs("show", *sets, "--json").json
    of_config = rsjs("show", config, "--json").json
    assert alone == {key: of_config[key] for key in ("sets", "fields")}
    assert alone == rsjs("show", config, *sets, "--json").json
    rows = {row["field"]: row for row in alone["fields"]}
    assert rows["run_length"]["n"] == 180
    assert rows["run_length"]["law_mean"] == pytest.approx(5, rel=1e-6)
    assert rows["memory"]["law_mean"] is None
    shown = rsjs("show", *sets).out
    assert "3 sets, 180 jobs" in shown
    assert "run_length" in shown


def test_sets_of_different_configurations_are_only_described(rsjs, config, tmp_path):
    rsjs("generate", "mig", config, "--seeds", 1, "-o", tmp_path / "a.json")
    config.write_text(json.dumps(DAY | {"count": 5}))
    rsjs("generate", "mig", config, "--seeds", 1, "-o", tmp_path / "b.json")
    fields = rsjs("show", tmp_path / "a.json", tmp_path / "b.json", "--json").json["fields"]
    assert {row["p_value"] for row in fields} == {None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("show missing.json", "missing.json: found No such file"),
        ("show {config} {empty}", "/format: found None"),
        ("show {wrong}", "wrong.json: /classes/0/run_length/dist: found 'unifrom_int'"),
        ("show {zero}", "zero.json: /classes/0/run_length: found 0,"),
        ("show {long}", "long.json: /maxTimeslicesNumberConfigSettings: found more than"),
        ("generate mig {config} -o {out} --seeds 3-1", "--seeds: found '3-1'"),
        ("generate mig {config} -o {out} --seeds 1,1", "--seeds: found '1,1'"),
        ("generate mig {config} -o {out} --seeds x", "--seeds: found 'x'"),
        ("generate mig {config} -o {out} --seeds=", "--seeds: found ''"),
        ("generate mig {config} -o {out} --seeds 0-9223372036854775807", "--seeds: found '0-"),
        ("generate mig {config} -o {out} --seeds 9223372036854775808", "and below 2^63"),
        ("generate mig {config} -o {out} --form csv", "--form: found 'csv'"),
        ("generate mig {config} -o {config}", "a folder"),
        ("generate mig {plugin} -o {out}", "/classes/0/run_length/dist: found 'plugin:x'"),
        ("convert {config} -o {out}", "/format: found 'rsjs-mig-config/1'"),
        ("show {config} {config}", "a second configuration"),
        ("show {empty}", "no key 'format'"),
    ],
)
def test_bad_input_is_told_in_one_line_and_writes_nothing(
    rsjs, config, tmp_path, arguments, message
):
    text = config.read_text()
    files = {
        "empty": "{}",
        "wrong": text.replace("uniform_int", "unifrom_int"),
        "zero": text.replace('"low": 1', '"low": 0'),
        "long": json.dumps(CONFIG).replace('"mean": 5', '"mean": 1e9'),
        "plugin": text.replace("uniform_int", "plugin:x").replace(', "low": 1, "high": 9', ""),
    }
    paths = {name: tmp_path / f"{name}.json" for name in files}
    for name, content in files.items():
        paths[name].write_text(content)
    out = tmp_path / "out"
    words = [word.format(**paths, config=config, out=out) for word in arguments.split()]
    assert message in rsjs(*words).refusal
    assert not out.exists()


def test_no_command_writes_over_what_it_reads(rsjs, config, tmp_path):
    jobs = tmp_path / "jobs.json"
    rsjs("generate", "mig", config, "--seeds", 1, "-o", jobs)
    before = jobs.read_bytes(), config.read_bytes()
    for line in (
        ("generate", "mig", config, "--seeds", 7, "-o", config),
        ("mig", "schedule", jobs, "--method", "list", "-o", jobs),
        ("mig", "schedule", jobs, "--method", "list", "--save", jobs),
        ("convert", jobs, "--form", "published", "-o", jobs),
    ):
        assert "the file that is read" in rsjs(*line).refusal
    assert (jobs.read_bytes(), config.read_bytes()) == before
    twice = tmp_path / "x.json"
    told = rsjs("mig", "schedule", jobs, "--method", "list", "--save", twice, "-o", twice).refusal
    assert "two outputs" in told


def test_a_folder_with_another_manifest_is_refused(rsjs, config, tmp_path):
    (tmp_path / "out").mkdir()
    other = tmp_path / "out" / "manifest.json"
    other.write_text('{"format": "of somebody"}')
    assert (
        "/format: found another document"
        in rsjs("generate", "mig", config, "-o", other.parent).refusal
    )
    assert (
        "/format: found another document" in rsjs("fetch-set", "tiny", "-o", other.parent).refusal
    )
    assert other.read_text() == '{"format": "of somebody"}'
