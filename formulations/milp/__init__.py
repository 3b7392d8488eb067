"""From a Pyomo model to a solver: matrix, solve, incumbent, export."""
