"""What `rooms.Rooms` does, on arrays: GPUs and shares of them, best fit, on an empty cluster."""

from __future__ import annotations

from typing import NamedTuple

from rsjs.heuristics.common.jit import inlined
from rsjs.heuristics.greedy.arrays import Ints, NodeTables


class Rooms(NamedTuple):
    """What is free while jobs are placed; see `rooms.Rooms`."""

    node_gpu: Ints  # (N,) GPU type of each open node; -1 = closed
    idle: Ints  # (N,) GPUs of each open node that no job is on
    gpu_node: Ints  # shared GPUs: node, jobs, units left
    gpu_jobs: Ints
    gpu_left: Ints
    free: Ints  # closed nodes, idle GPUs, units left on shared GPUs
    shared: Ints  # (1,) GPUs that have been shared
    units: Ints  # (T,) of a whole GPU


@inlined
def place(nodes: NodeTables, rooms: Rooms, gpu: int, count: int, units: int) -> tuple[int, int]:
    """
    Place a job; (node, shared GPU) or (-1, -1) if there is no room.

    Parameters
    ----------
    gpu : GPU type
    count : dedicated GPUs; 0 = a share
    units : of the share
    """
    if count > 0:
        return whole(nodes, rooms, gpu, count), -1
    shared, size = -1, rooms.units[gpu]
    for s in range(rooms.shared[0]):
        left = rooms.gpu_left[s]
        if units <= left < size and rooms.node_gpu[rooms.gpu_node[s]] == gpu:
            shared, size = s, left
    if shared < 0:
        node = whole(nodes, rooms, gpu, 1)
        if node < 0:
            return -1, -1
        shared = rooms.shared[0]
        rooms.shared[0] += 1
        rooms.gpu_node[shared], rooms.gpu_jobs[shared] = node, 0
        rooms.gpu_left[shared] = rooms.units[gpu]
        rooms.free[2] += rooms.units[gpu]
    rooms.gpu_jobs[shared] += 1
    rooms.gpu_left[shared] -= units
    rooms.free[2] -= units
    return rooms.gpu_node[shared], shared


@inlined
def whole(nodes: NodeTables, rooms: Rooms, gpu: int, count: int) -> int:
    """Place a job on dedicated GPUs; the node, or -1."""
    node, opens, least = -1, False, 0
    for n in range(rooms.idle.shape[0]):
        idle = rooms.idle[n]
        if idle >= count and rooms.node_gpu[n] == gpu and (node < 0 or idle < least):
            node, least = n, idle
    if node < 0 and rooms.free[0] > 0:
        for n in range(rooms.idle.shape[0]):
            size = nodes.size_as[gpu, nodes.class_of_node[n]]
            if rooms.node_gpu[n] < 0 and size >= count and (node < 0 or size < least):
                node, least, opens = n, size, True
    if node >= 0:
        if opens:
            rooms.node_gpu[node] = gpu
            rooms.free[0] -= 1
            rooms.free[1] += least
        rooms.idle[node] = least - count
        rooms.free[1] -= count
    return node
