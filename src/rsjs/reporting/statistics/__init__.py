"""What the runs of a comparison say together: functions of one table of runs, see `tidy`."""
