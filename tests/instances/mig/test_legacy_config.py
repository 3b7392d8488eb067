"""Configurations of the published program: what is read, what is refused and how."""

from __future__ import annotations

import json

import pytest

from rsjs.instances.errors import InputError
from rsjs.instances.mig.legacy_config import Fixed, Normal, Poisson, read_config, to_config


def test_commas_before_brackets_are_taken_but_not_in_strings(tmp_path, legacy):
    legacy["note"] = 'a ",} b'
    text = json.dumps(legacy).replace('"sd": 2}', '"sd": 2 , \n}').replace("}}", "},}")
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert read_config(tmp_path / "c.json") == to_config(legacy)


def test_other_errors_of_json_name_line_and_column(tmp_path):
    (tmp_path / "c.json").write_text('{"seed": 1\n "numberOfJobs": 2,}')
    with pytest.raises(InputError, match="line 2 column 2"):
        read_config(tmp_path / "c.json")


def test_words_are_taken_in_any_case_and_fractions_are_cut(legacy):
    legacy["jobsArrivalConfigSettings"] = {
        "type": "rANDOM",
        "distributionType": "POISSON",
        "distributionParams": {"lambda": 2.9},
    }
    legacy["cudaCoresConfigSettings"] = {"type": "fixed", "coresNumber": 7.99}
    config = to_config(legacy | {"unknown": 1})
    assert config.gap == Poisson(2)
    assert config.cuda_cores == Fixed(7)
    assert config.run_length == Normal(5, 2)


BAD = [
    # place, value, pointer of the error, part of the message
    ("seed", None, "", "no key 'seed'"),
    ("seed", 2**63, "/seed", "an integer"),
    ("seed", True, "/seed", "an integer"),
    ("numberOfJobs", -1, "/numberOfJobs", "found -1"),
    ("numberOfJobs", "5", "/numberOfJobs", "found '5'"),
    ("priorityConfigSettings", None, "", "no key 'priorityConfigSettings'"),
    ("priorityConfigSettings", 3, "/priorityConfigSettings", "an object"),
    ("priorityConfigSettings/type", "Any", "/priorityConfigSettings/type", "one of Fixed, Random"),
    (
        "priorityConfigSettings/distributionType",
        "Poisson",
        "/priorityConfigSettings/distributionType",
        "one of Uniform, Normal",
    ),
    (
        "priorityConfigSettings/distributionParams/upperBound",
        0,
        "/priorityConfigSettings/distributionParams/upperBound",
        "an integer >= 1",
    ),
    (
        "priorityConfigSettings/distributionParams/upperBound",
        2**31 - 1,  # the program adds 1
        "/priorityConfigSettings/distributionParams/upperBound",
        "found 2147483647",
    ),
    ("deadlineConfigSettings/deadline", 0, "/deadlineConfigSettings/deadline", "an integer >= 1"),
    (
        "maxRamUsageConfigSettings/type",
        "Random",
        "/maxRamUsageConfigSettings/type",
        "RandomDependentOnPrevious",
    ),
    (
        "maxRamUsageConfigSettings/distributionParams/sd",
        -1,
        "/maxRamUsageConfigSettings/distributionParams/sd",
        "found -1",
    ),
    (
        "maxTimeslicesNumberConfigSettings",
        {
            "type": "Random",
            "distributionType": "Uniform",
            "distributionParams": {"lowerBound": 0, "upperBound": 3},
        },
        "/maxTimeslicesNumberConfigSettings/distributionParams/lowerBound",
        "an integer >= 1",
    ),
    (
        "stoppabilityConfigSettings/isStoppable",
        1,
        "/stoppabilityConfigSettings/isStoppable",
        "true or false",
    ),
    (
        "stoppabilityConfigSettings",
        {"type": "Random", "stoppableProbability": 1.5},
        "/stoppabilityConfigSettings/stoppableProbability",
        "found 1.5",
    ),
    (
        "jobsArrivalConfigSettings/distributionParams/lambda",
        0.5,  # cut to 0: no job would ever arrive
        "/jobsArrivalConfigSettings/distributionParams/lambda",
        "found 0.5",
    ),
]


@pytest.mark.parametrize(("place", "value", "pointer", "message"), BAD)
def test_each_error_names_pointer_and_value(legacy, place, value, pointer, message):
    *groups, key = place.split("/")
    inner = legacy
    for group in groups:
        inner = inner[group]
    inner.pop(key) if value is None else inner.update({key: value})
    with pytest.raises(InputError) as caught:
        to_config(legacy)
    assert caught.value.pointer == pointer
    assert message in str(caught.value)


@pytest.mark.parametrize(("upper", "fits"), [(11, False), (12, True)])
def test_a_uniform_walk_needs_room_for_a_step(legacy, upper, fits):
    bounds = {"lowerBound": 10, "upperBound": upper}
    legacy["maxRamUsageConfigSettings"] |= {
        "distributionType": "Uniform",
        "distributionParams": bounds,
    }
    if fits:
        assert to_config(legacy).memory_depends
    else:
        with pytest.raises(InputError, match="upperBound: found 11"):
            to_config(legacy)
