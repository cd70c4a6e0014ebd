"""For the integration tests: one tiny model a session.

They need about 1.2 GB of packages, so they run only when asked for, in an environment of their own:

    sh tests/integration/setup.sh /tmp/benchwright-integration
    /tmp/benchwright-integration/bin/python -m pytest -m integration tests/integration
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_model import make_tiny_model


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model."""
    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny")
