"""The drawing of refactorings for labels, and what the committed labels contain."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from benchmarks import bot_precision, refactoring_precision
from benchmarks.refactoring_precision import CLUSTER, labels_of, stratified
from benchwright.sources.events import FileVersion, RepoEvent


def event(repo: str, kind: str, commit: int, number: int) -> RepoEvent:
    native = f"{commit}:{number}"
    return RepoEvent(
        id=f"git:{repo}:refactoring:{native}", repo=repo, kind="refactoring", at="", subject=f"commit:{commit}",
        text=f"f{native} -> g{native}", state=kind, files=[FileVersion(path="a.py", status="modified")],
        source="git", source_id=native,
    )  # fmt: skip


FOUND = [event(repo, kind, commit, number) for repo in "ab" for kind in ("move", "rename")
         for commit in range(8) for number in range(5)]  # fmt: skip


def test_a_sample_is_stratified_and_repeats_itself() -> None:
    drawn = stratified(FOUND, "seed", 8)
    assert Counter((each.repo, each.state) for each in drawn) == Counter(
        {(repo, kind): 2 for repo in "ab" for kind in ("move", "rename")}
    )
    assert stratified(FOUND[::-1], "seed", 8) == drawn != stratified(FOUND, "other", 8)


def test_a_commit_gives_few() -> None:
    drawn = stratified(FOUND, "seed", 1000)
    assert max(Counter((each.state, each.subject) for each in drawn).values()) == CLUSTER


def test_labels_contain_commits_and_hashes_only() -> None:
    for row in labels_of(refactoring_precision.LABELS):
        assert re.fullmatch(r"[0-9a-f]{40}:\d+", row["refactoring"])
    for row in labels_of(bot_precision.LABELS):
        assert re.fullmatch(r"[0-9a-f]{16}", row["identity"])


def test_figures_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert refactoring_precision.main(["measure"]) == bot_precision.main(["measure"]) == 0
    printed = capsys.readouterr().out
    assert "unbiased: all: 0.979 (0.927 to 0.994), 94 of 96" in printed
    assert "seen: precision: 1.000 (0.937 to 1.000), 57 of 57" in printed


@pytest.mark.parametrize(
    ("name", "wanted"), [("Some Agent", True), ("Ann Talbot", True), ("Ann Smith", False)]
)
def test_candidates(name: str, wanted: bool) -> None:
    assert bot_precision.is_candidate(name, "ann@example.com") == wanted
