"""Histories that are read in parts: the events of a whole reading, without the key of the build in a part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.alignment import commit_parts
from benchwright.building.alignment.commit_parts import CommitsPart, commit_spread
from benchwright.building.engine.process_map import FolderPart, PendingPart, make_part, pack_part
from benchwright.sources.cleaning.pseudonyms import DeputyPseudonyms, KeyedPseudonyms, own_pseudonyms
from benchwright.sources.cleaning.text_cleaner import TextCleaner
from benchwright.sources.git_history import GitHistory
from kit.made_histories import HistoryMaker
from kit.needs import need_module

KEY = b"k" * 32
TEXTS = (
    "Add a\n\nReviewed-by: Ada Byron <ada@byron.org>\n",
    "Fix it, thanks to @grace and ada@byron.org, see person-aaaaaaaaaaaa\n",
    "Call +49 30 1234567 or 8.8.4.9\n",
)


@pytest.fixture
def history(tmp_path: Path) -> GitHistory:
    """A history whose messages and files name people."""
    need_module("pygit2", "reads clones")
    made = HistoryMaker(tmp_path / "clone.git")
    last: list[str] = []
    for number in range(7):
        text = TEXTS[number % len(TEXTS)]
        last = [made.commit({"a.py": f"# by @grace {number}\nx = {number}\n"}, *last, message=text)]
    made.point("refs/heads/main", last[0])
    return GitHistory("owner/name", made.path, "MIT")


def test_parts_give_the_records_of_a_whole_reading(
    history: GitHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever their size, also after their way to another process; nothing is read that is known."""
    sent: list[CommitsPart] = []

    def elsewhere(parts: Iterator[CommitsPart]) -> Iterator[Any]:
        for part in parts:
            sent.append(part)
            turn = PendingPart(part)
            turn.answer = make_part(pack_part(part))
            yield from turn.made()

    monkeypatch.setattr(commit_parts, "map_parts", elsewhere)
    monkeypatch.setattr(commit_parts, "COMMITS", 3)
    clean = TextCleaner(KeyedPseudonyms(KEY))
    spread = commit_spread(history, clean, refactorings=False)

    whole = list(history.new_events(clean, known=()))
    assert list(history.new_events(clean, known=(), spread=spread)) == whole
    assert [len(each.commits) for each in sent] == [3, 3, 1]
    assert all(isinstance(each, FolderPart) for each in sent)
    assert KEY not in msgspec.msgpack.encode(sent[0])
    ids = [each.id for each in whole if getattr(each, "kind", "") == "commit"]
    assert list(history.new_events(clean, known=ids, spread=spread)) == list(
        history.new_events(clean, known=ids)
    )
    assert len(sent) == 3


def test_who_is_forgotten_is_not_sent(history: GitHistory) -> None:
    """The cleaner with such requests works in this process alone."""
    people = KeyedPseudonyms(KEY, forgotten=[KeyedPseudonyms(KEY).mark("user", "grace")])

    assert commit_spread(history, TextCleaner(people), refactorings=False) is None


def test_pseudonyms_of_a_deputy_become_those_of_the_build() -> None:
    """Only those it made: a text may contain others, also directly before one."""
    build, deputy = KeyedPseudonyms(KEY), DeputyPseudonyms(KeyedPseudonyms(KEY).deputy_key())
    made = [deputy.of(each) for each in ("ada@byron.org", "Grace", "ci[bot]", "person-aaaaaaaaaaaa")]
    known = {name.encode(): build.of(given).encode() for name, given in deputy.seen.items()}

    assert len(known) == 2
    given = "person-aaaaaa" + " ".join(made) + "person-"
    wanted = "person-aaaaaa" + " ".join(
        build.of(each) for each in ("ada@byron.org", "Grace", "ci[bot]", "person-aaaaaaaaaaaa")
    )
    assert own_pseudonyms(given.encode(), known).decode() == wanted + "person-"
