"""`benchwright build aicodereval` and `benchwright release`: releases, what is in them, what cannot be meant."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from benchwright.building.aicodereval.draft_records import AdmittedEntry, Draft
from benchwright.records import Outcome
from benchwright.running.pipeline import run
from kit.command_line import build, release
from kit.made_drafts import refused_for_form, sound, write_drafts
from kit.made_releases import entries, released
from kit.needs import need_module, need_sandbox


def built(folder: Path, *options: str, drafts: list[Draft] | None = None) -> Result:
    """The command over a file of drafts."""
    need_sandbox()
    need_module("detect_secrets")
    path = write_drafts(folder / "drafts.jsonl", drafts or [sound()[0], *refused_for_form().values()])
    out = ["--out", str(folder / "out"), "-q"]
    return CliRunner().invoke(build, ["aicodereval", "--drafts", str(path), *out, *options])


def test_a_build_and_its_release(tmp_path: Path) -> None:
    """One document; the release is sound, an erratum stands beside it, and a change is found."""
    said = built(tmp_path, "--json", "--name", "mine@2.0.0")
    document = json.loads(said.stdout)
    folder = Path(document["release"])
    erratum = ["erratum", str(folder), "word-counts", "a tab is no space"]

    assert (said.exit_code, folder.name, document["manifest"]["tiers"]) == (0, "mine@2.0.0", {"certified": 1})
    assert [each["stage"] for each in document["funnel"]] == ["read", "check", "try", "tier", "select"]
    at_first = CliRunner().invoke(release, ["check", str(folder), "--json"], standalone_mode=False)
    assert (at_first.return_value, json.loads(at_first.stdout)["errata"]) == (0, [])
    assert CliRunner().invoke(release, erratum).exit_code == 0
    sound_one = CliRunner().invoke(release, ["check", str(folder), "--json"], standalone_mode=False)
    assert sound_one.return_value == 0
    assert [each["task_id"] for each in json.loads(sound_one.stdout)["errata"]] == ["word-counts"]
    (folder / "README.md").write_text("other")
    changed = CliRunner().invoke(release, ["check", str(folder)], standalone_mode=False)
    assert (changed.return_value, "README.md was changed" in changed.stderr) == (1, True)


def test_a_release_is_rechecked_here(tmp_path: Path) -> None:
    """Its solutions end as they did, in the sandbox; a change of a level is told with both outcomes."""
    need_sandbox()
    folder = released(tmp_path)
    said = CliRunner().invoke(release, ["recheck", str(folder), "--json", "-q"], standalone_mode=False)
    document = json.loads(said.stdout)

    assert (said.return_value, document["locks"]) == (0, {})
    assert document["counts"] == {"pass": 2, "fail": 0, "infrastructure": 0}
    drifted = released(tmp_path, _as_wrong(entries()), name="mine@1.0.1")
    told = CliRunner().invoke(release, ["recheck", str(drifted), "-q"], standalone_mode=False)
    assert told.return_value == 1
    assert "fail: word-counts; normal wrong → passed" in told.stderr


def _as_wrong(found: list[AdmittedEntry]) -> list[AdmittedEntry]:
    """As if the first had not passed its first level at the release."""
    first, *others = found
    return [msgspec.structs.replace(first, levels={**first.levels, "normal": Outcome.wrong}), *others]


def test_two_releases_compared(tmp_path: Path) -> None:
    """What a later one has beside an earlier one, for people and as a document."""
    first, second, _ = entries()
    old = released(tmp_path, [first])
    both = [str(old), str(released(tmp_path / "b", [first, second], name="mine@1.1.0"))]

    assert "added: zero-crossings" in CliRunner().invoke(release, ["diff", *both]).stderr
    assert json.loads(CliRunner().invoke(release, ["diff", "--json", *both]).stdout)["affected"] == []
    assert "the entries are the same" in CliRunner().invoke(release, ["diff", both[0], both[0]]).stderr


def test_which_scores_of_a_run_carry_over(tmp_path: Path) -> None:
    """By number, and by name what needs work; in the document all lists are there."""
    need_sandbox()
    first, second, _ = entries()
    old, new = (
        released(tmp_path, [first]),
        released(tmp_path / "new", [first, _as_test(second)], name="mine@2.0.0"),
    )
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"task_id": "word-counts", "completion": "pass"}) + "\n")
    data = str(old / "data/test.jsonl")
    run("aicodereval", data=data, model=f"replay:{answers}", out=tmp_path / "run")
    command = ["diff", str(old), str(new), "--run", str(tmp_path / "run")]
    said = " ".join(CliRunner().invoke(release, command).stderr.split())
    [told] = json.loads(CliRunner().invoke(release, [*command, "--json"]).stdout)["runs"]

    assert "run: its scores carry over on 1 of 2 tests without a verdict: zero-crossings" in said
    assert (told["carried"], told["changed"], told["gone"]) == (["word-counts"], [], [])
    assert told["open"] == ["zero-crossings"]


def _as_test(each: AdmittedEntry) -> AdmittedEntry:
    entry = msgspec.structs.replace(each.entry, status="certified")
    return msgspec.structs.replace(each, split="test", entry=entry)


def test_what_people_read(tmp_path: Path) -> None:
    """The funnel, the counts and where it is."""
    said = built(tmp_path, drafts=sound()[:1])

    assert said.exit_code == 0
    assert "1 test entry and 0 for training: 1 certified" in said.stderr
    assert "aicodereval@0.1.0" in said.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gate", "nowhere"], "unknown gate: nowhere"),
        (["--gate", "aicodereval.licence"], "already applied"),
        (["--name", "Mine"], "expected NAME@X.Y.Z"),
        (["--min-success-rate", "7"], "from 0 to 1"),
        (["--corpus", "nowhere.txt"], "no such file or folder"),
        (["--from", "torchhub:"], ""),
        (["--licence", "GPL-3.0-only"], "no entry left to publish"),
    ],
)
def test_what_cannot_be_built(tmp_path: Path, options: list[str], message: str) -> None:
    """Each says what is wrong; none ends in a traceback of its own."""
    said = built(tmp_path, *options)

    assert said.exit_code != 0
    assert message in str(said.exception)
    assert hasattr(said.exception, "exit_code")


def test_the_recipes_are_listed() -> None:
    """Each with its line, none imported for it."""
    said = CliRunner().invoke(build, ["--help"])

    assert "codecorrectness" in said.stdout
    assert "aicodereval" in said.stdout
