"""The RS-JS model by node class: matrix, column generation, certified bound."""
