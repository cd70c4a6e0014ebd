"""The launcher's requests to bubblewrap and to the kernel."""

from __future__ import annotations

import builtins
import io
import os
import subprocess
import sys
import tempfile
from importlib.machinery import SourcelessFileLoader
from pathlib import Path
from typing import Any

import pytest

from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import launcher, linux
from benchwright.sandbox.jail import JAILS
from benchwright.sandbox.limits import Limits
from kit.examples import SCALE
from kit.needs import need_jail, need_root, need_that
from kit.processes import HANG_S, python

CONFIG: dict[str, Any] = {
    "bwrap": "/usr/bin/bwrap",
    "binds": [["/usr/lib", "/usr/lib"]],
    "masks": ["/usr/lib/python3/dist-packages"],
    "scratch": False,
    "links": [["usr/lib", "/lib"], ["/tmp", "/dev/shm"]],
    "env": {"TZ": "UTC"},
    "command": ["/usr/bin/python3", "-c", "pass"],
}
FILES = [(9, "/bw/inside/child.pyc")]


def test_bubblewrap_gets_every_layer() -> None:
    """All namespaces, an empty environment, no terminal."""
    line = launcher.bubblewrap_arguments(CONFIG, FILES)
    wanted = {
        "--unshare-user",
        "--unshare-all",
        "--new-session",
        "--clearenv",
        "--as-pid-1",
    }

    assert set() == wanted - set(line)


def test_bubblewrap_outlives_the_worker() -> None:
    """If it is killed while it starts, its inner process must not wait for ever."""
    line = launcher.bubblewrap_arguments(CONFIG, FILES)

    assert "--die-with-parent" not in line


@pytest.mark.parametrize("jail", JAILS)
def test_a_killed_start_leaves_nothing(jail: str) -> None:
    """A process that starts a sandbox may be killed at any moment of the start: all processes end."""
    need_jail(jail)
    kills = "15" if SCALE > 1 else "6"
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killed_starts.py")), jail, kills],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_bubblewrap_may_nest() -> None:
    """Answers create namespaces inside it, so it must not forbid that."""
    line = launcher.bubblewrap_arguments(CONFIG, FILES)

    assert "--disable-userns" not in line


def test_binds_are_read_only_and_the_root_last() -> None:
    """Every bind except the devices is read-only, and so is the root in the end."""
    line = launcher.bubblewrap_arguments(CONFIG, FILES)
    writable = [line[at + 1] for at, word in enumerate(line) if word in ("--bind", "--dev-bind")]
    root = [at for at, word in enumerate(line) if word == "--remount-ro" and line[at + 1] == "/"]

    assert ([f"/dev/{name}" for name in linux.DEVICES], True) == (
        writable,
        root == [line.index("--chdir") - 2],
    )


def test_modules_are_copied_and_not_mounted() -> None:
    """Every answer would get a copy of a mount, but not of a file in the jail's root."""
    line = launcher.bubblewrap_arguments(CONFIG, FILES)
    at = line.index("--file")

    assert line[at - 2 : at + 3] == ["--perms", "0444", "--file", "9", "/bw/inside/child.pyc"]


def test_bytecode_is_that_of_the_source_as_it_is_now(tmp_path: Path) -> None:
    """A cache that is older than the source is not used."""
    source, copied = tmp_path / "module.py", tmp_path / "copied.pyc"
    values = []
    for number in (1, 222):
        source.write_text(f"VALUE = {number}\n")
        copied.write_bytes(launcher._bytecode(str(source)))
        loader = SourcelessFileLoader("copied", str(copied))
        space: dict[str, Any] = {}
        exec(loader.get_code("copied"), space)  # type: ignore[arg-type]  # our own two lines
        values.append(space["VALUE"])

    assert values == [1, 222]


def test_a_memory_file_is_read_from_its_start_by_who_inherits_it() -> None:
    """bubblewrap gets the number of an open descriptor."""
    handle = launcher._memory_file(b"abc")
    inherited = os.get_inheritable(handle)
    with os.fdopen(handle, "rb") as file:
        content = file.read()

    assert (inherited, content) == (True, b"abc")


