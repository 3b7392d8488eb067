"""
Exact formulations in Pyomo, the solvers behind them, and their bounds.

    jahani          Jahani 2019: published MILP, patterns; Lagrangian dual, boxstep, rounding
    first_ending    nodes charged until their first job ends: node-indexed, patterns
    rsjs            RS-JS: MINLP, by GPU, by node; aggregated by node class with a certified bound
    mig             MIG scheduling, placement, reconfiguration
    modes           modes of a job, GPU sharing, pattern models by arc flow
    milp            from a model to a solver: matrix, solve, incumbent, export
    backends        HiGHS, SCIP, CP-SAT, Gurobi
    enumeration     every solution of a tiny instance
    registry        the methods, declared
"""
