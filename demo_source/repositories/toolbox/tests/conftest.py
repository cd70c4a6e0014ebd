"""Fixtures of several test files."""

import pytest
from toolbox.planning import Calendar


@pytest.fixture
def calendar():
    """Two spans in the morning."""
    return Calendar([(540, 600), (660, 720)])
