"""A kept self-check never hides a broken machine: a layer breaks between two runs, and the second is void."""

from __future__ import annotations

import os
import resource
import shutil
import sys
from pathlib import Path

import pytest

from kit.command_line import Said, called
from kit.small_data import answers, humaneval, read_rows

pytestmark = pytest.mark.usefixtures("jail")

TASKS = 9  # 18 gold answers and stubs: more than are executed in any case

# What is done to each process of ours when it starts; the code itself, which a kept result holds for, stays.
JAIL = """
from benchwright.sandbox import jail
jail.launcher_command = lambda config: ["/bin/false"]
"""
CLOCK = """
from benchwright.sandbox import clock, zygote
whole = zygote.RunningAnswer._fill
def watched(self, *more):
    whole(self, *more)
    self._check_clock()
zygote.RunningAnswer._fill = watched
clock.GroupClock.read = clock.TreeClock.read = lambda self: clock.ResourceUse(3600.0, 0)
"""
LIMITS = """
from benchwright.sandbox import jail, zygote
import msgspec
whole = jail.launcher_config
def starved(name, environment, limits, **more):
    return whole(name, environment, msgspec.structs.replace(limits, memory_mb=1), **more)
jail.launcher_config = starved
"""


@pytest.fixture(scope="module", name="first")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a first run has proved all tasks; each test has a copy of it."""
    place = tmp_path_factory.mktemp("first")
    humaneval(place, TASKS)
    said = run(place, "first")
    assert (said.code, said.document["self_check"]["kept"]) == (0, 0)
    return place


@pytest.fixture(name="place")
def copied(first: Path, tmp_path: Path) -> Path:
    """The folder, with the owner and the mode that each file of the cache has."""
    return shutil.copytree(first, tmp_path / "place")


def run(place: Path, name: str, *more: str, broken: str = "") -> Said:
    """A run of stored answers whose cache is below `place`; `broken` is done to each process of ours."""
    (place / "broken").mkdir(exist_ok=True)
    (place / "broken" / "sitecustomize.py").write_text(broken)
    stored = answers(place, tasks=TASKS, outcomes=("passed",))
    options = ["--data", place / "tasks.jsonl", "--model", f"replay:{stored}", "--out", place / name]
    return called(
        *("run", "humaneval", "--json", "--workers", "1", *options, *more),
        XDG_CACHE_HOME=str(place / "cache"),
        BENCHWRIGHT_SELF_CHECK="kept",
        PYTHONPATH=":".join([str(place / "broken"), *filter(None, sys.path)]),
    )


@pytest.mark.parametrize(
    ("broken", "code", "why"),
    [
        (JAIL, 3, "the sandbox cannot run answers on this machine"),
        (CLOCK, 1, "timed_out used more than 3 s of processor time"),
        (LIMITS, 3, "the sandbox cannot run answers on this machine"),
    ],
    ids=["jail", "clock", "limits"],
)
def test_a_layer_that_broke_voids_the_next_run(broken: str, code: int, why: str, place: Path) -> None:
    """No score and no verdict, and what was kept is forgotten: the next run proves everything again."""
    void = run(place, "second", broken=broken)

    assert why in void.err, void.err
    assert (void.code, void.out, "hint: benchwright doctor" in void.err) == (code, "", True)
    assert (place / "second" / "verdicts.jsonl").read_bytes() == b""
    assert list((place / "cache" / "benchwright" / "self-checks").iterdir()) == []
    assert sorted({"scores.json", "self_check.jsonl"} & set(os.listdir(place / "second"))) == []


def test_a_mended_machine_goes_on(place: Path) -> None:
    """In the folder of the run that was void: all is proved again, and its answers are judged."""
    run(place, "second", broken=JAIL)
    mended = run(place, "second").document

    assert (mended["self_check"]["kept"], mended["metrics"]["pass@1"]["value"]) == (0, 1.0)


def test_what_is_proved_when_is_said_everywhere(place: Path) -> None:
    """In the JSON, in words, by `show`, and in the folder; `--self-check full` takes nothing from the cache."""
    second, full = run(place, "second"), run(place, "third", "--self-check", "full")
    check = second.document["self_check"]
    shown = called("show", place / "second")
    asked = called("show", place / "second", "--json").document["self_check"]
    rows = read_rows(place / "second" / "self_check.jsonl")

    assert (check["kept"], check["canaries"], check["gold_passed"], check["stub_total"]) == (18, 8, 9, 9)
    assert (asked, full.document["self_check"]["kept"]) == (check, 0)
    assert "18 of these were proved by earlier runs since" in " ".join(shown.out.split())
    assert [row.get("how") for row in rows] == ["kept"] * 18 + ["canary"] * 8


def test_a_lower_limit_of_the_shell_is_another_machine(place: Path) -> None:
    """The check is made anew under it, and again without it the kept one holds."""
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (usual[0] - 1, usual[1]))
    try:
        lower = run(place, "second")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)

    found = [said.document["self_check"]["kept"] for said in (lower, run(place, "third"))]
    assert found == [0, 18]


def test_a_damaged_cache_file_is_told_of(place: Path) -> None:
    """The run makes the check anew, and the next one takes it."""
    (kept,) = (place / "cache" / "benchwright" / "self-checks").iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    second, third = run(place, "second"), run(place, "third")

    assert [said.document["self_check"]["kept"] for said in (second, third)] == [0, 18]


def test_a_wrong_way_to_prove_is_refused(place: Path) -> None:
    """With the ways there are."""
    said = run(place, "second", "--self-check", "none")

    assert (said.code, "'kept', 'full'" in said.err) == (2, True)
