"""`ianvs export`: a data set of ours as an example that Ianvs runs, in the layout of its own proposal.

    benchmarkingjob.yaml, README.md, requirements.txt
    testalgorithms/gen/basemodel_KEY.py   gives the stored results; asks and judges itself where it is live
    testalgorithms/gen/gen_algorithm.yaml
    testenv/acc_KEY.py                    the track's figures, each with its interval and what it is of
    testenv/testenv.yaml
    dataset/test/metadata.json, data.jsonl  the form that Ianvs reads
    dataset/train/…                       empty: Ianvs wants a train entry even where nothing is trained
    dataset/rows.jsonl                    the rows whole, with what Ianvs's form has no field for
    dataset/results.jsonl                 answers, and what was found out about each
    dataset/answers.jsonl, judge/         live: stored answers, and stored replies of a judge

KEY is of the content: Ianvs keeps modules by the stem of their file, so two examples with a `basemodel.py`
each would meet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, TypeVar

from benchwright import registry
from benchwright.contracts import Measure, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.interop.ianvs.exported import (
    LIVE_FILES,
    LIVE_METRICS,
    LIVE_MODEL,
    LIVE_REQUIREMENTS,
    STORED_FILES,
    STORED_METRICS,
    STORED_MODEL,
    STORED_REQUIREMENTS,
    filled,
)
from benchwright.interop.ianvs.exported_files import (
    ALGORITHM,
    COUNTS,
    JobModels,
    algorithm_file,
    job_file,
    public,
    quoted,
    readme,
    testenv_file,
    with_companions,
)
from benchwright.interop.ianvs.recomputed import ItemResult, intervals_of, item_result
from benchwright.records import Answer, Metric, Record, Task, TaskId, Verdict
from benchwright.running.options import JudgeOptions
from benchwright.running.pipeline import run
from benchwright.running.reading import open_run
from benchwright.store.files import open_binary
from benchwright.store.keys import content_key
from benchwright.store.writing import write_error
from benchwright.version import VERSION

REPLIES = "dataset/judge"
ANSWERS = "dataset/answers.jsonl"


class ExportedJob(Record, frozen=True, kw_only=True):
    """What was written: the folder, the job's file in it, its items and metrics."""

    folder: str
    job: str
    track: str
    items: int
    metrics: list[str]
    files: list[str]
    start: str = ""  # the job's file as seen from where it is to be started
    left_out: list[str] = []  # figures that are no means over items
    undecided: int = 0  # items without a decided answer; unknown where the example is live


Mode = Literal["stored", "live"]


def export_job(
    track: str,
    data: str,
    folder: str | Path,
    *,
    model: str,
    judge: str = "",
    mode: Mode = "stored",
    place: str | None = None,
) -> ExportedJob:
    """Write the example into a new or empty folder. `model` and `judge` are specs, as `run` takes them.

    `stored`: the model is asked and judged now, and the example holds the results, so that it needs nothing
    of ours. `live`: the example asks and judges when it is run. `place` is the folder as seen from where the
    job will be started; without it the folder itself, or "." where that is absolute.

    Raises DataError for rows that the track refuses, UsageError for a track whose rows cannot be exported,
    RunError for a folder that holds something.
    """
    exported: Track = registry.find("track", track)
    tasks = list(exported.load(data))
    where = _place(folder, place)
    target = _empty(Path(folder))
    figures = [each for each in exported.measures.measures if not each.is_family]
    if not figures:
        raise UsageError(f"{track} has no metrics for an Ianvs job")
    write = _live_files if mode == "live" else _stored_files
    content = write(exported, tasks, figures, data, JobModels(model, judge), where)
    for name, text in content.files.items():
        _write(target / name, text)
    return ExportedJob(
        folder=escaped_path(target),
        job=escaped_path(target / "benchmarkingjob.yaml"),
        start=f"{where}/benchmarkingjob.yaml".removeprefix("./"),
        track=exported.name,
        items=len(tasks),
        metrics=content.metrics,
        left_out=content.left_out,
        undecided=content.undecided,
        files=sorted(content.files),
    )


