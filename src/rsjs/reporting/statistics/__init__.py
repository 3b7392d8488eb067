"""
What the runs of a comparison say together: pure functions of its rows.

`tidy.tidy` is the door; `measures` turns the runs into matrices of one row per problem and one
column per method, NaN where a method failed; each other file is one statistic on such a matrix.
"""
