"""
The claims of a submission, each settled by what lies beside it: nothing in a file is believed.

A cost is that of the solution, by `rsjs_verify` in exact arithmetic and by the check in floating
point, which must agree; of a workload that of the replayed log. A bound is what its certificate
proves in exact arithmetic, or that of a run of a registered method, which is only said to be
repeatable until it was repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from rsjs import rsjs_verify
from rsjs.bks import schedules
from rsjs.bks.certificates import evaluated, refuse_narrow
from rsjs.bks.entries import Document
from rsjs.bks.exact_cost import AGREEMENT, agree, priced
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.instances.check import TOLERANCE
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.deserialization import to_solution
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.serialization import SOLUTION
from rsjs.instances.io.strict_json import Reader, read_json_lines
from rsjs.instances.solution import Solution
from rsjs.instances.transform import permuted
from rsjs.methods import BUILT_IN, Request, all_methods, parse
from rsjs.runs import verified_run
from rsjs.simulation import event_log
from rsjs.simulation.bounds import CERTIFICATE as BOUND
from rsjs.simulation.event_log import Log
from rsjs.submissions import subjects
from rsjs.submissions.document import CLOSED, Submission, schema
from rsjs.submissions.files import Files
from rsjs.submissions.row import CERTIFICATE, REPEATED, RUN
from rsjs.submissions.subjects import Known, Subject

BOUND_RUN = "rsjs-bound-run/1"
SPECIFICATION = re.compile(r"[A-Za-z0-9_@:?=,.()|+-]+", re.ASCII)  # of a method of the suite
LIMITS = {"time_limit": "time_s", "threads": "threads", "memory_limit_mb": "memory_mb"}


class FalseClaim(InputError):
    """A claim that what lies beside it refutes: the input can be read, and is not true."""

    @staticmethod
    def of(error: InputError, path: Path) -> FalseClaim:
        """Return an error of the verifier as a claim of a file that is false."""
        return FalseClaim(error.pointer, error.value, error.expected, path)


@dataclass(frozen=True, kw_only=True, eq=False)
class Claim:
    """What a submission proves of one instance."""

    submission: Submission
    subject: Subject
    stranger: bool  # whether the instance came with the submission
    place: Path  # of its files, for messages
    solution_file: str | None = None
    bound_file: str | None = None
    solution: Solution | Log | None = None
    price: Document | None = None  # fields of `Cost`: value, exact, terms
    bound: float | None = None
    evidence: str | None = None
    method: str | None = None  # of the run that the bound is from
    certificate: Document | None = None  # packed, as best-known values keep it

    @property
    def cost(self) -> float | None:
        """The double nearest to the exact cost [$]."""
        return None if self.price is None else self.price["value"]


def claims(
    files: Files, submission: Submission, known: Known, *, rerun: bool = False
) -> Iterator[Claim | InputError]:
    """
    Yield what is proved of each instance, or an error for each file that is refused.

    With `rerun`, runs that bounds come from are repeated.
    """
    try:
        named = {folder: files.named(folder) for folder in ("solutions", "bounds", "instances")}
    except InputError as error:
        yield error
        return
    solutions, bounds, own = named.values()
    if not solutions and not bounds:
        expected = "a solution or a bound: solutions/SHA256.json, bounds/SHA256.json"
        yield InputError("", described("none"), expected, files.place)
    for sha256 in sorted({*own} - {*solutions} - {*bounds}):
        expected = "a solution or a bound of this instance, or no such file"
        yield InputError("", described("neither"), expected, files.path(own[sha256]))
    for sha256 in sorted({*solutions} | {*bounds}):
        asked = [one[sha256] for one in (solutions, bounds) if sha256 in one]
        try:
            subject, stranger = _subject(files, sha256, asked[0], own.get(sha256), known)
            _refuse_family(submission, sha256, known, files.path(asked[0]))
            claim = Claim(
                submission=submission, subject=subject, stranger=stranger, place=files.place
            )
        except InputError as error:
            yield error
            continue
        for name in asked:
            try:
                if name.startswith("solutions"):
                    claim = _with_cost(claim, files, name)
                else:
                    claim = _with_bound(claim, files, name, rerun=rerun)
            except InputError as error:
                yield error
        if claim.solution_file or claim.bound_file:
            yield claim


def _subject(
    files: Files, sha256: str, asked: str, own: str | None, known: Known
) -> tuple[Subject, bool]:
    brought = None if own is None else subjects.read(files, own, known)
    subject = known.subject(sha256)
    if subject is not None:
        return subject, False
    if brought is not None:
        return brought, True
    expected = f"one of the library, or the file instances/{sha256}.json beside it"
    raise InputError("", described("an unknown instance"), expected, files.path(asked))


def _refuse_family(submission: Submission, sha256: str, known: Known, path: Path) -> None:
    family = known.family(sha256)
    if family != submission.family:
        expected = f"one of {submission.family}: submit it to the family {family}"
        raise InputError("", described(f"an instance of {family}"), expected, path)


def _refuse_other(document: Document, key: str, name: str, path: Path) -> None:
    """Refuse a file whose content is for another instance than its name says."""
    sha256 = Path(name).name.partition(".")[0]
    if document[key] != sha256:
        expected = f"{sha256}, the name of the file: rename it, or correct this"
        raise InputError(f"/{key}", document[key], expected, path)


# ------------------------------------------------------------------------------------------------
# Costs


def _with_cost(claim: Claim, files: Files, name: str) -> Claim:
    path = files.path(name)
    of_workload, suffix = isinstance(claim.subject, Workload), name.removesuffix(".gz")
    if of_workload != suffix.endswith(".jsonl"):
        what = ("the log of a simulation, .jsonl", "a solution, .json")[not of_workload]
        raise InputError("", described(suffix.rpartition("/")[2]), f"{what}: rename it", path)
    if isinstance(claim.subject, Workload):
        return _with_log(claim, claim.subject, files, name)
    document = subjects.parsed(files, name)
    if document["format"] != SOLUTION:
        raise InputError("/format", document["format"], repr(SOLUTION), path)
    _refuse_other(document, "instance", name, path)
    solution = to_solution(document)
    try:
        price = priced(claim.subject, solution)
    except InputError as error:
        raise FalseClaim.of(error, path) from None
    claimed, value = document.get("objective"), price["value"]
    if claimed is not None and not agree(value, claimed):
        expected = f"{value!r}, the exact cost: correct it, or leave it out"
        raise FalseClaim("/objective", claimed, expected, path)
    bound = document.get("bound")
    if bound is not None and bound > value * (1 + AGREEMENT):
        expected = f"at most {value!r}, the exact cost: correct it, or leave it out"
        raise FalseClaim("/bound", bound, expected, path)
    return replace(claim, solution_file=name, solution=solution, price=price)


def _with_log(claim: Claim, workload: Workload, files: Files, name: str) -> Claim:
    """Replay the log of a simulation: each solution is checked, and what it says must come out."""
    path = files.path(name)
    try:
        unzipped = Path(str(path).removesuffix(".gz"))
        log = event_log.of_documents(read_json_lines(unzipped, files.text(name)))
    except InputError as error:
        raise error.at(path) from None
    try:
        price = schedules.priced(workload, log)
    except InputError as error:
        raise FalseClaim.of(error, path) from None
    return replace(claim, solution_file=name, solution=log, price=price)


# ------------------------------------------------------------------------------------------------
# Bounds


def _with_bound(claim: Claim, files: Files, name: str, *, rerun: bool) -> Claim:
    path, data = files.path(name), files.text(name)
    try:
        document = Reader(Path(str(path).removesuffix(".gz")), data).any()
        form = document.get("format") if isinstance(document, dict) else None
        if form == BOUND_RUN:
            fit(document, schema("bound-run"), path)
            return _of_run(claim, document, name, path, rerun=rerun)
        if form == BOUND:
            return _of_certificate(claim, document, data.decode(), name, path)
        raise InputError("/format", form, f"{BOUND!r} or {BOUND_RUN!r}")
    except InputError as error:
        raise error.at(path) from None


def _of_certificate(claim: Claim, document: Document, text: str, name: str, path: Path) -> Claim:
    """Evaluate a certificate exactly; its bound is what it claims, at most what it proves."""
    key = "instance" if isinstance(claim.subject, Instance) else "workload"
    if key not in document:
        raise InputError("", described(f"no key {key!r}"), "this key: the sha256")
    _refuse_other(document, key, name, path)
    refuse_narrow(document)
    claimed, proved, holds = evaluated(claim.subject, text)
    if not holds:
        expected = f"at most {float(proved)!r}, what the certificate proves: correct it"
        raise FalseClaim("/bound", float(claimed), expected)
    value = min(rsjs_verify.rounded(proved, -inf), float(claimed))
    kept = schedules.packed(BOUND, text)
    return replace(claim, bound_file=name, bound=value, evidence=CERTIFICATE, certificate=kept)


def _of_run(claim: Claim, document: Document, name: str, path: Path, *, rerun: bool) -> Claim:
    """Check that anybody can repeat the run that a bound is from, and repeat it if asked."""
    subject = claim.subject
    _refuse_other(document, "instance", name, path)
    request = refuse_unrepeatable(document["method"], subject)
    limits = _limits(document["limits"], claim.submission)
    if (document["solver_version"] is None) != (verified_run.solver_of(request) is None):
        expected = f"the version of the solver that {request.label} runs; null if it runs none"
        raise InputError("/solver_version", document["solver_version"], expected)
    bound: float = document["bound"]
    evidence = RUN
    if rerun:
        bound, evidence = min(bound, _repeated(claim, request, limits, document)), REPEATED
    return replace(claim, bound_file=name, bound=bound, evidence=evidence, method=request.spelling)


def refuse_unrepeatable(text: str, instance: Subject) -> Request:
    """
    Return the request of an exact method that serves an instance and that anybody has.

    Programs as solvers, functions in files and methods of other packages are refused by their
    names, before anything of them is imported.
    """
    expected = "a method of the suite, see `rsjs list methods`"
    others = {*re.findall(r"\w+", text)} & {*all_methods().offers}
    if not SPECIFICATION.fullmatch(text) or ".py" in text or others:
        raise InputError("/method", text, f"{expected}: no program, file or other package")
    try:
        request = parse(text, BUILT_IN)
    except InputError as error:
        raise InputError("/method", text, f"{expected}: {error.expected}") from None
    if not request.names <= {*BUILT_IN} or request.programs:
        raise InputError("/method", text, expected)
    if request.method.kind != "exact":
        raise InputError("/method", text, "an exact method, one that proves bounds")
    if not isinstance(instance, Instance):
        raise InputError("/method", text, "a certificate: so bounds of workloads are proved")
    if reason := request.refusal(instance):
        raise InputError("/method", text, f"a method that serves the instance: {reason}")
    return request


def _limits(given: Document, submission: Submission) -> Limits:
    for key, name in LIMITS.items():
        if submission.limits is not None and given[key] > submission.limits[name]:
            expected = f"at most {submission.limits[name]}, as submission.toml says of each run"
            raise InputError(f"/limits/{key}", given[key], expected)
    if submission.division == CLOSED and given["threads"] != 1:
        raise InputError("/limits/threads", given["threads"], "1 in the closed division")
    try:
        return Limits.asked(**given)
    except InputError as error:
        raise InputError(f"/limits{error.pointer}", error.value, error.expected) from None


def _repeated(claim: Claim, request: Request, limits: Limits, document: Document) -> float:
    """Repeat a run and return its bound; a claim that it does not reach is refused."""
    instance: Any = claim.subject
    if document.get("permutation", 0):
        instance = permuted(instance, document["permutation"]).instance
    run = verified_run.run(instance, request, limits)
    result, verdict, bound = run.result, run.verdict, float(document["bound"])
    if result.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    if verdict is not None and not verdict.feasible:
        expected = f"a run whose claims are true; {verdict.violations[0]}"
        raise FalseClaim("/bound", bound, expected)
    if result.bound is None or result.bound_variant != "instance":
        expected = f"a run with a bound of the instance as given; it ended {result.stop.value}"
        raise FalseClaim("/bound", bound, expected)
    if bound > result.bound + TOLERANCE * abs(result.bound):
        raise FalseClaim("/bound", bound, f"at most {result.bound!r}, what the repeated run proved")
    return float(result.bound)
