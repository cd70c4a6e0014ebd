"""Graded answers as Inspect's samples: a score as a number, and none where nobody could tell."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from benchwright.interop.inspect_ai_log.export import make_sample
from benchwright.records import Answer
from kit.graded_runs import rules, verdict

ANY = SimpleNamespace(
    **dict.fromkeys(
        ("EvalSample", "Score", "ChatMessageUser", "ChatMessageAssistant", "ContentText"), SimpleNamespace
    ),
    ModelOutput=lambda **fields: fields,
    ChatCompletionChoice=lambda **fields: fields,
)
PACKAGE = SimpleNamespace(
    log=ANY, model=ANY, scorer=ANY
)  # the parts of inspect-ai that a sample is made with


def sample(outcome: str, scores: dict[str, float], grade: str = "total") -> Any:
    """The sample of an answer that ended so."""
    answer = Answer(key="k", task_id=1, sample=0, model="m", text="t")
    verdicts = {"strict": verdict(outcome, scores=scores)}
    return make_sample(PACKAGE, answer, verdicts, asked="", gold="", grade=grade)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "scores", "grade", "value"),
    [
        ("scored", rules(1.0, 0.5, 0.3), "total", 0.6),
        ("wrong", {}, "total", 0.0),
        ("passed", {"answer": 1.0}, "answer", 1.0),
        ("scored", {"answer": 0.5}, "answer", 0.5),
        ("passed", {}, "", "C"),
        ("wrong", {"code_lines": 3.0}, "", "I"),
    ],
)
def test_a_score_is_its_value(outcome: str, scores: dict[str, float], grade: str, value: object) -> None:
    """From 0 to 1 where the track grades answers; correct or incorrect elsewhere."""
    score = sample(outcome, scores, grade).scores["strict"]

    assert (score.value, score.metadata.get("scores")) == (
        pytest.approx(value) if grade else value,
        scores if grade else None,
    )


def test_an_undecided_answer_has_no_score() -> None:
    """It is neither incorrect nor an error: Inspect leaves it out of its metrics."""
    made = sample("undecided", {"overlap": 0.2})

    assert (made.scores, made.error, made.metadata["outcome"]) == ({}, None, "undecided")
