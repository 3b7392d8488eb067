"""
How far each job of a workload has come.

A job that runs makes 1 / a epochs per hour, a the real hours per epoch of its configuration. What
is stored changes only when its placement does: at time s it had done w epochs, so at t it has done
w + max(0, t - s) / a and it ends at s + (W - w) a. Nothing is added up from event to event.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rsjs.core.types import Floats, Ints

SNAP = 1e-7  # epochs: so close to a whole number is that number, whose completion is known


@dataclass(kw_only=True, eq=False)
class Progress:
    """
    The jobs of a workload, all arrays (J,).

    Attributes
    ----------
    realised : int
        W_j.
    placed : float [h]
        When the placement began that holds; nan while a job does not run.
    since : float [h]
        From when on it makes progress: later than `placed` if the node boots.
    done : float
        Epochs done then.
    pace : float [h]
        Hours per epoch; inf while a job does not run.
    end : float [h]
        Completion; inf while a job does not run.
    executed, repeated : float
        Epochs processed, and those of them that were lost and processed again.
    unresolved : float
        Epochs that `executed` may be off: what is done in the least step of the clock, for each
        placement.
    """

    realised: Floats
    placed: Floats = field(init=False)
    since: Floats = field(init=False)
    done: Floats = field(init=False)
    pace: Floats = field(init=False)
    end: Floats = field(init=False)
    executed: Floats = field(init=False)
    repeated: Floats = field(init=False)
    unresolved: Floats = field(init=False)

    def __post_init__(self) -> None:
        jobs = len(self.realised)
        self.placed, self.since = np.full(jobs, np.nan), np.zeros(jobs)
        self.pace, self.end = np.full(jobs, np.inf), np.full(jobs, np.inf)
        self.done, self.executed, self.repeated, self.unresolved = np.zeros((4, jobs))

    def epochs_done(self, rows: Ints, now: float) -> Floats:
        """(A,) epochs done by now, as a policy sees them: short of W_j, whole ones as integers."""
        done = self.done[rows] + np.maximum(0.0, now - self.since[rows]) / self.pace[rows]
        whole, realised = np.rint(done), self.realised[rows]
        done = np.where((np.abs(done - whole) <= SNAP) & (whole < realised), whole, done)
        return np.minimum(done, np.nextafter(realised, 0.0))

    def settle(self, rows: Ints, now: float, *, whole_epochs: bool) -> None:
        """The placement of some jobs ends now; with `whole_epochs` what is beyond one is lost."""
        done = self.epochs_done(rows, now)
        self.executed[rows] += done - self.done[rows]
        self.unresolved[rows] += np.spacing(abs(now)) / self.pace[rows]
        if whole_epochs:
            kept = np.floor(done)
            self.repeated[rows] += done - kept
            done = kept
        self.done[rows] = done
        self.placed[rows], self.pace[rows], self.end[rows] = np.nan, np.inf, np.inf

    def start(self, rows: Ints, now: float, begin: Floats, pace: Floats) -> None:
        """Some jobs are placed now and make progress from `begin` on."""
        self.placed[rows], self.since[rows], self.pace[rows] = now, begin, pace
        self.end[rows] = begin + (self.realised[rows] - self.done[rows]) * pace

    def complete(self, rows: Ints) -> None:
        """Some jobs have reached W_j."""
        self.executed[rows] += (self.end[rows] - self.since[rows]) / self.pace[rows]
        self.unresolved[rows] += np.spacing(np.abs(self.end[rows])) / self.pace[rows]
        self.done[rows] = self.realised[rows]
        self.placed[rows], self.pace[rows], self.end[rows] = np.nan, np.inf, np.inf
