"""The folder benchmarks/ as a package, and its benchmarks as asv finds them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))  # last, so that nothing there hides an installed package
DISCOVER = """
import sys
from asv_runner.discovery import list_benchmarks
with open(sys.argv[2], "w") as file:
    list_benchmarks(sys.argv[1], file)
"""


@pytest.fixture(scope="session")
def discovered(tmp_path_factory):
    """Each benchmark with its name, type and parameters, the latter as Python writes them."""
    found = tmp_path_factory.mktemp("asv") / "benchmarks.json"
    command = [sys.executable, "-c", DISCOVER, str(ROOT / "benchmarks" / "suites"), str(found)]
    subprocess.run(command, check=True, capture_output=True)
    benchmarks: list[dict[str, Any]] = json.loads(found.read_text())
    return benchmarks
