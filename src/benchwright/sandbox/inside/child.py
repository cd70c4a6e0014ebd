"""One answer, from the fork to the end: close the doors, run the program, send back what it says.

Everything after `enter` is hostile territory: the program can change any object of this interpreter.
That costs it nothing but its own answer, since no expected value and no verdict is here.

Frames out: P its files are placed · L loaded · V value · X exception in a call ·
T value of a type that cannot be sent · E program failed to load, or a file could not be placed · D done.
"""

from __future__ import annotations

import gc
import marshal
import os
import resource
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from . import linux, seccomp, wire

if TYPE_CHECKING:
    from .compiled import CompiledLoop

ANSWER_FD = 3
_TMP_FLAGS = linux.MS_NOSUID | linux.MS_NODEV
_PROC_FLAGS = _TMP_FLAGS | linux.MS_NOEXEC
_PROCESSES: linux.Mount = (b"proc", b"/proc", b"proc", _PROC_FLAGS, b"subset=pid")
_IMMUTABLE = frozenset({int, str, float, bool, type(None), bytes, complex})
_EACH = linux.CLONE_NEWPID | linux.CLONE_NEWNS | linux.CLONE_NEWIPC


class ForkPlan:
    """What the zygote computes once, so that each fork pays for nothing twice.

    Every answer has pid, mount and IPC namespaces of its own. Scope "slot" shares one user and one
    network namespace among the answers that follow each other in a slot: an answer has no capability
    in it, may not make another, may not open a socket, and nothing of it outlives it, so a second one
    would keep nothing apart; it costs 0.3 ms (user) and 0.6 ms (network) each time. Scope "answer"
    pays that.
    """

    def __init__(
        self, *, tmpfs_mb: int, scope: str, kernel_files: bool = False, open_files: int = 64
    ) -> None:
        self._uid, self._gid = os.getuid(), os.getgid()
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        self._most_cpu_s = sys.maxsize if hard == resource.RLIM_INFINITY else hard  # no limit may be raised
        size = b"size=%dm,nr_inodes=4096,mode=0700" % tmpfs_mb
        self._tmp: linux.Mount = (b"tmpfs", b"/tmp", b"tmpfs", _TMP_FLAGS, size)
        self._own_user = scope == "answer"
        self._last_file = open_files
        self._proc = _kernel_files() if kernel_files else [_PROCESSES]
        self._flags = _EACH
        if self._own_user:
            self._flags |= linux.CLONE_NEWUSER | linux.CLONE_NEWNET
            self._filter = seccomp.prepare()
            linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        else:
            linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS)
            linux.map_identity(self._uid, self._gid)
            _seal_devices()
            linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
            seccomp.install(seccomp.prepare(inherited=True))

    def clone(self) -> int:
        """Fork into new namespaces; 0 in the child."""
        return linux.clone(self._flags)

    def enter(self, fds: list[int], cpu_limit_s: int) -> None:
        """Leave the zygote: own session, files, mounts, limits; no capability, none to gain, a filter."""
        os.setsid()
        if self._own_user:
            linux.map_identity(self._uid, self._gid)
            _seal_devices()
        linux.mount(*self._tmp)
        self._mount_proc()
        os.chdir("/tmp")
        most = min(cpu_limit_s + 1, self._most_cpu_s)
        resource.setrlimit(resource.RLIMIT_CPU, (min(cpu_limit_s, most), most))
        linux.drop_capabilities()
        if self._own_user:
            seccomp.install(self._filter)
        # An own descriptor: flags and locks of one shared with the zygote would outlive the answer.
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(fds[1], 1)
        os.dup2(fds[1], 2)
        os.dup2(fds[0], ANSWER_FD)  # takes the place of the zygote's control socket, which that closes
        os.closerange(ANSWER_FD + 1, self._last_file)

    def _mount_proc(self) -> None:
        try:
            linux.mount(*self._proc[0])
        except OSError:
            if self._proc[0] is not _PROCESSES:
                raise
            self._proc = _kernel_files()  # Linux before 5.8: there the rest of /proc is covered instead
            linux.mount(*self._proc[0])
        for each in self._proc[1:]:
            linux.mount(*each)

    def compiled(self) -> CompiledLoop:
        """The loop and `enter` in machine code. Raises OSError where they cannot be used."""
        if self._own_user:
            raise OSError("each answer has a user namespace of its own")
        if self._proc[0] is _PROCESSES and linux.release() < (5, 8):
            raise OSError("Linux before 5.8 cannot mount a /proc of processes alone")
        from .compiled import CompiledLoop  # noqa: PLC0415 (a fork pays for what its zygote has loaded)

        return CompiledLoop(
            namespaces=self._flags,
            most_cpu_s=self._most_cpu_s,
            open_files=self._last_file,
            mounts=[self._tmp, *self._proc],
        )

    def serve(self) -> None:
        """Run the answer and end the process."""
        serve()


def _kernel_files() -> list[linux.Mount]:
    from .procfs import KernelFiles  # noqa: PLC0415 (most profiles need less)

    return KernelFiles().mounts()


def _seal_devices() -> None:
    """Read-only leaves a device usable, but its times cannot be set any more as a sign to a later answer."""
    for name in linux.DEVICES:
        linux.make_read_only(f"/dev/{name}")


def serve() -> None:
    """Read the job, run it, answer its calls, and end the process."""
    try:
        serve_job()
    finally:
        _flush_output()
        os._exit(0)


