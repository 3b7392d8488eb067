"""README names methods and files that exist; `tests/docs` runs its commands."""

import re
from pathlib import Path

from rsjs.methods import parse
from rsjs.runs.kinds.base import kind

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_every_method_shown_can_be_spelled():
    found = re.findall(r"(.*)--method(s?) ('[^']+'|\S+)", README)
    assert found
    for line, several, method in found:
        for spelling in method.split(",") if several else [method.strip("'")]:
            kind("mig_scheduling").request(spelling) if "rsjs mig" in line else parse(spelling)


def test_every_file_linked_is_there():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target
