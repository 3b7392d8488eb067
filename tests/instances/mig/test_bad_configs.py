"""Errors in configurations: each names the JSON pointer and the value, and nearest names first."""

from __future__ import annotations

import pytest

from rsjs.instances.errors import InputError

BAD = [
    # keys from the top, value (... = take the key away), pointer, part of the message
    (["format"], "mig/2", "/format", "expected 'rsjs-mig-config/1'"),
    (["format"], ..., "/format", "found None"),
    (["name"], ..., "", "no key 'name'"),
    (["name"], "a/b", "/name", "found 'a/b'"),
    (["nmae"], "x", "/nmae", "unknown key 'nmae'"),
    (["count"], 0, "/count", "found 0, expected a number >= 1"),
    (["count"], 2.5, "/count", "an integer"),
    (["count"], ..., "", "neither of the keys count and horizon"),
    (["horizon"], 5, "", "both of the keys count and horizon"),
    (["seeds"], [], "/seeds", "at least 1 entry"),
    (["seeds"], [3, 3], "/seeds/1", "found 3, expected a seed that does not stand before"),
    (["seeds"], [-1], "/seeds/0", "found -1"),
    (["seeds"], {"range": [5, 4]}, "/seeds/range/1", "found 4, expected a seed >= 5"),
    (["seeds"], {"range": [0, 10**7]}, "/seeds/range", "at most 1000000 seeds"),
    (["seeds"], {"primes": 5}, "/seeds/primes", "unknown key 'primes'"),
    (["arrivals", "process"], "posson", "/arrivals/process", "expected one of poisson, "),
    (["arrivals", "rate"], 0, "/arrivals/rate", "found 0, expected a number > 0"),
    (["arrivals", "rate"], ..., "/arrivals", "no key 'rate'"),
    (["arrivals", "interval"], 1, "/arrivals/interval", "unknown key 'interval'"),
    (["classes"], [], "/classes", "at least 1 entry"),
    (["classes", 1, "name"], "train", "/classes/1/name", "a name that no class before has"),
    (["classes", 1, "run_length"], ..., "/classes/1", "no key 'run_length'"),
    (["classes", 1, "run_length"], "3", "/classes/1/run_length", "found '3'"),
    (["classes", 1, "run_length"], {}, "/classes/1/run_length", "no key 'dist'"),
    (
        ["classes", 0, "priority"],
        {"dist": "unifrom", "low": 1, "high": 2},
        "/classes/0/priority/dist",
        "found 'unifrom', expected one of uniform, ",
    ),
    (
        ["classes", 0, "priority"],
        {"dist": "normal", "mean": 1, "sd": -1},
        "/classes/0/priority/sd",
        "found -1, expected a number >= 0",
    ),
    (
        ["classes", 0, "priority"],
        {"dist": "mixture", "components": [{"weight": 1, "dist": {"dist": "zip"}}]},
        "/classes/0/priority/components/0/dist/dist",
        "expected one of zipf, ",
    ),
    (
        ["classes", 0, "memory", "model"],
        "walk",
        "/classes/0/memory/model",
        "found 'walk', expected one of random_walk, ",
    ),
    (["classes", 0, "memory", "value"], 1, "/classes/0/memory/value", "unknown key 'value'"),
    (
        ["classes", 0, "memory", "out_of_range"],
        "drop",
        "/classes/0/memory/out_of_range",
        "one of",
    ),
    (["classes", 0, "memory", "step", "kind"], "t", "/classes/0/memory/step/kind", "found 't'"),
    (
        ["classes", 0, "deadline", "kind"],
        "absolut",
        "/classes/0/deadline/kind",
        "expected one of absolute, ",
    ),
    (["classes", 0, "interruptible", "prob"], 2, "/classes/0/interruptible/prob", "found 2"),
    (
        ["classes", 0, "extra_fields", "team", "weights"],
        [1],
        "/classes/0/extra_fields/team/weights",
        "found [1]",
    ),
    (
        ["classes", 0, "extra_fields", "cost"],
        {"dist": "expo"},
        "/classes/0/extra_fields/cost/dist",
        "expected one of exponential, ",
    ),
    # other packages' code is refused, not only unknown names
    (
        ["classes", 0, "priority"],
        {"dist": "plugin:x"},
        "/classes/0/priority/dist",
        "--allow-plugins",
    ),
    (["classes", 0, "memory"], {"model": "plugin:x"}, "/classes/0/memory/model", "--allow-plugins"),
    (
        ["classes", 0, "extra_fields", "cost"],
        {"plugin": "x"},
        "/classes/0/extra_fields/cost/plugin",
        "--allow-plugins",
    ),
]


@pytest.mark.parametrize(("keys", "value", "pointer", "message"), BAD)
def test_each_error_names_pointer_value_and_what_was_expected(
    day, read, tmp_path, keys, value, pointer, message
):
    *groups, key = keys
    inner = day
    for group in groups:
        inner = inner[group]
    if value is ...:
        del inner[key]
    else:
        inner[key] = value
    with pytest.raises(InputError) as caught:
        read(day)
    assert caught.value.pointer == pointer
    assert message in str(caught.value)
    assert str(tmp_path / "config.json") in str(caught.value)


def test_all_weights_zero_are_refused(day, read):
    for known in day["classes"]:
        known["weight"] = 0
    with pytest.raises(InputError, match=r"/classes: found .*, expected a positive weight"):
        read(day)


def test_remarks_are_allowed_at_the_top(day, read):
    assert read(day | {"x-why": {"anything": [1]}}).name == "day"
