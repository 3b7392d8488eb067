"""MIG scheduling: the problem, schedules, their objective, checker and files."""
