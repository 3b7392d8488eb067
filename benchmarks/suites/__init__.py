"""asv's suites; what they measure is in `benchmarks.cases` and `benchmarks.work`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))  # asv knows this folder only