def _place(folder: str | Path, place: str | None) -> str:
    """The folder as the YAML files name it."""
    text = place if place is not None else str(folder)
    path = PurePosixPath("." if place is None and Path(folder).is_absolute() else text)
    if path.is_absolute() or ".." in path.parts:
        hint = "use a path relative to the start folder of Ianvs: `--place examples/NAME`"
        raise UsageError(
            f"{escaped_path(str(path))} is not a path below the start folder of Ianvs", hint=hint
        )
    return "." if str(path) == "." else f"./{path}"


class _Content(NamedTuple):
    files: dict[str, bytes]
    metrics: list[str]
    left_out: list[str]
    undecided: int = 0


def _stored_files(
    track: Track, tasks: Sequence[Task], figures: Sequence[Measure], data: str, asked: JobModels, place: str
) -> _Content:
    """The model is asked and judged here; the example holds what came of it."""
    results, metrics = _results(track, tasks, data, asked)
    undecided = sum(not each.decided for each in results)
    if not undecided:  # a figure that rules alone cannot support has no value
        figures = [each for each in figures if each.name in metrics]
    names = [each.name for each in figures]
    how = intervals_of(results, metrics, names)
    if names[0] not in how:
        hint = "export an example that asks and judges when it runs: `--live`"
        raise UsageError(f"{names[0]} is not a mean over items, so an example cannot compute it", hint=hint)
    shown = [each for each in figures if each.name in how]
    left_out = [name for name in names if name not in how]
    asked = JobModels(*map(public, asked))
    key = _key(track, asked, tasks)
    values = {"title": track.title, "alias": ALGORITHM, "version": VERSION}
    lines = "".join(f"    {quoted(name)}: {json.dumps(made)},\n" for name, made in how.items())
    made = filled(STORED_FILES, **values)
    texts = {
        f"testalgorithms/{ALGORITHM}/basemodel_{key}.py": filled(STORED_MODEL, **values),
        f"testenv/acc_{key}.py": filled(STORED_METRICS, figures=lines, **values),
        "dataset/results.jsonl": "".join(_line(each.document()) for each in results),
        "requirements.txt": STORED_REQUIREMENTS,
        "README.md": readme(track, shown, asked, len(tasks), place, made, left_out),
    }
    metric_names = [*with_companions(shown), *COUNTS]
    texts |= _files(track, tasks, shown, metric_names, asked, place=place, key=key)
    return _Content({name: text.encode() for name, text in texts.items()}, metric_names, left_out, undecided)


def _results(
    track: Track, tasks: Sequence[Task], data: str, asked: JobModels
) -> tuple[list[ItemResult], Mapping[str, Metric]]:
    """What a run of the track gives for each item, and its figures."""
    judges: dict[str, Any] = {"judges": JudgeOptions(specs=(asked.judge,))} if asked.judge else {}
    with TemporaryDirectory(prefix="benchwright-export-") as folder:
        score = run(track.name, data=data, model=asked.model, out=Path(folder, "run"), **judges)
        made = open_run(score.run)
        answers, verdicts = _by_task(made.answers()), _by_task(made.verdicts())
    found = [
        item_result(
            track.measures, each.task_id, answers.get(each.task_id, []), verdicts.get(each.task_id, [])
        )
        for each in tasks
    ]
    return found, score.metrics


T = TypeVar("T", Answer, Verdict)


def _by_task(records: Iterable[T]) -> dict[TaskId, list[T]]:
    found: dict[TaskId, list[T]] = {}
    for each in records:
        found.setdefault(each.task_id, []).append(each)
    return found


def _live_files(
    track: Track, tasks: Sequence[Task], figures: Sequence[Measure], data: str, asked: JobModels, place: str
) -> _Content:
    """The example asks and judges when it is run, by Benchwright beside it; what is stored comes along."""
    stored, model = _copied_answers(asked.model, place)
    replies, judge = _copied_replies(asked.judge, place)
    asked = JobModels(model, judge)
    key = _key(track, asked, tasks)
    names = [*with_companions(figures), *COUNTS]
    values = {"title": track.title, "alias": ALGORITHM, "track": track.name, "version": VERSION}
    lines = "".join(f"    {quoted(name)},\n" for name in names)
    texts = {
        f"testalgorithms/{ALGORITHM}/basemodel_{key}.py": filled(LIVE_MODEL, **values),
        f"testenv/acc_{key}.py": filled(LIVE_METRICS, names=lines, **values),
        "requirements.txt": filled(LIVE_REQUIREMENTS, **values),
        "README.md": readme(track, figures, asked, len(tasks), place, LIVE_FILES, []),
    }
    texts |= _files(track, tasks, figures, names, asked, place=place, key=key)
    return _Content({name: text.encode() for name, text in texts.items()} | stored | replies, names, [])


