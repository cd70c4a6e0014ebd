"""`benchwright doctor`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchwright.cli import doctor
from benchwright.cli.main import cli
from benchwright.sandbox.probes import Probe

FIELDS = {"layer", "holds", "seen"}
GOOD = Probe(layer="start", holds=True, seen="a known answer gives its value")
BAD = Probe(
    layer="no network", holds=False, seen="a connection [bold]went[/bold] through", hint="sysctl -w a=[0]"
)
ABSENT = Probe(layer="bubblewrap", holds=False, seen="not installed", needed=False, hint="apt-get install x")


def _machine(monkeypatch: pytest.MonkeyPatch, machine: list[Probe], **jails: list[Probe]) -> None:
    monkeypatch.setattr(doctor, "probe_machine", lambda: iter(machine))
    monkeypatch.setattr(doctor, "probe_jails", lambda: iter(jails.items()))
    monkeypatch.setattr(doctor, "probe_profiles", lambda: iter([]))


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_this_machine() -> None:
    """Where answers can be run, the document says by which jail, and the exit code is 0."""
    result = CliRunner().invoke(cli, ["doctor", "--json"])
    document = json.loads(result.stdout)
    probes = [probe for group in document["probes"].values() for probe in group]

    assert (result.exit_code, set(document)) == (0, {"usable", "probes"})
    assert document["usable"] and all(set(probe) >= FIELDS for probe in probes)


def test_no_jail_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every jail has a hole, the exit code says that something must be set up first."""
    _machine(monkeypatch, [GOOD], native=[GOOD, BAD])
    result = CliRunner().invoke(cli, ["doctor", "--json"])

    assert (result.exit_code, json.loads(result.stdout)["usable"]) == (3, [])


def test_one_jail_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """One jail that holds and a missing tool that is not needed are fine."""
    _machine(monkeypatch, [GOOD, ABSENT], native=[GOOD], bubblewrap=[BAD])
    result = CliRunner().invoke(cli, ["doctor", "--json"])

    assert (result.exit_code, json.loads(result.stdout)["usable"]) == (0, ["native"])


def test_a_machine_that_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A needed layer of the machine that fails is not made good by a jail."""
    _machine(monkeypatch, [BAD], native=[GOOD])

    assert CliRunner().invoke(cli, ["doctor", "--json"]).exit_code == 3


def test_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --json the states, the reasons and the hints go to stderr, their brackets as they are."""
    _machine(monkeypatch, [GOOD, ABSENT], native=[GOOD, BAD])
    result = CliRunner().invoke(cli, ["doctor"])
    wanted = ("holds", "FAILS", "absent", "hint: no network: sysctl -w a=[0]", "No jail holds in every layer")

    assert (result.exit_code, result.stdout, [word in result.stderr for word in wanted]) == (
        3,
        "",
        [True] * 5,
    )
