"""`doctor` on /proc: processes only, covers on an older kernel, or a failed layer."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.sandbox import machine_probes
from benchwright.sandbox.box import Sandbox

WHOLE = ["kallsyms", "meminfo", "self", "thread-self"]


@pytest.mark.parametrize(
    ("names", "addresses", "holds", "words"),
    [
        (["self", "thread-self"], "exception: FileNotFoundError: no", True, "nothing else"),
        (WHOLE, "", True, "4 names in /proc; those about other processes are covered"),
        (WHOLE, "exception: PermissionError: [Errno 13]", True, "are covered"),
        (WHOLE, "f", False, "kallsyms"),
        ("exception: OSError: no /proc", "", False, "no /proc"),
    ],
)
def test_what_proc_shows(
    monkeypatch: pytest.MonkeyPatch, names: Any, addresses: str, holds: bool, words: str
) -> None:
    """The layer passes if no address of the kernel can be read, and its row says how."""
    said = iter([names, addresses])
    monkeypatch.setattr(machine_probes, "_ask", lambda box, body: next(said))
    probe = machine_probes._probe_proc(Sandbox())

    assert (probe.layer, probe.holds, words in probe.seen) == ("no kernel files", holds, True)
    assert bool(probe.hint) is not holds