def serve_job() -> None:
    """Read the job, run it and answer its calls."""
    mode, entry_point, source, calls = marshal.loads(_read_frame())
    gc.enable()
    if mode == "placed":
        mode, calls = _place(calls)
    if mode == "command":
        _serve_command(source, calls)
    elif mode == "program":
        _become_program(source, calls)
    elif mode == "suite":
        _serve_suite(source, calls)
    elif mode.startswith("mera"):
        _serve_mera(mode, source, entry_point, calls)
    elif (function := _load(source, entry_point)) is not None:
        _answer(function, calls)
    _flush_output()
    _send(b"D", b"")


def _read_exactly(count: int) -> bytes:
    parts = []
    while count:
        part = os.read(ANSWER_FD, min(count, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _read_frame() -> bytes:
    return _read_exactly(int.from_bytes(_read_exactly(4), "little"))


def _send(kind: bytes, payload: bytes) -> None:
    if os.getpid() != 1:
        os._exit(0)  # a fork of the answer that came back here: only the first process answers
    view = memoryview(wire.frame(kind, payload))
    while view:
        view = view[os.write(ANSWER_FD, view) :]


def _flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 (the answer may have replaced, closed or filled the stream)
            continue


def _load(source: str | bytes, entry_point: str) -> Callable[..., Any] | None:
    module = ModuleType("solution")
    sys.modules["solution"] = module
    stage = "compile"
    try:
        code = marshal.loads(source) if type(source) is bytes else _compile(source)
        stage = "load"
        exec(code, module.__dict__)
        function: Callable[..., Any] = module.__dict__[entry_point]
    except BaseException as error:  # noqa: BLE001 (the program may raise anything)
        if stage == "load" and type(error) is KeyError and entry_point not in module.__dict__:
            stage = "entry"
        _send(b"E", _claim(stage, error))
        return None
    _send(b"L", b"")
    return function


def _compile(source: str | bytes) -> CodeType:
    return compile(source, "<solution>", "exec", dont_inherit=True)


def _place(packed: bytes) -> tuple[str, bytes]:
    """Put the answer's files where it will find them: the mode and calls that the job holds beside them."""
    from .placing import place  # noqa: PLC0415 (few answers are given files)

    files, links, mode, calls = marshal.loads(packed)
    try:
        place(files, links)
    except OSError as error:
        _send(b"E", _claim("place", error))
        os._exit(0)
    _send(b"P", b"")
    return mode, calls


def _serve_command(spec: bytes, files: bytes) -> None:
    from .command import serve as serve_command  # noqa: PLC0415 (only commands pay for it)

    serve_command(spec, files, _send)


def _become_program(spec: bytes, files: bytes) -> None:
    from .command import become  # noqa: PLC0415 (only programs pay for it)

    become(spec, files)


def _serve_suite(spec: bytes, files: bytes) -> None:
    from .suite import serve as serve_suite  # noqa: PLC0415 (needs pytest, which one profile has)

    serve_suite(spec, files, _send)


def _serve_mera(variant: str, source: str, entry_point: str, calls: bytes) -> None:
    """As MERA does: an Exception is a result of None, anything else that is raised ends the process."""
    from .mera import load, results  # noqa: PLC0415 (only these profiles pay for their quirks)

    try:
        function = load(source, entry_point, variant=variant)
    except Exception as error:  # noqa: BLE001
        _send(b"E", _claim("load", error))
        return
    _send(b"L", b"")
    for result in results(function, wire.read_trusted(calls)):
        _send(b"V", marshal.dumps(result, wire.FORMAT))


def _answer(function: Callable[..., Any], calls: bytes) -> None:
    if calls:
        for args, kwargs in wire.read_trusted(calls):
            _reply(function, args, kwargs)
        return
    while True:
        request = _read_frame()
        if not request:
            return
        args, kwargs = wire.read_trusted(request)
        _reply(function, args, kwargs, request)


def _reply(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    request: bytes = b"",
) -> None:
    try:
        value = function(*args, **kwargs)
    except BaseException as error:  # noqa: BLE001 (whatever it raised is the answer)
        _send(b"X", _claim("call", error))
        return
    try:
        payload = wire.encode(value)
        if request:
            payload += _changed_arguments(args, kwargs, request)
    except BaseException as error:  # noqa: BLE001 (hostile __str__, unsendable type, too deep)
        _send(b"T", _claim("value", error))
        return
    _send(b"V", payload)


def _changed_arguments(args: tuple[Any, ...], kwargs: dict[str, Any], request: bytes) -> bytes:
    if _IMMUTABLE.issuperset(map(type, args)) and _IMMUTABLE.issuperset(map(type, kwargs.values())):
        return b""
    try:
        after = wire.encode((args, kwargs))
    except (wire.Unsendable, ValueError):
        return b""
    return b"" if after == request else after


def _claim(stage: str, error: BaseException) -> bytes:
    try:
        text = str.__getitem__(str(error), slice(0, wire.CLAIM_TEXT))
    except BaseException:  # noqa: BLE001 (a hostile __str__)
        text = ""
    name = type.__dict__["__name__"].__get__(type(error))
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else _line_of(error)
    kinds = _kinds(type(error)) if stage == "call" else ()
    return marshal.dumps(
        (stage, name[: wire.CLAIM_NAME], text, line if type(line) is int else 0, *kinds), wire.FORMAT
    )


def _kinds(kind: type) -> tuple[str, ...]:
    """The names of a class and its bases: a built-in's own, any other's with its module in front."""
    found = []
    for each in type.__dict__["__mro__"].__get__(kind)[: wire.CLAIM_KINDS]:
        name = type.__dict__["__name__"].__get__(each)
        try:
            module = type.__dict__["__module__"].__get__(each)
        except AttributeError:  # made where no module is named
            continue
        if type(module) is str:  # or bound it to anything
            found.append((name if module == "builtins" else f"{module}.{name}")[: wire.CLAIM_KIND])
    return tuple(found)


def _line_of(error: BaseException) -> int:
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<solution>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
