"""Preloaded last by profiles with numerical libraries: their generators begin with the seed of the hashes.

As `random` does in every profile. Each library seeds itself when it is imported, so all forks of one
zygote would draw the same numbers and those of the next one others. No operation is made here that could
start a thread.
"""

from __future__ import annotations

import os
import sys


def seed_libraries(seed: int) -> None:
    """Seed the global generators of the libraries that are loaded, and hold them to one thread."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        numpy.random.seed(seed)
    if torch is not None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)


seed_libraries(int(os.environ.get("PYTHONHASHSEED", "0")))
