"""`ianvs export`: a data set of ours as an example that Ianvs runs, in the layout of its own proposal.

    benchmarkingjob.yaml
    testalgorithms/gen/basemodel_KEY.py   answers and judges, by `adapter.TrackModel`
    testalgorithms/gen/gen_algorithm.yaml
    testenv/acc_KEY.py                    the track's metrics, by `adapter.metric`
    testenv/testenv.yaml
    dataset/test/metadata.json, data.jsonl  the form that Ianvs reads
    dataset/train/…                       empty: Ianvs wants a train entry even where nothing is trained
    dataset/rows.jsonl                    the rows whole, with what Ianvs's form has no field for
    dataset/answers.jsonl                 stored answers, where the model is a file of them
    dataset/judge/                        stored replies of a model judge, where it is a folder of them

KEY is of the content: Ianvs keeps modules by the stem of their file, so two examples with a `basemodel.py`
each would meet. Paths are relative to the folder, from where the job is to be started.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.contracts import Measure, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.records import Record, Task
from benchwright.store.files import open_binary
from benchwright.store.keys import content_key
from benchwright.store.writing import write_error

REPLIES = "dataset/judge"
ANSWERS = "dataset/answers.jsonl"
ALGORITHM = "gen"  # the name of the proposal's folder and of the model's class in the job


class ExportedJob(Record, frozen=True, kw_only=True):
    """What was written: the folder, the job's file in it, its items and metrics."""

    folder: str
    job: str
    track: str
    items: int
    metrics: list[str]
    files: list[str]


def export_job(track: str, data: str, folder: str | Path, *, model: str, judge: str = "") -> ExportedJob:
    """Write the example into a new or empty folder. `model` and `judge` are specs, as `run` takes them.

    Raises DataError for rows that the track refuses, UsageError for a track whose rows cannot be exported,
    RunError for a folder that holds something.
    """
    exported: Track = registry.find("track", track)
    tasks = list(exported.load(data))
    target = _empty(Path(folder))
    stored, model = _stored(model)
    replies, judge = _replies(judge)
    figures = [each for each in exported.measures.measures if not each.is_family]
    if not figures:
        raise UsageError(f"{track} measures nothing that an Ianvs job could show")
    texts = _files(exported, tasks, figures, JobModels(model, judge))
    written = {name: text.encode() for name, text in texts} | stored | replies
    for name, content in written.items():
        _write(target / name, content)
    return ExportedJob(
        folder=escaped_path(target),
        job=escaped_path(target / "benchmarkingjob.yaml"),
        track=exported.name,
        items=len(tasks),
        metrics=[each.name for each in figures],
        files=sorted(written),
    )


class JobModels(NamedTuple):
    """What a job tests, and who judges it where rules alone cannot."""

    model: str
    judge: str

    def hyperparameters(self) -> str:
        """The lines of an algorithm's file."""
        named = [(name, spec) for name, spec in zip(self._fields, self, strict=True) if spec]
        lines = (f"        - {name}:\n            values: [ {_quoted(spec)} ]\n" for name, spec in named)
        return "".join(lines)


def _stored(model: str) -> tuple[dict[str, bytes], str]:
    """The answers of a model that is a file of them, and the spec that finds their copy in the folder."""
    scheme, _, path = model.partition(":")
    if scheme != "replay" or not Path(path).is_file():
        return {}, model
    with open_binary(Path(path)) as stream:
        return {ANSWERS: stream.read()}, f"replay:./{ANSWERS}"


def _replies(judge: str) -> tuple[dict[str, bytes], str]:
    """The replies of a judge that is a folder of them, and the spec that finds their copy."""
    scheme, _, path = judge.partition(":")
    if scheme != "replay" or not Path(path).is_dir():
        return {}, judge
    kept = [Path(path, "run.json"), *sorted(Path(path).glob("replies.*.jsonl"))]
    try:
        return {f"{REPLIES}/{each.name}": each.read_bytes() for each in kept}, f"replay:./{REPLIES}"
    except OSError as error:
        message = f"{escaped_path(path)} cannot be read: {error.strerror}"
        raise RunError(message, hint="name a folder that a run with --judge made") from None


