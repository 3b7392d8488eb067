"""
Exact formulations in Pyomo, the solvers behind them, and their bounds.

A model NAME has a file NAME.py (mathematics, build, warm_start, extract), its index sets and costs
in NAME_data.py, the same matrix without Pyomo in NAME_arrays.py, and is declared in *_methods.py.

    jahani_*            Jahani 2019: patterns, literal; dual (slots, box, open_jobs, rounding, core)
    first_ending_*      nodes charged until their first job ends: nodes, patterns
    rsjs_*              RS-JS: minlp, gpu, nodes; classes (form E), bound, sifting
    configurations, crews, gpu_nodes, share_rows       what the RS-JS models by node are made of
    class_*, node_loads, reinsertion, restricted_lp    what form E, bound and sifting are made of
    hierarchical, splitting, parts, controllers, side_by_side, node_cover
                        Kiros' controllers
    linear, linear_models, matrix, rows, standard_form                         from model to solver
    model_files, model_names                           from model to .mps and .lp
    patterns            partitions of a node's GPUs
    primal_dual         incumbent, bound, and when they meet
    enumeration         the oracle
    registry            all of them, as data
"""
