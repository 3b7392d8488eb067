"""Programs as solvers of a campaign: what each of them does wrong is said in its row."""

import sys

import psutil
import pytest

from rsjs.campaigns.collection import collect
from rsjs.campaigns.runner import Part, prepare
from rsjs.campaigns.spec import read
from rsjs.core.errors import InputError

pytestmark = pytest.mark.process

PROGRAM = """
import os, subprocess, sys, time
mode, mps, solution = sys.argv[1:4]
if mode == "forks":
    code = f"import os, time; os.setsid(); open({sys.argv[4]!r}, 'w').write(str(os.getpid()))"
    subprocess.Popen([sys.executable, "-c", code + "; time.sleep(60)"])
if mode in ("hangs", "forks"):
    time.sleep(60)
written = {"names": "nope 1", "nan": "c0 nan", "infeasible": "c0 0"}
lines = open(mps).read().splitlines()
integer = lines[1 + next(i for i, line in enumerate(lines) if "INTORG" in line)].split()[0]
written["fractions"] = f"{integer} 0.5"
if mode in written:
    open(solution, "w").write(written[mode])
if mode in ("sound", "bounds"):
    import highspy
    highs = highspy.Highs()
    highs.readModel(mps)
    highs.run()
    highs.writeSolution(solution, 0)
print("best", 1e9 if mode == "bounds" else 0.0)
"""
SAID = {  # name of the solver -> ended, quality, what the message has
    "sound": ("FINISHED", "FEASIBLE_VERIFIED", ""),
    "silent": ("SOLVER_ERROR", "NO_SOLUTION", "no solution and no known status"),
    "names": ("SOLVER_ERROR", "NO_SOLUTION", "column nope in its solution does not exist"),
    "fractions": ("SOLVER_ERROR", "NO_SOLUTION", "= 0.5, expected an integer"),
    "nan": ("SOLVER_ERROR", "NO_SOLUTION", "found c0 nan, expected a finite number"),
    "infeasible": ("SOLVER_ERROR", "NO_SOLUTION", "expected"),
    "bounds": ("FINISHED", "WRONG", "bound"),
    "hangs": ("TIMEOUT", "NO_SOLUTION", "ended at the time limit"),
    "forks": ("TIMEOUT", "NO_SOLUTION", "ended at the time limit"),
}


def write(folder, *methods, names=SAID, more="", time_s=300):
    """Write a campaign in which the program is a solver by each of its modes."""
    (folder / "own.py").write_text(PROGRAM)
    tables = "".join(
        f"""[[solvers]]
name = "{name}"
command = "{sys.executable} own.py {name} {{mps}} {{solution}} {folder / "pid"}"
bound = 'best (\\S+)'
"""
        for name in names
    )
    path = folder / f"campaign-{time_s}.toml"
    path.write_text(f"""
format = "rsjs-campaign/1"
name = "own"
shows = "a test"
timing = "shared"
{more}
[limits]
time_s = {time_s}
[[instances]]
generator = "jahani"
sizes = ["2x4"]
{tables}
[[methods]]
run = {[*methods]}
""")
    return path


@pytest.mark.solver
@pytest.mark.parametrize("isolation", ["process", "batch"])
def test_what_a_program_does_is_said_in_its_row(carry_out, tmp_path, isolation):
    pytest.importorskip("highspy")
    methods: dict[int, list[str]] = {4: [], 300: ["no-such-program {mps} {solution}"]}
    for name, (ended, _, _) in SAID.items():
        methods[4 if ended == "TIMEOUT" else 300].append(name)
    more = f'isolation = "{isolation}"'
    for time_s, names in methods.items():
        runs = (f"jahani_patterns@{name}" for name in names)
        asked = read(write(tmp_path, *runs, more=more, time_s=time_s))
        carry_out(asked, tmp_path / f"store-{time_s}")
    found = collect([*tmp_path.glob("store-*")])
    rows = {row["method"].partition("@")[2]: row for row in found.rows}
    assert {name: (row["ended"], row["quality"]) for name, row in rows.items()} == {
        name: said[:2] for name, said in SAID.items()
    }
    for name, (_, _, text) in SAID.items():
        assert text in rows[name]["message"]
    assert rows["sound"]["solver_version"].startswith("sha256:")
    [absent] = found.skipped
    assert absent["message"] == (
        "solver no-such-program is not installed: put the program no-such-program on PATH"
    )
    child = int((tmp_path / "pid").read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie"


def test_names_stand_for_tables_and_files_are_found_from_the_campaign(tmp_path):
    asked = read(write(tmp_path, "rsjs_classes@sound?packing=splits", "jahani_dual@sound"))
    first, second = (choice.request for choice in asked.choices)
    assert first.label == "rsjs_classes@sound?packing=splits"
    assert first.solver == second.solver
    assert str(tmp_path / "own.py") in first.solver


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            '[[solvers]]\nname = "highs"\ncommand = "x {mps} {solution}"\n',
            "no other solver has",
        ),
        (
            '[[solvers]]\nname = "twice"\ncommand = "x {mps} {solution}"\n' * 2,
            "no other solver has",
        ),
        ('[[solvers]]\nname = "x"\ncommand = "x {mps}"\n', "expected {solution} in the command"),
        ('[[solvers]]\nname = "x"\ncomand = "x"\n', "comand"),
    ],
)
def test_solvers_that_make_no_sense_are_refused(tmp_path, more, said):
    path = write(tmp_path, "fifo:paper", names=())
    path.write_text(path.read_text() + more)
    with pytest.raises(InputError) as caught:
        read(path)
    assert said in str(caught.value)
    assert "/solvers/" in str(caught.value)


def test_two_commands_of_one_name_are_refused(tmp_path):
    commands = (f"jahani_patterns@x {{mps}} {{solution}} {k}" for k in (1, 2))
    with pytest.raises(InputError, match="expected one program of that name"):
        prepare(read(write(tmp_path, *commands, names=())), None, Part())
