"""
Forged and damaged submissions: each kind is refused, at its place, and nothing of it is a row.

A kind is a change of a sound submission. Sound ones, as folders and as archives, are accepted.
"""

import gzip
import io
import json
import os
import re
import stat
import tarfile
import zipfile
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.submissions import check, files
from tests.submissions.conftest import dumped

FALSE, BAD = 1, 2  # exit codes: a claim is false, the input is bad
DEEP, DIGITS = "[" * 3000, "1" * 5000


class Kind:
    """A kind of forgery: the change, what the message must say, and the exit code."""

    def __init__(self, name, change, told, code=BAD, family="jahani"):
        self.name, self.change, self.told, self.code = name, change, told, code
        self.family = family


KINDS = []


def kind(name, change, told, code=BAD, family="jahani"):
    KINDS.append(Kind(name, change, told, code, family))


def name_of(found, part):
    return next(name for name in found if name.startswith(part))


def toml(old, new, found, _case):
    """Replace a part of the document."""
    text = found["submission.toml"].decode()
    assert old in text
    found["submission.toml"] = text.replace(old, new, 1).encode("utf-8", "surrogatepass")


def document(part, change, found, case):
    """Change the document of a file; `change` may return another one."""
    name = name_of(found, part(case) if callable(part) else part)
    data = gzip.decompress(found[name]) if name.endswith(".gz") else found[name]
    content = json.loads(data)
    content = change(content, case) or content
    text = json.dumps(content)
    for mark, number in (('"1e999"', "1e999"), ('"DIGITS"', DIGITS), ('"1e-999"', "1e-999")):
        text = text.replace(mark, number)
    found[name] = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()


def raw(part, change, found, _case):
    """Change the bytes of a file."""
    name = name_of(found, part)
    found[name] = change(found[name])


def renamed(part, new, found, case):
    """Give a file another name."""
    name = name_of(found, part(case) if callable(part) else part)
    found[new(name, case) if callable(new) else new] = found.pop(name)


def added(name, content, found, case):
    """Add a file."""
    found[name(case) if callable(name) else name] = content


def put(key, value):
    """Return the change of a key; `value` may be a function of what is there and the case."""

    def change(content, case):
        *path, last = key.split("/")
        for step in path:
            content = content[int(step) if isinstance(content, list) else step]
        last = int(last) if isinstance(content, list) else last
        if value is KINDS:  # nothing
            del content[last]
        else:
            content[last] = value(content.get(last), case) if callable(value) else value

    return change


NOTHING = KINDS

# ---- submission.toml: keys, types, texts

KEYS = {
    "format": '"rsjs-submission/1"',
    "family": '"jahani"',
    "name": '"sound"',
    "who": '["A. Person", "B. Person"]',
    "date": '"2026-03-01"',
    "method": '"by hand"',
    "reference": '"doi:10.1000/1"',
    "machine": '"a laptop"',
    "division": '"closed"',
    "licence": '"CC-BY-4.0"',
}
for key, value in KEYS.items():
    line = f"{key} = {value}\n"
    kind(f"toml-without-{key}", partial(toml, line, ""), f"found no key '{key}'")
    kind(f"toml-{key}-number", partial(toml, line, f"{key} = 1\n"), f"/{key}: found 1")
    kind(f"toml-{key}-twice", partial(toml, line, line + line), "submission.toml: found Cannot")
    kind(f"toml-{key}-nan", partial(toml, line, f"{key} = nan\n"), f"/{key}: found nan")
TEXTS = {
    "empty": ("", "at least 1 character"),
    "bell": ("a\\u0007", "U+0007"),
    "escape": ("a\\u001b[31m", "U+001B"),
    "line": ("a\\nb", "U+000A"),
    "bidi": ("a\\u202eb", "U+202E"),
    "zero-width": ("a\\u200bb", "U+200B"),
    "no-break": ("a\\u00a0b", "U+00A0"),
    "private": ("a\\ue000", "U+E000"),
    "formula": ("=1+1", "begins with a letter"),
    "minus": ("-1", "begins with a letter"),
    "plus": ("+1", "begins with a letter"),
    "at": ("@SUM(A1)", "begins with a letter"),
    "space": (" a", "begins with a letter"),
    "space-after": ("a ", "without space at its end"),
    "decomposed": ("e\\u0301", "NFC"),
    "marks": ("a" + "\\u0334" * 9, "U+0334"),
    "long": ("a" * 301, "keyword maxLength"),
    "without-ink": ("\u3164", "U+3164"),
}
for key in ("who", "method", "reference", "machine"):
    for what, (text, told) in TEXTS.items():
        new = f'{key} = ["{text}"]' if key == "who" else f'{key} = "{text}"'
        place = "/who/0" if key == "who" else f"/{key}"
        kind(f"text-{key}-{what}", partial(toml, f"{key} = {KEYS[key]}", new), (place, told))
for what, new, told in [
    ("who-none", "who = []", "/who: found an array of 0"),
    ("who-text", 'who = "A"', "/who: found 'A'"),
    ("who-twice", 'who = ["A", "A"]', "/who/1: found 'A', expected each name once"),
    ("who-twice-folded", 'who = ["A B", "\uff41 b"]', "expected each name once"),
    ("who-many", f"who = [{', '.join(f'{k!r}' for k in range(51))}]", "/who: found an array of 51"),
    ("who-nested", 'who = [["A"]]', "/who/0"),
]:
    kind(what, partial(toml, f"who = {KEYS['who']}", new), told)
for what, text, told in [
    ("date-not-there", "2026-02-30", "a day of the calendar"),
    ("date-future", "9999-01-01", "to today"),
    ("date-before", "1999-01-01", "a day from 2019"),
    ("date-form", "1.3.2026", "text like"),
    ("date-time", "2026-03-01T00:00:00", "text like"),
    ("date-zero", "0000-00-00", "a day of the calendar"),
    ("date-digits", "\uff12026-03-01", "/date"),
]:
    kind(what, partial(toml, "2026-03-01", text), ("/date", told))
