"""Certificates of best-known bounds: made, kept as long as they prove the bound, and checked."""

import json

import pytest

from rsjs import rsjs_verify
from rsjs.bks import certificates, schedules, storage
from rsjs.bks.certify import SOURCE, candidate, certify, without
from rsjs.bks.evidence import rows_of
from rsjs.bks.merge import update
from rsjs.bks.verify import verify
from rsjs.core.errors import InputError
from rsjs.instances.io.serialization import canonical_text, of_instance
from rsjs.rows.status import status

pytestmark = pytest.mark.solver
AMPLE = 600.0


@pytest.fixture
def folder(tmp_path, tiny, best, optimum, cost, bound, claims):
    """A folder with the optimum of an instance, and what a run proves of it."""

    def make(share):
        found = claims(cost(best), bound(optimum * share))
        assert not update(tmp_path, {tiny.digest: found}).contradictions
        return tmp_path

    return make


def entry(folder):
    (known,) = storage.read(folder).values()
    return known


def certified(folder):
    [*updates] = certify(folder, without(storage.read(folder).values()), AMPLE)
    return updates


def test_a_known_bound_gets_a_certificate_that_anybody_can_check(folder, tiny, optimum):
    here = folder(1.0)
    before = entry(here)
    [made] = certified(here)
    after = entry(here)
    assert [one.instance for one in made.changed] == [tiny.name]
    assert (before.certificate, after.lb_data) == (None, before.lb_data)  # it was closed
    text = schedules.unpacked(after.certificate, rsjs_verify.BOUND, "")
    proved = rsjs_verify.verify_bound(canonical_text(of_instance(tiny)), text)
    assert optimum * (1 - 1e-6) <= float(proved) <= optimum
    assert verify(here).findings == []
    assert verify(here).certificates == 1
    assert certified(here) == []  # nothing is left to do


def test_a_certificate_that_proves_more_raises_the_bound(folder, optimum):
    here = folder(0.5)
    certified(here)
    after = entry(here)
    assert (after.status, len(after.lb_data)) == ("closed", 2)
    assert status(rows_of(after)).word == "closed"
    assert (after.bound.source, after.bound.bound_source) == (SOURCE, "certificate")
    assert after.bound.value == pytest.approx(optimum, rel=1e-6)
    assert after.bound.confirmed_by == ()
    assert verify(here).findings == []


def test_a_greater_bound_drops_a_certificate_that_does_not_prove_it(
    folder, tiny, optimum, bound, claims
):
    here = folder(0.5)
    weak = candidate(entry(here), 0.0)  # a root that is not branched on
    text = schedules.unpacked(weak.certificates[SOURCE], rsjs_verify.BOUND, "")
    weaker = json.loads(text) | {"bound": optimum * 0.5}
    weak.certificates[SOURCE] = schedules.packed(rsjs_verify.BOUND, canonical_text(weaker))
    weak.bounds.clear()
    update(here, {tiny.digest: weak})
    assert entry(here).certificate is not None
    update(here, {tiny.digest: claims(bound(optimum, k=2))})
    assert entry(here).certificate is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"bound": 0}, None),  # claims less than it proves, which counts
        ({"tree": [{}]}, "/certificate: proves"),
        ({"instance": "0" * 64}, "/certificate/instance"),
        ({"tree": [{"prices": {"x": {"1": 1}}}]}, "/certificate/tree/0/prices"),
    ],
)
def test_a_false_certificate_is_found(folder, change, told):
    here = folder(1.0)
    certified(here)
    path = next(here.glob("*.jsonl"))
    document = json.loads(path.read_text())
    text = schedules.unpacked(document["certificate"], rsjs_verify.BOUND, "")
    damaged = canonical_text(json.loads(text) | change)
    document["certificate"] = schedules.packed(rsjs_verify.BOUND, damaged)
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")
    findings = verify(here).findings
    assert [told in line for line in findings] == ([] if told is None else [True])


def test_objectives_without_certificates_are_refused(tiny):
    from dataclasses import replace

    from rsjs.formulations.certificates.tree import certificate

    rules = replace(tiny.objective, energy="next_event", tardiness_at="next_event", mu=0.0)
    other = replace(tiny, objective=rules)
    with pytest.raises(InputError, match="costs of single nodes"):
        certificate(other, 0.0)
    with pytest.raises(InputError, match="/format"):
        certificates.evaluated(tiny, "{}")
