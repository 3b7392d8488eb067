"""An instance small enough to compute by hand, ways to damage it, and what both checkers say."""

import json
import pickle
from copy import deepcopy
from typing import Any

import pytest

from rsjs import rsjs_verify
from rsjs.core.errors import InputError
from rsjs.instances.check import check
from rsjs.instances.io.serialization import canonical_text, of_instance, of_solution

Document = dict[str, Any]

EXAMPLE = """
{"format": "rsjs-instance/1", "name": "by hand", "now": 1, "H": 1, "rho": 100,
 "objective": {"energy": "first_ending", "tardiness_at": "completion", "open_nodes": "free",
               "expectation": "worst_case", "mu": 0},
 "cluster": {
  "gpu_types": [
   {"name": "K80", "memory_gb": 24, "units": 4, "levels": [
    {"units": 1, "max_memory_gb": 6}, {"units": 2, "max_memory_gb": 12}]},
   {"name": "P", "memory_gb": 6, "units": 1, "levels": []}],
  "node_types": [
   {"name": "vm", "gpu_type": "K80", "gpus": 4, "cost": [0, 1.2, 1.2, 1.2, 1.2]},
   {"name": "box", "gpu_type": "P", "gpus": 2, "cost": [0, 0.5, 0.8]}],
  "nodes": [{"count": 2, "types": ["vm", "box"]}, {"count": 1, "types": ["box"]}]},
 "laws": {"short": [[2, 1], [4, 1], [8, 2]]},
 "jobs": [
  {"id": "a", "application": "x", "release": 0, "due": 4, "weight": 2, "memory_gb": 4,
   "epochs_max": 10, "epochs_done": 0, "law": "fixed",
   "hours_per_epoch": {"K80": [0.4, 0.25], "P": [0.5, 0.3]}, "inflation": {"K80": [3, 1.5]}},
  {"id": "b", "application": "x", "release": 0.5, "due": 2, "weight": 0.5, "memory_gb": 8,
   "epochs_max": 8, "epochs_done": 1.5, "law": "short",
   "hours_per_epoch": {"K80": [0.2], "P": [0.1, 0.08]}, "inflation": {"K80": [4, 2]}},
  {"id": "c", "application": "y", "release": 1, "due": 0.5, "weight": 1, "memory_gb": 0,
   "epochs_max": 4, "epochs_done": 0, "law": "fixed", "hours_per_epoch": {"P": [null, 1]}}]}
"""


@pytest.fixture(scope="session")
def example():
    """
    A fresh document: `example(energy="next_event")` changes the objective.

    Three nodes: two vm (4 K80) or box (2 P), one box. Job a runs anywhere; b needs 8 GB, so not
    on a P nor on a quarter of a K80; c is overdue and runs on two P only.
    """

    def make(**objective):
        document: Document = json.loads(EXAMPLE)
        document["objective"] |= objective
        return document

    return make


@pytest.fixture(scope="session")
def verdicts():
    """The verdicts of checker and verifier on a decision, after a test that they agree."""

    def both(instance, decision, digest=None, **claims):
        digest = digest or instance.digest
        verdict = check(instance, decision, instance_digest=digest, **claims)
        written = of_instance(instance), of_solution(decision, digest, **claims)
        document, claimed = (rsjs_verify.parsed(canonical_text(each)) for each in written)
        subject = rsjs_verify.Instance(document)
        assert subject.digest == instance.digest
        exact = rsjs_verify.verify(subject, rsjs_verify.fit(claimed, rsjs_verify.THE_SOLUTION))
        assert [(v.constraint, v.where) for v in verdict.violations] == [
            (v.constraint, v.where) for v in exact.violations
        ]
        assert verdict.feasible is exact.feasible is (not verdict.violations)
        assert (verdict.terms is None) is (exact.terms is None)
        for name, term in (verdict.terms or {}).items():
            assert term == pytest.approx(float(exact.terms[name]), rel=1e-9, abs=1e-6)
        return verdict, exact

    return both


@pytest.fixture(scope="session")
def edited():
    """A copy with other values at some pointers; the value "(gone)" takes the entry out."""
    return _edited


@pytest.fixture(scope="session")
def damage():
    """Replace, take out or double some entry of a document, chosen on the way down."""
    return _damage


@pytest.fixture
def refused(tmp_path):
    """
    The test that reading an edited document tells `message`.

    A message without pointer is told of the last edit: of the entry, or of where it is gone; `^`
    at its beginning is the parent of the entry.
    """

    def test(document, edits, read, message):
        path = tmp_path / "bad.json"
        path.write_text(json.dumps(_edited(document, edits)))
        with pytest.raises(InputError) as caught:
            read(path)
        where, value = list(edits.items())[-1] if edits else ("", None)
        parent = where.rpartition("/")[0]
        where = parent if value == "(gone)" else where
        message = parent + message[1:] if message.startswith("^") else message
        place = f"{where}: " if where and not message.startswith("/") else ""
        assert str(caught.value) == f"{path}: {place}{message}"
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)

    return test


def _edited(document, edits):
    document = deepcopy(document)
    for pointer, value in edits.items():
        *path, last = (s.replace("~1", "/").replace("~0", "~") for s in pointer.split("/")[1:])
        where: Any = document
        for step in path:
            where = where[int(step) if isinstance(where, list) else step]
        if value == "(gone)":
            del where[last]
        else:
            where[int(last) if isinstance(where, list) else last] = value
    return document


def _damage(document, rng, value):
    where, left = document, rng.randint(1, 7)
    while True:
        keys = list(where) if isinstance(where, dict) else list(range(len(where)))
        if not keys:
            return
        key = rng.choice(keys)
        left -= 1
        if left and isinstance(where[key], dict | list) and where[key]:
            where = where[key]
            continue
        kind = rng.choice(["replace", "replace", "remove", "add"])
        if kind == "replace":
            where[key] = value
        elif kind == "remove":
            del where[key]
        elif isinstance(where, dict):
            where[rng.choice([f"{key}/", "", key])] = value
        else:
            where.append(rng.choice([value, where[key]]))
        return
