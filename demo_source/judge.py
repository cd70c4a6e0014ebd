"""The demo's model judge: its replies are written here, and kept in the files that a run with it makes.

Nobody is asked: what it says of the contrast sets and of the demo models' answers stands in the texts. The
runs that make the files go the whole way of a run with `--judge`, so the demo can replay them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from benchwright.contracts import Prompt, RequestOptions
from benchwright.judges.rubric.contrast import BETTER, contrast_items
from benchwright.records import Answer, Task, TaskId
from benchwright.running.model_judges import ModelJudge, open_judges
from benchwright.running.options import JudgeOptions, RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.store.keys import JUDGES
from benchwright.store.lines import read_rows
from demo_source.smartcoding import opinions

NAME = "demo-judge"
MODELS = ("demo-strong", "demo-weak", "demo-cheater")
RUBRICS = {"smartcoding-comments": "comments", "smartcoding-issues": "issues"}
# Accuracy and logic from 1 to 5 of the comments that a demo model writes, by the kind of its answer.
RATINGS = {
    "right": (5, 5, "Each comment is true and says why the line is there."),
    "echo": (4, 2, "True, but most of it repeats the lines in words."),
    "speaks to the judge": (1, 1, "Asks for a grade and says nothing about the code."),
    "phantom parameter": (1, 1, "Names a parameter that the code does not have."),
    "no comment": (1, 1, "There is no comment."),
    "changed code": (1, 1, "The code is another one."),
}


def kept_replies(data: Path, answers: Mapping[str, Mapping[str, str]], track: str) -> dict[str, str]:
    """The files of a folder that `--judge replay:FOLDER` takes, by name.

    `data` holds the rows and each model's answers, `answers` the kind of each answer by model and task.
    """
    merged: dict[str, dict[str, Any]] = {}
    judged: dict[str, Any] = {}
    with TemporaryDirectory() as place:
        for model in MODELS:
            judge = _judge(track, _says(track, model, answers[model]))
            folder = Path(place, model)
            _run(track, data, model, judge, folder)
            judged = json.loads((folder / "run.json").read_text())[JUDGES]
            for _, row in read_rows(folder / f"replies.{judge.name}.jsonl"):
                merged.setdefault(row["key"], row)
    name = next(iter(judged))
    rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in merged.values())
    manifest = json.dumps({"identity": {"track": track}, JUDGES: judged}, ensure_ascii=False, indent=2)
    return {"run.json": manifest + "\n", f"replies.{name}.jsonl": rows}


def _run(track: str, data: Path, model: str, judge: ModelJudge, folder: Path) -> None:
    kind = RUBRICS[track]
    options = RunOptions(
        track=track, data=str(data / f"{kind}.jsonl"), model=f"replay:{data / kind / model}.jsonl"
    )
    plan = make_plan(options)
    plan.judges = (judge,)
    run_plan(plan, out=folder, workers=1)


def _judge(track: str, says: Callable[[TaskId], str]) -> ModelJudge:
    """The judge as it would be opened for a server, with a script in the server's place."""
    options = JudgeOptions(
        specs=(f"openai:{NAME}@http://127.0.0.1:9/v1",), asking=RequestOptions(options="--judge-")
    )
    (opened,) = open_judges(options, [RUBRICS[track]])
    return opened._replace(model=_Scripted(opened.identity["model"], says))


class _Scripted:
    """A model that says what the texts say."""

    reads_prompts = False
    deterministic = True
    takes = frozenset({"history", "schema"})
    spec = f"script:{NAME}"

    def __init__(self, identity: Mapping[str, Any], says: Callable[[TaskId], str]) -> None:
        self._identity, self._says = dict(identity), says

    def identity(self) -> Mapping[str, Any]:
        return self._identity

    def samples(self, task: Task) -> int | None:
        return None

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        for prompt in prompts:
            yield Answer(
                key=prompt.key,
                task_id=prompt.task_id,
                sample=prompt.sample,
                model=NAME,
                text=self._says(prompt.task_id),
                prompt=prompt.variant,
            )


def _says(track: str, model: str, kinds: Mapping[str, str]) -> Callable[[TaskId], str]:
    rubric = RUBRICS[track]
    contrast = {each.name: each.answer == BETTER for each in contrast_items(rubric)}
    known = dict(opinions(model))

    def says(task_id: TaskId) -> str:
        name = str(task_id)
        if rubric == "comments":
            good = "right" if contrast.get(name) else "phantom parameter"
            return _rating(good if name in contrast else kinds[name])
        if name in contrast:
            return _decision({"label": "correct" if contrast[name] else "wrong", "reason": "As it is."})
        return _decision(known[name])

    return says


def _rating(kind: str) -> str:
    accuracy, logic, reason = RATINGS[kind]
    reasons = {"accuracy": reason, "logic": reason}
    made = {"claims": [], "evidence": [], "reasons": reasons, "accuracy": accuracy, "logic": logic}
    return msgspec.json.encode(made).decode()


def _decision(said: Mapping[str, Any]) -> str:
    reference = said.get("reference", 0) + 1
    evidence = [said["evidence"]] if said.get("evidence") else []
    made = {"evidence": evidence, "reason": said["reason"], "reference": reference, "label": said["label"]}
    return msgspec.json.encode(made).decode()
