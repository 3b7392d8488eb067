"""Memory of the kernels: a schedule that is being made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.heuristics.greedy.arrays import Floats, Ints, NodeTables


class State(NamedTuple):
    """A schedule; sizes as in decision_tables."""

    sets: Ints  # (K, G + 1, words) open nodes by kind and idle GPUs
    counts: Ints  # (K, G + 1) of them
    room: Ints  # (K,) most GPUs that a job may get, on an open node or on one that is opened
    open_room: Ints  # (K,) most idle GPUs of an open node
    closed_room: Ints  # (K,) GPUs of the largest node that can be opened; 0 = none
    closed: Ints  # (D,) nodes of each class that are closed
    node_type: Ints  # (N,) -1 = off
    idle: Ints  # (N,)
    job: Ints  # (J,) running jobs in the order in which they were placed
    node: Ints  # (J,) their nodes
    gpus: Ints  # (J,) their GPUs
    best: Floats  # (N,) best value of a node's jobs, in postprocessing and in costs
    winner: Ints  # (N,) which job has it
    listed: Ints  # nodes to choose from


def new_state(nodes: NodeTables, jobs: int, listed: int) -> State:
    """Room for schedules of `jobs` jobs; lists of nodes to choose from have `listed` entries."""
    (kinds, classes), stride = nodes.size_as.shape, nodes.cost_of_type.shape[1]
    size = len(nodes.class_of_node)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return State(
        sets=ints(kinds, stride, (size + 31) // 32),
        counts=ints(kinds, stride),
        room=ints(kinds),
        open_room=ints(kinds),
        closed_room=ints(kinds),
        closed=ints(classes),
        node_type=ints(size),
        idle=ints(size),
        job=ints(jobs),
        node=ints(jobs),
        gpus=ints(jobs),
        best=np.zeros(size),
        winner=ints(size),
        listed=ints(listed),
    )
