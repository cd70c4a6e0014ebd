"""Seeds the random generators of numerical libraries; their profiles preload this module last.

The seed is that of the hashes, as for `random` in every profile. Each library seeds itself when it is
imported, so the forks of different zygotes would draw different numbers. Nothing here may start a thread.
"""

from __future__ import annotations

import os
import sys


def seed_libraries(seed: int) -> None:
    """Seed the global generators of the loaded libraries and limit them to one thread."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        numpy.random.seed(seed)
    if torch is not None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)


seed_libraries(int(os.environ.get("PYTHONHASHSEED", "0")))
