"""The row of one run."""

import pytest

from rsjs.core.call import Limits
from rsjs.core.report import SolveResult, Stop
from rsjs.runs.compare import LONGEST_MESSAGE, Measured, row


@pytest.mark.parametrize("more", [0, 1, 10**6])
def test_a_message_without_end_is_cut(more):
    made = Measured(
        instance="i",
        instance_sha256="a",
        nodes=1,
        jobs=1,
        method="m",
        result=SolveResult(stop=Stop.ERROR, message="x" * (LONGEST_MESSAGE + more)),
        verdict=None,
        rsjs_version="0",
        solver_version=None,
    )
    left = f" ... {more} characters left out" if more else ""
    assert row(made, Limits())["message"] == "x" * LONGEST_MESSAGE + left
