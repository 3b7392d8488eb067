"""Sound submissions as files, and the best-known values that they are checked against."""

import gzip
import json
from dataclasses import dataclass

import pytest

from rsjs import rsjs_verify
from rsjs.bks.candidates import Candidates, CostCandidate
from rsjs.bks.entries import Bound
from rsjs.bks.exact_cost import priced
from rsjs.bks.merge import update
from rsjs.core.call import Call
from rsjs.core.report import Report
from rsjs.formulations.enumeration import run as enumerate_all
from rsjs.instances.generators import jahani, sts
from rsjs.instances.io.serialization import of_instance, of_solution, of_workload
from rsjs.instances.library.sets import library_set
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.simulation import event_log
from rsjs.simulation.bounds import workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy

ABOUT = """format = "rsjs-submission/1"
family = "{family}"
name = "{name}"
who = ["A. Person", "B. Person"]
date = "2026-03-01"
method = "by hand"
reference = "doi:10.1000/1"
machine = "a laptop"
division = "closed"
licence = "CC-BY-4.0"

[limits]
time_s = 60
threads = 1
memory_mb = 4096
"""
LIMITS = {"time_limit": 10, "gap": 0, "threads": 1, "seed": 0, "memory_limit_mb": 1000}


def dumped(document):
    return json.dumps(document).encode()


@dataclass(frozen=True)
class Case:
    """An instance of the library, an own one and a workload, with what is true of them."""

    tiny: object
    best: Solution
    idle: Solution  # every job postponed
    optimum: float
    own: object
    own_best: Solution
    workload: object
    certificate: dict
    tree: dict  # of the bound of `own`
    log: str

    def sound(self, family="jahani", name="sound"):
        """Return the files of a submission: a solution, and a bound with the run it is from."""
        run = {
            "format": "rsjs-bound-run/1",
            "instance": self.tiny.digest,
            "bound": 0.9 * self.optimum,
            "method": "jahani_patterns@highs",
            "limits": LIMITS,
            "rsjs_version": "0.1.0",
            "solver_version": "1.15.1",
        }
        told = {"method": "by hand", "objective": self.optimum}
        solution = of_solution(self.best, self.tiny.digest, **told)
        return {
            "submission.toml": ABOUT.format(family=family, name=name).encode(),
            f"solutions/{self.tiny.digest}.json": dumped(solution),
            f"bounds/{self.tiny.digest}.json": dumped(run),
        }

    def other(self, name="sound"):
        """Return the files of a submission with an instance and a workload of its own."""
        own, workload = self.own.digest, self.workload.digest
        return {
            "submission.toml": ABOUT.format(family="other", name=name).encode(),
            f"instances/{own}.json": dumped(of_instance(self.own)),
            f"solutions/{own}.json": dumped(of_solution(self.own_best, own)),
            f"instances/{workload}.json.gz": gzip.compress(dumped(of_workload(self.workload))),
            f"bounds/{workload}.json": dumped(self.certificate),
            f"bounds/{own}.json": dumped(self.tree),
            f"solutions/{workload}.jsonl.gz": gzip.compress(self.log.encode()),
        }


def _best(instance):
    found = enumerate_all(instance, Call(), Report()).solution
    assert found is not None
    return found


@pytest.fixture(scope="session")
def case():
    """What submissions of the tests are about."""
    tiny = next(one for one in library_set("tiny").members if one.generator == "jahani").draw()
    idle = select_required_nodes(tiny, Solution.empty(len(tiny.jobs), tiny.cluster.nodes))
    best, own = _best(tiny), jahani.generate(nodes=2, jobs=3, seed=1)
    workload = sts.workload(nodes=2, jobs=10, seed=5, gap_seconds=10.0, law="exp")
    tree = {"format": "rsjs-bound/1", "instance": own.digest, "bound": -(10**6), "tree": [{}]}
    tree["bound"] = float(rsjs_verify.verify_bound(of_instance(own), tree))
    certificate = workload_bound(workload).certificate(workload, Options())
    assert any(sum(row) for rows in certificate["prices"].values() for row in rows.values())
    return Case(
        tiny=tiny,
        best=best,
        idle=idle,
        optimum=priced(tiny, best)["value"],
        own=own,
        own_best=_best(own),
        workload=workload,
        certificate=certificate,
        tree=tree,
        log=event_log.text(simulate(workload, policy("queue:edf", workload))),
    )


@pytest.fixture(scope="session")
def known(case, tmp_path_factory):
    """Best-known values of the instance of the library: a poor cost, and half the optimum."""
    folder = tmp_path_factory.mktemp("known")
    origin = {"date": "2026-01-01T00:00:00.000Z", "source": "campaign c", "method": "a@highs"}
    origin["run_id"] = "a" * 16
    value = priced(case.tiny, case.idle)["value"]
    cost = CostCandidate(**origin, value=value, read_solution=lambda: case.idle)
    bound = Bound(**origin, value=0.5 * case.optimum, bound_source="solver")
    update(folder, {case.tiny.digest: Candidates(instance=case.tiny, costs=[cost], bounds=[bound])})
    return folder


@pytest.fixture
def write(tmp_path):
    """The writer of a submission: `write(files, "family/name")` returns its folder."""

    def written(files, place):
        for name, data in files.items():
            path = tmp_path / "submissions" / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return tmp_path / "submissions" / place

    return written
