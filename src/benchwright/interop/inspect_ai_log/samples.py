"""Conversion of an answer with its verdicts to Inspect's EvalSample.

A repetition is an epoch. An answer that is missing because of an infrastructure error is a sample error,
which Inspect excludes from metrics, as we do. Facts without a field are in metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.contracts import worth
from benchwright.interop.inspect_ai_log.package import InspectPackage
from benchwright.records import Answer, Outcome, Verdict

CORRECT, INCORRECT = "C", "I"
STOP_REASONS = {
    "stop": "stop",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "content_filter": "content_filter",
}


def make_sample(
    package: InspectPackage,
    answer: Answer,
    verdicts: Mapping[str, Verdict],
    *,
    asked: str,
    gold: str,
    grade: str = "",
) -> Any:
    """Make the EvalSample. `verdicts` are by profile, the run's own first; `grade` is a metric's name."""
    error = _error(answer, next(iter(verdicts.values())))
    scores = {name: _score(package, verdict, grade) for name, verdict in verdicts.items()}
    return package.log.EvalSample(
        id=answer.task_id,
        epoch=answer.sample + 1,
        input=asked,
        target=gold,
        messages=_messages(package, answer, asked),
        output=_output(package, answer),
        scores={name: score for name, score in scores.items() if score is not None},
        metadata=_metadata(answer, next(iter(verdicts.values()))),
        model_usage={} if (usage := _usage(package, answer)) is None else {answer.model: usage},
        uuid=answer.key,
        error=error,
    )


def _metadata(answer: Answer, verdict: Verdict) -> dict[str, Any]:
    """Return metadata: columns of Inspect's data frames; `import inspect` reads the outcome of errors."""
    facts = {"outcome": verdict.outcome.value, "prompt": answer.prompt}
    return {name: value for name, value in facts.items() if value}


def _messages(package: InspectPackage, answer: Answer, asked: str) -> list[Any]:
    """Make the messages. Unlike Inspect's, their ids are not random, so that equal runs give equal logs."""
    messages = [package.model.ChatMessageUser(id=f"{answer.key}-0", content=asked)]
    if answer.error is None:
        messages.append(_reply(package, answer))
    return messages


def _reply(package: InspectPackage, answer: Answer) -> Any:
    """Make a text part: from plain text, older versions remove everything between <think> marks."""
    text = package.model.ContentText(text=answer.text)
    return package.model.ChatMessageAssistant(
        id=f"{answer.key}-1", content=[text], model=answer.model, source="generate"
    )


def _output(package: InspectPackage, answer: Answer) -> Any:
    """Make the model's output. The completion is set separately, for `import inspect`."""
    kept = {
        "seed": answer.seed,
        "finish_reason": answer.finish_reason,
        "tail": answer.tail or None,
        "tokens_in": answer.tokens_in,  # usage below cannot say that one of the two is not known
        "tokens_out": answer.tokens_out,
    }
    metadata = {name: value for name, value in kept.items() if value is not None}
    if answer.error is not None:
        return package.model.ModelOutput(model=answer.model, error=answer.error, metadata=metadata)
    choice = package.model.ChatCompletionChoice(
        message=_reply(package, answer), stop_reason=STOP_REASONS.get(answer.finish_reason or "", "unknown")
    )
    return package.model.ModelOutput(
        model=answer.model,
        choices=[choice],
        completion=answer.text,
        usage=_usage(package, answer),
        metadata=metadata,
    )


def _usage(package: InspectPackage, answer: Answer) -> Any | None:
    if answer.tokens_in is None and answer.tokens_out is None:
        return None
    tokens_in, tokens_out = answer.tokens_in or 0, answer.tokens_out or 0
    return package.model.ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out
    )


def _error(answer: Answer, verdict: Verdict) -> dict[str, str] | None:
    """Make an EvalError if there is nothing to score; None otherwise."""
    if not verdict.outcome.is_missing:
        return None
    message = f"{verdict.outcome.value}: {answer.error or verdict.detail}"
    return {"message": message, "traceback": message, "traceback_ansi": message}


def _score(package: InspectPackage, verdict: Verdict, grade: str) -> Any | None:
    """Return the score of a verdict; None if missing or undecided, which Inspect excludes from metrics."""
    good = worth(verdict, grade)
    if good is None:
        return None
    graded = {"scores": verdict.scores} if grade else {}
    return package.scorer.Score(
        value=good if grade else CORRECT if verdict.outcome is Outcome.passed else INCORRECT,
        explanation=": ".join(filter(None, (verdict.outcome.value, verdict.detail))),
        metadata={
            "outcome": verdict.outcome.value,
            "isolation": verdict.isolation.value,
            "profile": verdict.profile,
            "rule": verdict.rule,
            "cpu_s": verdict.cpu_s,
            "wall_s": verdict.wall_s,
            "truncated": verdict.truncated,
            "suspicious": verdict.suspicious,
            "stdout": verdict.stdout,
            **graded,
        },
    )