def _copied_answers(model: str, place: str) -> tuple[dict[str, bytes], str]:
    """The answers of a model that is a file of them, and the spec that finds their copy in the folder."""
    scheme, _, path = model.partition(":")
    if scheme != "replay" or not Path(path).is_file():
        return {}, model
    with open_binary(Path(path)) as stream:
        return {ANSWERS: stream.read()}, f"replay:{place}/{ANSWERS}"


def _copied_replies(judge: str, place: str) -> tuple[dict[str, bytes], str]:
    """The replies of a judge that is a folder of them, and the spec that finds their copy."""
    scheme, _, path = judge.partition(":")
    if scheme != "replay" or not Path(path).is_dir():
        return {}, judge
    kept = [Path(path, "run.json"), *sorted(Path(path).glob("replies.*.jsonl"))]
    try:
        return {f"{REPLIES}/{each.name}": each.read_bytes() for each in kept}, f"replay:{place}/{REPLIES}"
    except OSError as error:
        message = f"cannot read {escaped_path(path)}: {error.strerror}"
        raise RunError(message, hint="use the folder of a run with --judge") from None


def _key(track: Track, asked: JobModels, tasks: Sequence[Task]) -> str:
    return content_key(track.name, asked, [task.revision for task in tasks])[:8]


def _files(
    track: Track,
    tasks: Sequence[Task],
    figures: Sequence[Measure],
    metrics: Sequence[str],
    asked: JobModels,
    *,
    place: str,
    key: str,
) -> dict[str, str]:
    """The files that every example has: YAML, and the data in both forms."""
    model = f"testalgorithms/{ALGORITHM}/basemodel_{key}.py"
    about = {"dataset": track.name, "description": track.title, "level_1_dim": "smart coding"}
    metadata = json.dumps({**about, "level_2_dim": track.title}, ensure_ascii=False, indent=2) + "\n"
    return {
        "benchmarkingjob.yaml": job_file(track, figures, place=place),
        f"testalgorithms/{ALGORITHM}/{ALGORITHM}_algorithm.yaml": algorithm_file(f"{place}/{model}", asked),
        "testenv/testenv.yaml": testenv_file(metrics, place=place, key=key),
        "dataset/train/metadata.json": metadata,
        "dataset/train/data.jsonl": "",
        "dataset/test/metadata.json": metadata,
        "dataset/test/data.jsonl": "".join(_line(_item(track, task)) for task in tasks),
        "dataset/rows.jsonl": "".join(_line(_row(track, task)) for task in tasks),
    }


def _item(track: Track, task: Task) -> dict[str, Any]:
    """A row in Ianvs's form: what has no field there stands in rows.jsonl, found by the task's id."""
    return {
        "query": track.prompt(task),
        "response": track.gold(task) or "",
        "explanation": json.dumps({"task_id": task.task_id}, ensure_ascii=False),
        "judge_prompt": "",
        "level_3_dim": str(task.inputs.get("lang") or task.meta.get("topic") or ""),
        "level_4_dim": str(task.inputs.get("unit") or task.inputs.get("language") or ""),
    }


def _row(track: Track, task: Task) -> dict[str, Any]:
    to_row = getattr(track, "to_row", None)
    if to_row is None:
        raise UsageError(f"{track.name} cannot be exported because it does not write rows")
    row: dict[str, Any] = to_row(task)
    return row


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _empty(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            message = f"{escaped_path(folder)} is not empty"
            raise RunError(message, hint="use a new folder: files of an earlier export would remain")
    except OSError as error:
        raise write_error(error, folder) from None
    return folder


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise write_error(error, path) from None