kind("date-toml", partial(toml, '"2026-03-01"', "2026-03-01"), "/date: found 2026-03-01")
for what, text in [
    ("javascript", "javascript:alert(1)"),
    ("data", "data:text/html,x"),
    ("file", "file:///etc/passwd"),
    ("script-in-scheme", "vbscript:x y"),
]:
    kind(f"reference-{what}", partial(toml, "doi:10.1000/1", text), ("/reference", "a citation"))
for key in ("name", "family"):
    for text in (
        *("../up", "/abs", "a/b", "Upper", "a b", "a\\\\b", "", ".", "..", "a..b", "ü", "a\\n"),
        *("x" * 61, "con-\\u202e", "<b>"),
    ):
        new = f'{key} = "{text}"'
        kind(f"{key}-{text[:9]!r}", partial(toml, f"{key} = {KEYS[key]}", new), f"/{key}: found")
kind("name-of-another-folder", partial(toml, '"sound"', '"other"'), "/name: found 'other'")
kind("family-of-another-folder", partial(toml, '"jahani"', '"kiros"'), "/family: found 'kiros'")
kind("division-none", partial(toml, '"closed"', '"half"'), "/division: found 'half'")
kind("licence-other", partial(toml, "CC-BY-4.0", "none"), "/licence: found 'none'")
kind("format-newer", partial(toml, "mission/1", "mission/2"), "/format: found 'rsjs-submission/2'")
kind("toml-key-more", partial(toml, "[limits]", 'extra = "x"\n[limits]'), "/extra: found unknown")
kind("toml-table-twice", partial(toml, "[limits]", "[limits]\n[limits]"), "found Cannot declare")
kind("toml-open", partial(toml, '"by hand"', '"by hand'), "expected a TOML document")
kind("toml-deep", partial(toml, '"by hand"', DEEP), "brackets nested too deeply")
kind("toml-digits", partial(toml, "= 60", f"= {DIGITS}"), "expected a TOML document")
kind("toml-latin-1", partial(raw, "sub", lambda b: b.replace(b"hand", b"h\xe4nd")), "UTF-8")
kind("toml-utf-16", partial(raw, "sub", lambda b: b.decode().encode("utf-16")), "UTF-8")
kind("toml-nul", partial(raw, "sub", lambda b: b.replace(b"hand", b"h\0nd")), "TOML document")
kind("toml-bom", partial(raw, "sub", lambda b: b"\xef\xbb\xbf" + b), "TOML document")
kind("toml-overlong", partial(raw, "sub", lambda b: b.replace(b"hand", b"\xc0\xaf")), "UTF-8")
kind("toml-surrogate", partial(raw, "sub", lambda b: b.replace(b"hand", b"\xed\xa0\x80")), "UTF-8")
kind("toml-empty", partial(raw, "sub", lambda b: b""), "found no key")
kind("toml-json", partial(raw, "sub", lambda b: b"{}"), "TOML document")
kind("toml-large", partial(raw, "sub", lambda b: b + b"#" * 70_000), "at most")
for key, value in (("time_s", 60), ("threads", 1), ("memory_mb", 4096)):
    line = f"{key} = {value}"
    for what, text, told in [
        ("more", value + 1, f"at most {value} in the closed division"),
        ("zero", 0, "a number >= 1"),
        ("negative", -1, "a number >= 1"),
        ("text", f'"{value}"', "an integer"),
        ("half", 0.5, "an integer"),
        ("inf", "inf", "a finite number"),
    ]:
        new = f"{key} = {text}"
        kind(f"limits-{key}-{what}", partial(toml, line, new), (f"/limits/{key}", told))
    kind(f"limits-without-{key}", partial(toml, line, ""), f"/limits: found no key '{key}'")
kind("limits-none", partial(raw, "sub", lambda b: b[: b.index(b"[lim")]), "/limits: found none")

# ---- the solution: arrays, claims, digests

of_solution = partial(partial, document, "solutions")
ARRAYS = ("job_node", "job_gpus", "job_level", "node_type")
for key in ARRAYS:
    for what, value, told, code in [
        ("none", NOTHING, f"found no key '{key}'", BAD),
        ("null", None, f"/{key}: found None", BAD),
        ("text", "0", f"/{key}: found '0'", BAD),
        ("object", {}, f"/{key}: found an object", BAD),
        ("short", lambda a, _: a[:-1], "shape", FALSE),
        ("long", lambda a, _: [*a, a[-1]], "shape", FALSE),
        ("empty", [], "shape", FALSE),
        ("half", lambda a, _: [0.5, *a[1:]], f"/{key}/0: found 0.5", BAD),
        ("digit", lambda a, _: ["0", *a[1:]], f"/{key}/0: found '0'", BAD),
        ("true", lambda a, _: [True, *a[1:]], f"/{key}/0: found True", BAD),
        ("null-in-it", lambda a, _: [None, *a[1:]], f"/{key}/0: found None", BAD),
        ("huge", lambda a, _: [10**9 + 1, *a[1:]], f"/{key}/0: found 1000000001", BAD),
        ("low", lambda a, _: [-2, *a[1:]], f"/{key}/0: found -2", BAD),
        ("nan", lambda a, _: [float("nan"), *a[1:]], f"/{key}/0: found NaN", BAD),
        ("1e999", lambda a, _: ["1e999", *a[1:]], f"/{key}/0: found 1e999", BAD),
        ("digits", lambda a, _: ["DIGITS", *a[1:]], f"/{key}/0: found 1111", BAD),
        ("out-of-range", lambda a, _: [999, *a[1:]], "range", FALSE),
    ]:
        kind(f"solution-{key}-{what}", of_solution(put(key, value)), told, code)


def moved(change):
    """Return a change of the arrays by a function that is given all of them."""

    def changed(content, case):
        change(content)
        content.pop("objective", None)

    return of_solution(changed)


