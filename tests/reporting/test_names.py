from __future__ import annotations

import json

from rsjs.reporting.names import distinct, folded, shortened


def test_common_parts_of_names_are_told_once() -> None:
    common, short = shortened(["a-b-N2-s1", "a-b-N10-s1", "a-b-N2-s1"])
    assert common == "a-b-\N{HORIZONTAL ELLIPSIS}-s1"
    assert short == {"a-b-N2-s1": "N2", "a-b-N10-s1": "N10"}
    assert shortened(["one", "two"]) == ("", {"one": "one", "two": "two"})
    assert shortened(["a-b", "a-b"]) == ("", {"a-b": "a-b"})
    for names in (["a", "a-b"], ["a-b", "a-b-b"], ["x-a-y", "x-a-a-y", "x-y-y"]):
        assert len(set(shortened(names)[1].values())) == len(names)


def test_two_instances_of_one_name_are_told_apart() -> None:
    rows = [{"instance": "x", "instance_sha256": digest * 64} for digest in "ab"]
    assert [row["instance"] for row in distinct(rows)] == ["x (aaaaaaaa)", "x (bbbbbbbb)"]
    assert distinct(rows[:1])[0]["instance"] == "x"


def test_a_workload_under_several_options_is_told_apart_by_those_that_differ() -> None:
    simulated = [{"energy": "node", "boot": 0}, {"energy": "gpu", "boot": 0}]
    rows = [
        *(
            {"instance": "w", "instance_sha256": "a", "simulation": json.dumps(o)}
            for o in simulated
        ),
        {"instance": "x", "instance_sha256": "b", "simulation": float("nan")},
    ]
    named = distinct(rows)
    assert [row["instance"] for row in named] == ["w (energy=node)", "w (energy=gpu)", "x"]
    assert distinct(named) == named
    assert [row["instance"] for row in distinct(rows[1:])] == ["w", "x"]


def test_long_names_are_folded_and_lose_nothing() -> None:
    name = "method@solver:rule?first=1,second=2" + "x" * 30
    lines = folded(name, 20)
    assert max(map(len, lines)) <= 20
    assert "".join(lines) == name
    assert folded("", 5) == [""]
