"""One method on one problem in one worker process, within its limits, verified."""
