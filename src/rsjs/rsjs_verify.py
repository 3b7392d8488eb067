#!/usr/bin/env python3
# ruff: noqa: B905 - zip has no `strict` before Python 3.10
"""
Verify decisions for RSJS instances: which jobs run now, on which node, at what cost.

    python rsjs_verify.py INSTANCE SOLUTION...     these solutions of this instance
    python rsjs_verify.py FOLDER...                every solution below with its instance, and
                                                   every file that a SHA256SUMS below lists
    python rsjs_verify.py --bound FILE BOUND...    bounds on the cost of this instance or workload

Needs Python 3.9 or newer and nothing else. Files are JSON, gzipped if named .gz, of the formats
rsjs-instance/1, rsjs-solution/1, rsjs-workload/1 and rsjs-bound/1. Every number is the fraction
that its text says; nothing is rounded, but for bounds, downwards. Exit code: 0 every solution is
feasible and its claims are true; 1 one is not, or a file differs from its checksum; 2 bad input,
each told in one line.

The problem (hours, dollars, GB). Job j needs a_q hours per epoch in configuration q: k GPUs of its
own, or a share level of one GPU. W_j is its number of epochs, w_j the epochs done.

    worst_case   t_jq = a_q (epochs_max - w_j)
    mean         t_jq = a_q (E[W_j] - w_j) while w_j < E[W_j], then the worst case
    expected     t_jq = a_q E[R_j], R_j = W_j - w_j given W_j > w_j; in tardiness and postponement
                 the expectation is that of max(0, .)

Feasible, by the names of what may be violated:

    instance            the solution is for this instance: sha256 of its canonical form
    shape, range        arrays have an entry for each job or node, within range
    allowed_type        a node is off or of a type it may take
    postponed           a job that waits has no GPUs and no share
    one_configuration   a job that runs has GPUs of its own or a share level, not both
    node_on, node_size  its node is on and has that many GPUs
    memory, admissible  it fits the GPU or the level; it has a time in this configuration
    capacity            GPUs taken whole + fewest GPUs that the shares pack into <= GPUs of the node
    open_nodes          as many nodes as the instance's rule asks for
    claimed_objective, claimed_bound     true to 1e-6 relative, the first also to 1e-6 $

Objective: the sum of

    tardiness      job that runs      eta_j max(0, now + t_jq - d_j); with `tardiness_at` next_event
                                      the cluster's first completion t* instead of t_jq
    postponement   job that waits     rho eta_j max(0, now + H + M_j - d_j), M_j = max_q t_jq over
                                      the GPU types that some node may have, in a part of an
                                      instance those of the whole (`slowest_hours_per_epoch`)
    energy         proportional       sum_j (k_j / s_v) c_v t_jq
                   first_ending       nodes with jobs: price for the GPUs in use x least t_jq there
                   next_event         t* x the sum of these prices
    idle           nodes that are on  mu x GPUs not in use
    changes        job that runs      `start` if it does not run in `current`; 0 if it does, on the
                                      same node of the same type, in the same configuration; else
                                      `migration`. A term where one of the two is > 0

Bound of an instance: a job takes a slot of a node of type v: g GPUs; u units of one; or, where the
first to end pays (first_ending), that of this leader, which leaves r GPUs of those it pays for, and
w units of its own. C_js is what it costs job j, P_j what waiting does. Prices pi_s prove

    sum_j min(P_j, min_s (C_js + pi_s)) + sum_n min_v (mu s_v - delta_v - worth_v)
        + sum_s delta_s (> 0: the least, else the most slots or nodes of the kind by the branches)
                      <= the cost of any solution
    worth_v       the most that slots in s_v GPUs are worth, each pi_s + delta_s: a knapsack; with
                  leaders the rent of v: then pi_s of a leader is the rent less delta_s and the
                  worth of what it leaves
    sum over n    as many nodes as open_nodes asks for, the cheapest; "free": those that are < 0

as each kind has as many slots as jobs in it, so that the prices add nothing. Branches on a count
(<= m or > m) make a tree; the bound is that of its lowest leaf. Each term is rounded down to 1e-12.
A running job may keep its slot without a charge on any node of its type: these are not told apart.

Bound of a workload: prices lambda_isb >= 0 [$/h] of places for s GPUs of type i in bucket b of time
prove

    sum_j min_C (E_j(C) + eta_j max(0, C - d_j)) - sum_b hours of b x sum of the nodes' rents
                      <= the cost of any schedule of the workload whose times are as predicted
    P_ib(k)   k min {c_v(u) / u : v of type i, u >= k} + sum_s lambda_isb floor(k / s)
    P_ib(f)   f P_ib(1), of a share f of a GPU
    rent      max(0, max {P_ib(u) - c_v(u)}) over the types v that the node may take and u
    E_j(C)    >= mu W_j - sum_b (hours of b from r_j to C) max(0, max_q (mu / a_q - P_qb))

for every mu, so each job and bucket of C needs only one mu: on a bucket the right side is linear in
C, thus least at an end. 1 / a_q and hours are rounded up, P_qb down, and from what mu proves of a
job, 2**-49 of the sum of all terms is taken off; rents are exact.

A bound of a variant holds for schedules in which each job keeps its mode (one_mode), or is one run
in one mode without interruption (no_preemption). A job then pays at least the least over modes q of
its least with no other mode; or of what a run from s >= r_j to C = s + W_j a_q pays, tardiness and
the integral of P_q, which is linear between s = r_j, d_j - W_j a_q, edges and edges less W_j a_q.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import re
import sys
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

INSTANCE, SOLUTION = "rsjs-instance/1", "rsjs-solution/1"
WORKLOAD, BOUND = "rsjs-workload/1", "rsjs-bound/1"
OURS = re.compile("rsjs-(instance|solution)/")
ARRAYS = ("job_node", "job_gpus", "job_level", "node_type")
TERMS = ("tardiness", "postponement", "energy", "idle")
BASE = r"base:([0-9]+[.]?[0-9]*|[.][0-9]+)(e-?[0-9]{1,2})?"
VARIANTS = {  # schedules that a bound is for
    "free": "every schedule",
    "one_mode": "schedules in which each job keeps its mode",
    "no_preemption": "schedules in which each job is one uninterrupted run",
}
CHANGES = ("migration", "start")  # what the term "changes" is made of
FIXED = "fixed"  # the law with all mass on epochs_max
SLOWEST = "slowest_hours_per_epoch"
LARGEST = 10**15
LONGEST_NUMBER = 1100  # characters
DEEPEST = 50  # brackets in `meta` and `generator`
MOST_NODES = 10**6
MOST_BYTES, MOST_VALUES = 2**28, 2 * 10**7  # of a file, decompressed; brackets and commas in it
MOST_STEPS = 100_000  # of the search for a packing
MOST_TERMS = 3 * 10**8  # of sums that a certificate of a workload needs
MOST_WORK, MOST_PRICED = 2 * 10**8, 10**7  # prices of a certificate; costs of jobs in slots
UNIT = 10**12  # in a $: costs in bounds are rounded to this
NODE_COUNT = "nodes"  # the count of nodes of a type
FINEST, MOST_UNITS = 60, 10**4  # common denominator of a GPU's shares; units of a GPU
TOLERANCE, ROUNDING = Fraction(1, 10**6), Fraction(1, 10**9)  # of claims
ZERO = Fraction(0)

Document = dict[str, Any]
Class = tuple[str, ...]  # the types that a node may take
Counts = dict[tuple[str, str], int]  # by node type and slot, or "nodes"
Mode = tuple[str, int, int]  # GPU type, GPUs of its own (0 = a share), share level (-1 = none)


class Refused(Exception):
    """Bad input, told in one line: where in the document, what was found there and expected."""

    def __init__(self, where: str, found: Any, expected: str) -> None:
        if isinstance(found, (dict, list)):
            found = f"{'an object' if isinstance(found, dict) else 'an array'} of {len(found)}"
        elif isinstance(found, Fraction):
            value = float(found)
            if found == value or not value.is_integer():  # else p/q
                found = str(value).removesuffix(".0")
        self.where, self.found, self.expected = where[:200], str(found)[:100], expected
        place = f"{self.where}: " if where else ""
        super().__init__(f"{place}found {self.found}, expected {expected}")


def must(holds: bool, where: str, found: Any, expected: str) -> None:
    """Raise Refused for what does not hold."""
    if not holds:
        raise Refused(where, found, expected)


# ------------------------------------------------------------------------------------------------
# Reading: bytes -> text -> a document with exact numbers


def text_of(path: Path) -> str:
    """Return the text of a regular file, decompressed if its name ends in .gz."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise Refused("", "a pipe or a device", "a regular file")  # which may have no end
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        must(len(data) <= MOST_BYTES, "", "more than that", f"at most {MOST_BYTES} bytes")
        return data.decode("utf-8")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Refused("", f"damaged gzip data ({error})", "a whole .gz file") from None
    except UnicodeDecodeError as error:
        raise Refused("", f"a bad byte at offset {error.start}", "UTF-8 text") from None
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or error
        raise Refused("", found, "a readable file") from None


def parsed(text: str) -> Any:
    """Return the JSON document in a text: integers as int, other numbers as Fraction."""
    values = sum(map(text.count, "[{,"))
    must(values <= MOST_VALUES, "", f"{values} brackets and commas", f"at most {MOST_VALUES}")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_fraction,
            parse_int=_integer,
            parse_constant=_fraction,
        )
    except json.JSONDecodeError as error:
        place = f"{error.msg} at line {error.lineno} column {error.colno}"
        raise Refused("", place, "a whole JSON document") from None
    except RecursionError:
        raise Refused("", "brackets nested too deeply", "a JSON document") from None


def _object(pairs: list[tuple[str, Any]]) -> Document:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(key, count)] = Counter(key for key, _ in pairs).most_common(1)
        raise Refused("", f"the key {key} {count} times in an object", "it once")
    return found


def _integer(text: str) -> int:
    _double(text)
    return int(text)


def _fraction(text: str) -> Fraction:
    # Fraction(text) takes twice as long, and for ever with 0e999999999
    return Fraction(Decimal(text)) if _double(text) else ZERO


def _double(text: str) -> float:
    value = float(text)
    vanished = value == 0 and re.match("[-0.]*[1-9]", text)  # 1e-999999999
    fits = math.isfinite(value) and not vanished and len(text) <= LONGEST_NUMBER
    must(fits, "", text, "a finite number that a double can hold")
    return value


