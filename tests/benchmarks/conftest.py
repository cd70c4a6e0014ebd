"""Makes the `benchmarks` package importable, which is run from the repository and never installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
