"""A track as in an external package: three classes, and points for an answer that is near.

`install` writes it as an installed package; no code of Benchwright mentions it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from benchwright.contracts import (
    Extraction,
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    MeasureSet,
    Question,
)
from benchwright.records import Answer, Metric, Outcome, Task, TaskId
from benchwright.stats.metrics import graded_metric, mean_metric
from benchwright.store.keys import content_key
from benchwright.tracks.correctness.track import TRACK as CORRECTNESS
from benchwright.tracks.rows import Fields, load_tasks

CLASSES = ("low", "medium", "high")
POINTS = {Outcome.passed: 1.0, Outcome.wrong: 0.3}  # shares of 100 points; no class has none


class ClassMeasures(MeasureSet):
    """The share of right classes, the points, and the share of answers without a class."""

    measures = (
        Measure(name="accuracy", better="is right more often", paired=True, shown="group"),
        Measure(name="credit", scale="points", better="earns more points", paired=True, shown="ranking"),
        Measure(
            name="blank", label="no class", higher_is_better=False, better="is less often blank", paired=True
        ),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        if not answers:
            return {}
        values = {
            each.name: [self.task_value(each.name, given) for given in answers.values()]
            for each in self.measures
        }
        samples = min(map(len, answers.values()))
        return {
            "accuracy": mean_metric(values["accuracy"], draws=samples, samples=samples),
            "credit": graded_metric(values["credit"], samples=samples),
            "blank": mean_metric(values["blank"], draws=samples, samples=samples),
        }

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float:
        ends = [each.outcome for each in answers]
        if name == "credit":
            return sum(POINTS.get(end, 0.0) for end in ends) / len(ends)
        return ends.count(Outcome.passed if name == "accuracy" else Outcome.unparsable) / len(ends)

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        groups = {
            gold: self.metrics(
                tasks, {at: given for at, given in answers.items() if tasks[at].outputs == gold}, []
            )
            for gold in CLASSES
        }
        return {
            "findings": ["no class is left out"],
            "groups": {
                "class": {
                    gold: {name: asdict(metric) for name, metric in metrics.items()}
                    for gold, metrics in groups.items()
                }
            },
        }


class ThreeClasses:
    """How complex is a function? Rows: {id, code, class}."""

    name = "threeclasses"
    title = "Three classes"
    default_n = 1
    ks: tuple[int, ...] = ()
    temperature = 0.0
    language = "en"
    profiles = ("strict",)
    measures = ClassMeasures()
    executes = False

    def in_form(self, form: str) -> ThreeClasses:
        return self

    def load(self, source: str | Path) -> Iterator[Task]:
        return load_tasks(source, _build)

    def prompt(self, task: Task) -> str:
        return f"{task.instruction}\n{task.inputs['code']}"

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        return [Question(variant="en-01", text=self.prompt(task))]

    def gold(self, task: Task) -> str | None:
        return str(task.outputs)

    def stub(self, task: Task) -> str:
        return "none of them"

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        said = [word for word in answer.text.lower().split() if word in CLASSES]
        if not said:
            return Extraction(program="", rule="last word", problem="unparsable", detail="no class")
        return Extraction(program=said[-1], rule="last word")

    def spec(self, task: Task, *, profile: str) -> Any:
        return CORRECTNESS.spec(task, profile=profile)


def _build(fields: Fields) -> Task:
    code, label = fields.text("code", limit=1000), fields.text("class", limit=10)
    return Task(
        task_id=fields.identity("id"),
        instruction=f"How complex is it: {', '.join(CLASSES)}?",
        inputs={"code": code},
        outputs=label,
        meta={},
        revision=content_key("threeclasses", code, label),
        origin=f"{fields.path}:{fields.line}",
    )


TRACK = ThreeClasses()


def install(folder: Path) -> Path:
    """Write the track as a package with an entry point, into a folder for Python's path."""
    (folder / "three_classes.py").write_bytes(Path(__file__).read_bytes())
    info = folder / "three_classes-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: three-classes\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[benchwright.tracks]\nthreeclasses = three_classes:TRACK\n")
    return folder
