"""Lists are made from the registries."""

import json
import os
import subprocess
import sys

import pytest

from rsjs.cli import NO_READER
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.catalogue.node_types import MEMBERS
from rsjs.instances.generators import sts
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.files import write_instance, write_workload
from rsjs.instances.mig.scheduling.problem import read_problem_or_jobs, write_problem
from rsjs.methods import all_methods
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.simulation.policies.registry import POLICIES
from tests.mig_problems import JOBS


def test_methods_are_listed_with_what_they_serve(rsjs):
    found = rsjs("list", "methods", "--json").json
    methods = {method["name"]: method for method in found if method["families"] != ["mig"]}
    assert methods.keys() == all_methods().keys()
    patterns = methods["jahani_patterns"]
    assert (patterns["kind"], patterns["solvers"]) == ("exact", [*BACKENDS])
    assert patterns["families"] == ["jahani"]
    assert patterns["objectives"]["energy"] == ["proportional"]
    assert methods["jahani_literal"]["options"]["printed"]["default"] == "corrected"
    assert patterns["available"]
    assert methods["greedy"]["rules"] == ["code", "paper"]
    assert methods["greedy"]["families"] == [*FAMILIES]
    assert methods["enumeration"]["max_jobs"] == 10


def test_methods_of_mig_come_last_with_what_they_need(rsjs):
    found = rsjs("list", "methods", "--json").json[len(all_methods()) :]
    methods = {method["name"]: method for method in found}
    assert methods.keys() == METHODS.keys()
    assert all(method["families"] == ["mig"] for method in found)
    assert (methods["cpsat"]["needs"], methods["cpsat"]["rules"][0]) == ("cpsat", "local_search")
    assert methods["milp"]["solvers"] == ["highs", "scip"]
    assert (methods["enumeration"]["max_jobs"], methods["enumeration"]["max_steps"]) == (5, 16)
    assert methods["fcfs"]["options"]["poll"]["default"] == 1
    text = rsjs("list", "methods").out
    text = text[text.index("Jobs on MIG instances") :]
    for name, method in METHODS.items():
        assert f"\n{name}: {method.summary}" in text
    assert "at most 5 jobs; at most 16 steps" in text


def test_the_text_has_every_method_family_and_option(rsjs):
    text = rsjs("list", "methods").out
    for name, method in all_methods().items():
        assert f"\n{name}: {method.summary}" in text
    assert all(family in text for family in FAMILIES)
    assert "printed=corrected" in text


def test_a_rule_is_explained_where_the_summary_does_not(rsjs):
    listed = {method["name"]: method for method in rsjs("list", "methods", "--json").json}
    text = " ".join(rsjs("list", "methods").out.split())
    helped = {name: method for name, method in all_methods().items() if method.rule_help}
    assert {"sts", "queue", "dp"} <= {*helped}
    for name, method in helped.items():
        assert listed[name]["rule_help"] == method.rule_help
        assert tuple(method.rule_help) == method.rules
        assert all(f"rule {rule}: {told}" in text for rule, told in method.rule_help.items())


@pytest.mark.process
@pytest.mark.parametrize("line", ["list methods --json", "list sets"])
def test_a_reader_that_has_gone_is_no_reason_to_say_anything(line):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "rsjs", *line.split()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (NO_READER, b"")


def test_one_method_is_listed_with_what_it_proves_and_an_example(rsjs):
    text = rsjs("list", "methods", "randomized_greedy").output
    assert (
        "example  rsjs solve instance.json --method 'randomized_greedy:code?iterations=1000'"
        in text
    )
    assert "\n  proves" in text
    assert "jahani_dual" not in text
    (found,) = rsjs("list", "methods", "jahani_dual", "--json").json
    assert found["name"] == "jahani_dual"
    both = rsjs("list", "methods", "enumeration").output  # of instances, and of MIG instances
    assert both.count("\nenumeration: ") == 2
    assert "rsjs mig schedule jobs.json --method 'enumeration'" in both
    assert "found 'ruin', expected e.g. ruin_recreate" in rsjs("list", "methods", "ruin").refusal
    assert "one of methods, policies or models" in rsjs("list", "sets", "small").refusal


def test_methods_for_a_file_are_those_that_serve_it_recommended_ones_first(rsjs, tmp_path):
    file = tmp_path / "i.json"
    write_instance(sts.generate(nodes=2, jobs=12, seed=1, sharing="paper"), file)
    listed = rsjs("list", "methods", "--for", file, "--json").json
    assert {method["name"] for method in listed} == {*all_methods()}
    assert [one["name"] for one in listed][:2] == ["rsjs_sifting", "ruin_recreate"]
    serve = [one["refusal"] is None for one in listed]
    assert serve == sorted(serve, reverse=True)
    refused = {one["name"]: one["refusal"] for one in listed if one["refusal"]}
    assert refused["enumeration"] == "enumeration serves up to 10 jobs, not 12"
    text, more = (rsjs("list", "methods", "--for", file, *v).output for v in ([], ["--verbose"]))
    assert "\nrsjs_sifting " in text
    assert "enumeration" not in text
    assert refused["enumeration"] in " ".join(more.split())


