"""
Heuristics on arrays, with compiled kernels beside their only user.

    dispatching     list scheduling, queues, pooled dynamic programming
    greedy          greedy and randomized greedy (Kiros 2020, ANDREAS 2021)
    local_search    local search and path relinking (Kiros 2020)
    ruin_recreate   ruin and recreate on dual prices, fix-and-optimise
    sts             STS and speed profiles (Filippini 2024)
    decomposition   hierarchical decomposition (Kiros 2020)
    mig             MIG scheduling, placement, reconfiguration
    common          kernels, random streams, stopping, initial solutions, results
    registry        the methods, declared
"""
