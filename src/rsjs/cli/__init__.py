"""
The command `rsjs`: one file per subcommand, everything heavy imported inside it.

A command prints its answer on standard output and everything else on standard error. Exit codes:
0 ok, 1 no verified solution or a violation found, 2 bad input, 130 ended by Ctrl-C or SIGTERM,
141 the reader of a pipe has gone.
"""

BAD_INPUT, INTERRUPTED, NO_READER = 2, 130, 141
