"""STS, the stochastic scheduler, and speed profiles (Filippini 2024)."""
