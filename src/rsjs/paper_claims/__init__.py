"""
The statements of the five papers, each with our value, which agrees with it or does not.

    claim        claims, experiments and verdicts; one file per paper in `data`
    runs         rows of an experiment as campaigns
    metrics      our values: ratios, savings and means of rows, case by case
"""
