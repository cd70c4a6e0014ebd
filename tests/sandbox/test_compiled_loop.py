"""An answer forked by the compiled loop equals one forked in Python: environment, limits, ends and errors."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox import box as box_module
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.inside import linux
from benchwright.sandbox.jail import JAILS
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import Zygote
from benchwright.sandbox.zygote_object import MACHINE, VARIABLE
from kit.needs import need_jail, need_that
from kit.processes import python

need_that(linux.MACHINE == MACHINE, "no compiled zygote is shipped for it")
pytestmark = pytest.mark.usefixtures("jail")
LOOPS = ("compiled", "python")
LIMITS = Limits(cpu_s=5.0, wall_s=60.0, memory_mb=256)
WHOLE = Environment(name="whole", kernel_files=True, open_files=100)
# The set-up as a program sees it. For a mount: place, source and flags.
SEEN = """
import fcntl, os, resource, signal

def f():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    kept = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp",
            "Seccomp_filters", "SigIgn", "SigCgt", "SigBlk", "NSpid", "Threads")
    mounts = [line.split(" - ") for line in open("/proc/self/mountinfo")]
    descriptors = {}
    for fd in range(1024):
        try:
            flags = fcntl.fcntl(fd, fcntl.F_GETFL), fcntl.fcntl(fd, fcntl.F_GETFD)
        except OSError:
            continue
        descriptors[fd] = (*flags, os.readlink(f"/proc/self/fd/{fd}").split(":")[0])
    return {
        "ids": (os.getpid(), os.getppid(), os.getsid(0), os.getpgid(0), os.getcwd(), os.umask(0)),
        "status": {name: status.get(name) for name in kept},
        "mounts": sorted((a.split()[4:6], b.split()[:1], b.split()[2:]) for a, b in mounts),
        "limits": {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource)
                   if name.startswith("RLIMIT_")},
        "descriptors": descriptors,
        "proc": sorted(name for name in os.listdir("/proc") if name != "pressure"),
        "tmp": (os.listdir("/tmp"), oct(os.stat("/tmp").st_mode), os.stat("/tmp").st_uid),
        "namespaces": sorted(os.listdir("/proc/self/ns")),
    }
"""


@pytest.fixture(params=JAILS)
def where(request: pytest.FixtureRequest) -> str:
    """Return each jail that can be built here."""
    return need_jail(request.param)


@pytest.fixture(params=LOOPS)
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return each of the two loops that can fork answers."""
    monkeypatch.setenv(VARIABLE, request.param)
    name: str = request.param
    return name


@pytest.fixture
def zygote(where: str, loop: str) -> Iterator[Zygote]:
    """Return a zygote for direct messages."""
    made = Zygote(Environment(name="bare"), LIMITS, jail_name=where)
    yield made
    made.close()


def said(box: Sandbox, source: str) -> Any:
    """Return the result of a program's `f`."""
    result = box.run(source, "f", [((), {})])
    assert result.outcome is Outcome.passed, result.detail
    return result.replies[0].value


