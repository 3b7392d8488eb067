"""Jobs for GPUs that are divided into MIG instances: what they are, and where they come from."""
