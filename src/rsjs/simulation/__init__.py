"""
What decisions are worth in the long run: jobs arrive, policies decide, the clock runs.

    engine             events in order, a decision after each
    options            accounting, overhead, events, errors of the predicted times
    state, policy      what a policy sees and what it returns; policies that fail or never end
    policies/          rules, sts, roll, hierarchical; `registry` makes them from specifications
    running_cluster    who is where, and how far each job has come
    accounting         what nodes cost
    feasibility        decisions that are not feasible, or are none
    outcome            what is kept of events, and totals
    event_log          the log of a run: written, read and replayed
    bounds             lower bounds of a workload whose epochs are known
    references         bounds and baselines of a workload
    metrics            the cost of a policy against that of another one
"""
