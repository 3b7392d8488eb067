"""
Random instances of ANDREAS (Filippini et al. 2021), section V-B: fixed nodes, energy by power.

From the paper: half of the nodes have V100 GPUs, the others T4 (its TURING): 2 and 1 of them in
scenario 1, 4 and 2 in scenario 2; energy at 0.172 EUR/kWh with PUE 1.33; rho = 100; jobs of LSTM,
EfficientNet and simple convolutional networks in TensorFlow, drawn with different batches and
epochs; J = 10 N; a mixed load of arrivals. From the authors' program, where the paper is silent:
due dates uniform on [min t, 3 min t], weights 2 U(0.0015, 0.0075) per second, blocks of the load.

Left open by both, decided here:

* With odd N the further node has V100. Groups: V100, then T4.
* Networks: LSTM, EfficientNet-B0, and AlexNet as the simple convolutional network of the
  catalogue; all batches in its memory table (they fit a T4), 130 000 samples per epoch, weak
  scaling.
* epochs_max is uniform on 10, ..., 100: 6 minutes to 20 hours on one GPU.
* A node with k GPUs in use draws node base power + k times the mean training power of the three
  networks: power may not depend on the job, and idle GPUs count as part of the base.
* H = 1 h, as in Jahani 2019; one currency: EUR and $ are not converted.

With `profiles` the applications, times and GPU types are those of a user's own catalogue, which the
Job Profiler of section III would have made; see `energy_priced_nodes`.

Sizes nest; scenarios and arrivals are paired: the same seed draws the same jobs, with nearer due
dates where more GPUs make them faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from rsjs.core.errors import InputError, integer
from rsjs.core.own_code import as_given
from rsjs.instances.catalogue.gpus import batches, gpu_type
from rsjs.instances.cluster import Cluster
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators import energy_priced_nodes
from rsjs.instances.generators.assemble import InstanceParts, due_window
from rsjs.instances.generators.energy_priced_nodes import trained_node
from rsjs.instances.generators.job_times import JobTimes, training_jobs
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.profiles.user_catalogue import read_catalogue
from rsjs.instances.validation import MOST_NODES

FAMILY = "andreas"
SCENARIOS: Mapping[int, Mapping[str, int]] = MappingProxyType(
    {1: MappingProxyType({"V100": 2, "T4": 1}), 2: MappingProxyType({"V100": 4, "T4": 2})}
)
NETWORKS = ("LSTM", "EfficientNet-B0", "AlexNet")
EPOCHS = (10, 100)
WEIGHT = (2 * 0.0015 * 3600, 2 * 0.0075 * 3600)  # $/h
GAP = 30_000.0  # s, of the authors' program


def generate(
    *, nodes: int, jobs: int, seed: int, scenario: int = 1, profiles: str | None = None
) -> Instance:
    """
    Return an instance at time 0 with all jobs submitted.

    Parameters
    ----------
    nodes, jobs : int
        N and J, >= 1; the paper has 10 to 100 nodes and J = 10 N.
    seed : int
        >= 0.
    scenario : 1 | 2
        2 V100 or 1 T4 on a node, or twice as many; not used with `profiles`.
    profiles : str, optional
        File of format rsjs-catalogue/1.

    Returns
    -------
    Instance
        Named andreas-scenario<scenario>-at0-N<nodes>-J<jobs>-s<seed>, or with the name of the
        file in place of the scenario.

    Raises
    ------
    InputError
        Naming the argument.
    """
    return _draw(nodes, jobs, seed, scenario, profiles).instance()


def workload(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    scenario: int = 1,
    profiles: str | None = None,
    law: str = "mixed",
    gap_seconds: float | None = None,
) -> Workload:
    """
    Return the jobs of `generate` submitted over time; due dates count from submission.

    Parameters
    ----------
    nodes, jobs, seed, scenario, profiles
        As in `generate`.
    law : "mixed" | "high" | "low" | "exp" | "integer_poisson" | "constant"
        See `arrivals`; V-B has the first.
    gap_seconds : float, optional
        The mean gap times the number of nodes [s], 30 000 by default; none for the loads.

    Returns
    -------
    Workload
        Every job runs all its epochs.
    """
    return _draw(nodes, jobs, seed, scenario, profiles).workload(law, gap_seconds, GAP)


def _draw(nodes: int, jobs: int, seed: int, scenario: int, profiles: str | None) -> InstanceParts:
    nodes, jobs = integer("nodes", nodes, 1, MOST_NODES), integer("jobs", jobs, 1)
    seed, scenario = integer("seed", seed, 0), integer("scenario", scenario, 1)
    if scenario not in SCENARIOS:
        raise InputError("/scenario", scenario, f"one of {', '.join(map(str, SCENARIOS))}")
    parameters: dict[str, int | str] = {
        "nodes": nodes,
        "jobs": jobs,
        "seed": seed,
        "scenario": scenario,
    }
    if profiles is None:
        variant, cluster = f"scenario{scenario}", _cluster(nodes, SCENARIOS[scenario])
        times: JobTimes = training_jobs(
            FAMILY,
            seed,
            jobs,
            cluster,
            batches={network: batches(network) for network in NETWORKS},
            frameworks=("TensorFlow",),
            epochs=EPOCHS,
        )
    else:
        variant, parameters["profiles"] = Path(profiles).stem, str(profiles)
        catalogue = read_catalogue(as_given(profiles))
        cluster = energy_priced_nodes.measured_cluster(catalogue, nodes)
        times = energy_priced_nodes.measured_jobs(catalogue, FAMILY, seed, jobs, cluster, EPOCHS)
    return InstanceParts(
        family=FAMILY,
        variant=(variant, ""),
        parameters=parameters,
        cluster=cluster,
        times=times,
        due=due_window("thrice", times.admissible_hours(cluster)),
        weight=WEIGHT,
        law=(FIXED,) * jobs,
    )


def _cluster(nodes: int, gpus: Mapping[str, int]) -> Cluster:
    types = [trained_node(gpu, size, NETWORKS) for gpu, size in gpus.items()]
    return Cluster.of_fixed(map(gpu_type, gpus), types, (nodes - nodes // 2, nodes // 2))