# ------------------------------------------------------------------------------------------------
# Shape: what a file may hold


# A shape is a record {key: shape}, "key?" optional; a table {"*": shape} with any keys; an array
# [shape, least number]; ("number", low, high); ("whole", low, high); ("text", least length);
# ("word", words); ("null or", shape); ("free", depth), an object that may hold anything.
Shape = Any
NAME, TEXT = ("text", 1), ("text", 0)
ANY, POSITIVE = ("number", -LARGEST, LARGEST), ("number", 0, LARGEST)  # or 0
COUNT = ("whole", 1, 10**9)
CLAIM = ("null or", ("number", -math.inf, math.inf))
DECISION = {name: [("whole", -1, 10**9), 0] for name in ARRAYS}
LEVEL = {"units": COUNT, "max_memory_gb": POSITIVE}
GPU_TYPE = {"name": NAME, "memory_gb": POSITIVE, "units?": COUNT, "levels?": [LEVEL, 0]}
NODE_TYPE = {"name": NAME, "gpu_type": NAME, "gpus": ("whole", 1, 1024), "cost": [POSITIVE, 2]}
NODES = {"count": ("whole", 1, MOST_NODES), "types": [NAME, 1], "names?": [NAME, 0]}
JOB = {
    **{"id": NAME, "application?": TEXT, "law?": NAME, "release?": ANY, "due": ANY},
    **{"weight": POSITIVE, "memory_gb?": POSITIVE, "epochs_max?": COUNT, "epochs_done?": POSITIVE},
    "hours_per_epoch": {"*": [("null or", POSITIVE), 1]},
    "inflation?": {"*": [("null or", ("number", 1, LARGEST)), 1]},
    f"{SLOWEST}?": POSITIVE,
    "meta?": ("free", DEEPEST),
}
RULES = {
    "energy": ("word", ("proportional", "first_ending", "next_event")),
    "tardiness_at": ("word", ("completion", "next_event")),
    "open_nodes": ("word", ("free", "jahani_eq", "rsjs_eq", "rsjs_eq_feasible")),
    "expectation": ("word", ("worst_case", "mean", "expected")),
    "mu": POSITIVE,
    **{f"{name}?": POSITIVE for name in CHANGES},
}
THE_INSTANCE = {
    **{"format": NAME, "name": NAME, "now?": ANY, "H": POSITIVE, "rho": POSITIVE},
    "cluster": {"gpu_types": [GPU_TYPE, 1], "node_types": [NODE_TYPE, 1], "nodes": [NODES, 1]},
    "laws?": {"*": [[("whole", 0, 10**12), 2], 1]},
    "jobs": [JOB, 1],
    "objective": RULES,
    "generator?": {"name?": NAME, "version?": TEXT, "parameters?": ("free", DEEPEST - 1)},
    "current?": DECISION,
}
THE_SOLUTION = {
    **{"format": NAME, "instance": NAME, "method?": ("null or", TEXT)},
    **{"objective?": CLAIM, "bound?": CLAIM, **DECISION},
}
THE_WORKLOAD = {
    **{key: shape for key, shape in THE_INSTANCE.items() if key not in ("now?", "current?")},
    "realised": {"epochs": [COUNT, 1]},
}
THE_BOUND = {
    **{"format": NAME, "workload": NAME, "energy": NAME, "bound": ("number", 0, math.inf)},
    **{"edges": [ANY, 2], "prices": {"*": {"*": [POSITIVE, 1]}}},
    "variant?": ("word", (*VARIANTS,)),
}
VALUES = {"*": {"*": ANY}}  # by node type and slot
ENTRY = {
    **{"type?": NAME, "slot?": NAME, "most?": ("whole", 0, 10**9), "counts?": VALUES},
    **{"prices?": {"*": {"*": POSITIVE}}, "rents?": {"*": ANY}},
}
THE_TREE = {
    **{"format": NAME, "instance": NAME, "bound": ("number", -math.inf, math.inf)},
    "tree": [ENTRY, 1],
}


DEFAULTS = {  # what keys that are left out stand for
    **{"application?": "", "law?": FIXED, "release?": 0, "memory_gb?": 0, "epochs_max?": 1},
    **{"epochs_done?": 0, "units?": 1, "levels?": [], "now?": 0, "laws?": {}},
    **{"variant?": "free"},
}


def fit(value: Any, shape: Shape, where: str = "") -> Any:
    """Return a value of this shape, "whole" as int, "number" as Fraction; refuse any other."""
    if isinstance(shape, dict):
        must(isinstance(value, dict), where, value, "an object")
        shapes = {key.rstrip("?"): inner for key, inner in shape.items()}
        if "*" in shape:
            shapes = dict.fromkeys(value, shape["*"])
        for key in shape:
            must(key[-1] in "?*" or key in value, where, f"no key {key!r}", "this key")
        fitted = {}
        for key, entry in value.items():
            place = f"{where}/{step(key)}"
            must(key in shapes, place, "an unknown key", "known keys only")
            must(is_text(key), place, ascii(key), "Unicode text")
            fitted[key] = fit(entry, shapes[key], place)
        absent = {key for key in shape if key in DEFAULTS and key.rstrip("?") not in fitted}
        return fitted | {key.rstrip("?"): fit(DEFAULTS[key], shape[key], where) for key in absent}
    if isinstance(shape, list):
        inner, least = shape
        good = isinstance(value, list) and len(value) >= least
        must(good, where, value, f"an array of at least {least} entries")
        return [fit(entry, inner, f"{where}/{i}") for i, entry in enumerate(value)]
    kind, *rest = shape
    if kind == "null or":
        return None if value is None else fit(value, rest[0], where)
    if kind == "free":
        must(isinstance(value, dict), where, value, "an object")
        must(depth_of(value) <= rest[0], where, "deeper brackets", f"at most {DEEPEST} levels")
        text = json.dumps(canonical(value), ensure_ascii=False)
        must(is_text(text), where, "a lone surrogate", "Unicode text")
    elif kind == "word":
        must(isinstance(value, str) and value in rest[0], where, value, " or ".join(rest[0]))
    elif kind == "text":
        good = isinstance(value, str) and len(value) >= rest[0]
        must(good, where, value, "a text" + " that is not empty" * rest[0])
        must(is_text(value), where, ascii(value), "Unicode text")
    else:
        low, high = rest
        if type(value) not in (int, Fraction) or not low <= value <= high:
            raise Refused(where, value, f"a number from {low:g} to {high:g}")
        if kind == "number":
            return value if isinstance(value, Fraction) else Fraction(value)
        must(value == int(value), where, value, "an integer")
        return int(value)
    return value


def is_text(value: str) -> bool:
    """Return whether a text has no lone surrogates, which no encoding knows."""
    return not re.search("[\ud800-\udfff]", value)


def depth_of(value: Any) -> int:
    """Count the levels of brackets inside a value; no recursion, for it may be deep."""
    depth, level = -1, [value]
    while level:
        inner = (
            v.values() if isinstance(v, dict) else v for v in level if isinstance(v, (dict, list))
        )
        depth, level = depth + 1, [entry for entries in inner for entry in entries]
    return depth


