"""RSJS-Bench: scheduling deep-learning training jobs on GPU clusters."""
