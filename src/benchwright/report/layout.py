"""The content of the page, in its order: sections by track, omissions, groups for the filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchwright.display.escape import escaped_code
from benchwright.display.wording import counted, in_order, joined
from benchwright.records import TaskId
from benchwright.report.overview import overview, track_keys
from benchwright.report.programs import Programs
from benchwright.report.provenance import Fact, shared_and_differing, track_title
from benchwright.report.run_charts import MANY
from benchwright.report.runs import Run
from benchwright.report.section import ChartSet, ReportSection, SectionData, TrackRuns, page_sections
from benchwright.report.tables import TableLine, cheat_rows, measures_in, score_lines, totals
from benchwright.running.run_folders import UnscoredRun


def lay_out(
    groups: Sequence[TrackRuns], programs: Sequence[Programs | None], *, unscored: Sequence[UnscoredRun] = ()
) -> SectionData:
    """All data of the templates except the answers: a part for each track, and shared data.

    `programs` are those of each track; None if its data set is not available. `unscored` are runs without
    a score, which a table lists.
    """
    runs = [run for group in groups for run in group.runs]
    chart_set, sections = ChartSet(), page_sections()
    belongs = task_groups([group.tasks for group in groups], programs)
    common = shared_and_differing(runs)[0] if len(groups) > 1 else []
    parts = list(_parts(groups, sections, chart_set, belongs, common))
    page: SectionData = {
        **_opening(groups),
        "runs": runs,
        "overview": overview(groups, unscored),
        "unscored": [
            UnscoredRun(
                escaped_code(track_title(each.track)), escaped_code(each.model), escaped_code(each.why)
            )
            for each in unscored
        ],
        "graded": any(group.graded for group in groups),
        "groups": parts,
        "cheats": _cheats(runs, several=len(groups) > 1),
        "common_facts": common,
        "prompt_names": _prompt_names(parts),
        "group_names": belongs.names,
        "outcome_names": in_order({name for run in runs for name in run.tally.outcomes}),
        "task_names": [row.name for part in parts for row in part["tasks"]["rows"]],
        "task_keys": [row.key for part in parts for row in part["tasks"]["rows"]],
        "drawings": chart_set.drawings,
        "left_out": [*_omissions(groups, programs), *_omitted_curves(parts)],
    }
    return {**page, "sections": sections, "contents": list(_contents(page))}


def _parts(
    groups: Sequence[TrackRuns],
    sections: Sequence[ReportSection],
    charts: ChartSet,
    belongs: TaskGroups,
    common: Sequence[Fact],
) -> Iterator[SectionData]:
    """The part of each track. `common` are the settings that all runs of the page share."""
    first = task = 0
    for number, (group, key) in enumerate(zip(groups, track_keys(groups), strict=True)):
        charts.track = escaped_code(track_title(group.runs[0].contestant.track)) if len(groups) > 1 else ""
        part = _group_part(group, sections, charts, number=number, first=first)
        part |= {"key": key, "first_task": task, "members": belongs.members[number]}
        yield {**part, **_method(group.runs, common), "contents": list(_entries(part, sections))}
        first, task = first + len(group.runs), task + len(group.tasks)


def _method(runs: Sequence[Run], common: Sequence[Fact]) -> SectionData:
    """Notes, other profiles and settings of a track's runs."""
    shared, own = shared_and_differing(runs)
    return {
        "notes": [
            (run.name, [escaped_code(each) for each in notes]) for run in runs if (notes := _notes_of(run))
        ],
        "others": _others(runs),
        "facts": {"shared": [each for each in shared if each not in common], "own": own},
    }


def _entries(part: SectionData, sections: Sequence[ReportSection]) -> Iterator[tuple[str, str]]:
    """The sections of one track with data: anchor and title."""
    yield from (each.entry(part[each.name], part["suffix"]) for each in sections if part[each.name])
    yield f"settings{part['suffix']}", "Settings"


def _prompt_names(parts: Sequence[SectionData]) -> list[str]:
    return sorted({line.name for part in parts for each in part["prompts"] or () for line in each["lines"]})


def _notes_of(run: Run) -> list[str]:
    return [*run.score.notes, *run.contestant.log_notes]


def _omissions(groups: Sequence[TrackRuns], programs: Sequence[Programs | None]) -> Iterator[str]:
    """Omissions of the page, with the track's name if there are several tracks."""
    for group, known in zip(groups, programs, strict=True):
        title = f"{escaped_code(track_title(group.runs[0].contestant.track))}: " if len(groups) > 1 else ""
        for omission in track_omissions(group.tasks, group.runs, known):
            yield title + omission


def _omitted_curves(parts: Sequence[SectionData]) -> Iterator[str]:
    for part in parts:
        lines = len(part["curve"]["lines"]) if part["curve"] else 0
        if lines > MANY:
            title = part["curve"]["measure"].title
            yield f"The chart of {title} is omitted: {lines} curves would overlap. Its table is shown."


def _group_part(
    group: TrackRuns, sections: Sequence[ReportSection], charts: ChartSet, *, number: int, first: int
) -> SectionData:
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
    }


FEW_TRACKS = 2  # up to this number, the title of the page names the tracks


