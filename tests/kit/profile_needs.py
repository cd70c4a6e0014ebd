"""Profiles with packages of their own for tests: skipped, with the reason, where they are not installed."""

from __future__ import annotations

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.sandbox.profiles import packages_folder


def need_profile(name: str) -> None:
    """Skip, with how to get it, where the packages of this profile are not there."""
    try:
        packages_folder(name)
    except PrerequisiteError as error:
        pytest.skip(f"no program of the profile {name} can be run: {error}")