kind("nodes-off", moved(lambda s: s.update(node_type=[-1, -1])), "node_on", FALSE)
kind(
    "waits-with-gpus",
    moved(lambda s: s["job_node"].__setitem__(s["job_node"].index(max(s["job_node"])), -1)),
    "postponed",
    FALSE,
)
kind(
    "too-many-on-a-node",
    moved(lambda s: s.update(job_node=[0] * len(s["job_node"]), job_gpus=[2] * len(s["job_gpus"]))),
    "capacity",
    FALSE,
)
kind(
    "runs-on-nothing",
    moved(lambda s: s.update(job_node=[0] * len(s["job_node"]), job_gpus=[0] * len(s["job_gpus"]))),
    "one_configuration",
    FALSE,
)
for what, value, told, code in [
    ("less", lambda v, _: 0.99 * v, "/objective: found", FALSE),
    ("less-by-1e-6", lambda v, _: v * (1 - 1e-6), "the exact cost", FALSE),
    ("less-by-1e-8", lambda v, _: v * (1 - 1e-8), "the exact cost", FALSE),
    ("more-by-1e-8", lambda v, _: v * (1 + 1e-8), "the exact cost", FALSE),
    ("rounded", lambda v, _: round(v, 5), "the exact cost", FALSE),
    ("zero", 0, "the exact cost", FALSE),
    ("negative", lambda v, _: -v, "the exact cost", FALSE),
    ("nan", float("nan"), "/objective: found NaN", BAD),
    ("inf", float("inf"), "/objective: found Infinity", BAD),
    ("minus-inf", float("-inf"), "/objective: found -Infinity", BAD),
    ("1e999", "1e999", "/objective: found 1e999", BAD),
    ("1e-999", "1e-999", "/objective: found 1e-999", BAD),
    ("digits", "DIGITS", "/objective: found 1111", BAD),
    ("text", lambda v, _: str(v), "/objective: found '", BAD),
    ("true", True, "/objective: found True", BAD),
    ("array", [1], "/objective: found an array", BAD),
]:
    kind(f"objective-{what}", of_solution(put("objective", value)), told, code)
kind("own-bound", of_solution(put("bound", lambda _, c: 2 * c.optimum)), "/bound: found", FALSE)
for what, value, told in [
    ("of-another", "0" * 64, "the name of the file"),
    ("upper-case", lambda v, _: v.upper(), "/instance: found"),
    ("short", lambda v, _: v[:-1], "/instance: found"),
    ("with-a-line", lambda v, _: v + "\n", "/instance: found"),
    ("number", 7, "/instance: found 7"),
    ("null", None, "/instance: found None"),
    ("none", NOTHING, "no key 'instance'"),
]:
    kind(f"solution-instance-{what}", of_solution(put("instance", value)), told)
for what, value, told in [
    ("format-other", "rsjs-instance/1", "solutions"),
    ("format-newer", "rsjs-solution/2", "/format: found 'rsjs-solution/2'"),
    ("format-none", NOTHING, "no key 'format'"),
]:
    kind(f"solution-{what}", of_solution(put("format", value)), told)
kind("solution-more", of_solution(put("__reduce__", "os.system")), "unknown key '__reduce__'")
kind("solution-method", of_solution(put("method", 1)), "/method: found 1")


def sha_of_another(name, case):
    return name.replace(case.tiny.digest, "ab" * 32)


def sha_of_own(name, case):
    return name.replace(case.tiny.digest, case.own.digest)


kind("solution-renamed", partial(renamed, "solutions", sha_of_another), "found an unknown instance")
kind("bound-renamed", partial(renamed, "bounds", sha_of_another), "found an unknown instance")
kind("solution-of-own", partial(renamed, "solutions", sha_of_own), "found an unknown instance")
kind(
    "a-name-in-upper-case",
    partial(renamed, "solutions", lambda n, c: n.replace(c.tiny.digest, c.tiny.digest.upper())),
    "a file of another name",
)
for what, new in [
    ("pickle", "solutions/x.pkl"),
    ("code", "solutions/__init__.py"),
    ("code-beside", "conftest.py"),
    ("readme", "README.md"),
    ("hidden", ".git/config"),
    ("hidden-file", ".DS_Store"),
    ("deeper", f"solutions/x/{'a' * 64}.json"),
    ("jsonl", f"bounds/{'a' * 64}.jsonl"),
    ("other-folder", f"results/{'a' * 64}.json"),
    ("toml-again", "solutions/submission.toml"),
    ("xz", f"solutions/{'a' * 64}.json.xz"),
    ("gz-gz", f"solutions/{'a' * 64}.json.gz.gz"),
    ("digits-of-another-script", "solutions/" + 64 * "\uff11" + ".json"),
    ("space", f"solutions/{'a' * 64}.json "),
    ("line", f"solutions/{'a' * 64}.json\n"),
]:
    kind(f"name-{what}", partial(added, new, b"{}"), "a file of another name")


def nothing_in_it(found, _case):
    for name in [*found]:
        if name != "submission.toml":
            del found[name]


def another_family(found, case):
    """The instance is one of jahani."""
    toml('"jahani"', '"kiros"', found, case)


kind("nothing-in-it", nothing_in_it, "a solution or a bound")
kind("of-another-family", another_family, "submit it to the family jahani", family="kiros")


def twice(found, case):
    name = name_of(found, "solutions")
    found[f"{name}.gz"] = gzip.compress(found[name])


kind("twice-packed-and-not", twice, "a second file")
kind(
    "instance-of-nothing",
    partial(added, lambda c: f"instances/{c.own.digest}.json", b"{}"),
    "instances/",
)

# ---- JSON that is none, of each kind of file

