"""Enters the jail: joins the control groups, drops root, builds the jail, becomes the zygote.

Runs as a separate process (python -I -S), so that no memory or environment of the trusted side is
inherited. There are two jails with the same content: bubblewrap if it is installed, otherwise the same
layers set up here. Root stages the read-only binds before it drops to an unprivileged user, because the
interpreter may be in a folder that only root can enter. It must drop before bubblewrap runs, because
bubblewrap started by root covers parts of /proc, and then no nested /proc can be mounted.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

from . import linux

TYPE_CHECKING = False  # type checkers treat it like typing's, whose import is slow
if TYPE_CHECKING:
    from typing import Any, NoReturn

STAGES = ("/mnt", "/media", "/srv", "/opt", "/run")
NEW = (
    linux.CLONE_NEWUSER
    | linux.CLONE_NEWNS
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNET
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUTS
    | linux.CLONE_NEWCGROUP
)


def main(config_text: str) -> NoReturn:
    """Config: jail, bwrap, binds, masks, links, modules, object, command, env, uid, gid, cgroups, control,
    scratch."""
    config: dict[str, Any] = marshal.loads(bytes.fromhex(config_text))
    linux.die_with_parent()
    for path in config["cgroups"]:
        with open(path, "w") as handle:
            handle.write(str(os.getpid()))
    os.dup2(config["control"], 3)
    contents = {target: _bytecode(source) for source, target in config["modules"]}
    if config["object"]:
        contents[linux.ZYGOTE_OBJECT] = _content(config["object"])
    if os.getuid() == 0:
        config["binds"] = _stage(config["binds"])
        _drop_root(config["uid"], config["gid"])
    if config["jail"] == "bubblewrap":
        files = [(_memory_file(code), target) for target, code in contents.items()]
        linux.outlive_parent()  # the zygote ends when the control socket closes (bubblewrap_arguments)
        os.execv(config["bwrap"], bubblewrap_arguments(config, files))
    _native(config, contents)


def _content(path: str) -> bytes:
    with open(path, "rb") as handle:
        return handle.read()


def _bytecode(path: str) -> bytes:
    """Return a module as the content of a .pyc file, from its cache if that is current.

    It is copied and not bound: each mount costs every answer 9 µs, since each copies the whole mount table.
    A source would be compiled by every zygote, which cannot write a cache.
    """
    code = SourceFileLoader(os.path.basename(path), path).get_code(os.path.basename(path))
    return MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


def _memory_file(content: bytes) -> int:
    """Return a descriptor that bubblewrap inherits and reads."""
    handle = os.memfd_create("module", 0)
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def bubblewrap_arguments(config: dict[str, Any], files: list[tuple[int, str]]) -> list[str]:
    """Return the command line of bubblewrap; `files` are copied into the jail from these descriptors.

    Do not add --disable-userns: answers create namespaces. Do not add --die-with-parent: bubblewrap's inner
    process waits on an eventfd, which has no end of file, until the outer one has mapped the users. If the
    outer one is killed before that, the inner one stays for ever (95 of 1,500 kills in the first 8 ms). So
    the outer one outlives the worker, and ends when the zygote ends.
    """
    line = [config["bwrap"], "--unshare-user", "--unshare-all", "--new-session"]
    line += ["--as-pid-1", "--clearenv", "--proc", "/proc", "--dir", "/dev"]
    line += ["--tmpfs" if config["scratch"] else "--dir", "/tmp"]
    for name in linux.DEVICES:
        line += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for target, link in config["links"]:
        line += ["--symlink", target, link]
    for source, target in config["binds"]:
        line += ["--ro-bind", source, target]
    for handle, target in files:
        line += ["--perms", "0444", "--file", str(handle), target]
    for folder in config["masks"]:
        line += ["--tmpfs", folder, "--remount-ro", folder]
    for name, value in config["env"].items():
        line += ["--setenv", name, value]
    return [*line, "--remount-ro", "/", "--chdir", "/tmp", "--", *config["command"]]


def _free_stage(binds: list[list[str]]) -> str:
    for folder in STAGES:
        inside = any(source == folder or source.startswith(folder + "/") for source, _ in binds)
        if os.path.isdir(folder) and not os.path.islink(folder) and not inside:
            return folder
    sys.exit(f"no folder is free to build the jail on: tried {', '.join(STAGES)}")


def _stage(binds: list[list[str]]) -> list[list[str]]:
    linux.unshare(linux.CLONE_NEWNS)
    linux.mount(b"none", b"/", None, linux.MS_REC | linux.MS_PRIVATE)
    stage = _free_stage(binds)
    linux.mount(b"tmpfs", stage.encode(), b"tmpfs", linux.MS_NOSUID | linux.MS_NODEV, b"mode=0755")
    staged = []
    for number, (source, target) in enumerate(binds):
        place = f"{stage}/{number}"
        _bind(source, place)
        staged.append([place, target])
    return staged


def _bind(source: str, place: str) -> None:
    if os.path.isdir(source):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o644))
    linux.mount(source.encode(), place.encode(), None, linux.MS_BIND | linux.MS_REC)


def _drop_root(uid: int, gid: int) -> None:
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # else root owns /proc/self and no user map can be written
    linux.die_with_parent()  # cleared by the change of user


def _native(config: dict[str, Any], contents: dict[str, bytes]) -> NoReturn:
    uid, gid = os.getuid(), os.getgid()
    linux.unshare(NEW)
    linux.map_identity(uid, gid)
    linux.mount(b"none", b"/", None, linux.MS_REC | linux.MS_PRIVATE)
    root = _free_stage(config["binds"])
    _build_root(root, config)
    for target, content in contents.items():
        _write_file(root + target, content)
    pid = os.fork()
    if pid:
        linux.ignore(linux.SIGINT)
        _wait(pid)
    linux.die_with_parent()
    os.setsid()
    linux.mount(b"proc", f"{root}/proc".encode(), b"proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)
    _enter_root(root)
    linux.drop_capabilities()
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    os.execve(config["command"][0], config["command"], config["env"])


def _write_file(place: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "xb") as file:
        file.write(content)


def _wait(pid: int) -> NoReturn:
    os.close(3)
    _, status = os.waitpid(pid, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _build_root(root: str, config: dict[str, Any]) -> None:
    linux.mount(b"tmpfs", root.encode(), b"tmpfs", linux.MS_NOSUID | linux.MS_NODEV, b"mode=0755")
    for folder in ("/proc", "/tmp", "/dev", "/.old"):
        os.mkdir(root + folder)
    if config["scratch"]:
        linux.mount(
            b"tmpfs", f"{root}/tmp".encode(), b"tmpfs", linux.MS_NOSUID | linux.MS_NODEV, b"mode=0755"
        )
    for name in linux.DEVICES:
        _bind(f"/dev/{name}", f"{root}/dev/{name}")
    for target, link in config["links"]:
        os.makedirs(os.path.dirname(root + link), exist_ok=True)
        os.symlink(target, root + link)
    for source, target in config["binds"]:
        _bind(source, root + target)
    for place in _mounts_below([root + target for _, target in config["binds"]]):
        linux.make_read_only(place, linux.MS_NOSUID | linux.MS_NODEV)
    for folder in config["masks"]:
        linux.mount(b"tmpfs", (root + folder).encode(), b"tmpfs", linux.MS_RDONLY | linux.MS_NOSUID)


def _mounts_below(places: list[str]) -> list[str]:
    """Return all mounts at or below the places: a bind includes the mounts below it, with their own flags."""
    with open("/proc/self/mountinfo", "rb") as handle:
        points = sorted({_unescaped(line.split()[4]) for line in handle})
    return [point for point in points if any(f"{point}/".startswith(f"{place}/") for place in places)]


def _unescaped(point: bytes) -> str:
    """Decode the four characters of a path that proc(5) writes as octal numbers."""
    for written, char in ((rb"\040", b" "), (rb"\011", b"\t"), (rb"\012", b"\n"), (rb"\134", b"\\")):
        point = point.replace(written, char)
    return os.fsdecode(point)


def _enter_root(root: str) -> None:
    linux.pivot_root(root.encode(), f"{root}/.old".encode())
    os.chdir("/")
    linux.unmount(b"/.old")
    os.rmdir("/.old")
    flags = linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV
    linux.mount(b"none", b"/", None, flags)
    os.chdir("/tmp")
