"""
Submissions: costs and bounds that others reached, checked before anything of them is shown.

`accepted()` returns the rows of the folder `submissions/`, a `CheckedRow` for each instance of each
submission that passes its check; nothing of one that does not. Fields of a row:

    submission     "FAMILY/NAME", its folder
    who            names, a tuple of texts
    date           "YYYY-MM-DD", as the submission states it
    method, reference, machine     texts of the submission
    division       "closed" (the suite's limits and one thread) or "open" (anything)
    instance, sha256, nodes, jobs  the instance or workload; sha256 is its identity
    sets           names of the library's sets that it is in, a tuple
    cost           $, the double nearest to the exact cost of the solution; None without one
    exact          that cost as a fraction; None without one, of workloads, or if it is very long
    cost_credit    "first": nobody had so low a cost before; "equal": the lowest that is known, but
                   somebody else had it first; None: higher, or no cost
    bound          $, a lower bound; None without one
    evidence       of the bound: "certificate" (evaluated in exact arithmetic), "repeated" (a run
                   that this check repeated) or "run" (repeatable, not yet repeated: not proved)
    bound_credit   as cost_credit, of bounds that are proved
    proved         whether the bound is: a certificate, or a run that was repeated

All texts are a stranger's: printable, of one line and of at most 300 characters, but whoever shows
them escapes them (HTML, Markdown, LaTeX; `rsjs.rows.csv` does it for CSV).
"""

from rsjs.submissions.check import Checked as Checked
from rsjs.submissions.check import accepted as accepted
from rsjs.submissions.check import check as check
from rsjs.submissions.row import CheckedRow as CheckedRow
