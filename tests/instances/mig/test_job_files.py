"""Files of sets of jobs: ours and the two forms of the published program."""

import json
from hashlib import sha256

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.mig.job_files import FORMS, read_jobs, write_jobs
from rsjs.instances.mig.job_generator.generate import generate, read_source, write_sets
from rsjs.instances.mig.konopa.files import java_number, program_text, published_jobs
from rsjs.instances.mig.konopa.generator import generate as generate_legacy
from rsjs.instances.mig.konopa.generator import to_config


@pytest.fixture
def jobs(day, read):
    return generate(read(day), 1)


def test_a_set_is_read_as_it_was_written(jobs, tmp_path):
    written = write_jobs(jobs, tmp_path / "jobs.json.gz")
    again = read_jobs(tmp_path / "jobs.json.gz")
    assert again.digest == jobs.digest == written.digest
    assert again.extra == {name: tuple(values) for name, values in jobs.extra.items()}
    assert written.file_sha256 == sha256((tmp_path / "jobs.json.gz").read_bytes()).hexdigest()


@pytest.mark.parametrize("form", FORMS)
def test_jobs_of_the_program_survive_every_form(tmp_path, form):
    jobs = published_jobs()
    write_jobs(jobs, tmp_path / "jobs.json", form)
    again = read_jobs(tmp_path / "jobs.json")
    assert again.memory.tolist() == jobs.memory.tolist()
    assert again.priority.tolist() == jobs.priority.tolist()
    assert again.deadline.tolist() == jobs.deadline.tolist()
    assert again.arrival == pytest.approx(jobs.arrival, rel=1e-14)
    assert (again.arrival == jobs.arrival).all() == (form != "published")


def test_the_program_writes_one_line_in_the_order_of_its_hash_map():
    text = program_text(published_jobs())
    assert text.startswith(
        '[{"timeslices":[2022,2056,2105,2088],"isStoppable":true,'
        '"arrivalTime":0.027217070753382505,"priority":3,"deadline":100,"cudaCoresNumber":100},{'
    )
    assert "\n" not in text


@pytest.mark.parametrize(
    ("value", "text"),  # as Double.toString, but for ".0" of whole numbers
    [
        (0.0, "0"),
        (0.1, "0.1"),
        (100.0, "100"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (1e-5, "1.0E-5"),
        (9999999.5, "9999999.5"),
        (1e7, "1.0E7"),
        (12345678.5, "1.23456785E7"),
    ],
)
def test_numbers_are_written_as_java_does(value, text):
    assert java_number(value) == text


def test_what_the_program_cannot_hold_is_told(day, read, tmp_path):
    jobs = generate(read(day), 1)  # deadlines with fractions
    with pytest.raises(InputError, match=r"/jobs/0/deadline: found [\d.]+, expected an integer"):
        write_jobs(jobs, tmp_path / "jobs.json", "program")
    day["classes"][0] |= {"deadline": {"kind": "none"}}
    day["classes"][0]["memory"]["round"] = "none"
    with pytest.raises(InputError, match=r"/jobs/\d+/memory: found [\d.]+, expected an integer"):
        write_jobs(generate(read(day), 1), tmp_path / "jobs.json", "program")


BAD = [
    # keys, value, pointer, message
    (["format"], "rsjs-mig-jobs/2", "/format", "'rsjs-mig-jobs/1'"),
    (["jobs", 3, "arrival"], 0, "/jobs/3/arrival", "no earlier than that of the job before"),
    (["jobs", 0, "arrival"], -1, "/jobs/0/arrival", "found -1"),
    (["jobs", 2, "memory"], [], "/jobs/2/memory", "at least 1 entry"),
    (["jobs", 2, "memory"], [5, -3], "/jobs/2/memory/1", "found -3"),
    (["jobs", 2, "memory"], [1e16], "/jobs/2/memory/0", "found 1e+16"),
    (["jobs", 2, "priority"], 1.5, "/jobs/2/priority", "an integer"),
    (["jobs", 2, "deadline"], "soon", "/jobs/2/deadline", "null or a number"),
    (["jobs", 2, "deadline"], -1e16, "/jobs/2/deadline", "found -1e+16"),
    (["jobs", 2, "migratable"], None, "/jobs/2/migratable", "one of True, False"),
    (["jobs", 2, "weight"], 1, "/jobs/2/weight", "unknown key"),
]


@pytest.mark.parametrize(("keys", "value", "pointer", "message"), BAD)
def test_a_damaged_set_is_refused_with_its_pointer(jobs, tmp_path, keys, value, pointer, message):
    path = tmp_path / "jobs.json"
    write_jobs(jobs, path)
    document = json.loads(path.read_text())
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_jobs(path)
    assert caught.value.pointer == pointer
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_manifest_has_the_digest_of_every_set(day, tmp_path):
    (tmp_path / "day.json").write_text(json.dumps(day))
    source = read_source(tmp_path / "day.json")
    lines = list(write_sets(source, [4, 9], tmp_path / "out"))
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert (manifest["format"], manifest["sets"]) == ("rsjs-mig-manifest/1", lines)
    for line, seed in zip(lines, (4, 9), strict=True):
        path = tmp_path / "out" / line["file"]
        assert line["file_sha256"] == sha256(path.read_bytes()).hexdigest()
        assert line["sha256"] == read_jobs(path).digest == source.make(seed).digest


def test_a_configuration_of_the_program_is_a_source_too(legacy, tmp_path):
    (tmp_path / "test config.json").write_text(json.dumps(legacy).replace("}}", "},}"))
    source = read_source(tmp_path / "test config.json")
    assert (source.name, source.seeds) == ("test-config", (41,))
    one, two = source.make(41), source.make(43)
    assert one.memory.tolist() == generate_legacy(to_config(legacy), name="any").memory.tolist()
    assert one.priority.tolist() != two.priority.tolist()
