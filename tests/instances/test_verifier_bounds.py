"""Certificates of bounds on the cost of an instance: whatever they say, what is proved is true."""

import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs import rsjs_verify
from rsjs.formulations import enumeration
from rsjs.instances.check import check
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.serialization import canonical_text, of_instance
from rsjs.instances.transform import with_change_costs

ANY = st.randoms(use_true_random=False)
ENERGIES = ["first_ending", "proportional"]


def served(rng, random_document, random_decision, energy, charged):
    """A random instance whose energy is that of single nodes; `charged`: moving jobs costs."""
    document = random_document(rng, energy)
    document["objective"]["tardiness_at"] = "completion"
    instance = to_instance(document)
    if charged:
        current = random_decision(instance, rng)
        migration, start = rng.choice([(0.5, 0), (3, 0.25), (40, 7), (1e4, 1)])
        instance = with_change_costs(
            replace(instance, current=current), migration=migration, start=start
        )
    return instance


def exact(instance):
    return rsjs_verify.Instance(rsjs_verify.parsed(canonical_text(of_instance(instance))))


def number(rng, low, high):
    return round(rng.uniform(low, high) * rng.choice([0, 0.1, 1, 10]), rng.randint(0, 6))


def random_tree(rng, subject):
    """Any tree of any prices, in the format."""
    slots = rsjs_verify.Slots(subject)
    kinds = [(name, slot) for name, rows in slots.costs.items() for slot in rows]
    kinds += [(name, "nodes") for name in slots.types]
    entries = []

    def grow(most, least, depth):
        if depth and rng.random() < 0.6:
            kind, at = rng.choice(kinds), rng.randint(0, 2)
            entries.append({"type": kind[0], "slot": kind[1], "most": at})
            grow(most | {kind}, least, depth - 1)
            grow(most, least | {kind}, depth - 1)
            return
        leaf = {key: {} for key in ("prices", "counts")}
        for name, slot in kinds:
            if slot[0] not in "ln" and rng.random() < 0.7:
                leaf["prices"].setdefault(name, {})[slot] = number(rng, 0, 20)
            if (name, slot) in most | least:
                low = -20 if (name, slot) in most else 0
                leaf["counts"].setdefault(name, {})[slot] = number(rng, low, 20)
        leaf["rents"] = {name: number(rng, -5, 30) for name in slots.types if rng.random() < 0.8}
        entries.append(leaf)

    grow(frozenset(), frozenset(), 3)
    return entries


def proved(subject, entries):
    document = {"format": "rsjs-bound/1", "instance": subject.digest, "bound": 0, "tree": entries}
    text = json.dumps(document)
    return rsjs_verify.bound_of_instance(
        subject, rsjs_verify.fit(rsjs_verify.parsed(text), rsjs_verify.THE_TREE)
    )


@pytest.mark.parametrize("charged", [False, True])
@pytest.mark.parametrize("energy", ENERGIES)
@given(rng=ANY)
def test_no_prices_prove_more_than_the_optimum(
    random_document, random_decision, energy, charged, rng
):
    instance = served(rng, random_document, random_decision, energy, charged)
    best = enumeration.best(instance)
    if best is None:
        return
    cost, subject = check(instance, best).objective, exact(instance)
    for _ in range(5):
        assert float(proved(subject, random_tree(rng, subject))) <= cost + 1e-9 * abs(cost)


TREE = [
    {"type": "vm", "slot": "nodes", "most": 1},
    {"prices": {"vm": {"1": 0.5}}, "rents": {"box": 0.25}, "counts": {"vm": {"nodes": -0.5}}},
    {"prices": {"vm": {"1": 0.125}}, "counts": {"vm": {"nodes": 0.5}}},
]


@pytest.mark.parametrize(
    ("tree", "bound"),
    [
        # a: nothing; b follows on a K80: 0.5 (1 + 1.3 - 2); c follows on two P: 1 + 4 - 0.5
        ([{}], "93/20"),
        # b pays 0.1 more, for a slot that each of two vm may fill four times: the least is 0
        ([{"prices": {"vm": {"1": 0.1}}}], "19/4"),
        # and three boxes pay their rents
        ([{"prices": {"vm": {"1": 0.1}}, "rents": {"box": 0.25}}], "4"),
        # at most one vm: b leads one, 1.71, and is paid 1.5 for three slots; boxes cost -0.75 and
        # the vm -0.5. At least two: b pays 0.275, both cost -0.5 and count 0.5: more
        (TREE, "173/50"),
    ],
)
def test_bounds_are_what_is_found_by_hand(example, tree, bound):
    subject = rsjs_verify.Instance(rsjs_verify.parsed(json.dumps(example())))
    assert str(proved(subject, tree)) == bound


