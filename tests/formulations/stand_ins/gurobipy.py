"""
A stand-in for the package `gurobipy`: as much of it as Pyomo's gurobi_direct calls, over HiGHS.

It shows that Pyomo and this package ask as Gurobi's documents say; nothing of Gurobi itself.
`ASKED` holds the parameters and start values of the last model, `ENDS` the status it ends with.
"""

import highspy
import numpy as np

ASKED: dict = {}
STARTS: dict = {}
ENDS = None  # a status of GRB, or None for what HiGHS found


class GurobiError(Exception):
    pass


class GRB:
    VERSION_MAJOR, VERSION_MINOR, VERSION_TECHNICAL = 13, 0, 0
    CONTINUOUS, BINARY, INTEGER = "C", "B", "I"
    LOADED, OPTIMAL, INFEASIBLE, INF_OR_UNBD, UNBOUNDED, CUTOFF, ITERATION_LIMIT = range(1, 8)
    NODE_LIMIT, TIME_LIMIT, SOLUTION_LIMIT, INTERRUPTED, NUMERIC, SUBOPTIMAL = range(8, 14)
    USER_OBJ_LIMIT = 15


class Env:
    def close(self):
        pass


class Var:
    def __init__(self, column):
        self.column = column

    def setAttr(self, name, value):
        assert name == "Start"
        STARTS[self.column] = value


class Vars:
    def __init__(self, parts):
        self.parts = parts

    def tolist(self):
        return self.parts


class Model:
    def __init__(self, env=None):
        ASKED.clear()
        STARTS.clear()
        self.offset, self.Runtime = 0.0, 0.25

    def setParam(self, name, value):
        ASKED[name] = value

    def getParamInfo(self, name):
        return (name, int, 0)

    def addMVar(self, count, lb, ub, obj, vtype):
        self.lb, self.ub, self.vtype = np.array(lb), np.array(ub), vtype
        self.obj = np.asarray(obj, dtype=float).ravel()
        return Vars([Var(column) for column in range(count)])

    def addMConstr(self, A, x, sense, rhs):
        self.A, self.sense, self.rhs = A.tocsr(), np.array(sense), np.array(rhs, dtype=float)
        return Vars([object() for _ in rhs])

    def setAttr(self, name, value):
        self.offset = value if name == "ObjCon" else self.offset

    def getAttr(self, name, of=None):
        if of is not None:
            return [self.x[variable.column] for variable in of]
        return {"IterCount": 5.0, "BarIterCount": 0, "NodeCount": 3.0}[name]

    def optimize(self, callback=None):
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("mip_rel_gap", ASKED["MIPGap"])
        rows, columns = self.A.shape
        highs.passModel(
            columns,
            rows,
            self.A.nnz,
            int(highspy.MatrixFormat.kRowwise),
            1,
            self.offset,
            self.obj,
            self.lb,
            self.ub,
            np.where(self.sense == "<", -np.inf, self.rhs),
            np.where(self.sense == ">", np.inf, self.rhs),
            self.A.indptr[:-1].astype(np.int32),
            self.A.indices.astype(np.int32),
            self.A.data,
            np.array([kind != "C" for kind in self.vtype], dtype=np.int32),
        )
        highs.run()
        infeasible = highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible
        self.x = list(highs.getSolution().col_value)
        self.Status = ENDS or (GRB.INFEASIBLE if infeasible else GRB.OPTIMAL)
        self.SolCount = 0 if infeasible else 1
        self.ModelSense = 1
        self.ObjVal = np.inf if infeasible else highs.getInfo().objective_function_value
        self.ObjBound = 1e100 if infeasible else highs.getInfo().mip_dual_bound

    def dispose(self):
        pass
