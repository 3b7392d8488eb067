"""The cheapest of all schedules of a tiny workload that change at events only, by trying them."""

from functools import cache
from itertools import product

import numpy as np

from rsjs.simulation.accounting import prices

DONE = 1e-7  # epochs: less is none


def offline_optimum(workload, variant="free"):
    """
    The least cost [$] with W_j known, nodes of one type each, dedicated GPUs.

    A decision is taken at each submission and completion; jobs move between nodes for nothing.
    `variant`: free; one_mode, jobs keep their GPU type and number of GPUs; no_preemption, and run
    on until they are complete.
    """
    jobs, cluster = workload.jobs, workload.cluster
    pace, price = workload.submitted().hours_per_epoch, prices(cluster, "curve")
    kind = cluster.allowed.argmax(axis=1).tolist()
    size, gpu = cluster.gpus_of_type[kind].tolist(), cluster.gpu_of_type[kind].tolist()

    @cache
    def placements(runs, modes):
        every = []
        for j, (some, mode) in enumerate(zip(runs, modes, strict=True)):
            own = [(-1, 0)]
            if some:
                nodes = range(cluster.nodes)
                own += [(n, k) for n in nodes for k in range(1, size[n] + 1)]
                own = [(n, k) for n, k in own if n < 0 or np.isfinite(pace[j, gpu[n], k])]
                if mode:
                    own = [(n, k) for n, k in own if n < 0 or (gpu[n], k) == mode]
                    own = own[variant == "no_preemption" :]
            every.append(own)
        return [placed for placed in product(*every) if all(_room(placed))]

    def _room(placed):
        return [sum(k for m, k in placed if m == n) <= size[n] for n in range(cluster.nodes)]

    @cache
    def least(now, left, modes):
        """Cost from now on; epochs left of the jobs that have arrived, and the modes they keep."""
        come = len(left)
        if come < len(jobs) and jobs.release[come] <= now:
            return least(now, (*left, float(workload.realised_epochs[come])), (*modes, None))
        following = jobs.release[come] if come < len(jobs) else np.inf
        if max(left, default=0.0) <= DONE:
            return 0.0 if come == len(jobs) else least(following, left, modes)
        best = np.inf
        for placed in placements(tuple(w > 0 for w in left), modes):
            rate = [pace[j, gpu[n], k] if n >= 0 else np.inf for j, (n, k) in enumerate(placed)]
            ends = [now + w * a for w, a in zip(left, rate, strict=True) if a < np.inf]
            then = min([following, *ends])
            if then == np.inf:
                continue
            used = [sum(k for m, k in placed if m == n) for n in range(cluster.nodes)]
            cost = (then - now) * sum(price[kind[n], u] for n, u in enumerate(used))
            after = [w - (then - now) / a for w, a in zip(left, rate, strict=True)]
            for j, (before, w) in enumerate(zip(left, after, strict=True)):
                if w <= DONE < before:
                    cost += jobs.weight[j] * max(0.0, then - jobs.due[j])
            if cost < best:
                clean = tuple(round(w, 9) if w > DONE else 0.0 for w in after)
                held = modes
                if variant != "free":
                    began = [(gpu[n], k) if n >= 0 else None for n, k in placed]
                    held = tuple(old or new for old, new in zip(modes, began, strict=True))
                best = min(best, cost + least(round(then, 9), clean, held))
        return float(best)

    return least(float(jobs.release[0]), (), ())
