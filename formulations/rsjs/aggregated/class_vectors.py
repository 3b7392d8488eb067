"""A decision as a column vector of the class-aggregated model."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.first_ending.costs import limits
from rsjs.formulations.rsjs.aggregated.columns import Array
from rsjs.formulations.rsjs.aggregated.rsjs_classes_data import ClassModel
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.solution import Solution


def vector(data: ClassModel, solution: Solution) -> Array:
    """The roles of the jobs that run, and the splits that make room for them."""
    x = np.zeros(len(data.role) + len(data.most_splits))
    known = data.role * len(data.instance.jobs) + data.job  # ascending
    for place, jobs, roles in _crews(data, solution):
        wanted = np.array(roles) * len(data.instance.jobs) + np.array(jobs)
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        x[at[known[at] == wanted]] = 1.0
        if len(data.most_splits):
            _cut(data, place, roles, x[len(data.role) :])
    return x


def roles_of_jobs(data: ClassModel, solution: Solution) -> dict[int, int]:
    """Job -> its role, for the jobs that run."""
    crews = _crews(data, solution)
    return {j: role for _, jobs, roles in crews for j, role in zip(jobs, roles, strict=True)}


def _crews(data: ClassModel, solution: Solution) -> list[tuple[int, list[int], list[int]]]:
    """Place, jobs (the leader first) and roles on each busy node."""
    roles, cluster = data.roles, data.instance.cluster
    triples = zip(roles.place.tolist(), roles.shape.tolist(), roles.paid.tolist(), strict=True)
    number = {triple: role for role, triple in enumerate(triples)}
    places = zip(roles.node_class.tolist(), roles.node_type.tolist(), strict=True)
    place_of = {pair: place for place, pair in enumerate(places)}
    shapes = zip(roles.shape_gpu.tolist(), roles.gpus.tolist(), roles.level.tolist(), strict=True)
    shape_of = {triple: shape for shape, triple in enumerate(shapes)}
    crews: dict[int, list[tuple[int, int]]] = {}
    for j in np.flatnonzero(solution.job_node >= 0).tolist():
        n = int(solution.job_node[j])
        gpu = int(cluster.gpu_of_type[solution.node_type[n]])
        taken = shape_of[gpu, int(solution.job_gpus[j]), int(solution.job_level[j])]
        crews.setdefault(n, []).append((j, int(data.shapes.stands[taken, j])))
    found = []
    for n, members in crews.items():
        v = int(solution.node_type[n])
        place = place_of[int(cluster.class_of_node[n]), v]
        members.sort(key=lambda member: data.shapes.hours[member[1], member[0]])
        taken_shapes = [shape for _, shape in members]
        used = _used(data, taken_shapes)
        paid = next(k for k in limits(cluster.node_types[v]) if k >= used)
        leader, *followers = taken_shapes
        crew = [number[place, leader, paid], *(number[place, q, 0] for q in followers)]
        found.append((place, [j for j, _ in members], crew))
    return found


def _used(data: ClassModel, shapes: list[int]) -> int:
    roles = data.roles
    whole = roles.cluster.gpu_types[roles.shape_gpu[shapes[0]]].units
    units = [u for u in roles.units[shapes].tolist() if u]
    return int(roles.gpus[shapes].sum()) + gpus_for_shares(units, whole)


def _cut(data: ClassModel, place: int, crew: list[int], splits: Array) -> None:
    """Add the splits of one node: followers cut from what its leader leaves, large ones first."""
    roles, rooms = data.roles, data.rooms
    rest = int(roles.rest[crew[0]])
    shapes = roles.shape[crew]
    followers = roles.gpus[shapes[1:]]
    opened = _used(data, shapes.tolist()) - int(roles.least[shapes[0]]) - int(followers.sum())
    for g in [*sorted(followers[followers > 0].tolist(), reverse=True), *[1] * opened]:
        if rest > g:
            here = (rooms.place == place) & (rooms.block == rest)
            splits[here & (rooms.piece == min(g, rest - g))] += 1
        rest -= g
    splits[(rooms.place == place) & (rooms.piece == 0)] += opened
