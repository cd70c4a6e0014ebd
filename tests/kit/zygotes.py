"""What a zygote is told before it starts, and what it needs of a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.sandbox import jail
from benchwright.sandbox.inside import linux
from benchwright.sandbox.zygote_object import find_object
from kit.needs import need_that

_SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
# Code for a zygote whose kernel has no large page free, gives no memory, or has larger ones than there is code.
REFUSALS = (
    "mappings._large_bytes = lambda place: 0",
    "mappings.MappedMemory.large_space = lambda self, size: None",
    "mappings.LARGE = 1 << 40",
)


def in_the_zygote(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Every zygote that is started from now on executes this first."""
    template = jail._START.replace(
        "from inside", f"exec({code!r}) if {{module!r}} == 'zygote' else 0; from inside"
    )
    monkeypatch.setattr(jail, "_START", template)


def needs_large_pages() -> None:
    """Skip where there are none."""
    need_that(
        find_object().path is not None and linux.LARGE_PAGES,
        "answers are forked in pages as they are here, which is by Python or on another machine than x86-64",
    )
    need_that(
        _SETTING.exists() and "[never]" not in _SETTING.read_text(),
        "this kernel gives no large pages: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    )
