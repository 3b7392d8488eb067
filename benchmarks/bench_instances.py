"""Generating, reading, checking: what every run pays."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from rsjs.bks.exact_cost import exact_verdict
from rsjs.heuristics.greedy import greedy
from rsjs.instances.check import check
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io import files, gpuscheduler_csv, serialization
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.transform import permuted

MAKE = {
    "jahani synthetic": lambda **size: jahani.generate(times="synthetic", **size),
    "jahani networks": lambda **size: jahani.generate(times="networks", **size),
    "kiros": kiros.generate,
    "andreas": andreas.generate,
    "sts": sts.generate,
    "sts shared": lambda **size: sts.generate(mix="kma", sharing="paper", **size),
}


@cache
def made(family):
    """A 100 x 400 instance and a decision of greedy on it; made once, setup comes often."""
    instance = MAKE[family](nodes=100, jobs=400, seed=1)
    decision = greedy.decide(instance, "code")
    return instance, select_required_nodes(instance, decision)


class Generate:
    params = (tuple(MAKE), (10, 100, 1000))
    param_names = ("family", "nodes")

    def time_generate(self, family, nodes):
        MAKE[family](nodes=nodes, jobs=4 * nodes, seed=1)


class Files:
    """Files of a 100 x 400 instance and of a decision on it."""

    params = (("jahani synthetic", "sts shared"), (".json", ".json.gz"))
    param_names = ("family", "format")

    def setup(self, family, format):
        self.folder = tempfile.TemporaryDirectory()
        self.instance, self.solution = made(family)
        self.path = Path(self.folder.name) / f"instance{format}"
        self.solution_path = Path(self.folder.name) / f"solution{format}"
        files.write_instance(self.instance, self.path)
        files.write_solution(self.solution, self.instance.digest, self.solution_path)

    def teardown(self, family, format):
        self.folder.cleanup()

    def time_read(self, family, format):
        files.read_instance(self.path)

    def time_write(self, family, format):
        files.write_instance(self.instance, self.path)

    def time_read_solution(self, family, format):
        files.read_solution(self.solution_path)

    def track_bytes(self, family, format):
        return self.path.stat().st_size

    track_bytes.unit = "B"


class Check:
    """The checker, in floats and in exact fractions, and what it needs of an instance."""

    params = (("jahani synthetic", "kiros", "andreas", "sts", "sts shared"),)
    param_names = ("family",)

    def setup(self, family):
        self.instance, self.solution = made(family)
        check(self.instance, self.solution)
        solution = serialization.of_solution(self.solution, self.instance.digest)
        written = serialization.of_instance(self.instance), solution
        self.texts = [serialization.canonical_text(document) for document in written]

    def time_check(self, family):
        check(self.instance, self.solution)

    def time_first_check(self, family):
        """With the instance's own checks and its cost tables."""
        check(replace(self.instance), self.solution)

    def time_exact_check(self, family):
        """With the reading of both texts."""
        exact_verdict(*self.texts)

    def track_cost(self, family):
        return check(self.instance, self.solution).objective

    def time_digest(self, family):
        serialization.digest(serialization.of_instance(self.instance))

    def time_permuted(self, family):
        permuted(self.instance, 1)

    track_cost.unit = "$"


class CsvTriple:
    """The three files of the authors' program, of 400 jobs that may take every node type."""

    def setup(self):
        self.folder = tempfile.TemporaryDirectory()
        self.instance = replace(made("kiros")[0], objective=FAMILIES["gpuscheduler"], H=0.0)
        gpuscheduler_csv.write(self.instance, self.folder.name)

    def teardown(self):
        self.folder.cleanup()

    def time_read(self):
        gpuscheduler_csv.read_any(self.folder.name)

    def time_write(self):
        gpuscheduler_csv.write(self.instance, self.folder.name)
