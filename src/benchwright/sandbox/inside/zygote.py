"""The warm interpreter: starts once inside the jail and forks one child per answer.

It runs no answer itself and parses nothing that an answer wrote. Control messages, each a datagram:
in   F<cpu limit>  with two descriptors (the answer's socket, its output file): fork
in   K                                                                       kill and reap
out  R<pid>        ready, once      ·  S<status> <user s> <system s> <peak KiB>   reaped
out  !<text>                                                     could not fork or set up

The cost of a fork is mostly the pages that its child writes to (3 µs each). So the modules that a child
runs are imported last, into pages of their own, and only needed modules are imported.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
from _socket import (  # not `socket`, which imports selectors, enum and array
    CMSG_SPACE,
    SCM_RIGHTS,
    SOL_SOCKET,
)
from _socket import socket as Socket
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

from . import linux
from .pools import fillers

if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .child import ForkPlan
    from .compiled import CompiledLoop

CONTROL_FD = 3
_WHY = 200  # bytes
_FD_SPACE = CMSG_SPACE(8)


def main(arguments: list[str]) -> None:
    """`zygote <tmpfs MiB> <memory MiB> <file MiB> <processes> <files> <slot|answer> <processes|kernel>
    [module …]`."""
    tmpfs_mb, memory_mb, file_mb, processes, open_files = map(int, arguments[:5])
    scope, proc_view, *modules = arguments[5:]
    linux.die_with_parent()
    _preload(modules)
    from .child import ForkPlan, serve_job  # noqa: PLC0415 (after the preloaded modules, see above)
    from .rehearsal import rehearse  # noqa: PLC0415

    _limit(memory_mb=memory_mb, file_mb=file_mb, processes=processes, open_files=open_files)
    prepared = ForkPlan(
        tmpfs_mb=tmpfs_mb, scope=scope, kernel_files=proc_view == "kernel", open_files=open_files
    )
    control = Socket(fileno=CONTROL_FD)
    loop, why = _compiled(prepared)
    if modules:
        rehearse(serve_job if loop is None else loop.serve_job)
    else:  # a profile that runs other programs: it has no program in Python to rehearse
        import_module("inside.command")
    if loop is not None:
        loop.make_module()
    gaps = _settle()  # kept while answers are forked
    if loop is not None:
        loop.gather_memory()
    control.send(b"R%d %s" % (os.getpid(), why.encode()[:_WHY]))
    if loop is None:
        while _one_answer(control, prepared):
            continue
    else:
        while _some_answers(control, prepared, loop):
            continue
    del gaps


def _compiled(prepared: ForkPlan) -> tuple[CompiledLoop | None, str]:
    """Return the compiled loop, or None and the reason; the loop in Python then does the same. With it, the
    interpreter's code moves into large pages."""
    if not os.path.exists(linux.ZYGOTE_OBJECT):
        return None, ""
    try:
        loop = prepared.compiled()
    except OSError as error:  # such as a jail on a file system whose files cannot be executed
        return None, str(error)
    if linux.LARGE_PAGES:
        from .text_pages import enlarge_text  # noqa: PLC0415 (each module loaded makes every fork cost more)

        enlarge_text()
    return loop, ""


def _limit(*, memory_mb: int, file_mb: int, processes: int, open_files: int) -> None:
    """Set the limits that every child inherits; each child sets only its processor limit."""
    if memory_mb:
        _limit_resource(resource.RLIMIT_AS, memory_mb << 20)
    for limit, value in (
        (resource.RLIMIT_FSIZE, file_mb << 20),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_CORE, 1),  # 1 also prevents the program that core_pattern may name
        (resource.RLIMIT_MEMLOCK, 1 << 16),
        (resource.RLIMIT_MSGQUEUE, 1 << 16),
        (resource.RLIMIT_SIGPENDING, 1 << 10),  # includes timers, which count for the user outside too
    ):
        _limit_resource(limit, value)


