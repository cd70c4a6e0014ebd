"""The main path of `benchwright report`: load runs, lay out the page, write it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchwright.report.answer_packing import AnswerRange, PackedAnswers, pack_all
from benchwright.report.chart_files import check_installed, save_charts
from benchwright.report.graded_answers import Assessments, GradedRunData
from benchwright.report.layout import lay_out
from benchwright.report.page import check_target, make_folder, meta, render, write_file, write_side
from benchwright.report.programs import Programs, open_programs
from benchwright.report.runs import Run, all_tasks, by_track, load_runs
from benchwright.report.section import TrackRuns
from benchwright.report.standing import orders
from benchwright.running.run_data import DataByHash
from benchwright.running.run_folders import NamedRuns, UnscoredRun

EMBEDDED = 256 << 20  # bytes of answers.jsonl up to which the report is a single file
Tick = Callable[[], None]


class WrittenReport(NamedTuple):
    """The written files: the page, the folder of answers next to it if there is one, and charts."""

    page: Path
    side: Path | None
    charts: list[Path]
    runs: list[Run]
    tasks: int
    answers: int
    left_out: list[str]  # omissions of the page, with reasons
    notes: list[str]  # why tasks were not available; for the user only, because it names paths
    csv: str = ""  # the overview as CSV


def write_report(
    paths: Sequence[str | Path] | NamedRuns,
    out: Path,
    *,
    metric: str | None = None,
    allow: Collection[str] = (),
    charts: Path | None = None,
    embedded: int = EMBEDDED,
    progress: Callable[[int], Tick] | None = None,
    given: DataByHash | None = None,
) -> WrittenReport:
    """Write the report of these runs to `out`. The same runs give the same bytes.

    A table lists runs without a score (`NamedRuns.unscored`) with the reason.

    `given` are data sets of runs that do not store their tasks; without one, the answers of such a run are
    shown as texts, with a note. `progress` is called with the number of tasks; the function that it
    returns is called after each task.
    """
    report_runs = paths if isinstance(paths, NamedRuns) else NamedRuns(list(map(str, paths)), [])
    check_target(out)
    if charts is not None:
        check_installed()
    with TemporaryDirectory(prefix="benchwright-report-") as scratch:
        runs = load_runs(report_runs.runs, scratch=Path(scratch), allow=allow, given=given)
        orders_of = orders(by_track(runs), metric=metric, allow=allow)
        groups = [TrackRuns(order, all_tasks(order.runs)) for order in orders_of]
        return _write(
            groups,
            out,
            charts=charts,
            embedded=embedded,
            progress=progress,
            data_by_hash=given,
            unscored=report_runs.unscored,
        )


def _write(
    groups: Sequence[TrackRuns],
    out: Path,
    *,
    charts: Path | None,
    embedded: int,
    progress: Callable[[int], Tick] | None,
    data_by_hash: DataByHash | None,
    unscored: Sequence[UnscoredRun],
) -> WrittenReport:
    runs, tasks = [run for group in groups for run in group.runs], sum(len(each.tasks) for each in groups)
    if charts is not None:
        make_folder(charts)
    programs_and_notes = [_programs(group, data_by_hash) for group in groups]
    programs, notes = (
        [known for known, _ in programs_and_notes],
        [note for _, note in programs_and_notes if note],
    )
    page = lay_out(groups, programs, unscored=unscored)
    packed = _with_progress(_packed(groups, programs), progress, tasks)
    side = _side_folder(runs, out, embedded)
    _write_page(page, runs, packed, out, side=side, readable=all(each is not None for each in programs))
    saved, unsaved = save_charts(page["drawings"], charts) if charts else ([], [])
    answers = sum(run.tally.total for run in runs)
    left_out, csv = page["left_out"] + unsaved, page["overview"]["csv"]
    return WrittenReport(out, side, saved, runs, tasks, answers, left_out, notes, csv)


def _programs(group: TrackRuns, data_by_hash: DataByHash | None) -> tuple[Programs | None, str]:
    """The programs of a track's runs, and a note if they are missing; none for logs of other tools."""
    if any(run.logged for run in group.runs):
        return None, ""
    return open_programs([run.folder for run in group.runs], data_by_hash)


def _packed(groups: Sequence[TrackRuns], programs: Sequence[Programs | None]) -> Iterator[PackedAnswers]:
    """The packed answers of all tracks; tasks and runs are numbered across the page."""
    task = run = 0
    runs = sum(len(group.runs) for group in groups)
    for group, known in zip(groups, programs, strict=True):
        tallies, frame = [each.tally for each in group.runs], AnswerRange(task, run, runs)
        graded = [
            GradedRunData(run.tally, Assessments(run.folder), run.calibrated)
            for run in group.runs
            if group.graded
        ]
        yield from pack_all(group.tasks, tallies, known, labels=group.labels, graded=graded, frame=frame)
        task, run = task + len(group.tasks), run + len(group.runs)


def _write_page(
    page: dict[str, Any],
    runs: list[Run],
    packed: Iterator[PackedAnswers],
    out: Path,
    *,
    side: Path | None,
    readable: bool,
) -> None:
    name = side.name if side else ""
    if side:
        write_side(side, packed)
        packed = iter(())
    several = len(page["groups"]) > 1
    known = meta(
        [run.full_name for run in runs],
        page["task_names"],
        side=name,
        readable=readable,
        several=several,
        graded=page["graded"],
    ) | {
        "modelKeys": [run.key for run in runs],
        "modelNames": [run.name for run in runs],
        "taskKeys": page["task_keys"],
        "tracks": [[part["key"], part["first_task"]] for part in page["groups"]] if several else [],
    }
    write_file(out, render({**page, "meta": known}, packed, side=name))


def _side_folder(runs: Sequence[Run], out: Path, embedded: int) -> Path | None:
    """The folder for answers if they are too many for one file.

    The size of answers.jsonl decides, because it is known before packing.
    """
    size = sum(run.folder.answers_path.stat().st_size for run in runs)
    return _answers_folder(out) if size > embedded else None


def _answers_folder(out: Path) -> Path:
    return out.with_name(f"{out.stem}-answers")


def _with_progress(
    packed: Iterator[PackedAnswers], progress: Callable[[int], Tick] | None, total: int
) -> Iterator[PackedAnswers]:
    tick = progress(total) if progress else None
    for each in packed:
        yield each
        if tick:
            tick()
