"""A document of four jobs for MIG instances."""

MEMORY = [(0, [900, 1500]), (0, [1500]), (0.5, [300, 300]), (0.5, [1200])]
JOBS = {
    "format": "rsjs-mig-jobs/1",
    "name": "four",
    "time_unit": "minute",
    "jobs": [
        {
            "arrival": arrival,
            "class": "job",
            "priority": 1,
            "memory": memory,
            "cuda_cores": 1,
            "interruptible": True,
            "migratable": True,
            "deadline": 4,
        }
        for arrival, memory in MEMORY
    ],
}
