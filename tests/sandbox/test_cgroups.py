"""Control groups: found where the kernel mounts them, created with limits, removed completely."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PosixPath
from typing import Any

import pytest

from benchwright.errors import SandboxError
from benchwright.sandbox import cgroups
from kit.needs import skip

V1_FILES = {
    "memory": {
        "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        "memory.limit_in_bytes": "",
    },
    "pids": {"pids.max": ""},
    "cpuacct": {"cpuacct.usage": "1500000000\n"},
}
V2_FILES = {
    "cgroup.controllers": "cpu memory pids\n",
    "cpu.stat": "usage_usec 2500000\nuser_usec 2000000\n",
    "memory.events": "low 0\nhigh 0\nmax 9\noom 3\noom_kill 3\noom_group_kill 0\n",
    "memory.max": "max",
    "pids.max": "max",
}


class FakePath(PosixPath):
    """A path below a folder that stands for the machine's root; new folders get a group's files."""

    root_folder = Path("/")

    def mkdir(self, *args: Any, **options: Any) -> None:
        super().mkdir(*args, **options)
        parts = str(self.relative_to(FakePath.root_folder)).split("/")
        files = V1_FILES.get(parts[3], V2_FILES)
        for name, text in files.items():
            (self / name).write_text(text)

    def rmdir(self) -> None:
        for path in [path for path in self.iterdir() if path.is_file()]:
            path.unlink()
        super().rmdir()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Return a function that sets the machine's /proc/self/cgroup and /proc/self/mounts."""

    def at(name: str) -> FakePath:
        return FakePath(tmp_path / str(name).removeprefix(str(tmp_path)).lstrip("/"))

    def build(membership: str, mounts: str) -> Path:
        monkeypatch.setattr(FakePath, "root_folder", tmp_path)
        monkeypatch.setattr(cgroups, "Path", at)
        own = tmp_path / "proc/self"
        own.mkdir(parents=True)
        (own / "cgroup").write_text(membership)
        (own / "mounts").write_text(mounts)
        return tmp_path / "sys/fs/cgroup"

    return build


V1 = (
    "4:memory:/runner/box\n3:cpuset:/\n2:cpuacct,cpu:/\n1:pids:/runner\n0::/\n",
    "proc /proc proc rw 0 0\n"
    "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
    "cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\n"
    "cgroup /sys/fs/cgroup/cpuacct cgroup rw,cpuacct,cpu 0 0\n",
)


def _v1(machine: Callable[[str, str], Path]) -> Path:
    root = machine(*V1)
    for folder in ("memory/runner/box", "pids/runner", "cpuacct"):
        (root / folder).mkdir(parents=True)
    return root


def test_v1_groups_lie_below_our_own(machine: Callable[[str, str], Path]) -> None:
    """Each controller has a separate tree, and the new group is a child of this process's group."""
    root = _v1(machine)
    group = cgroups.open_group(7, memory_mb=64, processes=8)
    assert group is not None
    name = f"benchwright-{os.getpid()}-7"
    expected = [root / "memory/runner/box" / name, root / "pids/runner" / name, root / "cpuacct" / name]
    folders = [Path(folder) for folder in group.folders.values()]
    group.close()

    assert expected == folders


def test_v1_limits_and_counters(machine: Callable[[str, str], Path]) -> None:
    """Limits include room for the zygote; counters are read in their own units."""
    _v1(machine)
    group = cgroups.open_group(1, memory_mb=64, processes=8)
    assert group is not None
    limits = [
        (group.folders["memory"] / "memory.limit_in_bytes").read_text(),
        (group.folders["pids"] / "pids.max").read_text(),
    ]
    counters = group.cpu_s(), group.memory_kills()
    group.close()

    assert ([str((64 + 96) << 20), "16"], (1.5, 2)) == (limits, counters)


def test_a_closed_group_is_gone(machine: Callable[[str, str], Path]) -> None:
    """Closing removes every folder."""
    _v1(machine)
    group = cgroups.open_group(1, memory_mb=64, processes=8)
    assert group is not None
    group.close()

    assert [folder.exists() for folder in group.folders.values()] == [False] * 3


def test_v1_without_a_controller_gives_up_cleanly(machine: Callable[[str, str], Path]) -> None:
    """Without one of the three controllers there is no group, and no incomplete one is left."""
    root = _v1(machine)
    (root / "cpuacct").rmdir()
    group = cgroups.open_group(1, memory_mb=64, processes=8)
    made = list(root.rglob("benchwright-*"))

    assert (group, made) == (None, [])