def step(key: str) -> str:
    """Return a key as one step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


# ------------------------------------------------------------------------------------------------
# Sense: what an instance must be besides


def check_cluster(cluster: Document) -> None:
    """Check GPU types and the units of shares, node types and their prices, names of nodes."""
    gpus, types, groups = (cluster[key] for key in ("gpu_types", "node_types", "nodes"))
    for i, gpu in enumerate(gpus):
        where, parts = f"/cluster/gpu_types/{i}/levels", [s["units"] for s in gpu["levels"]]
        whole, expected = gpu["units"], f"at most {MOST_UNITS} units"
        must(whole <= MOST_UNITS, f"/cluster/gpu_types/{i}/units", whole, expected)
        must(max(parts, default=0) < gpu["units"], where, parts, f"parts of {gpu['units']} units")
        finest = gpu["units"] // math.gcd(gpu["units"], *parts)
        must(finest <= FINEST, where, finest, f"a common denominator of at most {FINEST}")
    known = {gpu["name"] for gpu in gpus}
    for v, kind in enumerate(types):
        where, cost = f"/cluster/node_types/{v}/cost", kind["cost"]
        must_be_one(kind["gpu_type"], known, f"/cluster/node_types/{v}/gpu_type")
        must(len(cost) == kind["gpus"] + 1, where, cost, f"{kind['gpus'] + 1} prices")
        must(cost[0] == 0 and cost == sorted(cost), where, cost, "prices that rise from 0")
    names: list[str] = []
    known = {kind["name"] for kind in types}
    for i, group in enumerate(groups):
        where, own, count = f"/cluster/nodes/{i}", group.get("names"), group["count"]
        for name in group["types"]:
            must_be_one(name, known, f"{where}/types")
        must_differ(group["types"], f"{where}/types")
        must(not own or len(own) == count, f"{where}/names", own, f"{count} names")
        must(len(names) + count <= MOST_NODES, where, count, f"{MOST_NODES} nodes in all")
        names += own or [f"n{len(names) + 1 + k}" for k in range(count)]
    must_differ([gpu["name"] for gpu in gpus], "/cluster/gpu_types")
    must_differ([kind["name"] for kind in types], "/cluster/node_types")
    must_differ(names, "/cluster/nodes")


def check_laws(laws: Document) -> None:
    """Check that laws have increasing epochs and some mass."""
    for name, law in laws.items():
        where, epochs = f"/laws/{step(name)}", [row[0] for row in law]
        must(name != FIXED, where, name, "another name")
        must(all(len(row) == 2 for row in law), where, law, "rows of an epoch and its weight")
        must(epochs == sorted(set(epochs)), where, law, "increasing epochs")
        must(epochs[0] >= 1 and epochs[-1] <= 10**9, where, law, "epochs from 1 to 1000000000")
        must(any(weight for _, weight in law), where, "no mass", "a positive weight")


def check_jobs(jobs: list[Document], cluster: Document, laws: Document, now: Any) -> None:
    """Check that jobs have come, have epochs left, and have times on known GPU types."""
    levels = {gpu["name"]: len(gpu["levels"]) for gpu in cluster["gpu_types"]}
    largest = max(kind["gpus"] for kind in cluster["node_types"])
    most = {"inflation": levels, "hours_per_epoch": dict.fromkeys(levels, largest)}
    must_differ([job["id"] for job in jobs], "/jobs")
    last_of = {name: max(e for e, weight in law if weight) for name, law in laws.items()}
    for j, job in enumerate(jobs):
        where, done, end = f"/jobs/{j}", job["epochs_done"], job["epochs_max"]
        must(job["release"] <= now, f"{where}/release", job["release"], "<= now")
        must(job["law"] in (FIXED, *laws), f"{where}/law", job["law"], "a law")
        last = last_of.get(job["law"], end)
        must(last <= end, f"{where}/epochs_max", end, f">= {last}, the last epoch of the law")
        must(done < last, f"{where}/epochs_done", done, f"< {last}, the last epoch of the law")
        for key in most:
            for gpu, row in job.get(key, {}).items():
                place = f"{where}/{key}/{step(gpu)}"
                must_be_one(gpu, levels, place)
                must(len(row) <= most[key][gpu], place, row, f"at most {most[key][gpu]} entries")
                must(0 not in row, place, 0, "numbers > 0")


def must_differ(names: list[str], where: str) -> None:
    """Refuse a name that is there twice."""
    for name, count in Counter(names).items():
        must(count == 1, where, f"{name!r} {count} times", "names that differ")


def must_be_one(name: str, known: Collection[str], where: str) -> None:
    """Refuse a name that is not known."""
    if name not in known:
        raise Refused(where, name, f"one of {', '.join(sorted(known))}")


def instance_of(document: Any, shape: Shape = THE_INSTANCE) -> Document:
    """Check an instance and return its normal form: no nulls at the ends of rows, nothing empty."""
    instance: Document = fit(document, shape)
    jobs, cluster, laws = (instance[key] for key in ("jobs", "cluster", "laws"))
    check_cluster(cluster)
    check_laws(laws)
    check_jobs(jobs, cluster, laws, instance.get("now", LARGEST))
    for job in jobs:
        for key in {"hours_per_epoch", "inflation"}.intersection(job):
            job[key] = {gpu: trimmed(row) for gpu, row in job[key].items() if trimmed(row)}
    for part in [*jobs, *cluster["nodes"], instance["objective"]]:
        for key in ("inflation", "meta", "names", SLOWEST, *CHANGES):
            if key in part and not part[key]:
                del part[key]
    return instance


def trimmed(row: list[Any]) -> list[Any]:
    """Return a row without the nulls at its end."""
    return row[: max((k + 1 for k, entry in enumerate(row) if entry is not None), default=0)]


# ------------------------------------------------------------------------------------------------
# Identity: the sha256 of the canonical form


def digest_of(instance: Document) -> str:
    """Return the sha256 of the canonical form: sorted keys, no spaces, no generator version."""
    generator = {k: v for k, v in instance.get("generator", {}).items() if k != "version"}
    pinned = {key: value for key, value in instance.items() if key != "generator"}
    if generator:
        pinned["generator"] = generator
    text = json.dumps(canonical(pinned), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode("utf-8")).hexdigest()


def canonical(value: Any) -> Any:
    """Return fractions as the nearest double, integral ones as integers."""
    if isinstance(value, Fraction):
        number = float(value)
        return int(number) if number.is_integer() else number
    if isinstance(value, dict):
        return {key: canonical(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [canonical(entry) for entry in value]
    return value


# ------------------------------------------------------------------------------------------------
# The instance: which configurations there are, and how long jobs take in them


class Law:
    """The law of W, as sums over its tail."""

    def __init__(self, pairs: Iterable[Iterable[int]]) -> None:
        self.epochs, weights = map(list, zip(*pairs))
        self.mass, self.moment = [0], [0]  # sums of weight, of weight x epoch, over epochs[i:]
        for epoch, weight in zip(reversed(self.epochs), reversed(weights)):
            self.mass.append(self.mass[-1] + weight)
            self.moment.append(self.moment[-1] + weight * epoch)
        self.mass.reverse()
        self.moment.reverse()

    def mean(self) -> Fraction:
        """Return E[W]."""
        return Fraction(self.moment[0], self.mass[0])

    def mean_left(self, done: Fraction) -> Fraction:
        """Return E[W - done | W > done]."""
        first = bisect_right(self.epochs, done)
        return Fraction(self.moment[first], self.mass[first]) - done

    def mean_excess(self, done: Fraction, rate: Fraction, slack: Fraction) -> Fraction:
        """Return E[max(0, rate (W - done) - slack) | W > done]."""
        first = bisect_right(self.epochs, done)
        late = max(first, bisect_right(self.epochs, done + slack / rate))
        hours = rate * (self.moment[late] - done * self.mass[late]) - slack * self.mass[late]
        return hours / self.mass[first]


class Instance:
    """An instance in normal form, and what follows from it."""

    def __init__(self, document: Document) -> None:
        normal = instance_of(document)
        self._read(normal)
        self.now = normal["now"]
        self.current = normal.get("current")
        groups = normal["cluster"]["nodes"]
        self.allowed = [names for group in groups for names in [group["types"]] * group["count"]]
        self.laws = {name: Law(pairs) for name, pairs in normal["laws"].items()}
        levels = max(len(gpu["levels"]) for gpu in self.gpus.values())
        self.limits = {  # of the entries of each array: how many, from, to
            "job_node": (len(self.jobs), -1, len(self.allowed) - 1),
            "job_gpus": (len(self.jobs), 0, max(v["gpus"] for v in self.types)),
            "job_level": (len(self.jobs), -1, levels - 1),
            "node_type": (len(self.allowed), -1, len(self.types) - 1),
        }
        self._check(normal)
        self.digest = digest_of(normal)

    def _read(self, normal: Document) -> None:
        """Read what an instance and a workload have in common."""
        self.name, self.jobs, self.rules = normal["name"], normal["jobs"], normal["objective"]
        self.H, self.rho = normal["H"], normal["rho"]
        self.gpus = {gpu["name"]: gpu for gpu in normal["cluster"]["gpu_types"]}
        self.types = normal["cluster"]["node_types"]
        present = {name for group in normal["cluster"]["nodes"] for name in group["types"]}
        self.present = [v for v in self.types if v["name"] in present]
        self.largest = dict.fromkeys(self.gpus, 0)  # GPUs of the largest node that may have it
        for v in self.present:
            self.largest[v["gpu_type"]] = max(self.largest[v["gpu_type"]], v["gpus"])
        self.rates = [self._rates(job) for job in self.jobs]
        for j, job in enumerate(self.jobs):
            must(bool(self.rates[j]), f"/jobs/{j}", job["id"], "a job that may run somewhere")

    def _rates(self, job: Document) -> dict[Mode, Fraction]:
        """Return a_q, hours per epoch, of every configuration allowed on some node."""
        rates: dict[Mode, Fraction] = {}
        for gpu, hours in job["hours_per_epoch"].items():
            kind, memory = self.gpus[gpu], job["memory_gb"]
            if memory > kind["memory_gb"] or not self.largest[gpu]:
                continue
            for count, time in enumerate(hours[: self.largest[gpu]], 1):
                if time is not None:
                    rates[gpu, count, -1] = time
            if hours[0] is not None:
                for level, factor in enumerate(job.get("inflation", {}).get(gpu, [])):
                    if factor is not None and memory <= kind["levels"][level]["max_memory_gb"]:
                        rates[gpu, 0, level] = hours[0] * factor
        return rates

    def _check(self, normal: Document) -> None:
        if self.rules["energy"] == "proportional":
            flat = all(len(set(node_type["cost"][1:])) == 1 for node_type in self.types)
            whole = all(level < 0 for rates in self.rates for _, _, level in rates)
            where, expected = "/objective/energy", "flat prices and no shares, or another rule"
            must(flat and whole, where, "proportional", expected)
        if "current" in normal:
            for _, where, found, expected in misplaced(self, normal["current"]):
                raise Refused(f"/current{where}", found, expected)

    def epochs_left(self, job: Document) -> Fraction:
        """Return the epochs that t_jq counts."""
        done, rule = job["epochs_done"], self.rules["expectation"]
        worst: Fraction = job["epochs_max"] - done
        if rule == "worst_case" or job["law"] == FIXED:
            return worst
        law = self.laws[job["law"]]
        if rule == "expected":
            return law.mean_left(done)
        mean = law.mean()
        return mean - done if mean - done > ROUNDING + mean / 10**14 else worst

    def hours_late(self, job: Document, rate: Fraction, wait: Fraction = ZERO) -> Fraction:
        """Return the hours after the due date, or their expectation, for a start after `wait`."""
        slack: Fraction = job["due"] - self.now - wait
        if self.rules["expectation"] == "expected" and job["law"] != FIXED:
            return self.laws[job["law"]].mean_excess(job["epochs_done"], rate, slack)
        return max(ZERO, rate * self.epochs_left(job) - slack)


# ------------------------------------------------------------------------------------------------
# Feasibility


class Violation(NamedTuple):
    """A constraint that does not hold: its name, the place, what was found and expected."""

    constraint: str
    where: str
    found: Any
    expected: Any

    def __str__(self) -> str:
        return f"{self.constraint}: {self.where}: found {self.found}, expected {self.expected}"


def violations(instance: Instance, solution: Document) -> list[Violation]:
    """Return what is wrong with a decision; each stage relies on those before."""
    return (
        [*wrong_entries(instance, solution)]
        or [*wrong_configurations(instance, solution)]
        or [*crowded_nodes(instance, solution)]
    )


def wrong_entries(instance: Instance, solution: Document) -> Iterator[Violation]:
    """Find violations of instance, shape and range."""
    if solution["instance"] != instance.digest:
        yield Violation("instance", "/instance", solution["instance"], f"sha256 {instance.digest}")
    yield from misplaced(instance, solution)


def misplaced(instance: Instance, arrays: Document) -> Iterator[Violation]:
    """Find violations of shape and range."""
    for name, (size, low, high) in instance.limits.items():
        found = len(arrays[name])
        if found != size:
            yield Violation("shape", f"/{name}", f"{found} entries", f"{size} entries")
            continue
        for i, value in enumerate(arrays[name]):
            if not low <= value <= high:
                yield Violation("range", f"/{name}/{i}", value, f"{low} to {high}")


def wrong_configurations(instance: Instance, solution: Document) -> Iterator[Violation]:
    """Find violations of allowed_type, then those of each job."""
    for n, v in enumerate(solution["node_type"]):
        if v >= 0 and instance.types[v]["name"] not in instance.allowed[n]:
            found, expected = instance.types[v]["name"], " or ".join(instance.allowed[n])
            yield Violation("allowed_type", f"/node_type/{n}", found, expected)
    for j in range(len(instance.jobs)):
        name, key, expected = wrong_job(instance, solution, j)
        if name:
            yield Violation(name, f"/{key}/{j}", solution[key][j], expected)


def wrong_job(instance: Instance, solution: Document, j: int) -> tuple[str, str, str]:
    """Return the constraint that job j violates ("" = none), the array, what was expected."""
    node, gpus, level = (solution[name][j] for name in ARRAYS[:3])
    key = "job_gpus" if level < 0 else "job_level"
    if node < 0:
        name = "postponed" if gpus or level >= 0 else ""
        return name, "job_gpus" if gpus else "job_level", "nothing for a postponed job"
    if (gpus == 0) == (level < 0):
        expected = f"either GPUs or a share level; the level is {level}"
        return "one_configuration", "job_gpus", expected
    if solution["node_type"][node] < 0:
        return "node_on", "job_node", "a node that is on"
    on = instance.types[solution["node_type"][node]]
    job, kind = instance.jobs[j], instance.gpus[on["gpu_type"]]
    if gpus > on["gpus"]:
        return "node_size", "job_gpus", f"at most {on['gpus']} GPUs of {on['name']}"
    if (kind["name"], gpus, level) in instance.rates[j]:
        return "", key, ""
    limits = [share["max_memory_gb"] for share in kind["levels"][max(level, 0) : level + 1]]
    limit = min([kind["memory_gb"], *limits])
    if job["memory_gb"] > limit:
        return "memory", key, f"a job of at most {float(limit):g} GB on {on['name']}"
    return "admissible", key, f"a configuration that job {job['id']} has a time for"


def crowded_nodes(instance: Instance, solution: Document) -> Iterator[Violation]:
    """Find violations of capacity."""
    for n, used in sorted(gpus_in_use(instance, solution).items()):
        size = instance.types[solution["node_type"][n]]["gpus"]
        if used > size:
            yield Violation("capacity", f"/node_type/{n}", f"{used} GPUs in use", f"<= {size} GPUs")


def gpus_in_use(instance: Instance, solution: Document) -> dict[int, int]:
    """Count GPUs in use on each node with jobs: whole ones + the fewest for the shares."""
    used: Counter[int] = Counter()
    shares: dict[int, list[int]] = {}
    for j, n in enumerate(solution["job_node"]):
        if n >= 0:
            used[n] += solution["job_gpus"][j]
            shares.setdefault(n, []).append(solution["job_level"][j])
    for n, levels in shares.items():
        node_type = instance.types[solution["node_type"][n]]
        kind = instance.gpus[node_type["gpu_type"]]
        parts = Counter(kind["levels"][level]["units"] for level in levels if level >= 0)
        least = -(-sum(part * count for part, count in parts.items()) // kind["units"])
        # shares that cannot fit by their volume alone are not packed
        used[n] += least if least > node_type["gpus"] else fewest_bins(parts, kind["units"])
    return dict(used)


def fewest_bins(parts: Counter[int], size: int) -> int:
    """Solve bin packing: the fewest bins of a size for the parts (size -> number)."""
    sizes = sorted((part for part in parts if parts[part]), reverse=True)
    counts = tuple(parts[part] for part in sizes)
    large = sum(count for part, count in zip(sizes, counts) if 2 * part > size)  # one in a bin
    bins, steps = max(large, -(-volume(counts, sizes) // size)), iter(range(MOST_STEPS))
    enough = first_fit(counts, sizes, size)
    while bins < enough and not pack(counts, sizes, size, bins, steps):
        bins += 1
    return bins


def first_fit(counts: tuple[int, ...], sizes: list[int], size: int) -> int:
    """Count the bins of first fit decreasing."""
    rooms: list[int] = []
    for part, count in zip(sizes, counts):
        for _ in range(count):
            at = next((i for i, room in enumerate(rooms) if room >= part), len(rooms))
            rooms += [size] * (at == len(rooms))
            rooms[at] -= part
    return len(rooms)


def pack(
    counts: tuple[int, ...], sizes: list[int], size: int, bins: int, steps: Iterator[int]
) -> bool:
    """Return whether so many parts of these sizes fit into bins: depth first, bin by bin."""
    left: list[tuple[tuple[int, ...], int]] = [(counts, bins)]
    seen: set[tuple[tuple[int, ...], int]] = set()
    while left:
        state = left.pop()
        rest, bins = state
        if not any(rest):
            return True
        if state not in seen:
            seen.add(state)
            room = (bins - 1) * size
            filled = list(zip(fillings(rest, sizes, size), steps))
            found = f"{sum(counts)} shares of {len(sizes)} sizes on one node"
            must(next(steps, None) is not None, "", found, "shares that are packed sooner")
            after = [one for one, _ in filled if volume(one, sizes) <= room]
            left.extend((one, bins - 1) for one in reversed(after))
    return False


def volume(counts: tuple[int, ...], sizes: list[int]) -> int:
    """Return the volume of all parts."""
    return sum(part * count for part, count in zip(sizes, counts))


def fillings(counts: tuple[int, ...], sizes: list[int], size: int) -> Iterator[tuple[int, ...]]:
    """Return what is left after each way to fill one bin, the largest part left among it."""
    first = next(i for i, count in enumerate(counts) if count)
    left = [(first, counts, size)]
    while left:
        i, rest, room = left.pop()
        if i == len(sizes):
            if not any(count and part <= room for part, count in zip(sizes, rest)):
                yield rest
            continue
        for taken in range(1 if i == first else 0, min(rest[i], room // sizes[i]) + 1):
            after = (*rest[:i], rest[i] - taken, *rest[i + 1 :])
            left.append((i + 1, after, room - taken * sizes[i]))


def wrong_number_of_nodes(instance: Instance, solution: Document) -> Iterator[Violation]:
    """Find violations of open_nodes."""
    rule = instance.rules["open_nodes"]
    if rule == "free":
        return
    if rule == "jahani_eq":
        found, what = sum(v >= 0 for v in solution["node_type"]), "selected nodes"
    else:
        found, what = len({n for n in solution["job_node"] if n >= 0}), "nodes with a job"
    required = min(len(instance.jobs), len(instance.allowed))
    if rule == "rsjs_eq_feasible":
        required = most_nodes_with_a_job(instance)
    if found != required:
        yield Violation("open_nodes", "/node_type", f"{found} {what}", f"{required} ({rule})")


def most_nodes_with_a_job(instance: Instance) -> int:
    """
    Return the size of a maximum matching of jobs to nodes, by augmenting paths.

    Nodes with the same allowed types are one class with room for as many jobs.
    """
    room = Counter(tuple(sorted(types)) for types in instance.allowed)
    open_to = [classes_for(instance, rates, room) for rates in instance.rates]
    home: dict[int, Class] = {}
    members: dict[Class, set[int]] = {of: set() for of in room}
    hopeless: set[tuple[Class, ...]] = set()  # whoever may run there finds no place any more
    for start, classes in enumerate(open_to):
        if classes in hopeless:
            continue
        enters: dict[Class, int] = {}  # class -> job that would move into it
        queue, end = [start], None
        for j in queue:
            for of in open_to[j]:
                if of not in enters:
                    enters[of] = j
                    queue.extend(members[of])
                    if len(members[of]) < room[of]:
                        end = of
                        break
            if end is not None:
                break
        else:
            hopeless.add(classes)
        while end is not None:  # each job of the path moves on, back to `start`
            j = enters[end]
            before = home.get(j)
            home[j] = end
            members[end].add(j)
            if before is not None:
                members[before].discard(j)
            end = before
    return len(home)


def classes_for(
    instance: Instance, modes: Iterable[Mode], classes: Iterable[Class]
) -> tuple[Class, ...]:
    """Return the classes of nodes on which a job with these configurations may run."""
    smallest: dict[str, int] = {}  # GPU type -> fewest GPUs
    for gpu, count, _ in modes:
        smallest[gpu] = min(count, smallest.get(gpu, count))
    runs_on = {
        v["name"] for v in instance.types if smallest.get(v["gpu_type"], math.inf) <= v["gpus"]
    }
    return tuple(of for of in classes if not runs_on.isdisjoint(of))


# ------------------------------------------------------------------------------------------------
# Cost


def terms(instance: Instance, solution: Document) -> dict[str, Fraction]:
    """Return the terms of the objective [$] of a decision whose configurations are allowed."""
    rules, jobs, node_of = instance.rules, instance.jobs, solution["job_node"]
    rate = {j: chosen_rate(instance, solution, j) for j, n in enumerate(node_of) if n >= 0}
    hours = {j: rate[j] * instance.epochs_left(jobs[j]) for j in rate}
    first = min(hours.values(), default=ZERO)  # t*
    cost = dict.fromkeys(TERMS, ZERO)
    for j, job in enumerate(jobs):
        if j not in rate:
            slowest = max([*instance.rates[j].values(), job.get(SLOWEST, ZERO)])
            late = instance.hours_late(job, slowest, wait=instance.H)
            cost["postponement"] += instance.rho * job["weight"] * late
        elif rules["tardiness_at"] == "next_event":
            late = max(ZERO, instance.now + first - job["due"])
            cost["tardiness"] += job["weight"] * late
        else:
            cost["tardiness"] += job["weight"] * instance.hours_late(job, rate[j])
    used = gpus_in_use(instance, solution)
    on_node: dict[int, list[int]] = {}
    for j in rate:
        on_node.setdefault(node_of[j], []).append(j)
    for n, members in on_node.items():
        node_type = instance.types[solution["node_type"][n]]
        price = node_type["cost"][used[n]]
        if rules["energy"] == "first_ending":
            cost["energy"] += price * min(hours[j] for j in members)
        elif rules["energy"] == "next_event":
            cost["energy"] += price * first
        else:
            spent = sum(solution["job_gpus"][j] * hours[j] for j in members)
            cost["energy"] += price * spent / node_type["gpus"]
    on = sum(instance.types[v]["gpus"] for v in solution["node_type"] if v >= 0)
    cost["idle"] = rules["mu"] * (on - sum(used.values()))
    if any(name in rules for name in CHANGES):
        cost["changes"] = sum((change_cost(instance, solution, j) for j in rate), ZERO)
    return cost


def change_cost(instance: Instance, solution: Document, j: int) -> Fraction:
    """Return what job j, which runs, pays for being started or moved [$]."""
    if instance.current is None or instance.current["job_node"][j] < 0:
        cost: Fraction = instance.rules.get("start", ZERO)
        return cost
    before, after = (
        (*(arrays[name][j] for name in ARRAYS[:3]), arrays["node_type"][arrays["job_node"][j]])
        for arrays in (instance.current, solution)
    )
    return ZERO if before == after else instance.rules.get("migration", ZERO)


def chosen_rate(instance: Instance, solution: Document, j: int) -> Fraction:
    """Return a_q of the configuration that job j has."""
    node, count, level = (solution[name][j] for name in ARRAYS[:3])
    gpu = instance.types[solution["node_type"][node]]["gpu_type"]
    return instance.rates[j][gpu, count, level]


def false_claims(solution: Document, total: Fraction) -> Iterator[Violation]:
    """Find violations of claimed_objective and claimed_bound."""
    objective, bound = solution.get("objective"), solution.get("bound")
    if objective is not None and abs(objective - total) > TOLERANCE * max(Fraction(1), abs(total)):
        yield Violation("claimed_objective", "/objective", float(objective), repr(float(total)))
    if bound is not None and bound > total + TOLERANCE * abs(total) + ROUNDING:
        yield Violation("claimed_bound", "/bound", float(bound), f"<= the cost {float(total)!r}")


class Verdict(NamedTuple):
    """What is wrong with a decision, and what it costs if its configurations are allowed."""

    violations: list[Violation]
    terms: dict[str, Fraction] | None = None
    objective: Fraction | None = None

    @property
    def feasible(self) -> bool:
        """Return whether nothing is wrong, claims included."""
        return not self.violations


def verify(instance: Instance, solution: Document) -> Verdict:
    """Verify one decision."""
    found = violations(instance, solution)
    if found:
        return Verdict(found)
    cost = terms(instance, solution)
    total = sum(cost.values(), ZERO)
    found = [*wrong_number_of_nodes(instance, solution), *false_claims(solution, total)]
    return Verdict(found, cost, total)


# ------------------------------------------------------------------------------------------------
# Bounds on the cost of an instance


class Slots:
    """
    What jobs cost in the slots of node types, in units of 1 / UNIT $, each term rounded down.

    A slot is named "3": 3 GPUs; "u3": 3 units of one; "lead 2+1": as the first job to end, which
    pays for its node and leaves 2 GPUs to others, and 1 unit of its own ("lead 2" if none).
    """

    def __init__(self, instance: Instance) -> None:
        rules = instance.rules
        energy, at = rules["energy"], rules["tardiness_at"]
        must(energy != "next_event", "/objective/energy", energy, "costs of single nodes")
        must(at == "completion", "/objective/tardiness_at", at, "completion")
        self.instance, self.leads = instance, energy == "first_ending"
        self.types = {v["name"]: v for v in instance.present}
        self.limits = {  # numbers of GPUs in use beyond which the price rises
            name: [u for u in range(1, v["gpus"]) if v["cost"][u] < v["cost"][u + 1]] + [v["gpus"]]
            for name, v in self.types.items()
        }
        slots = sum(v["gpus"] * len(self.limits[name]) for name, v in self.types.items())
        cells = sum(v["gpus"] ** 2 + self.unit(name) ** 2 for name, v in self.types.items())
        priced = len(instance.jobs) * slots
        must(priced <= MOST_PRICED, "", f"{priced} costs", f"at most {MOST_PRICED}")
        self.work = priced + cells  # of one leaf
        self.of_gpu: dict[str, list[str]] = {gpu: [] for gpu in instance.gpus}
        for name, v in self.types.items():
            self.of_gpu[v["gpu_type"]].append(name)
        self._known: dict[tuple[str, int, int], list[tuple[str, int, int, int]]] = {}
        self.postponed: list[int] = []  # P_j
        self.costs: dict[str, dict[str, dict[int, int]]] = {name: {} for name in self.types}
        # job -> its type and what it pays in each slot of its mode if it stays; where that is less
        self.stays: dict[int, tuple[str, dict[str, int]]] = {}
        for j, job in enumerate(instance.jobs):
            slowest = max([*instance.rates[j].values(), job.get(SLOWEST, ZERO)])
            late = instance.hours_late(job, slowest, wait=instance.H)
            self.postponed.append(in_units(instance.rho * job["weight"] * late))
            self._read(j, job)

    def unit(self, name: str) -> int:
        """Return the units of a GPU of a node type."""
        units: int = self.instance.gpus[self.types[name]["gpu_type"]]["units"]
        return units

    def _read(self, j: int, job: Document) -> None:
        """Price all slots of a job; each term is rounded down."""
        instance, before = self.instance, None
        change, moved = (instance.rules.get(name, ZERO) for name in ("start", "migration"))
        if instance.current is not None and instance.current["job_node"][j] >= 0:
            node, count, level = (instance.current[name][j] for name in ARRAYS[:3])
            kind, change = instance.current["node_type"][node], moved
            if kind >= 0:
                before = (instance.types[kind]["name"], count, level)
        changed = in_units(change)
        for (gpu, count, level), rate in instance.rates[j].items():
            late = in_units(job["weight"] * instance.hours_late(job, rate)) + changed
            hours = rate * instance.epochs_left(job)
            time, parts = hours.numerator, hours.denominator
            for name in self.of_gpu[gpu]:
                free: dict[str, int] = {}
                for slot, idle, price, per in self._ways(name, count, level):
                    row = self.costs[name].setdefault(slot, {})
                    found = late + idle + time * price // (parts * per)
                    row[j] = min(found, row.get(j, found))
                    free[slot] = found - changed
                if changed and free and before == (name, count, level):
                    self.stays[j] = name, free

    def _ways(self, name: str, count: int, level: int) -> list[tuple[str, int, int, int]]:
        """Return the slots that a mode may take: name, idle GPUs saved, $/h and its divisor."""
        key = name, count, level
        if key in self._known:
            return self._known[key]
        v, mu, least = self.types[name], self.instance.rules["mu"], max(count, 1)
        cost, ways = v["cost"], []
        if count > v["gpus"]:
            priced = []
        elif not self.leads:
            priced = [(str(count), count, cost[count] * count / v["gpus"])]
        else:
            units = 0
            if level >= 0:
                units = self.instance.gpus[v["gpu_type"]]["levels"][level]["units"]
            beside = self.unit(name) - units if units else 0
            priced = [
                (lead(used - least, beside), least, cost[used])
                for used in self.limits[name]
                if used >= least
            ]
            priced.append((f"u{units}" if units else str(count), count, ZERO))
        for slot, gpus, price in priced:
            each = price * UNIT
            ways.append((slot, in_units(-mu * gpus), each.numerator, each.denominator))
        self._known[key] = ways
        return ways


def lead(gpus: int, units: int) -> str:
    """Return the name of the slot of a leader that leaves so much to others."""
    return f"lead {gpus}+{units}" if units else f"lead {gpus}"


def left_by(slot: str) -> tuple[int, int]:
    """Return the GPUs and the units that a leader's slot leaves, see `lead`."""
    gpus, _, units = slot[5:].partition("+")
    return int(gpus), int(units or 0)


