"""Generating, reading, checking: what every run pays."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rsjs.heuristics import greedy
from rsjs.instances import documents, files
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.exact import check_exact
from rsjs.instances.generators.jahani import generate


class Generate:
    params = ((10, 100, 1000), ("synthetic", "networks"))
    param_names = ("nodes", "times")

    def time_generate(self, nodes, times):
        generate(nodes=nodes, jobs=4 * nodes, seed=1, times=times)


class Files:
    """A 100 x 400 instance and a decision of greedy:code on it."""

    def setup(self):
        self.folder = tempfile.TemporaryDirectory()
        self.instance = generate(nodes=100, jobs=400, seed=1)
        self.path = Path(self.folder.name) / "instance.json"
        self.solution_path = Path(self.folder.name) / "solution.json"
        self.solution = complete(
            self.instance, greedy.decide(greedy.prepare(self.instance, "code"))
        )
        files.write_instance(self.instance, self.path)
        files.write_solution(self.solution, self.instance.digest, self.solution_path)

    def teardown(self):
        self.folder.cleanup()

    def time_read(self):
        files.read_instance(self.path)

    def time_write(self):
        files.write_instance(self.instance, self.path)

    def time_digest(self):
        documents.digest(documents.of_instance(self.instance))

    def time_check(self):
        check(self.instance, self.solution)

    def time_first_check(self):
        """With the instance's own checks and its cost tables."""
        check(replace(self.instance), self.solution)

    def time_exact_check(self):
        check_exact(files.read_exact(self.path), files.read_exact(self.solution_path))

    def track_bytes(self):
        return self.path.stat().st_size

    track_bytes.unit = "B"