def test_methods_for_a_workload_are_policies_and_for_mig_jobs_those_of_mig(rsjs, tmp_path):
    write_workload(sts.workload(nodes=2, jobs=4, seed=1), tmp_path / "w.json")
    names = [
        m["name"] for m in rsjs("list", "methods", "--for", tmp_path / "w.json", "--json").json
    ]
    assert {*names} == {*all_methods(), *POLICIES}
    (tmp_path / "jobs.json").write_text(json.dumps(JOBS))
    problem = read_problem_or_jobs(
        tmp_path / "jobs.json", reading=None, objective=None, memory=None
    )
    write_problem(problem, tmp_path / "p.json")
    names = [
        m["name"] for m in rsjs("list", "methods", "--for", tmp_path / "p.json", "--json").json
    ]
    assert {*names} == {*METHODS}


@pytest.mark.process
def test_a_broken_method_of_a_package_is_listed_with_the_reason(rsjs, tmp_path, monkeypatch):
    (tmp_path / "dies.py").write_text("import os\nos._exit(3)\n")
    info = tmp_path / "deadly-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rsjs.methods]\ndies = dies:m\ngreedy = dies:m\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    all_methods.cache_clear()
    try:
        found = rsjs("list", "methods", "--json").json
        text = rsjs("list", "methods").out
        write_instance(sts.generate(nodes=2, jobs=4, seed=1), tmp_path / "i.json")
        judged = rsjs("list", "methods", "--for", tmp_path / "i.json", "--json").json
    finally:
        all_methods.cache_clear()
    broken = {method["name"]: method["package"] for method in found if method["broken"]}
    assert broken == {"dies": "deadly 1", "greedy": "deadly 1"}
    assert [(one["name"], one["recommended"]) for one in judged if one["broken"]] == [
        ("dies", None)
    ]
    assert "dies of deadly 1 is broken: its import ended the process with code 3" in text
    assert "greedy of deadly 1 is broken: refused: greedy is a name of the suite" in text
    assert len([method for method in found if method["name"] == "greedy"]) == 2


def test_a_missing_solver_comes_with_the_command_that_installs_it(rsjs, monkeypatch):
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    methods = {method["name"]: method for method in rsjs("list", "methods", "--json").json}
    assert not methods["cpsat"]["available"]
    assert methods["fcfs"]["available"]
    assert not methods["jahani_patterns"]["available"]
    assert methods["greedy"]["available"]
    command = BACKENDS["scip"].install_command
    assert methods["jahani_patterns"]["missing_solvers"]["scip"] == command
    assert command in " ".join(rsjs("list", "methods").out.split())
    assert f"not installed: {command}" in rsjs("list", "solvers").out


def test_solvers_are_listed_with_version_and_features(rsjs):
    solvers = {solver["name"]: solver for solver in rsjs("list", "solvers", "--json").json}
    assert solvers.keys() == BACKENDS.keys()
    assert "jahani_literal" in solvers["highs"]["methods"]
    assert "warm_start" in solvers["highs"]["features"]
    assert solvers["highs"]["notes"] == []
    assert solvers["relaxation"]["notes"] == ["a bound only, no solution"]
    text = rsjs("list", "solvers").out
    here = {name: solver for name, solver in solvers.items() if solver["available"]}
    assert all(f"{name}: {solver['version']}" in text for name, solver in here.items())


def test_catalogues_are_listed_with_the_status_of_their_prices(rsjs):
    catalogues = rsjs("list", "catalogues", "--json").json
    assert {
        name: [entry["node_type"] for entry in kinds] for name, kinds in catalogues.items()
    } == {name: list(members) for name, members in MEMBERS.items()}
    text = rsjs("list", "catalogues").out
    assert all(name in text for name in MEMBERS)
    assert ["In-house", "server", "2", "invented", "8", "x", "GTX1080Ti", "11"] in [
        line.split()[1:] for line in text.splitlines()
    ]


def test_policies_are_those_that_decide_methods_or_not(rsjs):
    policies = {policy["name"]: policy for policy in rsjs("list", "policies", "--json").json}
    decide = {name for name, method in all_methods().items() if method.decides}
    assert policies.keys() == {"offline", "priced_roll", "roll"} | decide
    assert not policies["roll"]["is_method"]
    assert "clairvoyant" in policies["offline"]["summary"]
    assert "\nsts " in rsjs("list", "policies").out


def test_a_policy_is_described_with_its_options_and_a_command(rsjs):
    told = rsjs("list", "policies", "offline").out
    assert "iterations=10000: of ruin and recreate" in told
    assert "rsjs simulate workload.json --policy 'offline?iterations=10000'" in told
    assert "rsjs simulate" in rsjs("list", "policies", "sts").out
    assert "see rsjs list policies priced_roll" in rsjs("list", "methods", "priced_roll").err
    assert "found NAME of sets" in rsjs("list", "sets", "tiny").err
    assert "found --for of policies" in rsjs("list", "policies", "--for", "x.json").err


def test_models_are_listed_by_pattern_with_what_is_known_of_each(rsjs):
    placement = rsjs("list", "models", "mig_placement-*", "--json").json
    assert {model["method"] for model in placement} == {"mig_placement"}
    assert all(model["closed"] and model["bound_by"] for model in placement)
    shown = rsjs("list", "models").out
    assert len(shown[: shown.index("Optimum:")].split()) > 5 * len(placement)
    assert all(model["name"] in shown for model in placement)


@pytest.mark.parametrize("what", ["methods", "policies", "solvers", "catalogues", "sets"])
def test_lists_say_nothing_on_standard_error(what, rsjs):
    assert rsjs("list", what).err == ""