def in_units(value: Fraction) -> int:
    """Return a number of $ in units of 1 / UNIT $, rounded down."""
    return value.numerator * UNIT // value.denominator


class Leaf:
    """Prices of a leaf: what they prove of all solutions whose counts are as its branches say."""

    def __init__(
        self, slots: Slots, where: str, leaf: Document, most: Counts, least: Counts
    ) -> None:
        self.slots, self.where = slots, where
        self.most, self.least = most, least
        self.prices, self.counts = (
            {
                (name, slot): self._exact(value, f"/{key}/{step(name)}/{step(slot)}")
                for name, row in leaf.get(key, {}).items()
                for slot, value in row.items()
                if self._known(key, name, slot)
            }
            for key in ("prices", "counts")
        )
        self.rents = {
            name: self._exact(value, f"/rents/{step(name)}")
            for name, value in leaf.get("rents", {}).items()
            if self._known("rents", name, NODE_COUNT)
        }
        self.fills = {name: self._fill(name) for name in slots.types}

    def _exact(self, value: Fraction, place: str) -> int:
        exact = value * UNIT
        must(exact.denominator == 1, self.where + place, value, "at most 12 decimals")
        return int(exact)

    def _known(self, key: str, name: str, slot: str) -> bool:
        place = f"{self.where}/{key}"
        must_be_one(name, self.slots.types, place)
        known = slot in self.slots.costs[name] or (slot == NODE_COUNT and key != "prices")
        known = known and not (key == "prices" and slot.startswith("lead"))  # those follow
        must(known, f"{place}/{step(name)}", slot, "a slot that a job may take")
        return True

    def offered(self, name: str, slot: str) -> int:
        """Return what a node is paid for a slot: the price, and that of the count."""
        return self.prices.get((name, slot), 0) + self.counts.get((name, slot), 0)

    def _fill(self, name: str) -> tuple[list[int], list[int]]:
        """Return the most that slots in 0, 1, ... GPUs, and in units of one, are worth."""
        slots = self.slots
        size, whole = slots.types[name]["gpus"], slots.unit(name)
        shares, gpus = {}, {}
        for slot in slots.costs[name]:
            if slot[0] == "u":
                shares[int(slot[1:])] = self.offered(name, slot)
            elif slot[0] != "l":
                gpus[int(slot)] = self.offered(name, slot)
        in_one = knapsack(shares, whole)
        if shares:  # a GPU that is opened for shares is in use
            opened = in_one[-1] - in_units(-slots.instance.rules["mu"])
            gpus[1] = max(opened, gpus.get(1, 0))
        return knapsack(gpus, size), in_one

    def lead_price(self, name: str, slot: str) -> int:
        """Return the price of a leader's slot: as high as the rent of its node allows."""
        gpus, units = left_by(slot)
        fill, in_one = self.fills[name]
        worth = fill[gpus] + in_one[units]
        return self.rents.get(name, 0) - worth - self.counts.get((name, slot), 0)

    def bound(self) -> int:
        """Return the bound in units of 1 / UNIT $."""
        slots, best = self.slots, list(self.slots.postponed)
        price: dict[tuple[str, str], int] = {}
        for name, rows in slots.costs.items():
            for slot, row in rows.items():
                leads = slot[0] == "l"
                of = self.lead_price(name, slot) if leads else self.prices.get((name, slot), 0)
                price[name, slot] = of
                for j, cost in row.items():
                    if cost + of < best[j]:
                        best[j] = cost + of
        for j, (name, free) in slots.stays.items():  # as if it stayed on any node
            best[j] = min(best[j], *(cost + price[name, slot] for slot, cost in free.items()))
        total = sum(best) + self._nodes()
        for (name, slot), of in self.counts.items():
            if of < 0:
                place, most = f"{self.where}/counts", self.most.get((name, slot))
                must(most is not None, f"{place}/{step(name)}/{slot}", of / UNIT, ">= 0: no most")
                total += of * (most or 0)
            else:
                total += of * self.least.get((name, slot), 0)
        return total

    def _nodes(self) -> int:
        """Return the least that nodes cost besides what slots pay."""
        slots, instance = self.slots, self.slots.instance
        rule, mu, price = instance.rules["open_nodes"], instance.rules["mu"], {}
        for name, v in slots.types.items():
            price[name] = in_units(mu * v["gpus"]) - self.counts.get((name, NODE_COUNT), 0)
        usual = {
            name: self.rents.get(name, 0) if slots.leads else fill[-1]
            for name, (fill, _) in self.fills.items()
        }
        if rule == "jahani_eq":  # nodes may be selected without a job
            usual = {name: max(0, of) for name, of in usual.items()}
        classes = Counter(tuple(types) for types in instance.allowed)
        least = {of: min(price[name] - usual[name] for name in of) for of in classes}
        left, total = min(len(instance.jobs), len(instance.allowed)), 0
        if rule == "rsjs_eq_feasible":
            left = most_nodes_with_a_job(instance)
        for each, number in sorted((least[of], n) for of, n in classes.items()):
            taken = min(left, number) if each < 0 or rule != "free" else 0
            total, left = total + taken * each, left - taken
        return total