def test_v2_moves_itself_aside_to_delegate(machine: Callable[[str, str], Path]) -> None:
    """A v2 group with members may not delegate controllers, so this process moves into a leaf first."""
    root = machine("0::/user/run.scope\n", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
    own = root / "user/run.scope"
    own.mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory pids\n")
    (own / "cgroup.subtree_control").write_text("\n")
    group = cgroups.open_group(3, memory_mb=100, processes=10)
    assert group is not None
    seen = (
        (own / "benchwright-runner/cgroup.procs").read_text(),
        (own / "cgroup.subtree_control").read_text(),
        group.join_files(),
        group.cpu_s(),
        group.memory_kills(),
    )
    joins = [str(own / f"benchwright-{os.getpid()}-3/cgroup.procs")]
    group.close()

    assert (str(os.getpid()), "+memory +pids", joins, 2.5, 3) == seen


def test_v2_without_memory_is_no_group(
    machine: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A v2 tree with other controllers only (v1 has memory) gives no group."""
    monkeypatch.setitem(V2_FILES, "cgroup.controllers", "hugetlb\n")
    root = machine("0::/\n", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
    root.mkdir(parents=True)
    (root / "cgroup.controllers").write_text("hugetlb\n")
    (root / "cgroup.subtree_control").write_text("memory pids\n")
    group = cgroups.open_group(3, memory_mb=100, processes=10)

    assert (group, list(root.glob("benchwright-*"))) == (None, [])


def test_no_cgroups_at_all(machine: Callable[[str, str], Path]) -> None:
    """Without any mount there is no group and no error."""
    machine("0::/\n", "proc /proc proc rw 0 0\n")
    group = cgroups.open_group(1, memory_mb=64, processes=8)

    assert group is None


def test_groups_of_dead_owners_are_swept(machine: Callable[[str, str], Path]) -> None:
    """Groups of a killed runner are removed; those of a living one stay."""
    root = _v1(machine)
    dead, living = root / "cpuacct/benchwright-999999999-0", root / f"cpuacct/benchwright-{os.getppid()}-0"
    for folder in (dead, living):
        folder.mkdir()
    group = cgroups.open_group(1, memory_mb=64, processes=8)
    assert group is not None
    group.close()

    assert (dead.exists(), living.exists()) == (False, True)


def test_groups_of_dead_owners_beside_our_own_are_swept(
    machine: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed CI job had another parent group: the next job's group is next to it."""
    monkeypatch.setattr(cgroups, "_SETTLED_S", -1.0)
    cgroups._sweep_beside.cache_clear()
    own = _v1(machine) / "cpuacct"
    dead = own.parent / "job-1" / "benchwright-999999999-0"
    living = own.parent / "job-1" / f"benchwright-{os.getppid()}-0"
    for folder in (dead, living):
        folder.mkdir(parents=True)
    cgroups._sweep_beside(own)

    assert (dead.exists(), living.exists()) == (False, True)


def test_a_new_group_beside_our_own_is_left(machine: Callable[[str, str], Path]) -> None:
    """Its owner may be in another namespace, and about to add its first process."""
    cgroups._sweep_beside.cache_clear()
    own = _v1(machine) / "cpuacct"
    new = own.parent / "job-1" / "benchwright-999999999-0"
    new.mkdir(parents=True)
    cgroups._sweep_beside(own)

    assert new.exists()


@pytest.fixture
def real() -> Iterator[cgroups.ControlGroup]:
    group = cgroups.open_group(4242, memory_mb=32, processes=8)
    if group is None:
        skip("this needs control groups")
    yield group
    if any(folder.exists() for folder in group.folders.values()):
        group.close()


def _join_and(group: cgroups.ControlGroup, code: str) -> subprocess.CompletedProcess[bytes]:
    join = f"import os\nfor path in {group.join_files()!r}:\n    open(path, 'w').write(str(os.getpid()))\n"
    return subprocess.run([sys.executable, "-I", "-S", "-c", join + code], check=False, capture_output=True)


def test_the_kernel_counts_processor_time(real: cgroups.ControlGroup) -> None:
    """Time of a member counts, also after it has ended."""
    before = real.cpu_s()
    _join_and(real, "import time\nend = time.process_time() + 0.1\nwhile time.process_time() < end: pass")
    used = real.cpu_s() - before

    assert 0.1 <= used < 5


def test_the_kernel_kills_for_memory(real: cgroups.ControlGroup) -> None:
    """A member over the limit is killed, and the kill is counted."""
    done = _join_and(real, "kept = b'x' * (200 << 20)")

    assert (done.returncode, real.memory_kills()) == (-9, 1)


def test_a_group_with_members_is_not_removed(
    real: cgroups.ControlGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the group; after its member has ended the group can be removed."""
    monkeypatch.setattr(cgroups, "_remove", lambda folder, patience_s: _REMOVE(folder, patience_s=0.05))
    join = f"for path in {real.join_files()!r}: open(path, 'w').write('0')"
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", f"{join}\nprint('in', flush=True)\ninput()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as member:
        assert member.stdout is not None
        member.stdout.readline()
        with pytest.raises(SandboxError, match="cannot remove the control group"):
            real.close()
        member.communicate(b"\n")
    for folder in dict.fromkeys(real.folders.values()):
        _REMOVE(folder, patience_s=2.0)

    assert [folder.exists() for folder in real.folders.values()] == [False] * 3


_REMOVE = cgroups._remove
