"""The benchmark of suites: pairs that end as they are made to, runs in turn, and an end that is checked."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks import suites, suites_drive, suites_python
from benchmarks.measure import Usage
from benchmarks.suites_ground import Contest, Peer
from benchmarks.suites_report import Taken
from benchwright.contracts import Suite
from benchwright.errors import BenchwrightError, PrerequisiteError, UsageError


def made(language: str, who: str, size: int, number: int, cpu_s: float, *, pairs: int | None = None) -> Taken:
    """A run that took so many CPU seconds."""
    usage = Usage(account="a clock", cpu_s=cpu_s, wall_s=cpu_s, waited_cpu_s=cpu_s, survivors=0)
    return Taken(language=language, who=who, size=size, round=number, pairs=pairs or size, usage=usage)


def absent() -> None:
    raise PrerequisiteError("no such toolchain", hint="apt-get install it")


def contest(prepare: object = lambda: None) -> Contest:
    """Two peers, of which nothing is run."""
    peers = tuple(Peer(name, f"`{name}`", lambda suite, folder: True) for name in ("slow", "slower"))
    return Contest(
        pair=suites_python.python_pair,
        runner=suites_python.python_runner,
        peers=peers,
        goal="at least 2 times",
        sampled=4,
        prepare=prepare,  # type: ignore[arg-type]
    )


def test_pairs_differ_and_hold_their_cases() -> None:
    """No two pairs share a text, and each test file defines the cases that its suite names."""
    pairs = [suites_python.python_pair(number, "+") for number in range(6)]
    names = [
        [node.name for node in ast.parse(each.files[each.test]).body if isinstance(node, ast.FunctionDef)]
        for each in pairs
    ]

    assert (
        len({each.files[each.test] for each in pairs}),
        all(set(each.cases) <= set(found) for each, found in zip(pairs, names, strict=True)),
    ) == (6, True)


def test_every_third_pair_is_to_fail() -> None:
    """Both ways to end are measured."""
    assert [suites_drive.sign_of(number) for number in range(6)] == ["+", "+", "-", "+", "+", "-"]


@pytest.mark.parametrize("language", suites.LANGUAGES)
def test_each_language_has_a_contest(language: str) -> None:
    """A contest names its peers, and each pair has files of its own language."""
    found = suites_drive.contest_of(language)
    suite = found.pair(3, "+")

    assert (suite.lang.lower(), suite.test in suite.files, suite.focal in suite.files) == (
        language,
        True,
        True,
    )
    assert (found.goal[:8], all(peer.name != suites.OURS for peer in found.peers)) == ("at least", True)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("who", [suites.OURS, "pytest", "tuned pytest"])
def test_both_end_as_made(who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pairs pass and the third fails, in our runner and in the usual ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    suites_drive.drive("python", who, "3")


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("who", [suites.OURS, "tuned pytest"])
def test_another_end_is_an_error(who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs that end differently from how they were made stop the measurement."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setattr(suites_drive, "contest_of", lambda name: suites_python.CONTEST._replace(pair=failing))
    with pytest.raises(BenchwrightError) as caught:
        suites_drive.drive("python", who, "2")

    assert caught.value.message == f"{who}: pairs [1] ended otherwise than they were made to"


def failing(number: int, sign: str) -> Suite:
    return suites_python.python_pair(number, "-" if sign == "+" else "+")


def test_a_language_that_nobody_knows() -> None:
    """A typing error names the choice."""
    with pytest.raises(UsageError) as caught:
        suites.choose(["python", "rust"])

    assert caught.value.hint == "of python, java, go"


@pytest.mark.parametrize(
    ("names", "chosen"), [([], ["python", "java", "go"]), (["go", "python"], ["python", "go"])]
)
def test_languages_come_in_the_order_of_the_table(names: list[str], chosen: list[str]) -> None:
    """All without a name."""
    assert suites.choose(names) == chosen


def test_an_absent_toolchain_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other languages are measured all the same, and the reason comes with what to install."""
    contests = {"python": contest(), "go": contest(absent)}
    monkeypatch.setattr(suites, "contest_of", contests.__getitem__)

    assert suites.prepare(["python", "go"]) == {"go": "no such toolchain (apt-get install it)"}


def test_runs_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every size in each round, the order turned round in each second one; a peer on a few pairs only."""
    order: list[tuple[str, int, int, int]] = []

    def take(language: str, who: str, size: int, *, of: int, number: int) -> Taken:
        order.append((who, size, min(size, of), number))
        return made(language, who, size, number, 1.0, pairs=min(size, of))

    monkeypatch.setattr(suites, "contest_of", lambda name: contest())
    monkeypatch.setattr(suites, "take", take)
    monkeypatch.setattr(suites, "_versions", lambda names: {"python": "3"})
    monkeypatch.setattr(suites, "pin_cpus", lambda: 2)
    report = suites.bench(["python", "go"], [8, 2, 8], rounds=2, absent={"go": "not here"})

    assert order == [
        *(("slow", 2, 2, 1), ("slower", 2, 2, 1), ("ours", 2, 2, 1)),
        *(("slow", 8, 4, 1), ("slower", 8, 4, 1), ("ours", 8, 8, 1)),
        *(("ours", 2, 2, 2), ("slower", 2, 2, 2), ("slow", 2, 2, 2)),
        *(("ours", 8, 8, 2), ("slower", 8, 4, 2), ("slow", 8, 4, 2)),
        *(("slow", 12, 12, 0), ("slower", 12, 12, 0)),
    ]
    assert ([(line.size, line.peer) for line in report.lines], report.absent) == (
        [(2, "`slow`"), (2, "`slower`"), (8, "`slow`"), (8, "`slower`")],
        {"go": "not here"},
    )
