"""The Java line of the suites benchmark: its pairs, and what the peer needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import suites_java
from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.java_classes import classes_of
from benchwright.judges.suites.java_toolchain import JavaToolchain


def test_pairs_differ_by_their_number() -> None:
    """Each pair has a package of its own, and the sign decides whether it passes."""
    one, two = suites_java.java_pair(0, "+"), suites_java.java_pair(1, "-")

    assert (classes_of(one), classes_of(two)) == (["shop.item1.BasketTest"], ["shop.item2.BasketTest"])
    assert ("value + 1" in one.files[one.focal], "value - 2" in two.files[two.focal]) == (True, True)


def test_the_peer_needs_the_console(tmp_path: Path) -> None:
    """Without JUnit's console jar the peer cannot run, and the hint says what to install."""
    toolchain = JavaToolchain(jdk="/jdk", jars=(str(tmp_path / "a.jar"),), java="17", junit5="5", junit4="4")

    with pytest.raises(PrerequisiteError, match=r"junit-platform-console\.jar"):
        suites_java._console(toolchain)


def test_the_second_peer_has_flags_for_short_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One peer is started as it is, the other with C1 and the serial collector, for compiling and running."""
    ran: list[list[str]] = []
    monkeypatch.setattr(suites_java, "_found", lambda: ("/jdk", "a.jar"))
    monkeypatch.setattr(suites_java, "passed", lambda command, folder: not ran.append(list(command)))
    for number, peer in enumerate(suites_java.CONTEST.peers):
        peer.usual(suites_java.java_pair(0, "+"), tmp_path / str(number))
    flags = [[word for word in command if "-XX" in word] for command in ran]

    assert flags == [
        [],
        [],
        ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"],
        ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"],
    ]


def test_what_does_not_compile_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pair has failed then."""
    ran: list[str] = []
    monkeypatch.setattr(suites_java, "_found", lambda: ("/jdk", "a.jar"))
    monkeypatch.setattr(suites_java, "passed", lambda command, folder: bool(ran.append(command[0])))

    assert (suites_java.java_usual(suites_java.java_pair(0, "+"), tmp_path), ran) == (
        False,
        ["/jdk/bin/javac"],
    )