def knapsack(worth: dict[int, int], room: int) -> list[int]:
    """Return the most that parts (size -> worth), any number of each, are worth in 0 to `room`."""
    best = [0] * (room + 1)
    for r in range(1, room + 1):
        fits = (best[r - size] + each for size, each in worth.items() if size <= r)
        best[r] = max(best[r - 1], max(fits, default=0))
    return best


def bound_of_instance(instance: Instance, certificate: Document) -> Fraction:
    """Return the bound that the prices of a certificate prove [$]."""
    told, tree = certificate["instance"], certificate["tree"]
    must(told == instance.digest, "/instance", told, f"{instance.digest}, this instance")
    slots, found = Slots(instance), []
    work = len(tree) * slots.work
    must(work <= MOST_WORK, "/tree", f"{work} prices", f"at most {MOST_WORK}")
    open_: list[tuple[Counts, Counts]] = [({}, {})]  # most and least of each count
    for i, entry in enumerate(tree):
        where = f"/tree/{i}"
        must(bool(open_), where, "one more entry", "the end: each branch has two")
        most, least = open_.pop()
        if "most" not in entry:
            must("slot" not in entry, where, "no key 'most'", "this key")
            found.append(Leaf(slots, where, entry, most, least).bound())
            continue
        must(set(entry) == {"type", "slot", "most"}, where, sorted(entry), "type, slot and most")
        count = name, slot = entry["type"], entry["slot"]
        must_be_one(name, slots.types, f"{where}/type")
        must_be_one(slot, [NODE_COUNT, *slots.costs[name]], f"{where}/slot")
        low = {**most, count: min(entry["most"], most.get(count, entry["most"]))}
        high = {**least, count: max(entry["most"] + 1, least.get(count, 0))}
        open_ += [(most, high), (low, least)]
    must(not open_, "/tree", f"{len(tree)} entries", f"{len(open_)} more: each branch has two")
    return Fraction(min(found), UNIT)


