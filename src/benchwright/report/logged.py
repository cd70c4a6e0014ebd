"""Logs of other tools as answers and verdicts in a temporary run folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.contracts import LoggedSample, ToolLog
from benchwright.display.escape import escaped_path, visible_name
from benchwright.errors import RunError
from benchwright.rank.contestant import Contestant
from benchwright.rank.tool_runs import find_log, outcome_of
from benchwright.records import Answer, Isolation, Outcome, Verdict
from benchwright.report.answers import CUT
from benchwright.store.runfolder import RunFolder
from benchwright.store.strict_json import replace_lone


def spill(contestant: Contestant, scratch: Path) -> RunFolder:
    """Write the answers of a log, with outcomes by its first metric, to a folder below `scratch`.

    The verdicts are the tool's: nothing was executed here, so isolation and times are not shown.
    """
    log = find_log(contestant.path, texts=True)
    if log is None:
        raise RunError(
            f"{escaped_path(contestant.path)} was removed while it was read", hint="run the command again"
        )
    place = scratch / f"{len(list(scratch.iterdir())):05d}"
    place.mkdir()
    identity = {"track": contestant.track, "profile": contestant.tool, "model": contestant.model}
    folder = RunFolder(place, {"identity": identity, "started": log.started})
    folder.keep((row for row, _ in _rows(log, contestant)), (row for _, row in _rows(log, contestant)))
    return folder


def _rows(log: ToolLog, contestant: Contestant) -> Iterator[tuple[Answer, Verdict]]:
    tasks: dict[str, list[LoggedSample]] = {}
    for sample in log.samples:
        tasks.setdefault(str(sample.task_id), []).append(sample)
    for samples in tasks.values():
        for sample in sorted(samples, key=lambda each: each.epoch):
            yield _row(sample, contestant)


def _row(sample: LoggedSample, contestant: Contestant) -> tuple[Answer, Verdict]:
    first = next(iter(contestant.estimates))
    outcome = outcome_of(sample, first, binary=not contestant.grade)
    answer = Answer(
        key="",
        task_id=sample.task_id,
        sample=sample.epoch - 1,
        model=contestant.model,
        text=replace_lone(sample.text[:CUT]),
        error=sample.failure or None,
    )
    verdict = Verdict(
        key="",
        task_id=sample.task_id,
        sample=sample.epoch - 1,
        outcome=outcome,
        isolation=Isolation.none,
        profile=contestant.tool,
        detail=_detail(sample, outcome),
        scores={name: value for name, value in sample.scores.items() if name in contestant.estimates},
    )
    return answer, verdict


def _detail(sample: LoggedSample, outcome: Outcome) -> str:
    """All scores of the sample under the tool's names; the reason if there are none."""
    if outcome.is_missing:
        return visible_name(sample.failure)
    told = ", ".join(f"{visible_name(name)} {value:g}" for name, value in sample.scores.items())
    return told or "no scorer returned a number"
