"""What methods, limits, results and errors are: below everything else."""
