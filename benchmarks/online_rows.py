"""
Rows of simulated workloads: which are kept of a store, and what several say together.

STS is the policy `sts:fallback`; avgEDF and avgRG plan with mean numbers of epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rsjs.campaigns.collection import collect
from rsjs.paper_claims.sts import DP, EDF, LITERAL, MEAN_DP, MEAN_EDF, MEAN_RG, RG, STS

Row = dict[str, Any]

PREEMPTIVE, GREEDY, ROLL = "queue:pedf", "queue:greedy", "roll"
OF_ALL = f"{EDF}?fit=all"  # takes the fewest idle GPUs of all nodes, not of open ones first
REFERENCES = "references"
POLICIES = (  # in the order of tables
    *(EDF, OF_ALL, "queue:edf_alone", PREEMPTIVE, GREEDY, MEAN_EDF, RG, MEAN_RG, DP, MEAN_DP),
    *(LITERAL, STS, ROLL),
)
LAWS = ("exp50000", "low", "high")
FAMILIES = ("sts-km", "sts-a100", "sts-km-p05")
COLUMNS = (
    *(
        "instance",
        "nodes",
        "jobs",
        "method",
        "seed",
        "stop",
        "ended",
        "status",
        "objective",
        "energy",
    ),
    *("message", "tardiness", "late", "utilisation", "makespan_h", "longest_queue", "decisions"),
    *("decision_median_s", "policy_s", "best_bound", "clairvoyant_greedy", "infinite_cluster"),
    *("run_id", "rsjs_version", "commit", "dirty", "cpu_model"),
)


class Case(NamedTuple):
    """What the name says: sts-<mix>-<sharing>-<arrivals>-<speedup>-...-N<nodes>-J<jobs>-s<seed>."""

    mix: str
    sharing: str
    arrivals: str
    speedup: str
    nodes: int

    @property
    def family(self) -> str:
        """The name in tables."""
        return "-".join(["sts", self.mix] + (["p05"] if self.speedup == "p0.5" else []))

    @property
    def is_shared(self) -> bool:
        """Whether jobs may share GPUs."""
        return self.sharing != "none"


def case_of(instance: str) -> Case:
    """The case of a workload."""
    _, mix, sharing, arrivals, speedup, *_, nodes, _, _ = instance.split("-")
    return Case(mix, sharing, arrivals, speedup, int(nodes.removeprefix("N")))


def kept(stores: Sequence[Path]) -> list[Row]:
    """The rows of stores, with the columns that are kept."""
    return [{name: row.get(name) for name in COLUMNS} for row in collect(stores).rows]


def merged(before: Sequence[Row], now: Sequence[Row]) -> list[Row]:
    """Rows of workload, policy and seed if any, those of now where both have one, in order."""
    rows = {(row["instance"], row["method"], row.get("seed")): row for row in (*before, *now)}
    return [rows[key] for key in sorted(rows)]


@dataclass(frozen=True)
class Runs:
    """Runs that completed, by workload and policy."""

    by_workload: dict[str, dict[str, Row]]

    @staticmethod
    def of(rows: Iterable[Row]) -> Runs:
        """
        Of the rows of one campaign, in which each policy has one seed.

        A campaign that has not ended shall mislead nobody: workloads without sharing count once
        their references are known, and a policy where it has run on all workloads of a case.
        """
        found: dict[str, dict[str, Row]] = {}
        for row in rows:
            found.setdefault(row["instance"], {})[row["method"]] = row
        found = {
            name: runs
            for name, runs in found.items()
            if REFERENCES in runs or case_of(name).is_shared
        }
        everywhere: dict[Case, set[str]] = {}
        for name, runs in found.items():
            everywhere.setdefault(case_of(name), {*runs}).intersection_update(runs)
        return Runs(
            {
                name: {
                    policy: row
                    for policy, row in runs.items()
                    if policy in everywhere[case_of(name)]
                    and (policy == REFERENCES or row["objective"] is not None)
                }
                for name, runs in found.items()
            }
        )

    def where(self, wanted: Callable[[Case], bool]) -> Runs:
        """Those on some cases."""
        return Runs({k: v for k, v in self.by_workload.items() if wanted(case_of(k))})

    @property
    def plain(self) -> Runs:
        """Those without sharing."""
        return self.where(lambda case: not case.is_shared)

    def of_family(self, family: str, *laws: str) -> Runs:
        """Those of a family, with and without sharing, with one of some arrival processes."""
        return self.where(lambda case: case.family == family and case.arrivals in laws)

    def on(self, nodes: int) -> Runs:
        """Those on so many nodes."""
        return self.where(lambda case: case.nodes == nodes)

    def ratio(self, policy: str, column: str, other: str, below: str = "") -> float | None:
        """
        Sum of a column per node over that of another policy, on workloads that both completed.

        Parameters
        ----------
        below : str, optional
            Column of the other one, if not the same.
        """
        above = under = 0.0
        for runs in self.by_workload.values():
            if policy in runs and other in runs:
                nodes = runs[policy]["nodes"]
                above += runs[policy][column] / nodes
                under += runs[other][below or column] / nodes
        return above / under if under else None

    def shared_over_plain(self, policy: str) -> float | None:
        """Energy where jobs may share GPUs, and may end up to 20 % later, over that where not."""
        shared = plain = 0.0
        for name, own in self.by_workload.items():
            other = self.by_workload.get(name.replace("-paper-", "-none-"), {})
            if "-paper-" in name and policy in own and policy in other:
                shared += own[policy]["energy"] / own[policy]["nodes"]
                plain += other[policy]["energy"] / other[policy]["nodes"]
        return shared / plain if plain else None

    def late(self, policy: str) -> float | None:
        """Share of the jobs that are late."""
        rows = [runs[policy] for runs in self.by_workload.values() if policy in runs]
        jobs = sum(row["jobs"] for row in rows)
        return sum(row["late"] for row in rows) / jobs if jobs else None

    def mean(self, policy: str, column: str) -> float | None:
        """Mean of a column."""
        found = [runs[policy][column] for runs in self.by_workload.values() if policy in runs]
        return sum(found) / len(found) if found else None

    @property
    def cases(self) -> list[Case]:
        """Of the workloads, each once."""
        return list(dict.fromkeys(map(case_of, self.by_workload)))

    @property
    def sizes(self) -> list[int]:
        """N of the workloads."""
        return sorted({case.nodes for case in self.cases})

    @property
    def policies(self) -> list[str]:
        """Every policy, in order of first appearance."""
        return list(dict.fromkeys(p for runs in self.by_workload.values() for p in runs))
