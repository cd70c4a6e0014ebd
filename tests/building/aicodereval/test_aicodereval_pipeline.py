"""Whole builds in the sandbox: each draft in its tier or dropped by name, the same bytes however it went."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from benchwright.building.aicodereval.draft_templates import templates
from benchwright.building.aicodereval.release_folder import check_release
from benchwright.building.aicodereval.release_options import BenchmarkOptions, EntryBounds
from benchwright.building.aicodereval.release_pipeline import ReleaseBuild, build
from benchwright.building.engine.stages import funnel_errors
from benchwright.errors import DataError, RunError, UsageError
from kit.built_samples import COMMAND
from kit.examples import SCALE
from kit.made_drafts import (
    beside,
    constant,
    flaky,
    narrow,
    refused_for_form,
    sound,
    uncertified,
    write_drafts,
)
from kit.needs import need_module, need_sandbox
from kit.processes import wait_until

FORM, UNCERTIFIED, FLAKY, BESIDE = refused_for_form(), uncertified(), flaky(), beside()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with drafts of every kind; one line of the file is none."""
    need_sandbox()
    need_module("detect_secrets")
    folder = tmp_path_factory.mktemp("aicodereval")
    every = [
        *sound(),
        narrow(),
        constant(),
        *FLAKY.values(),
        *BESIDE.values(),
        *UNCERTIFIED.values(),
        *FORM.values(),
    ]
    path = write_drafts(folder / "drafts.jsonl", every)
    with path.open("a") as file:
        file.write('{"entry": {"task_id": 5}}\n')
    return folder


@pytest.fixture(scope="module")
def built(folder: Path) -> ReleaseBuild:
    """The build of them."""
    options = BenchmarkOptions(drafts=(str(folder / "drafts.jsonl"),), name="made@1.0.0")
    return build(options, folder / "out")


def rows(built: ReleaseBuild, name: str) -> dict[str, dict[str, object]]:
    """The rows of a file of the release by what they are about."""
    found = map(json.loads, (Path(built.release) / name).read_text().splitlines())
    return {row.get("task_id") or row["unit"]: row for row in found}


def reasons(row: dict[str, object]) -> set[str]:
    """The reasons in an admission."""
    decisions = row["decisions"]
    assert isinstance(decisions, dict)
    return {each["reason"] for each in decisions.values() if "reason" in each}


def test_the_funnel_adds_up(built: ReleaseBuild) -> None:
    """Each line of the file is an entry or a drop."""
    total = len(sound()) + 2 + len(FLAKY) + len(BESIDE) + len(UNCERTIFIED) + len(FORM) + 1

    assert funnel_errors(built.levels, spreading=()) == []
    assert built.levels[0].considered == total
    assert len(rows(built, "admissions.jsonl")) + len(rows(built, "dropped.jsonl")) == total


def test_sound_drafts_are_certified(built: ReleaseBuild) -> None:
    """They are the test split, and nothing else is in it."""
    admissions = rows(built, "admissions.jsonl")

    assert [(each.unit, admissions[each.unit]["tier"]) for each in sound()] == [
        (each.unit, "certified") for each in sound()
    ]
    assert [*rows(built, "data/test.jsonl")] == [each.unit for each in sound()]


@pytest.mark.parametrize("reason", FORM)
def test_what_is_no_entry_is_in_no_file(built: ReleaseBuild, reason: str) -> None:
    """It is dropped by its own code."""
    assert rows(built, "dropped.jsonl")[FORM[reason].unit]["reason"] == reason


@pytest.mark.parametrize("reason", UNCERTIFIED)
def test_what_is_not_certified_is_for_training(built: ReleaseBuild, reason: str) -> None:
    """With the reason in its admission."""
    admission = rows(built, "admissions.jsonl")[UNCERTIFIED[reason].unit]

    assert admission["split"] == "train"
    assert reason in reasons(admission)


def test_what_a_constant_passes_is_not_certified(built: ReleaseBuild) -> None:
    """Though all its levels pass."""
    admission = rows(built, "admissions.jsonl")["always-positive"]

    assert (admission["tier"], "stub_passes" in reasons(admission)) == ("valid", True)


def test_what_refuses_a_right_answer_is_not_certified(built: ReleaseBuild) -> None:
    """An alternative that does what is asked for must pass."""
    admission = rows(built, "admissions.jsonl")["distinct"]

    assert (admission["tier"], reasons(admission)) == ("valid", {"alternative_fails"})


def test_the_order_of_sets_is_found_by_execution(built: ReleaseBuild) -> None:
    """The level that hangs on it does not pass; the others do."""
    admission = rows(built, "admissions.jsonl")["by-hash"]

    assert (admission["tier"], reasons(admission)) == ("partial", {"flaky_set_order"})
    assert admission["levels"] == {"normal": "flaky", "edge_case": "passed", "correctness": "passed"}