def _opening(groups: Sequence[TrackRuns]) -> SectionData:
    runs = [run for group in groups for run in group.runs]
    sums = totals(runs)
    titles = [escaped_code(track_title(group.runs[0].contestant.track)) for group in groups]
    profiles = list(dict.fromkeys(escaped_code(run.contestant.profile) for run in runs))
    what = runs[0].name if len(runs) == 1 else counted(len(runs), "run" if len(groups) > 1 else "model")
    on = joined(titles) if len(titles) <= FEW_TRACKS else counted(len(titles), "track")
    each = joined(str(n) for n in sums["ns"])
    tasks = sum(len(group.tasks) for group in groups)
    lede = (
        f"{counted(tasks, 'task')}, {each} {'answer' if sums['ns'] == [1] else 'answers'} to each, "
        f"{counted(sums['answers'], 'answer')} in all. Every score has its 95 % interval, "
        f"and every answer is one click away."
    )
    return {
        "title": f"{what} on {on}",
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


def _cheats(runs: Sequence[Run], *, several: bool) -> SectionData:
    sums = totals(runs)
    number, passed = sums["cheats"], sums["cheats_passed"]
    summary = f"{counted(number, 'answer')} tried to cheat or escape; {passed or 'none'} of them passed."
    return {"rows": cheat_rows(runs), "summary": summary, "several": several}


def _others(runs: Sequence[Run]) -> SectionData:
    lines = [
        (run.name, TableLine(escaped_code(profile), metrics))
        for run in runs
        for profile, metrics in run.score.other_profiles.items()
    ]
    return {"lines": lines, "columns": measures_in(runs, score_lines(runs))}


def _contents(page: SectionData) -> Iterator[tuple[str, str]]:
    """The table of contents: the sections of one track, or the tabs of several. Leaves out empty sections."""
    parts = page["groups"]
    if len(parts) > 1:
        yield "overview", "Overview"
        yield from ((f"track={part['key']}", part["title"]) for part in parts)
    else:
        if page["unscored"]:
            yield "unscored", "Runs without a score"
        yield from parts[0]["contents"][:-1]  # its settings are in the method
    yield "all-tasks", "Answers"
    if page["cheats"]["rows"] and len(parts) == 1:
        yield "cheats", "Cheating attempts"
    yield "method", "Method"


GONE = "The data set was not available when this page was written"


def track_omissions(tasks: Sequence[TaskId], runs: Sequence[Run], programs: Programs | None) -> Iterator[str]:
    """Omissions about one track's tasks and runs."""
    for run in runs:
        if missing := sum(task_id not in run.tally.cells for task_id in tasks):
            of = f"{counted(missing, 'task')} of {len(tasks):,}"
            yield f"{run.full_name}: {of} {_why_missing(run, missing)}."
    if any(run.logged for run in runs):
        yield "Questions and intermediate steps are omitted; see the tool's own viewer."
    elif all(run.executes or run.graded for run in runs):
        yield from _omitted_programs(tasks, programs)
    else:
        yield from _omitted_labels(tasks, programs)


def _why_missing(run: Run, missing: int) -> str:
    excluded = len(run.contestant.excluded)
    if excluded >= missing:
        return "not in its run: excluded when it was started"
    return "not in its run, but in another run here"


def _omitted_programs(tasks: Sequence[TaskId], programs: Programs | None) -> Iterator[str]:
    if programs is None:
        yield (
            f"{GONE}, so this page has no programs, no questions, no canonical solutions and no differences "
            "to them: only the texts of the answers."
        )
        return
    unsolved = sum(not programs.gold(task_id) for task_id in tasks)
    if unsolved:
        yield (
            f"{counted(unsolved, 'task')} of {len(tasks):,} have no canonical solution in the data set, "
            "so no difference to it is shown."
        )


def _omitted_labels(tasks: Sequence[TaskId], programs: Programs | None) -> Iterator[str]:
    if programs is None:
        yield f"{GONE}, so this page has no questions, no expected labels and not the labels that were read."
        return
    unknown = sum(not programs.gold(task_id) for task_id in tasks)
    if unknown:
        subject = f"{counted(unknown, 'task')} of {len(tasks):,} have no expected label"
        yield f"{subject} in the data set."


MOST = 200  # groups in the filter's list; those with the most tasks


class TaskGroups(NamedTuple):
    """Names of groups, and for each track the groups of each task by position."""

    names: list[str]
    members: list[dict[TaskId, str]]  # such as "0 7 12"


def task_groups(tasks: Sequence[Sequence[TaskId]], programs: Sequence[Programs | None]) -> TaskGroups:
    """The groups of each track's tasks, except those of all tasks of the page and those of a single one."""
    names_by_task = [
        {task: list(_names(known, task)) for task in each} if known is not None else {}
        for each, known in zip(tasks, programs, strict=True)
    ]
    counts = Counter(name for each in names_by_task for names in each.values() for name in set(names))
    whole = sum(map(len, tasks))
    useful = [name for name, count in counts.most_common() if 1 < count < whole][:MOST]
    place = {name: number for number, name in enumerate(sorted(useful))}
    members = [
        {
            task: " ".join(str(place[name]) for name in dict.fromkeys(names) if name in place)
            for task, names in each.items()
        }
        for each in names_by_task
    ]
    return TaskGroups(list(place), members)


def _names(programs: Programs, task: TaskId) -> Iterator[str]:
    for kind, names in programs.groups(task).items():
        for name in names:
            yield escaped_code(f"{kind}: {name}")