@pytest.mark.parametrize("environment", [Environment(name="bare"), WHOLE], ids=["bare", "whole"])
def test_both_loops_make_the_same_place(
    where: str, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids, rights, filter, mounts, limits, descriptors, files: the whole set-up as a program sees it."""
    seen = {}
    for name in LOOPS:
        monkeypatch.setenv(VARIABLE, name)
        with Sandbox(environment, limits=LIMITS, jail=where) as box:
            first, second = said(box, SEEN), said(box, SEEN)
            assert (bool(box.why_python()), first) == (name == "python", second)
        seen[name] = first

    for part, value in seen["python"].items():
        assert (part, seen["compiled"][part]) == (part, value)
    assert seen["compiled"]["limits"]["RLIMIT_CPU"] == (7, 8)
    assert (seen["compiled"]["status"]["CapEff"], seen["compiled"]["status"]["Seccomp"]) == (
        "\t0000000000000000\n",
        "\t2\n",
    )


def test_an_own_user_namespace_is_pythons(where: str) -> None:
    """Answers with their own user namespace are forked by Python, and the sandbox reports it."""
    with Sandbox(limits=Limits(namespaces="answer"), jail=where) as box:
        assert said(box, "import os\ndef f(): return os.getpid()") == 1
        assert box.why_python() == "each answer has a user namespace of its own"


@pytest.mark.usefixtures("loop")
def test_set_up_that_fails_is_named(where: str) -> None:
    """A failed mount is a failure of the sandbox with the same message, and not an outcome."""
    with Sandbox(limits=Limits(tmp_mb=-1), jail=where) as box, pytest.raises(SandboxError) as caught:
        box.run("def f(): return 1", "f", [((), {})])
    expected = "cannot set up an answer: [Errno 22] mount /tmp: Invalid argument"

    assert [expected] * 3 == [*box.trouble, caught.value.message]


@pytest.mark.usefixtures("loop")
def test_a_cover_that_fails_is_named(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each mount has its own name in the message, including the last of many."""
    from benchwright.sandbox import jail

    broken = "from inside import procfs; mounts = procfs.KernelFiles.mounts\n"
    broken += (
        "procfs.KernelFiles.mounts = lambda self: [*mounts(self), (b'x', b'/nowhere', b'tmpfs', 0, None)]"
    )
    template = jail._START.replace(
        "from inside", f"exec({broken!r}) if {{module!r}} == 'zygote' else 0; from inside"
    )
    monkeypatch.setattr(jail, "_START", template)
    monkeypatch.setattr(box_module, "ATTEMPTS", 1)
    with Sandbox(WHOLE, limits=LIMITS, jail=where) as box, pytest.raises(SandboxError) as caught:
        box.run("def f(): return 1", "f", [((), {})])

    assert (
        caught.value.message == "cannot set up an answer: [Errno 2] mount /nowhere: No such file or directory"
    )


@pytest.mark.usefixtures("loop")
def test_a_fork_that_fails_is_named(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If no process can be created, the message says so, and the zygote survives."""
    monkeypatch.setattr(box_module, "ATTEMPTS", 1)
    with Sandbox(limits=Limits(processes=1), jail=where) as box, pytest.raises(SandboxError) as caught:
        box.run("def f(): return 1", "f", [((), {})])

    assert caught.value.message == (
        "cannot set up an answer: [Errno 11] clone: Resource temporarily unavailable"
    )


def test_a_failed_fork_is_no_end(zygote: Zygote) -> None:
    """The report follows the message; then the zygote waits for the next order."""
    inner, outer = socket.socketpair()
    with inner, outer, open(os.devnull) as output:
        zygote.send_fork((inner.fileno(), output.fileno()), 5)
        assert zygote.kill_and_reap()[1] is None
        zygote.send_fork((inner.fileno(), output.fileno()), 5)
        fields, complaint = zygote.kill_and_reap()

    assert (len(fields), complaint) == (4, None)


def test_an_order_to_end_nothing_is_no_harm(zygote: Zygote) -> None:
    """It is ignored, and answers run as before."""
    zygote._control.send(b"K")
    running = zygote.fork(("batch", "f", "def f(): return 1", b"("))

    assert running.read() == (b"L", b"")
    assert running.finish().cpu_s > 0


@pytest.mark.parametrize("message", [b"F", b"F5", b"Fx", b"F-5", b"F1" + b"0" * 30, b"Q", b"Q5"])
def test_a_malformed_order_ends_the_zygote(zygote: Zygote, message: bytes) -> None:
    """No answer is forked for it: the zygote ends, and the next answer gets a new one."""
    zygote._control.send(message)
    with pytest.raises(SandboxError, match="the zygote"):
        while True:
            zygote.kill_and_reap()


def test_an_order_out_of_turn_ends_the_zygote(zygote: Zygote) -> None:
    """A reply would give one answer the end of another."""
    inner, outer = socket.socketpair()
    with inner, outer, open(os.devnull) as output:
        zygote.send_fork((inner.fileno(), output.fileno()), 5)
        zygote._control.send(b"X")
        with pytest.raises(SandboxError, match="the zygote"):
            zygote.kill_and_reap()
    zygote._process.wait()

    assert "a control message out of turn" in zygote._complaint()


@pytest.mark.usefixtures("loop")
def test_what_an_answer_used_is_counted(where: str) -> None:
    """User and system time, peak memory, and how it ended."""
    busy = "def f():\n    kept = bytearray(60 << 20)\n    n = 0\n    while n < 3000000: n += 1\n    return len(kept)"
    with Sandbox(limits=LIMITS, jail=where) as box:
        idle, used = box.run("def f(): return 1", "f", [((), {})]).usage, box.run(busy, "f", [((), {})]).usage
        died = box.run("import os, signal\ndef f(): os.kill(1, 9); os._exit(3)", "f", [((), {})])

    assert 0 < idle.cpu_s < used.cpu_s < 5
    assert used.peak_kb - idle.peak_kb > 50_000
    assert (died.usage.status, died.detail) == (
        3 << 8,
        "the process exited with status 3 before it had answered",
    )


def test_no_limit_is_raised(where: str, loop: str) -> None:
    """A limit of processor time of this process applies to the answer too."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (50, 50))\n"
        "import benchwright as bw\n"
        f"with bw.Sandbox(limits=bw.Limits(cpu_s=90), jail={where!r}) as box:\n"
        "    source = 'import resource\\ndef f(): return resource.getrlimit(resource.RLIMIT_CPU)'\n"
        "    result = box.run(source, 'f', [((), {})])\n"
        "    print(result.replies[0].value, bool(box.why_python()))\n"
    )

    assert python(code).stdout.strip() == f"(50, 50) {loop == 'python'}"
