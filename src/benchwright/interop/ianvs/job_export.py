"""`benchwright ianvs export`: writes a data set as an example that Ianvs runs, with results of its items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isclose
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, TypeVar

from benchwright import registry
from benchwright.contracts import JudgedAnswer, Measure, MeasureSet, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.interop.ianvs.job_templates import (
    ALGORITHM,
    COUNTS,
    LIVE_FILES,
    LIVE_METRICS,
    LIVE_MODEL,
    LIVE_REQUIREMENTS,
    STORED_FILES,
    STORED_METRICS,
    STORED_MODEL,
    STORED_REQUIREMENTS,
    JobModels,
    algorithm_file,
    fill_template,
    job_file,
    public_spec,
    readme,
    testenv_file,
    with_companions,
    yaml_text,
)
from benchwright.records import Answer, Metric, Record, Task, TaskId, Verdict
from benchwright.running.options import JudgeOptions
from benchwright.running.pipeline import run
from benchwright.running.run_data import open_run
from benchwright.stats.intervals import wilson
from benchwright.stats.metrics import graded_metric, mean_metric
from benchwright.store.files import open_binary
from benchwright.store.keys import content_key
from benchwright.store.writing import write_error
from benchwright.version import VERSION

REPLIES = "dataset/judge"
ANSWERS = "dataset/answers.jsonl"


class ExportedJob(Record, frozen=True, kw_only=True):
    """The exported example: folder, job file, number of items, metrics."""

    folder: str
    job: str
    track: str
    items: int
    metrics: list[str]
    files: list[str]
    start: str = ""  # path of the job's file from the folder in which it is started
    left_out: list[str] = []  # figures that are not means over items
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

    `stored`: the model is asked and judged now, and the example holds the results, so it runs without
    Benchwright. `live`: the example asks and judges when it is run. `place` is the folder as seen from where
    the job will be started; without it the folder itself, or "." where that is absolute.

    Raises DataError for rows that the track refuses, UsageError for a track whose rows cannot be exported,
    RunError for a folder that holds something.
    """
    exported: Track = registry.find("track", track)
    tasks = list(exported.load(data))
    where = _folder_in_yaml(folder, place)
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


def _folder_in_yaml(folder: str | Path, place: str | None) -> str:
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
    track: Track, tasks: Sequence[Task], figures: Sequence[Measure], data: str, models: JobModels, place: str
) -> _Content:
    """Export answers and verdicts: the model is asked and judged here."""
    results, metrics = _results(track, tasks, data, models)
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
    models = JobModels(*map(public_spec, models))
    key = _key(track, models, tasks)
    values = {"title": track.title, "alias": ALGORITHM, "version": VERSION}
    lines = "".join(
        f"    {yaml_text(name)}: {json.dumps(how_of_figure)},\n" for name, how_of_figure in how.items()
    )
    contents = fill_template(STORED_FILES, **values)
    texts = {
        f"testalgorithms/{ALGORITHM}/basemodel_{key}.py": fill_template(STORED_MODEL, **values),
        f"testenv/acc_{key}.py": fill_template(STORED_METRICS, figures=lines, **values),
        "dataset/results.jsonl": "".join(_line(each.document()) for each in results),
        "requirements.txt": STORED_REQUIREMENTS,
        "README.md": readme(track, shown, models, len(tasks), place, contents, left_out),
    }
    metric_names = [*with_companions(shown), *COUNTS]
    texts |= _files(track, tasks, shown, metric_names, models, place=place, key=key)
    return _Content({name: text.encode() for name, text in texts.items()}, metric_names, left_out, undecided)


