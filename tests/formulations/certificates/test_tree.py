"""Trees of certificates reach the optimum of tiny instances of every kind, and never pass it."""

import json
from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs import rsjs_verify
from rsjs.core.errors import InputError
from rsjs.formulations.certificates import tree
from rsjs.formulations.certificates.node_model import NodeModel
from rsjs.instances.generators import andreas, jahani, kiros, planted, sts
from rsjs.instances.io.json_schema import fit, schema_text
from rsjs.instances.io.serialization import canonical_text, of_instance
from tests.formulations.agreement import optimum, served

pytestmark = pytest.mark.solver

ANY = st.randoms(use_true_random=False)
TINY = {
    "jahani": jahani.generate(nodes=2, jobs=7, seed=1),
    "jahani, other catalogue": jahani.generate(nodes=3, jobs=7, seed=2, catalogue="no-server2"),
    "kiros": kiros.generate(nodes=2, jobs=7, seed=1),
    "andreas": andreas.generate(nodes=2, jobs=7, seed=1),
    "sts": sts.generate(nodes=2, jobs=6, seed=1),
    "sts, shared": sts.generate(nodes=2, jobs=6, seed=1, mix="kma", sharing="paper"),
    "sts, contention": sts.generate(nodes=3, jobs=7, seed=2, mix="a100", sharing="contention"),
    "planted": planted.optimum(nodes=2, jobs=8, seed=1, kind="first_ending").instance,
}


def certified(instance, target):
    """What a tree proves, read from its JSON, and the number of its leaves."""
    subject = rsjs_verify.Instance(rsjs_verify.parsed(canonical_text(of_instance(instance))))
    entries, value = tree.grow(NodeModel.of(rsjs_verify.Slots(subject)), target)
    head = {"format": "rsjs-bound/1", "instance": subject.digest}
    document = {**head, "bound": tree.claim(value), "tree": entries}
    fit(document, schema_text("bound"), None)
    with pytest.raises(InputError):  # as the verifier refuses it
        fit({**document, "tree": [{**entries[-1], "stays": {"0": 1}}]}, schema_text("bound"), None)
    proved = rsjs_verify.verify_bound(canonical_text(of_instance(instance)), json.dumps(document))
    assert proved == value
    return value, sum("most" not in entry for entry in entries)


@pytest.mark.parametrize("name", TINY)
def test_trees_prove_the_optimum(name):
    least = optimum(TINY[name])
    proved, leaves = certified(TINY[name], least * (1 - 1e-6))
    assert least * (1 - 1e-6) <= float(proved) <= least * (1 + 1e-12)
    assert leaves <= 40


@given(rng=ANY)
def test_no_tree_proves_more_than_the_optimum(random_document, rng):
    instance = served(random_document, rng)
    least = optimum(instance)
    for target in (least, 2 * abs(least) + 1):  # more than can be proved, too
        proved, _ = certified(instance, target)
        assert float(proved) <= least + 1e-9 * abs(least)


def test_where_nothing_may_be_branched_on_the_root_is_the_certificate():
    proved, leaves = certified(TINY["jahani"], -1e9)
    assert leaves == 1
    assert proved > -(10**9)
    stopped = NodeModel.of(
        rsjs_verify.Slots(
            rsjs_verify.Instance(rsjs_verify.parsed(canonical_text(of_instance(TINY["jahani"]))))
        )
    )
    entries, bound = tree.grow(stopped, 1e9, stop=lambda: True)
    assert len(entries) == 1
    assert Fraction(0) < bound < optimum(TINY["jahani"])


def test_a_claim_is_no_more_than_what_is_proved_in_its_decimals_too():
    double = 0.1  # a little more than the decimal 0.1 that is written for it
    assert tree.claim(Fraction(double)) == double
    assert tree.claim(Fraction(1, 10)) < double
    above = 345708.2215278777
    while Fraction(repr(above)) <= Fraction(above):
        above = nextafter(above, inf)
    assert tree.claim(Fraction(above)) == nextafter(above, -inf)
