"""
The check once more, in exact rational arithmetic on the text of the files.

Deliberately a second implementation: plain loops over the JSON documents, no array, no float
and no code shared with `costs` and `check`. Both verdicts are tested to agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from rsjs.instances.check import Violation
from rsjs.instances.documents import Document
from rsjs.instances.epochs import FIXED
from rsjs.instances.errors import InputError, described
from rsjs.instances.exact_counts import fewest_bins, largest_matching

ZERO = Fraction(0)
MOST_TERMS = 1_000_000  # epochs of laws, summed over the jobs: seconds
Law = list[tuple[Fraction, Fraction]]  # (remaining epochs, probability)


@dataclass(frozen=True, kw_only=True)
class ExactVerdict:
    """As `check.Verdict`, with Fractions; claims are compared to 1e-6 relative."""

    feasible: bool
    violations: tuple[Violation, ...]
    terms: dict[str, Fraction] | None = None
    objective: Fraction | None = None


def check_exact(
    instance: Document, solution: Document, *, instance_digest: str | None = None
) -> ExactVerdict:
    """
    Check the decision in one document against the instance in another.

    Parameters
    ----------
    instance, solution : documents read by `files.read_exact`
        Valid by schema and sense; numbers are int or Fraction.
    instance_digest : str, optional
        sha256 of the instance; a solution made for another one is a violation.
    """
    decision = _Decision(instance, solution)
    found = list(decision.violations(instance_digest))
    if found:
        return ExactVerdict(feasible=False, violations=tuple(found))
    terms = decision.terms()
    total = sum(terms.values(), ZERO)
    found = [*decision.open_nodes(), *_claims(total, solution)]
    return ExactVerdict(feasible=not found, violations=tuple(found), terms=terms, objective=total)


class _Decision:
    def __init__(self, instance: Document, solution: Document) -> None:
        self.instance, self.solution = instance, solution
        self.jobs, self.kind = instance["jobs"], instance["objective"]
        laws = instance["laws"]
        terms = sum(len(laws.get(job["law"], ())) for job in self.jobs)
        if self.kind["expectation"] == "expected" and terms > MOST_TERMS:
            expected = f"at most {MOST_TERMS} in exact numbers (rsjs_verify.py takes more)"
            raise InputError("/jobs", described(f"{terms} epochs of the jobs' laws"), expected)
        cluster = instance["cluster"]
        self.types = cluster["node_types"]
        self.gpus = {gpu["name"]: gpu for gpu in cluster["gpu_types"]}
        self.allowed = [group["types"] for group in cluster["nodes"] for _ in range(group["count"])]
        present = {name for types in self.allowed for name in types}
        self.largest: dict[str, int] = defaultdict(int)
        for v in self.types:
            if v["name"] in present:
                self.largest[v["gpu_type"]] = max(self.largest[v["gpu_type"]], v["gpus"])

    def violations(self, instance_digest: str | None) -> list[Violation]:
        """Of the first stage that finds any: the later ones rely on the earlier ones."""
        return (
            [*self._claimed_instance(instance_digest), *self._arrays()]
            or [
                *self._node_types(),
                *(found for j in range(len(self.jobs)) for found in self._job(j)),
            ]
            or [*self._capacity()]
        )

    def _claimed_instance(self, instance_digest: str | None) -> Iterator[Violation]:
        claimed = self.solution["instance"]
        if instance_digest not in (None, claimed):
            yield _violation("instance", "/instance", claimed, f"sha256 {instance_digest}")

    def _arrays(self) -> Iterator[Violation]:
        jobs, nodes = len(self.jobs), len(self.allowed)
        gpus = max(v["gpus"] for v in self.types)
        levels = max(len(gpu["levels"]) for gpu in self.gpus.values())
        expected = {
            "job_node": (jobs, -1, nodes - 1),
            "job_gpus": (jobs, 0, gpus),
            "job_level": (jobs, -1, levels - 1),
            "node_type": (nodes, -1, len(self.types) - 1),
        }
        for name, (size, low, high) in expected.items():
            values = self.solution[name]
            if len(values) != size:
                yield _violation("shape", f"/{name}", f"{len(values)} entries", size)
                continue
            for i, value in enumerate(values):
                if not low <= value <= high:
                    yield _violation("range", f"/{name}/{i}", value, f"{low} to {high}")

    def _node_types(self) -> Iterator[Violation]:
        for n, v in enumerate(self.solution["node_type"]):
            if v >= 0 and self.types[v]["name"] not in self.allowed[n]:
                name = self.types[v]["name"]
                yield _violation("allowed_type", f"/node_type/{n}", name, self.allowed[n])

    def _job(self, j: int) -> Iterator[Violation]:
        node, gpus, level = (
            self.solution[name][j] for name in ("job_node", "job_gpus", "job_level")
        )
        if node == -1:
            if gpus != 0 or level != -1:
                where = f"/job_gpus/{j}" if gpus else f"/job_level/{j}"
                yield _violation("postponed", where, gpus or level, "nothing")
        elif (gpus > 0) == (level >= 0):
            yield _violation("one_configuration", f"/job_gpus/{j}", gpus, "GPUs or a level")
        elif self.solution["node_type"][node] < 0:
            yield _violation("node_on", f"/job_node/{j}", node, "a node that is on")
        elif gpus > self._type(node)["gpus"]:
            yield _violation("node_size", f"/job_gpus/{j}", gpus, f"{self._type(node)['gpus']}")
        elif self._rate(j, self._type(node)["gpu_type"], gpus, level) is None:
            name = "memory" if self._too_big(j, node, level) else "admissible"
            where, found = ("job_gpus", gpus) if level < 0 else ("job_level", level)
            yield _violation(name, f"/{where}/{j}", found, "an admissible configuration")

    def _too_big(self, j: int, node: int, level: int) -> bool:
        gpu = self.gpus[self._type(node)["gpu_type"]]
        limits = [gpu["memory_gb"]]
        if 0 <= level < len(gpu["levels"]):
            limits.append(gpu["levels"][level]["max_memory_gb"])
        return bool(self.jobs[j]["memory_gb"] > min(limits))

    def _capacity(self) -> Iterator[Violation]:
        for n, used in sorted(self._used().items()):
            if used > self._type(n)["gpus"]:
                yield _violation("capacity", f"/node_type/{n}", used, self._type(n)["gpus"])

    def open_nodes(self) -> Iterator[Violation]:
        kind = self.kind["open_nodes"]
        if kind == "free":
            return
        selected = sum(v >= 0 for v in self.solution["node_type"])
        busy = len({n for n in self.solution["job_node"] if n >= 0})
        found = selected if kind == "jahani_eq" else busy
        required = min(len(self.jobs), len(self.allowed))
        if kind == "rsjs_eq_feasible":
            required = self._matching()
        if found != required:
            yield _violation("open_nodes", "/node_type", found, required)

    def terms(self) -> dict[str, Fraction]:
        running = [j for j, n in enumerate(self.solution["job_node"]) if n >= 0]
        hours = {j: self._hours(j) for j in running}
        first = min(hours.values(), default=ZERO)
        return {
            "tardiness": sum((self._tardiness(j, first) for j in running), ZERO),
            "postponement": sum(
                (self._postponement(j) for j in range(len(self.jobs)) if j not in hours), ZERO
            ),
            "energy": self._energy(hours, first),
            "idle": self.kind["mu"] * Fraction(self._idle()),
        }

    def _tardiness(self, j: int, first: Fraction) -> Fraction:
        job = self.jobs[j]
        slack = Fraction(job["due"] - self.instance["now"])
        if self.kind["tardiness_at"] == "next_event":
            return Fraction(job["weight"]) * max(ZERO, first - slack)
        return Fraction(job["weight"]) * self._excess(j, self._rate_of(j), slack)

    def _postponement(self, j: int) -> Fraction:
        job = self.jobs[j]
        slack = Fraction(job["due"] - self.instance["now"] - self.instance["H"])
        rates = [rate for rate in self._rates(j) if rate is not None]
        rates.append(Fraction(job.get("slowest_hours_per_epoch", 0)))
        price = Fraction(self.instance["rho"] * job["weight"])
        return price * self._excess(j, max(rates), slack)

    def _energy(self, hours: dict[int, Fraction], first: Fraction) -> Fraction:
        kind, total = self.kind["energy"], ZERO
        on_node: dict[int, list[int]] = defaultdict(list)
        for j in hours:
            on_node[self.solution["job_node"][j]].append(j)
        used = self._used()
        for n, members in on_node.items():
            price = Fraction(self._type(n)["cost"][used[n]])
            if kind == "first_ending":
                total += price * min(hours[j] for j in members)
            elif kind == "next_event":
                total += price * first
            else:
                for j in members:
                    share = Fraction(self.solution["job_gpus"][j], self._type(n)["gpus"])
                    total += share * price * hours[j]
        return total

    def _idle(self) -> int:
        capacity = sum(self.types[v]["gpus"] for v in self.solution["node_type"] if v >= 0)
        return int(capacity) - sum(self._used().values())

    def _hours(self, j: int) -> Fraction:
        """t_jq of the configuration chosen."""
        return self._rate_of(j) * self._epochs(j)

    def _epochs(self, j: int) -> Fraction:
        job, kind = self.jobs[j], self.kind["expectation"]
        worst, done = Fraction(job["epochs_max"] - job["epochs_done"]), job["epochs_done"]
        if kind == "worst_case" or job["law"] == FIXED:
            return worst
        if kind == "expected":
            return sum((left * p for left, p in self._law(j)), ZERO)
        pairs = self.instance["laws"][job["law"]]
        mean = Fraction(sum(e * w for e, w in pairs), sum(w for _, w in pairs))
        return mean - done if done < mean else worst

    def _excess(self, j: int, rate: Fraction, slack: Fraction) -> Fraction:
        """Hours beyond the slack at `rate` hours per epoch, or their expectation."""
        if self.kind["expectation"] == "expected":
            late = (max(ZERO, rate * left - slack) * p for left, p in self._law(j))
            return sum(late, ZERO)
        return max(ZERO, rate * self._epochs(j) - slack)

    def _law(self, j: int) -> Law:
        """Remaining epochs and probabilities, given that the job still runs."""
        job = self.jobs[j]
        done = job["epochs_done"]
        if job["law"] == FIXED:
            return [(Fraction(job["epochs_max"] - done), Fraction(1))]
        going_on = [(e, w) for e, w in self.instance["laws"][job["law"]] if e > floor(done)]
        mass = sum(w for _, w in going_on)
        return [(Fraction(e - done), Fraction(w, mass)) for e, w in going_on if w]

    def _rate_of(self, j: int) -> Fraction:
        gpu = self._type(self.solution["job_node"][j])["gpu_type"]
        rate = self._rate(j, gpu, self.solution["job_gpus"][j], self.solution["job_level"][j])
        assert rate is not None, "priced only when admissible"
        return rate

    def _rates(self, j: int) -> Iterator[Fraction | None]:
        """Hours per epoch of every configuration on the GPU types present."""
        for gpu, largest in self.largest.items():
            for k in range(1, largest + 1):
                yield self._rate(j, gpu, k, -1)
            for level in range(len(self.gpus[gpu]["levels"])):
                yield self._rate(j, gpu, 0, level)

    def _rate(self, j: int, gpu: str, gpus: int, level: int) -> Fraction | None:
        """Hours per epoch; None if not admissible."""
        job, kind = self.jobs[j], self.gpus[gpu]
        times = job["hours_per_epoch"].get(gpu, [])
        k = gpus if level < 0 else 1
        if job["memory_gb"] > kind["memory_gb"] or k > min(len(times), self.largest[gpu]):
            return None
        time = times[k - 1]
        if level < 0 or time is None:
            return None if time is None else Fraction(time)
        factors = job.get("inflation", {}).get(gpu, [])
        if level >= min(len(factors), len(kind["levels"])) or factors[level] is None:
            return None
        if job["memory_gb"] > kind["levels"][level]["max_memory_gb"]:
            return None
        return Fraction(time * factors[level])

    def _used(self) -> dict[int, int]:
        """Node -> GPUs in use: dedicated ones and the bins its shares need."""
        used: dict[int, int] = defaultdict(int)
        shares: dict[int, list[int]] = defaultdict(list)
        for j, n in enumerate(self.solution["job_node"]):
            if n < 0:
                continue
            used[n] += self.solution["job_gpus"][j]
            level = self.solution["job_level"][j]
            if level >= 0:
                gpu = self.gpus[self._type(n)["gpu_type"]]
                shares[n].append(gpu["levels"][level]["units"])
        for n, units in shares.items():
            size = self.gpus[self._type(n)["gpu_type"]]["units"]
            least = -(-sum(units) // size)
            fits = least <= self._type(n)["gpus"]
            used[n] += fewest_bins(units, size) if fits else least
        return used

    def _type(self, node: int) -> Any:
        return self.types[self.solution["node_type"][node]]

    def _matching(self) -> int:
        on_type = [
            {v["name"] for v in self.types if self._runs(j, v)} for j in range(len(self.jobs))
        ]
        return largest_matching(
            len(self.jobs),
            len(self.allowed),
            lambda j, n: not on_type[j].isdisjoint(self.allowed[n]),
        )

    def _runs(self, j: int, node_type: Any) -> bool:
        gpu = node_type["gpu_type"]
        dedicated = [(k, -1) for k in range(1, node_type["gpus"] + 1)]
        shared = [(0, level) for level in range(len(self.gpus[gpu]["levels"]))]
        return any(self._rate(j, gpu, k, level) is not None for k, level in dedicated + shared)


def _claims(total: Fraction, solution: Document) -> Iterator[Violation]:
    margin, rounding = Fraction(1, 10**6), Fraction(1, 10**9)
    objective, bound = solution.get("objective"), solution.get("bound")
    if objective is not None and abs(objective - total) > margin * max(Fraction(1), abs(total)):
        yield _violation("claimed_objective", "/objective", float(objective), float(total))
    if bound is not None and bound > total + margin * abs(total) + rounding:
        yield _violation("claimed_bound", "/bound", float(bound), f"<= {float(total)}")


def _violation(constraint: str, where: str, found: Any, expected: Any) -> Violation:
    return Violation(constraint=constraint, where=where, found=found, expected=str(expected))