SYNTAX = [
    ("cut", lambda b: b[:-9], "a whole JSON document"),
    ("more-after", lambda b: b + b"x", "a whole JSON document"),
    ("two", lambda b: b + b"\n" + b, "a whole JSON document"),
    ("comma", lambda b: b[:-1] + b",}", "a whole JSON document"),
    ("comment", lambda b: b"// x\n" + b, "a whole JSON document"),
    ("empty", lambda b: b"", "a whole JSON document"),
    ("array", lambda b: b"[]", "found"),
    ("null", lambda b: b"null", "found"),
    ("bom", lambda b: b"\xef\xbb\xbf" + b, "found"),
    ("utf-16", lambda b: b.decode().encode("utf-16"), "UTF-8 text"),
    ("latin-1", lambda b: b[:-1] + b',"\xe4":1}', "UTF-8 text"),
    ("nul", lambda b: b[:-1] + b',"a\0":1}', "a whole JSON document"),
    ("surrogate", lambda b: b[:-1] + b',"\\ud800":1}', "lone surrogates"),
    ("twice", lambda b: b'{"format":"x",' + b[1:], "the key twice"),
    ("deep", lambda b: b[:-1] + b',"x":' + DEEP.encode() + b"}", "nested too deeply"),
    ("quotes", lambda b: b.replace(b'"', b"'"), "a whole JSON document"),
    ("pickle", lambda b: b"\x80\x04K\x01.", "UTF-8 text"),
    ("gzip", gzip.compress, "UTF-8 text"),
]
for part, family in (("solutions", "jahani"), ("bounds", "jahani"), ("instances", "other")):
    for what, change, told in SYNTAX:
        kind(f"{part}-{what}", partial(raw, part, change), (f"{part}/", told), BAD, family)


def packed(change, found, case):
    name = f"instances/{case.workload.digest}.json.gz"
    found[name] = change(found[name])


for what, change, told in [
    ("cut", lambda b: b[:-20], "damaged gzip data"),
    ("sum", lambda b: b[:-8] + b"\0\0\0\0" + b[-4:], "damaged gzip data"),
    ("none", gzip.decompress, "damaged gzip data"),
    ("twice", gzip.compress, "UTF-8 text"),
    ("more-after", lambda b: b + b"xx", "damaged gzip data"),
    ("empty", lambda b: b"", "found"),
]:
    kind(f"gzip-{what}", partial(packed, change), (".json.gz: ", told), BAD, "other")

# ---- the run of a bound

of_bound = partial(partial, document, "bounds")
RUNS = [
    ("above-the-cost", "bound", lambda _, c: 1.01 * c.optimum, "/bound: found", FALSE),
    ("far-above", "bound", 1e12, "/bound: found", FALSE),
    ("nan", "bound", float("nan"), "/bound: found NaN", BAD),
    ("inf", "bound", float("inf"), "/bound: found Infinity", BAD),
    ("text", "bound", "1", "/bound: found '1'", BAD),
    ("null", "bound", None, "/bound: found None", BAD),
    ("none", "bound", NOTHING, "no key 'bound'", BAD),
    ("digits", "bound", "DIGITS", "/bound: found 1111", BAD),
    ("instance", "instance", "0" * 64, "/instance: found", BAD),
    ("format", "format", "rsjs-bound-run/2", "/format: found", BAD),
    ("no-format", "format", NOTHING, "/format: found None", BAD),
    ("more", "run_id", "x", "unknown key 'run_id'", BAD),
    ("method-unknown", "method", "magic@highs", "/method: found 'magic@highs'", BAD),
    ("method-file", "method", "evil.py:run", "/method: found 'evil.py:run'", BAD),
    ("method-path", "method", "/tmp/evil.py:run", "/method: found", BAD),
    ("method-module", "method", "os:system", "/method: found", BAD),
    ("program", "method", "jahani_patterns@sh {mps} {solution}", "/method: found", BAD),
    (
        "program-table",
        "method",
        'jahani_patterns@{"command":"sh {mps} {solution}","name":"x"}',
        "/method: found",
        BAD,
    ),
    ("method-within", "method", "hierarchical?method=(evil.py:run)", "/method: found", BAD),
    ("method-line", "method", "jahani_patterns@highs\n", "/method: found", BAD),
    ("heuristic", "method", "greedy:paper", "an exact method", BAD),
    ("solver-unknown", "method", "jahani_patterns@nosuch", "/method: found", BAD),
    ("option-unknown", "method", "jahani_patterns@highs?no=1", "/method: found", BAD),
    ("method-empty", "method", "", "/method: found ''", BAD),
    ("method-of-others", "method", "first_ending_patterns@highs", "serves the instance", BAD),
    ("threads", "limits/threads", 2, "/limits/threads: found 2", BAD),
    ("threads-text", "limits/threads", "1", "/limits/threads: found '1'", BAD),
    ("time", "limits/time_limit", 61, "/limits/time_limit: found 61", BAD),
    ("time-inf", "limits/time_limit", float("inf"), "/limits/time_limit: found Inf", BAD),
    ("time-zero", "limits/time_limit", 0, "/limits/time_limit: found 0", BAD),
    ("memory", "limits/memory_limit_mb", 5000, "/limits/memory_limit_mb: found 5000", BAD),
    ("memory-none", "limits/memory_limit_mb", None, "/limits/memory_limit_mb: found None", BAD),
    ("gap", "limits/gap", 2, "/limits/gap: found 2", BAD),
    ("seed", "limits/seed", -1, "/limits/seed: found -1", BAD),
    ("seed-huge", "limits/seed", 2**60, "/limits/seed: found", BAD),
    ("limits-more", "limits/cores", 1, "unknown key 'cores'", BAD),
    ("limits-none", "limits", NOTHING, "no key 'limits'", BAD),
    ("limits-array", "limits", [], "/limits: found an array", BAD),
    ("permutation", "permutation", -1, "/permutation: found -1", BAD),
    ("version-html", "rsjs_version", "<script>", "/rsjs_version: found", BAD),
    ("version-none", "rsjs_version", None, "/rsjs_version: found None", BAD),
    ("solver-version", "solver_version", None, "/solver_version: found None", BAD),
    ("solver-version-html", "solver_version", "1<b>", "/solver_version", BAD),
]
for what, key, value, told, code in RUNS:
    kind(f"run-{what}", of_bound(put(key, value)), told, code)

# ---- the certificate of a bound

