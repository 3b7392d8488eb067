"""What a campaign comes to: its runs, their ids, order and shards."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from rsjs.campaigns import runner
from rsjs.campaigns.run import Run, in_order
from rsjs.campaigns.runner import Part
from rsjs.campaigns.sources import GENERATORS, sources
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.own_code import DIRECTORY
from rsjs.instances.generators import jahani
from rsjs.instances.io.files import write_instance
from rsjs.instances.transform import permuted
from rsjs.methods import refuse_other_sources


def prepared(asked, **part):
    return runner.prepare(asked, None, Part(**part))


def test_every_combination_is_a_run_of_its_own(campaign):
    more = "seeds = [0, 3]\nrepetitions = 2"
    asked = campaign(
        "fifo:paper", "greedy:code", more=more, threads=[1, 2], seeds=[1, 2], sizes='["1x2", "2x2"]'
    )
    runs = prepared(asked).selected
    assert len({run.id for run in runs}) == len(runs) == 2 * 2 * 2 * 2 * 2 * 2
    sets = {"method": {"fifo:paper", "greedy:code"}, "repetition": {1, 2}, "nodes": {1, 2}}
    for field, values in sets.items():
        assert {getattr(run, field) for run in runs} == values
        assert len(set(Counter(getattr(run, field) for run in runs).values())) == 1
    assert {run.limits.seed for run in runs} == {0, 3}
    assert {run.limits.threads for run in runs} == {1, 2}
    assert all(run.permutation == 0 for run in runs)


def test_a_pattern_takes_runs_by_a_label_with_an_environment(campaign):
    [one] = prepared(campaign("fifo:paper")).selected
    run = replace(one, environment="highs-1.9")
    assert Part(only=run.label).takes(run)
    assert Part(only="fifo:paper [[]highs-1.?]").takes(run) is False  # [ is no wildcard
    assert not Part(only="fifo:paper [highs-1.8]").takes(run)
    with pytest.raises(InputError, match="--only: found TIMEOUT in none of 1 runs"):
        prepared(campaign("fifo:paper"), only="TIMEOUT")


def test_a_file_that_a_generator_reads_is_told_by_its_content(tmp_path, monkeypatch):
    entry = {"generator": "sts", "sizes": ["1x2"], "options": {"laws": "epochs.csv"}}
    (tmp_path / "epochs.csv").write_text("epoch,weight\n1,1\n2,1\n")
    monkeypatch.setenv(DIRECTORY, str(tmp_path))  # as in a campaign of this folder
    [before] = sources("instance", entry, tmp_path, "/instances/0")
    assert before.make().laws["epochs"].epochs.tolist() == [1, 2]
    (tmp_path / "epochs.csv").write_text("epoch,weight\n1,1\n3,1\n")
    [after] = sources("instance", entry, tmp_path, "/instances/0")
    assert before.key != after.key
    (tmp_path / "epochs.csv").write_text("epoch,weight\n1,one\n")
    with pytest.raises(InputError, match=r"epochs.csv: /2"):
        [*sources("instance", entry, tmp_path, "/instances/0")]


def test_ids_are_those_of_every_machine_and_version(campaign):
    asked = campaign(
        "fifo:paper", "jahani_literal@scip?printed=overdue", more="permute = true", time_s=1
    )
    assert {run.method: run.id for run in prepared(asked).selected} == {
        "fifo:paper": "7e522cbf791a62bb",
        "jahani_literal@scip?printed=overdue": "4b43caf7fe704523",
    }


def test_an_id_depends_on_what_is_asked_and_on_nothing_else():
    fields = {
        "instance": "a", "instance_sha256": "0" * 64, "solved_sha256": "0" * 64, "permutation": 0,
        "nodes": 1, "jobs": 2, "method": "fifo:paper", "solver": None, "environment": "",
        "limits": Limits(memory_limit_mb=100.0), "output_limit_mb": 8.0, "timing": "shared",
        "repetition": 1,
    }  # fmt: skip
    others = {
        "solved_sha256": "1" * 64, "method": "edf:paper", "environment": "old",
        "limits": Limits(memory_limit_mb=100.0, seed=1), "output_limit_mb": 9.0,
        "timing": "exclusive", "repetition": 2, "isolation": "batch",
    }  # fmt: skip
    run = Run(**fields)
    ids = {Run(**{**fields, name: value}).id for name, value in others.items()}
    assert len({run.id, *ids}) == 1 + len(others)
    assert Run(**{**fields, "instance": "another name"}).id == run.id
    assert Run.of_document(run.as_document()) == run


def test_a_method_of_a_package_has_new_runs_when_its_code_changes(campaign, wicked, tmp_path):
    asked = campaign("lie", "hierarchical?method=lie", "fifo:paper")
    before = {run.method: run for run in prepared(asked).selected}
    assert Run.of_document(before["lie"].as_document()) == before["lie"]
    path = tmp_path / "wicked" / "wicked.py"
    path.write_text(f"{path.read_text()}# changed\n")
    after = {run.method: run for run in prepared(asked).selected}
    changed = {method for method, run in after.items() if run.id != before[method].id}
    assert changed == {"lie", "hierarchical?method=lie"}
    planned = json.loads(before["lie"].plugins)
    with pytest.raises(InputError, match=r"method lie: wicked 1 \w{64}, expected wicked 1 "):
        refuse_other_sources(planned)  # as the worker does


def test_with_permute_each_seed_has_an_order_of_its_own(campaign):
    asked = campaign("fifo:paper", more="permute = true\nseeds = [0, 1, 2]", sizes='["2x5"]')
    instance = jahani.generate(nodes=2, jobs=5, seed=1)
    orders = {run.limits.seed: run for run in prepared(asked).selected}
    assert {seed: run.permutation for seed, run in orders.items()} == {0: 0, 1: 1, 2: 2}
    assert orders[0].solved_sha256 == instance.digest
    assert orders[2].solved_sha256 == permuted(instance, 2).instance.digest
    assert {run.instance_sha256 for run in orders.values()} == {instance.digest}


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_shards_are_a_partition_that_keeps_the_order(campaign, n):
    asked = campaign("fifo:paper", "greedy:code", seeds=[*range(1, 9)])
    whole = [run.id for run in prepared(asked).selected]
    parts = [prepared(asked, shard=(i, n)).selected for i in range(1, n + 1)]
    shards = [[run.id for run in part] for part in parts]
    assert sorted(run_id for shard in shards for run_id in shard) == sorted(whole)
    assert all(shard == [run_id for run_id in whole if run_id in shard] for shard in shards)


def test_the_methods_of_an_instance_and_seed_run_one_after_the_other(campaign):
    methods = ("fifo:paper", "greedy:code", "edf:paper")
    runs = prepared(campaign(*methods, more="seeds = [0, 1]", seeds=[1, 2, 3])).selected
    blocks = [(run.instance, run.limits.seed) for run in runs]
    assert blocks == [block for block in dict.fromkeys(blocks) for _ in methods]
    firsts = {run.method for run in runs[:: len(methods)]}
    assert len(firsts) > 1  # the order within blocks is not that of the file
    assert in_order(runs[::-1]) == runs


def test_only_takes_runs_whose_label_or_instance_begins_so(campaign):
    asked = campaign("fifo:paper", "greedy:code", "greedy:paper", seeds=[1, 2])
    chosen = prepared(asked, only="greedy").selected
    assert {run.method for run in chosen} == {"greedy:code", "greedy:paper"}
    with pytest.raises(InputError, match=r"--only: found reedy:\* in none"):
        prepared(asked, only="reedy:*")  # nor is it the end of randomized_greedy
    only = prepared(asked, only="greedy:code*N1-J2-s2").selected
    assert [(run.method, run.instance[-2:]) for run in only] == [("greedy:code", "s2")]
    with pytest.raises(InputError, match="in none of 6 runs"):
        prepared(asked, only="nothing of the kind")


def test_what_a_method_does_not_serve_is_skipped_with_the_reason(campaign):
    tail = '[[instances]]\ngenerator = "kiros"\nsizes = ["1x2"]\n'
    plan = prepared(campaign("jahani_patterns@highs", "fifo:paper", tail=tail))
    assert len(plan.runs) == 3
    ((run, reason),) = plan.skipped.items()
    assert run.instance.startswith("kiros")
    assert reason == "jahani_patterns serves energy proportional, not first_ending"


def test_patterns_keep_a_method_to_its_instances(campaign):
    tail = '[[methods]]\nrun = ["edf:paper"]\non = ["*-N2-*"]\n'
    runs = prepared(campaign("fifo:paper", sizes='["1x2", "2x2"]', tail=tail)).selected
    found = sorted((run.method, run.nodes) for run in runs)
    assert found == [("edf:paper", 2), ("fifo:paper", 1), ("fifo:paper", 2)]


def test_instances_come_from_files_and_sets_too(campaign, tmp_path):
    for seed in (1, 2):
        write_instance(jahani.generate(nodes=1, jobs=3, seed=seed), tmp_path / f"case{seed}.json")
    tail = '[[instances]]\nfiles = ["case*.json"]\n[[instances]]\nset = "tiny"\n'
    runs = prepared(campaign("fifo:paper", tail=tail)).selected
    families = Counter(run.instance.split("-")[0] for run in runs)
    assert families == {"jahani": 4, "kiros": 1, "andreas": 1, "sts": 1}


def test_instances_are_drawn_once_and_then_found_in_the_store(campaign, tmp_path, monkeypatch):
    asked = campaign("fifo:paper", more="permute = true\nseeds = [0, 1]")
    first = runner.prepare(asked, tmp_path / "store", Part())
    first.instances.save()

    def drawn_again(**_):
        pytest.fail("drawn again")

    monkeypatch.setitem(GENERATORS, "jahani", drawn_again)
    again = runner.prepare(asked, tmp_path / "store", Part())
    assert [run.id for run in again.selected] == [run.id for run in first.selected]
