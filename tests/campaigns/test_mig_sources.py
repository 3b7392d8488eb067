"""Campaigns of schedules on MIG instances: which problems they name, and bad ones."""

from dataclasses import replace

import pytest

from rsjs.campaigns.collection import collect
from rsjs.core.errors import InputError
from rsjs.instances.library.sets import library_set
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.placement import problem as placements
from rsjs.instances.mig.reconfiguration import problem as reconfigurations
from rsjs.instances.mig.scheduling.problem import read_problem, write_problem
from tests.campaigns.mig_campaign import GOOD, read


def test_every_combination_is_a_problem_named_for_it(tmp_path):
    text = GOOD.replace('files = ["four.json"]', 'config = "drawn.json"\nreadings = ["A", "C"]')
    text = text.replace('objectives = ["makespan",', 'units = [1000]\nobjectives = ["makespan",')
    asked = read(tmp_path, text)
    names = [source.make().name for source in asked.sources]
    assert names == [
        f"mig-{reading}-{goal}-1000-drawn-s{seed}"
        for reading in "AC"
        for goal in ("makespan", "late,completion")
        for seed in (1, 2)
    ] + ["mig-A-makespan-section4-s2"]
    assert len({source.key for source in asked.sources}) == len(names)


def test_a_whole_set_of_the_library_is_taken_with_its_digests(tmp_path):
    text = GOOD.replace("seeds = [2]\n", "")
    drawn = [source for source in read(tmp_path, text).sources if '"set"' in source.key]
    assert len(drawn) == len(library_set("mig-section4").members) == 100


def test_a_problem_in_a_file_is_taken_as_it_is(tmp_path):
    source = read(tmp_path).sources[1]
    write_problem(replace(source.make(), name="mine"), tmp_path / "mine.json.gz")
    given = 'files = ["four.json"]\nobjectives = ["makespan", "late,completion"]'
    asked = GOOD.replace(given, 'files = ["mine.json.gz"]')
    found = read(tmp_path, asked).sources[0].make()
    assert found.digest == read_problem(tmp_path / "mine.json.gz").digest
    assert (found.name, str(found.objective)) == ("mine", "late,completion")


BAD = [  # what is found is put in place of what is expected; what is told
    ("[[mig_scheduling]]\nset", "[[mig_scheduling]]\n", "neither set nor config nor files"),
    ('set = "mig-section4"', 'set = "tiny"', "/mig_scheduling/1/set: found 'tiny'"),
    ('set = "mig-section4"', 'set = "mig-section5"', "expected e.g. mig-section4"),
    ('set = "mig-section4"', 'config = "no.json"', "/mig_scheduling/1/config: found 'no.json'"),
    ("seeds = [2]", "seeds = [4]", "/mig_scheduling/1/seeds/0: found 4, expected one of 2, 3, 5"),
    ('"four.json"', '"five.json"', "/mig_scheduling/0/files/0: found 'five.json'"),
    ('files = ["four.json"]', 'files = ["four.json"]\nseeds = [1]', "/mig_scheduling/0/seeds"),
    ('"late,completion"', '"late,speed"', "/mig_scheduling/0/objectives/1: found 'late,speed'"),
    ("seeds = [2]", 'seeds = [2]\nreadings = ["D"]', "/mig_scheduling/1/readings/0"),
    ("seeds = [2]", "seeds = [2]\nunits = [0]", "/mig_scheduling/1/units/0"),
    ("seeds = [2]", "seeds = [2]\nunits = [1000]", "/mig_scheduling/1: found mig-section4-s2 with"),
    ("seeds = [2]", "seeds = [2]\nreeding = 1", "found 'reeding', expected e.g. reading"),
    ("fcfs", "fcsf", "/methods/0/run/0: found method 'fcsf', expected e.g. fcfs"),
    ("fcfs", "greedy:code", "/methods/0/run/0: found method 'greedy'"),
    ("[[methods]]", "[[policies]]", "no key 'workloads'"),
    ('name = "test"', 'name = "test"\npermute = true', "/permute"),
    ("[limits]", "[[instances]]\nset = 'tiny'\n[limits]", "/instances: found this key"),
    ("[limits]", "[simulation]\n[limits]", "no key 'workloads'"),
]


@pytest.mark.parametrize(("found", "put", "told"), BAD, ids=[told for *_, told in BAD])
def test_a_bad_campaign_is_told_in_one_line(tmp_path, found, put, told):
    assert found in GOOD
    if told.startswith("neither"):
        put, found = "[[mig_scheduling]]\n", '[[mig_scheduling]]\nset = "mig-section4"\n'
    with pytest.raises(InputError) as error:
        read(tmp_path, GOOD.replace(found, put))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


A100 = gpu_named("A100-40")


@pytest.mark.process
@pytest.mark.parametrize(
    ("kind", "module", "made", "methods"),
    [
        ("mig_placement", placements, placements.generate(A100, "small", 6, 1), '"ff", "ilp"'),
        (
            "mig_reconfiguration",
            reconfigurations,
            reconfigurations.generate(A100, 4, 1),
            '"greedy", "cpsat"',
        ),
    ],
)
def test_campaigns_on_files_of_other_kinds(tmp_path, carry_out, kind, module, made, methods):
    module.write_problem(made, tmp_path / "made.json")
    text = GOOD[: GOOD.index("[[")]
    text += f'[[{kind}]]\nfiles = ["made.json"]\n[[methods]]\nrun = [{methods}]\n'
    asked = read(tmp_path, text)
    carry_out(asked, tmp_path / "store")
    rows = collect([tmp_path / "store"]).rows
    assert [row["instance"] for row in rows] == [made.name] * 2
    assert all(row["quality"].endswith("_VERIFIED") for row in rows)
    assert "OPTIMAL_VERIFIED" in {row["quality"] for row in rows}
    with pytest.raises(InputError, match="files"):
        read(tmp_path, text.replace('files = ["made.json"]', ""))
