"""Profiles with their own packages for tests; skips if the packages are not installed."""

from __future__ import annotations

from benchwright.sandbox.profiles import packages_folder
from kit.needs import need_ready


def need_profile(name: str) -> None:
    """Skip, with the command to install them, if the packages of this profile are missing."""
    need_ready(lambda: packages_folder(name), f"no program of the profile {name} can be run")
