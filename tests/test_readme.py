"""README says what the registry says; its commands are run by `tests/docs`."""

import re
from pathlib import Path

from rsjs.instances.instance import FAMILIES
from rsjs.methods import all_methods, parse
from rsjs.runs.kinds.base import kind

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_table_of_methods_is_the_registry():
    block = README.split("<!-- methods -->")[1].split("<!-- /methods -->")[0]
    rows = [[c.strip(" `") for c in line.split("|")[1:-1]] for line in block.strip().split("\n")]
    assert rows[0] == ["method", "kind", *FAMILIES]
    served = {row[0]: (row[1], [mark == "yes" for mark in row[2:]]) for row in rows[2:]}
    assert served == {
        name: (
            method.kind,
            [
                all(
                    getattr(objective, kind) in getattr(method, kind)
                    for kind in ("energy", "tardiness_at", "open_nodes", "expectation")
                )
                for objective in FAMILIES.values()
            ],
        )
        for name, method in all_methods().items()
    }


def test_every_method_shown_can_be_spelled():
    for line, several, method in re.findall(r"(.*)--method(s?) ('[^']+'|\S+)", README):
        for spelling in method.split(",") if several else [method.strip("'")]:
            kind("mig_scheduling").request(spelling) if "rsjs mig" in line else parse(spelling)


def test_every_file_linked_is_there():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target
