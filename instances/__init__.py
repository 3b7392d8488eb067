"""
What a problem is, what a solution is, what it costs: no solver is imported here.

    instance, cluster, jobs, epoch_distribution     the data of a problem; validation
    solution, check, costs, open_nodes              a solution, its checker and its price
    io, catalogue, generators, library, profiles, traces, mig
"""
