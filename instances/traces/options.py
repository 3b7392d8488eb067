"""How a workload is made of a trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rsjs.instances.arguments import integer, one_of
from rsjs.instances.catalogue import epoch_models
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.errors import InputError

RULES = ("sts", "jahani")
LAWS = (*epoch_models.VARIANTS, FIXED)
SHARING = ("none", "recorded")


@dataclass(frozen=True, kw_only=True)
class Options:
    """
    How a workload is made.

    Attributes
    ----------
    drop, keep, after, jobs
        See `selection.select`.
    gpus : mapping
        GPU type as recorded ("" = not recorded) -> that of the catalogue.
    rules : "sts" | "jahani"
        Objective, due dates and weights of Filippini 2024 or of Jahani 2019.
    laws : "base" | "mild" | "strong" | "fixed"
        Of the number of epochs; Jahani's jobs always run all.
    sharing : "none" | "recorded"
        Whether jobs that had a share of a GPU may run on one as large, in quarters.
    seed : int
    """

    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    after: float = 0.0
    jobs: int | None = None
    gpus: Mapping[str, str] = field(default_factory=dict)
    rules: str = "sts"
    laws: str = "base"
    sharing: str = "none"
    seed: int = 1

    def __post_init__(self) -> None:
        one_of("rules", self.rules, RULES)
        one_of("laws", self.laws, LAWS)
        one_of("sharing", self.sharing, SHARING)
        integer("seed", self.seed, 0)
        if self.jobs is not None:
            integer("jobs", self.jobs, 1)
        if not 0 <= self.after < np.inf:
            raise InputError("/after", self.after, "hours >= 0")
        plain = {"laws": FIXED, "sharing": "none"} if self.rules == "jahani" else {}
        for option, value in plain.items():
            if getattr(self, option) != value:
                raise InputError(f"/{option}", getattr(self, option), f"{value} with jahani")

    def with_gpus(self, gpus: Mapping[str, str]) -> Options:
        """The same with stand-ins of GPU types."""
        return replace(self, gpus=gpus)
