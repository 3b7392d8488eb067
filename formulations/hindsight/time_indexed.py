"""
A whole workload with W_j known as a time-indexed mixed-integer program: schedules in steps of time.

Sets and data (dedicated GPUs; each node n has one type, s_n GPUs, c_n(u) $/h with u in use)
    j in J jobs    released at r_j, due at d_j, eta_j $/h late, W_j epochs
    t in T steps   from e_t to e_(t+1), |t| hours; every r_j and d_j is an edge
    (n, k)         k GPUs of node n; j takes a_jnk hours per epoch, W_j a_jnk in all
    c_n linear     c_n(u) = u c_n(1); other nodes have columns y

**No preemption**: job j starts at e_t on k GPUs of node n and holds them in all steps that it
touches, T(j, n, k, t), until C = e_t + W_j a_jnk.

    x_jnkt, y_nut in {0, 1}

    min  sum (eta_j max(0, C - d_j) + k c_n(1) W_j a_jnk [c_n linear]) x_jnkt
         + sum |t| c_n(u) y_nut
    (1)  sum_nkt x_jnkt = 1                                              for all j
    (2)  sum {k x_jnks : t in T(j, n, k, s)} <= s_n                      for all n, t; c_n linear
    (3)  sum {k x_jnks : t in T(j, n, k, s)} = sum_u u y_nut             for all other n, t
    (4)  sum_u y_nut <= 1                                                for all other n, t

**Preemption at edges**: job j has k GPUs of node n in step t, and gives them back g_jnkt hours
before its end in its last step. a_jt tells whether it is incomplete before step t.

    x_jnkt, y_nut, a_jt, w_jik in {0, 1}, g_jnkt >= 0

    min  sum eta_j (|t| a_jt - sum_nk g_jnkt) over t with e_t >= d_j
         + sum k c_n(1) (|t| x_jnkt - g_jnkt) over n with c_n linear + sum |t| c_n(u) y_nut
    (2), (3), (4) with x_jnkt in step t only
    (5)  sum_nkt (|t| x_jnkt - g_jnkt) / a_jnk = W_j                     for all j
    (6)  sum_nk x_jnkt <= a_jt                                           for all j, t
    (7)  a_jt+1 <= a_jt                                                  for all j, t
    (8)  g_jnkt <= |t| x_jnkt                                            for all j, n, k, t
    (9)  sum_nk g_jnkt <= |t| (a_jt - a_jt+1)                            for all j, t
    (10) sum {x_jnkt : n has GPU type i} <= w_jik, sum_ik w_jik = 1      if jobs keep their mode

**Which side.** Every solution is a schedule that costs no more, so the optimum is an *upper* bound
on that of the variant, and the solver's dual bound is none for it. Without preemption it is the
optimum itself, for jobs that stay on their node, if all r_j, d_j and W_j a_jnk are multiples of one
step: in any schedule, starts that are off the grid by one amount can move together, to the left or
to the right, at a cost that is linear until they meet the grid or other starts; in one direction it
does not rise. With preemption it need not be, however fine the steps: three jobs of a step each on
two GPUs are done in one step and a half.

A job that completes after d_j + (U - E) / eta_j costs more than U in all, E being the least energy
of all jobs: such columns are left out. U is the cost of a schedule without preemption: jobs in one
of four orders, each where it then costs least.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described, one_of
from rsjs.core.report import Stop
from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.instances.instance import Workload
from rsjs.instances.jobs import Jobs

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel

INDEX_LETTERS = {
    **{"x": "jngt", "g": "jngt", "y": "nqt", "a": "jt", "w": "jvg", "once": "j", "gpus": "nt"},
    **{"use": "nt", "one": "nt", "work": "j", "runs": "jt", "left": "jt", "part": "jngt"},
    **{"last": "jt", "keeps": "jvgt", "mode": "j"},
}
VARIANTS = ("free", "one_mode", "no_preemption")
STEP = 1.0  # h
ABOVE = 1 + 1e-9  # rounding of costs
CLOSE = 1e-9  # h: a run that ends so much after an edge does not touch the next step


class JobRun(NamedTuple):
    """A job on GPUs of a node."""

    job: int
    node: int
    gpus: int
    begin: float  # h
    end: float  # h


@dataclass(frozen=True, kw_only=True, eq=False)
class WorkloadSteps:
    """Data of the program: M places (n, k), T steps."""

    workload: Workload
    variant: str
    edges: Floats  # (T + 1,) h
    node: Ints  # (M,)
    gpus: Ints  # (M,) k
    hours: Floats  # (J, M) W_j a_jnk, inf where not admissible
    price: Floats  # (N, G + 1) c_n(u) [$/h]; inf beyond s_n
    linear: Bools  # (N,)
    first: list[JobRun]  # a schedule without preemption
    latest: Floats  # (J,) h: no schedule that costs at most as much has a later completion

    @cached_property
    def length(self) -> Floats:
        """(T,) |t| [h]."""
        length: Floats = np.diff(self.edges)
        return length

    @cached_property
    def sizes(self) -> Ints:
        """(N,) s_n."""
        sizes: Ints = np.isfinite(self.price).sum(axis=1) - 1
        return sizes

    @cached_property
    def columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        """(C,) job, place, step, and the step after the last one that x touches."""
        begin, jobs = self.edges[:-1], self.workload.jobs
        until = begin + self.hours[:, :, None]
        there = (begin >= jobs.release[:, None])[:, None] & np.isfinite(until)
        if self.variant == "no_preemption":
            there &= until <= np.minimum(self.latest, self.edges[-1])[:, None, None] + CLOSE
            job, place, step = np.nonzero(there)
            return job, place, step, np.searchsorted(self.edges, until[there] - CLOSE)
        there &= (begin < self.latest[:, None] - CLOSE)[:, None]
        job, place, step = np.nonzero(there)
        return job, place, step, step + 1

    @cached_property
    def steps_of_job(self) -> list[range]:
        """Steps in which each job may be incomplete, where preemption is allowed."""
        job, _, step, _ = self.columns
        own = [step[job == j] for j in range(len(self.hours))]
        return [range(int(steps.min()), int(steps.max()) + 1) for steps in own]


def data_of(
    workload: Workload, variant: str = "no_preemption", step: float = STEP
) -> WorkloadSteps:
    """
    Return the data of the program.

    Parameters
    ----------
    workload : Workload
        Nodes of one type each; shares are not used.
    variant : "free" | "one_mode" | "no_preemption"
        Whether jobs may be interrupted and change their mode, interrupted only, or neither.
    step : float
        > 0 [h]. Edges are its multiples, releases and due dates.
    """
    one_of("variant", variant, VARIANTS)
    cluster, jobs = workload.cluster, workload.jobs
    if not 0 < step < np.inf:
        raise InputError("/step", step, "steps of > 0 hours")
    if (cluster.allowed.sum(axis=1) > 1).any():
        raise InputError("/cluster/nodes", described("nodes of several types"), "one type each")
    kind = cluster.allowed.argmax(axis=1)
    price = cluster.cost_of_type[kind]
    counts = np.arange(price.shape[1])
    node, gpus = np.nonzero((counts > 0) & np.isfinite(price))
    table = workload.submitted().hours_per_epoch
    hours = workload.realised_epochs[:, None] * table[:, cluster.gpu_of_type[kind[node]], gpus]
    if (alone := np.flatnonzero(np.isinf(hours).all(axis=1))).size:
        raise InputError(f"/jobs/{alone[0]}", jobs.id[alone[0]], "a job that runs without shares")
    straight = np.where(np.isfinite(price), counts * price[:, 1:2], np.inf)
    data = WorkloadSteps(
        workload=workload,
        variant="no_preemption",
        edges=np.empty(0),
        node=node,
        gpus=gpus,
        hours=hours,
        price=price,
        linear=np.isclose(price, straight, rtol=1e-12, atol=0.0).all(axis=1),
        first=[],
        latest=np.full(len(jobs), np.inf),
    )
    # a schedule of all jobs, one after the other in the fastest mode, ends by then
    end = max(jobs.due.max(), jobs.release.max()) + (hours.min(axis=1) + step).sum()
    data = replace(data, edges=_edges(jobs, step, end))
    slack = jobs.due - hours.min(axis=1)
    orders = (jobs.due, slack, jobs.release, hours.min(axis=1) / np.maximum(jobs.weight, 1e-9))
    runs, cost = min((first_schedule(data, order) for order in orders), key=lambda one: one[1])
    least = (hours * _least_prices(price)[node, gpus]).min(axis=1).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        late = max(0.0, cost - least) * ABOVE / jobs.weight
    latest = jobs.due + np.where(jobs.weight > 0, late, np.inf)
    latest = np.minimum(latest, _end_of_work(jobs, hours, step))
    edges = _edges(jobs, step, latest.max())
    return replace(data, variant=variant, first=runs, latest=latest, edges=edges)


def _end_of_work(jobs: Jobs, hours: Floats, step: float) -> float:
    """
    Return when an optimal schedule has ended [h].

    After the last release no step goes by without a job: all that begins later could begin a step
    earlier. That needs steps of one length, as they are after the last edge that is no multiple.
    """
    given = np.concatenate([jobs.release, jobs.due])
    uneven = (np.abs(given / step - np.round(given / step)) * step > CLOSE).any()
    begin = given.max() + step if uneven else jobs.release.max()
    touched = step * np.ceil(np.where(np.isfinite(hours), hours, 0.0).max(axis=1) / step - CLOSE)
    if uneven:  # a job that runs then may have begun in a shorter step
        touched = touched + step
    return float(begin + touched.sum())


def _edges(jobs: Jobs, step: float, end: float) -> Floats:
    """Return the edges of steps from the first release until a time or later [h]."""
    begin = jobs.release.min()
    grid = step * np.arange(np.floor(begin / step), np.ceil(end / step - CLOSE) + 1)
    edges = np.unique(np.concatenate([grid, jobs.release, jobs.due[jobs.due < grid[-1]]]))
    from_first: Floats = edges[edges >= begin]
    return from_first


def _least_prices(price: Floats) -> Floats:
    """Return (N, G + 1) k min {c_n(u) / u : u >= k} [$/h]."""
    counts = np.arange(1, price.shape[1])
    least = np.minimum.accumulate((price[:, 1:] / counts)[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([np.zeros((len(price), 1)), least * counts], axis=1)


def first_schedule(data: WorkloadSteps, order: Floats) -> tuple[list[JobRun], float]:
    """Return a schedule and its cost [$]: jobs in an order, each where it then costs least."""
    jobs, (job, place, step, after) = data.workload.jobs, data.columns
    used, runs, total = np.zeros((len(data.price), len(data.length)), dtype=np.int64), [], 0.0
    for j in np.argsort(order, kind="stable"):
        best, chosen = np.inf, None
        for c in np.flatnonzero(job == j):
            n, k, steps = data.node[place[c]], data.gpus[place[c]], slice(step[c], after[c])
            hours, begin = data.hours[j, place[c]], data.edges[step[c]]
            cost = jobs.weight[j] * max(0.0, begin + hours - jobs.due[j])
            if cost >= best:
                continue
            before = used[n, steps]
            if before.max() + k > data.sizes[n]:
                continue
            if data.linear[n]:
                cost += data.price[n, k] * hours
            else:
                cost += (data.price[n, before + k] - data.price[n, before]) @ data.length[steps]
            if cost < best:
                best, chosen = cost, (JobRun(int(j), int(n), int(k), begin, begin + hours), steps)
        assert chosen is not None, "there is room after all others"
        run, steps = chosen
        used[run.node, steps] += run.gpus
        runs.append(run)
        total += best
    return runs, total


def build(data: WorkloadSteps) -> ConcreteModel:
    """Build the Pyomo model; its columns begin with x and, with preemption, g."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import Rows, index_set, linear_sum

    jobs, price, length = data.workload.jobs, data.price, data.length.tolist()
    job, place, step, after = (part.tolist() for part in data.columns)
    node, gpus = data.node[place].tolist(), data.gpus[place].tolist()
    hours = data.hours[job, place].tolist()
    weight, due, edges = jobs.weight.tolist(), jobs.due.tolist(), data.edges.tolist()
    m = pyo.ConcreteModel(name="time_indexed")
    m.x = pyo.Var(index_set(zip(job, node, gpus, step, strict=True)), domain=pyo.Binary)
    if data.variant != "no_preemption":
        m.g = pyo.Var(m.x.index_set(), domain=pyo.NonNegativeReals)
    x = list(m.x.values())
    # (2), (3), (4): GPUs of nodes
    taken = Rows()
    for c, variable in enumerate(x):
        for t in range(step[c], after[c]):
            taken[node[c], t].append((gpus[c], variable))
    curved = [place for place in taken if not data.linear[place[0]]]
    sizes = data.sizes.tolist()
    m.y = pyo.Var([(n, u, t) for n, t in curved for u in range(1, sizes[n] + 1)], domain=pyo.Binary)
    costs = [(length[t] * float(price[n, u]), y) for (n, u, t), y in m.y.items()]
    one = Rows(curved)
    for (n, u, t), y in m.y.items():
        taken[n, t].append((-u, y))
        one[n, t].append((1, y))
    straight = [place for place in taken if data.linear[place[0]]]
    m.gpus = pyo.Constraint(
        straight, rule=lambda m, n, t: linear_sum(taken[n, t]) <= float(sizes[n])
    )
    m.use = pyo.Constraint(curved, rule=lambda m, n, t: linear_sum(taken[n, t]) == 0.0)
    m.one = one.at_most(1)
    per_hour = [
        float(price[n, k]) if data.linear[n] else 0.0 for n, k in zip(node, gpus, strict=True)
    ]
    if data.variant == "no_preemption":
        once = Rows(range(len(jobs)))  # (1)
        for c, variable in enumerate(x):
            late = max(0.0, edges[step[c]] + hours[c] - due[job[c]])
            costs.append((weight[job[c]] * late + per_hour[c] * hours[c], variable))
            once[job[c]].append((1, variable))
        m.once = once.equal(1)
        m.cost = pyo.Objective(expr=linear_sum(costs))
        return m
    steps, constant = data.steps_of_job, 0.0
    m.a = pyo.Var([(j, t) for j, own in enumerate(steps) for t in own], domain=pyo.Binary)
    work, runs, left, last = Rows(range(len(jobs))), Rows(m.a), Rows(), Rows(m.a)
    for (j, t), a in m.a.items():
        if t == steps[j][0]:
            constant += weight[j] * max(0.0, edges[t] - due[j])
        if edges[t] >= due[j]:
            costs.append((weight[j] * length[t], a))
        runs[j, t].append((-1, a))
        last[j, t].append((-length[t], a))
        if (j, t + 1) in m.a:
            left[j, t] = [(1, m.a[j, t + 1]), (-1, a)]
            last[j, t].append((length[t], m.a[j, t + 1]))
    for c, (variable, g) in enumerate(zip(x, m.g.values(), strict=True)):
        j, t, late = job[c], step[c], weight[job[c]] if edges[step[c]] >= due[job[c]] else 0.0
        costs += [(per_hour[c] * length[t], variable), (-per_hour[c] - late, g)]
        work[j] += [(length[t] / hours[c], variable), (-1 / hours[c], g)]
        runs[j, t].append((1, variable))
        last[j, t].append((1, g))
    m.work, m.runs, m.left, m.last = (
        work.equal(1),
        runs.at_most(0),
        left.at_most(0),
        last.at_most(0),
    )
    m.part = pyo.Constraint(m.x.index_set(), rule=lambda m, *i: m.g[i] <= length[i[3]] * m.x[i])
    if data.variant == "one_mode":
        cluster = data.workload.cluster
        gpu = cluster.gpu_of_type[cluster.allowed.argmax(axis=1)].tolist()
        keeps, mode = Rows(), Rows(range(len(jobs)))  # (10)
        for c, variable in enumerate(x):
            keeps[job[c], gpu[node[c]], gpus[c], step[c]].append((1, variable))
        m.w = pyo.Var(list(dict.fromkeys(key[:3] for key in keeps)), domain=pyo.Binary)
        for key, terms in keeps.items():
            terms.append((-1, m.w[key[:3]]))
        for (j, _, _), w in m.w.items():
            mode[j].append((1, w))
        m.keeps, m.mode = keeps.at_most(0), mode.equal(1)
    m.cost = pyo.Objective(expr=linear_sum(costs, constant))
    return m


