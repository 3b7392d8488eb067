"""What `rsjs list methods` says of rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rsjs.methods import all_methods

Run = Callable[..., Any]


def test_rules_that_the_summary_does_not_tell_are_explained(rsjs: Run) -> None:
    found = rsjs("list", "methods", "--json").json
    listed = {method["name"]: method for method in found if method["families"] != ["mig"]}
    text = " ".join(rsjs("list", "methods").out.split())
    for name, method in all_methods().items():
        assert listed[name]["rule_help"] == method.rule_help
        if method.rule_help:
            assert tuple(method.rule_help) == method.rules
        assert all(f"rule {rule}: {told}" in text for rule, told in method.rule_help.items())
    assert {"sts", "queue", "dp"} <= {name for name, own in listed.items() if own["rule_help"]}
