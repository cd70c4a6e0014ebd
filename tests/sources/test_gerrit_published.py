"""Recorded pages of a real Gerrit server, as published by another project."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchwright.sources.gerrit import open_gerrit
from kit.marking_cleaner import drop_reasons, events_of, kinds, only_events
from kit.needs import GERRIT_PAGES, need_data


def test_pages_of_wikimedia(tmp_path: Path) -> None:
    """Page 3 repeats the changes of page 2."""
    for page in GERRIT_PAGES:
        shutil.copy(need_data(page), tmp_path / page)
    found = events_of(open_gerrit(str(tmp_path)), tmp_path)
    assert drop_reasons(found) == {"duplicate_change": 2}
    assert kinds(found) == {
        "pull_opened": 4,
        "force_push": 4,
        "commit": 4,
        "comment": 31,
        "check": 12,
        "review": 8,
        "label": 3,
        "merge": 3,
    }
    events = only_events(found)
    assert len({each.pull for each in events}) == 4 and all(
        each.heads for each in events if each.kind == "merge"
    )
    assert len({each.id for each in events}) == len(events)
