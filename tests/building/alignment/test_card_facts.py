"""Facts of the card: evidence that a clone has, outcomes of checks, the sheet of a repository."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from benchwright.building.alignment.card_facts import check_outcomes, resolved_links
from benchwright.building.alignment.records import EvidenceLink, LineRange, MinedRepository
from benchwright.sources.events import RepoEvent
from kit.made_alignment import event
from kit.made_changes import MadeChanges, numbered


def _mined(made: MadeChanges, **parts: str) -> MinedRepository:
    given = {"name": "ours", "place": str(made.path), "events": "e", "digest": "d", "head": made.main}
    return MinedRepository(**{**given, **parts})


def _link(commit: str, last: int) -> EvidenceLink:
    lines = LineRange(commit=commit, path="a.py", first=1, last=last)
    return EvidenceLink(
        id=f"{commit}{last}", repo="ours", state="answered", rung=3, target=f"commit:{commit}", before=lines
    )


def test_evidence_is_looked_up_in_the_clone(tmp_path: Path) -> None:
    made = MadeChanges(tmp_path / "clone")
    commit = made.land({"a.py": numbered(4)})
    links = [_link(commit, 4), _link(commit, 5), _link("0" * 40, 1)]
    (found,) = resolved_links([_mined(made)], links)

    assert (found.hits, found.n) == (1, 3)
    (none,) = resolved_links([_mined(made, place="")], links)
    assert none.why == "no clone was given"


def test_links_of_another_repository_do_not_count(tmp_path: Path) -> None:
    made = MadeChanges(tmp_path / "clone")
    commit = made.land({"a.py": numbered(4)})
    links = [_link(commit, 4), replace(_link(commit, 4), repo="theirs")]
    (found,) = resolved_links([_mined(made)], links)

    assert (found.hits, found.n) == (1, 1)


def _check(number: int, commit: str, state: str) -> RepoEvent:
    return event("check", number, heads=[commit], state=state)


def test_a_commit_passes_if_all_its_checks_passed() -> None:
    given = [_check(1, "a", "success"), _check(2, "a", "FAILURE"), _check(3, "b", "success")]
    given += [_check(4, "c", "pending"), _check(5, "b", "skipped")]

    assert check_outcomes(given) == {"a": False, "b": True}
