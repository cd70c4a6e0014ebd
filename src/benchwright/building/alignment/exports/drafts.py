"""Recipe on sessions of our own runs and builds: a draft whose execution failed, and the one that passed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchwright.building.alignment.exports.discussions import sessions
from benchwright.building.alignment.exports.material import MAX_TEXT, Material, row_for
from benchwright.interop.training.row_types import TrainingRow, assistant, user
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.own_runs import SOURCE

_OMISSION = re.compile(
    r"\[… [\d,]+ characters omitted …\]"
)  # what `event_maker.excerpt` leaves of a long text


class _Draft(NamedTuple):
    written: RepoEvent
    verdict: RepoEvent | None  # the result of its execution


def repaired_drafts(material: Material) -> Iterator[TrainingRow | Drop]:
    """Task, failed draft and failure as the prompt, the draft that passed as the completion.

    The failed draft is the rejected one. One row for each failed draft of a session that ends with a pass.
    """
    for (repo, session), events in sessions(material).items():
        if events[0].source != SOURCE:
            continue
        task, drafts = events[0].text.strip(), _drafts(events)
        reason = _refusal(task, drafts)
        if reason:
            yield Drop(unit=f"{repo}:{session}", reason=reason)
            continue
        for each in drafts[:-1]:
            yield _row(material, task, each, drafts[-1].written)


def _drafts(events: Sequence[RepoEvent]) -> list[_Draft]:
    """The programs of a session in order, each with the result that follows it."""
    found: list[_Draft] = []
    for each in events:
        if each.kind == "code_written":
            found.append(_Draft(each, None))
        elif each.kind == "test_result" and found and found[-1].verdict is None:
            found[-1] = _Draft(found[-1].written, each)
    return found


def _refusal(task: str, drafts: Sequence[_Draft]) -> str:
    states = [each.verdict.state if each.verdict else "" for each in drafts]
    if not states or states[-1] != "passed":
        return "not_repaired"
    if len(states) == 1:
        return "passed_at_once"
    if any(state != "failed" for state in states[:-1]):
        return "outcome_unknown"
    texts = [task, *(each.written.text for each in drafts)]
    if not all(text.strip() for text in texts):
        return "no_text"
    is_long = any(len(text) > MAX_TEXT or _OMISSION.search(text) for text in texts)
    return "too_long" if is_long else ""


def _row(material: Material, task: str, failed: _Draft, good: RepoEvent) -> TrainingRow:
    verdict_text = failed.verdict.text.strip() if failed.verdict else ""
    reason = f" failed:\n\n{verdict_text}" if verdict_text else " failed."
    request = f"The execution of this program{reason}\n\nCorrect it, and give the whole program again."
    return row_for(
        material,
        failed.written,
        prompt=[user(task), assistant(failed.written.text), user(request)],
        completion=[assistant(good.text)],
        rejected=[assistant(failed.written.text)],
        evidence=good.id,
    )