CERTIFICATES = [
    ("more", "bound", lambda v, _: 1.01 * v, "what the certificate proves", FALSE),
    ("more-by-1e-6", "bound", lambda v, _: v * (1 + 1e-6), "what the certificate proves", FALSE),
    ("more-by-1e-8", "bound", lambda v, _: v * (1 + 1e-8), "what the certificate proves", FALSE),
    ("negative", "bound", -1, "/bound: found -1", BAD),
    ("nan", "bound", float("nan"), "/bound: found NaN", BAD),
    ("text", "bound", "1", "/bound: found", BAD),
    ("true", "bound", True, "/bound: found", BAD),
    ("none", "bound", NOTHING, "bound", BAD),
    ("of-another", "workload", "0" * 64, "/workload: found", BAD),
    ("of-nothing", "workload", NOTHING, "no key 'workload'", BAD),
    ("energy", "energy", "gpu", "/energy: found 'gpu'", BAD),
    ("variant", "variant", "one_mode", "/variant: found 'one_mode'", BAD),
    ("variant-unknown", "variant", "x", "/variant: found 'x'", BAD),
    ("edges-one", "edges", [0], "/edges", BAD),
    ("edges-none", "edges", [], "/edges", BAD),
    ("edges-back", "edges", lambda e, _: e[::-1], "/edges", BAD),
    ("edges-text", "edges", "01", "/edges", BAD),
    ("edges-many", "edges", list(range(10_002)), "expected 10001 prices", BAD),
    ("prices-none", "prices", {}, "what the certificate proves", FALSE),
    ("prices-array", "prices", [], "/prices", BAD),
    ("prices-of-nothing", "prices", {"H200": {"1": [1]}}, "H200", BAD),
    ("more-keys", "note", "x", "/note", BAD),
    ("format", "format", "rsjs-bound/2", "/format: found", BAD),
]
for what, key, value, told, code in CERTIFICATES:
    kind(f"certificate-{what}", of_bound(put(key, value)), ("bounds/", told), code, "other")


def priced(factor):
    """Return a change of all prices of a certificate, not of what it claims."""

    def change(content, _case):
        for rows in content["prices"].values():
            for key in rows:
                rows[key] = [factor(p) for p in rows[key]]

    return of_bound(change)


kind("prices-halved", priced(lambda p: 0.5 * p), "certificate proves", FALSE, "other")
kind("prices-raised", priced(lambda p: p + 10), "certificate proves", FALSE, "other")
kind("prices-negative", priced(lambda p: -p - 1), "/prices", BAD, "other")
kind("prices-text", priced(str), "/prices", BAD, "other")
kind("prices-nan", priced(lambda p: float("nan")), "/prices", BAD, "other")

TREES = [
    ("more", "bound", lambda v, _: v + 0.01, "what the certificate proves", FALSE),
    ("more-by-1e-9", "bound", lambda v, _: v + 1e-9, "what the certificate proves", FALSE),
    ("nan", "bound", float("nan"), "/bound: found NaN", BAD),
    ("text", "bound", "1", "/bound: found", BAD),
    ("of-another", "instance", "0" * 64, "/instance: found", BAD),
    ("of-nothing", "instance", NOTHING, "no key 'instance'", BAD),
    ("none", "tree", NOTHING, "tree", BAD),
    ("empty", "tree", [], "/tree: found", BAD),
    ("array", "tree", [[]], "/tree/0", BAD),
    ("branch-alone", "tree", [{"type": "x", "slot": "1", "most": 0}], "/tree", BAD),
    ("leaf-more", "tree", [{}, {}], "/tree", BAD),
    ("type-unknown", "tree", [{"prices": {"H200": {"1": 1}}}], "H200", BAD),
    ("key-unknown", "tree", [{"price": {}}], "/tree/0/price", BAD),
    ("prices-text", "tree", [{"prices": "1"}], "/tree/0/prices", BAD),
    ("edges", "edges", [0, 1], "/edges", BAD),
]
for what, key, value, told, code in TREES:
    change = partial(document, lambda c: f"bounds/{c.own.digest}", put(key, value))
    kind(f"tree-{what}", change, ("bounds/", told), code, "other")

# ---- the log of a workload


def log(change, found, case):
    """Change the lines of the log, or its bytes."""
    name = f"solutions/{case.workload.digest}.jsonl.gz"
    lines = [json.loads(line) for line in gzip.decompress(found[name]).splitlines()]
    changed = change(lines, case)
    if not isinstance(changed, bytes):
        changed = b"".join(dumped(line) + b"\n" for line in changed or lines)
    found[name] = gzip.compress(changed)


def at_line(number, key, value):
    return partial(log, lambda lines, case: put(key, value)(lines[number], case))


for what, change, told, code in [
    ("cost", at_line(-1, "totals/cost", lambda v, _: v - 1), "totals", FALSE),
    ("cost-by-1e-6", at_line(-1, "totals/cost", lambda v, _: v * (1 - 1e-6)), "totals", FALSE),
    ("of-another", at_line(0, "sha256", "0" * 64), "/sha256: found", FALSE),
    ("options", at_line(0, "options/energy", "gpu"), "/options: found", FALSE),
    ("options-none", at_line(0, "options", []), "AttributeError", FALSE),
    ("status", at_line(-1, "status", "interrupted"), "status", FALSE),
    ("line-less", partial(log, lambda lines, _: [*lines[:1], *lines[2:]]), "found", FALSE),
    ("line-twice", partial(log, lambda lines, _: [*lines[:2], *lines[1:]]), "line 3", FALSE),
    ("no-end", partial(log, lambda lines, _: lines[:-1]), "a whole log", BAD),
    ("no-begin", partial(log, lambda lines, _: lines[1:]), "a whole log", BAD),
    ("numbers", partial(log, lambda *_: b"1\n2\n"), "one JSON object", BAD),
    ("cut", partial(log, lambda *_: b'{"format"'), "a whole JSON document", BAD),
    ("empty", partial(log, lambda *_: b""), "found", BAD),
    ("format", at_line(0, "format", "x"), "a whole log", BAD),
]:
    kind(f"log-{what}", change, ("solutions/", told), code, "other")
kind(
    "log-as-solution",
    partial(
        renamed,
        lambda c: f"solutions/{c.workload.digest}",
        lambda n, c: n.replace("jsonl", "json"),
    ),
    "the log of a simulation",
    BAD,
    "other",
)
kind(
    "solution-as-log",
    partial(renamed, "solutions", lambda n, c: n + "l"),
    "a solution, .json",
)

