"""The choice of a jail, and the launcher's arguments."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError, UsageError
from benchwright.sandbox import jail
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.environments import BUILT_IN, Environment
from benchwright.sandbox.limits import Limits
from kit.needs import need_jail


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")


@pytest.fixture
def bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "bwrap"
    path.touch(mode=0o755)
    monkeypatch.setenv("PATH", f"/nowhere:{tmp_path}")
    return str(path)


def test_bubblewrap_is_taken_where_it_is(bubblewrap: str) -> None:
    """The first bwrap on the path."""
    assert ("bubblewrap", bubblewrap) == (jail.choose_jail(), jail.find_bubblewrap())


@pytest.mark.usefixtures("no_bubblewrap")
def test_the_native_jail_takes_its_place() -> None:
    """Without bubblewrap the same layers are built directly."""
    assert jail.choose_jail() == "native"


@pytest.mark.usefixtures("no_bubblewrap")
def test_bubblewrap_on_demand_must_be_there() -> None:
    """If it is requested but not installed, no other jail is used silently."""
    with pytest.raises(PrerequisiteError) as caught:
        jail.choose_jail("bubblewrap")

    assert caught.value.hint == "apt-get install bubblewrap"


def test_a_bwrap_that_cannot_run_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of that name that is not executable does not count, nor does a folder."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/bwrap").touch(mode=0o644)
    (tmp_path / "b/bwrap").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{tmp_path}/a:{tmp_path}/b")
    found = jail.find_bubblewrap()

    assert found is None


@pytest.mark.parametrize("name", ["none", "", "docker", "Bubblewrap"])
def test_an_unknown_jail_is_refused(name: str) -> None:
    """The sandbox cannot be turned off."""
    with pytest.raises(UsageError) as caught:
        jail.choose_jail(name)

    assert caught.value.hint == "one of: auto, bubblewrap, native"


def _config(limits: Limits | None = None) -> dict[str, object]:
    return jail.launcher_config("native", BUILT_IN["bare"], limits or Limits(), control=7, cgroups=["/x"])


def test_nothing_of_our_environment_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """No part of the launcher's input has keys or tokens of this process."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-to-keep")
    config = _config()
    command = jail.launcher_command(config)

    assert (
        "a-key-to-keep" in json.dumps([config, command]),
        [name for name in config["env"] if "KEY" in name],  # type: ignore[attr-defined]
    ) == (False, [])


def _modules_of(environment: str) -> set[str]:
    config = jail.launcher_config("native", BUILT_IN[environment], Limits(), control=7, cgroups=[])
    return {os.path.basename(target) for _, target in config["modules"]}


def test_the_jail_sees_the_modules_that_it_runs() -> None:
    """No other file of their folder, not the launcher, and modules for suites only if suites run."""
    own = {f"{path.stem}.pyc" for path in jail.INSIDE.glob("*.py")} - {"launcher.pyc"}
    suites = {name for name in own if name.startswith("suite")}

    assert (own - suites, own) == (_modules_of("bare"), _modules_of("pytest"))


def test_limits_reach_the_zygote() -> None:
    """The zygote's command line has the limits in its own order."""
    limits = Limits(tmp_mb=11, memory_mb=222, output_bytes=3 << 20, processes=44, namespaces="answer")
    command = _config(limits)["command"]

    expected = ["11", "222", "3", "44", "64", "answer", "processes", *BUILT_IN["bare"].preload]
    assert expected == command[7:]  # type: ignore[index]


def test_a_small_output_limit_still_gives_a_file_a_mebibyte() -> None:
    """The kernel's limit on files is in whole mebibytes; output is counted exactly, outside."""
    command = _config(Limits(output_bytes=100))["command"]

    assert command[9] == "1"  # type: ignore[index]


def test_the_user_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root becomes nobody, or the given user."""
    default = jail.unprivileged_id("BENCHWRIGHT_UID")
    monkeypatch.setenv("BENCHWRIGHT_UID", "1234")

    assert (default, jail.unprivileged_id("BENCHWRIGHT_UID")) == (65534, 1234)


def test_the_launcher_is_isolated() -> None:
    """It reads no site-packages, no user folder and no PYTHON* variable."""
    command = jail.launcher_command(_config())

    assert (command[1:4], os.path.isabs(command[0])) == (["-I", "-S", "-c"], True)


def test_the_version_is_this_interpreters() -> None:
    """Three numbers."""
    parts = jail.python_version().split(".")

    assert [part.isdigit() for part in parts] == [True] * 3


def test_a_wider_bind_takes_the_place_of_the_jails_own() -> None:
    """A mount hidden by a wider one cannot be made read-only: C programs could not be compiled in the native
    jail."""
    wide = Environment(name="wide", binds=(("/usr", "/usr"),))
    config = jail.launcher_config("native", wide, Limits(), control=7, cgroups=[])
    targets = [target for _, target in config["binds"]]

    assert (targets.count("/usr"), [path for path in targets if path.startswith("/usr/")]) == (1, [])


def test_a_wider_bind_of_another_folder_hides_nothing_that_is_needed() -> None:
    """A folder shown at the place of /usr is not /usr: the interpreter's files stay bound."""
    other = Environment(name="other", binds=(("/opt", "/usr"),))
    config = jail.launcher_config("native", other, Limits(), control=7, cgroups=[])

    assert "/usr/lib" in [target for _, target in config["binds"]]


@pytest.mark.parametrize("name", ["bubblewrap", "native"])
def test_a_jail_starts_with_a_wider_bind(name: str) -> None:
    """Its answers see the whole folder, and cannot write to it."""
    wide = Environment(name="wide", binds=(("/usr", "/usr"),))
    source = "import os\ndef f():\n    return os.path.isdir('/usr/share'), os.access('/usr/share', os.W_OK)\n"
    with Sandbox(wide, jail=need_jail(name)) as box:
        result = box.run(source, "f", [((), {})])

    assert [reply.value for reply in result.replies] == [(True, False)]
