"""CBC: the program in the wheel cbcbox."""

from __future__ import annotations

from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.external import ExternalSolver

CBC = ExternalSolver(
    name="cbc",
    module="cbcbox",
    distribution="cbcbox",
    versions=">=2.9,<3",
    features=frozenset({Feature.INTEGER, Feature.CONTINUOUS}),
    # its seed 0 is the time of day, so the seed stays its own
    command="cbc {mps} -timeMode elapsed -sec {seconds} -ratio {gap} -solve -solution {solution}",
    solution_format="cbc",
    locate="cbcbox:cbc_bin_path",
)