# ------------------------------------------------------------------------------------------------
# Bounds on the cost of a workload


class Workload(Instance):
    """A workload in normal form: jobs over time, with the epochs that each of them runs."""

    def __init__(self, document: Document) -> None:
        normal = instance_of(document, THE_WORKLOAD)
        self._read(normal)
        self._check(normal)
        for name in CHANGES:
            cost = self.rules.get(name, ZERO)
            must(cost == 0, f"/objective/{name}", cost, "0: only an instance charges changes")
        self.epochs, jobs = normal["realised"]["epochs"], len(self.jobs)
        must(len(self.epochs) == jobs, "/realised/epochs", self.epochs, f"{jobs} entries")
        before, laws = -math.inf, normal["laws"]
        for j, (job, epochs) in enumerate(zip(self.jobs, self.epochs)):
            law, release = job["law"], job["release"]
            can = [e for e, weight in laws.get(law, [(job["epochs_max"], 1)]) if weight]
            expected = f"an epoch that law {law!r} can take"
            must(epochs in can, f"/realised/epochs/{j}", epochs, expected)
            expected = "a release no earlier than the job before"
            must(release >= before, f"/jobs/{j}/release", release, expected)
            before, done = release, job["epochs_done"]
            must(done == 0, f"/jobs/{j}/epochs_done", done, "0 in a workload")
        self.groups = normal["cluster"]["nodes"]
        self.digest = digest_of(normal)


def rounded(value: Fraction, towards: float) -> float:
    """Return a double at most this far from a fraction, not on the other side."""
    near = float(value)
    exact = Fraction(near)
    wrong = exact < value if towards > 0 else exact > value
    return math.nextafter(near, towards) if wrong else near


def billed(kind: Document, energy: str) -> list[Fraction]:
    """Return $/h of a node type by GPUs in use: curve, gpu, node or base:B, see `rsjs simulate`."""
    if energy == "curve":
        return list(kind["cost"])
    text = {"gpu": "base:0", "node": "base:1"}.get(energy, energy)
    must(bool(re.fullmatch(BASE, text)), "/energy", energy, "an accounting")
    base, size, full = Fraction(_fraction(text[5:])), kind["gpus"], kind["cost"][-1]
    must(base <= 1, "/energy", energy, "a share of at most 1")
    return [ZERO] + [full * (base + (1 - base) * u / size) for u in range(1, size + 1)]


