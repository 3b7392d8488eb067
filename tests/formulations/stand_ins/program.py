"""
A stand-in for the programs `cbc` and `glpsol`: it speaks as they do, and HiGHS does the work.

It shows that Pyomo and this package ask and understand as their documents say; it shows nothing
of the programs themselves. What it was asked goes to $STAND_IN_ASKED; $STAND_IN_ENDS says how
it ends: optimal, limit (with a solution), empty (limit, no solution), infeasible.
"""

import json
import os
import sys
from itertools import pairwise
from pathlib import Path

import highspy


def main(name, arguments):
    if arguments in (["-stop"], ["--version"]):
        print("Version: 2.10.8" if name == "cbc" else "GLPSOL: GLPK LP/MIP Solver 5.0")
        return
    if asked := os.environ.get("STAND_IN_ASKED"):
        Path(asked).write_text(json.dumps(arguments))
    option = dict(pairwise(arguments))
    end = os.environ.get("STAND_IN_ENDS", "optimal")
    solved = Solved(option["-import" if name == "cbc" else "--cpxlp"])
    if name == "cbc":
        cbc(solved, end, Path(option["-solu"]))
    else:
        glpsol(solved, end, Path(option["--wglp"]), Path(option["--write"]))


class Solved:
    """An LP file and its optimum."""

    def __init__(self, file):
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("mip_rel_gap", 0.0)
        highs.readModel(file)
        lp, self.integer = highs.getLp(), True
        self.rows, self.columns = lp.row_names_, lp.col_names_
        self.nonzeros = len(lp.a_matrix_.index_)
        highs.run()
        self.x, self.activity = highs.getSolution().col_value, highs.getSolution().row_value
        self.cost = highs.getInfo().objective_function_value


def cbc(solved, end, solution):
    print("Continuous objective value is 1.5 - 0.00 seconds")
    if end == "infeasible":
        print("Cbc0006I The LP relaxation is infeasible or too expensive")
        print("Result - Problem proven infeasible")
        solution.write_text("Infeasible - objective value 0.00000000\n")
        return
    heads = {
        "optimal": "Optimal - objective value",
        "limit": "Stopped on time - objective value",
        "empty": "Stopped on time (no integer solution - continuous used) - objective value",
    }
    if end == "optimal":
        print(f"Result - Optimal solution found\n\nObjective value: {solved.cost:.8f}")
    else:
        print(
            f"Cbc0005I Partial search - best objective {solved.cost:g} (best possible 1.25),"
            " took 90 iterations and 7 nodes (0.50 seconds)\nResult - Stopped on time limit"
        )
    lines = [f"{heads[end]} {solved.cost:.8f}"]
    for names, values in ((solved.rows, solved.activity), (solved.columns, solved.x)):
        for i, (name, value) in enumerate(zip(names, values, strict=True)):
            lines.append(f"{i:7d} {name:<20} {value:22.15g} {0:22.15g}")
    solution.write_text("\n".join(lines) + "\n")


def glpsol(solved, end, problem, solution):
    rows, columns = solved.rows, solved.columns
    head = [f"p mip min {len(rows)} {len(columns)} {solved.nonzeros}", "n p model", "n z cost"]
    head += [f"n i {i} {name}" for i, name in enumerate(rows, 1)]
    head += [f"n j {j} {name}" for j, name in enumerate(columns, 1)]
    problem.write_text("\n".join([*head, "e o f"]) + "\n")
    if end in ("limit", "empty"):
        print("TIME LIMIT EXCEEDED; SEARCH TERMINATED")
    letter = {"optimal": "o", "limit": "f", "empty": "u", "infeasible": "n"}[end]
    found = end in ("optimal", "limit")
    head = f"s mip {len(rows)} {len(columns)} {letter} {solved.cost:.15g}"
    lines = ["c Problem: model", "c", head]
    for mark, values in (("i", solved.activity), ("j", solved.x)):
        lines += [f"{mark} {i} {value if found else 0:.15g}" for i, value in enumerate(values, 1)]
    solution.write_text("\n".join([*lines, "e o f"]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[0]).name, sys.argv[1:])