# ---- an instance that comes with a submission

of_instance = partial(partial, document, "instances")
for what, key, value, told in [
    ("due", "jobs/0/due", lambda v, _: v + 1, "name the file by its sha256"),
    ("due-by-1e-9", "jobs/0/due", lambda v, _: v + 1e-9, "name the file by its sha256"),
    ("weight", "jobs/0/weight", 0, "name the file by its sha256"),
    ("name", "name", "x", "name the file by its sha256"),
    ("generator", "generator", {"name": "kiros"}, "name the file by its sha256"),
    ("huge", "cluster/nodes/0/count", 10**9, "/cluster/nodes"),
    ("text", "jobs/0/due", "1", "/jobs/0/due: found '1'"),
    ("nan", "H", float("nan"), "/H: found NaN"),
    ("more", "code", "x", "unknown key 'code'"),
    ("format", "format", "rsjs-solution/1", "instances/"),
]:
    kind(f"instance-{what}", of_instance(put(key, value)), told, BAD, "other")


def own_named(name, found, case):
    """The instance by another name, with its sha256 and a solution that names it."""
    import rsjs.instances.io.deserialization as reading

    old = case.own.digest
    content = json.loads(found.pop(f"instances/{old}.json"))
    content["name"] = name(case) if callable(name) else name
    sha256 = reading.to_instance(content).digest
    found[f"instances/{sha256}.json"] = dumped(content)
    solution = json.loads(found.pop(f"solutions/{old}.json"))
    found[f"solutions/{sha256}.json"] = dumped({**solution, "instance": sha256})


for what, name in [
    ("path", "../../etc/passwd"),
    ("html", "<script>alert(1)</script>"),
    ("formula", "=1+1"),
    ("latex", "\\input{x}"),
    ("markdown", "[x](javascript:y)"),
    ("unicode", "n\u00e4me"),
    ("long", "n" * 151),
]:
    kind(f"instance-name-{what}", partial(own_named, name), "/name: found", BAD, "other")
kind(
    "instance-name-taken",
    partial(own_named, lambda c: c.tiny.name),
    "another name: that is of",
    BAD,
    "other",
)
kind("instance-lacks", partial(renamed, "instances", "x"), "a file of another name", BAD, "other")


def without_instance(found, case):
    del found[f"instances/{case.own.digest}.json"]


kind("instance-not-there", without_instance, "the file instances/", BAD, "other")


def _files(case, kind):
    found = case.other() if kind.family == "other" else case.sound()
    kind.change(found, case)
    return found


def _refused(found, told, code):
    assert found.rows == []
    assert found.exit_code == code, [*map(str, found.errors)]
    messages = "\n".join(map(str, found.errors))
    for one in (told,) if isinstance(told, str) else told:
        assert one in messages
    assert all(re.search("found .*, expected ", str(error)) for error in found.errors)


@pytest.mark.parametrize("forged", KINDS, ids=lambda one: one.name)
def test_a_forged_one_is_refused_at_its_place(forged, case, known, write):
    folder = write(_files(case, forged), f"{forged.family}/sound")
    _refused(check([folder], best_known=known), forged.told, forged.code)


def test_there_are_at_least_200_kinds_and_no_two_are_one():
    assert len(KINDS) >= 200
    assert len({one.name for one in KINDS}) == len(KINDS)


# ---- folders

