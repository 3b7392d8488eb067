"""Configurations of the published program: what is read, what is refused and how."""

import json

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig.io import built
from rsjs.instances.mig.konopa.generator import Fixed, Normal, Poisson, to_config


def read(path):
    return built(read_json(path, lenient=True), to_config, path)


def test_commas_before_brackets_are_taken_but_not_in_strings(tmp_path, legacy):
    legacy["note"] = 'a ",} b'
    text = json.dumps(legacy).replace('"sd": 2}', '"sd": 2 , \n}').replace("}}", "},}")
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert read(tmp_path / "c.json") == to_config(legacy)


def test_other_errors_of_json_name_line_and_column(tmp_path):
    (tmp_path / "c.json").write_text('{"seed": 1\n "numberOfJobs": 2,}')
    with pytest.raises(InputError, match="line 2 column 2"):
        read(tmp_path / "c.json")


def test_words_are_taken_in_any_case_and_fractions_are_cut(legacy):
    legacy["jobsArrivalConfigSettings"] = {
        "type": "rANDOM",
        "distributionType": "POISSON",
        "distributionParams": {"lambda": 2.9},
    }
    legacy["cudaCoresConfigSettings"] = {"type": "fixed", "coresNumber": 7.99}
    config = to_config(legacy | {"unknown": 1})
    assert (config.gap, config.cuda_cores) == (Poisson(2), Fixed(7))
    assert config.run_length == Normal(5, 2)


UNIFORM = {"lowerBound": 0, "upperBound": 3}
RANDOM = {"type": "Random", "distributionType": "Uniform", "distributionParams": UNIFORM}
BAD = [
    # group without ConfigSettings and key (~ = distributionParams), value, part of the message
    ("seed", None, "no key 'seed'"),
    ("seed", 2**63, "an integer"),
    ("seed", True, "an integer"),
    ("numberOfJobs", -1, "found -1"),
    ("numberOfJobs", "5", "found '5'"),
    ("priority", None, "no key 'priorityConfigSettings'"),
    ("priority", 3, "an object"),
    ("priority/type", "Any", "one of Fixed, Random"),
    ("priority/distributionType", "Poisson", "one of Uniform, Normal"),
    ("priority/~/upperBound", 0, "an integer >= 1"),
    ("priority/~/upperBound", 2**31 - 1, "found 2147483647"),  # the program adds 1
    ("deadline/deadline", 0, "an integer >= 1"),
    ("maxRamUsage/type", "Random", "RandomDependentOnPrevious"),
    ("maxRamUsage/~/sd", -1, "found -1"),
    ("stoppability/isStoppable", 1, "true or false"),
    ("jobsArrival/~/lambda", 0.5, "found 0.5"),  # cut to 0: no job would ever arrive
]


@pytest.mark.parametrize(("place", "value", "message"), BAD)
def test_each_error_names_pointer_and_value(legacy, place, value, message):
    group, *path = place.replace("~", "distributionParams").split("/")
    *groups, key = [group if group in legacy else f"{group}ConfigSettings", *path]
    inner = legacy
    for group in groups:
        inner = inner[group]
    inner.pop(key) if value is None else inner.update({key: value})
    with pytest.raises(InputError) as caught:
        to_config(legacy)
    assert caught.value.pointer == ("" if value is None else "/" + "/".join([*groups, key]))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("group", "value", "message"),
    [
        ("maxTimeslicesNumber", RANDOM, "/distributionParams/lowerBound: found 0, expected an int"),
        ("stoppability", {"type": "Random", "stoppableProbability": 1.5}, "found 1.5"),
    ],
)
def test_other_groups_are_refused_too(legacy, group, value, message):
    with pytest.raises(InputError, match=message):
        to_config(legacy | {f"{group}ConfigSettings": value})


@pytest.mark.parametrize(("upper", "fits"), [(11, False), (12, True)])
def test_a_uniform_walk_needs_room_for_a_step(legacy, upper, fits):
    bounds = {"lowerBound": 10, "upperBound": upper}
    uniform = {"distributionType": "Uniform", "distributionParams": bounds}
    legacy["maxRamUsageConfigSettings"] |= uniform
    if fits:
        assert to_config(legacy).memory_depends
    else:
        with pytest.raises(InputError, match="upperBound: found 11"):
            to_config(legacy)