def _files(
    track: Track, tasks: Sequence[Task], figures: Sequence[Measure], asked: JobModels
) -> Iterator[tuple[str, str]]:
    key = content_key(track.name, asked, [task.revision for task in tasks])[:8]
    base, metrics = f"testalgorithms/{ALGORITHM}/basemodel_{key}.py", f"testenv/acc_{key}.py"
    algorithm, testenv = f"testalgorithms/{ALGORITHM}/{ALGORITHM}_algorithm.yaml", "testenv/testenv.yaml"
    about = {"dataset": track.name, "description": track.title, "level_1_dim": "smart coding"}
    metadata = json.dumps({**about, "level_2_dim": track.title}, ensure_ascii=False, indent=2) + "\n"
    yield "benchmarkingjob.yaml", _job(track, figures, algorithm=algorithm, testenv=testenv)
    yield algorithm, _algorithm(base, asked)
    yield base, _BASE_MODEL.format(title=track.title, track=track.name, alias=ALGORITHM)
    yield testenv, _testenv(figures, metrics)
    yield metrics, _metrics(track, figures)
    yield "dataset/train/metadata.json", metadata
    yield "dataset/train/data.jsonl", ""
    yield "dataset/test/metadata.json", metadata
    yield "dataset/test/data.jsonl", "".join(_line(_item(track, task)) for task in tasks)
    yield "dataset/rows.jsonl", "".join(_line(_row(track, task)) for task in tasks)


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
        raise UsageError(f"{track.name} does not write its rows, so they cannot be exported")
    row: dict[str, Any] = to_row(task)
    return row


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _quoted(text: str) -> str:
    """A text as YAML and JSON both read it."""
    return json.dumps(text, ensure_ascii=False)


def _job(track: Track, figures: Sequence[Measure], *, algorithm: str, testenv: str) -> str:
    first = figures[0]
    order = "descend" if first.higher_is_better else "ascend"
    return f"""# Start it from this folder: ianvs -f benchmarkingjob.yaml
benchmarkingjob:
  name: {_quoted(track.name)}
  workspace: "./workspace"
  testenv: "./{testenv}"
  test_object:
    type: "algorithms"
    algorithms:
      - name: {_quoted(track.name)}
        url: "./{algorithm}"
  rank:
    sort_by: [ {{ {_quoted(first.name)}: "{order}" }} ]
    visualization:
      mode: "selected_only"
      method: "print_table"
    selected_dataitem:
      paradigms: [ "all" ]
      modules: [ "all" ]
      hyperparameters: [ "all" ]
      metrics: [ {", ".join(_quoted(each.name) for each in figures)} ]
    save_mode: "selected_and_all"
"""


def _algorithm(base: str, asked: JobModels) -> str:
    return f"""algorithm:
  paradigm_type: "singletasklearning"
  modules:
    - type: "basemodel"
      name: "{ALGORITHM}"
      url: "./{base}"
      hyperparameters:
{asked.hyperparameters()}"""


def _testenv(figures: Sequence[Measure], metrics: str) -> str:
    listed = "".join(f'    - name: {_quoted(each.name)}\n      url: "./{metrics}"\n' for each in figures)
    return f"""testenv:
  dataset:
    train_data_info: "./dataset/train/metadata.json"
    test_data_info: "./dataset/test/metadata.json"
  metrics:
{listed}"""


_BASE_MODEL = '''"""{title}: answered and judged by Benchwright, which has to be installed beside Ianvs."""

import os
from pathlib import Path

from sedna.common.class_factory import ClassFactory, ClassType

from benchwright.interop.ianvs.adapter import TrackModel

ROWS = Path(os.path.abspath(__file__)).parents[2] / "dataset" / "rows.jsonl"


@ClassFactory.register(ClassType.GENERAL, alias="{alias}")
class BaseModel:
    def __init__(self, model="gold:", judge="", **options):
        self._model = TrackModel("{track}", ROWS, model=model, judge=judge, **options)

    def preprocess(self, **kwargs):
        return None

    def train(self, train_data, valid_data=None, **kwargs):
        return None

    def save(self, model_path=None):
        return model_path

    def load(self, model_url=None):
        return None

    def predict(self, data, input_shape=None, **kwargs):
        return self._model.predict(data)
'''


def _metrics(track: Track, figures: Sequence[Measure]) -> str:
    """A function for each figure: Ianvs takes the one that is registered under the metric's name."""
    names = "".join(f"    {_quoted(each.name)},\n" for each in figures)
    return f'''"""{track.title}: the figures of Benchwright's track, each under its own name."""

import os
from pathlib import Path

from sedna.common.class_factory import ClassFactory, ClassType

from benchwright.interop.ianvs.adapter import metric

ROWS = Path(os.path.abspath(__file__)).parents[1] / "dataset" / "rows.jsonl"

NAMES = (
{names})

for name in NAMES:
    ClassFactory.register(ClassType.GENERAL, alias=name)(metric("{track.name}", name, ROWS))
'''


def _empty(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            message = f"{escaped_path(folder)} is not empty"
            raise RunError(message, hint="name a new folder: a file of an earlier export would stay in it")
    except OSError as error:
        raise write_error(error, folder) from None
    return folder


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise write_error(error, path) from None
