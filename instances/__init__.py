"""What a problem is, what a solution is, what it costs: no solver is imported here."""
