"""An answer's view of /proc: bare profiles see their own processes, others some files of the kernel too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchwright.sandbox import jail
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.environments import BUILT_IN, Environment
from benchwright.sandbox.inside import procfs
from benchwright.sandbox.jail import JAILS, find_bubblewrap
from benchwright.sandbox.limits import Limits

pytestmark = pytest.mark.usefixtures("jail")
WHOLE = Environment(name="whole", kernel_files=True)
SCOPES = ("slot", "answer")


def _said(box: Sandbox, body: str) -> Any:
    result = box.run(f"import os\ndef f():\n    {body}\n", "f", [((), {})])
    assert result.outcome.value == "passed", result.detail
    return result.replies[0].value


def _boxes(environment: Environment) -> Iterator[Sandbox]:
    for name in JAILS:
        if name == "bubblewrap" and not find_bubblewrap():
            continue
        for scope in SCOPES:
            limits = Limits(cpu_s=5.0, memory_mb=512, namespaces=scope)
            with Sandbox(environment, limits=limits, jail=name) as box:
                yield box


def test_bare_answers_see_processes_alone() -> None:
    """No files of the kernel are visible, and Python's questions about the machine still have answers."""
    asked = "return os.listdir('/proc'), os.cpu_count() > 0, os.getloadavg()[0] >= 0, os.sysconf('SC_PHYS_PAGES') > 0"
    for box in _boxes(BUILT_IN["bare"]):
        names, *answered = _said(box, asked)

        assert (sorted(names), answered) == (["1", "self", "thread-self"], [True] * 3)


def test_a_process_finds_itself() -> None:
    """Programs can still read about their own process."""
    asked = "return [len(open('/proc/self/' + name).read()) > 0 for name in ('maps', 'status', 'cgroup', 'mountinfo')]"
    for box in _boxes(BUILT_IN["bare"]):
        assert _said(box, asked) == [True] * 4


def test_runtimes_read_of_the_machine() -> None:
    """Memory, processors, load and version are visible in profiles whose programs read them."""
    names = ["meminfo", "cpuinfo", "stat", "loadavg", "version", "sys/kernel/osrelease"]
    for box in _boxes(WHOLE):
        sizes = _said(box, f"return [len(open('/proc/' + name).read()) > 0 for name in {names}]")

        assert sizes == [True] * len(names)


def test_what_tells_of_others_is_covered() -> None:
    """Addresses of the kernel and files about other processes are empty, and so are folders."""
    read = "return [(n, os.path.isdir(p) and os.listdir(p) or not os.path.isdir(p) and open(p).read(9))"
    each = (
        f"for n in {procfs.HIDDEN!r} for p in ['/proc/' + n] if os.path.exists(p) and os.access(p, os.R_OK)]"
    )
    for box in _boxes(WHOLE):
        shown = dict(_said(box, f"{read} {each}"))

        assert "kallsyms" in shown
        assert not any(shown.values())


def test_settings_cannot_be_opened_for_writing() -> None:
    """/proc/sys is read-only, including files that anybody may write."""
    walk = "p for f, _, names in os.walk('/proc/sys') for p in (f + '/' + n for n in names)"
    for box in _boxes(WHOLE):
        assert _said(box, f"return [p for p in ({walk}) if os.access(p, os.W_OK)]") == []


@pytest.mark.parametrize("environment", [BUILT_IN["bare"], WHOLE], ids=["bare", "whole"])
def test_an_older_kernel(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the kernel cannot mount the processes only, the covers are used for every profile."""
    start = "from inside import linux, child; mount = linux.mount\n"
    start += "def older(a, b, c, flags, data=None):\n"
    start += "    if data == b'subset=pid': raise OSError(22, 'mount')\n"
    start += "    mount(a, b, c, flags, data)\nlinux.mount = older\nlinux.release = lambda: (5, 7)\n"
    template = jail._START.replace(
        "from inside", f"exec({start!r}) if {{module!r}} == 'zygote' else 0; from inside"
    )
    monkeypatch.setattr(jail, "_START", template)
    for box in _boxes(environment):
        assert _said(box, "return open('/proc/kallsyms').read(9), 'meminfo' in os.listdir('/proc')") == (
            "",
            True,
        )


@pytest.mark.parametrize(
    ("name", "shown"), [("bare", "processes"), ("numpy", "processes"), ("pytest", "kernel")]
)
def test_which_profiles_read_of_the_kernel(name: str, shown: str) -> None:
    """Answers to calls need only processes; test suites need the files that their runtime and tests read."""
    assert ("kernel" if BUILT_IN[name].kernel_files else "processes") == shown