class Prices:
    """Prices of modes by bucket, of a certificate for a workload; the last bucket has none."""

    def __init__(self, workload: Workload, certificate: Document) -> None:
        told = certificate["workload"]
        must(told == workload.digest, "/workload", told, f"{workload.digest}, this workload")
        self.edges: list[Fraction] = certificate["edges"]
        for b, (begin, end) in enumerate(zip(self.edges, self.edges[1:]), 1):
            must(begin < end, f"/edges/{b}", end, f"> {float(begin):g}, increasing edges")
        self.count = len(self.edges) - 1
        self.workload = workload
        self._sizes = self._read(certificate["prices"])
        self.bills = {v["name"]: billed(v, certificate["energy"]) for v in workload.present}
        self.least = {gpu: [ZERO] for gpu in workload.gpus}  # p_i(k)
        for gpu, most in workload.largest.items():
            bills = [self.bills[v["name"]] for v in workload.present if v["gpu_type"] == gpu]
            for k in range(1, most + 1):
                each = min(bill[u] / u for bill in bills for u in range(k, len(bill)))
                self.least[gpu].append(k * each)
        self.work = 0  # terms so far, of sums over kinds of buckets
        self.lows: dict[Mode, list[float]] = {}  # of each mode by bucket, rounded down
        self._paid: dict[Mode, tuple[list[Fraction], list[Fraction]]] = {}
        alike: dict[tuple[Fraction, ...], int] = {}
        every = [row for sizes in self._sizes.values() for row in sizes.values()]
        rows = [tuple(row[b] for row in every) for b in range(self.count)]
        rows.append((ZERO,) * len(every))
        self.kind = [alike.setdefault(row, len(alike)) for row in rows]  # buckets of equal prices
        self.example = [self.kind.index(i) for i in range(len(alike))]  # a bucket of each kind

    def _read(self, prices: Document) -> dict[str, dict[int, list[Fraction]]]:
        found: dict[str, dict[int, list[Fraction]]] = {gpu: {} for gpu in self.workload.gpus}
        for gpu, sizes in prices.items():
            must_be_one(gpu, self.workload.gpus, "/prices")
            for size, row in sizes.items():
                place = f"/prices/{step(gpu)}/{step(size)}"
                must(bool(re.fullmatch("[1-9][0-9]{0,3}", size)), place, size, "a number of GPUs")
                must(len(row) == self.count, place, row, f"{self.count} prices, one per bucket")
                found[gpu][int(size)] = row
        return found

    def spend(self, terms: int) -> None:
        """Count the terms of a sum; refuse prices that need too many."""
        self.work += terms
        must(self.work <= MOST_TERMS, "/prices", f"over {MOST_TERMS} terms", "fewer buckets")

    def of_gpus(self, gpu: str, count: int, bucket: int) -> Fraction:
        """Return P_ib(k) [$/h]."""
        price = self.least[gpu][count]
        if bucket < self.count:
            price += sum(row[bucket] * (count // s) for s, row in self._sizes[gpu].items())
        return price

    def low(self, mode: Mode) -> list[float]:
        """Return the prices of a mode [$/h] in a bucket of each kind, rounded down."""
        if mode not in self.lows:
            gpu, count, level = mode
            kind = self.workload.gpus[gpu]
            part = Fraction(kind["levels"][level]["units"], kind["units"]) if level >= 0 else 1
            self.spend(len(self.example) * (1 + len(self._sizes[gpu])))
            exact = [part * self.of_gpus(gpu, count or 1, b) for b in self.example]
            self.lows[mode] = [max(0.0, rounded(price, -math.inf)) for price in exact]
        return self.lows[mode]

    def paid(self, mode: Mode, begin: Fraction, end: Fraction) -> Fraction:
        """Return the integral of the price of a mode, not above it [$]."""
        if mode not in self._paid:
            self.spend(self.count)
            price = [Fraction(self.low(mode)[kind]) for kind in self.kind]
            total = [ZERO]  # from the first edge to each
            for b in range(self.count):
                total.append(total[-1] + (self.edges[b + 1] - self.edges[b]) * price[b])
            self._paid[mode] = price, total
        price, total = self._paid[mode]
        first, last = (bisect_right(self.edges, time) - 1 for time in (begin, end))
        if first == last:  # -1 = before the first edge, with the price of none as after the last
            return (end - begin) * price[first]
        upto = total[last] + (end - self.edges[last]) * price[last]
        return upto - total[max(first, 0)] - (begin - self.edges[max(first, 0)]) * price[first]

    def rents(self) -> Fraction:
        """Return what all nodes are paid above their costs [$]."""
        rent: list[Fraction] = []  # $/h of all nodes in a bucket of each kind
        sizes = 1 + max(map(len, self._sizes.values()), default=0)
        counts = sum(len(bill) for bill in self.bills.values())
        groups = [group["types"] for group in self.workload.groups]
        self.spend(len(self.example) * (counts * sizes + sum(map(len, groups))) + self.count)
        for b in self.example:
            worth = {}
            for v in self.workload.present:
                bill = enumerate(self.bills[v["name"]])
                worth[v["name"]] = max(self.of_gpus(v["gpu_type"], u, b) - c for u, c in bill)
            groups = self.workload.groups
            rent.append(sum((g["count"] * max(worth[t] for t in g["types"]) for g in groups), ZERO))
        length = [end - begin for begin, end in zip(self.edges, self.edges[1:])]
        return sum((rent[kind] * hours for kind, hours in zip(self.kind, length)), ZERO)


class AloneJob:
    """One job at prices: what it pays at least, wherever it completes."""

    def __init__(self, prices: Prices, j: int, rates: dict[Mode, Fraction]) -> None:
        self.prices, job = prices, prices.workload.jobs[j]
        self.release, self.due, self.weight = job["release"], job["due"], job["weight"]
        self.work = prices.workload.epochs[j]
        self.fastest = self.release + self.work * min(rates.values())
        self.slowest = self.work * max(rates.values())
        least = min(rates.values())
        must(least * LARGEST >= 1, f"/jobs/{j}/hours_per_epoch", least, f">= {1 / LARGEST}")
        prices.spend(len(prices.example) * len(rates))
        speeds = [rounded(1 / rate, math.inf) for rate in rates.values()]
        lows = [prices.low(mode) for mode in rates]
        self.modes = [  # (speed, $/h) of the modes that may be best, by kind of bucket
            undominated(sorted(zip(speeds, (low[i] for low in lows))))
            for i in range(len(prices.example))
        ]
        free = self.modes[prices.kind[-1]]
        self.cheapest = self.work * min(Fraction(p) / Fraction(v) for v, p in free)  # $, any time

    def late(self, end: Fraction) -> Fraction:
        """Return what being late costs if it completes then [$]."""
        cost: Fraction = self.weight * max(ZERO, end - self.due)
        return cost

    def hours(self, until: Fraction) -> dict[int, Fraction]:
        """Return the hours from the release to a time by kind of bucket."""
        edges, kind = self.prices.edges, self.prices.kind
        found = {kind[-1]: max(ZERO, min(edges[0], until) - self.release)}
        first = max(0, bisect_right(edges, self.release) - 1)
        last = min(self.prices.count, bisect_left(edges, until))
        self.prices.spend(max(0, last - first))
        for b in range(first, last):
            time = min(edges[b + 1], until) - max(edges[b], self.release)
            found[kind[b]] = found.get(kind[b], ZERO) + max(ZERO, time)
        found[kind[-1]] += max(ZERO, until - max(edges[-1], self.release))
        return {i: time for i, time in found.items() if time > 0}

    def saved(self, mu: float, kind: int) -> tuple[float, float]:
        """Return max(0, max_q (mu / a_q - P_q)) and the speed of that mode."""
        best, speed = 0.0, 0.0
        for v, p in self.modes[kind]:
            if mu * v - p > best:
                best, speed = mu * v - p, v
        return best, speed

    def best(self, hours: dict[int, float]) -> float:
        """Return about the mu that proves most of E_j for these hours."""

        def proved(mu: float) -> tuple[float, float]:
            self.prices.spend(len(hours))
            value, turn = mu * self.work, float(self.work)
            for kind, time in hours.items():
                saved, speed = self.saved(mu, kind)
                value, turn = value - time * saved, turn - time * speed
            return value, turn

        low, high = 0.0, max(steepest(self.modes[kind]) for kind in hours)
        at_low, at_high = proved(low), proved(high)
        if at_high[1] >= 0:
            return high
        for _ in range(100):
            mu = (at_high[0] - at_low[0] + at_low[1] * low - at_high[1] * high) / (
                at_low[1] - at_high[1]
            )
            if not low < mu < high:
                break
            at_mu = proved(mu)
            if at_mu[1] > 0:
                low, at_low = mu, at_mu
            else:
                high, at_high = mu, at_mu
        return low if at_low[0] > at_high[0] else high

    def proved(self, mu: float, hours: dict[int, float], end: Fraction) -> float:
        """
        Return what mu proves of E_j + eta_j max(0, C - d_j) at C = end [$], rounded down.

        With the choice of modes, no term is off by more than 2**-50 of what `size` has for it.
        """
        self.prices.spend(len(hours))
        late = float(self.weight * (end - self.due))
        terms, size = [mu * self.work, late], mu * self.work + abs(late)
        for kind, time in hours.items():
            saved, speed = self.saved(mu, kind)
            terms.append(-time * saved)
            size += time * mu * max(speed, self.modes[kind][-1][0])
        value: float = math.fsum(terms) - 2.0**-49 * size
        return value

    def least(self, best: float = math.inf) -> float:
        """Return a lower bound of min_C E_j(C) + eta_j max(0, C - d_j) [$], at most `best`."""
        edges, count = self.prices.edges, self.prices.count
        begin = max(self.due, self.fastest)
        exact = self.hours(begin)
        hours = {kind: rounded(time, math.inf) for kind, time in exact.items()}
        mu = self.best(hours)
        b = bisect_right(edges, begin) - 1  # -1 = before the first edge, count = after the last one
        while self.weight * (begin - self.due) + self.cheapest < best:
            end = edges[b + 1] if 0 <= b + 1 <= count else begin + self.slowest
            kind = self.prices.kind[b]
            exact[kind] = exact.get(kind, ZERO) + end - begin
            last = {**hours, kind: rounded(exact[kind], math.inf)}
            tried = [mu]
            if self.saved(mu, kind)[0] > self.weight:  # falls by more than tardiness rises
                mu = self.best(last)
                tried += [mu, min((float(self.weight) + p) / v for v, p in self.modes[kind])]
            found = (min(self.proved(m, hours, begin), self.proved(m, last, end)) for m in tried)
            best = min(best, max(found))
            if b == count:
                break
            if len(tried) == 1:
                mu = self.best(last)
            b, begin, hours = b + 1, end, last
        return best


def undominated(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the (speed, price), sorted, that nothing as fast is as cheap as."""
    found: list[tuple[float, float]] = []
    for v, p in points:
        while found and found[-1][1] >= p:  # as fast, and no more expensive
            found.pop()
        if not found or v > found[-1][0]:
            found.append((v, p))
    return found


def steepest(points: list[tuple[float, float]]) -> float:
    """Return a slope in $ per epoch that no segment between points is above."""
    pairs = zip([(0.0, 0.0), *points], points)
    return 2 * max((q - p) / (w - v) for (v, p), (w, q) in pairs)


def bound_of(workload: Workload, certificate: Document) -> Fraction:
    """Return the bound that the prices of a certificate prove [$]."""
    prices = Prices(workload, certificate)
    least = {"free": in_any_modes, "one_mode": in_one_mode, "no_preemption": in_one_run}
    pays, jobs = least[certificate["variant"]], range(len(workload.jobs))
    return sum((pays(prices, j) for j in jobs), ZERO) - prices.rents()


def in_any_modes(prices: Prices, j: int) -> Fraction:
    """Return what a job pays at least if it may be interrupted and change its mode [$]."""
    return Fraction(AloneJob(prices, j, prices.workload.rates[j]).least())


def in_one_mode(prices: Prices, j: int) -> Fraction:
    """Return what a job pays at least if it keeps its mode, but may be interrupted [$]."""
    rates, best = prices.workload.rates[j], math.inf
    alone = [AloneJob(prices, j, {mode: rate}) for mode, rate in rates.items()]
    for job in sorted(alone, key=lambda job: job.cheapest + job.late(job.fastest)):
        best = job.least(best)
    return Fraction(best)


def in_one_run(prices: Prices, j: int) -> Fraction:
    """Return what a job pays at least in one mode, without interruption [$]."""
    rates, edges = prices.workload.rates[j], prices.edges
    best: Fraction | float = math.inf
    alone = [(mode, AloneJob(prices, j, {mode: rate})) for mode, rate in rates.items()]
    for mode, job in sorted(alone, key=lambda one: one[1].cheapest + one[1].late(one[1].fastest)):
        run = job.work * rates[mode]
        ends = [job.fastest, *([job.due] if job.due > job.fastest else [])]
        first, soonest = bisect_right(edges, job.release), bisect_right(edges, job.fastest)
        starts = (edges[b] + run for b in range(first, len(edges)))
        for group in (ends, starts, (edges[b] for b in range(soonest, len(edges)))):
            for end in group:
                prices.spend(1)
                late = job.late(end)
                if job.cheapest + late >= best:
                    break
                best = min(best, prices.paid(mode, end - run, end) + late)
    return Fraction(best)


# ------------------------------------------------------------------------------------------------
# Bounds of either kind


def subject_of(document: Any) -> Instance:
    """Return the instance or workload that certificates are for."""
    kind = document.get("format") if isinstance(document, dict) else None
    must(kind in (INSTANCE, WORKLOAD), "/format", kind, f"{INSTANCE} or {WORKLOAD}")
    return Workload(document) if kind == WORKLOAD else Instance(document)


def claimed_and_proved(subject: Instance, document: Any) -> tuple[Fraction, Fraction, bool]:
    """Return what a certificate claims and what its prices prove [$], and whether it holds."""
    kind = document.get("format") if isinstance(document, dict) else None
    must(kind == BOUND, "/format", kind, BOUND)
    if isinstance(subject, Workload):
        certificate = fit(document, THE_BOUND)
        proved = bound_of(subject, certificate)
    else:
        certificate = fit(document, THE_TREE)
        proved = bound_of_instance(subject, certificate)
    claimed: Fraction = certificate["bound"]
    return claimed, proved, claimed <= proved


def verify_bound(subject: Any, certificate: Any) -> Fraction:
    """
    Return the bound [$] that a certificate proves of an instance or a workload.

    Both are JSON, as text or as parsed. Refused for a bad one, and where less is proved than
    claimed.
    """
    texts = (one if isinstance(one, str) else json.dumps(one) for one in (subject, certificate))
    of, document = map(parsed, texts)
    claimed, proved, holds = claimed_and_proved(subject_of(of), document)
    must(holds, "/bound", claimed, f"at most {rounded(proved, -math.inf)!r}, what is proved")
    return proved


def verify_bounds(path: Path, certificates: list[Path], as_json: bool) -> int:
    """Print what each certificate proves of an instance or a workload; return the exit code."""
    code, told = 0, []
    subject = None
    for file in [path, *certificates]:
        try:
            document = parsed(text_of(file))
            if subject is None:
                subject = subject_of(document)
                continue
            claimed, proved, holds = claimed_and_proved(subject, document)
        except (Refused, MemoryError, RecursionError) as error:
            found = str(error) or "found more than memory holds"
            print(f"rsjs_verify: error: {printable(f'{file}: {found}')}", file=sys.stderr)
            code = 2
            if subject is None:
                return code
            continue
        code = max(code, int(not holds))
        value = rounded(proved, -math.inf)
        said = {"proved": value, "claimed": float(claimed), "holds": holds}
        of, valid = "instance", ""
        if isinstance(subject, Workload):
            of, variant = "workload", document.get("variant", "free")
            said |= {"variant": variant, "energy": document["energy"]}
            valid = f" for {VARIANTS[variant]}, energy {document['energy']}"
        told.append({"file": str(file), f"{of}_sha256": subject.digest, **said})
        if not as_json:
            print(printable(f"{file}: {'the bound holds' if holds else 'WRONG'}"))
            print(printable(f"    {subject.name}, sha256 {subject.digest}"))
            print(printable(f"    proved {value!r} $, claimed {float(claimed)!r} ${valid}"))
    if as_json:
        print(json.dumps({"bounds": told}, indent=1))
    return code


# ------------------------------------------------------------------------------------------------
# Files and folders


class Report:
    """What was verified, and what was refused."""

    def __init__(self) -> None:
        self.instances: dict[str, Instance] = {}  # by sha256
        self.solutions: list[tuple[Path, Document]] = []
        self.verdicts: list[tuple[Path, Instance, Document, Verdict]] = []
        self.refused: list[str] = []
        self.damaged: list[str] = []
        self.compared = 0  # files with a checksum
        self.others = 0  # JSON files of other formats

    @property
    def exit_code(self) -> int:
        """Return 2 bad input, 1 something is wrong, 0 all is well."""
        wrong = self.damaged or any(verdict.violations for *_, verdict in self.verdicts)
        return 2 if self.refused else int(bool(wrong))

    def read(self, path: Path, expected: str = "") -> None:
        """Keep what is in a file; without `expected` it may be of another format."""
        text = text_of(path)
        if not expected and not OURS.search(text):
            self.others += 1
            return
        document = parsed(text)
        kind = document.get("format") if isinstance(document, dict) else None
        if not expected and not (isinstance(kind, str) and OURS.match(kind)):
            self.others += 1
        elif kind not in (INSTANCE, SOLUTION) or expected not in ("", kind):
            raise Refused("/format", kind, expected or f"{INSTANCE} or {SOLUTION}")
        elif kind == INSTANCE:
            instance = Instance(document)
            self.instances.setdefault(instance.digest, instance)
        else:
            self.solutions.append((path, fit(document, THE_SOLUTION)))

    def compare_sums(self, path: Path) -> None:
        """Compare the files of a SHA256SUMS, as coreutils write it, with their sums."""
        for at, line in enumerate(text_of(path).rstrip("\n").split("\n"), 1):
            found = re.fullmatch(r"(\\?)([0-9a-f]{64}) [ *](.+)", line)
            if not found:
                raise Refused(f"line {at}", line, "a sha256 and a file name")
            name = re.sub(r"\\(.)", _unescaped, found[3]) if found[1] else found[3]
            self.compared += 1
            try:
                actual = sha256_of(path.parent / name)
            except (OSError, ValueError) as error:
                actual = getattr(error, "strerror", None) or str(error)
            if actual != found[2]:
                self.damaged.append(f"{path.parent / name}: found {actual}, expected {found[2]}")

    def attempt(self, path: Path, function: Callable[..., None], *arguments: Any) -> None:
        """Call a function on a file and keep what it refuses."""
        try:
            function(path, *arguments)
        except (Refused, UnicodeEncodeError, MemoryError, RecursionError) as error:
            self.refused.append(f"{path}: {str(error) or 'found more than memory holds'}")

    def verify(self, place: str) -> None:
        """Verify all solutions; each must be for an instance that is here."""
        for path, solution in self.solutions:
            instance = self.instances.get(solution["instance"])
            if instance is not None:
                self.attempt(path, self._judge, instance, solution)
            else:
                only = f"{next(iter(self.instances))}, " if len(self.instances) == 1 else ""
                found = f"found {solution['instance']}, expected {only}an instance of {place}"
                self.refused.append(f"{path}: /instance: {found}")

    def _judge(self, path: Path, instance: Instance, solution: Document) -> None:
        self.verdicts.append((path, instance, solution, verify(instance, solution)))


def verify_pairs(instance: Path, solutions: list[Path]) -> Report:
    """Verify solutions that must be for this instance."""
    report = Report()
    report.attempt(instance, report.read, INSTANCE)
    for path in solutions:
        report.attempt(path, report.read, SOLUTION)
    if report.instances:
        report.verify(str(instance))
    return report


def verify_folders(folders: list[Path]) -> Report:
    """Verify every solution below with its instance, and every file of a SHA256SUMS."""
    report = Report()
    for path in (path for folder in folders for path in files_below(folder, report)):
        if path.name == "SHA256SUMS":
            report.attempt(path, report.compare_sums)
        elif path.name.endswith((".json", ".json.gz")):
            report.attempt(path, report.read)
    place = " ".join(map(str, folders))
    report.verify(place)
    if not (report.solutions or report.compared or report.refused):
        report.refused.append(f"{place}: found no solution, expected one")
    return report


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; one that cannot even be a name is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def files_below(folder: Path, report: Report) -> Iterator[Path]:
    """Yield all files but hidden ones, in order of their names."""

    def fail(error: OSError) -> None:
        report.refused.append(f"{error.filename}: found {error.strerror}, expected a folder")

    for place, inner, names in os.walk(folder, onerror=fail):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        yield from (Path(place, name) for name in sorted(names) if not name.startswith("."))


def sha256_of(path: Path) -> str:
    """Return the sha256 of a regular file; ValueError for what may have no end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError("a pipe or a device")
    digest = sha256()
    with path.open("rb") as file:
        for piece in iter(lambda: file.read(2**20), b""):
            digest.update(piece)
    return digest.hexdigest()


def _unescaped(found: re.Match[str]) -> str:
    return {"n": "\n", "r": "\r"}.get(found[1], found[1])


# ------------------------------------------------------------------------------------------------
# What is printed


def lines_of(report: Report) -> Iterator[str]:
    """Yield verdict, terms and violations of each solution, and a summary."""
    for path, instance, solution, (found, cost, total) in report.verdicts:
        yield f"{path}: {'feasible' if not found else 'WRONG' if cost else 'NOT FEASIBLE'}"
        yield f"    {instance.name}, sha256 {instance.digest}"
        yield f"    method {solution.get('method') or 'not named'}"
        if cost is not None and total is not None:
            told = " + ".join(f"{name} {float(value)!r}" for name, value in cost.items())
            yield f"    objective {float(total)!r} $ = {told}"
        yield from (f"    violation {violation}" for violation in found)
    yield from (f"DAMAGED {line}" for line in report.damaged)
    wrong = sum(1 for *_, verdict in report.verdicts if verdict.violations)
    if len(report.verdicts) > 1:
        yield f"{len(report.verdicts)} solutions verified, {wrong} wrong"
    if report.compared:
        yield f"{report.compared} files compared with checksums, {len(report.damaged)} damaged"


def as_document(report: Report) -> Document:
    """Return what --json prints; each cost as the fraction that it is, and as a number."""

    def both(cost: Fraction) -> Document:
        return {"exact": str(cost), "value": float(cost)}

    return {
        "solutions": [
            {
                "file": str(path),
                "instance": instance.name,
                "instance_sha256": instance.digest,
                "method": solution.get("method"),
                "feasible": not found,
                "violations": [violation._asdict() for violation in found],
                "terms": cost and {name: both(value) for name, value in cost.items()},
                "objective": None if total is None else both(total),
            }
            for path, instance, solution, (found, cost, total) in report.verdicts
        ],
        "refused": report.refused,
        "checksums": {"files": report.compared, "damaged": report.damaged},
        "other_files": report.others,
    }


def printable(line: str) -> str:
    """Return a line with what no terminal can print as escapes."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"rsjs_verify: error: {printable(message)}; see --help\n")


def main(arguments: list[str] | None = None) -> int:
    """Verify, print, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    style = argparse.RawDescriptionHelpFormatter
    parser = _Parser(prog="rsjs_verify.py", description=__doc__, formatter_class=style)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files, or folders")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--bound", action="store_true", help="FILE BOUND... in place of those")
    asked = parser.parse_args(arguments)
    if asked.bound:
        if len(asked.paths) < 2:
            parser.error(f"{asked.paths[0]}: found one file, expected FILE BOUND")
        return verify_bounds(asked.paths[0], asked.paths[1:], asked.json)
    folders = all(map(is_folder, asked.paths))
    if not folders and len(asked.paths) < 2:
        parser.error(f"{asked.paths[0]}: found one file, expected INSTANCE SOLUTION or a folder")
    first, *others = asked.paths
    report = verify_folders(asked.paths) if folders else verify_pairs(first, others)
    if asked.json:
        print(json.dumps(as_document(report), indent=1))
    else:
        for line in lines_of(report):
            print(printable(line))
    for line in report.refused:
        print(f"rsjs_verify: error: {printable(line)}", file=sys.stderr)
    return report.exit_code


if __name__ == "__main__":
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # exact costs are long; what is read is short
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone, as in `| head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
