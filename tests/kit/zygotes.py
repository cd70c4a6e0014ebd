"""Code that zygotes execute before they start, and their requirements on the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.sandbox import jail
from benchwright.sandbox.inside import linux
from benchwright.sandbox.zygote_object import find_object
from kit.needs import need_that

_SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
# Code for a zygote whose kernel has no free large page, refuses memory, or has pages larger than the code.
REFUSALS = (
    "mappings._large_bytes = lambda place: 0",
    "mappings.MappedMemory.large_space = lambda self, size: None",
    "mappings.LARGE = 1 << 40",
)


def in_the_zygote(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let every zygote that is started from now on execute this code first."""
    template = jail._START.replace(
        "from inside", f"exec({code!r}) if {{module!r}} == 'zygote' else 0; from inside"
    )
    monkeypatch.setattr(jail, "_START", template)


def needs_large_pages() -> None:
    """Skip if the kernel has no large pages."""
    need_that(
        find_object().path is not None and linux.LARGE_PAGES,
        "answers are forked in pages as they are here, which is by Python or on another machine than x86-64",
    )
    need_that(
        _SETTING.exists() and "[never]" not in _SETTING.read_text(),
        "this kernel gives no large pages: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    )