def _limit_resource(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (bounded, bounded))


def _preload(modules: list[str]) -> None:
    """Import the modules and refuse threads: a fork copies one thread and the locks of all.

    A failure ends the process at once: an orderly exit would wait for the threads.
    """
    try:
        for module in modules:
            import_module(module)
        threads = len(os.listdir("/proc/self/task"))
        if threads != 1:
            raise RuntimeError(f"{threads} threads before the first fork: a preloaded module started some")
    except BaseException:  # noqa: BLE001 (a module may raise anything)
        sys.excepthook(*sys.exc_info())
        os._exit(1)


def _settle() -> list[Any]:
    """Exclude all existing objects from garbage collection: a child then does not write to their pages.

    Return objects that fill the gaps between them.
    """
    sys.argv = ["solution"]
    os.environ.pop("LD_BIND_NOW", None)  # meant only for this process
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # output survives a kill
    if (shift := os.environ.pop("CLOCK_SHIFT", "")) != "":
        from .suite_clock import shift as shift_clock  # noqa: PLC0415 (few profiles shift the clock)

        shift_clock(int(shift))
    random = sys.modules.get("random")
    if random is not None:
        # An answer draws the same random numbers every time. A test suite that is executed under several hash
        # seeds draws others under each; otherwise a suite that depends on chance would look stable.
        random.seed(int(os.environ.get("PYTHONHASHSEED", "0")))
    gc.collect()
    gaps = fillers()
    gc.disable()
    gc.freeze()
    return gaps


def _one_answer(control: Socket, prepared: ForkPlan) -> bool:
    message, ancillary, _, _ = control.recvmsg(64, _FD_SPACE)
    if not message:
        return False
    if message[:1] == b"K":
        return True  # no child is running
    fds = _descriptors(ancillary)
    try:
        pid = prepared.clone()
    except OSError as error:
        control.send(b"!" + str(error).encode())
        pid = -1
    if pid == 0:
        _become_child(control, prepared, fds, int(message[1:]))
    for fd in fds:
        os.close(fd)
    return _reap(control, pid)


def _some_answers(control: Socket, prepared: ForkPlan, loop: CompiledLoop) -> bool:
    """Serve answers until a fork fails; returns only in the zygote."""
    try:
        complaint = loop.fork_answers()
    except OSError as error:
        _give_up(control, error)
    if not complaint:
        prepared.serve()
    control.send(b"!" + complaint.encode())
    return _reap(control, -1)


def _descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    """Return the two descriptors of a message; SCM_RIGHTS holds them as native 32-bit integers."""
    level, kind, data = ancillary[0]
    if (level, kind, len(data)) != (SOL_SOCKET, SCM_RIGHTS, 8):
        sys.exit("a control message without its two descriptors")
    return [int.from_bytes(data[:4], sys.byteorder), int.from_bytes(data[4:], sys.byteorder)]


def _become_child(control: Socket, prepared: ForkPlan, fds: list[int], cpu_limit_s: int) -> None:
    try:
        prepared.enter(fds, cpu_limit_s)
    except BaseException as error:  # noqa: BLE001 (any failure)
        _give_up(control, error)
    prepared.serve()


def _give_up(control: Socket, error: BaseException) -> NoReturn:
    """Report that the set-up failed, which is an error of the sandbox, and end the process."""
    control.send(b"!" + str(error).encode()[:400])
    os._exit(1)


def _reap(control: Socket, pid: int) -> bool:
    message = control.recv(64)
    if pid < 0:
        control.send(b"S-1 0 0 0")
        return bool(message)
    os.kill(pid, linux.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    if message not in (b"", b"K"):
        sys.exit("a control message out of turn")  # replying would give one answer the end of another
    if message:
        control.send(b"S%d %f %f %d" % (status, used.ru_utime, used.ru_stime, used.ru_maxrss))
    return bool(message)
