"""
The statements of the five papers, each with the figure of runs that agrees with it or does not.

    claim                what a claim and an experiment are; the verdict
    files                claims and experiments as data, one file per paper in `data`
    simulated, decided   rows of an experiment: workloads under policies, decisions by methods
    figures              ratios, savings and means of rows, case by case
    jahani, kiros, andreas, sts, konopa    the figure of each claim; experiments of one paper only
    registry             claim -> figure, experiment -> rows
"""
