"""One answer, from the fork to its end: isolate the process, run the program, send back its results.

The program controls everything after `enter`: it can change any object of this interpreter. It can
spoil only its own answer, because no expected value and no verdict is in this process.

Frames sent: P files placed · L program loaded · V value · X exception in a call · T value of a type that
cannot be sent · E program not loaded, or file not placed · D done.
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
    """Values that the zygote computes once for all forks.

    Every answer has its own pid, mount and IPC namespaces. Scope "slot" shares one user and one network
    namespace among the consecutive answers of a slot. An answer has no capability in them, cannot create
    others, cannot open a socket, and leaves nothing behind, so separate ones would isolate nothing more;
    they cost 0.3 ms (user) and 0.6 ms (network) each. Scope "answer" creates them for each answer.
    """

    def __init__(
        self, *, tmpfs_mb: int, scope: str, kernel_files: bool = False, open_files: int = 64
    ) -> None:
        self._uid, self._gid = os.getuid(), os.getgid()
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        self._most_cpu_s = (
            sys.maxsize if hard == resource.RLIM_INFINITY else hard
        )  # a hard limit cannot be raised
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
        """Isolate the child: own session, files, mounts and limits, no capabilities, a system call filter."""
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
        # Open the device again: flags and locks of a shared descriptor would outlive the answer.
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(fds[1], 1)
        os.dup2(fds[1], 2)
        os.dup2(fds[0], ANSWER_FD)  # replaces, and so closes, the zygote's control socket
        os.closerange(ANSWER_FD + 1, self._last_file)

    def _mount_proc(self) -> None:
        try:
            linux.mount(*self._proc[0])
        except OSError:
            if self._proc[0] is not _PROCESSES:
                raise
            self._proc = _kernel_files()  # Linux before 5.8: cover the rest of /proc
            linux.mount(*self._proc[0])
        for each in self._proc[1:]:
            linux.mount(*each)

    def compiled(self) -> CompiledLoop:
        """Return the loop and `enter` in machine code. Raises OSError if they cannot be used."""
        if self._own_user:
            raise OSError("each answer has a user namespace of its own")
        if self._proc[0] is _PROCESSES and linux.release() < (5, 8):
            raise OSError("Linux before 5.8 cannot mount a /proc that shows only processes")
        from .compiled import CompiledLoop  # noqa: PLC0415 (each module loaded makes every fork cost more)

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
    """Mount devices read-only: usable, but no answer can leave a signal for a later one in their times."""
    for name in linux.DEVICES:
        linux.make_read_only(f"/dev/{name}")


def serve() -> None:
    """Read the job, run it, answer its calls, and end the process."""
    try:
        serve_job()
    finally:
        flush_output()
        os._exit(0)


def serve_job() -> None:
    """Read the job, run it and answer its calls. compiled/answer.h has the same steps."""
    serve_parsed(*marshal.loads(_read_frame()))


def serve_parsed(mode: str, entry_point: str, source: Any, calls: bytes) -> None:
    """Run a job and answer its calls."""
    sys.modules.pop("solution", None)  # was made for programs that machine code runs
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
        answer(function, calls)
    flush_output()
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
        os._exit(0)  # a fork made by the answer: only the first process replies
    view = memoryview(wire.frame(kind, payload))
    while view:
        view = view[os.write(ANSWER_FD, view) :]


def flush_output() -> None:
    """Write what the program printed."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 (the answer may have replaced, closed or filled the stream)
            continue


def _load(source: str | bytes, entry_point: str) -> Callable[..., Any] | None:
    module = ModuleType("solution")
    sys.modules["solution"] = module
    try:
        code = marshal.loads(source) if type(source) is bytes else _compile(source)
    except BaseException as error:  # noqa: BLE001 (the compiler may raise anything)
        _send(b"E", claim("compile", error))
        return None
    try:
        exec(code, module.__dict__)
        function: Callable[..., Any] = module.__dict__[entry_point]
    except BaseException as error:  # noqa: BLE001 (the program may raise anything)
        _send(b"E", load_claim(error, module.__dict__, entry_point))
        return None
    _send(b"L", b"")
    return function


def load_claim(error: BaseException, names: dict[str, Any], entry_point: str) -> bytes:
    """Return the report of an exception while a program was loaded, or of an absent entry point."""
    is_absent = type(error) is KeyError and entry_point not in names
    return claim("entry" if is_absent else "load", error)


def _compile(source: str | bytes) -> CodeType:
    return compile(source, "<solution>", "exec", dont_inherit=True)


def _place(packed: bytes) -> tuple[str, bytes]:
    """Write the answer's files; return the mode and the calls of the job that contains them."""
    from .placing import place  # noqa: PLC0415 (few answers have files)

    files, links, mode, calls = marshal.loads(packed)
    try:
        place(files, links)
    except OSError as error:
        _send(b"E", claim("place", error))
        os._exit(0)
    _send(b"P", b"")
    return mode, calls


def _serve_command(spec: bytes, files: bytes) -> None:
    from .command import serve as serve_command  # noqa: PLC0415 (only commands need it)

    serve_command(spec, files, _send)


def _become_program(spec: bytes, files: bytes) -> None:
    from .command import become  # noqa: PLC0415 (only programs need it)

    become(spec, files)


def _serve_suite(spec: bytes, files: bytes) -> None:
    from .suite import serve as serve_suite  # noqa: PLC0415 (needs pytest, which one profile has)

    serve_suite(spec, files, _send)


def _serve_mera(variant: str, source: str, entry_point: str, calls: bytes) -> None:
    """Behave like MERA: an Exception gives the result None; any other exception ends the process."""
    from .mera import load, results  # noqa: PLC0415 (only these profiles need it)

    try:
        function = load(source, entry_point, variant=variant)
    except Exception as error:  # noqa: BLE001
        _send(b"E", claim("load", error))
        return
    _send(b"L", b"")
    for result in results(function, wire.read_trusted(calls)):
        _send(b"V", marshal.dumps(result, wire.FORMAT))


def answer(function: Callable[..., Any], calls: bytes) -> None:
    """Reply to the calls of a batch; without them to one request after another."""
    if calls:
        for args, kwargs in tuple(wire.read_trusted(calls)):  # a list could be found and cleared by a call
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
    except BaseException as error:  # noqa: BLE001 (the exception is the result)
        _send(b"X", claim("call", error))
        return
    try:
        payload = wire.encode(value)
        if request:
            payload += _changed_arguments(args, kwargs, request)
    except BaseException as error:  # noqa: BLE001 (hostile __str__, unsendable type, too deep)
        _send(b"T", claim("value", error))
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


def claim(stage: str, error: BaseException) -> bytes:
    """Return the report of an exception: stage, name, text, line, and kinds of one that a call raised."""
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
    """Return the names of a class and its bases, prefixed by the module unless they are built in."""
    found = []
    for each in type.__dict__["__mro__"].__get__(kind)[: wire.CLAIM_KINDS]:
        name = type.__dict__["__name__"].__get__(each)
        try:
            module = type.__dict__["__module__"].__get__(each)
        except AttributeError:  # created without a module name
            continue
        if type(module) is str:  # the program may have set any value
            found.append((name if module == "builtins" else f"{module}.{name}")[: wire.CLAIM_KIND])
    return tuple(found)


def _line_of(error: BaseException) -> int:
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<solution>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
