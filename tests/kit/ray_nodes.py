"""Real nodes of Ray for tests, as processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kit.needs import need_module

STORE = {"object_store_memory": 80 << 20, "include_log_monitor": False}


@contextmanager
def two_nodes() -> Iterator[Any]:
    """Yield a cluster with a head without cores and two nodes of one core, without what only people read."""
    need_module("ray", "work on several machines")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "no_monitor": True, **STORE}
    made = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(2):
            made.add_node(num_cpus=1, **STORE)
        yield made
    finally:
        made.shutdown()
