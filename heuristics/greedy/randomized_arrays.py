"""
What the randomized greedy chooses from, as plain arrays; sizes and codes as in `greedy.arrays`.

A job's candidates have ranks 0, 1, ..., best first. Which of them find a node depends only on the
most GPUs that a job may get of each kind, so the first that does is a minimum over kinds of

    rank[j, kind, r] = least rank of a candidate (kind, g) of job j with 1 <= g <= r.

The rank of a share of a GPU stands apart: a whole idle GPU has room for it, a shared one may.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.random_streams import States, first_states
from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.candidates import Ranking
from rsjs.heuristics.dispatching.queues import JobModes
from rsjs.heuristics.greedy.arrays import NodeTables, ObjectiveTables, objective, settled
from rsjs.heuristics.greedy.rules import SHARED_RULE, RandomizedRule, cluster_tables
from rsjs.heuristics.sts.power_model import with_share
from rsjs.instances import costs
from rsjs.instances.instance import Instance


class RandomChoices(NamedTuple):
    """Queue, modes and their probabilities of an instance."""

    queue: Ints  # (J,)
    later: Floats  # (J + 1,) $, sum of P_j over queue[i:]
    candidate: NDArray[np.int32]  # (J, C) codes by rank
    rank: NDArray[np.int32]  # (J, K, G + 1) least one that so many whole GPUs suffice for; C = none
    share_rank: NDArray[np.int32]  # (J, K) of the share; C = none
    units: Ints  # (J, K) of the share
    kind: Ints  # (K (G + 1),) of a code
    gpus: Ints  # (K (G + 1),) of a code
    least: Ints  # (K,) fewest whole GPUs that suffice for a candidate; G + 1 = for none
    listed: int  # entries of the lists that candidates and nodes are drawn from; 1 = no lists
    chance: Floats  # (J, listed) of the first candidates, cumulated; the last is above 1
    swap_heavier: float
    swap_other: float
    minstd: bool  # stream
    each_node: bool  # idle GPUs go to one job of each node, else to one of the cluster


@dataclass(frozen=True, kw_only=True, eq=False)
class RandomizedTables:
    """Data of the iterations on one instance."""

    nodes: NodeTables
    choices: RandomChoices
    objective: ObjectiveTables
    stream: str
    seed: int

    def streams(self, first: int, count: int) -> States:
        """Return the random streams of iterations first, first + 1, ..."""
        draws = len(self.choices.queue) * (3 if self.choices.listed > 1 else 1)
        return first_states(self.stream, self.seed, first, count, draws)


def prepared(
    instance: Instance, rule: RandomizedRule, *, seed: int = 0, stream: str = "xorshift"
) -> RandomizedTables:
    """
    Order the queue and the modes by a rule, on dedicated GPUs.

    Parameters
    ----------
    stream : one of random_streams.STREAMS
    """
    nodes = cluster_tables(instance.cluster, rule.greedy).nodes
    hours = costs.cost_tables(instance).hours
    units = np.zeros(hours.shape[:2], dtype=np.int64)
    return RandomizedTables(
        nodes=nodes,
        choices=random_choices(instance, hours, nodes.price, units, rule, stream),
        objective=objective(instance),
        stream=stream,
        seed=seed,
    )


def prepared_modes(of: JobModes, seed: int) -> RandomizedTables:
    """Order the queue and the modes on shared nodes, where k = 0 is the share of a GPU."""
    table = costs.cost_tables(of.instance)
    return RandomizedTables(
        nodes=cluster_tables(of.instance.cluster, SHARED_RULE.greedy).nodes,
        choices=random_choices(of.instance, of.hours, of.price, of.units, SHARED_RULE, "xorshift"),
        objective=settled(
            objective(of.instance)._replace(
                hours=with_share(table.hours, table.shared_hours, of.level),
                tardiness=with_share(table.tardiness, table.shared_tardiness, of.level),
            )
        ),
        stream="xorshift",
        seed=seed,
    )


def random_choices(
    instance: Instance,
    hours: Floats,
    price: Floats,
    units: Ints,
    rule: RandomizedRule,
    stream: str,
) -> RandomChoices:
    """
    Order the queue and the modes by a rule.

    Parameters
    ----------
    hours : (J, K, G + 1) float
        To completion; g = 0: on the share.
    price : (K, G + 1) or (J, K, G + 1) float [$/h]
    units : (J, K) int
        Of the share.
    stream : one of random_streams.STREAMS
    """
    ranking = candidates.ranking(instance, hours, price, strict=rule.greedy.strict)
    (kinds, stride), ranks = hours.shape[1:], ranking.code.shape[1]
    queue = candidates.by_pressure(instance)
    penalty = costs.cost_tables(instance).postponement[queue]
    # ranks by kind and GPUs; that of the share apart
    rank = rank_table(ranking, kinds, stride)
    share_rank = rank[:, :, 0].copy()
    rank[:, :, 0] = ranks
    # of each kind the fewest whole GPUs that any candidate takes
    kind, gpus = np.divmod(np.arange(kinds * stride), stride)
    least = np.full(kinds, stride)
    used = ranking.code[0]  # as in all other rows
    np.minimum.at(least, kind[used], np.maximum(gpus[used], 1))
    return settled(
        RandomChoices(
            queue=queue,
            later=np.append(np.cumsum(penalty[::-1])[::-1], 0.0),
            candidate=ranking.code.astype(np.int32),
            rank=rank,
            share_rank=share_rank,
            units=units,
            kind=kind,
            gpus=gpus,
            least=least,
            listed=rule.listed,
            chance=chances(ranking, rule.listed),
            swap_heavier=rule.swap_heavier,
            swap_other=rule.swap_other,
            minstd=stream == "minstd",
            each_node=rule.greedy.each_node,
        )
    )


def rank_table(ranking: Ranking, kinds: int, stride: int) -> NDArray[np.int32]:
    """Return (J, K, G + 1) the minimum rank with at most so many GPUs of a kind; C = none."""
    jobs, ranks = ranking.code.shape
    table = np.full((jobs, kinds * stride), ranks, dtype=np.int32)
    position = np.arange(ranks, dtype=np.int32)
    admissible = position < ranking.count[:, None]
    table[np.arange(jobs)[:, None], ranking.code] = np.where(admissible, position, ranks)
    return np.minimum.accumulate(table.reshape(jobs, kinds, stride), axis=2)


def chances(ranking: Ranking, most: int) -> Floats:
    """
    Return (J, most) cumulated chances of a job's first candidates, proportional to 1 / key.

    The list is cut where late candidates follow on those in time; where keys are 0, only those
    have a chance. The last entry of each list is 2, so that no number in [0, 1) passes it.
    """
    jobs, columns = ranking.key.shape
    first = ranking.order[:, :most] + columns * np.arange(jobs)[:, None]
    key, in_time = ranking.key.take(first), ranking.in_time.take(first)
    listed = (in_time == in_time[:, :1]) & np.isfinite(key)
    positive = np.where(listed & (key > 0), key, np.inf)
    smallest = positive.min(axis=1, keepdims=True)
    weight = np.zeros_like(positive)
    np.divide(smallest, positive, out=weight, where=np.isfinite(positive))
    free = listed & (key == 0)
    weight = np.where(free.any(axis=1, keepdims=True), free, weight)
    total = np.cumsum(weight, axis=1)
    found = np.full((jobs, most), 2.0)
    found[:, : first.shape[1]] = np.where(total < total[:, -1:], total / total[:, -1:], 2.0)
    return found
