"""pass@k, and the same for programs that nobody had to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import BASELINE, JudgedAnswers, Sections
from benchwright.records import Metric, Task, TaskId
from benchwright.stats.metrics import pass_metrics
from benchwright.tracks.functions.completion import PassAtK

_ABOUT = "pass@1 of answers that need no skill, judged on the same tasks by the same rules"


class PassBesideBaselines(PassAtK):
    """pass@k, with the pass@1 of baselines, whose ends each judgement has; `titles` by their names."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = titles

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"baselines": {name: {"pass@1" | "pass@1 mera-exact": metric}}}, over tasks with judged answers."""
        found = {text: _baseline_metrics(answers, name) for name, text in self._titles.items()}
        found = {text: metrics for text, metrics in found.items() if metrics}
        built: dict[str, Any] = msgspec.to_builtins({"baselines": found} if found else {})
        return built

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """The baselines in one sentence, and the notes on few tasks."""
        figures = [
            f"{text} {_shares(found)}"
            for name, text in self._titles.items()
            if (found := _baseline_metrics(answers, name))
        ]
        first = [f"pass@1 without skill: {', '.join(figures)}"] if figures else []
        return [*first, *super().notes(tasks, answers, ks)]

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """The baselines with their explanation."""
        return msgspec.structs.replace(super().sections(details), about_baselines=_ABOUT)


def _baseline_metrics(answers: JudgedAnswers, name: str) -> dict[str, Metric]:
    """pass@1 of a baseline by the rules of the profile, and by MERA's if they are others."""
    scores = {"pass@1": BASELINE + name, "pass@1 mera-exact": f"{BASELINE}{name}_exact"}
    return {
        figure: pass_metrics([(1, int(end)) for end in ends], (1,))["pass@1"]
        for figure, score in scores.items()
        if (ends := _pass_values(answers, score))
    }


def _shares(metrics: Mapping[str, Metric]) -> str:
    own, *exact = (f"{100 * each.value:.1f} %" for each in metrics.values())
    return f"{own} (mera-exact {exact[0]})" if exact else own


def _pass_values(answers: JudgedAnswers, score: str) -> list[float]:
    """1 for each task where a baseline passes, else 0. Tasks whose answers no judge saw have none."""
    stored = ([each.scores[score] for each in given if score in each.scores] for given in answers.values())
    return [values[0] for values in stored if values]
