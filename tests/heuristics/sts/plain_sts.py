"""STS as it is published, job by job: profiles, queue, first fit, idle GPUs, T_j."""

import numpy as np

from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_gpu_type,
    place_queue,
)
from rsjs.heuristics.sts import sts
from rsjs.heuristics.sts.migration import on_their_nodes
from rsjs.heuristics.sts.power_model import JobData
from rsjs.heuristics.sts.single_job import INADMISSIBLE, INFEASIBLE
from rsjs.heuristics.sts.speed_profile import profiles


class PlainSts:
    """A decision; `floor` has k_0 of each job."""

    def __init__(self, instance, rule, floor, spacing=1 / 60):
        self.instance, self.rule, self.floor = instance, sts.RULES[rule], floor
        self.spacing = spacing
        self.model, self.steps = JobData.of(instance)
        self.jobs, self.types, self.stride = self.model.rate.shape
        margin = spacing if self.rule.margin else 0.0
        self.time = instance.jobs.due - instance.now - margin
        self.work = self.steps.end[self.steps.law, -1] - self.steps.done

    def decide(self):
        own = self.floor if self.rule.monotone else np.zeros_like(self.floor)
        found = [[self.profile(j, t, own[j]) for t in range(self.types)] for j in range(self.jobs)]
        kinds, units = kinds_by_gpu_type(self.instance.cluster), self.model.units
        rooms = FreeCapacity(kinds)
        codes = [self.codes(j, found[j]) for j in range(self.jobs)]
        placed = place_queue(self.queue(), codes, rooms, units)
        wanted = self.floor.copy()
        for j, gpu in enumerate(placed.kind):
            wanted[j] = found[j][gpu].initial[0] if gpu >= 0 else self.floor[j]
        if self.rule.gives:
            self.give_idle_gpus(placed, rooms)
        change = [self.change(j, found[j], placed) for j in range(self.jobs)]
        solution = on_their_nodes(self.instance, as_solution(placed, rooms, self.model.level))
        return sts.StsDecision(solution=solution, change=np.array(change), wanted=wanted)

    def profile(self, j, t, least):
        """The optimal profile of a job on a GPU type with at least so many GPUs, or the most."""
        rate, k = self.model.rate[j, t], np.arange(self.stride)
        most = k[np.isfinite(rate)].max(initial=0)
        rate = np.where(k >= min(least, most), rate, np.inf)
        law, first, done = (part[[j]] for part in self.steps[-3:])
        one = self.steps._replace(law=law, first=first, done=done)
        return profiles(rate[None], self.model.power[j, t][None], self.time[[j]], one)

    def queue(self):
        """Jobs by decreasing pressure (27)."""
        jobs = self.instance.jobs
        fastest = self.model.rate.min(axis=(1, 2)) * self.work
        pressure = self.instance.now + fastest - jobs.due
        pressure = np.where(pressure > 0, pressure * jobs.weight, pressure)
        return sorted(range(self.jobs), key=lambda j: -pressure[j])

    def codes(self, j, found):
        """What the job wants on each type, the best first; then what is less, the fastest first."""
        rate = self.model.rate[j]

        def place(t):
            status, initial = found[t].status[0], found[t].initial[0]
            late = status == INFEASIBLE
            return max(status, 1), rate[t, initial] * self.work[j] if late else found[t].energy[0]

        types = [t for t in range(self.types) if found[t].status[0] != INADMISSIBLE]
        types.sort(key=place)
        wanted = [t * self.stride + int(found[t].initial[0]) for t in types]
        less = [
            t * self.stride + k
            for t in types
            for k in np.argsort(rate[t], kind="stable").tolist()
            if k < found[t].initial[0] and np.isfinite(rate[t, k])
        ]
        return wanted + less if self.rule.fallback else wanted

    def give_idle_gpus(self, placed, rooms):
        """One by one to the job of the node that saves most time at w_max."""

        def saving(j):
            own, count = self.model.rate[j, placed.kind[j]], placed.count[j]
            if count + 1 == self.stride or own[count + 1] == np.inf:
                return 0.0
            return float((own[count] - own[count + 1]) * self.work[j])

        def whole_gpus():
            """All of a shared GPU to a job that is alone on it."""
            for j, shared in enumerate(placed.shared):
                if shared >= 0 and rooms.gpu_jobs[shared] == 1:
                    placed.count[j], placed.shared[j] = 1, -1

        whole_gpus()
        for n in range(self.instance.cluster.nodes):
            own = [j for j in range(self.jobs) if placed.node[j] == n]
            while rooms.idle[n] and max(savings := [saving(j) for j in own], default=0.0) > 0:
                j = own[savings.index(max(savings))]
                rooms.idle[n] -= 1
                placed.count[j] += 1
                if placed.shared[j] >= 0:
                    rooms.gpu_jobs[placed.shared[j]] -= 1
                    placed.shared[j] = -1
                    whole_gpus()

    def change(self, j, found, placed):
        """T_j - now: of the model, of the model solved again, or the last moment in time."""
        gpu, count = placed.kind[j], placed.count[j]
        if gpu < 0:
            return np.inf
        of = found[gpu]
        if of.initial[0] != count:
            of = self.profile(j, gpu, count)
        hours = of.change[0]
        if of.initial[0] != count:
            rate, work, time = self.model.rate[j, gpu], self.work[j], self.time[j]
            own, fastest = rate[count], rate[count:].min()
            in_time, late = own * work <= time, fastest * work > time
            hours = np.inf if in_time or late else (time - fastest * work) / (1 - fastest / own)
        return max(hours, self.spacing)
