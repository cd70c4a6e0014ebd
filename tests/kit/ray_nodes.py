"""Real nodes of Ray for tests, as processes of this machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from kit.needs import need_module

STORE = {"object_store_memory": 80 << 20, "include_log_monitor": False}


@contextmanager
def two_nodes() -> Iterator[Any]:
    """Yield a cluster of two nodes with one core each, without dashboard and logs."""
    need_module("ray", "work on several machines")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "no_monitor": True, **STORE}
    with _patient_ray():
        made = Cluster(initialize_head=True, head_node_args=head)
    try:
        with _patient_ray():
            made.add_node(num_cpus=1, **STORE)
        yield made
    finally:
        made.shutdown()


@contextmanager
def _patient_ray() -> Iterator[None]:
    """Give a node ten times as long to start as the 30 s that Ray has no option for: machines are busy."""
    from ray._private import node

    clock = ModuleType("time")
    clock.__dict__.update(vars(time), monotonic=lambda: time.monotonic() / 10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node, "time", clock)
        yield
