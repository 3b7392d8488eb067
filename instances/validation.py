"""
Validation of input: whether an instance or a workload is well-formed, once, when it is made.

Whether a solution is feasible is another question: see `check`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import gcd
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import InputError, described, escaped, refuse_control
from rsjs.core.method import ENERGY, EXPECTATION, OPEN_NODES, TARDINESS_AT
from rsjs.core.types import Bools
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.jobs import ARRAYS

if TYPE_CHECKING:
    from rsjs.instances.cluster import Cluster, NodeType
    from rsjs.instances.instance import Instance, Objective, Workload
    from rsjs.instances.jobs import Jobs


LARGEST_DENOMINATOR = 60  # of GPU shares: finer ones have too many fill patterns
MOST_UNITS = 10_000  # of a GPU: rooms are tables by units
LARGEST = 1e15  # of any number: products stay finite and differences keep their cents
MOST_NODES = 1_000_000


def check_instance(instance: Instance) -> None:
    """Raise InputError at the first entry that is not valid."""
    _check_parts(instance)
    _number("/now", instance.now, -LARGEST)
    jobs = instance.jobs
    _first("release", jobs.release > instance.now, jobs.release, f"<= now = {instance.now:g}")
    _check_admissible(instance)
    _check_proportional(instance)
    _check_current(instance)


def check_arrivals(jobs: Jobs) -> None:
    """Raise InputError at the first job of a workload that comes too early or has begun."""
    early = np.append(False, np.diff(jobs.release) < 0)
    _first("release", early, jobs.release, "a release no earlier than the job before")
    _first("epochs_done", jobs.epochs_done != 0, jobs.epochs_done, "0 in a workload")


def check_realised_epochs(workload: Workload) -> None:
    """Raise InputError at the first job whose realised epochs its distribution cannot take."""
    jobs, realised = workload.jobs, workload.realised_epochs
    if realised.shape != (len(jobs),):
        _fail("/realised/epochs", described(f"{realised.size} entries"), f"{len(jobs)} entries")
    supports = {
        name: {*law.epochs[law.weights > 0].tolist()} for name, law in workload.laws.items()
    }
    for j, epochs in enumerate(realised.tolist()):
        support = supports.get(jobs.law[j], {jobs.epochs_max[j].item()})
        if epochs not in support:
            _fail(f"/realised/epochs/{j}", epochs, f"an epoch that law {jobs.law[j]!r} can take")


def _check_parts(subject: Instance) -> None:
    if not subject.name:
        _fail("/name", subject.name, "a name")
    refuse_control("/name", subject.name)
    check_cluster(subject.cluster)
    _check_objective(subject.objective)
    _number("/H", subject.H, 0.0)
    _number("/rho", subject.rho, 0.0)
    for name, law in subject.laws.items():
        where = f"/laws/{escaped(name)}"
        refuse_control(where, name)
        if name == FIXED:
            _fail(where, name, f"another name: {FIXED!r} is all mass on epochs_max")
        if len(law.epochs) == 0 or law.weights.sum() <= 0:
            _fail(where, described("no mass"), "a law with a positive sum of weights")
        if (law.weights < 0).any():
            _fail(where, int(law.weights.min()), "weights >= 0")
        if law.epochs[0] < 1 or (np.diff(law.epochs) <= 0).any():
            _fail(where, law.epochs.tolist(), "strictly increasing epochs >= 1")
    _check_jobs(subject)


def check_cluster(cluster: Cluster) -> None:
    """Raise InputError at the first entry that is not valid."""
    _names("/cluster/gpu_types", [gpu.name for gpu in cluster.gpu_types])
    for i, gpu in enumerate(cluster.gpu_types):
        where = f"/cluster/gpu_types/{i}"
        _number(f"{where}/memory_gb", gpu.memory_gb, 0.0)
        if not 1 <= gpu.units <= MOST_UNITS:
            _fail(f"{where}/units", gpu.units, f"1 to {MOST_UNITS} units")
        for level, share in enumerate(gpu.levels):
            if not 1 <= share.units < gpu.units:
                expected = f"1 to {gpu.units - 1}, of {gpu.units} units"
                _fail(f"{where}/levels/{level}/units", share.units, expected)
            _number(f"{where}/levels/{level}/max_memory_gb", share.max_memory_gb, 0.0)
        denominator = gpu.units // gcd(gpu.units, *(share.units for share in gpu.levels))
        if denominator > LARGEST_DENOMINATOR:
            _fail(f"{where}/levels", denominator, f"a denominator <= {LARGEST_DENOMINATOR}")
    _names("/cluster/node_types", [node_type.name for node_type in cluster.node_types])
    known = {gpu.name for gpu in cluster.gpu_types}
    for v, node_type in enumerate(cluster.node_types):
        if node_type.gpu_type not in known:
            _fail(
                f"/cluster/node_types/{v}/gpu_type",
                node_type.gpu_type,
                f"one of {_listed(known)}",
            )
        _check_cost_curve(f"/cluster/node_types/{v}", node_type)
    _check_groups(cluster)


def _check_cost_curve(where: str, node_type: NodeType) -> None:
    if node_type.gpus < 1:
        _fail(f"{where}/gpus", node_type.gpus, "at least 1 GPU")
    for k, cost in enumerate(node_type.cost):
        _number(f"{where}/cost/{k}", cost, 0.0)
    if node_type.cost[0] != 0:
        _fail(f"{where}/cost/0", node_type.cost[0], "0 $/h with no GPU in use")
    for k in range(1, node_type.gpus + 1):
        if node_type.cost[k] < node_type.cost[k - 1]:
            _fail(f"{where}/cost/{k}", node_type.cost[k], f">= {node_type.cost[k - 1]:g}")


def _check_groups(cluster: Cluster) -> None:
    if not cluster.groups:
        _fail("/cluster/nodes", [], "at least one group of nodes")
    known = {node_type.name for node_type in cluster.node_types}
    for i, group in enumerate(cluster.groups):
        where = f"/cluster/nodes/{i}"
        if group.count < 1:
            _fail(f"{where}/count", group.count, "at least 1 node")
        _names(f"{where}/types", group.types)
        for t, name in enumerate(group.types):
            if name not in known:
                _fail(f"{where}/types/{t}", name, f"one of {_listed(known)}")
        if group.names and len(group.names) != group.count:
            found = described(f"{len(group.names)} names")
            _fail(f"{where}/names", found, f"{group.count} names")
    if cluster.nodes > MOST_NODES:
        _fail("/cluster/nodes", described(f"{cluster.nodes} nodes"), f"at most {MOST_NODES}")
    counted = Counter(cluster.node_names)
    if len(counted) != cluster.nodes:
        twice = next(name for name, count in counted.items() if count > 1)
        _fail("/cluster/nodes", twice, "node names that differ")
    for name in counted:
        refuse_control("/cluster/nodes", name)


def _check_objective(objective: Objective) -> None:
    kinds = {
        "energy": ENERGY,
        "tardiness_at": TARDINESS_AT,
        "open_nodes": OPEN_NODES,
        "expectation": EXPECTATION,
    }
    for name, known in kinds.items():
        if getattr(objective, name) not in known:
            _fail(f"/objective/{name}", getattr(objective, name), f"one of {_listed(known)}")
    for name in ("mu", "migration", "start"):
        _number(f"/objective/{name}", getattr(objective, name), 0.0)


def check_no_change_costs(objective: Objective) -> None:
    """Refuse costs of migrations and starts, which simulations do not charge."""
    for name in ("migration", "start"):
        if (value := getattr(objective, name)) != 0:
            _fail(f"/objective/{name}", value, "0: only an instance charges migrations and starts")


def _check_jobs(subject: Instance) -> None:
    jobs = subject.jobs
    _names("/jobs", jobs.id, "id")
    for j, name in enumerate(jobs.application):
        refuse_control(f"/jobs/{j}/application", name)
    _check_shapes(subject.cluster, jobs)
    signed, positive = ("release", "due"), ("weight", "memory_gb", "slowest_hours_per_epoch")
    for name, low in [*((name, -LARGEST) for name in signed), *((name, 0) for name in positive)]:
        values = getattr(jobs, name)
        _first(name, ~((values >= low) & (values <= LARGEST)), values, _between(low))
    _first("epochs_max", jobs.epochs_max < 1, jobs.epochs_max, "at least 1 epoch")
    done = jobs.epochs_done
    _first("epochs_done", ~((done >= 0) & (done < jobs.epochs_max)), done, "in [0, epochs_max)")
    for j, name in enumerate(jobs.law):
        if name == FIXED:
            continue
        law = subject.laws.get(name)
        if law is None:
            _fail(f"/jobs/{j}/law", name, f"one of {_listed([FIXED, *subject.laws])}")
        if law.last > jobs.epochs_max[j]:
            expected = f">= {law.last}, the last epoch of law {name!r}"
            _fail(f"/jobs/{j}/epochs_max", int(jobs.epochs_max[j]), expected)
        if law.last <= done[j]:
            expected = f"< {law.last}, the last epoch of law {name!r}"
            _fail(f"/jobs/{j}/epochs_done", float(done[j]), expected)
    _check_times(subject.cluster, jobs)


def _check_shapes(cluster: Cluster, jobs: Jobs) -> None:
    """Check shapes, which programs that build their own arrays may get wrong."""
    rows, types = len(jobs), len(cluster.gpu_types)
    levels = max(len(gpu.levels) for gpu in cluster.gpu_types)
    shapes = {"hours_per_epoch": (types, cluster.largest + 1), "inflation": (types, levels)}
    for name in vars(jobs):
        expected = (rows, *shapes.get(name, ()))
        found = np.shape(getattr(jobs, name)) if name in ARRAYS else (len(getattr(jobs, name)),)
        if found != expected:
            _fail("/jobs", described(f"{name} of shape {found}"), f"shape {expected}")
    if not np.isinf(jobs.hours_per_epoch[:, :, 0]).all():
        _fail("/jobs", described("hours per epoch on 0 GPUs"), "inf: there is no such choice")


def _check_times(cluster: Cluster, jobs: Jobs) -> None:
    hours = jobs.hours_per_epoch
    for j, i, k in np.argwhere(~((hours > 0) & (np.isinf(hours) | (hours <= LARGEST))))[:1]:
        gpu = escaped(cluster.gpu_types[i].name)
        where = f"/jobs/{j}/hours_per_epoch/{gpu}/{k - 1}"
        _fail(where, hours[j, i, k].item(), f"a number > 0, at most {LARGEST:g}")
    factor = jobs.inflation
    for j, i, level in np.argwhere(~((factor >= 1) & (np.isinf(factor) | (factor <= LARGEST))))[:1]:
        gpu = escaped(cluster.gpu_types[i].name)
        where = f"/jobs/{j}/inflation/{gpu}/{level}"
        _fail(where, factor[j, i, level].item(), _between(1))


def _check_admissible(instance: Instance) -> None:
    runs = np.isfinite(instance.hours_per_epoch).any(axis=(1, 2))
    runs |= np.isfinite(instance.shared_hours_per_epoch).any(axis=(1, 2))
    for j in np.flatnonzero(~runs)[:1]:
        _fail(
            f"/jobs/{j}",
            described(f"job {instance.jobs.id[j]!r} with no admissible configuration"),
            "a time and enough memory on some node type",
        )


def _check_proportional(instance: Instance) -> None:
    if instance.objective.energy != "proportional":
        return
    for v, node_type in enumerate(instance.cluster.node_types):
        if not node_type.flat:
            expected = "one price for every number of GPUs in use: energy is proportional"
            _fail(f"/cluster/node_types/{v}/cost", list(node_type.cost), expected)
    if instance.has_sharing:
        found = described("jobs that may share a GPU")
        _fail("/objective/energy", found, "dedicated GPUs only: energy is proportional")


def ranges_of_entries(instance: Instance) -> dict[str, tuple[int, int, int]]:
    """Return the size of each array of a solution, and min and max of its entries."""
    cluster, jobs = instance.cluster, len(instance.jobs)
    return {
        "job_node": (jobs, -1, cluster.nodes - 1),
        "job_gpus": (jobs, 0, cluster.largest),
        "job_level": (jobs, -1, instance.jobs.inflation.shape[2] - 1),
        "node_type": (cluster.nodes, -1, len(cluster.node_types) - 1),
    }


def _check_current(instance: Instance) -> None:
    if instance.current is None:
        return
    for name, (size, low, high) in ranges_of_entries(instance).items():
        values = getattr(instance.current, name)
        if values.shape != (size,):
            _fail(f"/current/{name}", described(f"{values.size} entries"), f"{size} entries")
        for i in np.flatnonzero((values < low) | (values > high))[:1]:
            _fail(f"/current/{name}/{i}", int(values[i]), f"{low} to {high}")


def _names(where: str, names: Sequence[str], key: str = "name") -> None:
    if not names:
        _fail(where, [], "at least one entry")
    seen: set[str] = set()
    suffix = "" if where.endswith("/types") else f"/{key}"
    for i, name in enumerate(names):
        if not name or name in seen:
            _fail(f"{where}/{i}{suffix}", name, "a name that no other entry has")
        refuse_control(f"{where}/{i}{suffix}", name)
        seen.add(name)


def _first(name: str, bad: Bools, values: NDArray[Any], expected: str) -> None:
    for j in np.flatnonzero(bad)[:1]:
        _fail(f"/jobs/{j}/{name}", values[j].item(), expected)


def _number(where: str, value: float, low: float) -> None:
    if not low <= value <= LARGEST:
        _fail(where, value, _between(low))


def _between(low: float) -> str:
    return f"a number from {low:g} to {LARGEST:g}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _fail(pointer: str, value: Any, expected: str) -> NoReturn:
    raise InputError(pointer, value, expected)
