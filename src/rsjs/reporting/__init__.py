"""Tables and figures: pure functions of rows."""