def test_the_other_tiers(built: ReleaseBuild) -> None:
    """One level, none, and a library that is not there."""
    admissions, dropped = rows(built, "admissions.jsonl"), rows(built, "dropped.jsonl")

    assert admissions[BESIDE["partial"].unit]["tier"] == "partial"
    assert admissions[BESIDE["env-missing"].unit]["split"] == "unverified"
    assert dropped[BESIDE["rejected"].unit]["reason"] == "no_level_passes"


def test_a_line_that_is_no_draft_is_a_drop(built: ReleaseBuild, folder: Path) -> None:
    """With its place, the field and what to do; the others go on."""
    place, drop = next(
        item for item in rows(built, "dropped.jsonl").items() if item[1]["reason"] == "draft_unreadable"
    )
    last = len((folder / "drafts.jsonl").read_text().splitlines())

    assert place.endswith(f"drafts.jsonl:{last}")
    assert "$.entry.task_id" in str(drop["detail"])
    assert "docs/" in str(drop["detail"])


def test_the_same_build_again_executes_nothing(built: ReleaseBuild, folder: Path) -> None:
    """It ends in the same release, and another version of it costs no execution."""
    before = (folder / "out/stages/trials.jsonl").stat().st_size
    drafts = (str(folder / "drafts.jsonl"),)
    again = build(BenchmarkOptions(drafts=drafts, name="made@1.0.0"), folder / "out")
    later = build(BenchmarkOptions(drafts=drafts, name="made@1.0.1"), folder / "out")

    assert again.manifest == built.manifest
    assert (folder / "out/stages/trials.jsonl").stat().st_size == before
    assert [check_release(Path(each.release)) for each in (again, later)] == [[], []]


def test_other_bounds_are_another_build(built: ReleaseBuild, folder: Path) -> None:
    """A folder holds one build."""
    bounds = EntryBounds(min_success_rate=1.0)
    options = BenchmarkOptions(drafts=(str(folder / "drafts.jsonl"),), bounds=bounds)

    with pytest.raises(RunError, match=r"holds another build: bounds\.min_success_rate differ"):
        build(options, folder / "out")


def test_a_killed_build_goes_on_to_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """Killed while it executes and in stages before, weekly at more places: no byte is another."""
    few = write_drafts(tmp_path / "few.jsonl", [sound()[0], *FORM.values()])
    whole = build(BenchmarkOptions(drafts=(str(few),), name="few@1.0.0"), tmp_path / "whole")
    trials = tmp_path / "killed/stages/trials.jsonl"
    command = [*COMMAND, "build", "aicodereval", "--drafts", str(few), "--name", "few@1.0.0", "-q"]
    for size in (0, 2_000, 6_000, 10_000) if SCALE > 1 else (0, 6_000):
        process = subprocess.Popen([*command, "--out", str(tmp_path / "killed")], start_new_session=True)
        wait_until(lambda: process.poll() is not None or _size(trials) > size)  # noqa: B023
        os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
        process.wait()
    subprocess.run([*command, "--out", str(tmp_path / "killed")], check=True, capture_output=True)

    assert _files(tmp_path / "killed/few@1.0.0") == _files(Path(whole.release))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else -1


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (BenchmarkOptions(), "no source given"),
        (BenchmarkOptions(drafts=("x",), name="mine"), "expected NAME@X.Y.Z"),
        (BenchmarkOptions(drafts=("x",), name="../up@1.0.0"), "expected NAME@X.Y.Z"),
        (BenchmarkOptions(drafts=("x",), bounds=EntryBounds(min_success_rate=2.0)), "from 0 to 1"),
        (BenchmarkOptions(drafts=("x",)), "no file at x"),
        (BenchmarkOptions(sources=("nowhere:x",)), "not a source of model records"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, options: BenchmarkOptions, message: str) -> None:
    """It is said before anything is written."""
    need_module("detect_secrets")
    with pytest.raises(UsageError, match=message):
        build(options, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_of_drafts(tmp_path: Path) -> None:
    """Nothing is released, and that is said."""
    need_module("detect_secrets")
    (tmp_path / "empty.jsonl").write_text("")

    with pytest.raises(DataError, match="no entry to publish: the sources are empty"):
        build(BenchmarkOptions(drafts=(str(tmp_path / "empty.jsonl"),)), tmp_path / "out")


def test_cards_become_certified_entries(tmp_path: Path) -> None:
    """A folder of cards and no model: each template's entry is certified, what has none is a drop."""
    need_sandbox()
    need_module("detect_secrets")
    for task in (*(each.tasks[0] for each in templates()), "text-to-video"):
        head = f"---\nlicense: mit\npipeline_tag: {task}\n---\n"
        (tmp_path / f"{task}.md").write_text(f"{head}# A model\n\nIt is for {task}.\n")
    built = build(BenchmarkOptions(sources=(str(tmp_path),)), tmp_path / "out")

    assert built.manifest["tiers"] == {"certified": len(templates())}
    assert len(built.manifest["domains"]) >= 5
    assert built.levels[1].dropped == {"no_template": 1}
