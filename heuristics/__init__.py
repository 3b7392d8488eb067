"""
Fast methods on arrays; each has a file NAME.py with `run` and is declared in `registry`.

    greedy, list_scheduling, randomized_greedy     Kiros 2020, 3.1.3-4, and FIFO, EDF, PS
    candidates, best_fit, postprocessing, greedy_*, randomized_*     what they are made of
    local_search, path_relinking, descent*, neighbourhoods, elite_pool, relinking     3.1.5
    ruin_recreate, priced_greedy, fix_and_optimise, price*, node_*, share_bins     by dual prices
    sts, sts_*, job_profiles, speed_*, power_model, survival_steps     Filippini 2024: STS, profiles
    queue_*, randomized_queue, dynamic_programming, deterministic, rooms, first_fit     against it
    stopping, random_streams, starts, schedules    stop rules, numbers, starts, a schedule's arrays
    compiled, kernels/                             loops over arrays, compiled by numba
    outcome             the way out of every method
"""
