"""What a run needs to know of its kind of problem."""