def extract(data: WorkloadSteps, x: Floats) -> list[JobRun]:
    """Return the schedule in an integral column vector."""
    job, place, step, _ = data.columns
    chosen = np.flatnonzero(x[: len(job)] > 0.5)
    j, p, t = job[chosen], place[chosen], step[chosen]
    begin = data.edges[t]
    if data.variant == "no_preemption":
        end = begin + data.hours[j, p]
    else:
        end = data.edges[t + 1] - x[len(job) : 2 * len(job)][chosen]
    rows = zip(j, data.node[p], data.gpus[p], begin, end, strict=True)
    return [JobRun(int(j), int(n), int(k), float(b), float(e)) for j, n, k, b, e in rows if e > b]


class StepsResult(NamedTuple):
    """What a solver finds of the program."""

    stop: Stop
    runs: list[JobRun] | None  # the best schedule; None = none was found
    cost: float | None  # [$] of it in the program: no less than it costs
    bound: float | None  # [$] the solver's bound on the cost of all schedules in these steps
    counts: dict[str, int]


def solve(data: WorkloadSteps, limits: Limits, solver: str = "highs") -> StepsResult:
    """Minimise the cost with a backend of this name."""
    from rsjs.formulations.milp.from_pyomo import declared_matrix

    ask = backend(solver).load()
    matrix = declared_matrix(build(data))
    raw = ask(SolveTask(matrix, limits, seconds=limits.time_limit))
    runs = None if raw.x is None else extract(data, raw.x)
    return StepsResult(raw.stop, runs, raw.objective, raw.bound, {**matrix.counts, **raw.counts})


def relaxed(data: WorkloadSteps, limits: Limits, solver: str = "highs") -> float | None:
    """Return the value of the linear relaxation [$]; None if the limits did not suffice."""
    from rsjs.formulations.milp.from_pyomo import declared_matrix

    matrix = declared_matrix(build(data))
    free = replace(matrix, kind=np.zeros_like(matrix.kind))
    return backend(solver).load()(SolveTask(free, limits, seconds=limits.time_limit)).objective
