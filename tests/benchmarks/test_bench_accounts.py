"""Finding out who spent the CPU time, and ending what a run left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.accounts import CgroupAccount, WaitAccount, end_all, hierarchies
from benchwright.sandbox.proc import process_tree

SLEEPER = [sys.executable, "-S", "-c", "import signal; print('up', flush=True); signal.pause()"]


@pytest.fixture
def sleeper():
    """A child of ours that ends only when it is killed."""
    with subprocess.Popen(SLEEPER, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_hierarchies_come_version_1_first():
    """A hybrid machine has both; the cpuacct controller is found wherever it is mounted."""
    mounts = (
        "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
        "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n"
        "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
        "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
    )

    assert [(1, Path("/sys/fs/cgroup/cpu,cpuacct")), (2, Path("/sys/fs/cgroup/unified"))] == hierarchies(
        mounts
    )


def test_no_cgroups_no_hierarchies():
    """A machine without cgroups falls back to wait4."""
    assert hierarchies("proc /proc proc rw 0 0\n") == []


def test_version_1_counts_nanoseconds(tmp_path):
    """cpuacct.usage is one number."""
    (tmp_path / "cpuacct.usage").write_text("2500000000\n")

    assert CgroupAccount(tmp_path, version=1).cpu_s() == 2.5


def test_version_2_counts_microseconds(tmp_path):
    """cpu.stat has a line for each kind of time; the total is wanted."""
    (tmp_path / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n")

    assert CgroupAccount(tmp_path, version=2).cpu_s() == 1.5


def test_a_cgroup_is_joined_before_the_command_starts(tmp_path):
    """The shell writes its own process id and then becomes the command."""
    prefix = CgroupAccount(tmp_path, version=1).prefix()
    said = subprocess.run([*prefix, "/bin/sh", "-c", "echo $$"], capture_output=True, text=True, check=True)

    assert (tmp_path / "cgroup.procs").read_text() == said.stdout


def test_members_of_groups_below_are_members(tmp_path):
    """A sandbox makes groups of its own inside the measured one; their memory is the run's."""
    (tmp_path / "below").mkdir()
    (tmp_path / "cgroup.procs").write_text("1\n2\n")
    (tmp_path / "below" / "cgroup.procs").write_text("3\n")

    assert CgroupAccount(tmp_path, version=1).pids(1) == [1, 2, 3]


def test_wait4_has_no_account_of_its_own():
    """The caller then takes what wait4 reported, and the label says so."""
    account = WaitAccount()

    assert (account.prefix(), account.cpu_s(), "wait4" in account.label) == ([], None, True)


def test_descendants_hold_the_child(sleeper):
    """The tree below this process has the child that was just started."""
    found = process_tree(os.getpid())

    assert (os.getpid(), True) == (found[0], sleeper.pid in found)


def test_a_process_that_is_gone_has_no_descendants(sleeper):
    """A process that ended is not looked for again."""
    sleeper.kill()
    sleeper.wait()

    assert process_tree(sleeper.pid) == []


def test_what_is_left_behind_is_killed_and_counted(sleeper, monkeypatch):
    """Nothing of a run outlives its measurement."""
    monkeypatch.setattr("benchmarks.accounts.GRACE_S", 0.05)

    assert end_all([sleeper.pid]) == 1


def test_what_has_ended_is_not_counted(sleeper):
    """A process that ended by itself did not have to be killed."""
    sleeper.kill()
    sleeper.wait()

    assert end_all([sleeper.pid]) == 0
