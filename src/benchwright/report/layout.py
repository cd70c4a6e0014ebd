"""The content of the page, in its order: data and charts for the templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchwright.display.escape import escaped_code
from benchwright.display.wording import counted, in_order, joined
from benchwright.report.facts import shared_and_own, track_title
from benchwright.report.figures import MANY
from benchwright.report.leftout import left_out
from benchwright.report.programs import Programs
from benchwright.report.runs import Run
from benchwright.report.section import ChartSet, Part, ReportSection, TrackRuns, page_sections
from benchwright.report.tables import TableLine, cheat_rows, measures_in, score_lines, totals
from benchwright.report.task_groups import task_groups
from benchwright.running.run_folders import UnscoredRun


def lay_out(
    groups: Sequence[TrackRuns], programs: Sequence[Programs | None], *, unscored: Sequence[UnscoredRun] = ()
) -> Part:
    """All data of the templates except the answers: a part for each track, and shared data.

    `programs` are those of each track; None if its data set is not available. `unscored` are runs without
    a score, which a table lists.
    """
    runs = [run for group in groups for run in group.runs]
    chart_set, parts, first = ChartSet(), [], 0
    sections = page_sections()
    belongs = task_groups([group.tasks for group in groups], programs)
    for number, group in enumerate(groups):
        chart_set.track = escaped_code(track_title(group.runs[0].contestant.track)) if len(groups) > 1 else ""
        part = _group_part(group, sections, chart_set, number=number, first=first)
        parts.append({**part, "members": belongs.members[number]})
        first += len(group.runs)
    page: Part = {
        **_opening(groups),
        "runs": runs,
        "unscored": [UnscoredRun(*map(escaped_code, each)) for each in unscored],
        "graded": any(group.graded for group in groups),
        "groups": parts,
        "cheats": _cheats(runs),
        "notes": [(run.full_name, escaped_code(note)) for run in runs for note in _notes_of(run)],
        "facts": dict(zip(("shared", "own"), shared_and_own(runs), strict=True)),
        "prompt_names": _prompt_names(parts),
        "group_names": belongs.names,
        "outcome_names": in_order({name for run in runs for name in run.tally.outcomes}),
        "task_names": [row.name for part in parts for row in part["tasks"]["rows"]],
        "task_keys": [row.key for part in parts for row in part["tasks"]["rows"]],
        "drawings": chart_set.drawings,
        "left_out": [*_left_out(groups, programs), *_crowded(parts), *chart_set.failed],
    }
    return {**page, "sections": sections, "contents": list(_contents(page, sections))}


def _prompt_names(parts: Sequence[Part]) -> list[str]:
    return sorted({line.name for part in parts for each in part["prompts"] or () for line in each["lines"]})


def _notes_of(run: Run) -> list[str]:
    return [*run.score.notes, *run.contestant.log_notes]


def _left_out(groups: Sequence[TrackRuns], programs: Sequence[Programs | None]) -> Iterator[str]:
    """Omissions of the page, with the track's name if there are several tracks."""
    for group, known in zip(groups, programs, strict=True):
        title = f"{escaped_code(track_title(group.runs[0].contestant.track))}: " if len(groups) > 1 else ""
        for said in left_out(group.tasks, group.runs, known):
            yield title + said


def _crowded(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        lines = len(part["curve"]["lines"]) if part["curve"] else 0
        if lines > MANY:
            title = part["curve"]["measure"].title
            yield f"The chart of {title} is omitted: {lines} curves would overlap. Its table is shown."


def _group_part(
    group: TrackRuns, sections: Sequence[ReportSection], charts: ChartSet, *, number: int, first: int
) -> Part:
    """The sections of one track; `first` is the number of its first run on the page."""
    runs = group.runs
    return {
        "title": escaped_code(track_title(runs[0].contestant.track)),
        "profile": escaped_code(runs[0].contestant.profile),
        "suffix": f"-{number + 1}" if number else "",  # of the anchors, which must be unique on a page
        "first": first,
        "runs": runs,
        "executes": group.executes,
        "graded": group.graded,
        **{each.name: each.build(group, charts) for each in sections},
        "others": _others(runs),
    }


def _opening(groups: Sequence[TrackRuns]) -> Part:
    runs = [run for group in groups for run in group.runs]
    sums = totals(runs)
    titles = [escaped_code(track_title(group.runs[0].contestant.track)) for group in groups]
    profiles = list(dict.fromkeys(escaped_code(run.contestant.profile) for run in runs))
    what = runs[0].name if len(runs) == 1 else counted(len(runs), "run" if len(groups) > 1 else "model")
    each = joined(str(n) for n in sums["ns"])
    tasks = sum(len(group.tasks) for group in groups)
    lede = (
        f"{counted(tasks, 'task')}, {each} {'answer' if sums['ns'] == [1] else 'answers'} to each, "
        f"{counted(sums['answers'], 'answer')} in all. Every score has its 95 % interval, "
        f"and every answer is one click away."
    )
    return {
        "title": f"{what} on {joined(titles)}",
        "track": joined(titles),
        "profile": joined(profiles),
        "lede": lede,
        "warnings": list(_warnings(runs)),
    }


def _warnings(runs: Sequence[Run]) -> Iterator[str]:
    """Warnings that a reader must see before any score."""
    for run in runs:
        if not run.score.self_check.holds:
            yield f"{run.full_name}: the self-check failed, so its scores are invalid."
        if run.score.missing:
            missing = counted(run.score.missing, "answer is", "answers are")
            yield f"{run.full_name}: {missing} missing because of infrastructure errors and not counted."
        if "none" in run.tally.isolation and not run.logged:
            yield f"{run.full_name}: answers ran without isolation, so verdicts may be forged."


def _cheats(runs: Sequence[Run]) -> Part:
    sums = totals(runs)
    number, passed = sums["cheats"], sums["cheats_passed"]
    summary = f"{counted(number, 'answer')} tried to cheat or escape; {passed or 'none'} of them passed."
    return {"rows": cheat_rows(runs), "summary": summary}


def _others(runs: Sequence[Run]) -> Part:
    lines = [
        (run.name, TableLine(escaped_code(profile), metrics))
        for run in runs
        for profile, metrics in run.score.other_profiles.items()
    ]
    return {"lines": lines, "columns": measures_in(runs, score_lines(runs))}


def _contents(page: Part, sections: Sequence[ReportSection]) -> Iterator[tuple[str, str]]:
    """The table of contents. Sections without data are left out; of several tracks, each has one entry."""
    parts = page["groups"]
    if page["unscored"]:
        yield "unscored", "Runs without a score"
    if len(parts) > 1:
        for part in parts:
            yield f"track{part['suffix']}", part["title"]
    else:
        yield from (each.entry(parts[0][each.name], "") for each in sections if parts[0][each.name])
    yield "all-tasks", "Answers"
    if page["cheats"]["rows"]:
        yield "cheats", "Cheating attempts"
    yield "method", "Method"
