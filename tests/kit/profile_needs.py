"""Profiles with packages of their own for tests: skipped, with the reason, where they are not installed."""

from __future__ import annotations

from benchwright.sandbox.profiles import packages_folder
from kit.needs import need_ready


def need_profile(name: str) -> None:
    """Skip, with how to get it, where the packages of this profile are not there."""
    need_ready(lambda: packages_folder(name), f"no program of the profile {name} can be run")
