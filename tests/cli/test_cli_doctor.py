"""`benchwright doctor`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchwright import registry
from benchwright.cli import machine as doctor
from benchwright.cli.main import cli
from benchwright.errors import PrerequisiteError
from benchwright.sandbox.machine_probes import Probe

FIELDS = {"layer", "holds", "seen"}
GOOD = Probe(layer="start", holds=True, seen="a known answer gives its value")
BAD = Probe(
    layer="no network", holds=False, seen="a connection [bold]went[/bold] through", hint="sysctl -w a=[0]"
)
ABSENT = Probe(layer="bubblewrap", holds=False, seen="not installed", needed=False, hint="apt-get install x")
BUILD = Probe(layer="interpreter build", holds=False, seen="built without optimization", needed=False)


class Runner:
    """A language of a machine that has Python's suites and Go, and no Java."""

    def __init__(self, lang: str) -> None:
        self.lang = lang

    def versions(self) -> dict[str, str]:
        """The parts of the toolchain."""
        if self.lang == "Java":
            raise PrerequisiteError("no JDK [17]", hint="./run setup java")
        return {self.lang.lower(): "1.0", "runner": "2"}


def _machine(monkeypatch: pytest.MonkeyPatch, machine: list[Probe], **jails: list[Probe]) -> None:
    monkeypatch.setattr(doctor, "probe_machine", lambda: iter(machine))
    monkeypatch.setattr(doctor, "probe_build", lambda: BUILD)
    monkeypatch.setattr(doctor, "probe_jails", lambda: iter(jails.items()))
    monkeypatch.setattr(doctor, "probe_profiles", lambda: iter([]))
    monkeypatch.setattr(doctor, "runner_for", Runner)


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_this_machine() -> None:
    """Where answers can be run, the document says by which jail, and the exit code is 0."""
    result = CliRunner().invoke(cli, ["doctor", "--json"])
    document = json.loads(result.stdout)
    probes = [probe for group in document["probes"].values() for probe in group]

    assert (result.exit_code, set(document)) == (0, {"usable", "probes"})
    assert document["usable"] and all(set(probe) >= FIELDS for probe in probes)
    assert [probe["layer"] for probe in document["probes"]["toolchains"]] == list(registry.RUNNERS)
    assert "interpreter build" in [probe["layer"] for probe in document["probes"]["machine"]]


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
    wanted = ("holds", "FAILS", "absent", "hint: no network: sysctl -w a=[0]", "no jail holds in all layers")

    assert (result.exit_code, result.stdout, [word in result.stderr for word in wanted]) == (
        3,
        "",
        [True] * 5,
    )


def test_toolchains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each language is a state with its versions, or with how to get it; an absent one is no error."""
    _machine(monkeypatch, [GOOD], native=[GOOD])
    result = CliRunner().invoke(cli, ["doctor", "--json"])
    said = [
        (probe["layer"], probe["holds"], probe["needed"], probe["seen"], probe.get("hint"))
        for probe in json.loads(result.stdout)["probes"]["toolchains"]
    ]

    assert (result.exit_code, said) == (
        0,
        [
            ("Python", True, False, "python 1.0, runner 2", None),
            ("Java", False, False, "no JDK [17]", "./run setup java"),
            ("Go", True, False, "go 1.0, runner 2", None),
            ("JavaScript", True, False, "javascript 1.0, runner 2", None),
        ],
    )


def test_toolchains_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is named with the command that gets it, in the words of the toolchain."""
    _machine(monkeypatch, [GOOD], native=[GOOD])
    said = CliRunner().invoke(cli, ["doctor"]).stderr

    assert ["no JDK [17]" in said, "hint: Java: ./run setup java" in said] == [True, True]


def test_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra whose package is not there comes with its own command, and the others with none."""
    _machine(monkeypatch, [GOOD], native=[GOOD])
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "vl_convert" else name)
    result = CliRunner().invoke(cli, ["doctor", "--json"])
    extras = json.loads(result.stdout)["probes"]["extras"]
    absent = [(probe["layer"], probe["hint"]) for probe in extras if not probe["holds"]]

    assert (result.exit_code, absent) == (0, [("charts as files", "pip install 'benchwright[report]'")])