def test_the_command_comes_last() -> None:
    """The command follows the two dashes, so no path in a configuration can become an option."""
    line = launcher.bubblewrap_arguments(CONFIG, FILES)

    assert CONFIG["command"] == line[line.index("--") + 1 :]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        (b"/mnt/a", "/mnt/a"),
        (rb"/mnt/a\040b", "/mnt/a b"),
        (rb"/mnt/a\011b\012c\134d", "/mnt/a\tb\nc\\d"),
        ("/mnt/папка".encode(), "/mnt/папка"),
    ],
)
def test_mount_points_are_unescaped(written: bytes, path: str) -> None:
    """The kernel writes blanks and backslashes of a path as octal numbers."""
    assert path == launcher._unescaped(written)


def test_mounts_below_a_place_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place itself and mounts below it; not a neighbour with the same prefix."""
    points = [b"/", b"/r/usr/lib", b"/r/usr/lib/jvm", b"/r/usr/lib64", b"/r/usr/lib/a\\040b", b"/other"]
    lines = b"".join(b"1 2 0:3 / %s rw - tmpfs none rw\n" % point for point in points)
    monkeypatch.setattr(builtins, "open", lambda path, mode: io.BytesIO(lines))
    found = launcher._mounts_below(["/r/usr/lib"])

    assert found == ["/r/usr/lib", "/r/usr/lib/a b", "/r/usr/lib/jvm"]


def test_the_stage_is_no_folder_in_use() -> None:
    """The jail must show the content of folders in use."""
    free = launcher._free_stage([["/mnt/data", "/mnt/data"]])

    assert free != "/mnt"


def test_no_free_folder_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no folder is free the launcher's error lists those that it tried."""
    monkeypatch.setattr(launcher, "STAGES", ("/nowhere-a", "/nowhere-b"))
    with pytest.raises(SystemExit) as caught:
        launcher._free_stage([])

    assert caught.value.code == "no folder is free to build the jail on: tried /nowhere-a, /nowhere-b"


BELOW = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 1 << 14 | 1 << 18, None):
    sys.exit(77)
os.mkdir({lib!r} + "/below")
if libc.mount(b"none", ({lib!r} + "/below").encode(), b"tmpfs", 0, b"mode=0777"):
    sys.exit(77)
from benchwright.sandbox import environments
from benchwright.sandbox.box import Sandbox
bare = environments.BUILT_IN["bare"]
binds = (*environments.interpreter_binds(), ({lib!r}, {lib!r}))
environments.interpreter_binds = lambda: binds
with Sandbox(jail={jail!r}) as box:
    result = box.run("def f(path): open(path, 'w').close()", "f", [(({lib!r} + "/below/file",), {{}})])
print(result.detail)
"""


@pytest.mark.parametrize("jail", ["bubblewrap", "native"])
def test_a_mount_below_a_bound_folder_is_read_only_too(jail: str) -> None:
    """A bind includes the mounts below it, each with its own flags: all must become read-only."""
    need_root()
    need_jail(jail)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        code = BELOW.format(lib=folder, jail=jail)
        done = python(code)
    need_that(done.returncode != 77, "no small file system can be made here")

    assert (done.stderr, "Read-only file system" in done.stdout) == ("", True)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("jail", ["bubblewrap", "native"])
def test_devices_are_usable_and_sealed(jail: str) -> None:
    """Null, zero, full and random work, and cannot be changed."""
    need_jail(jail)
    program = """
import os
import subprocess
import sys
def f():
    said = [open("/dev/zero", "rb").read(3), len(os.urandom(4)), open("/dev/null", "wb").write(b"x")]
    try:
        os.utime("/dev/null")
    except OSError as error:
        said.append(error.strerror)
    return [*said, sorted(os.listdir("/dev"))]
"""
    with Sandbox(jail=jail, limits=Limits(cpu_s=1)) as box:
        result = box.run(program, "f", [((), {})])
    names = sorted([*linux.DEVICES, "fd", "shm"])

    assert [bytes(3), 4, 1, "Read-only file system", names] == result.replies[0].value
