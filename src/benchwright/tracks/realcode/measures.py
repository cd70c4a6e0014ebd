"""Measures of repository tasks: pass@k of scored tasks, and MERA's figures of their environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import (
    BASELINE,
    DRY_RUN,
    EXECUTED,
    ORACLE,
    STUBS,
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    Sections,
)
from benchwright.display.wording import counted, first_names
from benchwright.records import Metric, Task, TaskId
from benchwright.stats.metrics import pass_metrics
from benchwright.tracks.functions.completion import PassAtK

_ABOUT = "pass@1 of answers that need no skill, judged by the same tests on the same tasks"
_SHOWN = 10


class RepositoryMeasures(PassAtK):
    """pass@k over the tasks that were scored.

    A task without its environment has no figure but `execution_success`. MERA's `pass_oracle@1` and
    `pass_stub_…@1` are shares of the tasks whose environment was examined, whatever the answers.
    """

    def __init__(
        self, stubs: Mapping[str, str], baselines: Mapping[str, str], compared: Sequence[str] = ()
    ) -> None:
        """`stubs`: texts for readers by name; so are `baselines`. `compared`: scores of answers."""
        self._stubs, self._baselines = stubs, baselines
        names = (DRY_RUN, ORACLE, *(STUBS + name for name in stubs))
        self.measures = (
            *PassAtK.measures,
            *(Measure(name=f"{name}@1", label=f"{name}@1", shown="score") for name in names),
            *(Measure(name=name, label=name, shown="group") for name in (EXECUTED, *compared)),
        )
        self._figures = {
            **{name: f"{name}@1" for name in names},
            **{name: name for name in (EXECUTED, *compared)},
        }

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """pass@k of scored tasks, and the figures of the environments."""
        found = super().metrics(tasks, scored, ks) if (scored := _decided_by_task(answers)) else {}
        found |= {figure: each for name, figure in self._figures.items() if (each := _share(answers, name))}
        return found

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """As of pass@k, over decided answers."""
        return super().task_value(name, _decided_only(answers))

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """How many tasks are scored and which are not, the baselines, and the notes of pass@k."""
        without = [task for task in answers if _value(answers[task], EXECUTED) == 0]
        found = [_left_out("env-missing", without)] if without else []
        for name, text in self._stubs.items():
            passing = [task for task in answers if _value(answers[task], STUBS + name) == 1]
            found += [_left_out(f"{text} passes the tests of", passing)] if passing else []
        scored = _decided_by_task(answers)
        first = [f"{len(scored):,} of {counted(len(answers), 'task')} scored"]
        figures = [
            f"{text} {100 * each.value:.1f} %" for text, each in self._baseline_metrics(answers).items()
        ]
        second = [f"pass@1 without skill: {', '.join(figures)}"] if figures else []
        return [*first, *found, *second, *(super().notes(tasks, scored, ks) if scored else [])]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"baselines": {name: {"pass@1": metric}}, "num_samples": tasks}."""
        found = {text: {"pass@1": each} for text, each in self._baseline_metrics(answers).items()}
        built: dict[str, Any] = msgspec.to_builtins({"baselines": found} if found else {})
        return {**built, "num_samples": len(answers)}

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """The baselines with their explanation."""
        return msgspec.structs.replace(super().sections(details), about_baselines=_ABOUT)

    def _baseline_metrics(self, answers: JudgedAnswers) -> dict[str, Metric]:
        """pass@1 of each baseline, each stub, and the reference."""
        names = {BASELINE + name: text for name, text in self._baselines.items()}
        names |= {STUBS + name: text for name, text in self._stubs.items()} | {ORACLE: "the reference"}
        return {text: each for name, text in names.items() if (each := _share(answers, name))}


def _left_out(reason: str, tasks: Sequence[TaskId]) -> str:
    return f"{reason} {counted(len(tasks), 'task')}: {first_names(tasks, _SHOWN)}"


def _decided_only(answers: Sequence[JudgedAnswer]) -> list[JudgedAnswer]:
    return [each for each in answers if each.outcome.is_decided]


def _decided_by_task(answers: JudgedAnswers) -> dict[TaskId, list[JudgedAnswer]]:
    decided = {task: _decided_only(given) for task, given in answers.items()}
    return {task: given for task, given in decided.items() if given}


def _value(answers: Sequence[JudgedAnswer], name: str) -> float | None:
    """The score of a task's environment, which each of its answers has."""
    return next((each.scores[name] for each in answers if name in each.scores), None)


def _share(answers: JudgedAnswers, name: str) -> Metric | None:
    """The share of tasks with a score that have a 1; None without tasks."""
    values = [value for given in answers.values() if (value := _value(given, name)) is not None]
    return pass_metrics([(1, int(value)) for value in values], (1,))["pass@1"] if values else None