def _results(
    track: Track, tasks: Sequence[Task], data: str, models: JobModels
) -> tuple[list[ItemResult], Mapping[str, Metric]]:
    """Run the track; return the result of each item and the figures."""
    judges: dict[str, Any] = {"judges": JudgeOptions(specs=(models.judge,))} if models.judge else {}
    with TemporaryDirectory(prefix="benchwright-export-") as folder:
        score = run(track.name, data=data, model=models.model, out=Path(folder, "run"), **judges)
        run_folder = open_run(score.run)
        answers, verdicts = _by_task(run_folder.answers()), _by_task(run_folder.verdicts())
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
    track: Track, tasks: Sequence[Task], figures: Sequence[Measure], data: str, models: JobModels, place: str
) -> _Content:
    """Export an example that asks and judges with Benchwright when it runs; stored answers are included."""
    stored, model = _copied_answers(models.model, place)
    replies, judge = _copied_replies(models.judge, place)
    models = JobModels(model, judge)
    key = _key(track, models, tasks)
    names = [*with_companions(figures), *COUNTS]
    values = {"title": track.title, "alias": ALGORITHM, "track": track.name, "version": VERSION}
    lines = "".join(f"    {yaml_text(name)},\n" for name in names)
    texts = {
        f"testalgorithms/{ALGORITHM}/basemodel_{key}.py": fill_template(LIVE_MODEL, **values),
        f"testenv/acc_{key}.py": fill_template(LIVE_METRICS, names=lines, **values),
        "requirements.txt": fill_template(LIVE_REQUIREMENTS, **values),
        "README.md": readme(track, figures, models, len(tasks), place, LIVE_FILES, []),
    }
    texts |= _files(track, tasks, figures, names, models, place=place, key=key)
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
    files = [Path(path, "run.json"), *sorted(Path(path).glob("replies.*.jsonl"))]
    try:
        return {f"{REPLIES}/{each.name}": each.read_bytes() for each in files}, f"replay:{place}/{REPLIES}"
    except OSError as error:
        message = f"cannot read {escaped_path(path)}: {error.strerror}"
        raise RunError(message, hint="use the folder of a run with --judge") from None


def _key(track: Track, models: JobModels, tasks: Sequence[Task]) -> str:
    return content_key(track.name, models, [task.revision for task in tasks])[:8]


def _files(
    track: Track,
    tasks: Sequence[Task],
    figures: Sequence[Measure],
    metrics: Sequence[str],
    models: JobModels,
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
        f"testalgorithms/{ALGORITHM}/{ALGORITHM}_algorithm.yaml": algorithm_file(f"{place}/{model}", models),
        "testenv/testenv.yaml": testenv_file(metrics, place=place, key=key),
        "dataset/train/metadata.json": metadata,
        "dataset/train/data.jsonl": "",
        "dataset/test/metadata.json": metadata,
        "dataset/test/data.jsonl": "".join(_line(_item(track, task)) for task in tasks),
        "dataset/rows.jsonl": "".join(_line(_row(track, task)) for task in tasks),
    }


def _item(track: Track, task: Task) -> dict[str, Any]:
    """Return a row in Ianvs's form; other fields are in rows.jsonl under the task's id."""
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


How = str | int  # "wilson", "items" or a number of draws
_EXACT = 1e-12


class ItemResult(NamedTuple):
    """Answers to an item and their values by figure; figures without a value are absent."""

    task_id: TaskId
    texts: list[str]
    outcomes: list[str]
    decided: int
    values: dict[str, float]

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "task_id": self.task_id,
            "answers": len(self.outcomes),
            "decided": self.decided,
            "values": self.values,
            "outcomes": self.outcomes,
            "texts": self.texts,
        }


def item_result(
    measures: MeasureSet, task_id: TaskId, answers: Sequence[Answer], verdicts: Sequence[Verdict]
) -> ItemResult:
    """Make the result of an item from the verdicts on its answers."""
    judged = [JudgedAnswer.of(each, "") for each in verdicts if not each.outcome.is_missing]
    decided = sum(each.outcome.is_decided for each in judged)
    names = [each.name for each in measures.measures if not each.is_family]
    found = {name: measures.task_value(name, judged) for name in names} if judged else {}
    values = {name: value for name, value in found.items() if value is not None}
    texts = [each.text for each in sorted(answers, key=lambda each: each.sample)]
    return ItemResult(task_id, texts, [each.outcome.value for each in verdicts], decided, values)


def intervals_of(
    results: Sequence[ItemResult], metrics: Mapping[str, Metric], names: Sequence[str]
) -> dict[str, How]:
    """Return the method of each figure's interval, without figures that cannot be computed from items."""
    found: dict[str, How] = {}
    for name in names:
        values = [each.values[name] for each in results if name in each.values]
        if (how := _how(values, metrics.get(name))) is not None:
            found[name] = how
    return found


def _how(values: Sequence[float], metric: Metric | None) -> How | None:
    if metric is None:
        return None if values else "items"  # nothing was judged: the figure is there, and has no value
    if len(values) != metric.n or not _near(fsum(values) / len(values), metric.value):
        return None
    draws = metric.samples
    intervals: dict[How, Any] = {
        "items": graded_metric(values, samples=draws),
        draws: mean_metric(values, draws=draws, samples=draws),
    }
    if set(values) <= {0.0, 1.0}:
        intervals = {"wilson": wilson(round(sum(values)), len(values)), **intervals}
    same = (
        how for how, one in intervals.items() if _near(one.low, metric.low) and _near(one.high, metric.high)
    )
    return next(same, None)


def _near(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=_EXACT, abs_tol=_EXACT)
