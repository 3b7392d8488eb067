"""
Write the commit into wheels and sdists, see `rsjs.commit`, and the best-known values into wheels.

All else is in pyproject.toml.
"""

import json
from pathlib import Path
from runpy import run_path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).parent
COMMIT = run_path(str(HERE / "src" / "rsjs" / "commit.py"))


def write(folder: Path) -> None:
    """Write the commit of this working tree into a folder; an sdist has it already."""
    found = COMMIT["of_tree"]()
    if found["commit"] is not None:
        (folder / COMMIT["BUILT"]).write_text(json.dumps(found) + "\n")


def write_best_known(folder: Path) -> None:
    """Write cost, bound and status by sha256 of the instance, without histories and solutions."""
    known = {}
    for path in sorted((HERE / "results" / "best_known").glob("*.jsonl")):
        for entry in map(json.loads, path.read_text("utf-8").splitlines()):
            known[entry["sha256"]] = [entry["upper_bound"], entry["lower_bound"], entry["status"]]
    (folder / "best_known.json").write_text(json.dumps(known, indent=0) + "\n")


class BuildPy(build_py):
    """A wheel; an editable install asks git when it runs."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            write(Path(self.build_lib, "rsjs"))
            write_best_known(Path(self.build_lib, "rsjs"))


class Sdist(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write(Path(base_dir, "src", "rsjs"))


setup(cmdclass={"build_py": BuildPy, "sdist": Sdist})
