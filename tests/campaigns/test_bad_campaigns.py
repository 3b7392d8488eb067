"""Campaigns that cannot be meant: refused in one line with the nearest known names, nothing run."""

import re

import pytest

from rsjs.campaigns import runner, spec
from rsjs.campaigns.runner import Part
from rsjs.core.errors import InputError
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import write_instance

GOOD = """
format = "rsjs-campaign/1"
name = "test"
shows = "a test"
timing = "shared"
[limits]
time_s = 1
threads = [1]
[[instances]]
generator = "jahani"
sizes = ["1x2"]
[[methods]]
run = ["jahani_patterns@highs"]
"""
MANY = f"repetitions = 1000\nseeds = {[*range(1001)]}\ntiming"
BAD = [  # what is changed, to what, what is told
    ("jahani_patterns@", "jahani_paterns@", "/methods/0/run/0: found method 'jahani_paterns', "
     "expected e.g. jahani_patterns"),
    ("@highs", "@hihgs", "expected e.g. highs"),
    ("jahani_patterns@highs", "jahani_literal@highs?print=overdue", "expected e.g. printed"),
    ("jahani_patterns@highs", "jahani_literal@highs?printed=overdu", "expected e.g. overdue"),
    ('"jahani"', '"jahanni"', "/instances/0/generator: found 'jahanni', expected e.g. jahani"),
    ('sizes', 'options = { catalog = "azure" }\nsizes', "/instances/0/options/catalog"),
    ('sizes', 'options = { catalog = "azure" }\nsizes', "expected e.g. catalogue"),
    ('sizes', 'options = { due = "never" }\nsizes', "/instances/0/options/due: found 'never'"),
    ('sizes', 'options = { seed = 3 }\nsizes', "/instances/0/options/seed"),
    ('"1x2"', '"1by2"', "nodes x jobs, e.g. 10x100"),
    ('"1x2"', '"0x2"', "/instances/0/sizes/0"),
    ('sizes = ["1x2"]', "", "no key 'sizes'"),
    ('timing', MANY, "found up to 1001000 runs, expected at most 1000000"),
    ('generator = "jahani"\nsizes = ["1x2"]', 'set = "tinny"', "expected e.g. tiny"),
    ('generator = "jahani"\nsizes = ["1x2"]', 'files = ["none/*.json"]', "/instances/0/files/0"),
    ('generator = "jahani"\nsizes = ["1x2"]', "seeds = [1]", "one of set, generator, files"),
    ('generator = "jahani"', 'generator = "jahani"\nset = "tiny"', "set and generator"),
    ('generator = "jahani"\nsizes', 'set = "tiny"\nsizes', "beside a generator only"),
    ("time_s = 1", "time_s = 0", "/limits/time_s: found 0"),
    ("time_s", "times_s", "/limits/times_s: found 'times_s', expected e.g. time_s"),
    ("threads = [1]", "threads = []", "/limits/threads"),
    ("threads = [1]", "threads = [4096]", "4096"),
    ("threads = [1]", "memory_mb = 1e9", "1e+09 MB"),
    ('timing = "shared"', 'timing = "quiet"', "one of exclusive, shared"),
    ('timing = "shared"', "", "no key 'timing'"),
    ('timing', 'tming = 1\ntiming', "/tming: found 'tming', expected e.g. timing"),
    ("[[methods]]", "[[methods]]\nenviroment = 'x'", "expected e.g. environment"),
    ("[[methods]]", "[[methods]]\nenvironment = 'old'", "/methods/0/environment: found 'old'"),
    ("[limits]", "[environments]\nold = '/no/python'\n[limits]", "a Python interpreter"),
    (
        "[[methods]]",
        "[environments]\nold = '/bin/true'\n[[methods]]\nenvironment = 'old'",
        "/environments/old: found /bin/true: no answer",
    ),
    ("[[methods]]", "[[methods]]\non = ['kiros-*']", "jahani_patterns@highs on kiros-*"),
    ("generator = \"jahani\"", 'generator = "kiros"', "nothing to run"),
    ("campaign/1", "campaign/2", "a newer rsjs-bench"),
    ("rsjs-campaign/1", "rsjs-instance/1", "/format: found 'rsjs-instance/1'"),
    ("[limits]", "[limits", "a TOML document"),
    ("campaign/1", "campaign/0", "/format: found 'rsjs-campaign/0'"),
    ('"1x2"', '"999999999999x4"', "/instances/0/sizes/0: found '999999999999x4', expected at most"),
    ("time_s = 1", "time_s = 1e300", "/limits/time_s: found 1e+300"),
    ("time_s = 1", "time_s = 1\ngap = 5", "/limits/gap: found 5"),
    ("[limits]", "repetitions = 100000000\n[limits]", "/repetitions: found 100000000"),
    ("[limits]", "seeds = [9223372036854775808]\n[limits]", "seed=9223372036854775808"),
    ('generator = "jahani"\nsizes = ["1x2"]', 'files = [""]', "/instances/0/files/0: found ''"),
    ('generator = "jahani"\nsizes = ["1x2"]', 'files = ["**"]', "/instances/0/files/0: found '**'"),
    ('generator = "jahani"\nsizes = ["1x2"]', 'files = ["**x"]', "files/0: found '**x'"),
]  # fmt: skip


