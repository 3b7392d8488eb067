"""One method run in one worker process, within its limits."""
