"""`votes.jsonl` of a run folder: limits, errors with their place, and equal bytes for equal votes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.errors import DataError
from benchwright.running.judged_items import MAX_VOTE, read_votes, store_votes
from benchwright.running.run_data import open_run
from kit.graded_runs import ISSUES, graded_run
from kit.peoples_votes import vote


@pytest.fixture
def run(tmp_path: Path) -> Path:
    ends: dict[Any, Any] = {task: [("text", "undecided", {})] for task in (1, 2)}
    return graded_run(tmp_path / "run", ISSUES, ends)


def test_the_same_votes_are_the_same_bytes(run: Path) -> None:
    """They are in canonical order; votes on other runs are left out, and a pair's are kept if one answer is
    ours."""
    votes = [
        vote(item="b", answers=["2-0"]),
        vote(item="a", answers=["1-0"], judge="boris"),
        vote(item="a", answers=["1-0"]),
        vote("a", item="p", kind="pair", field="preference", answers=["x-0", "1-0"], shown="ba"),
        vote(item="c", answers=["9-0"]),
    ]
    kept = store_votes(open_run(run), votes)
    first = (run / "votes.jsonl").read_bytes()
    again = store_votes(open_run(run), [*reversed(read_votes(open_run(run))), votes[-1]])

    assert (kept.votes, kept.news, kept.of_others) == (4, 4, 1)
    assert (again.votes, again.news, (run / "votes.jsonl").read_bytes()) == (4, 0, first)
    assert [each.item for each in read_votes(open_run(run))] == ["a", "a", "p", "b"]


def test_without_votes_there_is_no_file(run: Path) -> None:
    """A run without votes keeps its bytes."""
    store_votes(open_run(run), [vote()])
    store_votes(open_run(run), [])

    assert read_votes(open_run(run)) == [] and not (run / "votes.jsonl").exists()


def test_two_votes_in_one_place_are_refused(run: Path) -> None:
    """Nothing is written."""
    with pytest.raises(DataError, match="two votes of anna on decision"):
        store_votes(open_run(run), [vote("correct"), vote("wrong", vote="other")])
    assert not (run / "votes.jsonl").exists()


def line(**changed: Any) -> bytes:
    """Return a row of the file."""
    return json.dumps({**msgspec.to_builtins(vote()), **changed}).encode()


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ([b"{"], "votes.jsonl:1"),
        ([line(), line(value="no")], "votes.jsonl:2, field `value`"),
        ([line(), line()], "votes.jsonl:2, field `vote`"),
        ([line(), line(vote="other")], "votes.jsonl:2, field `judge`"),
        ([line(round="last")], "votes.jsonl:1"),
        ([line(judge="\x1b[2J")], "field `judge`"),
        ([line(comment="x" * (MAX_VOTE + 1))], "votes.jsonl:1"),
        ([b'{"vote": {"a": {"b": {"c": {"d": 1}}}}}'], "votes.jsonl:1"),
        ([b"\xff\xfe"], "votes.jsonl:1"),
    ],
)
def test_what_is_no_vote_is_named(run: Path, rows: list[bytes], where: str) -> None:
    """The error has file, line and field, and a hint."""
    (run / "votes.jsonl").write_bytes(b"\n".join(rows) + b"\n")

    with pytest.raises(DataError) as caught:
        read_votes(open_run(run))
    assert where in caught.value.message and caught.value.hint
    assert "\x1b" not in str(caught.value)