FOLDERS = {
    "link": lambda f: (f / "solutions" / ("a" * 64 + ".json")).symlink_to("/etc/hostname"),
    "link-to-nothing": lambda f: (f / "bounds" / ("a" * 64 + ".json")).symlink_to("nothing"),
    "link-beside": lambda f: (f / "instances").symlink_to(f / "solutions"),
    "pipe": lambda f: os.mkfifo(f / "solutions" / ("a" * 64 + ".json")),
    "folder-as-file": lambda f: (f / "solutions" / ("a" * 64 + ".json")).mkdir(),
    "no-toml": lambda f: (f / "submission.toml").unlink(),
    "toml-a-link": lambda f: (
        (f / "submission.toml").rename(f.parent / "t"),
        (f / "submission.toml").symlink_to(f.parent / "t"),
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_with_what_is_no_file_is_refused(name, case, known, write):
    folder = write(case.sound(), "jahani/sound")
    FOLDERS[name](folder)
    _refused(check([folder], best_known=known), "sound", BAD)


def test_a_folder_of_submissions_has_nothing_else(case, known, write):
    root = write(case.sound(), "jahani/sound").parents[1]
    (root / "jahani" / "run.sh").write_text("x")
    _refused(check([root], best_known=known), ("run.sh", "another file"), BAD)


def test_too_many_files_and_too_much_are_refused(case, known, write, monkeypatch):
    folder = write(case.sound(), "jahani/sound")
    for limit, value in (("MOST_FILES", 2), ("MOST_PACKED", 100), ("MOST_UNPACKED", 100)):
        with monkeypatch.context() as patch:
            patch.setattr(files, limit, value)
            _refused(check([folder], best_known=known), ("sound", "at most"), BAD)


# ---- archives


def zipped(found, change=None, prefix="sound/"):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            archive.writestr(prefix + name, content)
        if change is not None:
            change(archive)
    return data.getvalue()


def tarred(found, change=None, prefix="sound/"):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in found.items():
            _add(archive, prefix + name, content)
        if change is not None:
            change(archive)
    return data.getvalue()


def _add(archive, name, content=b"", **fields):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for field, value in fields.items():
        setattr(member, field, value)
    archive.addfile(member, io.BytesIO(content))


def _entry(name, mode=0o100644, content=b"{}", **fields):
    def change(archive):
        member = zipfile.ZipInfo(name)
        member.external_attr = mode << 16
        for field, value in fields.items():
            setattr(member, field, value)
        archive.writestr(member, content)

    return change


JSON = f"solutions/{'a' * 64}.json"
ELSEWHERE = {
    "up": "../evil.json",
    "up-within": f"sound/../../{JSON}",
    "absolute": f"/tmp/{JSON}",
    "backslash": f"sound\\..\\..\\{JSON}",
    "drive": f"C:/{JSON}",
    "dots": f"./../{JSON}",
    "empty-part": f"sound//{JSON}",
    "hidden": "sound/.git/config",
    "control": f"so\x1bund/{JSON}",
    "bidi": f"so\u202eund/{JSON}",
    "beside": f"other/{JSON}",
    "macos": "__MACOSX/sound/._submission.toml",
    "code": "sound/setup.py",
    "second": "sound/solutions/submission.toml",
}
ZIPS = {
    **{f"name-{key}": _entry(name) for key, name in ELSEWHERE.items()},
    "folder-up": _entry("../x/", stat.S_IFDIR | 0o755, b""),
    "link": _entry(f"sound/{JSON}", stat.S_IFLNK | 0o777, b"/etc/passwd"),
    "device": _entry(f"sound/{JSON}", stat.S_IFBLK | 0o777, b""),
    "pipe": _entry(f"sound/{JSON}", stat.S_IFIFO | 0o777, b""),
    "lzma": _entry(f"sound/{JSON}", compress_type=zipfile.ZIP_LZMA),
    "folder-without-slash": _entry(f"sound/{JSON}", stat.S_IFDIR | 0o777, b""),
}
TARS = {
    **{
        f"name-{key}": partial(lambda name, a: _add(a, name, b"{}"), name)
        for key, name in ELSEWHERE.items()
    },
    "link": lambda a: _add(a, f"sound/{JSON}", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
    "hard-link": lambda a: _add(
        a, f"sound/{JSON}", type=tarfile.LNKTYPE, linkname="sound/submission.toml"
    ),
    "device": lambda a: _add(a, f"sound/{JSON}", type=tarfile.BLKTYPE),
    "character-device": lambda a: _add(a, f"sound/{JSON}", type=tarfile.CHRTYPE),
    "pipe": lambda a: _add(a, f"sound/{JSON}", type=tarfile.FIFOTYPE),
    "link-to-a-folder": lambda a: _add(a, "sound/bounds", type=tarfile.SYMTYPE, linkname="/etc"),
    "folder-up": lambda a: _add(a, "../x", type=tarfile.DIRTYPE),
    "name-in-a-header": lambda a: _add(
        a, f"sound/{JSON}", b"{}", pax_headers={"path": "../../evil.json"}
    ),
    "size-in-a-header": lambda a: _add(
        a, f"sound/{JSON}", b"{}", pax_headers={"size": "99999999999"}
    ),
    "long-header": lambda a: _add(a, f"sound/{JSON}", b"{}", pax_headers={"comment": "x" * 2**16}),
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_archive_with_more_is_refused(name, case, known, tmp_path):
    path = tmp_path / "sound.zip"
    path.write_bytes(zipped(case.sound(), ZIPS[name]))
    _refused(check([path], best_known=known), "sound.zip", BAD)
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", TARS)
def test_a_tar_archive_with_more_is_refused(name, case, known, tmp_path):
    path = tmp_path / "sound.tar.gz"
    path.write_bytes(tarred(case.sound(), TARS[name]))
    _refused(check([path], best_known=known), "sound.tar.gz", BAD)
    assert [*tmp_path.iterdir()] == [path]


def _twice(found):
    with pytest.warns(UserWarning, match="Duplicate name"):
        return zipped(found, lambda a: a.writestr(f"sound/{[*found][1]}", b"{}"))


DAMAGED = {
    "zip-cut.zip": lambda f: zipped(f)[:-30],
    "zip-none.zip": lambda f: b"no archive",
    "zip-empty.zip": lambda f: zipped({}),
    "zip-nothing.zip": lambda f: b"",
    "zip-byte.zip": lambda f: _flipped(zipped(f), 200),
    "zip-twice.zip": _twice,
    "zip-two.zip": lambda f: zipped({f"{k}/{n}": b for k in "ab" for n, b in f.items()}),
    "zip-no-toml.zip": lambda f: zipped({n: b for n, b in f.items() if "toml" not in n}),
    "zip-encrypted.zip": lambda f: _encrypted(zipped(f)),
    "zip-of-another-name.zip": lambda f: zipped(f, prefix="jahani/another/"),
    "zip-of-another-family.zip": lambda f: zipped(f, prefix="kiros/sound/"),
    "tar-cut.tar.gz": lambda f: tarred(f)[:-30],
    "tar-none.tar.gz": lambda f: b"no archive",
    "tar-nothing.tgz": lambda f: b"",
    "tar-not-packed.tar.gz": lambda f: gzip.decompress(tarred(f)),
    "tar-byte.tar.gz": lambda f: _flipped(tarred(f), 400),
    "tar-sum.tgz": lambda f: tarred(f)[:-8] + bytes(4) + tarred(f)[-4:],
    "tar-cut-within.tar.gz": lambda f: gzip.compress(gzip.decompress(tarred(f))[:1500]),
    "tar-no-toml.tgz": lambda f: tarred({n: b for n, b in f.items() if "toml" not in n}),
    "tar-twice.tgz": lambda f: tarred(f, lambda a: _add(a, f"sound/{[*f][1]}", b"{}")),
    "tar-two.tgz": lambda f: tarred({f"{k}/{n}": b for k in "ab" for n, b in f.items()}),
    "zip-in-tar.tgz": lambda f: tarred({"sound.zip": zipped(f)}),
}


def _flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


def _encrypted(data):
    """Set the flag of encryption in each header."""
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data = data[: at + offset] + bytes([data[at + offset] | 1]) + data[at + offset + 1 :]
            at = data.find(signature, at + 1)
    return data


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_archive_is_refused(name, case, known, tmp_path):
    path = tmp_path / name
    path.write_bytes(DAMAGED[name](case.sound()))
    _refused(check([path], best_known=known), name, BAD)


@given(data=st.data())
def test_a_changed_byte_of_an_archive_is_refused_or_changes_nothing(
    data, case, known, tmp_path_factory
):
    suffix = data.draw(st.sampled_from(["zip", "tar.gz"]))
    packed = (zipped if suffix == "zip" else tarred)(case.sound())
    at, new = data.draw(st.integers(0, len(packed) - 1)), data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("changed") / f"sound.{suffix}"
    path.write_bytes(packed)
    [sound] = check([path], best_known=known).rows
    path.write_bytes(packed[:at] + bytes([new]) + packed[at + 1 :])
    found = check([path], best_known=known)
    assert found.rows == [sound] or (found.rows == [] and found.exit_code == BAD)


ODD = [None, True, 0, -1, 0.5, 1e308, 10**30, "", "x", "\0", [], {}, [[]], [None], {"": 1}, ["x"]]


@given(data=st.data())
def test_an_odd_value_at_any_place_is_refused_or_no_claim(data, case, known, tmp_path_factory):
    made = data.draw(st.sampled_from([case.sound, case.other]))()
    name = data.draw(st.sampled_from([name for name in made if name.endswith(".json")]))
    content = json.loads(made[name])
    inner = content
    while True:  # as likely near the root as deep
        step = data.draw(
            st.sampled_from([*inner] if isinstance(inner, dict) else range(len(inner)))
        )
        if not (inner[step] and isinstance(inner[step], dict | list) and data.draw(st.booleans())):
            break
        inner = inner[step]
    inner[step] = data.draw(st.sampled_from(ODD))
    made[name] = dumped(content)
    path = tmp_path_factory.mktemp("odd") / "sound.zip"
    path.write_bytes(zipped(made))
    found = check([path], best_known=known)
    assert bool(found.rows) != bool(found.refused)
    costs = {row.sha256: row.cost for row in found.rows if row.cost is not None}
    assert costs.get(case.tiny.digest, case.optimum) == case.optimum
    bounds = {row.sha256: row.bound for row in found.rows if row.bound is not None}
    assert bounds.get(case.workload.digest, 0) <= case.certificate["bound"] * (1 + 1e-9)


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_a_bomb_is_refused_before_it_is_unpacked(suffix, case, known, tmp_path, monkeypatch):
    made = {**case.sound(), JSON: b" " * 2**22}
    path = tmp_path / f"bomb.{suffix}"
    path.write_bytes((zipped if suffix == "zip" else tarred)(made))
    assert path.stat().st_size < 2**16
    monkeypatch.setattr(files, "MOST_FILE", 2**20)
    _refused(check([path], best_known=known), "more than that unpacked", BAD)
    monkeypatch.setattr(files, "MOST_FILE", 2**24)
    monkeypatch.setattr(files, "MOST_UNPACKED", 2**20)
    _refused(check([path], best_known=known), "more than that unpacked", BAD)


def test_a_packed_file_that_is_a_bomb_is_refused(case, known, write, monkeypatch):
    found = case.other()
    name = f"instances/{case.workload.digest}.json.gz"
    found[name] = gzip.compress(b" " * 2**22)
    folder = write(found, "other/sound")
    monkeypatch.setattr(files, "MOST_FILE", 2**20)
    _refused(check([folder], best_known=known), ("more than that unpacked", name), BAD)


# ---- what contradicts, and what is sound


def test_a_cost_below_a_known_bound_is_refused_with_both_values(case, write, tmp_path):
    from rsjs.bks.candidates import Candidates
    from rsjs.bks.entries import Bound
    from rsjs.bks.merge import update

    high = 1.5 * case.optimum
    origin = {"date": "2026-01-01T00:00:00.000Z", "source": "campaign c", "method": "a@highs"}
    proofs = [
        Bound(**{**origin, "method": m}, run_id=k * 16, value=high, bound_source="solver")
        for m, k in (("a@highs", "a"), ("b@scip", "b"))
    ]
    update(tmp_path / "k", {case.tiny.digest: Candidates(instance=case.tiny, bounds=proofs)})
    found = check([write(case.sound(), "jahani/sound")], best_known=tmp_path / "k")
    told = f"/objective: found {case.optimum!r}, expected at least {high!r}, the bound by run aaaa"
    _refused(found, (told, "confirmed by 1", "report it"), FALSE)


def test_a_bound_above_a_known_cost_is_refused_with_both_values(case, known, write):
    found = case.sound()
    document("bounds", put("bound", 1e9), found, case)
    del found[f"solutions/{case.tiny.digest}.json"]
    checked = check([write(found, "jahani/sound")], best_known=known)
    _refused(checked, ("/bound: found 1000000000.0, expected at most", "campaign c"), FALSE)


SOUND = {
    "folder": None,
    "zip": zipped,
    "tar.gz": tarred,
    "tgz": partial(tarred, prefix="./"),
    "flat.zip": partial(zipped, prefix=""),
    "deep.zip": partial(zipped, prefix="submissions/jahani/sound/"),
}


@pytest.mark.parametrize("suffix", SOUND)
def test_a_sound_one_is_accepted(suffix, case, known, write, tmp_path):
    for files_of, family in ((case.sound, "jahani"), (case.other, "other")):
        made = files_of()
        place = write(made, f"{family}/sound") if suffix == "folder" else tmp_path / f"x.{suffix}"
        if suffix == "deep.zip":
            place.write_bytes(zipped(made, prefix=f"submissions/{family}/sound/"))
        elif suffix != "folder":
            place.write_bytes(SOUND[suffix](made))
        found = check([place], best_known=known)
        assert (found.refused, found.accepted, found.exit_code) == ([], [f"{family}/sound"], 0)
        for row in found.rows:
            assert row.cost is None or row.cost > 0
            assert None in (row.cost, row.bound) or row.bound <= row.cost * (1 + 1e-9)


def test_no_code_that_a_submission_names_is_imported(case, known, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('was-run', 'w')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for method in ("evil.py:run", "evil:run", "hierarchical?method=(evil.py:run)"):
        found = case.sound()
        document("bounds", put("method", method), found, case)
        checked = check([write(found, "jahani/sound")], best_known=known)
        _refused(checked, ("/method: found", "a method of the suite"), BAD)
    assert not (tmp_path / "was-run").exists()
