"""What comparisons with a peer share: folders for its jail, judgements in order, and words that met."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from benchmarks.beside_peer import judged_by_ours, met, peer_folders
from benchwright.contracts import Criterion, Job
from benchwright.records import Outcome
from benchwright.tracks.functions.humaneval import TRACK
from kit.small_data import humaneval, humaneval_row


def test_a_peer_may_write_to_one_folder(tmp_path: Path) -> None:
    """As a user of no rights: the scratch folder itself is closed to others at first."""
    tmp_path.chmod(0o700)
    made = peer_folders(tmp_path)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (tmp_path, made.writable)]

    assert modes == [0o755, 0o777]
    assert stat.S_IMODE(made.shown.stat().st_mode) & 0o022 == 0


@pytest.mark.usefixtures("jail")
def test_judgements_come_in_the_order_of_jobs(tmp_path: Path) -> None:
    """Each with its own verdict."""
    (task,) = TRACK.load(humaneval(tmp_path, 1))
    criterion = Criterion(TRACK.spec(task, profile="strict"))
    programs = [humaneval_row(0)["prompt"] + body for body in ("    return x + 0\n", "    return x + 1\n")]
    jobs = [Job(number, program, criterion) for number, program in enumerate(programs)]

    assert [each.outcome for each in judged_by_ours(jobs)] == [Outcome.passed, Outcome.wrong]


def test_words_that_met_are_counted() -> None:
    """By the peer's word, both in the order of the alphabet."""
    words = [("OK", "passed"), ("Exception", "wrong"), ("OK", "passed"), ("Exception", "exception")]

    assert met(words) == {"Exception": {"exception": 1, "wrong": 1}, "OK": {"passed": 2}}
