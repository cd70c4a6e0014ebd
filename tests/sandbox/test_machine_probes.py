"""The build of the interpreter, and faster ones on this machine: measured, not assumed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchwright.sandbox import machine_probes
from benchwright.sandbox.machine_probes import fastest, other_interpreters, probe_build

OWN = Path(os.path.realpath(sys.executable))


def script(path: Path, body: str) -> Path:
    """Write an executable file in place of an interpreter."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("arguments", "place", "holds"),
    [
        ("'--prefix=/opt' '--enable-optimizations'", "/opt/bin/python3", True),
        ("'--enable-shared'", "/usr/bin/python3.11", True),
        ("'--enable-shared'", "/opt/bin/python3", False),
        (None, "/opt/bin/python3", False),
    ],
)
def test_how_it_was_built(
    arguments: str | None, place: str, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration decides; a distribution's own interpreter counts as optimized."""
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: arguments)
    monkeypatch.setattr(machine_probes, "interpreter", lambda: Path(place))
    monkeypatch.setattr(machine_probes, "other_interpreters", lambda own: iter(()))
    probe = probe_build()

    assert (probe.holds, probe.needed and not holds, place in probe.seen) == (holds, False, True)
    assert ("--enable-optimizations" in probe.hint) == (not holds)


def test_a_faster_one_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With its share of the time, and the command to use it."""
    slow = script(tmp_path / "own" / "python3", "echo 1.0")
    quick = script(tmp_path / "bin" / "python3.12", "echo 0.8")
    script(tmp_path / "bin" / "python3.11", "echo 0.9")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: "")
    monkeypatch.setattr(machine_probes, "interpreter", lambda: slow)
    monkeypatch.setattr(machine_probes, "LOOKED_AT", 2)
    probe = probe_build()

    assert f"{quick} takes 80 % of its time" in probe.seen
    assert probe.hint == f"{quick} -m venv .venv, and install this program there"


@pytest.mark.parametrize("body", ["echo 0.97", "echo nonsense", "exit 3", "echo"])
def test_what_is_not_clearly_faster_is_not_named(body: str, tmp_path: Path) -> None:
    """A small difference may be noise, and a file of that name may be no interpreter."""
    own = script(tmp_path / "own", "echo 1.0")

    assert fastest(own, [script(tmp_path / "other", body), tmp_path / "none"]) is None


def test_nothing_is_compared_with_what_cannot_be_run(tmp_path: Path) -> None:
    """The interpreter itself gives no time."""
    assert fastest(tmp_path / "none", [script(tmp_path / "other", "echo 0.1")]) is None


def test_interpreters_are_looked_for_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links to one file count once; this interpreter, old ones, and files that cannot be executed are left
    out."""
    real = script(tmp_path / "a" / "python3.12", "")
    own = script(tmp_path / "a" / "python3.11", "")
    script(tmp_path / "a" / "python3.9", "")
    script(tmp_path / "a" / "python3.13", "").chmod(0o644)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "python3.12").symlink_to(real)
    monkeypatch.setenv("PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}")

    assert list(other_interpreters(own)) == [real]


def test_an_interpreter_does_the_work() -> None:
    """This one takes more than nothing and less than seconds."""
    taken = machine_probes._time(OWN)

    assert taken is not None
    assert 0 < taken < 5
