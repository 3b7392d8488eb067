"""
What decisions are worth in the long run: jobs arrive, policies decide, the clock runs.

    engine, agenda     events in order, a decision after each
    options            accounting, overhead, events, errors of the predicted times
    state, policy      what a policy sees and what it returns
    policies/          one policy per file; `registry` makes them from their spellings
    running_cluster, job_progress, node_meters, loads     who is where, and what that comes to
    billing, real_times     what nodes cost, how long epochs take
    replies, constraints    what is no decision, decisions that are not feasible
    guards             policies that fail or never end
    event_kinds, event_records, event_log, recorded     events kept, written, simulated again
    outcome            totals, and whether they add up
    offline            lower bound for a workload whose epochs are known
    bucket_bound, bucket_columns, configurations     another one, which counts GPUs over time
    yardsticks         what a workload costs under conditions that no policy has
    references, metrics     what the cost of a policy is held against, and how
    placements         placements that go on while others begin
"""
