"""Errors in configurations: each names the JSON pointer and the value, and nearest names first."""

import pytest

from rsjs.core.errors import InputError

MIXTURE = {"dist": "mixture", "components": [{"weight": 1, "dist": {"dist": "zip"}}]}
PLUGIN = "expected one of ours, or --allow-plugins"
BAD = [
    # place, value (... = take the key away), how the message begins (@ = the place)
    ("/format", "mig/2", "@: found 'mig/2', expected 'rsjs-mig-config/1'"),
    ("/format", ..., "@: found None"),
    ("/name", ..., "found no key 'name'"),
    ("/name", "a/b", "@: found 'a/b'"),
    ("/nmae", "x", "@: found unknown key 'nmae'"),
    ("/count", 0, "@: found 0, expected a number >= 1"),
    ("/count", 2.5, "@: found 2.5, expected an integer"),
    ("/count", ..., "found neither of the keys count and horizon"),
    ("/horizon", 5, "found both of the keys count and horizon"),
    ("/seeds", [], "@: found an array of 0, expected at least 1 entry"),
    ("/seeds", [3, 3], "@/1: found 3, expected a seed that does not stand before"),
    ("/seeds", [-1], "@/0: found -1"),
    ("/seeds", {"range": [5, 4]}, "@/range/1: found 4, expected a seed >= 5"),
    ("/seeds", {"range": [0, 10**7]}, "@/range: found [0, 10000000], expected at most 1000000"),
    ("/seeds", {"primes": 5}, "@/primes: found unknown key 'primes'"),
    ("/arrivals/process", "posson", "@: found 'posson', expected one of poisson, "),
    ("/arrivals/rate", 0, "@: found 0, expected a number > 0"),
    ("/arrivals/rate", ..., "/arrivals: found no key 'rate'"),
    ("/arrivals/interval", 1, "@: found unknown key 'interval'"),
    ("/classes", [], "@: found an array of 0, expected at least 1 entry"),
    ("/classes/1/name", "train", "@: found 'train', expected a name that no class before has"),
    ("/classes/1/run_length", ..., "/classes/1: found no key 'run_length'"),
    ("/classes/1/run_length", "3", "@: found '3'"),
    ("/classes/1/run_length", {}, "@: found no key 'dist'"),
    ("/classes/0/priority", {"dist": "unifrom"}, "@/dist: found 'unifrom', expected one of unif"),
    ("/classes/0/priority", {"dist": "normal", "mean": 1, "sd": -1}, "@/sd: found -1, expected a"),
    ("/classes/0/priority", MIXTURE, "@/components/0/dist/dist: found 'zip', expected one of z"),
    ("/classes/0/memory/model", "walk", "@: found 'walk', expected one of random_walk, "),
    ("/classes/0/memory/value", 1, "@: found unknown key 'value'"),
    ("/classes/0/memory/out_of_range", "drop", "@: found 'drop', expected one of"),
    ("/classes/0/memory/step/kind", "t", "@: found 't'"),
    ("/classes/0/deadline/kind", "absolut", "@: found 'absolut', expected one of absolute, "),
    ("/classes/0/interruptible/prob", 2, "@: found 2"),
    ("/classes/0/extra_fields/team/weights", [1], "@: found [1]"),
    ("/classes/0/extra_fields/cost", {"dist": "expo"}, "@/dist: found 'expo', expected one of exp"),
    # other packages' code is refused, not only unknown names
    ("/classes/0/priority", {"dist": "plugin:x"}, f"@/dist: found 'plugin:x', {PLUGIN}"),
    ("/classes/0/memory", {"model": "plugin:x"}, f"@/model: found 'plugin:x', {PLUGIN}"),
    ("/classes/0/extra_fields/cost", {"plugin": "x"}, f"@/plugin: found 'x', {PLUGIN}"),
]


@pytest.mark.parametrize(("place", "value", "message"), BAD)
def test_errors_name_pointer_value_and_expected(day, read, edited, tmp_path, place, value, message):
    with pytest.raises(InputError) as caught:
        read(edited(day, {place: "(gone)" if value is ... else value}))
    told = str(caught.value).removeprefix(f"{tmp_path / 'config.json'}: ")
    assert told.startswith(message.replace("@", place))


def test_all_weights_zero_are_refused(day, read):
    for known in day["classes"]:
        known["weight"] = 0
    with pytest.raises(InputError, match=r"/classes: found .*, expected a positive weight"):
        read(day)


def test_remarks_are_allowed_at_the_top(day, read):
    assert read(day | {"x-why": {"anything": [1]}}).name == "day"