def prepare(path):
    asked = spec.read(path)
    runner.slots_here(asked, 1)
    return runner.prepare(asked, None, Part())


def test_the_campaign_that_the_bad_ones_are_made_of_is_good(tmp_path):
    for text in (GOOD, GOOD.replace("[limits]\ntime_s = 1\nthreads = [1]\n", "")):
        (tmp_path / "good.toml").write_text(text)
        assert len(prepare(tmp_path / "good.toml").selected) == 1


@pytest.mark.parametrize(("found", "put", "told"), BAD, ids=[told for *_, told in BAD])
def test_a_bad_campaign_is_told_in_one_line(tmp_path, found, put, told):
    assert found in GOOD
    path = tmp_path / "bad.toml"
    path.write_text(GOOD.replace(found, put, 1))
    (tmp_path / "a folder").mkdir()
    with pytest.raises(InputError) as error:
        prepare(path)
    assert told in str(error.value)
    assert str(error.value).startswith((f"{path}: ", "--jobs: "))
    assert "\n" not in str(error.value)


def test_an_integer_may_be_written_as_json_counts_it(tmp_path):
    more = {"jobs": "1", "repetitions": "2", "seeds": "[3, 4]"}
    text = GOOD.replace('["1x2"]', '["1x2"]\nseeds = [5]')
    head = "".join(f"{key} = {value}\n" for key, value in more.items())
    whole = text.replace("[limits]", f"{head}[limits]")
    floats = re.sub(r"(?<=[ \[])(\d)(?=[],\n])", r"\1.0", whole)
    assert floats.count(".0") == 7
    runs = []
    for name, written in (("whole", whole), ("floats", floats)):
        (tmp_path / name).write_text(written)
        assert spec.read(tmp_path / name).jobs == 1
        runs.append([run.id for run in prepare(tmp_path / name).selected])
    assert (runs[0], len(runs[0])) == (runs[1], 4)


@pytest.mark.parametrize("written", ["i.json", "./*.json", "../a*/i.json", "**/i.json", None])
def test_files_are_looked_for_from_the_folder_of_the_campaign(tmp_path, written):
    folder = tmp_path / "a [1]* folder"
    folder.mkdir()
    write_instance(generate(nodes=1, jobs=2, seed=1), folder / "i.json")
    pattern = written or str(tmp_path / "a*" / "i.json")
    text = GOOD.replace('generator = "jahani"\nsizes = ["1x2"]', f'files = ["{pattern}"]')
    (folder / "c.toml").write_text(text)
    assert len(prepare(folder / "c.toml").selected) == 1


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match=r"missing.toml: found No such file"):
        spec.read(tmp_path / "missing.toml")
