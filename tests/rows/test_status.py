"""Status of instances: what rows prove, and claims that say more."""

import pytest

from rsjs.core.errors import InputError
from rsjs.rows.status import Status, refuse_more, status


def row(objective, bound, total_s, cpu_s=None, **more):
    told = {"objective": objective, "bound": bound, "total_s": total_s, "cpu_s": cpu_s}
    return {"method": "m@highs", "status": "ok", "rsjs_version": "1", **told, **more}


def simulated(options, seconds):
    return row(101.0, 80.0, seconds, simulation=options)


OPEN = row(100.0, 90.0, 60.0, 9.0)
CASES = {
    "nobody ran it": ([], "unknown"),
    "only heuristics ran it": ([row(100.0, None, 60.0)], "unknown"),
    "one run of seconds": ([row(100.0, 100.0, 3.0)], "toy"),
    "the fastest run counts": ([row(100.0, 100.0, 300.0), row(100.0, 100.0, 900.0)], "easy"),
    "within the hour": ([row(100.0, 99.999, 3000.0)], "medium"),
    "longer than an hour": ([row(100.0, 100.0, 4000.0)], "hard"),
    "bound of one, cost of another": ([row(100.0, 90.0, 9.0), row(90.0, None, 5.0)], "closed"),
    "the CPU time of the limit counts": ([OPEN], "open after 9 s"),
    "the longest run counts, not the sum": ([OPEN, row(99.0, 80.0, 30.0, 29.0)], "open after 29 s"),
    "a bound without a cost": ([row(None, 90.0, 60.0, status="no_solution")], "open after 60 s"),
    "a wrong run says nothing": ([OPEN, row(90.0, 90.0, 1.0, status="wrong")], "open after 9 s"),
    "the bound of a certificate": ([OPEN, {"method": "certificate", "bound": 100.0}], "closed"),
    "a certificate alone": ([{"method": "certificate", "bound": 9.0}], "open after 0 s"),
    "an hour of a simulation": ([OPEN, simulated("{}", 3600.0)], "open after 3600 s"),
    "told the epochs": ([OPEN, simulated('{"epochs":"known"}', 70.0)], "open after 70 s"),
    "charged otherwise": ([OPEN, simulated('{"energy":"node"}', 70.0)], "open after 9 s"),
    "a bound above the cost of another": ([OPEN, row(130.0, 120.0, 9.0)], "unknown"),
    "a killed run that proved it": ([row(100.0, 100.0, None), OPEN], "closed"),
    "a bound of another problem": ([row(9.0, 9.0, 1.0, bound_variant="published")], "unknown"),
}


@pytest.mark.parametrize(("rows", "told"), CASES.values(), ids=CASES)
def test_a_status_is_what_rows_prove(rows, told):
    assert str(status(rows)) == told


def test_the_run_behind_a_status_is_named():
    found = status([row(100.0, 100.0, 3.0, solver_version="1", cpu_model="a CPU"), OPEN])
    assert (found.method, found.version, found.machine) == ("m@highs", "1, highs 1", "a CPU")
    assert (found.cost, found.bound, found.gap) == (100.0, 100.0, 0)


OPEN_9, EASY = Status(word="open", effort=9.2), Status(word="easy", effort=100.0)
GOOD = [("", EASY), ("easy", EASY), ("hard", EASY), ("closed", EASY), ("unknown", EASY)]
GOOD += [("open after 9 s", OPEN_9), ("open after 5 s", OPEN_9), ("unknown", OPEN_9)]
BAD = {
    "a minute claimed, ten proved": ("toy", EASY, "at most `easy`"),
    "closed claimed of an open one": ("closed", OPEN_9, "at most `open after 9 s`"),
    "an hour claimed, 9 s proved": ("open after 3600 s", OPEN_9, "at most `open after 9 s`"),
    "open claimed of a closed one": ("open after 1 s", EASY, "at most `easy`"),
    "easy claimed, nothing ran": ("easy", Status(word="unknown"), "at most `unknown`"),
    "no word": ("simple", EASY, "one of toy, easy"),
    "open after nothing": ("open", OPEN_9, "one of toy, easy"),
    "open after no number": ("open after a while s", OPEN_9, "N a number"),
}


@pytest.mark.parametrize(("claim", "found"), GOOD)
def test_a_claim_may_say_as_much_or_less(claim, found):
    refuse_more(claim, found, "here")


@pytest.mark.parametrize(("claim", "found", "told"), BAD.values(), ids=BAD)
def test_a_claim_beyond_its_evidence_is_refused_with_its_place(claim, found, told):
    with pytest.raises(InputError, match="golden/x.csv, row 2, status: .*" + told):
        refuse_more(claim, found, "golden/x.csv, row 2, status")