def prices(leaf, at=1):
    return lambda document: document["tree"][at].update(leaf)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda d: d.update(instance="0" * 64), "/instance: found 0000"),
        (lambda d: d.update(bound=3.4600000000000004), "/bound: found 3.46"),  # one unit too high
        (lambda d: d.update(bound=None), "/bound: found None"),
        (lambda d: d.update(format="rsjs-bound/2"), "/format: found rsjs-bound/2"),
        (lambda d: d.update(workload=d.pop("instance")), ": found no key 'instance'"),
        (lambda d: d["tree"].clear(), "/tree: found an array of 0"),
        (lambda d: d["tree"].pop(), "/tree: found 2 entries, expected 1 more"),  # half is missing
        (lambda d: d["tree"].append({}), "/tree/3: found one more entry"),
        (lambda d: d["tree"][0].pop("most"), "/tree/0: found no key 'most'"),
        (lambda d: d["tree"][0].update(most=-1), "/tree/0/most: found -1"),
        (lambda d: d["tree"][0].update(most=0.5), "/tree/0/most: found 0.5"),
        (lambda d: d["tree"][0].update(prices={}), "/tree/0: found"),
        (lambda d: d["tree"][0].update(type="car"), "/tree/0/type: found car"),
        (lambda d: d["tree"][0].update(slot="u3"), "/tree/0/slot: found u3"),
        (prices({"prices": {"vm": {"1": -0.5}}}), "/tree/1/prices/vm/1: found -0.5"),
        (prices({"prices": {"vm": {"1": float("nan")}}}), ": found NaN"),
        (prices({"prices": {"vm": {"1": float("inf")}}}), ": found Infinity"),
        (prices({"prices": {"vm": {"1": 1e300}}}), "/tree/1/prices/vm/1: found 1000000"),
        (prices({"prices": {"vm": {"1": 1e-13}}}), "/tree/1/prices/vm/1: found 1e-13"),
        (prices({"prices": {"vm": {"1": None}}}), "/tree/1/prices/vm/1: found None"),
        (prices({"prices": {"car": {"1": 1}}}), "/tree/1/prices: found car"),
        (prices({"prices": {"vm": {"5": 1}}}), "/tree/1/prices/vm: found 5"),
        (prices({"prices": {"vm": {"lead 0": 1}}}), "/tree/1/prices/vm: found lead 0"),
        (prices({"prices": {"vm": {"nodes": 1}}}), "/tree/1/prices/vm: found nodes"),
        (prices({"counts": {"vm": {"nodes": -0.5}}}, at=2), "/tree/2/counts/vm/nodes: found -0.5"),
        (prices({"rents": {"car": 1}}), "/tree/1/rents: found car"),
        (prices({"more": {}}), "/tree/1/more: found an unknown key"),
    ],
)
def test_a_certificate_that_proves_less_or_nothing_is_refused(example, damage, told):
    instance = example()
    subject = rsjs_verify.Instance(rsjs_verify.parsed(json.dumps(instance)))
    head = {"format": "rsjs-bound/1", "instance": subject.digest, "bound": 3.46}
    certificate = {**head, "tree": deepcopy(TREE)}
    assert rsjs_verify.verify_bound(instance, certificate) == Fraction(346, 100)
    damage(certificate)
    with pytest.raises(rsjs_verify.Refused) as error:
        rsjs_verify.verify_bound(instance, json.dumps(certificate))
    assert str(error.value).startswith(told.removeprefix(": "))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("energy", ["next_event", "proportional"])
def test_a_certificate_is_of_one_objective(example, energy):
    document = example(energy=energy)
    document["cluster"]["node_types"][1]["cost"] = [0, 0.5, 0.5]
    for job in document["jobs"]:
        job.pop("inflation", None)
    subject = rsjs_verify.Instance(rsjs_verify.parsed(json.dumps(document)))
    if energy == "next_event":
        with pytest.raises(rsjs_verify.Refused, match="energy: found next_event"):
            proved(subject, [{}])
    else:  # nobody leads: no rents are paid
        assert proved(subject, [{"rents": {"vm": 100}}]) == proved(subject, [{}])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"prices": {"vm": {"1": 1e999999999}}}', "found 1e999999999, expected a finite number"),
        ('{"prices": {"vm": {"1": 0.%s1}}}' % ("0" * 2000), "expected a finite number"),
        (",".join(['{"type": "vm", "slot": "nodes", "most": 1}'] * 5000), "expected 5001 more"),
        (",".join(["{}"] * 20000), "prices, expected at most 1000000"),
    ],
    ids=["exponent", "digits", "branches", "work"],
)
def test_hostile_certificates_end_soon(example, monkeypatch, text, told):
    monkeypatch.setattr(rsjs_verify, "MOST_WORK", 10**6)
    instance = example()
    subject = rsjs_verify.Instance(rsjs_verify.parsed(json.dumps(instance)))
    head = f'{{"format": "rsjs-bound/1", "instance": "{subject.digest}", "bound": 0'
    with pytest.raises(rsjs_verify.Refused) as error:
        rsjs_verify.verify_bound(instance, f'{head}, "tree": [{text}]}}')
    assert told in str(error.value)
    assert len(str(error.value)) < 400
